//! How sure the answer is: standard errors of the optima, the gain over the start and the expected regret.
//!
//! At the answer x the slope of parameter i is `g_i + h_i x_i`, zero on average, with a posterior standard deviation `s_i`. The true
//! optimum is then about `s_i / |h_i|` away, and x loses `s_i^2 / (2 |h_i|)` to it on average. Both are capped by what a uniform
//! distribution over the range could give. A switch of effect N(m, s^2) is expected to lose s (pdf(z) - z tail(z)), z = |m| / s.

use super::model::SLOPE;
use super::{GAIN_MISFIT, LEAST_CURVATURE, Quadratic};
use crate::method::{Answer, Estimate};

/// Variance of the optima's errors over what the posterior says, because engines are not quadratic: on the benchmark (seeds 1300
/// to 1315, 4 to 20 parameters, 5,000 to 60,000 pairs) the true regret was 0.9 to 1.6 times the posterior's.
const MISFIT: f64 = 1.4;

/// Where one parameter's optimum may be.
struct Doubt {
    /// Standard deviation of the optimum, in steps (of the value, for a switch).
    sd: f64,
    /// Elo expected to be lost to it.
    regret: f64,
}

impl Quadratic {
    /// The answer of a state that has absorbed every pair told.
    pub(super) fn report(&self) -> Answer {
        let doubts: Vec<Doubt> = (0..self.best.len()).map(|i| self.doubt(i)).collect();
        let exact = self.space.values(&self.best);
        let sd = self.space.parameters().iter().zip(&self.best).zip(&doubts);
        let sd = sd.map(|((p, &x), d)| 0.5 * (p.value(x + d.sd) - p.value(x - d.sd)).abs()).collect();
        let width = |(p, &x): (&crate::space::Parameter, &f64), c: f64| 0.5 * (p.value(x + c) - p.value(x - c)).abs();
        let steps = self.space.parameters().iter().zip(&self.best).zip(&self.steps).map(|(at, &c)| width(at, c));
        Answer {
            pairs: self.told,
            values: self.space.settled(&self.best),
            exact,
            sd: Some(sd),
            steps: steps.collect(),
            gain: Some(self.gain()),
            regret: Some(doubts.iter().map(|d| d.regret).sum()),
        }
    }

    /// Standard deviation of every optimum, in steps.
    pub(super) fn deviations(&self) -> Vec<f64> {
        (0..self.best.len()).map(|i| self.doubt(i).sd).collect()
    }

    /// Elo of the answer over the start, and its posterior standard deviation.
    fn gain(&self) -> Estimate {
        let squares = self.best.iter().enumerate().map(|(i, x)| if self.is_graded(i) { 0.5 * x * x } else { 0.0 });
        let (mean, sd) = self.posterior.combination(self.best.iter().copied().chain(squares).collect());
        Estimate { mean, sd: sd * libm::sqrt(GAIN_MISFIT) }
    }

    fn doubt(&self, i: usize) -> Doubt {
        let mut weights = vec![0.0; 2 * self.best.len()];
        weights[i] = 1.0;
        if !self.is_graded(i) {
            let (mean, sd) = self.posterior.combination(weights);
            return switch(mean.abs(), sd);
        }
        weights[self.best.len() + i] = self.best[i];
        let slope = self.posterior.combination(weights).1 * libm::sqrt(MISFIT);
        let q = self.sensitivities[i].mean;
        let bend = if 2.0 * q > LEAST_CURVATURE { 2.0 * q } else { LEAST_CURVATURE };
        let (low, high) = self.bounds[i];
        let widest = (high - low) / libm::sqrt(12.0);
        let sd = if slope / bend < widest { slope / bend } else { widest };
        Doubt { sd, regret: 0.5 * bend * sd * sd }
    }

    /// Elo that one unit of wins minus losses a pair stands for in all numbers reported.
    pub fn elo_per_net() -> f64 {
        1.0 / SLOPE
    }
}

/// The doubt about a switch whose better setting is worth `mean` Elo, give or take `sd`.
fn switch(mean: f64, sd: f64) -> Doubt {
    let z = mean / sd;
    let tail = 0.5 * libm::erfc(z / std::f64::consts::SQRT_2);
    let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI);
    Doubt { sd: libm::sqrt(tail * (1.0 - tail)), regret: sd * (density - z * tail) }
}
