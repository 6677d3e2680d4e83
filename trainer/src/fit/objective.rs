//! The objective of the gradient methods, which also provides figures to judge all methods.
//!
//! ```text
//! loss(w)  = mean of cross-entropy(target, sigmoid(evaluation / scale))
//!            + sum of (w - start)^2 / (2 spread^2 positions)
//! target   = lambda result + (1 - lambda) sigmoid(score / scale of scores)
//! ```
//!
//! This is the method known as Texel's (Österlund 2014), with cross-entropy instead of squared errors and a ridge
//! towards the start: a prior that weights lie around their start with a standard deviation of `spread`. Sums run over
//! parts of fixed size in order, so they are the same on any number of threads.

use super::design::{Design, Label, Part};
use rayon::prelude::*;

/// The number of rows that are summed together.
const ROWS: usize = 2_048;

/// The expected points for an evaluation in logits.
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// How to compute targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target {
    /// The weight of results, 0 to 1, for positions with both labels.
    pub(super) lambda: f64,
    /// Units of a score per logit.
    pub(super) scale: f64,
}

impl Target {
    /// The target of a label, 0 to 1.
    pub(super) fn of(self, label: Label) -> f64 {
        let score = label.score.map(|score| sigmoid(f64::from(score) / self.scale));
        match (label.result.map(f64::from), score) {
            (Some(result), Some(score)) => self.lambda * result + (1.0 - self.lambda) * score,
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => 0.5,
        }
    }
}

/// The mean of `-t ln p - (1 - t) ln(1 - p)` for `p = sigmoid(z)`, without overflow.
fn cross_entropy(z: f64, target: f64) -> f64 {
    libm::log1p(libm::exp(-z.abs())) + z.max(0.0) - z * target
}

/// The objective function.
#[derive(Clone, Copy)]
pub(super) struct Objective<'a> {
    pub(super) design: &'a Design,
    pub(super) target: Target,
    /// Units of an evaluation per logit.
    pub(super) scale: f64,
    pub(super) start: &'a [f64],
    /// The standard deviation of weights around their start; infinite for no ridge.
    pub(super) spread: f64,
}

impl Objective<'_> {
    /// The mean loss of a part, without the ridge.
    pub(super) fn loss(&self, weights: &[f64], part: Part) -> f64 {
        let rows = self.design.part(part);
        let count = rows.len().max(1) as f64;
        let sums = over(rows, |rows| rows.map(|row| self.loss_of(row, weights)).sum::<f64>());
        sums.into_iter().sum::<f64>() / count
    }

    /// The loss of a position.
    pub(super) fn loss_of(&self, row: usize, weights: &[f64]) -> f64 {
        cross_entropy(self.design.evaluation(row, weights) / self.scale, self.target.of(self.design.row(row).label))
    }

    /// The objective over these rows, with its gradient. The ridge is that of all rows to train on.
    pub(super) fn with_gradient(&self, weights: &[f64], rows: std::ops::Range<usize>) -> (f64, Vec<f64>) {
        let count = rows.len().max(1) as f64;
        let parts = over(rows, |rows| self.sums(weights, rows));
        let (mut loss, mut gradient) = (0.0, vec![0.0; weights.len()]);
        for (of_part, slopes) in parts {
            loss += of_part;
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
        }
        loss /= count;
        let ridge = 1.0 / (self.spread * self.spread * self.design.part(Part::Training).len().max(1) as f64);
        for ((slope, weight), start) in gradient.iter_mut().zip(weights).zip(self.start) {
            *slope = *slope / count + ridge * (weight - start);
            loss += 0.5 * ridge * (weight - start) * (weight - start);
        }
        (loss, gradient)
    }

    fn sums(&self, weights: &[f64], rows: std::ops::Range<usize>) -> (f64, Vec<f64>) {
        let (mut loss, mut gradient, mut slopes) = (0.0, vec![0.0; weights.len()], Vec::new());
        for row in rows {
            let z = self.design.evaluation(row, weights) / self.scale;
            let target = self.target.of(self.design.row(row).label);
            loss += cross_entropy(z, target);
            let pull = (sigmoid(z) - target) / self.scale;
            self.design.slopes(row, &mut slopes);
            for (weight, slope) in &slopes {
                gradient[*weight] += pull * slope;
            }
        }
        (loss, gradient)
    }
}

/// The results of `each` for every part of these rows, in order.
fn over<T: Send>(rows: std::ops::Range<usize>, each: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let starts: Vec<usize> = rows.clone().step_by(ROWS).collect();
    starts.into_par_iter().map(|start| each(start..(start + ROWS).min(rows.end))).collect()
}

impl Design {
    /// The scale at which scores explain results best; `None` if positions lack scores or results, or there are too
    /// few.
    pub(super) fn scale_of_scores(&self) -> Option<f64> {
        best_scale(&self.scores_alone()?, Target { lambda: 1.0, scale: 1.0 }, &[1.0])
    }
}

/// The scale at which evaluations explain targets best, found by golden section between 10 and 10,000 units per logit;
/// `None` if all evaluations are 0.
pub(super) fn best_scale(design: &Design, target: Target, weights: &[f64]) -> Option<f64> {
    let says_nothing = design.part(Part::Training).all(|row| design.evaluation(row, weights) == 0.0);
    if says_nothing {
        return None;
    }
    let loss = |log_scale: f64| {
        let scale = libm::exp(log_scale);
        Objective { design, target, scale, start: weights, spread: f64::INFINITY }.loss(weights, Part::Training)
    };
    let (mut low, mut high) = (libm::log(10.0), libm::log(10_000.0));
    let ratio = 0.5 * (libm::sqrt(5.0) - 1.0);
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (loss(left), loss(right));
    for _ in 0..24 {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = loss(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = loss(right);
        }
    }
    Some(libm::exp(0.5 * (low + high)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use stats::random::Stream;

    /// Positions of a model with known weights, whose results are drawn at the given scale.
    pub(in crate::fit) fn drawn(weights: &[f64], rows: usize, scale: f64, seed: u64) -> Design {
        let mut stream = Stream::from_seed(seed);
        let names = (0..weights.len() / 2).map(|n| format!("f{n}")).collect();
        let mut design = Design::new(names, true);
        for row in 0..rows {
            let columns = weights.len() as u32 / 2;
            let mut features: Vec<(u16, f32)> =
                (0..4).map(|_| (stream.below(columns) as u16, stream.sign() as f32)).collect();
            let (phase, part) =
                (stream.uniform() as f32, if row < rows * 9 / 10 { Part::Training } else { Part::HeldOut });
            design.push(&mut features, phase, Label::default(), part);
            let evaluation = design.evaluation(row, weights);
            let wins = stream.uniform() < sigmoid(evaluation / scale);
            design.labels_mut()[row] =
                Label { score: Some(evaluation as f32), result: Some(if wins { 1.0 } else { 0.0 }) };
        }
        design
    }

    pub(in crate::fit) const RESULTS: Target = Target { lambda: 1.0, scale: 100.0 };

    #[test]
    fn slopes_are_differences_of_the_loss() {
        let weights: Vec<f64> = (0..12).map(|n| f64::from(n * 7 % 5) * 20.0 - 40.0).collect();
        let design = drawn(&weights, 500, 150.0, 3);
        let start = vec![5.0; 12];
        let objective = Objective { design: &design, target: RESULTS, scale: 120.0, start: &start, spread: 50.0 };
        let rows = design.part(Part::Training);
        let (_, gradient) = objective.with_gradient(&weights, rows.clone());
        for weight in 0..12 {
            let at = |by: f64| {
                let mut moved = weights.clone();
                moved[weight] += by;
                objective.with_gradient(&moved, rows.clone()).0
            };
            let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
            assert!((slope - gradient[weight]).abs() < 1e-8, "{weight}: {slope} {}", gradient[weight]);
        }
    }

    #[test]
    fn the_scale_is_found() {
        let weights: Vec<f64> = (0..20).map(|n| f64::from(n * 37 % 11) * 40.0 - 200.0).collect();
        let design = drawn(&weights, 40_000, 250.0, 5);
        let scale = best_scale(&design, RESULTS, &weights).unwrap();
        assert!((scale - 250.0).abs() < 8.0, "{scale}");
        assert_eq!(best_scale(&design, RESULTS, &[0.0; 20]), None);
    }

    #[test]
    fn targets_mix_results_and_scores() {
        let target = Target { lambda: 0.25, scale: 100.0 };
        let both = Label { score: Some(0.0), result: Some(1.0) };
        assert!((target.of(both) - 0.625).abs() < 1e-12);
        assert!((target.of(Label { result: None, ..both }) - 0.5).abs() < 1e-12);
        assert!((target.of(Label { score: None, ..both }) - 1.0).abs() < 1e-12);
        assert!(cross_entropy(900.0, 0.0) > 899.0 && cross_entropy(-900.0, 0.0) < 1e-9);
    }
}
