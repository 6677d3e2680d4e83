//! `spar tune`: starts a tuning session, or says beforehand what it can be expected to find.

use super::{experiment, print, print_json};
use crate::args::Tune;
use crate::failure::{Exit, Failure};
use arena::config::{ExperimentConfig, Job, RunConfig, TuneConfig};
use play::games::GameKind;
use reports::text::{counted, grouped};
use serde_json::json;
use session::jobs;
use std::path::Path;
use tuner::Space;
use tuner::forecast::{Forecast, PairNoise, forecast};
use tuner::quadratic::Config;

pub(crate) fn tune(tune: &Tune, runs: &Path) -> Result<Exit, Failure> {
    if !tune.dry_run {
        return experiment::tune(&tune.start, tune.patch.as_deref(), runs);
    }
    let loaded = experiment::load_file(Job::Tune, &tune.start.config, &tune.start.working)?;
    let ExperimentConfig::Tune(config) = &loaded.run.experiment else {
        return Err(Failure::usage("this file has no `[tune]` section"));
    };
    let (space, _gains) = jobs::space(config, &loaded.run.entrants[0].player)?;
    let forecasts = forecast(&space, &Config::default(), noise(loaded.run.game), config.pairs.get());
    if tune.start.working.json {
        let mut json = json!({ "method": config.method, "space": space.parameters(), "forecast": forecasts });
        if let Some(earlier) = &config.earlier {
            json["earlier"] = json!(earlier);
        }
        print_json(&json)?;
    } else {
        print(plan(&loaded.run, config, &space, &forecasts))?;
    }
    Ok(Exit::Done)
}

/// How much a pair of this game usually says: chess and its variants have draws, Zero Point One hardly any.
fn noise(game: GameKind) -> PairNoise {
    if game == GameKind::ZeroPointOne { PairNoise::DECISIVE } else { PairNoise::DRAWISH }
}

/// Halvings of the budget that are shown: what much shorter sessions would resolve interests nobody.
const MOST_FORECASTS: usize = 7;

/// Where pairs are played and what they cost, if that is at several limits.
fn at_limits(config: &TuneConfig, run: &RunConfig) -> Option<String> {
    let player = &run.entrants[0].player;
    let limits = jobs::limits(config, player).ok()??;
    let (counts, target) = (limits.counts(config.pairs.get()), player.limit().0);
    let names = config.limits.iter().chain([&target]);
    let at: Vec<String> = counts.iter().zip(names).map(|(&pairs, at)| format!("{} at {at}", grouped(pairs))).collect();
    let cost = grouped(limits.cost(&counts).round() as u64);
    Some(format!("pairs: {}; they cost as much as {cost} at {target}, for which values are found", at.join(", ")))
}

/// The design in words and tables.
fn plan(run: &RunConfig, config: &TuneConfig, space: &Space, forecasts: &[Forecast]) -> String {
    let name = &run.entrants[0].name;
    let mut lines = vec![format!(
        "{name} tuned by {}: {}, lookahead {}",
        config.method,
        counted(config.pairs.get(), "pair"),
        config.lookahead
    )];
    lines.extend(at_limits(config, run));
    lines.extend(config.earlier.as_ref().map(|earlier| earlier.in_words(grouped)));
    lines.extend([
        String::new(),
        format!("  {:<24}{:>10}{:>10}{:>10}{:>10}  kind", "parameter", "start", "min", "max", "step"),
    ]);
    for p in space.parameters() {
        let kind = format!("{:?}", p.kind()).to_lowercase();
        lines.push(format!(
            "  {:<24}{:>10}{:>10}{:>10}{:>10}  {kind}",
            p.name(),
            p.start(),
            p.min(),
            p.max(),
            p.step()
        ));
    }
    lines.push(String::new());
    let games = if noise(run.game) == PairNoise::DECISIVE { "decisive games" } else { "drawish games" };
    let several = if config.limits.is_empty() { "" } else { " and do not move with the limit" };
    let start = format!("from values not tuned before{several}");
    lines.push(format!("What the method quadratic is expected to reach, {start}, in {games}:"));
    lines.push(format!("  {:>10}{:>22}{:>30}", "pairs", "regret in Elo", "sd of a typical parameter"));
    for forecast in forecasts.iter().rev().take(MOST_FORECASTS).rev() {
        let sd = format!("{:.2} steps", forecast.sd_steps);
        lines.push(format!("  {:>10}{:>22.2}{sd:>30}", grouped(forecast.pairs), forecast.regret));
    }
    match &config.verify {
        Some(verify) => lines.push(format!(
            "\nThen a test of the tuned values against the start: H0 {}, H1 {} nElo.",
            verify.test.elo0, verify.test.elo1
        )),
        None => lines.push("\nNo test follows.".to_owned()),
    }
    lines.join("\n")
}
