//! Estimates whose values follow from elementary reasoning: uniform results, plain ratios, opening bias.

use stats::{Estimate, PairCounts, Pentanomial, Spread, Summary, Wdl, elo};

fn near(x: f64, expected: f64) {
    assert!((x - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{x}, expected {expected}");
}

fn found(estimate: Option<Estimate>) -> Estimate {
    estimate.unwrap_or(Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN })
}

#[test]
fn ten_won_pairs_are_no_certainty() {
    let summary = Summary::of_pentanomial(&Pentanomial([0, 0, 0, 0, 10]));
    let elo = found(summary.elo);
    assert!(elo.value.is_infinite() && elo.high.is_infinite());
    // Clopper and Pearson: wins at least 0.025^(1/10) of the time; at worst the rest is lost.
    let bound = libm::pow(0.025, 0.1);
    near(elo.low, elo::elo_of_score(bound));
    let t = (bound - 0.5) / (bound * (1.0 - bound)).sqrt();
    near(found(summary.nelo).low, elo::nelo_of_t(t, stats::Unit::Pair));
    assert_eq!(summary.spread, Spread::Single(1.0));
    let lost = Summary::of_pentanomial(&Pentanomial([10, 0, 0, 0, 0]));
    near(found(lost.elo).high, -elo.low);
}

#[test]
fn drawn_games_leave_both_ends_open() {
    let summary = Summary::of_games(&Wdl { draws: 200, ..Wdl::default() });
    let elo = found(summary.elo);
    let rest = 1.0 - libm::pow(0.025, 1.0 / 200.0);
    near(elo.high, elo::elo_of_score(0.5 + rest / 2.0));
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
    // Openings that decide every game for one side of the board, and ones that do nothing.
    let decisive = found(Summary::of_pairs(&PairCounts([0, 0, 100, 0, 0, 0])).rms_bias);
    assert!(decisive.value.is_infinite() && decisive.low > 300.0 && decisive.low.is_finite());
    let half = found(Summary::of_pairs(&PairCounts([0, 0, 50, 50, 0, 0])).rms_bias);
    near(half.value, elo::elo_of_score(0.5 + 0.125_f64.sqrt()));
    // Games of a pair that go together have no bias to show.
    let together = found(Summary::of_pairs(&PairCounts([50, 0, 0, 20, 0, 50])).rms_bias);
    assert!(together.value.abs() < 1e-12 && together.low.abs() < 1e-12 && together.high.abs() < 1e-12);
}

#[test]
fn intervals_are_asymmetric_where_scores_are_lopsided() {
    let elo = found(Summary::of_pentanomial(&Pentanomial([1, 2, 10, 40, 60])).elo);
    assert!(elo.high - elo.value > 1.1 * (elo.value - elo.low));
    let few = found(Summary::of_pentanomial(&Pentanomial([0, 0, 0, 1, 5])).elo);
    assert!(few.value.is_finite() && few.high.is_infinite());
}
