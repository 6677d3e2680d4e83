//! What a match of fixed length can tell, and which sequential tests take about as many games.

use super::{conditions, conditions_in_words, games, seconds, time};
use crate::args::calculators::{Plan, Risks};
use crate::summary::{finite, hypotheses};
use crate::text::signed;
use serde_json::{Value, json};
use stats::plan::fixed::power;
use stats::plan::{Conditions, Goal, PlanError, bounds_for};
use stats::{SprtConfig, elo, normal};
use std::fmt::Write;

/// True differences in the table, in differences that are found with probability 1 - beta.
const GRID: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5];

/// What the match finds at one true difference.
struct Point {
    elo: f64,
    nelo: f64,
    power: f64,
}

/// What a match of this length can tell.
struct Resolution {
    /// Half-width of the 95% interval between equal sides, in nElo.
    margin: f64,
    /// Difference found with probability 1 - beta, in nElo.
    resolved: f64,
    points: Vec<Point>,
    gain: SprtConfig,
    no_loss: SprtConfig,
}

pub(super) fn plan(plan: &Plan, budget: f64) -> Result<(Value, String), PlanError> {
    let conditions = conditions(plan)?;
    let resolution = Resolution::new(&conditions, budget, &plan.test.risks)?;
    let bounds =
        |config: SprtConfig| json!({ "elo0": config.elo0, "elo1": config.elo1, "model": config.model.to_string() });
    let sprt = [resolution.gain, resolution.no_loss].map(bounds);
    let value = json!({
        "games": budget, "alpha": plan.test.risks.alpha, "beta": plan.test.risks.beta,
        "draw_ratio": plan.draws, "rms_bias": plan.bias, "variance_per_game": conditions.variance_per_game(),
        "seconds": seconds(budget, plan.rate).map_or(Value::Null, finite),
        "nelo_margin": finite(resolution.margin), "nelo_resolved": finite(resolution.resolved),
        "points": resolution.points.iter().map(Point::json).collect::<Vec<_>>(),
        "sprt": sprt,
    });
    Ok((value, text(plan, budget, &resolution)))
}

impl Resolution {
    fn new(conditions: &Conditions, budget: f64, risks: &Risks) -> Result<Self, PlanError> {
        let &Risks { alpha, beta } = risks;
        // Also refuses a budget or a risk that is out of range.
        let gain = bounds_for(Goal::Gain, budget, alpha, beta)?;
        let no_loss = bounds_for(Goal::NoLoss, budget, alpha, beta)?;
        let per_error = elo::NELO_PER_SIGMA / budget.sqrt();
        let resolved = -(normal::quantile(alpha) + normal::quantile(beta)) * per_error;
        let sigma = conditions.variance_per_game().sqrt();
        let point = |step: f64| {
            let nelo = step * resolved;
            let score = 0.5 + nelo / elo::NELO_PER_SIGMA * sigma;
            Ok(Point { elo: elo::elo_of_score(score), nelo, power: power(conditions, score, budget, alpha)? })
        };
        let points = GRID.into_iter().map(point).collect::<Result<_, PlanError>>()?;
        Ok(Self { margin: normal::Z95 * per_error, resolved, points, gain, no_loss })
    }
}

impl Point {
    fn json(&self) -> Value {
        json!({ "elo": finite(self.elo), "nelo": finite(self.nelo), "power": finite(self.power) })
    }
}

/// A bound to two decimals, away from 0: the test is a little shorter, not longer.
fn widened(elo: f64) -> f64 {
    (elo.abs() * 100.0).ceil().copysign(elo) / 100.0
}

fn text(plan: &Plan, budget: f64, resolution: &Resolution) -> String {
    let Risks { alpha, beta } = plan.test.risks;
    let time = time(budget, plan.rate);
    let time = if time.is_empty() { time } else { format!(" · {time}") };
    let mut text = format!("{} games, in pairs · {}{time}\n\n", games(budget), conditions_in_words(plan));
    let mut line = |row: String| {
        let _never_fails = writeln!(text, "{row}");
    };
    line(format!("Between equals the result is 0 ± {:.1} nElo (95%).", resolution.margin));
    let (found, resolved) = (100.0 * (1.0 - beta), resolution.resolved);
    line(format!(
        "A gain of {resolved:.1} nElo is found in {found}% of matches, by LOS above {}%:\n",
        100.0 * (1.0 - alpha)
    ));
    line(format!("{:>10}{:>10}{:>10}", "true Elo", "nElo", "found"));
    for Point { elo, nelo, power } in &resolution.points {
        line(format!("{:>10}{:>10}{:>9.1}%", signed(*elo, 2), signed(*nelo, 2), 100.0 * power));
    }
    line("\nSequential tests that take at most as many games on average, whatever is true:".to_owned());
    for (goal, config) in [("a gain", resolution.gain), ("no loss", resolution.no_loss)] {
        let config = SprtConfig { elo0: widened(config.elo0), elo1: widened(config.elo1), ..config };
        line(format!("  for {goal:<8} {}", hypotheses(&config)));
    }
    text
}
