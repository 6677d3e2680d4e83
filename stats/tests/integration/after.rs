//! The estimate after a test of drawish engines with few decisive pairs: symmetric samples give 0, the numbers agree
//! with each other, and the intervals hold the truth as often as promised, up to the precision of so few outcomes.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stats::plan::Conditions;
use stats::plan::simulate::trial;
use stats::sprt::AfterTest;
use stats::{Estimate, Model, Pentanomial, SprtConfig, elo};

fn logistic(elo1: f64) -> SprtConfig {
    SprtConfig { elo1, model: Model::Logistic, ..SprtConfig::default() }
}

#[test]
fn drawn_pairs_favour_neither_side() {
    for (pairs, elo1) in [(101, 10.0), (19, 50.0), (204, 5.0), (60, 10.0)] {
        let after = AfterTest::new(&logistic(elo1), &Pentanomial([0, 0, pairs, 0, 0])).unwrap();
        assert!(after.elo.value.abs() < 1e-6 && after.nelo.value.abs() < 1e-6, "{pairs} at {elo1}: {after:?}");
        assert!((after.elo.low + after.elo.high).abs() < 1e-6 && after.elo.high > 1.0, "{pairs} at {elo1}: {after:?}");
        assert!((after.los - 0.5).abs() < 1e-9, "{pairs} at {elo1}: {after:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn symmetric_drawish_samples_say_nothing(
        double in 0..5_u64, single in 0..12_u64, even in 100..2000_u64, elo1 in 20.0..60.0_f64,
    ) {
        let counts = Pentanomial([double, single, even, single, double]);
        let after = AfterTest::new(&logistic(elo1), &counts).unwrap();
        prop_assert!(after.elo.value.abs() < 1e-6 && (after.los - 0.5).abs() < 1e-9, "{counts:?} {elo1}: {after:?}");
    }

    #[test]
    fn the_numbers_agree(counts in prop::array::uniform5(0..12_u64), even in 0..300_u64, elo1 in 2.0..60.0_f64) {
        let [ll, ld, _, wd, ww] = counts;
        let counts = Pentanomial([ll, ld, even, wd, ww]);
        let Some(after) = AfterTest::new(&logistic(elo1), &counts) else { return Ok(()) };
        for Estimate { value, low, high } in [after.elo, after.nelo] {
            prop_assert!(low <= value && value <= high, "{counts:?} {elo1}: {after:?}");
            let excluded = low > 1e-3 || high < -1e-3;
            prop_assert!(!excluded || !(0.025..=0.975).contains(&after.los), "{counts:?} {elo1}: {after:?}");
            let included = low < -1e-3 && high > 1e-3;
            prop_assert!(!included || (0.025..=0.975).contains(&after.los), "{counts:?} {elo1}: {after:?}");
        }
        // H0 is a difference of 0.
        prop_assert!((after.los + after.p_value - 1.0).abs() < 1e-9, "{counts:?} {elo1}: {after:?}");
    }
}

/// The draws per game for which this share of pairs is even: d^2 + (1-d)^2 / 2.
fn draws(even: f64) -> f64 {
    (1.0 + (6.0 * even - 2.0).sqrt()) / 3.0
}

#[test]
#[ignore = "slow"]
fn intervals_after_drawish_tests_hold_the_truth() {
    // Even pairs, H1, true difference.
    let cases = [(0.5, 50.0, 0.0), (0.8, 20.0, 0.0), (0.8, 20.0, 20.0), (0.95, 5.0, 0.0), (0.95, 5.0, 5.0)];
    let look = |(even, elo1, truth)| {
        let conditions = Conditions::new(draws(even), 0.0).unwrap();
        let law = conditions.pair_law(elo::expected_score(truth)).unwrap();
        let (tests, config) = (1000, logistic(elo1));
        let (mut held, mut above) = (0, 0);
        for index in 0..tests {
            let counts = trial(&config, &law, 3, index, 100_000).unwrap().counts;
            let Estimate { value, low, high } = AfterTest::new(&config, &counts).unwrap().elo;
            held += u64::from(low <= truth && truth <= high);
            above += u64::from(value > truth);
        }
        let share = |n: u64| n as f64 / tests as f64;
        assert!((0.93..=0.975).contains(&share(held)), "{even} (0, {elo1}) at {truth}: {}", share(held));
        assert!((0.42..=0.58).contains(&share(above)), "{even} (0, {elo1}) at {truth}: {}", share(above));
    };
    std::thread::scope(|scope| {
        for case in cases {
            let _joined_at_the_end = scope.spawn(move || look(case));
        }
    });
}
