//! What a match of fixed length can detect, and which sequential tests take about as many games.

use super::{conditions, conditions_in_words, games, seconds, time};
use crate::args::calculators::{Plan, Risks};
use reports::summary::{finite, hypotheses};
use reports::text::signed;
use serde_json::{Value, json};
use stats::SprtConfig;
use stats::plan::PlanError;
use stats::plan::fixed::{Power, Resolution};
use std::fmt::Write;

pub(super) fn plan(plan: &Plan, budget: f64) -> Result<(Value, String), PlanError> {
    let conditions = conditions(plan)?;
    let Risks { alpha, beta } = plan.test.risks;
    let resolution = Resolution::new(&conditions, budget, alpha, beta)?;
    let bounds =
        |config: SprtConfig| json!({ "elo0": config.elo0, "elo1": config.elo1, "model": config.model.to_string() });
    let sprt = [resolution.gain, resolution.no_loss].map(bounds);
    let value = json!({
        "games": budget, "alpha": alpha, "beta": beta,
        "draw_ratio": plan.draws, "rms_bias": plan.bias, "variance_per_game": conditions.variance_per_game(),
        "seconds": seconds(budget, plan.rate).map_or(Value::Null, finite),
        "nelo_margin": finite(resolution.margin), "nelo_resolved": finite(resolution.resolved),
        "points": resolution.points.iter().map(point_json).collect::<Vec<_>>(),
        "sprt": sprt,
    });
    Ok((value, text(plan, budget, &resolution)))
}

fn point_json(&Power { elo, nelo, power }: &Power) -> Value {
    json!({ "elo": finite(elo), "nelo": finite(nelo), "power": finite(power) })
}

/// Rounds a bound to two decimals away from 0, so that the test becomes slightly shorter, not longer.
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
    line(format!("Between equal engines the result is 0 ± {:.1} nElo (95%).", resolution.margin));
    let (found, resolved) = (100.0 * (1.0 - beta), resolution.resolved);
    line(format!(
        "A gain of {resolved:.1} nElo is found in {found}% of matches (LOS above {}%):\n",
        100.0 * (1.0 - alpha)
    ));
    line(format!("{:>10}{:>10}{:>10}", "true Elo", "nElo", "found"));
    for Power { elo, nelo, power } in &resolution.points {
        line(format!("{:>10}{:>10}{:>9.1}%", signed(*elo, 2), signed(*nelo, 2), 100.0 * power));
    }
    line("\nSequential tests of at most this length on average, at any true difference:".to_owned());
    for (goal, config) in [("a gain", resolution.gain), ("no loss", resolution.no_loss)] {
        let config = SprtConfig { elo0: widened(config.elo0), elo1: widened(config.elo1), ..config };
        line(format!("  for {goal:<8} {}", hypotheses(&config)));
    }
    text
}
