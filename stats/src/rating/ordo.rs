//! Ratings as Ordo computes them: no prior, games assumed independent, its own scale (76% at a difference of 202).
//!
//! Source: the behaviour of Ordo 1.2 (M. A. Ballicora); its options are named where they correspond. If Ordo purges
//! entrants or refuses to rate, this module returns an error: [`super::rate`] handles those cases.

use super::draws::draw_probability;
use super::fit::{Model, Problem};
use super::nuisance::draw_rate;
use super::results::Results;
use super::{RatingError, deviation, groups, maximum};
use crate::matrix::Matrix;
use crate::normal::Z95;
use std::collections::BTreeMap;

/// The parameters that Ordo fits besides the ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrdoMode {
    /// Ratings alone; the first mover has no advantage.
    Plain,
    /// The first mover's advantage from its points, the draw rate from the draws (`-W -D`).
    SeatsAndDraws,
    /// All parameters by maximum likelihood of wins, draws and losses (`-W -D -M`).
    MaximumLikelihood,
}

/// The reference of the ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference {
    /// One entrant's rating is known (`-A` and `-a`); errors are those of the difference to it.
    Anchor {
        /// The entrant.
        entrant: usize,
        /// Its rating.
        rating: f64,
    },
    /// The mean of all ratings is known (`-a`); errors are those of the difference to the mean.
    Mean(f64),
}

/// Ratings on Ordo's scale.
#[derive(Debug, Clone, PartialEq)]
pub struct OrdoRatings {
    /// The ratings, by index of the entrant.
    pub ratings: Vec<f64>,
    /// Half-widths of the 95% intervals. Ordo simulates them; these are the limits of its simulation.
    pub errors: Vec<f64>,
    /// Advantage of the first mover.
    pub first_mover: f64,
    /// Half-width of its 95% interval.
    pub first_mover_error: f64,
    /// Draws per game between equals, 0 to 1.
    pub draw_rate: f64,
}

/// Rating points per logit: 76% at 202.
fn per_logit() -> f64 {
    202.0 / libm::log(0.76 / 0.24)
}

/// Rates entrants as Ordo does.
///
/// # Errors
/// [`RatingError::NotComparable`] if Ordo would purge an entrant or refuse, [`RatingError::UnknownEntrant`] for an
/// unknown anchor, [`RatingError::Anchor`] for a rating that is not a number.
pub fn rate(results: &Results, mode: OrdoMode, reference: Reference) -> Result<OrdoRatings, RatingError> {
    reference.check(results)?;
    let model = Model::Games { seat: mode != OrdoMode::Plain };
    if groups::groups(results, model).iter().any(|g| *g > 0) {
        return Err(RatingError::NotComparable);
    }
    let problem = Problem { prior: 0.0, anchors: BTreeMap::new(), model };
    let fit = problem.solve(results)?;
    let mut draws = draw_rate(results, &fit).ok_or(RatingError::NotComparable)?.value;
    let variance = |e: f64| e * (1.0 - e) - draw_probability(e, draws) / 4.0;
    let covariance = fit.independent_covariance(results, variance);
    let mut theta = fit.theta;
    if mode == OrdoMode::MaximumLikelihood {
        (theta, draws) = maximum::likelihood(results, theta, draws)?;
    }
    Ok(on_ordos_scale(&theta, &covariance, draws, reference))
}

impl Reference {
    fn check(self, results: &Results) -> Result<(), RatingError> {
        let entrants = results.entrants();
        let (entrant, rating) = match self {
            Self::Anchor { entrant, rating } => (entrant, rating),
            Self::Mean(rating) => (0, rating),
        };
        if entrant >= entrants {
            Err(RatingError::UnknownEntrant { entrant, entrants })
        } else if rating.is_finite() {
            Ok(())
        } else {
            Err(RatingError::Anchor { entrant, rating })
        }
    }
}

/// Ratings and errors from parameters in logits.
fn on_ordos_scale(theta: &[f64], covariance: &Matrix, draw_rate: f64, reference: Reference) -> OrdoRatings {
    let n = theta.len() - 2;
    let zero = match reference {
        Reference::Anchor { entrant, rating } => rating - theta[entrant] * per_logit(),
        Reference::Mean(rating) => rating - theta[..n].iter().sum::<f64>() / n as f64 * per_logit(),
    };
    let error = |x: &[f64]| {
        let variance: f64 = covariance.times(x).iter().zip(x).map(|(a, b)| a * b).sum();
        Z95 * deviation(variance) * per_logit()
    };
    let mut seat = vec![0.0; n + 2];
    seat[n + 1] = 1.0;
    OrdoRatings {
        ratings: theta[..n].iter().map(|r| r * per_logit() + zero).collect(),
        errors: (0..n).map(|k| error(&contrast(reference, k, n))).collect(),
        first_mover: theta[n + 1] * per_logit(),
        first_mover_error: error(&seat),
        draw_rate,
    }
}

/// The difference of entrant `k` to the reference, as weights of the parameters.
fn contrast(reference: Reference, k: usize, n: usize) -> Vec<f64> {
    let mut x = vec![0.0; n + 2];
    match reference {
        Reference::Anchor { entrant, .. } => x[entrant] -= 1.0,
        Reference::Mean(_) => x[..n].iter_mut().for_each(|w| *w -= 1.0 / n as f64),
    }
    x[k] += 1.0;
    x
}
