//! Tests that the 95% intervals and the likelihood of superiority are calibrated: exact coverage over all samples of
//! ten pairs, and seeded simulations where fishtest's formulas fail: many drawn pairs, lopsided results. The full
//! tables are made by `examples/coverage.rs`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use stats::plan::simulate::generator;
use stats::{Estimate, Pentanomial, Summary, Unit, elo};

/// Probabilities of LL, LD, even, WD, WW.
type PairLaw = [f64; 5];

/// 20% drawn pairs, the others 1 : 3 : 3 : 1.
const QUICK: PairLaw = [0.1, 0.3, 0.2, 0.3, 0.1];
/// +100 and +300 Elo at 20%: 1 : 3 : 3 : 1 tilted by e^(theta x).
const AHEAD: PairLaw = [0.036_152, 0.166_820, 0.2, 0.394_674, 0.202_354];
const FAR_AHEAD: PairLaw = [0.000_085, 0.002_336, 0.2, 0.196_570, 0.601_009];
const DRAWISH: PairLaw = [0.025, 0.075, 0.8, 0.075, 0.025];
const VERY_DRAWISH: PairLaw = [0.001_25, 0.003_75, 0.99, 0.003_75, 0.001_25];

/// True Elo and nElo.
fn truth(law: &PairLaw) -> (f64, f64) {
    let moment =
        |f: &dyn Fn(f64) -> f64| -> f64 { law.iter().zip([-0.5, -0.25, 0.0, 0.25, 0.5]).map(|(p, u)| p * f(u)).sum() };
    let mean = moment(&|u| u);
    // Laws between equal sides must be symmetric to the last bit.
    let mean = if mean.abs() < 1e-12 { 0.0 } else { mean };
    let t = mean / (moment(&|u| u * u) - mean * mean).sqrt();
    (elo::elo_of_advantage(mean), elo::nelo_of_t(t, Unit::Pair))
}

fn holds(interval: Option<Estimate>, truth: f64) -> f64 {
    let interval = interval.unwrap();
    f64::from(u8::from(interval.low <= truth && truth <= interval.high))
}

/// Shares of Elo and nElo intervals that hold the truth, in percent.
#[derive(Debug)]
struct Coverage {
    elo: f64,
    nelo: f64,
}

impl Coverage {
    /// Exact coverage: every sample of ten pairs, with its probability.
    fn of_ten_pairs(law: &PairLaw) -> Self {
        let (elo, nelo) = truth(law);
        let mut found = Self { elo: 0.0, nelo: 0.0 };
        let chance = |counts: &[u64; 5]| {
            let factorial = |n: u64| (1..=n).map(|k| k as f64).product::<f64>();
            let share = counts.iter().zip(law).map(|(&n, &p)| libm::pow(p, n as f64) / factorial(n)).product::<f64>();
            factorial(10) * share
        };
        for code in 0..11_u64.pow(4) {
            let [a, b, c, d] = [code % 11, code / 11 % 11, code / 121 % 11, code / 1331];
            if let Some(rest) = 10_u64.checked_sub(a + b + c + d) {
                let counts = [a, b, c, d, rest];
                let summary = Summary::of_pentanomial(&Pentanomial(counts));
                found.elo += 100.0 * chance(&counts) * holds(summary.elo, elo);
                found.nelo += 100.0 * chance(&counts) * holds(summary.nelo, nelo);
            }
        }
        found
    }

    fn simulated(law: &PairLaw, pairs: u64, samples: u64) -> Self {
        let (elo, nelo) = truth(law);
        let mut found = Self { elo: 0.0, nelo: 0.0 };
        for index in 0..samples {
            let summary = Summary::of_pentanomial(&sample(law, pairs, index));
            found.elo += 100.0 * holds(summary.elo, elo) / samples as f64;
            found.nelo += 100.0 * holds(summary.nelo, nelo) / samples as f64;
        }
        found
    }
}

fn sample(law: &PairLaw, pairs: u64, index: u64) -> Pentanomial {
    let mut generator = generator(5, index);
    let mut counts = [0; 5];
    for _ in 0..pairs {
        let mut left = generator.uniform();
        let outcome = law.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        counts[outcome.unwrap_or(4)] += 1;
    }
    Pentanomial(counts)
}

#[test]
fn ten_pairs_are_enough_for_an_elo_interval() {
    for law in [QUICK, AHEAD] {
        let found = Coverage::of_ten_pairs(&law);
        assert!((93.0..97.0).contains(&found.elo) && found.nelo > 93.0, "{law:?} {found:?}");
    }
    // Even ten pairs won 2-0 do not refute +300, so the upper side never errs.
    let found = Coverage::of_ten_pairs(&FAR_AHEAD);
    assert!((93.0..98.5).contains(&found.elo) && found.nelo > 93.0, "{found:?}");
}

#[test]
#[ignore = "slow"]
fn drawn_pairs_make_no_interval_too_short() {
    // Three standard errors of a coverage of 95%.
    let samples = 1500;
    let room = 300.0 * (0.05 * 0.95 / samples as f64).sqrt();
    for (law, pairs, most) in [
        (DRAWISH, 30, 97.0),
        (DRAWISH, 100, 97.0),
        (VERY_DRAWISH, 300, 100.0),
        (VERY_DRAWISH, 1000, 97.0),
        (FAR_AHEAD, 100, 97.0),
    ] {
        let found = Coverage::simulated(&law, pairs, samples);
        let range = 95.0 - room..=most;
        assert!(range.contains(&found.elo) && range.contains(&found.nelo), "{law:?} {pairs}: {found:?}");
    }
}

#[test]
#[ignore = "slow"]
fn superiority_is_uniform_between_equals() {
    let samples = 1500;
    for (law, pairs) in [(QUICK, 10), (QUICK, 30), (DRAWISH, 100)] {
        let los: Vec<f64> =
            (0..samples).map(|index| Summary::of_pentanomial(&sample(&law, pairs, index)).los).collect();
        for bound in [0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975] {
            let below = los.iter().filter(|p| **p < bound).count() + los.iter().filter(|p| **p <= bound).count();
            let share = below as f64 / (2 * samples) as f64;
            let room = 3.5 * (bound * (1.0 - bound) / samples as f64).sqrt() + 0.012;
            assert!((share - bound).abs() < room, "{law:?} {pairs} pairs, {bound}: {share}");
        }
    }
}
