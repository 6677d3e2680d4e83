//! `spar tune`: starts a tuning session, or forecasts its result.

use super::{experiment, print, print_json};
use crate::args::Tune;
use crate::failure::{Exit, Failure};
use crate::watch::in_words;
use arena::config::{ExperimentConfig, Job, RunConfig, TuneConfig};
use plan::jobs::{self, JobError};
use play::games::GameKind;
use reports::text::{counted, grouped};
use serde_json::json;
use session::Warning;
use std::path::Path;
use tuner::forecast::{Forecast, PairNoise, Resolution, forecast, resolution};
use tuner::quadratic::Config;
use tuner::{Layout, Parameter};

pub(crate) fn tune(tune: &Tune, runs: &Path) -> Result<Exit, Failure> {
    if !tune.dry_run {
        return experiment::tune(&tune.start, tune.patch.as_deref(), runs);
    }
    let loaded = experiment::load_file(Job::Tune, &tune.start.config, &tune.start.working)?;
    let (ExperimentConfig::Tune(config), Some(layout)) = (&loaded.run.experiment, loaded.layout()) else {
        return Err(Failure::usage("this file has no `[tune]` section"));
    };
    let (space, noise) = (layout.space(), noise(loaded.run.game));
    let earlier = jobs::earlier(config, space).map_err(JobError::from)?;
    for note in &loaded.notes {
        say!("{}", in_words(&Warning::Tuned(note.clone())));
    }
    let forecasts = forecast(space, &Config::default(), earlier.as_ref(), noise, config.pairs.get());
    let resolution = resolution(space, &Config::default(), earlier.as_ref(), noise, config.pairs.get());
    if tune.start.working.json {
        let space = space.parameters();
        let mut json =
            json!({ "method": config.method, "space": space, "forecast": forecasts, "resolution": resolution });
        if let Some(earlier) = &config.earlier {
            json["earlier"] = json!(earlier);
        }
        print_json(&json)?;
    } else {
        print(plan(&loaded.run, config, layout, (&forecasts, resolution)))?;
    }
    Ok(Exit::Done)
}

/// The usual noise of a pair in this game: chess and its variants have draws, Zero Point One hardly any.
fn noise(game: GameKind) -> PairNoise {
    if game == GameKind::ZeroPointOne { PairNoise::DECISIVE } else { PairNoise::DRAWISH }
}

/// The most halvings of the budget that are shown; much shorter sessions are of no interest.
const MOST_FORECASTS: usize = 7;

/// The limits at which pairs are played and their costs, if there are several.
fn at_limits(config: &TuneConfig, run: &RunConfig) -> Option<String> {
    let player = &run.entrants[0].player;
    let limits = jobs::limits(config, player).ok()??;
    let (counts, target) = (limits.counts(config.pairs.get()), player.limit().0);
    let names = config.limits.iter().chain([&target]);
    let at: Vec<String> = counts.iter().zip(names).map(|(&pairs, at)| format!("{} at {at}", grouped(pairs))).collect();
    let cost = grouped(limits.cost(&counts).round() as u64);
    Some(format!("pairs: {}; they cost as much as {cost} at {target}, for which values are found", at.join(", ")))
}

/// The row of a parameter in the table of the design.
fn row(parameter: &Parameter, config: &TuneConfig) -> String {
    let name = parameter.name();
    if let Some((_, values)) = config.categories().find(|(category, _)| *category == name) {
        return format!("  {name:<24}{:>10}{:>30}  one of {}", values[0], "", values.join(", "));
    }
    let [start, min, max, step] = [parameter.start(), parameter.min(), parameter.max(), parameter.step()];
    let frozen = if parameter.is_frozen() { ", frozen" } else { "" };
    let kind = format!("{}{frozen}", parameter.kind().name());
    format!("  {name:<24}{start:>10}{min:>10}{max:>10}{step:>10}  {kind}")
}

/// The groups and constraints.
fn relations(config: &TuneConfig, layout: &Layout) -> Vec<String> {
    let members = |group: &str| {
        let tuned = layout.engine_parameters().iter().enumerate();
        let of = |(index, _): &(usize, _)| {
            let source = layout.source(*index);
            source.is_some_and(|(at, scaled)| scaled && layout.space().parameters()[at].name() == group)
        };
        tuned.filter(of).map(|(_, parameter)| parameter.name()).collect::<Vec<_>>().join(", ")
    };
    let scaled = config.groups.iter().map(|group| format!("  {} is a factor of {}", group.name, members(&group.name)));
    scaled.chain(config.constraints.iter().map(|constraint| format!("  {constraint}"))).collect()
}

/// A session that finds less than this share of the possible gain is called too short.
const TOO_LITTLE: f64 = 0.5;

/// The warning that the pairs are too few for these parameters, and the remedies.
fn resolved(resolution: Resolution, config: &TuneConfig, layout: &Layout) -> Option<String> {
    let Resolution { found, pairs_for_half } = resolution;
    (found < TOO_LITTLE).then(|| {
        format!(
            "\nwarning: {} are too few for {}. They are expected to find {:.0}% of what there is to gain; about {} \
                would find half. Tune fewer \
             parameters, tie some together by `[[tune.group]]`, or play more pairs. Tables of an evaluation are better \
             fitted to labelled \
             positions: `spar fit`.",
            counted(config.pairs.get(), "pair"),
            counted(layout.space().dimension() as u64, "parameter"),
            100.0 * found,
            counted(pairs_for_half, "pair")
        )
    })
}

/// The design in words and tables.
fn plan(
    run: &RunConfig,
    config: &TuneConfig,
    layout: &Layout,
    (forecasts, resolution): (&[Forecast], Resolution),
) -> String {
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
    lines.extend(layout.space().parameters().iter().map(|parameter| row(parameter, config)));
    lines.extend(
        layout
            .engine_parameters()
            .iter()
            .filter(|parameter| parameter.is_frozen())
            .map(|parameter| row(parameter, config)),
    );
    lines.extend(relations(config, layout));
    lines.push(String::new());
    let games = if noise(run.game) == PairNoise::DECISIVE { "decisive games" } else { "drawish games" };
    let several = if config.limits.is_empty() { "" } else { " and do not move with the limit" };
    let start = match &config.earlier {
        Some(earlier) => format!("from what {} knew", earlier.session),
        None => "from values not tuned before".to_owned(),
    };
    let start = format!("{start}{several}");
    lines.push(format!("What the method quadratic is expected to reach, {start}, in {games}:"));
    lines.push(format!("  {:>10}{:>22}{:>30}", "pairs", "regret in Elo", "sd of a typical parameter"));
    for forecast in forecasts.iter().rev().take(MOST_FORECASTS).rev() {
        let sd = format!("{:.2} steps", forecast.sd_steps);
        lines.push(format!("  {:>10}{:>22.2}{sd:>30}", grouped(forecast.pairs), forecast.regret));
    }
    lines.extend(resolved(resolution, config, layout));
    match &config.verify {
        Some(verify) => lines.push(format!(
            "\nThen a test of the tuned values against the start: H0 {}, H1 {} nElo.",
            verify.test.elo0, verify.test.elo1
        )),
        None => lines.push("\nNo test follows.".to_owned()),
    }
    lines.join("\n")
}
