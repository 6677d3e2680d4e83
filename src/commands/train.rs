//! `spar train`: an evaluation fitted to files of positions, watched, interrupted and gone on with.

use super::{print, print_json};
use crate::args::Train;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use anyhow::Context;
use arena::run::{Point, Series, replace_file};
use reports::plots::{PlotError, Reference, losses};
use reports::text::{grouped, spoken};
use reports::{FactSheet, PAGE};
use session::plan::TrainingPlan;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use trainer::train::{Control, Dataset, Kind, Losses, Progress, Settings, TrainError, Trained};

/// The configuration, as it was read, in the folder of a training.
const CONFIG: &str = "config.toml";
/// What came out, for machines, in the same folder.
const SUMMARY: &str = "training.json";

pub(crate) fn train(arguments: &Train) -> Result<Exit, Failure> {
    let path = &arguments.config;
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration {}", path.display()));
    let plan = TrainingPlan::read(&text.map_err(Failure::Usage)?, &path.display().to_string(), &arguments.settings)?;
    let data = Dataset::open(&plan.files()?, plan.choice).map_err(failure)?;
    let settings = plan.settings_for(&data);
    fs_err::create_dir_all(&plan.out).map_err(environment)?;
    say!("{}", introduction(&settings, &data));
    let trained = fit(&settings, &data, &plan.out)?;
    keep(&plan, &settings, &trained)?;
    if arguments.json {
        print_json(&trained)?;
    } else {
        print(summary(&plan.out, &trained))?;
    }
    if trained.stopped {
        say!("Interrupted; a checkpoint is kept. To go on: the same command again");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// Trains in view of the user, until the end or until Ctrl-C.
fn fit(settings: &Settings, data: &Dataset, out: &Path) -> Result<Trained, Failure> {
    let (stop, mut line) = (host::stop_flag()?, ProgressLine::new());
    let trained = trainer::train::train(settings, data, out, &mut |progress| {
        line.show(|_| progress_line(progress));
        if stop.load(Ordering::SeqCst) { Control::Stop } else { Control::Continue }
    });
    line.finish();
    trained.map_err(failure)
}

fn failure(error: TrainError) -> Failure {
    environment(error)
}

fn environment(error: impl Into<anyhow::Error>) -> Failure {
    Failure::Environment(error.into())
}

fn introduction(settings: &Settings, data: &Dataset) -> String {
    let identity = data.identity();
    let epochs = rounded(settings.epochs);
    let noun = if epochs == "1" { "epoch" } else { "epochs" };
    format!(
        "{}: {} positions to train on, {} held out, {epochs} {noun}",
        model(settings.kind),
        grouped(identity.training),
        grouped(identity.held_out),
    )
}

fn model(kind: Kind) -> String {
    match kind {
        Kind::Wps => "wazir-piece-square, 6,360 weights".to_owned(),
        Kind::Network { hidden, buckets, .. } => format!("network 6,360 x {hidden}, {buckets} buckets"),
    }
}

/// A number with at most two decimals.
fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn progress_line(progress: &Progress<'_>) -> String {
    let share = 100.0 * progress.positions as f64 / progress.of.max(1) as f64;
    let left = progress.of.saturating_sub(progress.positions) as f64 / progress.speed.max(1e-9);
    let held_out = progress.points.last().map_or_else(String::new, |point| format!("  held out {:.5}", point.held_out));
    format!(
        "{share:.1}% of {} positions  loss {:.5}{held_out}  {} positions/s  about {}",
        grouped(progress.of),
        progress.loss,
        grouped(progress.speed as u64),
        spoken(Duration::from_secs_f64(left.min(1e9)))
    )
}

/// Writes the configuration, the numbers and the page into the training's folder.
fn keep(plan: &TrainingPlan, settings: &Settings, trained: &Trained) -> Result<(), Failure> {
    let json = serde_json::to_vec_pretty(trained).map_err(environment)?;
    replace_file(&plan.out.join(CONFIG), plan.text.as_bytes()).map_err(environment)?;
    replace_file(&plan.out.join(SUMMARY), &json).map_err(environment)?;
    let page = page(plan, settings, trained).map_err(environment)?;
    replace_file(&plan.out.join(PAGE), page.as_bytes()).map_err(environment)
}

fn summary(out: &Path, trained: &Trained) -> String {
    let mut lines = vec![says(trained)];
    if let Some(error) = &trained.quantisation {
        lines.push(format!(
            "The engine's integers are within {:.4} logit of it in 99 of 100 positions",
            error.percentile_99
        ));
    }
    lines.extend(trained.weights.as_ref().map(|weights| format!("weights  {}", weights.display())));
    lines.push(format!("page     {}", out.join(PAGE).display()));
    lines.join("\n")
}

fn says(trained: &Trained) -> String {
    let baselines = &trained.baselines;
    let best = trained.best.map_or_else(|| "none yet".to_owned(), |best| format!("{:.5}", best.held_out));
    format!(
        "Held-out loss {best}: the targets themselves {:.5}, piece-square {:.5}, a constant {:.5}",
        baselines.targets.target, baselines.piece_square.target, baselines.constant.target
    )
}

/// The page of a training.
fn page(plan: &TrainingPlan, settings: &Settings, trained: &Trained) -> Result<String, PlotError> {
    let name = plan.out.file_name().map_or_else(|| "Training".into(), |name| name.to_string_lossy());
    let title = format!("{name}: {}", model(settings.kind));
    let mut sheet = FactSheet::new(&title, says(trained));
    let baselines = &trained.baselines;
    let all = [
        ("the targets themselves", &baselines.targets),
        ("this model, at the end", &trained.losses),
        ("piece-square", &baselines.piece_square),
        ("a constant", &baselines.constant),
    ];
    let row = |(name, losses): (&str, &Losses)| {
        let loss = |loss: f64| format!("{loss:.5}");
        vec![name.to_owned(), loss(losses.target), loss(losses.score), loss(losses.result)]
    };
    let reference = |(name, losses): (&str, &Losses)| Reference { name: name.to_owned(), loss: losses.target };
    for [name, value] in numbers(trained) {
        sheet.fact(name, value);
    }
    let heads = ["", "with the target", "with the score alone", "with the result alone"];
    sheet.table("Losses of the held-out positions", &heads, all.map(row).to_vec());
    sheet.table("Settings", &["", ""], described(settings).into_iter().map(Vec::from).collect());
    let says = "Mean loss of the positions learnt from since the last point, and of those held out";
    let references = [all[0], all[2], all[3]].map(reference);
    sheet.plot("losses", "Losses", losses(&title, says, &courses(trained), &references))?;
    Ok(sheet.html())
}

/// The loss in training and that of the held-out positions, over the positions learnt from.
fn courses(trained: &Trained) -> [Series; 2] {
    let series = |name: &str, loss: fn(&trainer::train::Point) -> f64| {
        let point = |at| Point { x: at_positions(at), y: loss(at), low: None, high: None };
        Series { name: name.to_owned(), points: trained.points.iter().map(point).collect() }
    };
    [series("training", |at| at.training), series("held out", |at| at.held_out)]
}

fn at_positions(point: &trainer::train::Point) -> f64 {
    point.positions as f64
}

fn numbers(trained: &Trained) -> Vec<[String; 2]> {
    let row = |name: &str, value: String| [name.to_owned(), value];
    let mut rows = vec![
        row("positions to train on", grouped(trained.data.training)),
        row("positions held out", grouped(trained.data.held_out)),
        row("positions learnt from", grouped(trained.positions)),
        row("time", spoken(Duration::from_secs_f64(trained.seconds))),
        row("positions a second", grouped((trained.positions as f64 / trained.seconds.max(1e-9)) as u64)),
    ];
    if let Some(error) = &trained.quantisation {
        let value = format!(
            "{:.5} logit in half of the positions, {:.5} in 99 of 100, {:.5} at most; {:.4} in 99 of 100 had rounding not been trained with",
            error.median, error.percentile_99, error.largest, error.unrounded_percentile_99
        );
        rows.push(row("integers against floats", value));
    }
    rows
}

fn described(settings: &Settings) -> Vec<[String; 2]> {
    let mut rows = vec![("model", model(settings.kind))];
    if let Kind::Network { output_scale, .. } = settings.kind {
        rows.push(("units of output weights that are 1", output_scale.to_string()));
    }
    rows.extend([
        ("epochs", rounded(settings.epochs)),
        ("batch", grouped(settings.batch as u64)),
        ("learning rate", format!("{} falling to {}", settings.learning_rate, settings.final_learning_rate)),
        ("warm-up", format!("{}% of all steps", rounded(100.0 * settings.warm_up))),
        ("weight decay", settings.weight_decay.to_string()),
        ("lambda, the weight of results", settings.lambda.to_string()),
        ("scores are clipped at", format!("{} logits", f64::from(settings.score_clip) / 1000.0)),
        ("seed", settings.seed.to_string()),
        ("threads", settings.threads.to_string()),
    ]);
    rows.into_iter().map(|(name, value)| [name.to_owned(), value]).collect()
}
