//! The benchmark against its published numbers: generator, surfaces and the distribution of a pair's result.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use serde_json::Value;
use tuner::random::Stream;
use tuner::regret::instance::{Instance, Surface};
use tuner::regret::oracle::Noise;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/regret.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-9 * (1.0 + e.abs()), "{what}: {f} is not {e}");
    }
}

#[test]
fn generator_gives_the_published_numbers() {
    let golden = golden();
    let mut stream = Stream::from_seed(golden["rng_seed"].as_u64().unwrap());
    for expected in golden["next_u64"].as_array().unwrap() {
        assert_eq!(stream.bits().to_string(), expected.as_str().unwrap());
    }
    let uniforms: Vec<f64> = (0..3).map(|_| stream.uniform()).collect();
    assert_close(&uniforms, &numbers(&golden["then_unif"]), "uniform");
    let normals: Vec<f64> = (0..3).map(|_| stream.normal()).collect();
    assert_close(&normals, &numbers(&golden["then_normal"]), "normal");
}

#[test]
fn instances_have_the_published_fields_and_losses() {
    for expected in golden()["instances"].as_array().unwrap() {
        let surface = if expected["surface"] == "real" { Surface::Real } else { Surface::Quad };
        let dimension = expected["K"].as_u64().unwrap() as usize;
        let instance = Instance::new(dimension, expected["seed"].as_u64().unwrap(), surface);
        assert_close(&instance.optimum, &numbers(&expected["opt"]), "opt");
        assert_close(&instance.q, &numbers(&expected["q"]), "q");
        assert_close(&instance.kappa, &numbers(&expected["kappa"]), "kappa");
        let rho: Vec<f64> =
            instance.correlations.iter().flat_map(|c| [c.first as f64, c.second as f64, c.rho]).collect();
        let expected_rho: Vec<f64> = expected["rho"].as_array().unwrap().iter().flat_map(numbers).collect();
        assert_close(&rho, &expected_rho, "rho");
        let mut beyond = instance.optimum.clone();
        beyond[0] += 2.0;
        let losses = [vec![0.0; dimension], vec![1.0; dimension], beyond].map(|x| instance.loss(&x));
        let keys = ["start_loss", "loss_at_all_ones", "loss_at_opt_plus2_on_first"];
        assert_close(&losses, &keys.map(|key| expected[key].as_f64().unwrap()), "loss");
    }
}

#[test]
fn pairs_have_the_published_distribution() {
    for expected in golden()["penta"].as_array().unwrap() {
        let noise = if expected["noise"] == "chess" { Noise::Chess } else { Noise::Decisive };
        let found = noise.pentanomial(expected["delta"].as_f64().unwrap());
        assert_close(&found, &numbers(&expected["p"]), "pentanomial");
    }
}
