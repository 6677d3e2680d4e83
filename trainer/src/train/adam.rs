//! AdamW: Adam with decoupled weight decay, and its learning rate schedule.
//!
//! ```text
//! m = b1 m + (1 - b1) g            v = b2 v + (1 - b2) g^2
//! w = w - rate (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon) + decay w), then clipped to +-limit
//! ```
//!
//! Kingma and Ba, "Adam: a method for stochastic optimization" (2015); Loshchilov and Hutter, "Decoupled weight decay
//! regularization" (2019), for the decay, and their "SGDR" (2017) for the cosine. All arithmetic is in f32, element by
//! element in a fixed order: the same on every machine.

/// b1.
const MOMENTUM: f32 = 0.9;
/// b2.
const VARIANCE: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The parameters of one step, the same for every weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    rate: f32,
    decay: f32,
    /// 1 / (1 - b1^t)
    momentum_scale: f32,
    /// 1 / (1 - b2^t)
    variance_scale: f32,
}

/// The learning rates of a whole training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Schedule {
    pub(super) steps: u64,
    pub(super) warm_up: u64,
    pub(super) highest: f64,
    pub(super) last: f64,
    pub(super) decay: f64,
}

impl Schedule {
    /// The learning rate of a step, counted from 0: a linear warm-up, then half a period of a cosine down.
    pub(super) fn rate(&self, step: u64) -> f64 {
        if step < self.warm_up {
            return self.highest * (step + 1) as f64 / self.warm_up as f64;
        }
        let length = (self.steps.max(self.warm_up + 1) - self.warm_up) as f64;
        let done = ((step - self.warm_up) as f64 / length).min(1.0);
        self.last + (self.highest - self.last) * (1.0 + libm::cos(std::f64::consts::PI * done)) / 2.0
    }

    /// The parameters of a step, counted from 0.
    pub(super) fn step(&self, step: u64) -> Step {
        let scale = |beta: f32| (1.0 / (1.0 - libm::pow(f64::from(beta), (step + 1) as f64))) as f32;
        Step {
            rate: self.rate(step) as f32,
            decay: self.decay as f32,
            momentum_scale: scale(MOMENTUM),
            variance_scale: scale(VARIANCE),
        }
    }
}

/// Weights with the optimiser's state for each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    pub(super) values: Vec<f32>,
    momentum: Vec<f32>,
    variance: Vec<f32>,
    /// The largest absolute value.
    limit: f32,
}

/// A part of [`Weights`].
pub(super) struct Part<'a> {
    pub(super) values: &'a mut [f32],
    momentum: &'a mut [f32],
    variance: &'a mut [f32],
    limit: f32,
}

impl Weights {
    /// Makes weights whose absolute values stay within `limit`.
    pub(super) fn new(values: Vec<f32>, limit: f32) -> Self {
        let zeros = vec![0.0; values.len()];
        Self { momentum: zeros.clone(), variance: zeros, values, limit }
    }

    /// Splits all weights into parts of this length.
    pub(super) fn parts(&mut self, length: usize) -> impl Iterator<Item = Part<'_>> {
        let limit = self.limit;
        let moments = self.momentum.chunks_mut(length).zip(self.variance.chunks_mut(length));
        let parts = self.values.chunks_mut(length).zip(moments);
        parts.map(move |(values, (momentum, variance))| Part { values, momentum, variance, limit })
    }

    /// Takes a step against the gradient, and resets the gradient to 0.
    pub(super) fn update(&mut self, gradient: &mut [f32], step: Step) {
        self.parts(gradient.len()).for_each(|mut part| part.update(gradient, step));
    }

    /// All numbers, to write a checkpoint.
    pub(super) fn state(&self) -> [&[f32]; 3] {
        [&self.values, &self.momentum, &self.variance]
    }

    /// All numbers, to read a checkpoint.
    pub(super) fn state_mut(&mut self) -> [&mut [f32]; 3] {
        [&mut self.values, &mut self.momentum, &mut self.variance]
    }
}

impl Part<'_> {
    /// Takes a step against the gradient, and resets the gradient to 0.
    pub(super) fn update(&mut self, gradient: &mut [f32], step: Step) {
        update(self.values, gradient, self.momentum, self.variance, step, self.limit);
    }
}

#[inline]
fn update(
    values: &mut [f32],
    gradient: &mut [f32],
    momentum: &mut [f32],
    variance: &mut [f32],
    step: Step,
    limit: f32,
) {
    let moments = momentum.iter_mut().zip(variance);
    for ((value, gradient), (momentum, variance)) in values.iter_mut().zip(gradient).zip(moments) {
        let slope = std::mem::replace(gradient, 0.0);
        *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * slope;
        *variance = VARIANCE * *variance + (1.0 - VARIANCE) * slope * slope;
        let direction = *momentum * step.momentum_scale / ((*variance * step.variance_scale).sqrt() + EPSILON);
        *value = (*value - step.rate * (direction + step.decay * *value)).clamp(-limit, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let schedule = Schedule { steps: 110, warm_up: 10, highest: 1.0, last: 0.1, decay: 0.0 };
        let near = |step: u64, expected: f64| assert!((schedule.rate(step) - expected).abs() < 1e-12, "{step}");
        near(0, 0.1);
        near(9, 1.0);
        near(10, 1.0);
        near(60, 0.55);
        near(110, 0.1);
        near(1_000, 0.1);
    }

    #[test]
    fn first_steps_are_of_the_rate_s_size_whatever_the_gradient() {
        let schedule = Schedule { steps: 10, warm_up: 0, highest: 0.01, last: 0.01, decay: 0.0 };
        let mut weights = Weights::new(vec![1.0; 3], 10.0);
        let mut gradient = [1e-3, -1e3, 0.0];
        weights.update(&mut gradient, schedule.step(0));
        for (value, expected) in weights.values.iter().zip([0.99, 1.01, 1.0]) {
            assert!((value - expected).abs() < 1e-5, "{value} {expected}");
        }
        assert!(gradient.iter().all(|&slope| slope == 0.0), "{gradient:?}");
    }

    #[test]
    fn weights_decay_and_stay_within_their_limit() {
        let schedule = Schedule { steps: 10, warm_up: 0, highest: 0.1, last: 0.1, decay: 0.5 };
        let mut weights = Weights::new(vec![2.0, 0.96], 1.0);
        weights.update(&mut [0.0, -1.0], schedule.step(0));
        assert!(weights.values.iter().all(|value| (value - 1.0).abs() < f32::EPSILON), "{weights:?}");
        let mut weights = Weights::new(vec![0.5], 1.0);
        weights.update(&mut [0.0], schedule.step(0));
        assert!((weights.values[0] - 0.475).abs() < 1e-6);
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let schedule = Schedule { steps: 2_000, warm_up: 10, highest: 0.05, last: 0.0, decay: 0.0 };
        let mut weights = Weights::new(vec![0.0, 0.0], 10.0);
        for step in 0..schedule.steps {
            let mut gradient = [weights.values[0] - 3.0, 100.0 * (weights.values[1] + 2.0)];
            weights.update(&mut gradient, schedule.step(step));
        }
        assert!((weights.values[0] - 3.0).abs() < 1e-3 && (weights.values[1] + 2.0).abs() < 1e-3, "{weights:?}");
    }
}
