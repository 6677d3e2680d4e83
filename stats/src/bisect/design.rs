//! Chooses the two versions that should play next: those whose result says most about the position of the largest loss,
//! for its cost.

use super::evidence::{Evidence, Sums};
use super::hypothesis::{Hypothesis, hypotheses};
use super::{Bisection, MOST_STEPS, guilt};
use std::collections::BTreeMap;

/// An interval with a lower probability of holding the largest loss is not cut.
const WORTH_A_CUT: f64 = 0.01;

/// The least probable hypotheses, with less than this probability together, are ignored in a design.
const LEFT_OUT: f64 = 0.005;

/// A choice is optimised for the pairs of this many matches. On three rows of the benchmark, optimising for one match
/// alone and without a least number took 13 to 22% more pairs: building a version seldom pays within its first match.
const HORIZON: f64 = 4.0;

/// A choice is optimised for at least this many pairs.
const SHORTEST: f64 = 64.0;

/// An interval with a lower probability is ignored in the choice of a match.
const LEAST_CLASS: f64 = 1e-4;

/// The cost of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// The number of pairs of the match.
    pub pairs: f64,
    /// The variance of the result of one pair, in squared Elo.
    pub variance: f64,
    /// The number of pairs that could be played in the time that a build takes.
    pub build: f64,
}

impl Bisection {
    /// Returns the two versions whose match is most informative for its cost, the earlier first. The first match is
    /// that of both ends, which measures the whole loss. `is_built` says whether a version needs no build, and
    /// `is_buildable` whether it can play.
    pub fn next_match(
        &self,
        costs: &Costs,
        is_built: impl Fn(u32) -> bool,
        is_buildable: impl Fn(u32) -> bool,
    ) -> (u32, u32) {
        if self.measured.is_empty() {
            return (0, self.versions);
        }
        let (points, prior) = (self.points_to_try(is_buildable), self.prior());
        let evidence = Evidence::new(&points, &prior, &self.measured);
        let all = probable(hypotheses(&evidence, &prior, self.steps_of_a_design()));
        let found = self.found_between(&points);
        let parts: Vec<(Option<usize>, Hypothesis)> =
            all.iter().flat_map(|of| of.by_largest_loss(prior.least_loss, &found)).collect();
        let sums = Sums::new(&evidence);
        // A version that is built plays several matches.
        let horizon = (HORIZON * costs.pairs).max(SHORTEST);
        let error = costs.variance / horizon;
        let mut best = ((0, self.versions), f64::NEG_INFINITY);
        for from in 0..evidence.intervals() {
            for to in from + 1..points.len() {
                let builds = [points[from], points[to]].iter().filter(|&&version| !is_built(version)).count();
                let cost = horizon + costs.build * builds as f64;
                let value = information(&parts, &sums, (from, to), error) / cost;
                if value > best.1 {
                    best = ((points[from], points[to]), value);
                }
            }
        }
        best.0
    }

    /// The most large steps that a design considers: two besides those that were found.
    fn steps_of_a_design(&self) -> usize {
        (2 + self.found.len()).min(MOST_STEPS)
    }

    /// The versions that played, and the middle of each interval that may hold the loss.
    fn points_to_try(&self, is_buildable: impl Fn(u32) -> bool) -> Vec<u32> {
        let (played, prior) = (self.played(), self.prior());
        let points: Vec<u32> = played.iter().copied().collect();
        let evidence = Evidence::new(&points, &prior, &self.measured);
        let all = hypotheses(&evidence, &prior, self.steps_of_a_design());
        let shares = guilt(&all, &evidence, prior.least_loss, &self.found_between(&points));
        let cuts = points.windows(2).zip(shares).filter(|(_, share)| *share > WORTH_A_CUT).filter_map(|(pair, _)| {
            let inner = pair[0] + 1..pair[1];
            let distance = |version: u32| (2 * version).abs_diff(pair[0] + pair[1]);
            inner.filter(|&version| is_buildable(version)).min_by_key(|&version| distance(version))
        });
        let mut tried = played.clone();
        tried.extend(cuts);
        tried.into_iter().collect()
    }
}

/// The most probable hypotheses, which have nearly all of the probability.
fn probable(mut all: Vec<Hypothesis>) -> Vec<Hypothesis> {
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.at.cmp(&b.at)));
    let mut left = 1.0;
    let kept = all.iter().position(|hypothesis| {
        let is_enough = left < LEFT_OUT;
        left -= hypothesis.weight;
        is_enough
    });
    all.truncate(kept.unwrap_or(all.len()));
    all
}

/// The information of a match between two versions about the interval of the largest loss, in nats, as if its result
/// were normal for each of these intervals: the entropy of the result less its mean entropy given the interval.
fn information(parts: &[(Option<usize>, Hypothesis)], sums: &Sums, (from, to): (usize, usize), error: f64) -> f64 {
    let mut classes: BTreeMap<Option<usize>, [f64; 3]> = BTreeMap::new();
    for (class, part) in parts {
        let (mean, variance) = sums.under(part, from, to);
        for (sum, term) in classes.entry(*class).or_default().iter_mut().zip([1.0, mean, variance + mean * mean]) {
            *sum += part.weight * term;
        }
    }
    let total: f64 = classes.values().map(|[weight, ..]| weight).sum();
    let laws = classes.values().filter(|[weight, ..]| *weight > LEAST_CLASS).map(|[weight, sum, square]| {
        let mean = sum / weight;
        Normal { weight: weight / total, mean, deviation: ((square / weight - mean * mean).max(0.0) + error).sqrt() }
    });
    gain(&laws.collect::<Vec<_>>())
}

/// The distribution of a match's result if the largest loss is in one interval.
struct Normal {
    weight: f64,
    mean: f64,
    deviation: f64,
}

/// The mutual information of a mixture and its components: by Gauss-Hermite quadrature for each component.
fn gain(laws: &[Normal]) -> f64 {
    const NODES: [(f64, f64); 7] = [
        (0.0, 0.457_142_857_142_857),
        (1.154_405_394_739_968, 0.240_123_178_605_013),
        (-1.154_405_394_739_968, 0.240_123_178_605_013),
        (2.366_759_410_734_541, 0.030_757_123_967_586),
        (-2.366_759_410_734_541, 0.030_757_123_967_586),
        (3.750_439_717_725_742, 0.000_548_268_855_972),
        (-3.750_439_717_725_742, 0.000_548_268_855_972),
    ];
    let density = |law: &Normal, at: f64| {
        let z = (at - law.mean) / law.deviation;
        libm::exp(-0.5 * z * z) / law.deviation
    };
    let of_law = |law: &Normal| {
        let at_node = |&(z, share): &(f64, f64)| {
            let at = law.mean + z * law.deviation;
            let all: f64 = laws.iter().map(|other| other.weight * density(other, at)).sum();
            share * libm::log(density(law, at) / all.max(f64::MIN_POSITIVE))
        };
        law.weight * NODES.iter().map(at_node).sum::<f64>()
    };
    laws.iter().map(of_law).sum()
}
