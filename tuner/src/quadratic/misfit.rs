//! Tests whether the model predicts anything: every pair is held back until it has been predicted.
//!
//! With p the prediction of a pair's wins minus losses y by the posterior before the pair, of variance s^2, the slope
//! beta of y on p is about 1 if engines match the model, less if the model promises too much, and 0 if nothing has any
//! effect: the model's optimum is then the luckiest of many points, and its gain is mere luck. Before any pair beta is
//! either exactly 0, with the probability `NOTHING`, or N(`SLOPE`, `SPREAD`^2). The reported gain is the model's times
//! the probability that beta is not 0. All pairs have equal weight, however old, because the position of the start was
//! learnt first.
//!
//! Early predictions promise too much on any engine, so beta itself corrects nothing.

use crate::method::Estimate;

/// The probability, before any pair, that nothing has any effect.
const NOTHING: f64 = 0.5;
/// The mean and standard deviation of the slope of results on predictions otherwise.
const SLOPE: f64 = 0.6;
const SPREAD: f64 = 0.3;

/// Late predictions fail if their slope is this many errors below this value.
const FAILING: (f64, f64) = (2.0, 0.5);
/// How many times as fast as pairs the late ones fade.
const LATE: f64 = 2.0;

/// Sums over predictions and results.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Predictions {
    /// The sum of predictions times results.
    product: f64,
    /// The sum of squared predictions.
    square: f64,
    /// Both sums for late pairs: old ones fade.
    late: (f64, f64),
}

impl Predictions {
    /// Compares a pair's result with its prediction.
    pub(super) fn compare(&mut self, predicted: f64, net: f64) {
        if predicted.is_finite() {
            self.product += predicted * net;
            self.square += predicted * predicted;
            self.late.0 += predicted * net;
            self.late.1 += predicted * predicted;
        }
    }

    /// Fades old pairs by the share of new ones.
    pub(super) fn fade(&mut self, new: f64) {
        let keep = libm::pow(1.0 - new, LATE);
        self.late.0 *= keep;
        self.late.1 *= keep;
    }

    /// The slope of late results on predictions, if it is surely too small.
    pub(super) fn failing(&self, variance: f64) -> Option<Estimate> {
        let (product, square) = self.late;
        let slope = Estimate { mean: product / square, sd: libm::sqrt(variance / square) };
        (slope.mean + FAILING.0 * slope.sd < FAILING.1).then_some(slope)
    }

    /// The probability that the model predicts anything, if a pair's result has this variance.
    fn meaning(&self, variance: f64) -> f64 {
        let (sharp, known) = (1.0 / (SPREAD * SPREAD), self.square / variance);
        let mean = (self.product / variance + sharp * SLOPE) / (sharp + known);
        let explained = (sharp + known) * mean * mean - sharp * SLOPE * SLOPE;
        let evidence = 0.5 * (explained + libm::log(sharp / (sharp + known)));
        let odds = (1.0 - NOTHING) / NOTHING * libm::exp(evidence.clamp(-700.0, 700.0));
        odds / (1.0 + odds)
    }

    /// The gain that a model reports, weighted by the credibility of its predictions.
    pub(super) fn temper(&self, gain: Estimate, variance: f64) -> Estimate {
        let probability = self.meaning(variance);
        let square = gain.sd * gain.sd + (1.0 - probability) * gain.mean * gain.mean;
        Estimate { mean: probability * gain.mean, sd: libm::sqrt(probability * square) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn tempered(truth: f64) -> f64 {
        let mut predictions = Predictions::default();
        let mut stream = Stream::from_seed(4);
        for _ in 0..40_000 {
            let predicted = 0.05 * stream.normal();
            predictions.compare(predicted, truth * predicted + 0.86 * stream.normal());
        }
        predictions.temper(Estimate { mean: 10.0, sd: 2.0 }, 0.74).mean
    }

    #[test]
    fn a_gain_stands_only_if_predictions_came_true() {
        assert!(tempered(1.0) > 9.9);
        assert!(tempered(0.0) < 1.0);
    }

    #[test]
    fn late_predictions_fail_where_results_no_longer_follow_them() {
        let failing = |truth: f64| {
            let mut predictions = Predictions::default();
            let mut stream = Stream::from_seed(4);
            for pair in 0..40_000 {
                let predicted = 0.05 * stream.normal();
                let follows = if pair < 20_000 { 1.0 } else { truth };
                predictions.compare(predicted, follows * predicted + 0.86 * stream.normal());
                if pair % 100 == 99 {
                    predictions.fade(100.0 / (pair + 1) as f64);
                }
            }
            predictions.failing(0.74)
        };
        assert_eq!((failing(1.0), Predictions::default().failing(0.74)), (None, None));
        assert!(failing(-0.5).is_some_and(|slope| slope.mean < 0.3), "{:?}", failing(-0.5));
    }

    #[test]
    fn before_any_pair_half_of_it_stands() {
        let gain = Predictions::default().temper(Estimate { mean: 10.0, sd: 2.0 }, 1.0);
        assert!((gain.mean - 5.0).abs() < 1e-9 && gain.sd > 2.0, "{gain:?}");
    }

    #[test]
    fn predictions_that_are_not_numbers_leave_no_trace() {
        let mut predictions = Predictions::default();
        predictions.compare(f64::NAN, 1.0);
        assert!(predictions.square <= 0.0);
    }
}
