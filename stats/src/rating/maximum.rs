//! Maximum likelihood of wins, draws and losses under the draw model, by Fisher scoring from the solution of the points
//! equations.

use super::RatingError;
use super::draws::draw_probability;
use super::results::Results;
use crate::elo::logistic;
use crate::matrix::Matrix;

const MAX_STEPS: usize = 100;
const LAST_STEP: f64 = 1e-11;

/// The three probabilities of a seating, and their derivatives by the expected score and by ln f.
struct Probabilities {
    p: [f64; 3],
    by_score: [f64; 3],
    by_log_f: [f64; 3],
}

impl Probabilities {
    fn new(e: f64, log_f: f64) -> Self {
        let f = libm::exp(log_f);
        let draw = draw_probability(e, 1.0 / (1.0 + 2.0 * f));
        // From (f^2 - 1/4) d^2 + d/2 = e(1-e), differentiated.
        let slope = 2.0 * (f * f - 0.25) * draw + 0.5;
        let draw_by_score = (1.0 - 2.0 * e) / slope;
        let draw_by_log_f = -2.0 * f * f * draw * draw / slope;
        Self {
            p: [1.0 - e - draw / 2.0, draw, e - draw / 2.0],
            by_score: [-1.0 - draw_by_score / 2.0, draw_by_score, 1.0 - draw_by_score / 2.0],
            by_log_f: [-draw_by_log_f / 2.0, draw_by_log_f, -draw_by_log_f / 2.0],
        }
    }
}

/// The parameters (ratings in logits, the pinned centre, the first mover's advantage) and the draw rate between equals,
/// from a start. Without draws, or with only draws, the likelihood has no maximum in the draw rate, and the start is
/// returned.
pub(super) fn likelihood(
    results: &Results,
    mut theta: Vec<f64>,
    draw_rate: f64,
) -> Result<(Vec<f64>, f64), RatingError> {
    if !(draw_rate > 1e-9 && draw_rate < 1.0 - 1e-9) {
        return Ok((theta, draw_rate));
    }
    let n = results.entrants();
    // The centre's entry, unused without a prior, holds ln f during the fit.
    theta[n] = libm::log((1.0 - draw_rate) / (2.0 * draw_rate));
    for _ in 0..MAX_STEPS {
        let (gradient, information) = scores(results, &theta);
        let inverse = information.inverse().ok_or(RatingError::NotComparable)?;
        let step = inverse.times(&gradient);
        let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        let length = (1.0 / longest).min(1.0);
        for (t, s) in theta.iter_mut().zip(&step) {
            *t += length * s;
        }
        if longest < LAST_STEP {
            let draw_rate = 1.0 / (1.0 + 2.0 * libm::exp(theta[n]));
            theta[n] = 0.0;
            return Ok((theta, draw_rate));
        }
    }
    Err(RatingError::NotComparable)
}

/// Gradient of the log-likelihood, and the expected information, with entrant 0 pinned.
fn scores(results: &Results, theta: &[f64]) -> (Vec<f64>, Matrix) {
    let n = results.entrants();
    let mut gradient = vec![0.0; n + 2];
    let mut information = Matrix::zero(n + 2);
    for (&(first, second), counts) in &results.by_seats() {
        let e = logistic(theta[first] - theta[second] + theta[n + 1]);
        let model = Probabilities::new(e, theta[n]);
        let games: f64 = counts.iter().sum();
        for (k, count) in counts.iter().enumerate() {
            let by_x = model.by_score[k] * e * (1.0 - e);
            let by = [(first, by_x), (second, -by_x), (n + 1, by_x), (n, model.by_log_f[k])];
            for (parameter, slope) in by {
                gradient[parameter] += count / model.p[k] * slope;
            }
            information.add_square(games / model.p[k], &by);
        }
    }
    gradient[0] = 0.0;
    information.pin(0);
    (gradient, information)
}
