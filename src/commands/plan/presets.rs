//! The presets of bounds, and the cost of each under the given conditions.

use super::{conditions, conditions_in_words, games, seconds, time};
use crate::args::calculators::{Plan, Risks};
use reports::summary::finite;
use serde_json::{Value, json};
use stats::SprtConfig;
use stats::plan::{PlanError, Prospect};
use stats::sprt::{PRESETS, Preset};
use std::fmt::Write;

/// A preset, and the length of its test.
struct Costed {
    preset: Preset,
    /// If the change is worth nothing.
    unchanged: Prospect,
    /// At the difference where the test is longest.
    worst: Prospect,
}

pub(super) fn plan(plan: &Plan) -> Result<(Value, String), PlanError> {
    let conditions = conditions(plan)?;
    let Risks { alpha, beta } = plan.test.risks;
    let costed = PRESETS.map(|preset| {
        let config = SprtConfig { alpha, beta, ..preset.config() };
        let (unchanged, worst) = (Prospect::new(&config, &conditions, 0.0)?, Prospect::worst(&config, &conditions)?);
        Ok(Costed { preset, unchanged, worst })
    });
    let costed = costed.into_iter().collect::<Result<Vec<_>, PlanError>>()?;
    let row = |Costed { preset, unchanged, worst }: &Costed| {
        json!({
            "preset": preset.name, "for": preset.purpose, "elo0": preset.elo0, "elo1": preset.elo1,
            "unchanged_pass": finite(unchanged.pass), "unchanged_games": finite(unchanged.games),
            "worst_games": finite(worst.games),
            "worst_seconds": seconds(worst.games, plan.rate).map_or(Value::Null, finite),
        })
    };
    let value = json!({
        "model": SprtConfig::default().model.to_string(), "alpha": alpha, "beta": beta,
        "draw_ratio": plan.draws, "rms_bias": plan.bias,
        "presets": costed.iter().map(row).collect::<Vec<_>>(),
    });
    Ok((value, text(plan, &costed)))
}

fn text(plan: &Plan, costed: &[Costed]) -> String {
    let Risks { alpha, beta } = plan.test.risks;
    let conditions = conditions_in_words(plan);
    let mut text = format!("Bounds by name, in nElo · alpha {alpha}, beta {beta} · {conditions}\n\n");
    let mut line = |row: String| {
        let _never_fails = writeln!(text, "{}", row.trim_end());
    };
    line(format!("{:<22}{:>7}{:>7}   {:>17}{:>15}   {:<10}", "", "", "", "if nothing changed", "at the longest", ""));
    let time_head = if plan.rate.is_some() { "time" } else { "" };
    line(format!(
        "{:<22}{:>7}{:>7}   {:>7}{:>11}{:>15}   {time_head:<10}for",
        "preset", "H0", "H1", "passes", "games", "games"
    ));
    for Costed { preset: Preset { name, purpose, elo0, elo1 }, unchanged, worst } in costed {
        let passes = format!("{:.0}%", 100.0 * unchanged.pass);
        let time = time(worst.games, plan.rate);
        let (unchanged, worst) = (games(unchanged.games), games(worst.games));
        line(format!("{name:<22}{elo0:>7}{elo1:>7}   {passes:>7}{unchanged:>11}{worst:>15}   {time:<10}{purpose}"));
    }
    line("\nUse one by `spar sprt FILE --preset NAME`, or `[sprt] preset = \"NAME\"`.".to_owned());
    text
}
