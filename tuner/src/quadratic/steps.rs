//! The distance between the sides of a pair: the step of each parameter, from its learnt sensitivity.
//!
//! With a perturbation of c the noise of an optimum costs about 1 / (q c^2) Elo per unit of data, and the skew of the
//! surface moves the optimum by about c^2, which costs about q c^4. Their sum is least at c ~ q^(-1/3), smaller as data
//! grow. The scale follows the sensitivities' geometric mean, so that nearly the same engines are played if the user's
//! steps are all three times too large or too small.

use super::prior::Sensitivity;

/// The rule's constants, in Elo and in user steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRule {
    /// Elo that a parameter of typical sensitivity loses on each side at first.
    pub drop: f64,
    /// The exponent by which that drop shrinks: (1 + pairs / 5000)^-decay.
    pub decay: f64,
    /// Elo that any single parameter may lose on each side.
    pub drop_limit: f64,
    /// Elo that the parameters may lose on each side on average; beyond this the surface flattens and signal is lost.
    pub mean_limit: f64,
    /// Elo that all parameters together may lose on each side.
    pub limit_in_all: f64,
    /// The step before anything is learnt, in user steps.
    pub first: f64,
    /// The smallest and the largest step, in user steps.
    pub range: (f64, f64),
    /// The share of the way that the steps move at each refit.
    pub haste: f64,
}

impl Default for StepRule {
    fn default() -> Self {
        Self {
            drop: 4.0,
            decay: 0.7,
            drop_limit: 8.0,
            mean_limit: 3.0,
            limit_in_all: 112.0,
            first: 0.5,
            range: (0.15, 5.0),
            haste: 0.3,
        }
    }
}

impl StepRule {
    /// Elo that each of this many parameters of typical sensitivity should lose on each side after `pairs` pairs,
    /// before any limit.
    pub fn target(&self, parameters: usize, pairs: f64) -> f64 {
        self.drop * (self.mean_drop(parameters) / self.mean_limit) * libm::pow(1.0 + pairs / 5000.0, -self.decay)
    }

    /// The largest average Elo that each of this many parameters may lose on each side.
    pub fn mean_drop(&self, parameters: usize) -> f64 {
        let share = self.limit_in_all / parameters as f64;
        if share < self.mean_limit { share } else { self.mean_limit }
    }

    /// Moves `steps` (user steps) towards the best ones for these sensitivities after `pairs` pairs. `typical` is the
    /// geometric mean of the sensitivities.
    pub(super) fn adapt(&self, steps: &mut [f64], sensitivities: &[Sensitivity], typical: f64, pairs: u64) {
        let base = libm::sqrt(self.target(steps.len(), pairs as f64) / typical);
        let q: Vec<f64> = sensitivities.iter().map(|s| if s.mean > 0.002 { s.mean } else { 0.002 }).collect();
        let free: Vec<f64> = q
            .iter()
            .map(|q| {
                let (wanted, limit) = (base / libm::cbrt(q / typical), libm::sqrt(self.drop_limit / q));
                if wanted < limit { wanted } else { limit }
            })
            .collect();
        let limit = self.mean_drop(q.len());
        let mean = free.iter().zip(&q).map(|(c, q)| c * c * q).sum::<f64>() / q.len() as f64;
        let shrink = if mean > limit { libm::sqrt(limit / mean) } else { 1.0 };
        for (step, wanted) in steps.iter_mut().zip(free) {
            *step += self.haste * ((shrink * wanted).clamp(self.range.0, self.range.1) - *step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(q: &[f64], scale: f64) -> Vec<f64> {
        let beliefs: Vec<_> = q.iter().map(|q| Sensitivity { mean: q * scale, ln: libm::log(q * scale) }).collect();
        let typical = libm::exp(beliefs.iter().map(|b| b.ln).sum::<f64>() / q.len() as f64);
        let mut steps = vec![1.0; q.len()];
        for _ in 0..60 {
            StepRule::default().adapt(&mut steps, &beliefs, typical, 5000);
        }
        steps
    }

    #[test]
    fn sensitive_parameters_get_smaller_steps_of_larger_effect() {
        let steps = settled(&[0.25, 0.5, 2.0], 1.0);
        assert!(steps[0] > steps[1] && steps[1] > steps[2]);
        assert!(0.25 * steps[0] * steps[0] < 2.0 * steps[2] * steps[2]);
    }

    #[test]
    fn the_user_s_unit_does_not_matter() {
        for (small, large) in settled(&[0.3, 0.5, 1.0], 1.0).iter().zip(settled(&[0.3, 0.5, 1.0], 9.0)) {
            assert!((small / large - 3.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_mean_drop_is_limited() {
        let q = [4.0, 6.0, 9.0];
        let drop: f64 = settled(&q, 1.0).iter().zip(q).map(|(c, q)| q * c * c).sum();
        assert!(drop / 3.0 <= StepRule::default().mean_limit + 1e-6);
    }
}
