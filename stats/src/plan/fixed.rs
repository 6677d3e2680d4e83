//! Tests of fixed length: play a fixed number of games, then call the patch stronger if its LOS exceeds 1 - alpha.

use super::{Conditions, Goal, PlanError, bounds_for};
use crate::elo;
use crate::normal::{self, Z95};
use crate::sprt::{SprtConfig, is_error_rate};

/// The true differences for which [`Resolution`] has the power, as multiples of the difference that is found with
/// probability 1 - beta.
const GRID: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5];

/// The power of a match of fixed length at one true difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// The difference in logistic Elo.
    pub elo: f64,
    /// The difference in normalized Elo, at the noise between equal sides.
    pub nelo: f64,
    /// Probability that the difference is found, 0 to 1.
    pub power: f64,
}

/// The resolution of a match of fixed length, and the sequential tests that take as many games.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// Half-width of the 95% interval between equal sides, in nElo.
    pub margin: f64,
    /// Difference that is found with probability 1 - beta, in nElo.
    pub resolved: f64,
    /// The power at true differences, by rising difference.
    pub points: Vec<Power>,
    /// The test for a gain that takes at most as many games on average, for any true difference.
    pub gain: SprtConfig,
    /// The same test for no loss.
    pub no_loss: SprtConfig,
}

impl Resolution {
    /// Computes the resolution of a match of `games` games, played in pairs.
    ///
    /// # Errors
    /// [`PlanError`] if the number of games or an error rate is out of range.
    pub fn new(conditions: &Conditions, games: f64, alpha: f64, beta: f64) -> Result<Self, PlanError> {
        // Also refuses a number of games or a rate that is out of range.
        let gain = bounds_for(Goal::Gain, games, alpha, beta)?;
        let no_loss = bounds_for(Goal::NoLoss, games, alpha, beta)?;
        let per_error = elo::NELO_PER_SIGMA / games.sqrt();
        let resolved = -(normal::quantile(alpha) + normal::quantile(beta)) * per_error;
        let sigma = conditions.variance_per_game().sqrt();
        let point = |step: f64| {
            let nelo = step * resolved;
            let score = 0.5 + nelo / elo::NELO_PER_SIGMA * sigma;
            Ok(Power { elo: elo::elo_of_score(score), nelo, power: power(conditions, score, games, alpha)? })
        };
        let points = GRID.into_iter().map(point).collect::<Result<_, PlanError>>()?;
        Ok(Self { margin: Z95 * per_error, resolved, points, gain, no_loss })
    }
}

/// Probability, 0 to 1, that after `games` games (played in pairs) the LOS exceeds 1 - `alpha`, at a true expected
/// score.
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

fn quantile(rate: f64) -> Result<f64, PlanError> {
    if is_error_rate(rate) { Ok(normal::quantile(rate)) } else { Err(PlanError::ErrorRate(rate)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_resolved_is_found_as_often_as_asked() {
        let conditions = Conditions::new(0.4, 50.0).unwrap();
        let found = Resolution::new(&conditions, 5000.0, 0.05, 0.1).unwrap();
        let [least, most] = [found.points[0], found.points[4]];
        assert!((least.power - 0.05).abs() < 1e-9 && (most.power - 0.9).abs() < 1e-9, "{found:?}");
        assert!((most.nelo - found.resolved).abs() < 1e-12 && (found.gain.elo1 + found.no_loss.elo0).abs() < 1e-12);
        assert!(Resolution::new(&conditions, 0.0, 0.05, 0.05).is_err());
    }
}
