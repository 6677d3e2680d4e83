//! Tests of fixed length: play so many games, then call the patch stronger if its LOS exceeds 1 - alpha.

use super::{Conditions, PlanError};
use crate::normal;
use crate::sprt::is_error_rate;

/// Probability, 0 to 1, that after `games` games (played in pairs) the LOS exceeds 1 - `alpha`, at a true expected score.
///
/// # Errors
/// [`PlanError`] if the number of games or alpha is out of range.
pub fn power(conditions: &Conditions, score: f64, games: f64, alpha: f64) -> Result<f64, PlanError> {
    if !(games > 0.0 && games.is_finite()) {
        return Err(PlanError::Budget(games));
    }
    let signal = (score - 0.5) * (games / conditions.variance_per_game()).sqrt();
    Ok(normal::cdf(signal + quantile(alpha)?))
}

/// Games (played in pairs) after which a patch of this expected score, above 1/2, is called stronger with probability
/// 1 - `beta`; infinite for a score that is not above 1/2.
///
/// # Errors
/// [`PlanError`] if an error rate is out of range.
pub fn games_needed(conditions: &Conditions, score: f64, alpha: f64, beta: f64) -> Result<f64, PlanError> {
    let signal = -(quantile(alpha)? + quantile(beta)?);
    if score <= 0.5 {
        return Ok(f64::INFINITY);
    }
    let errors = signal / (score - 0.5);
    Ok(conditions.variance_per_game() * errors * errors)
}

fn quantile(rate: f64) -> Result<f64, PlanError> {
    if is_error_rate(rate) { Ok(normal::quantile(rate)) } else { Err(PlanError::ErrorRate(rate)) }
}
