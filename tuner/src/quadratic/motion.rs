//! Tests whether the best values move during a session, and estimates the gain if they do.
//!
//! A regression in which old pairs fade follows a moving optimum, but mistakes the evidence about the start for noise
//! or for flat curves, and reports a third of the true gain. So a second regression runs beside it, which is only
//! reported: parabolas, equal weights for all pairs, and slopes that change linearly with the pairs absorbed,
//! `g + e pairs`, as for an optimum that moves evenly in a straight line. Its evidence about a parameter's e against e
//! = 0 is the Savage-Dickey ratio (Dickey 1971), and the gain mixes both regressions by the probabilities that follow.
//! If curves are not cubics, parabolas seem to move, and this estimate gets less weight. It is not used in a session at
//! several limits, nor in one with knowledge from an earlier session.

use super::model::{Beliefs, Posterior, Statistics};
use super::{GAIN_MISFIT, Quadratic, bent};
use crate::method::Estimate;
use libm::{exp, log, sqrt};

/// The unit of pairs for e.
const UNIT: f64 = 1000.0;
/// The standard deviation of an optimum's movement in a session, in steps, if it moves.
const STEPS: f64 = 10.0;
/// The probability, before any pair, that anything moves, and then of each parameter that it does.
const MOVING: f64 = 0.03;
const EACH: f64 = 0.5;

/// The absorbed pairs, by their time.
#[derive(Clone, Debug)]
pub(super) struct Motion(Statistics);

impl Motion {
    /// Makes statistics without pairs; `graded` says which columns have a curvature.
    pub(super) fn new(graded: Vec<bool>) -> Self {
        Self(Statistics::new(graded, (false, true), 0.0))
    }

    /// Absorbs the pair of this number at the coordinates `a` and `b`.
    pub(super) fn absorb(&mut self, sides: (&[f64], &[f64]), pair: u64, net: f64) {
        self.0.absorb(sides, (pair + 1) as f64 / UNIT, net);
    }
}

/// The estimates if best values move.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    /// The present gain of the answer over the start.
    gain: Estimate,
    /// The probability that anything moves.
    probability: f64,
    /// The steps from the answer to the present best value of each column.
    ahead: Vec<f64>,
}

impl Moved {
    /// Mixes the gain `still` of fixed best values with that of moving ones, by the evidence for motion.
    pub(super) fn gain(&self, still: Estimate) -> Estimate {
        let mean = still.mean + self.probability * (self.gain.mean - still.mean);
        let square = |of: Estimate| of.sd * of.sd + (of.mean - mean) * (of.mean - mean);
        let variance = (1.0 - self.probability) * square(still) + self.probability * square(self.gain);
        Estimate { mean, sd: sqrt(variance) }
    }

    /// The probability that anything moves.
    pub(super) fn probability(&self) -> f64 {
        self.probability
    }

    /// Steps by which the answer may lag behind the best value of the column `i`, one sigma.
    pub(super) fn lag(&self, i: usize) -> f64 {
        sqrt(self.probability) * self.ahead[i].abs()
    }
}

impl Quadratic {
    /// The estimates if best values move; `None` if they cannot be computed.
    pub(super) fn moved(&self) -> Option<Moved> {
        let now = self.absorbed as f64 / UNIT;
        let scale = |(i, scale): (usize, f64)| if self.is_graded(i) { STEPS * scale } else { scale };
        let precisions = self.drift_scales().into_iter().enumerate().map(scale).map(|sd| now * now / (sd * sd));
        let drifts: Vec<f64> = precisions.collect();
        let Motion(statistics) = self.motion.as_ref()?;
        let posterior =
            statistics.posterior(Beliefs { sites: &self.sites, at: &[], skews: &[], drifts: &drifts, crosses: &[] })?;
        let odds = MOVING / (1.0 - MOVING) * exp(evidence(&posterior, &drifts).clamp(-700.0, 700.0));
        let mut weights = vec![0.0; posterior.mean.len()];
        for (i, &x) in self.best.iter().enumerate() {
            posterior.terms.put_move(&mut weights, i, self.is_graded(i), (0.0, x));
            if let Some(e) = posterior.terms.e(i) {
                weights[e] = now * x;
            }
        }
        let (mean, sd) = posterior.combination(weights);
        let ahead = |(i, &x): (usize, &f64)| {
            let curve = posterior.terms.of(&posterior.mean, i);
            let (low, high) = self.region[i];
            (x - curve.slope(x, now) / bent(curve.bend(x))).clamp(low, high) - x
        };
        Some(Moved {
            gain: Estimate { mean, sd: sqrt(GAIN_MISFIT) * sd },
            probability: (1.0 - self.departing()) * odds / (1.0 + odds),
            ahead: self.best.iter().enumerate().map(ahead).collect(),
        })
    }
}

/// The logarithm of the likelihood ratio of two hypotheses: each e is N(0, 1 / precision) with the probability
/// [`EACH`], or all are 0.
fn evidence(posterior: &Posterior, precisions: &[f64]) -> f64 {
    let one = |(e, precision): (super::Marginal, &f64)| {
        let ratio = 0.5 * (e.mean * e.mean / e.variance + log(e.variance * precision));
        log(1.0 - EACH + EACH * exp(ratio.clamp(-700.0, 700.0)))
    };
    posterior.marginals().drifts.into_iter().zip(precisions).map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::random::Stream;
    use crate::regret::instance::{Instance, Surface};
    use crate::regret::oracle::Noise;
    use crate::regret::runner::Session;

    fn moved(surface: Surface, seed: u64) -> Moved {
        let instance = Instance::new(4, seed, surface);
        let mut method = Quadratic::new(instance.space(1.0).unwrap(), Config::default(), seed, 20_000).unwrap();
        Session { pairs: 20_000, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance);
        method.settled().moved().unwrap()
    }

    #[test]
    #[ignore = "slow"]
    fn moving_best_values_are_distinguished_from_fixed_ones() {
        let (mut drifts, mut stays) = (0.0, 0.0);
        for seed in 3000..3004 {
            drifts += 0.25 * moved(Surface::Drift, seed).probability;
            stays += 0.25 * moved(Surface::Real, seed).probability;
        }
        assert!(drifts > 0.5 && stays < 0.2, "{drifts} and {stays}");
    }

    #[test]
    fn evidence_is_large_where_slopes_change_and_small_where_they_do_not() {
        let weigh = |change: f64| {
            let mut motion = Motion::new(vec![true, true]);
            let mut stream = Stream::from_seed(3);
            for pair in 0..4000 {
                let slope = 10.0 + change * pair as f64 / 4000.0;
                let (a, b) = ([stream.sign(), stream.sign()], [0.0, 0.0]);
                let elo = slope * a[0] + 5.0 * a[1];
                motion.absorb((&a, &b), pair, super::super::model::SLOPE * elo + 0.86 * stream.normal());
            }
            let site = super::super::Site { linear: 1e-3, curvature: 1.0, shift: -1.0 };
            let drifts = [1e-2, 1e-2];
            let beliefs = Beliefs { sites: &[site, site], at: &[], skews: &[], drifts: &drifts, crosses: &[] };
            evidence(&motion.0.posterior(beliefs).unwrap(), &drifts)
        };
        assert!(weigh(30.0) > 5.0 && weigh(0.0) < 0.0, "{} and {}", weigh(30.0), weigh(0.0));
    }

    #[test]
    fn a_gain_is_mixed_with_its_doubt() {
        let still = Estimate { mean: 4.0, sd: 1.0 };
        let moved = |probability| Moved { gain: Estimate { mean: 16.0, sd: 2.0 }, probability, ahead: vec![-2.0] };
        assert_eq!(moved(0.0).gain(still), still);
        assert!((moved(1.0).gain(still).mean - 16.0).abs() < 1e-12);
        let half = moved(0.5).gain(still);
        assert!((half.mean - 10.0).abs() < 1e-12 && (half.sd * half.sd - 38.5).abs() < 1e-9, "{half:?}");
        assert!((moved(0.25).lag(0) - 1.0).abs() < 1e-12);
    }
}
