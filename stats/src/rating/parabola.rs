//! A parabola through ratings: strength as a function of one number, such as a parameter's value or the doublings of a
//! limit.
//!
//! Ratings are known relative to each other, and are correlated. So the parabola is fitted to the differences of
//! neighbours by generalised least squares with their joint covariance (Aitken 1936), and does not determine the level.

use super::Ratings;
use crate::estimate::Estimate;
use crate::matrix::Matrix;
use crate::normal::Z95;

/// The fewest ratings for a fit, one more than a parabola passes through exactly.
pub const LEAST_POINTS: usize = 4;

/// Elo as a quadratic function of x, up to a constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Parabola {
    /// The origin of x, in units of `scale`, which keeps the equations well conditioned.
    centre: f64,
    scale: f64,
    slope: f64,
    curvature: f64,
    /// The covariance of slope and curvature: variance, covariance, variance.
    covariance: [f64; 3],
    /// Squared distance of the ratings from the parabola in standard errors: chi-squared, if the parabola is the truth.
    pub misfit: f64,
    /// Degrees of freedom of `misfit`.
    pub freedom: usize,
}

impl Parabola {
    /// Fits the ratings of entrants 0, 1, ... at `x`, which must rise; ignores further entrants. `None` for fewer than
    /// [`LEAST_POINTS`], for x that do not rise or are not finite, or for ratings without a covariance.
    pub fn fit(ratings: &Ratings, x: &[f64]) -> Option<Self> {
        let n = x.len();
        let rises = x.windows(2).all(|two| two[0] < two[1]) && x.iter().all(|x| x.is_finite());
        if n < LEAST_POINTS || n > ratings.entrants.len() || !rises {
            return None;
        }
        let (centre, scale) = (f64::midpoint(x[0], x[n - 1]), (x[n - 1] - x[0]) / 2.0);
        let t: Vec<f64> = x.iter().map(|x| (x - centre) / scale).collect();
        let precision = differences(ratings, n).inverse()?;
        let rise = |f: &dyn Fn(usize) -> f64| -> Vec<f64> { (1..n).map(|k| f(k) - f(k - 1)).collect() };
        let (linear, square) = (rise(&|k| t[k]), rise(&|k| t[k] * t[k]));
        let elo = rise(&|k| ratings.entrants[k].elo.value);
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(precision.times(b)).map(|(a, b)| a * b).sum::<f64>();
        let (a, b, d) = (inner(&linear, &linear), inner(&linear, &square), inner(&square, &square));
        let determinant = a * d - b * b;
        if determinant <= 0.0 {
            return None;
        }
        let (u, v) = (inner(&linear, &elo), inner(&square, &elo));
        let (slope, curvature) = ((d * u - b * v) / determinant, (a * v - b * u) / determinant);
        let covariance = [d / determinant, -b / determinant, a / determinant];
        let off: Vec<f64> = (0..n - 1).map(|k| elo[k] - slope * linear[k] - curvature * square[k]).collect();
        Some(Self { centre, scale, slope, curvature, covariance, misfit: inner(&off, &off), freedom: n - 3 })
    }

    /// Elo at `x` less Elo at `reference`, with its 95% interval.
    pub fn gain(&self, x: f64, reference: f64) -> Estimate {
        let [t, r] = [x, reference].map(|x| (x - self.centre) / self.scale);
        let (p, q) = (t - r, t * t - r * r);
        let [pp, pq, qq] = self.covariance;
        let variance = p * p * pp + 2.0 * p * q * pq + q * q * qq;
        Estimate::normal(self.slope * p + self.curvature * q, variance.max(0.0).sqrt())
    }

    /// The x at which Elo is highest, with its 95% interval by the delta method; `None` unless the curvature is
    /// certainly (95%) negative: else the parabola has no meaningful summit.
    pub fn summit(&self) -> Option<Estimate> {
        let [pp, pq, qq] = self.covariance;
        if self.curvature + Z95 * qq.sqrt() >= 0.0 {
            return None;
        }
        let t = -self.slope / (2.0 * self.curvature);
        let (by_slope, by_curvature) = (-1.0 / (2.0 * self.curvature), -t / self.curvature);
        let variance = by_slope * by_slope * pp + 2.0 * by_slope * by_curvature * pq + by_curvature * by_curvature * qq;
        Some(Estimate::normal(self.centre + self.scale * t, self.scale * variance.max(0.0).sqrt()))
    }
}

/// The covariance of the differences of neighbours among the first `n`. If a difference is less certain than its
/// scatter, as for a few equal pairs, adds the missing variance.
fn differences(ratings: &Ratings, n: usize) -> Matrix {
    let c = &ratings.covariance;
    let mut joint = Matrix::zero(n - 1);
    for i in 1..n {
        for j in 1..n {
            joint.add(i - 1, j - 1, (c.at(i, j) - c.at(i, j - 1)) - (c.at(i - 1, j) - c.at(i - 1, j - 1)));
        }
    }
    for k in 1..n {
        let error = ratings.difference(k - 1, k).map_or(0.0, |d| (d.high - d.low) / 2.0 / Z95);
        let missing = error * error - joint.at(k - 1, k - 1);
        if missing > 1e-6 * joint.at(k - 1, k - 1) && missing.is_finite() {
            joint.add(k - 1, k - 1, missing);
        }
    }
    joint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PairCounts;
    use crate::rating::{RatingSettings, Results, rate};

    /// Neighbours play this many pairs at the score that is likely for their difference in Elo.
    fn ratings(elo: &[f64], pairs: f64) -> Ratings {
        let mut results = Results::new(elo.len());
        for k in 1..elo.len() {
            let p = 1.0 / (1.0 + libm::pow(10.0, (elo[k] - elo[k - 1]) / 400.0));
            let wins = (pairs * p * p).round() as u64;
            let losses = (pairs * (1.0 - p) * (1.0 - p)).round() as u64;
            let counts = PairCounts([losses, 0, (pairs as u64).saturating_sub(wins + losses), 0, 0, wins]);
            results.add_counts(k - 1, k, &counts).unwrap();
        }
        rate(&results, &RatingSettings { first_mover: false, ..RatingSettings::default() }).unwrap()
    }

    #[test]
    fn a_parabola_is_found_again() {
        let x = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
        let elo = x.map(|x: f64| -800.0 * (x - 0.2) * (x - 0.2));
        let fitted = Parabola::fit(&ratings(&elo, 1e6), &x).unwrap();
        let summit = fitted.summit().unwrap();
        assert!((summit.value - 0.2).abs() < 0.01, "{summit:?}");
        assert!(summit.low < 0.2 && summit.high > 0.2, "{summit:?}");
        let gain = fitted.gain(0.2, 0.5);
        assert!((gain.value - 72.0).abs() < 1.0 && gain.low < gain.value, "{gain:?}");
        assert!(fitted.freedom == 3 && fitted.misfit < 9.0, "{fitted:?}");
        let nothing = fitted.gain(0.3, 0.3);
        assert!(nothing.value.abs() < 1e-12 && (nothing.high - nothing.low).abs() < 1e-9);
    }

    #[test]
    fn fewer_games_say_less_and_a_straight_line_has_no_summit() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        let elo = x.map(|x: f64| -40.0 * (x - 3.0) * (x - 3.0));
        let width = |pairs| {
            let summit = Parabola::fit(&ratings(&elo, pairs), &x).unwrap().summit().unwrap();
            summit.high - summit.low
        };
        assert!(width(1e3) > 5.0 * width(1e5));
        let line = Parabola::fit(&ratings(&x.map(|x| 30.0 * x), 1e4), &x).unwrap();
        assert_eq!(line.summit(), None);
        assert!((line.gain(5.0, 1.0).value - 120.0).abs() < 3.0);
    }

    #[test]
    fn what_makes_no_parabola_is_refused() {
        let ratings = ratings(&[0.0, 1.0, 2.0, 3.0], 100.0);
        assert!(Parabola::fit(&ratings, &[1.0, 2.0, 3.0]).is_none());
        assert!(Parabola::fit(&ratings, &[1.0, 2.0, 3.0, 4.0, 5.0]).is_none());
        assert!(Parabola::fit(&ratings, &[1.0, 2.0, 2.0, 3.0]).is_none());
        assert!(Parabola::fit(&ratings, &[1.0, 2.0, 3.0, f64::INFINITY]).is_none());
        assert!(Parabola::fit(&ratings, &[1.0, 2.0, 3.0, 4.0]).is_some());
    }
}
