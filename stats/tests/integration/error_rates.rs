//! Tests that the sequential test is calibrated: at most alpha of the seeded tests under H0 pass, and at most beta of
//! those under H1 fail, up to three standard errors of so small a simulation; and it plays no more games than it needs.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use stats::plan::simulate::{Trials, trial};
use stats::plan::{Conditions, PairLaw, Prospect};
use stats::{Model, SprtConfig};

/// The first `tests` tests of a simulation.
fn trials(config: &SprtConfig, law: &PairLaw, seed: u64, tests: u32) -> Trials {
    let mut all = Trials::default();
    (0..u64::from(tests)).for_each(|index| all.add(&trial(config, law, seed, index, 1_000_000).unwrap()));
    all
}

fn check(model: Model, elo0: f64, elo1: f64) {
    let (tests, conditions) = (1500_u32, Conditions::new(0.5, 150.0).unwrap());
    let config = SprtConfig { elo0, elo1, model, ..SprtConfig::default() };
    let room = 3.0 * (0.05 * 0.95 / f64::from(tests)).sqrt();
    for (truth, h1_holds) in [(elo0, false), (elo1, true)] {
        let score = conditions.score(model, truth);
        let law = conditions.pair_law(score).unwrap();
        let all = trials(&config, &law, 20, tests);
        assert_eq!(all.undecided, 0);
        let (pass, _) = all.pass();
        let wrong = if h1_holds { 1.0 - pass } else { pass };
        assert!((wrong - 0.05).abs() < room, "{model} ({elo0}, {elo1}) at {truth}: {wrong}");
        let expected = Prospect::at_score(&config, &conditions, score).unwrap().games;
        let ratio = all.mean_games() / expected;
        assert!((0.9..1.1).contains(&ratio), "{model} at {truth}: {ratio}");
    }
}

#[test]
#[ignore = "slow"]
fn normalized_gain() {
    check(Model::Normalized, 0.0, 20.0);
}

#[test]
#[ignore = "slow"]
fn normalized_no_loss() {
    check(Model::Normalized, -20.0, 0.0);
}

#[test]
fn logistic_gain() {
    check(Model::Logistic, 0.0, 12.0);
}

#[test]
#[ignore = "slow"]
fn bayesian_gain() {
    check(Model::Bayesian, 0.0, 15.0);
}

/// In a short test each jump is large relative to the bounds, and few jumps show their size.
#[test]
#[ignore = "slow"]
fn short_tests_do_not_err_more_than_they_may() {
    let conditions = Conditions::new(0.2, 80.0).unwrap();
    let (tests, config) = (40_000_u32, SprtConfig { elo1: 50.0, model: Model::Logistic, ..SprtConfig::default() });
    let room = 3.0 * (0.05 * 0.95 / f64::from(tests)).sqrt();
    for (truth, h1_holds) in [(0.0, false), (50.0, true)] {
        let law = conditions.pair_law(conditions.score(Model::Logistic, truth)).unwrap();
        let (pass, _) = trials(&config, &law, 1, tests).pass();
        let wrong = if h1_holds { 1.0 - pass } else { pass };
        assert!(wrong < 0.05 + room, "at {truth}: {wrong}");
    }
}

#[test]
#[ignore = "slow"]
fn without_the_correction_tests_err_on_the_safe_side() {
    let conditions = Conditions::new(0.5, 150.0).unwrap();
    let score = conditions.score(Model::Normalized, 0.0);
    let law = conditions.pair_law(score).unwrap();
    let rate = |overshoot| {
        let config = SprtConfig { elo1: 40.0, overshoot, ..SprtConfig::default() };
        trials(&config, &law, 3, 4000)
    };
    let (with, without) = (rate(true), rate(false));
    assert!(without.pass().0 < 0.05 && without.pass().0 < with.pass().0);
    assert!(with.mean_games() < without.mean_games());
}
