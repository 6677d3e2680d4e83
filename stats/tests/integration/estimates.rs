//! Estimates whose values follow from elementary reasoning: uniform results, plain ratios, opening bias.

use stats::{Basis, Estimate, PairCounts, Pentanomial, Spread, Summary, Wdl, elo};

fn near(x: f64, expected: f64) {
    assert!((x - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{x}, expected {expected}");
}

fn found(estimate: Option<Estimate>) -> Estimate {
    estimate.unwrap_or(Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN })
}

/// The loss of 2 ln(likelihood) that a law may have: the squared normal quantile times Bartlett's factor 1 +
/// (kurtosis/2 - skewness^2/3)/N, whose moments count an unseen outcome half. `bins` are the outcomes' scores and
/// counts.
fn room<const K: usize>(bins: [(f64, f64); K]) -> f64 {
    let size: f64 = bins.iter().map(|b| b.1).sum();
    let filled = bins.map(|(x, n)| (x, if n > 0.0 { n } else { 0.5 }));
    let all: f64 = filled.iter().map(|b| b.1).sum();
    let mean = filled.iter().map(|b| b.0 * b.1).sum::<f64>() / all;
    let moment = |power| filled.iter().map(|b| libm::pow(b.0 - mean, power) * b.1).sum::<f64>() / all;
    let [two, three, four] = [2.0, 3.0, 4.0].map(moment);
    let (skewness, kurtosis) = (three / libm::pow(two, 1.5), four / (two * two));
    1.959_963_984_540_054 * 1.959_963_984_540_054 * (1.0 + (kurtosis / 2.0 - skewness * skewness / 3.0) / size)
}

#[test]
fn ten_won_pairs_are_no_certainty() {
    let summary = Summary::of_pentanomial(&Pentanomial([0, 0, 0, 0, 10]));
    let elo = found(summary.elo);
    assert!(elo.value.is_infinite() && elo.high.is_infinite());
    // The law that is likeliest to win all ten at a mean of s wins s of them and loses the others: 2 ln = 20 ln s.
    let room = room([(0.0, 0.0), (0.25, 0.0), (0.5, 0.0), (0.75, 0.0), (1.0, 10.0)]);
    let wins = libm::exp(-room / 20.0);
    near(elo.low, elo::elo_of_score(wins));
    // Losses and wins have the lowest t-value for this number of wins, too.
    let t = (wins - 0.5) / (wins * (1.0 - wins)).sqrt();
    near(found(summary.nelo).low, elo::nelo_of_t(t, stats::Unit::Pair));
    assert_eq!((summary.spread, summary.basis), (Spread::Single(1.0), Some(Basis::Likelihood)));
    let lost = Summary::of_pentanomial(&Pentanomial([10, 0, 0, 0, 0]));
    near(found(lost.elo).high, -elo.low);
}

#[test]
fn one_won_pair_says_a_little() {
    let summary = Summary::of_pentanomial(&Pentanomial([0, 0, 0, 0, 1]));
    assert!((0.75..0.85).contains(&summary.los), "{}", summary.los);
    assert!(found(summary.elo).low < -300.0 && found(summary.nelo).low < -300.0);
}

#[test]
fn ordinary_samples_are_read_as_fishtest_does() {
    // 30 observations per unit of kurtosis make a sample ordinary; one fewer does not.
    let basis = |counts| Summary::of_games(&counts).basis;
    // Half won, half lost: the kurtosis is 1.
    assert_eq!(basis(Wdl { wins: 14, draws: 0, losses: 14 }), Some(Basis::Likelihood));
    assert_eq!(basis(Wdl { wins: 16, draws: 0, losses: 16 }), Some(Basis::Normal));
    // 20 of 1,000 games are decided: 1/0.02 = 50, and 30 * 50 > 1,000.
    assert_eq!(basis(Wdl { wins: 10, draws: 980, losses: 10 }), Some(Basis::Likelihood));
    assert_eq!(basis(Wdl { wins: 20, draws: 960, losses: 20 }), Some(Basis::Normal));
}

#[test]
fn few_decisive_pairs_leave_zero_inside() {
    // 98 drawn pairs and two won by a point.
    let summary = Summary::of_pairs(&PairCounts([0, 0, 0, 98, 2, 0]));
    let (elo, nelo) = (found(summary.elo), found(summary.nelo));
    assert!((0.8..0.95).contains(&summary.los));
    assert!(elo.low < 0.0 && nelo.low < 0.0 && nelo.high > nelo.value && elo.high < 20.0);
    // The values for 4-0 with a drawn pair.
    let lost = Summary::of_pentanomial(&Pentanomial([4, 0, 1, 0, 0]));
    assert!(lost.los < 0.025 && found(lost.elo).high < 0.0 && found(lost.nelo).high < 0.0);
}

#[test]
fn drawn_games_leave_both_ends_open() {
    let summary = Summary::of_games(&Wdl { draws: 200, ..Wdl::default() });
    let elo = found(summary.elo);
    let rest = 1.0 - libm::exp(-room([(0.0, 0.0), (0.5, 200.0), (1.0, 0.0)]) / 400.0);
    near(elo.high, elo::elo_of_score(0.5 + rest / 2.0));
    near(found(summary.nelo).high, elo::nelo_of_t((rest / (1.0 - rest)).sqrt(), stats::Unit::Game));
    near(elo.low, -elo.high);
    let draws = found(summary.draw_ratio);
    assert!(draws.value >= 1.0 && draws.low > 0.97 && draws.low < 0.99 && draws.high >= 1.0);
}

#[test]
fn more_pairs_alike_say_more() {
    let low = |n| found(Summary::of_pentanomial(&Pentanomial([0, 0, 0, 0, n])).elo).low;
    assert!(low(1) < low(2) && low(2) < low(100) && low(100) < low(1_000_000_000_000));
    assert!(low(1_000_000_000_000).is_finite());
}

#[test]
fn nothing_is_known_of_nothing() {
    let summary = Summary::of_pairs(&PairCounts::default());
    let all = [summary.elo, summary.nelo, summary.score, summary.draw_ratio, summary.pairs_ratio, summary.rms_bias];
    assert!(all.iter().all(Option::is_none));
    near(summary.los, 0.5);
}

#[test]
fn ratios_are_those_of_the_counts() {
    // LL, LD, WL, DD, WD, WW.
    let summary = Summary::of_pairs(&PairCounts([10, 20, 60, 30, 40, 40]));
    near(found(summary.pair_draw_ratio).value, 0.45);
    near(found(summary.pairs_ratio).value, 80.0 / 30.0);
    near(found(summary.wl_dd_ratio).value, 2.0);
    near(found(summary.draw_ratio).value, (20.0 + 2.0 * 30.0 + 40.0) / 400.0);
    let unbeaten = found(Summary::of_pentanomial(&Pentanomial([0, 0, 5, 3, 2])).pairs_ratio);
    assert!(unbeaten.value.is_infinite() && unbeaten.high.is_infinite());
    assert!(unbeaten.low > 0.5 && unbeaten.low < 2.0, "{unbeaten:?}");
}

#[test]
fn opening_bias_is_the_covariance_of_a_pair() {
    // Openings that decide every game for one side of the board, and openings without effect.
    let decisive = found(Summary::of_pairs(&PairCounts([0, 0, 100, 0, 0, 0])).rms_bias);
    assert!(decisive.value.is_infinite() && decisive.low > 300.0 && decisive.low.is_finite());
    let half = found(Summary::of_pairs(&PairCounts([0, 0, 50, 50, 0, 0])).rms_bias);
    near(half.value, elo::elo_of_score(0.5 + 0.125_f64.sqrt()));
    // Correlated games of a pair show no bias.
    let together = found(Summary::of_pairs(&PairCounts([50, 0, 0, 20, 0, 50])).rms_bias);
    assert!(together.value.abs() < 1e-12 && together.low.abs() < 1e-12 && together.high.abs() < 1e-12);
}

#[test]
fn intervals_are_asymmetric_where_scores_are_lopsided() {
    let elo = found(Summary::of_pentanomial(&Pentanomial([1, 2, 10, 40, 60])).elo);
    assert!(elo.high - elo.value > elo.value - elo.low);
    let few = found(Summary::of_pentanomial(&Pentanomial([0, 0, 0, 1, 5])).elo);
    assert!(few.high.is_finite() && few.high - few.value > 1.2 * (few.value - few.low), "{few:?}");
}

/// The expected values are those of the score method in Newcombe, Statistics in Medicine 17 (1998) 857-872, table I.
#[test]
fn wilson_intervals_are_those_of_newcombe() {
    for (hits, n, low, high) in [
        (81.0, 263.0, 0.2553, 0.3662),
        (15.0, 148.0, 0.0624, 0.1605),
        (0.0, 20.0, 0.0, 0.1611),
        (1.0, 29.0, 0.0061, 0.1718),
    ] {
        let share = Estimate::wilson(hits / n, n).unwrap();
        assert!((share.low - low).abs() < 5e-5 && (share.high - high).abs() < 5e-5, "{hits} of {n}: {share:?}");
        let mirrored = Estimate::wilson(1.0 - hits / n, n).unwrap();
        assert!(
            (mirrored.low - (1.0 - high)).abs() < 5e-5 && (mirrored.high - (1.0 - low)).abs() < 5e-5,
            "{mirrored:?}"
        );
    }
}

#[test]
fn wilson_intervals_stay_in_range_and_are_never_nan() {
    for n in [f64::MIN_POSITIVE, 1e-200, 0.5, 1.0, 1e300, f64::INFINITY] {
        for share in [0.0, 1e-300, 0.5, 1.0 - f64::EPSILON, 1.0] {
            let Estimate { value, low, high } = Estimate::wilson(share, n).unwrap();
            assert!(
                value.to_bits() == share.to_bits() && 0.0 <= low && low <= value && value <= high && high <= 1.0,
                "{share} of {n}"
            );
        }
    }
    for (share, n) in [(0.5, 0.0), (0.5, -1.0), (0.5, f64::NAN), (f64::NAN, 10.0), (-0.1, 10.0), (1.1, 10.0)] {
        assert_eq!(Estimate::wilson(share, n), None, "{share} of {n}");
    }
}
