//! The operating characteristic of a sequential test: its behaviour at some true differences, and where it takes
//! longest.

use super::prospect::score_at;
use super::{Conditions, PlanError, Prospect};
use crate::elo;
use crate::sprt::SprtConfig;

/// Default true differences, in widths of the test above H0.
const GRID: [f64; 9] = [-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0];

/// A true difference, and the behaviour of the test there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatingPoint {
    /// The difference in logistic Elo.
    pub elo: f64,
    /// The difference in normalized Elo, at the noise between equal sides.
    pub nelo: f64,
    /// The behaviour of the test.
    pub prospect: Prospect,
}

/// The behaviour of a sequential test at some true differences.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatingCharacteristic {
    /// The points in the requested order, or rising by default.
    pub points: Vec<OperatingPoint>,
    /// The behaviour at the difference where the test takes longest.
    pub worst: Prospect,
}

impl OperatingCharacteristic {
    /// Computes the points at these differences in logistic Elo, or around the two hypotheses if none is given. Ignores
    /// differences that are not finite.
    ///
    /// # Errors
    /// [`PlanError::Test`] if the configuration is not a valid test.
    pub fn new(config: &SprtConfig, conditions: &Conditions, at: &[f64]) -> Result<Self, PlanError> {
        config.check()?;
        let elos = if at.is_empty() { around_hypotheses(config, conditions).to_vec() } else { at.to_vec() };
        let sigma = conditions.variance_per_game().sqrt();
        let point = |elo: f64| {
            let nelo = (elo::expected_score(elo) - 0.5) / sigma * elo::NELO_PER_SIGMA;
            Ok(OperatingPoint { elo, nelo, prospect: Prospect::new(config, conditions, elo)? })
        };
        let points = elos.into_iter().filter(|elo| elo.is_finite()).map(point).collect::<Result<_, PlanError>>()?;
        Ok(Self { points, worst: Prospect::worst(config, conditions)? })
    }
}

fn around_hypotheses(config: &SprtConfig, conditions: &Conditions) -> [f64; 9] {
    let width = config.elo1 - config.elo0;
    GRID.map(|step| elo::elo_of_score(score_at(config.model, config.elo0 + step * width, conditions)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::Model;

    #[test]
    fn the_grid_holds_both_hypotheses() {
        let conditions = Conditions::new(0.6, 100.0).unwrap();
        for model in [Model::Logistic, Model::Normalized, Model::Bayesian] {
            let config = SprtConfig { elo0: -1.0, elo1: 3.0, model, ..SprtConfig::default() };
            let OperatingCharacteristic { points, worst } =
                OperatingCharacteristic::new(&config, &conditions, &[]).unwrap();
            assert_eq!(points.len(), GRID.len());
            let [h0, h1] = [points[2].prospect.pass, points[6].prospect.pass];
            assert!((h0 - config.alpha).abs() < 1e-6 && (1.0 - h1 - config.beta).abs() < 1e-6, "{h0} {h1}");
            assert!(points.is_sorted_by(|a, b| a.elo < b.elo && a.nelo < b.nelo && a.prospect.pass < b.prospect.pass));
            assert!(points.iter().all(|point| point.prospect.games <= worst.games * (1.0 + 1e-5)), "{points:?}");
        }
    }

    #[test]
    fn what_is_asked_for_is_kept_in_order() {
        let conditions = Conditions::new(0.3, 0.0).unwrap();
        let asked = OperatingCharacteristic::new(&SprtConfig::default(), &conditions, &[4.0, f64::NAN, 0.0]).unwrap();
        assert_eq!(asked.points.iter().map(|point| point.elo).collect::<Vec<_>>(), [4.0, 0.0]);
        let none = SprtConfig { elo1: -1.0, ..SprtConfig::default() };
        assert!(OperatingCharacteristic::new(&none, &conditions, &[]).is_err());
    }
}
