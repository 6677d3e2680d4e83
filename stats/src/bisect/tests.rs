//! Tests of the posterior against known values, and whole bisections without noise.

use super::evidence::Evidence;
use super::hypothesis::hypotheses;
use super::{Bisection, Costs, MOST_STEPS, Measured, PairSpread, Prior, guilt};
use crate::PairCounts;
use crate::random::Stream;
use proptest::prelude::*;
use std::collections::BTreeMap;

const COSTS: Costs = Costs { pairs: 32.0, variance: 40_000.0, build: 20.0 };

fn measured(elo: f64, variance: f64) -> Measured {
    Measured { elo, variance }
}

#[test]
fn a_range_has_one_commit_or_more() {
    let prior = Prior { ordinary: 1.0, large: 10.0, expected: 0.5, least_loss: 0.0 };
    assert_eq!([0, 1, 12].map(|last| Bisection::new(last, prior).last()), [1, 1, 12]);
}

/// Probabilities by hand: only the ends have played, so that each hypothesis is one normal distribution.
#[test]
fn one_match_of_both_ends_is_weighed_as_by_hand() {
    let prior = Prior { ordinary: 1.0, large: 10.0, expected: 0.5, least_loss: 0.0 };
    let mut bisection = Bisection::new(4, prior);
    bisection.measure(0, 4, measured(-12.0, 9.0));
    let posterior = bisection.posterior();
    let odds: f64 = (0.5 / 4.0) / (1.0 - 0.5 / 4.0);
    let ways = [1.0, 4.0, 6.0, 4.0];
    let variance = |steps: f64| 9.0 + 4.0 + 100.0 * steps;
    let likelihood = |steps: f64| libm::exp(-0.5 * 144.0 / variance(steps)) / variance(steps).sqrt();
    let weight = |steps: usize| ways[steps] * libm::pow(odds, steps as f64) * likelihood(steps as f64);
    let total: f64 = (0..4).map(weight).sum();
    // One large step is a loss with this probability; of several, nearly always one is.
    let (mean, left) = (-12.0 * 100.0 / variance(1.0), 100.0 * 13.0 / variance(1.0));
    let one = weight(1) / total * crate::normal::cdf(-mean / left.sqrt());
    let more = (weight(2) + weight(3)) / total;
    let held: f64 = posterior.guilt.iter().sum();
    assert!(held > one && held < one + more + 0.01, "{one} {held} {more}");
    assert!((held + posterior.none - 1.0).abs() < 1e-9);
    assert!(posterior.guilt.iter().all(|share| (share - held / 4.0).abs() < 1e-12), "all commits are alike");
    let step = posterior.steps[0];
    assert!(step.low < -12.0 && step.value < -8.0 && step.value > -12.0, "{step:?}");
    assert!(step.high < 0.0, "12 with an error of 3");
}

proptest! {
    /// It makes no difference whether versions that did not play are ends of intervals.
    #[test]
    fn cuts_that_no_match_has_change_nothing(seed in 0_u64..1000) {
        let mut random = Stream::from_seed(seed);
        let prior = Prior { ordinary: 1.0, large: 15.0, expected: 1.0, least_loss: 2.0 };
        let mut matches = BTreeMap::new();
        for _ in 0..4 {
            let (a, b) = (random.below(7), random.below(7));
            if a != b {
                matches.insert((a.min(b), a.max(b)), measured(20.0 * random.normal(), 30.0));
            }
        }
        let shares = |points: &[u32]| {
            let evidence = Evidence::new(points, &prior, &matches);
            let (all, found) = (hypotheses(&evidence, &prior, MOST_STEPS), vec![false; points.len() - 1]);
            guilt(&all, &evidence, prior.least_loss, &found)
        };
        let mut ends: Vec<u32> = matches.keys().flat_map(|&(a, b)| [a, b]).chain([0, 6]).collect();
        ends.sort_unstable();
        ends.dedup();
        let (coarse, fine) = (shares(&ends), shares(&[0, 1, 2, 3, 4, 5, 6]));
        for (pair, share) in ends.windows(2).zip(coarse) {
            let parts: f64 = (pair[0]..pair[1]).map(|at| fine[at as usize]).sum();
            // The number of points that represent the posterior of several steps is the same for each part.
            prop_assert!((parts - share).abs() < 0.02, "{pair:?}: {parts} {share}");
        }
    }
}

/// Plays exact matches until one commit is left.
fn found(path: &[f64], is_buildable: impl Fn(u32) -> bool) -> (Vec<u32>, Bisection) {
    let bisection = Bisection::new(path.len() as u32 - 1, Prior::default());
    found_next(bisection, &mut BTreeMap::new(), path, is_buildable)
}

/// Like [`found`], with these measurements from this many pairs already.
fn found_next(
    mut bisection: Bisection,
    pairs: &mut BTreeMap<(u32, u32), f64>,
    path: &[f64],
    is_buildable: impl Fn(u32) -> bool,
) -> (Vec<u32>, Bisection) {
    for _ in 0..100 {
        let suspects = bisection.posterior().suspects(0.95);
        if suspects.len() < 2 && !pairs.is_empty() {
            return (suspects, bisection);
        }
        let is_built = |version| pairs.keys().any(|&(a, b)| a == version || b == version);
        let costs = Costs { pairs: (pairs.values().sum::<f64>() / 8.0).max(32.0), ..COSTS };
        let (earlier, later) = bisection.next_match(&costs, is_built, &is_buildable);
        assert!(earlier < later && [earlier, later].iter().all(|&version| is_buildable(version)), "{earlier} {later}");
        let played = pairs.entry((earlier, later)).or_default();
        *played += costs.pairs;
        let variance = COSTS.variance / *played;
        bisection.measure(earlier, later, measured(path[later as usize] - path[earlier as usize], variance));
    }
    (bisection.posterior().suspects(0.95), bisection)
}

fn path(steps: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut path = vec![0.0];
    for step in steps {
        path.push(path[path.len() - 1] + step);
    }
    path
}

#[test]
fn the_commit_that_lost_is_named() {
    for guilty in [1, 7, 20, 32] {
        let steps = (1..=32).map(|commit| if commit == guilty { -30.0 } else { 0.5 - f64::from(commit % 2) });
        let (suspects, bisection) = found(&path(steps), |_| true);
        assert_eq!(suspects, [guilty]);
        let posterior = bisection.posterior();
        let at = posterior.path.iter().position(|&(version, _)| version == guilty).expect("it played");
        let loss = posterior.steps[at - 1];
        assert!(loss.low <= -30.0 && loss.high >= -30.0 && loss.high < 0.0, "{loss:?}");
    }
}

/// One loss of 500 Elo is not three of 160.
#[test]
fn a_loss_far_beyond_the_usual_is_one_loss() {
    let steps = (1..=12).map(|commit| if commit == 7 { -500.0 } else { 1.0 });
    let (suspects, bisection) = found(&path(steps), |_| true);
    assert_eq!(suspects, [7]);
    assert!(bisection.posterior().steps.iter().any(|step| step.low < -490.0 && step.value < -450.0));
}

#[test]
fn the_larger_of_two_losses_is_named() {
    let steps =
        (1..=24).map(|commit| [(5, -15.0), (18, -40.0)].into_iter().find(|of| of.0 == commit).map_or(0.0, |of| of.1));
    assert_eq!(found(&path(steps), |_| true).0, [18]);
}

#[test]
fn two_losses_are_named_one_after_another() {
    let steps =
        (1..=24).map(|commit| [(5, -30.0), (18, -40.0)].into_iter().find(|of| of.0 == commit).map_or(0.0, |of| of.1));
    let (path, mut pairs) = (path(steps), BTreeMap::new());
    let (first, mut bisection) = found_next(Bisection::new(24, Prior::default()), &mut pairs, &path, |_| true);
    assert_eq!(first, [18]);
    bisection.set_aside(18);
    let (second, mut bisection) = found_next(bisection, &mut pairs, &path, |_| true);
    assert_eq!(second, [5]);
    bisection.set_aside(5);
    let posterior = bisection.posterior();
    assert!(posterior.none > 0.5 && posterior.guilt[4] == 0.0 && posterior.guilt[17] == 0.0, "{posterior:?}");
}

#[test]
fn counts_of_pairs_are_measured() {
    // 100 pairs with 30 more lost games than won: a score of 42.5%, shrunk slightly towards one half.
    let counts = PairCounts([10, 30, 20, 20, 20, 0]);
    let spread = PairSpread::of(&[counts]);
    let measured = spread.measured(&counts);
    let score = (100.0 - 15.0 + 1.0) / 202.0;
    assert!((measured.elo - crate::elo::elo_of_score(score)).abs() < 1e-9, "{measured:?}");
    let by_hand = {
        let mean = 0.425;
        let square = |x: f64, n: f64| n * (x - mean) * (x - mean);
        let sum = square(0.0, 10.0) + square(0.25, 30.0) + square(0.5, 40.0) + square(0.75, 20.0);
        (sum + 8.0 * 0.0625) / (99.0 + 8.0)
    };
    let slope = 400.0 / std::f64::consts::LN_10 / (score * (1.0 - score));
    assert!((measured.variance - by_hand * slope * slope / 100.0).abs() < 1e-6, "{measured:?}");
    // All games are lost: the estimate is still finite, and uncertain.
    let lost = PairCounts([8, 0, 0, 0, 0, 0]);
    let measured = PairSpread::of(&[lost]).measured(&lost);
    assert!(measured.elo < -300.0 && measured.elo.is_finite() && measured.variance > 1000.0, "{measured:?}");
    assert!(PairSpread::of(&[]).variance_of_equals() > 0.0);
}

#[test]
fn where_nothing_was_lost_no_commit_is_named() {
    let (suspects, bisection) = found(&path([0.0; 16]), |_| true);
    let posterior = bisection.posterior();
    assert!(suspects.is_empty(), "{suspects:?} {posterior:?}");
    assert!(posterior.none >= 0.95);
}

/// Version 6 cannot be built, so that commits 6 and 7 stay together.
#[test]
fn versions_that_cannot_be_built_are_stepped_over() {
    let steps = (1..=12).map(|commit| if commit == 7 { -40.0 } else { 0.0 });
    let (mut suspects, _) = found(&path(steps), |version| version != 6);
    suspects.sort_unstable();
    assert_eq!(suspects, [6, 7]);
}
