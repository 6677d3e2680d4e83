//! The benchmark against its published numbers: generator, surfaces and the distribution of a pair's result.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use regret::instance::{Instance, Surface};
use regret::oracle::Noise;
use serde_json::Value;
use tuner::random::Stream;

fn golden() -> Value {
    serde_json::from_str(include_str!("../data/regret.json")).unwrap()
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

#[test]
fn every_surface_has_its_best_values_where_it_says() {
    for (seed, surface) in (0..4).flat_map(|seed| Surface::ALL.map(|surface| (seed, surface))) {
        let instance = Instance::new(9, seed, surface);
        assert!(instance.loss(&instance.optimum).abs() < 1e-9, "{surface:?}");
        let legal = |i: usize| instance.axes[i].low..=instance.axes[i].high;
        assert!((0..9).all(|i| legal(i).contains(&0.0) && legal(i).contains(&instance.optimum[i])), "{surface:?}");
        let mut stream = Stream::from_seed(seed);
        for _ in 0..200 {
            let x: Vec<f64> = instance.optimum.iter().map(|best| best + 2.0 * stream.normal()).collect();
            assert!(instance.loss(&x) >= 0.0, "{surface:?}: {x:?}");
        }
        assert!(instance.space(1.0).unwrap().dimension() == 9);
    }
}

#[test]
fn a_drifting_optimum_comes_from_the_start() {
    let (drift, real) = (Instance::new(4, 2, Surface::Drift), Instance::new(4, 2, Surface::Real));
    let start = [0.0; 4];
    assert!(drift.loss_during(&start, 0.0).abs() < 1e-9);
    assert!(drift.loss_during(&start, 0.5) > 0.0 && drift.loss_during(&start, 0.5) < drift.loss(&start));
    assert_close(&[drift.loss(&start)], &[real.loss(&start)], "in the end it is any other surface");
}

#[test]
fn what_makes_a_surface_hard_is_there() {
    let of = |surface| Instance::new(8, 1, surface);
    let off = |instance: &Instance, i: usize, d: f64| {
        let mut x = instance.optimum.clone();
        x[i] += d;
        instance.loss(&x)
    };
    let cliffs = of(Surface::Cliffs);
    let edge = cliffs.hazard.cliffs[0].edge;
    assert!(off(&cliffs, 0, 1.25 * edge) - off(&cliffs, 0, edge) > 30.0);
    let waves = of(Surface::Waves);
    let period = waves.hazard.waves[1].period;
    assert!(off(&waves, 1, 0.5 * period) > 6.0 && off(&waves, 1, 0.5 * period) > off(&waves, 1, period) - 6.0);
    let bound = of(Surface::Bound);
    assert!((0..2).all(|i| bound.optimum[i].abs() <= 6.0 && bound.hazard.away[i] * bound.optimum[i] >= 0.0));
    assert!(of(Surface::Entangled).correlations.iter().all(|c| (c.rho.abs() - 0.95).abs() < 1e-9));
    assert!(of(Surface::Idle).q.iter().all(|q| *q <= 0.0));
    assert!(of(Surface::Few).optimum.iter().all(|best| (-1.0..=2.0).contains(best)));
}
