//! Decides on held-out positions whether the fitted weights are better than the start.

use super::design::Part;
use super::objective::Objective;
use serde::Serialize;

/// The number of standard errors that rules out chance.
const CLEAR: f64 = 2.0;

/// The gain of the best weights over the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// The reduction of the mean loss on held-out positions, in nats; negative if the loss is higher.
    pub loss: f64,
    /// The standard error of the reduction. Positions of one game are alike, so the true error is larger.
    pub error: f64,
    /// The verdict.
    pub verdict: Verdict,
}

/// The comparison of the best weights with the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The weights are better by more than chance.
    Better,
    /// The weights may be better by chance.
    Unclear,
    /// The weights are not better.
    Worse,
}

impl Gain {
    /// Compares weights with the start of the fit.
    pub(super) fn of(objective: &Objective<'_>, weights: &[f64]) -> Self {
        let rows = objective.design.part(Part::HeldOut);
        let count = rows.len().max(1) as f64;
        let gains: Vec<f64> =
            rows.map(|row| objective.loss_of(row, objective.start) - objective.loss_of(row, weights)).collect();
        let loss = gains.iter().sum::<f64>() / count;
        let squares: f64 = gains.iter().map(|gain| (gain - loss) * (gain - loss)).sum();
        let error = libm::sqrt(squares / (count - 1.0).max(1.0) / count);
        let verdict = match loss {
            loss if loss <= 0.0 => Verdict::Worse,
            loss if loss < CLEAR * error => Verdict::Unclear,
            _ => Verdict::Better,
        };
        Self { loss, error, verdict }
    }

    /// A warning with a remedy, unless the weights are better.
    pub(super) fn warning(&self) -> Option<String> {
        let Self { loss, error, verdict } = self;
        let remedy = "fit to more games, or hold weights nearer to the start with a smaller `spread`";
        let by = format!("{:.5} ± {error:.5}", loss.abs());
        match verdict {
            Verdict::Better => None,
            Verdict::Worse => Some(format!(
                "the fitted weights are worse than the start on positions held out, by {by} nats. Keep the start; \
                {remedy}"
            )),
            Verdict::Unclear => Some(format!(
                "the fitted weights are better than the start on positions held out by {by} nats, which can be chance. \
                    Let games \
                 decide; {remedy}"
            )),
        }
    }
}
