//! Properties of any counts: symmetry, order, merging, and no NaN.

#![expect(clippy::float_cmp, reason = "infinities are compared")]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stats::sprt::{AfterTest, llr_of_counts};
use stats::{
    CountsError, Estimate, Model, PairCounts, PairOutcome, Pentanomial, Score, Spread, Sprt, SprtConfig, SprtState,
    Summary, Tally, Wdl,
};

/// Counts of any size, including empty and lopsided bins, up to 10^12 in all.
fn any_count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..5_u64, 0..1000_u64, (0..=11_u32, 1..10_u64).prop_map(|(e, m)| m * 10_u64.pow(e) / 6)]
}

fn any_pairs() -> impl Strategy<Value = PairCounts> {
    prop::array::uniform6(any_count()).prop_map(PairCounts)
}

fn any_games() -> impl Strategy<Value = Wdl> {
    prop::array::uniform3(any_count()).prop_map(|[wins, draws, losses]| Wdl { wins, draws, losses })
}

/// Few pairs, most bins empty or nearly so.
fn few_pairs() -> impl Strategy<Value = PairCounts> {
    prop::array::uniform6(prop_oneof![3 => Just(0), 3 => 0..4_u64, 1 => 0..30_u64, 1 => 0..300_u64])
        .prop_map(PairCounts)
}

fn any_model() -> impl Strategy<Value = Model> {
    prop_oneof![Just(Model::Logistic), Just(Model::Normalized), Just(Model::Bayesian)]
}

/// Sensible bounds.
fn any_test() -> impl Strategy<Value = SprtConfig> {
    (any_model(), -20.0..20.0_f64, 0.5..20.0_f64).prop_map(|(model, elo0, width)| SprtConfig {
        elo0,
        elo1: elo0 + width,
        model,
        ..SprtConfig::default()
    })
}

/// Bounds that are too wide to be sensible.
fn wide_test() -> impl Strategy<Value = SprtConfig> {
    (any_model(), -2000.0..2000.0_f64, 1.0..2000.0_f64).prop_map(|(model, elo0, width)| SprtConfig {
        elo0,
        elo1: elo0 + width,
        model,
        ..SprtConfig::default()
    })
}

fn mirrored(config: &SprtConfig) -> SprtConfig {
    SprtConfig { elo0: -config.elo1, elo1: -config.elo0, ..*config }
}

fn sound(estimate: Option<Estimate>) {
    if let Some(Estimate { value, low, high }) = estimate {
        assert!(low <= value && value <= high, "{estimate:?}");
    }
}

fn near(a: f64, b: f64) {
    assert!(a == b || (a - b).abs() <= 1e-9 + 1e-9 * a.abs(), "{a} {b}");
}

fn mirror_images(one: Option<Estimate>, other: Option<Estimate>) {
    assert_eq!(one.is_some(), other.is_some());
    if let (Some(one), Some(other)) = (one, other.map(Estimate::negate)) {
        near(one.value, other.value);
        near(one.low, other.low);
        near(one.high, other.high);
    }
}

/// LOS and both intervals are one test: either both exclude 0, on the side that LOS favours, or neither does. An end is
/// infinite only if all observations are equal.
fn one_law(s: &Summary) {
    let (Some(elo), Some(nelo)) = (s.elo, s.nelo) else { return };
    let side = |low: f64, high: f64| i32::from(low > 0.0) - i32::from(high < 0.0);
    let expected = side(s.los - 0.975, s.los - 0.025);
    assert_eq!(side(elo.low, elo.high), expected, "{s:?}");
    assert_eq!(side(nelo.low, nelo.high), expected, "{s:?}");
    if s.spread == Spread::Varied {
        assert!([elo.low, elo.high, nelo.low, nelo.high].iter().all(|end| end.is_finite()), "{s:?}");
    }
    if let Spread::Single(x) = s.spread {
        assert_eq!(elo.low.is_finite(), x > 0.0, "{s:?}");
        assert_eq!(elo.high.is_finite(), x < 1.0, "{s:?}");
    }
}

/// The same cases on every machine.
fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(seeded(500))]

    #[test]
    fn estimates_are_numbers_in_order(pairs in any_pairs(), games in any_games()) {
        for s in [Summary::of_pairs(&pairs), Summary::of_pentanomial(&pairs.pentanomial()), Summary::of_games(&games)] {
            let ratios = [s.draw_ratio, s.pair_draw_ratio, s.pairs_ratio, s.wl_dd_ratio, s.rms_bias];
            for e in [s.score, s.elo, s.nelo].into_iter().chain(ratios) {
                sound(e);
            }
            prop_assert!((0.0..=1.0).contains(&s.los));
        }
    }

    #[test]
    fn one_law_tells_superiority_and_intervals(few in few_pairs(), pairs in any_pairs(), games in any_games()) {
        let of_few = [Summary::of_pairs(&few), Summary::of_games(&few.wdl())];
        for s in of_few.into_iter().chain([Summary::of_pairs(&pairs), Summary::of_games(&games)]) {
            one_law(&s);
            sound(s.elo);
            sound(s.nelo);
        }
        mirror_images(Summary::of_pairs(&few).nelo, Summary::of_pairs(&few.mirror()).nelo);
    }

    #[test]
    fn swapping_sides_flips_signs(pairs in any_pairs(), games in any_games()) {
        let sides = [
            (Summary::of_pairs(&pairs), Summary::of_pairs(&pairs.mirror())),
            (Summary::of_games(&games), Summary::of_games(&games.mirror())),
        ];
        for (one, other) in sides {
            mirror_images(one.elo, other.elo);
            mirror_images(one.nelo, other.nelo);
            near(one.los, 1.0 - other.los);
            mirror_images(one.draw_ratio, other.draw_ratio.map(Estimate::negate));
        }
    }

    #[test]
    fn swapping_sides_flips_the_likelihood_ratio(pairs in any_pairs(), config in any_test()) {
        let llr = llr_of_counts(&config, &pairs).unwrap();
        let other = llr_of_counts(&mirrored(&config), &pairs.mirror()).unwrap();
        // The last bit of a weight near 1, once for each pair.
        let rounding = 4.0 * f64::EPSILON * pairs.total() as f64;
        prop_assert!((llr + other).abs() <= 1e-6 + 1e-9 * llr.abs() + rounding, "{llr} {other}");
    }

    #[test]
    fn likelihood_ratios_are_finite(pairs in any_pairs(), games in any_games(), config in any_test()) {
        prop_assert!(llr_of_counts(&config, &pairs).unwrap().is_finite());
        prop_assert!(llr_of_counts(&config, &games).unwrap().is_finite());
    }

    #[test]
    fn estimates_after_a_test_are_numbers_in_order(pairs in any_pairs(), config in any_test()) {
        if let Some(after) = AfterTest::new(&config, &pairs) {
            sound(Some(after.elo));
            sound(Some(after.nelo));
            prop_assert!((0.0..=1.0).contains(&after.los) && (0.0..=1.0).contains(&after.p_value));
        }
    }

    #[test]
    fn merging_is_counting_on(one in any_pairs(), other in any_pairs()) {
        let merged = one.merge(&other).unwrap();
        prop_assert_eq!(merged.total(), one.total() + other.total());
        prop_assert_eq!(merged.wdl(), one.wdl().merge(&other.wdl()).unwrap());
        let five = one.pentanomial().merge(&other.pentanomial()).unwrap();
        prop_assert_eq!(merged.pentanomial(), five);
        prop_assert_eq!(merged.wdl().total(), 2 * merged.total());
    }

    #[test]
    fn absorbing_one_by_one_is_counting(outcomes in prop::collection::vec(0..6_usize, 0..200)) {
        let config = SprtConfig::default();
        let mut sprt = Sprt::new(config).unwrap();
        let mut counts = PairCounts::default();
        for k in outcomes {
            sprt.update(PairOutcome::ALL[k]);
            counts.add(PairOutcome::ALL[k]);
            let cold = llr_of_counts(&config, &counts).unwrap();
            prop_assert!((sprt.llr() - cold).abs() < 1e-11, "{} {cold}", sprt.llr());
        }
        prop_assert_eq!(*sprt.tally(), counts);
    }

    #[test]
    fn better_scores_never_lower_a_number(pairs in any_pairs(), config in any_test()) {
        // One pair of two losses becomes one of a loss and a draw, and so on upwards.
        for (worse, better) in [(0, 1), (1, 3), (3, 4), (4, 5)] {
            let mut up = pairs;
            if up.0[worse] < 2 || up.0[better] == 0 {
                continue;
            }
            up.0[worse] -= 1;
            up.0[better] += 1;
            let (low, high) = (Summary::of_pairs(&pairs), Summary::of_pairs(&up));
            prop_assert!(low.elo.unwrap().value <= high.elo.unwrap().value + 1e-9);
            if config.model == Model::Logistic {
                let llr = |counts| llr_of_counts(&config, counts).unwrap();
                let rounding = 4.0 * f64::EPSILON * pairs.total() as f64;
                prop_assert!(llr(&pairs) <= llr(&up) + 1e-6 + 1e-9 * llr(&up).abs() + rounding);
            }
        }
    }
}

proptest! {
    #![proptest_config(seeded(200))]

    #[test]
    fn likelihood_ratios_are_finite_for_wide_bounds(pairs in any_pairs(), games in any_games(), config in wide_test()) {
        prop_assert!(llr_of_counts(&config, &pairs).unwrap().is_finite());
        prop_assert!(llr_of_counts(&config, &games).unwrap().is_finite());
    }
}

#[test]
fn one_law_holds_for_every_sample_of_up_to_five_pairs() {
    for code in 1..6_u64.pow(5) {
        let counts: [u64; 5] = std::array::from_fn(|k| code / 6_u64.pow(k as u32) % 6);
        if counts.iter().sum::<u64>() <= 5 {
            let pairs = Pentanomial(counts);
            let (one, other) = (Summary::of_pentanomial(&pairs), Summary::of_pentanomial(&pairs.mirror()));
            one_law(&one);
            sound(one.elo);
            sound(one.nelo);
            near(one.los, 1.0 - other.los);
            mirror_images(one.elo, other.elo);
            mirror_images(one.nelo, other.nelo);
        }
    }
}

#[test]
fn pair_outcomes_come_from_scores() {
    let scores = [Score::Loss, Score::Draw, Score::Win];
    for one in scores {
        for two in scores {
            let outcome = PairOutcome::new(one, two);
            assert_eq!(outcome, PairOutcome::new(two, one));
            assert_eq!(outcome.mirror(), PairOutcome::new(one.mirror(), two.mirror()));
            assert_eq!(outcome.index(), usize::from(one.half_points() + two.half_points()));
            assert_eq!(outcome.scores(), (one.min(two), one.max(two)));
        }
    }
    assert_eq!(PairOutcome::ALL.map(|o| o as usize), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn sums_that_do_not_fit_are_refused() {
    let many = Pentanomial([u64::MAX / 4, 0, u64::MAX / 4, 0, 0]);
    assert_eq!(many.merge(&many), Err(CountsError::Overflow));
    assert_eq!(many.merge(&Pentanomial::default()), Ok(many));
    let mut full = Wdl { wins: u64::MAX, ..Wdl::default() };
    assert_eq!(full.merge(&full), Err(CountsError::Overflow));
    full.add(Score::Win);
    assert_eq!(full.wins, u64::MAX);
    assert!(llr_of_counts(&SprtConfig::default(), &full).unwrap().is_finite());
}

#[test]
fn a_test_that_has_stopped_stays_stopped() {
    let mut sprt = Sprt::new(SprtConfig { elo1: 40.0, ..SprtConfig::default() }).unwrap();
    while sprt.update(PairOutcome::WD) == SprtState::Continue {}
    let stopped = sprt.bounds();
    assert_eq!(sprt.state(), SprtState::H1);
    for _ in 0..10_000 {
        assert_eq!(sprt.update(PairOutcome::LL), SprtState::H1);
    }
    assert!(sprt.llr() < stopped.lower);
    assert_eq!(sprt.bounds(), stopped);
}

#[test]
fn single_games_make_a_test_too() {
    let mut sprt =
        Sprt::over_games(SprtConfig { elo1: 40.0, model: Model::Bayesian, ..SprtConfig::default() }).unwrap();
    for k in 0..3000 {
        sprt.update([Score::Win, Score::Draw, Score::Win, Score::Loss][k % 4]);
    }
    assert_eq!(sprt.state(), SprtState::H1);
    let llr = llr_of_counts(sprt.config(), sprt.tally()).unwrap();
    assert!((sprt.llr() - llr).abs() < 1e-9);
    assert_eq!(sprt.tally().games().unwrap().total(), 3000);
}
