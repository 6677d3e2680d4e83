//! Models, which turn a sample into a logit and learn from its error.
//!
//! For a few samples at a time, a model computes their logits and the gradient of their losses, which it adds to the
//! sums of a thread; a step then adds the sums of all threads in their order. This module has the code that models
//! share.

mod linear;
mod network;

pub(super) use linear::Linear;
pub(super) use network::{FIRST_SCALE, Features, Network, OUTPUT_BIAS_LIMIT, Shape};

use super::adam::{Step, Weights};
use super::input::Input;

/// The records that a model learns from.
pub(super) type RecordOf<M> = <<M as Model>::Sample as Input>::Record;

/// The maximum number of samples per call of a model.
pub(super) const TOGETHER: usize = 256;

/// A model in training.
pub(super) trait Model: Send + Sync {
    /// The model's view of a position.
    type Sample: Input;
    /// Sums of gradients over samples, and room for computation.
    type Sums: Send;

    /// Returns empty sums.
    fn sums(&self) -> Self::Sums;

    /// Computes the logits of at most [`TOGETHER`] samples with the engine's rounded weights.
    fn logits(&self, samples: &[Self::Sample], sums: &mut Self::Sums, logits: &mut [f32]);

    /// Adds the gradients of the losses of at most [`TOGETHER`] samples, each times its weight and all times `scale`;
    /// returns the sum of the losses, each times its weight.
    fn learn(&self, samples: &[Self::Sample], weights: &[f32], scale: f32, sums: &mut Self::Sums) -> f64;

    /// The logit of a sample with unrounded weights. Slow.
    fn unrounded(&self, sample: &Self::Sample) -> f64;

    /// Takes a step against the sums of all threads, and resets the sums to 0.
    fn step(&mut self, sums: &mut [Self::Sums], step: Step);

    /// All trained weights, always in the same order.
    fn weights(&self) -> Vec<&Weights>;

    /// The same weights, for replacement; [`Model::replaced`] follows.
    fn weights_mut(&mut self) -> Vec<&mut Weights>;

    /// Recomputes what depends on the weights.
    fn replaced(&mut self);
}

/// The binary cross-entropy of a logit against its target, and its slope.
///
/// `-t log(s) - (1 - t) log(1 - s)` with `s = sigmoid(logit)`, whose slope is `s - t`.
#[inline]
pub(super) fn cross_entropy(logit: f32, target: f32) -> (f32, f32) {
    let small = libm::expf(-logit.abs());
    let softplus = logit.max(0.0) + libm::log1pf(small);
    let probability = if logit < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
    // `max` would turn NaN into 0.
    let loss = if logit.is_nan() { logit } else { softplus - target * logit };
    (loss, probability - target)
}

/// Adds the later slices to the first, in order, and resets them to 0.
#[inline]
fn gather(first: &mut [f32], later: &mut [&mut [f32]]) {
    for other in later {
        for (sum, more) in first.iter_mut().zip(other.iter_mut()) {
            *sum += std::mem::replace(more, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_entropy_is_that_of_the_definition() {
        for logit in [-30.0_f32, -4.0, -0.5, 0.0, 0.3, 7.0, 30.0] {
            for target in [0.0_f32, 0.2, 0.5, 1.0] {
                let s = 1.0 / (1.0 + libm::exp(-f64::from(logit)));
                let other = 1.0 / (1.0 + libm::exp(f64::from(logit)));
                let t = f64::from(target);
                let term = |share: f64, s: f64| if share == 0.0 { 0.0 } else { -share * libm::log(s) };
                let (loss, slope) = cross_entropy(logit, target);
                let expected = term(t, s) + term(1.0 - t, other);
                assert!((f64::from(loss) - expected).abs() < 1e-5, "{logit} {target}: {loss} {expected}");
                assert!((f64::from(slope) - (s - t)).abs() < 1e-6);
            }
        }
        assert!(cross_entropy(f32::NAN, 0.5).0.is_nan());
    }
}
