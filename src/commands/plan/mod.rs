//! `spar plan`: what a test or a match will detect, and its cost.

mod fixed;
mod presets;
mod sequential;

use super::{print, print_json};
use crate::args::calculators::Plan;
use crate::failure::{Exit, Failure};
use reports::text::spoken;
use stats::plan::{self, Conditions, PlanError};

pub(crate) fn plan(plan: &Plan) -> Result<Exit, Failure> {
    let (json, text) = match plan.games {
        _ if plan.presets => presets::plan(plan),
        Some(games) => fixed::plan(plan, games),
        None => sequential::plan(plan),
    }
    .map_err(|error| Failure::usage(error.to_string()))?;
    if plan.json {
        print_json(&json)?;
    } else {
        print(text.trim_end())?;
    }
    Ok(Exit::Done)
}

fn conditions(plan: &Plan) -> Result<Conditions, PlanError> {
    Conditions::new(plan.draws, plan.bias)
}

/// The draw rate and the bias in words.
fn conditions_in_words(plan: &Plan) -> String {
    let bias = if plan.bias > 0.0 { format!(", opening bias {} Elo", plan.bias) } else { String::new() };
    format!("draws {}%{bias}", 100.0 * plan.draws)
}

/// An estimated number of games, as text.
fn games(games: f64) -> String {
    match games {
        // Also for NaN.
        _ if !games.is_finite() => "-".to_owned(),
        ..0.5 => "< 1".to_owned(),
        ..1e12 => reports::text::grouped(games.round() as u64),
        _ => format!("{games:.1e}"),
    }
}

/// The time for this many games, as text; `None` without a rate.
fn time(games: f64, rate: Option<f64>) -> String {
    let duration = rate.and_then(|rate| plan::duration(games, rate));
    duration.map_or(String::new(), spoken)
}

/// The same time in seconds.
fn seconds(games: f64, rate: Option<f64>) -> Option<f64> {
    rate.map(|rate| games / 2.0 / rate)
}
