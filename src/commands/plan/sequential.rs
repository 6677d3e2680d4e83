//! The operating characteristic of a sequential test: by formula, and by simulation.

use super::{conditions, conditions_in_words, games, seconds, time};
use crate::args::calculators::Plan;
use crate::progress::ProgressLine;
use rayon::prelude::*;
use reports::summary::{finite, hypotheses, unit};
use reports::text::{counted, grouped, signed};
use serde_json::{Value, json};
use stats::SprtConfig;
use stats::plan::simulate::{Trials, differences, pair_limit, trial};
use stats::plan::{Conditions, OperatingCharacteristic, OperatingPoint, PlanError, Prospect};
use std::fmt::Write;

/// The number of tests simulated between two progress updates: enough for many cores.
const BATCH: usize = 64;

/// Simulated tests at one true difference, on the scale of the model.
struct Simulated {
    elo: f64,
    trials: Trials,
}

pub(super) fn plan(plan: &Plan) -> Result<(Value, String), PlanError> {
    let config = plan.test.config();
    config.check()?;
    let conditions = conditions(plan)?;
    let characteristic = OperatingCharacteristic::new(&config, &conditions, &plan.at)?;
    let OperatingCharacteristic { points, worst } = &characteristic;
    let simulated = match plan.simulate {
        Some(tests) => simulate(&config, &conditions, *worst, tests, plan.seed)?,
        None => Vec::new(),
    };
    let value = json!({
        "elo0": config.elo0, "elo1": config.elo1, "model": config.model.to_string(),
        "alpha": config.alpha, "beta": config.beta,
        "draw_ratio": plan.draws, "rms_bias": plan.bias, "variance_per_game": conditions.variance_per_game(),
        "points": points.iter().map(|point| point_json(point, plan.rate)).collect::<Vec<_>>(),
        "worst_games": finite(worst.games),
        "simulated": simulated.iter().map(|row| row.json(plan.seed)).collect::<Vec<_>>(),
    });
    Ok((value, text(plan, &config, &characteristic, &simulated)))
}

fn simulate(
    config: &SprtConfig,
    conditions: &Conditions,
    worst: Prospect,
    tests: u64,
    seed: u64,
) -> Result<Vec<Simulated>, PlanError> {
    let limit = pair_limit(worst);
    let elos = differences(config);
    let mut progress = ProgressLine::new();
    let mut simulated = Vec::new();
    for elo in elos {
        let law = conditions.law_at(config.model, elo)?;
        let mut trials = Trials::default();
        for start in (0..tests).step_by(BATCH) {
            let batch = start..tests.min(start + BATCH as u64);
            let played: Result<Vec<_>, _> =
                batch.into_par_iter().map(|index| trial(config, &law, seed, index, limit)).collect();
            played?.iter().for_each(|trial| trials.add(trial));
            let done = tests * simulated.len() as u64 + trials.tests;
            let all = tests * elos.len() as u64;
            progress.show(|_| format!("{} of {} simulated", grouped(done), counted(all, "test")));
        }
        simulated.push(Simulated { elo, trials });
    }
    progress.finish();
    Ok(simulated)
}

fn point_json(OperatingPoint { elo, nelo, prospect }: &OperatingPoint, rate: Option<f64>) -> Value {
    json!({
        "elo": finite(*elo), "nelo": finite(*nelo),
        "pass": finite(prospect.pass), "expected_games": finite(prospect.games),
        "seconds": seconds(prospect.games, rate).map_or(Value::Null, finite),
    })
}

impl Simulated {
    fn json(&self, seed: u64) -> Value {
        let (pass, pass_error) = self.trials.pass();
        let mean_games = self.trials.mean_games();
        json!({
            "elo": self.elo, "tests": self.trials.tests, "seed": seed, "passed": self.trials.passed,
            "undecided": self.trials.undecided, "pass": finite(pass), "pass_standard_error": finite(pass_error),
            "mean_games": finite(mean_games),
        })
    }
}

fn text(
    plan: &Plan,
    config: &SprtConfig,
    OperatingCharacteristic { points, worst }: &OperatingCharacteristic,
    simulated: &[Simulated],
) -> String {
    let mut text = format!("{} · {}\n\n", hypotheses(config), conditions_in_words(plan));
    let mut line = |row: String| {
        let _never_fails = writeln!(text, "{}", row.trim_end());
    };
    line(row(["true Elo", "nElo", "H1 accepted", "games, mean", if plan.rate.is_some() { "time" } else { "" }]));
    for OperatingPoint { elo, nelo, prospect } in points {
        let pass = if prospect.pass.is_finite() { format!("{:.1}%", 100.0 * prospect.pass) } else { "-".to_owned() };
        let time = time(prospect.games, plan.rate);
        line(row([&signed(*elo, 2), &signed(*nelo, 2), &pass, &games(prospect.games), &time]));
    }
    line(format!("\nIt takes longest halfway between H0 and H1: {} games on average.", games(worst.games)));
    if !simulated.is_empty() {
        let tests = plan.simulate.map_or(String::new(), |tests| counted(tests, "test"));
        line(format!("\nSimulated, {tests} each, seed {}:", plan.seed));
        line(row([&format!("true {}", unit(config.model)), "", "H1 accepted", "games, mean", "undecided"]));
    }
    for Simulated { elo, trials } in simulated {
        let (pass, error) = trials.pass();
        let pass = format!("{:.1} ± {:.1}%", 100.0 * pass, 100.0 * error);
        line(row([&signed(*elo, 2), "", &pass, &games(trials.mean_games()), &grouped(trials.undecided)]));
    }
    text
}

fn row([elo, nelo, pass, games, last]: [&str; 5]) -> String {
    format!("{elo:>10}{nelo:>10}{pass:>15}{games:>16}{last:>12}")
}
