//! How sure the answer is: standard errors of the optima, the gain over the start and the expected regret.
//!
//! `optimum` has the law of every graded parameter's optimum. A standard error is half the width of the interval around the answer
//! that holds the optimum with 68.27% probability; the regret is the expected loss q (x - optimum)^2. A switch of effect
//! N(m, s^2) is better on with the probability cdf(m / s), and its better setting is expected to lose
//! s (pdf(z) - z tail(z)), z = |m| / s.

use super::model::SLOPE;
use super::optimum::{Natural, ONE_SIGMA, Prior, worth};
use super::{GAIN_MISFIT, Quadratic, reach};
use crate::method::{Answer, Doubt, Estimate};
use crate::space::Parameter;
use stats::normal::cdf;

/// Probability that a wide range is to hold the best value.
const WIDE: f64 = 0.95;
/// Its width over what the mixture says, whose parts are thinner in the tails than the truth on the benchmark.
const TAILS: f64 = 1.25;

/// What is believed of the best setting of one parameter.
pub(super) struct Belief {
    /// How sure the answer is, in value units.
    doubt: Doubt,
    /// Half the width of the interval that holds it with 95% probability, in value units; 0 of a switch.
    range: f64,
    /// Elo that the answer is expected to lose to it.
    regret: f64,
}

impl Quadratic {
    /// The answer of a state that has absorbed every pair told.
    pub(super) fn report(&self) -> Answer {
        let beliefs = self.beliefs();
        let width = |(p, &x): (&Parameter, &f64), c: f64| 0.5 * (p.value(x + c) - p.value(x - c)).abs();
        let steps = self.space.parameters().iter().zip(&self.best).zip(&self.steps).map(|(at, &c)| width(at, c));
        Answer {
            pairs: self.told,
            values: self.space.settled(&self.best),
            exact: self.space.values(&self.best),
            doubts: Some(beliefs.iter().map(|belief| belief.doubt).collect()),
            drifts: self.drifts(),
            steps: steps.collect(),
            ranges: Some(beliefs.iter().map(|belief| belief.range).collect()),
            gain: Some(self.predictions.temper(self.gain(), self.statistics.variance())),
            regret: Some(beliefs.iter().map(|belief| belief.regret).sum()),
        }
    }

    /// The present value of every parameter with the ends of its band, inside the range; of a switch, the probability that it
    /// is better on.
    pub(super) fn bands(&self) -> Vec<(f64, f64, f64)> {
        let band = |((p, &x), belief): ((&Parameter, &f64), Belief)| match belief.doubt {
            Doubt::On(on) => (on, on, on),
            Doubt::StandardError(sd) => {
                let value = p.value(x);
                (value, (value - sd).clamp(p.min(), p.max()), (value + sd).clamp(p.min(), p.max()))
            }
        };
        self.space.parameters().iter().zip(&self.best).zip(self.beliefs()).map(band).collect()
    }

    /// Elo of the answer over the start, and its posterior standard deviation.
    fn gain(&self) -> Estimate {
        let squares = self.best.iter().enumerate().map(|(i, x)| if self.is_graded(i) { 0.5 * x * x } else { 0.0 });
        let mut weights: Vec<f64> = self.best.iter().copied().chain(squares).collect();
        weights.resize(self.posterior.mean.len(), 0.0);
        let (mean, sd) = self.posterior.combination(weights);
        Estimate { mean, sd: sd * libm::sqrt(GAIN_MISFIT) }
    }

    fn beliefs(&self) -> Vec<Belief> {
        let worth = worth(self.statistics.worth(), self.told as f64 + self.before);
        let graded: Vec<usize> = (0..self.best.len()).filter(|&i| self.is_graded(i)).collect();
        let data = graded.iter().map(|&i| Natural::data(&self.posterior.joint(i), self.sites[i], worth));
        let prior = Prior::new(&self.mixture, reach(&self.config, self.typical()));
        let mut optima = prior.optima(&data.collect::<Vec<_>>()).into_iter();
        let belief = |i: usize| match if self.is_graded(i) { optima.next() } else { None } {
            None => self.switch(i, worth),
            Some(optimum) => {
                let (at, bounds, parameter) = (self.best[i], self.bounds[i], &self.space.parameters()[i]);
                let half = |share: f64| parameter.spread(at, optimum.half_width(at, bounds, share));
                Belief {
                    doubt: Doubt::StandardError(half(ONE_SIGMA)),
                    range: TAILS * half(WIDE),
                    regret: optimum.loss(at, bounds),
                }
            }
        };
        (0..self.best.len()).map(belief).collect()
    }

    /// What is believed of the switch `i`.
    fn switch(&self, i: usize, worth: f64) -> Belief {
        let mut weights = vec![0.0; self.posterior.mean.len()];
        weights[i] = 1.0;
        let (mean, sd) = self.posterior.combination(weights);
        let sd = sd / libm::sqrt(worth);
        let z = mean / sd;
        let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI);
        Belief { doubt: Doubt::On(cdf(z)), range: 0.0, regret: sd * (density - z.abs() * cdf(-z.abs())) }
    }

    /// Elo that one unit of wins minus losses a pair stands for in all numbers reported.
    pub fn elo_per_net() -> f64 {
        1.0 / SLOPE
    }
}
