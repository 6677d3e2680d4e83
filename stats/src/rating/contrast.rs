//! The evidence of results about a difference of ratings, independent of the other fitted ratings.
//!
//! A contrast c is tested along one line through the fit: theta + t u, where u = J^-1 c / c' J^-1 c for the information
//! J. Along it the contrast rises by t and everything else follows by the likelihood (a least favourable family:
//! DiCiccio and Romano, International Statistical Review 58 (1990)). The deviation of a cluster from its expectation is
//! weighted by its part of J^-1 c, as in the sandwich; so to first order this is the sandwich's interval.

use super::biased;
use super::evidence::Sample;
use super::fit::{Fit, Model};
use super::results::{Cluster, Results, Seats};
use crate::counts::{PairOutcome, Score};
use crate::elo::logistic;
use crate::estimate::Estimate;
use std::collections::BTreeMap;

/// The largest difference from the fit that is considered, in logits.
const FURTHEST: f64 = 40.0;
/// The least share of a contrast's information that must come from results; below it, the contrast is the prior's.
const LEAST_SHARE: f64 = 0.05;

/// A kind of cluster, for ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Met {
    first: usize,
    second: usize,
    what: What,
}

/// The result for the first of the two.
#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    /// Points of both games of a pair, 0 to 2.
    Pair(f64),
    /// Trials of a pair from a biased opening, won and lost.
    Trials([f64; 2]),
    /// Points of a single game, 0 to 1.
    Game(f64),
}

/// A contrast: weights of the parameters.
pub(super) struct Contrast<'a> {
    fit: &'a Fit,
    /// J^-1 c.
    along: Vec<f64>,
    /// c' J^-1 c.
    spread: f64,
    value: f64,
}

/// The evidence of results about a contrast, in logits.
pub(super) struct Answer {
    /// Its 95% interval.
    pub(super) estimate: Estimate,
    /// The probability that the contrast exceeds 0.
    pub(super) above_zero: f64,
}

/// All possible outcomes between entrants that met, with their counts.
pub(super) fn kinds(results: &Results, model: Model) -> Sample<Met> {
    let outcomes = if model == Model::Biased { 6 } else { 5 };
    let mut all: BTreeMap<(usize, usize, bool), Vec<f64>> = BTreeMap::new();
    for (Seats { first, second }, cluster, count) in results.clusters() {
        match (cluster, model) {
            (Cluster::Game(_), Model::Biased) => {}
            (Cluster::Game(score), _) => {
                all.entry((first, second, false)).or_insert_with(|| vec![0.0; 3])[score as usize] += count;
            }
            (Cluster::Pair(a, b), _) => {
                // In a pair each entrant moved first once: the order of the two is arbitrary.
                let outcome = PairOutcome::new(a, b);
                let outcome = if first < second { outcome } else { outcome.mirror() };
                let index = if model == Model::Biased { outcome as usize } else { outcome.index() };
                let two = (first.min(second), first.max(second), true);
                all.entry(two).or_insert_with(|| vec![0.0; outcomes])[index] += count;
            }
        }
    }
    let group = |((first, second, pair), counts): ((usize, usize, bool), Vec<f64>)| {
        let met = |(k, count)| {
            let what = match (pair, model) {
                (false, _) => What::Game(k as f64 / 2.0),
                (true, Model::Biased) => What::Trials(trials(k)),
                (true, _) => What::Pair(k as f64 / 2.0),
            };
            (Met { first, second, what }, count)
        };
        counts.into_iter().enumerate().map(met).collect()
    };
    Sample::new(all.into_iter().map(group))
}

fn trials(outcome: usize) -> [f64; 2] {
    let (one, two): (Score, Score) = PairOutcome::ALL[outcome].scores();
    biased::shares(one, two)
}

impl<'a> Contrast<'a> {
    /// `weights` are those of the ratings, of the centre, and of the first mover's advantage.
    pub(super) fn new(fit: &'a Fit, weights: &[f64]) -> Self {
        let along = fit.direction(weights);
        let spread = along.iter().zip(weights).map(|(a, c)| a * c).sum();
        let value = fit.theta.iter().zip(weights).map(|(t, c)| t * c).sum();
        Self { fit, along, spread, value }
    }

    /// The evidence of the kinds; `None` if the normal interval suffices: for ordinary samples, known contrasts, and
    /// those that only the prior determines.
    pub(super) fn answer(&self, sample: &Sample<Met>) -> Option<Answer> {
        let share = 1.0 - self.fit.prior_part(&self.along) / self.spread;
        if sample.is_empty() || !(self.spread > 0.0 && share >= LEAST_SHARE) {
            return None;
        }
        let [least, most] = [self.value - FURTHEST, self.value + FURTHEST];
        let question = sample.ask(self.value, [least, most], |met, x| self.off(met, x));
        if question.ordinary || !question.tells {
            return None;
        }
        let Estimate { value, low, high } = question.interval();
        let estimate = Estimate {
            value,
            low: if low > least + 1e-6 { low } else { f64::NEG_INFINITY },
            high: if high < most - 1e-6 { high } else { f64::INFINITY },
        };
        Some(Answer { estimate, above_zero: question.probability_above(0.0) })
    }

    /// The deviation of a kind from its expectation if the contrast is `x`, times its part in the contrast.
    fn off(&self, met: &Met, x: f64) -> f64 {
        let Met { first, second, what } = *met;
        let seat = self.along.len() - 1;
        let between = |v: &[f64]| v[first] - v[second];
        let further = (x - self.value) / self.spread;
        let (difference, part) = (between(&self.fit.theta), between(&self.along));
        match what {
            What::Pair(points) => part * (points - 2.0 * logistic(difference + further * part)),
            What::Trials([won, lost]) => {
                let expected = logistic(biased::SCALE * (difference + further * part));
                part * biased::SCALE * (won - (won + lost) * expected)
            }
            What::Game(points) => {
                let part = part + self.along[seat];
                part * (points - logistic(difference + self.fit.theta[seat] + further * part))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PairCounts;
    use crate::estimate::{Basis, Summary};
    use crate::plan::simulate::generator;
    use crate::rating::fit::Problem;

    fn fit(results: &Results, model: Model) -> Fit {
        Problem { prior: 0.0, anchors: BTreeMap::new(), model }.solve(results).unwrap()
    }

    #[test]
    fn of_two_entrants_it_is_the_interval_of_their_match() {
        let mut random = generator(5, 0);
        let mut compared = 0;
        for _ in 0..400 {
            let counts = PairCounts([0; 6].map(|_| (7.0 * random.uniform() * random.uniform()) as u64));
            let summary = Summary::of_pairs(&counts);
            let mut results = Results::new(2);
            results.add_counts(0, 1, &counts).unwrap();
            let model = Model::Fair { seat: false };
            let perfect = summary.score.is_none_or(|score| score.value <= 0.0 || score.value >= 1.0);
            if perfect || summary.basis != Some(Basis::Likelihood) {
                continue;
            }
            let fit = fit(&results, model);
            let answer = Contrast::new(&fit, &[1.0, -1.0, 0.0, 0.0]).answer(&kinds(&results, model)).unwrap();
            let elo = answer.estimate.map(|x| x * crate::rating::ELO_PER_LOGIT);
            let expected = summary.elo.unwrap();
            for (ours, theirs) in [(elo.low, expected.low), (elo.high, expected.high)] {
                assert!((ours - theirs).abs() < 1e-6, "{counts:?}: {elo:?} {expected:?}");
            }
            assert!((answer.above_zero - summary.los).abs() < 1e-9, "{counts:?}");
            compared += 1;
        }
        assert!(compared > 200, "{compared}");
    }
}
