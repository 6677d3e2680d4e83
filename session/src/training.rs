//! Trainings as jobs of sessions: the files in a training's folder beside its weights, its page, and its texts.

use crate::error::SessionError;
use arena::run::{Point, Series, replace_file};
use reports::plots::{LossAxes, PlotError, Reference, losses};
use reports::text::{grouped, spoken};
use reports::{FactSheet, PAGE};
use std::path::Path;
use std::time::Duration;
use trainer::crazyhouse::features::{INPUTS, ROWS};
use trainer::train::{
    Both, Dataset, Figures, Judgement, Kind, Losses, PolicyJudgement, PositionWeights, Settings, Trained, Value,
};

/// The configuration, as it was read, in the folder of a training.
const CONFIG: &str = "config.toml";
/// The results for programs, in the same folder.
const SUMMARY: &str = "training.json";
/// The baseline of policies.
const ALL_EQUAL: &str = "all moves equal";

/// Describes the training that is about to start, and its data, in a line.
pub fn introduction(settings: &Settings, data: &Dataset) -> String {
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

/// The name of the trained model, in words.
pub fn model(kind: Kind) -> String {
    match kind {
        Kind::Wps => "wazir-piece-square, 6,360 weights".to_owned(),
        Kind::Network { hidden, buckets, ply_buckets: 1, .. } => format!("network 6,360 x {hidden}, {buckets} buckets"),
        Kind::Network { hidden, buckets, ply_buckets, .. } => {
            format!("network 6,360 x {hidden}, {buckets} x {ply_buckets} buckets")
        }
        Kind::Policy { .. } => "policy, 1,348 moves".to_owned(),
        Kind::Chess { hidden, .. } => format!("network of chess 2 x 768 x {hidden}, 5 buckets"),
        Kind::Crazyhouse { hidden, .. } => {
            format!("network of crazyhouse {INPUTS} x {hidden}, a value and {} rows of moves", grouped(ROWS as u64))
        }
    }
}

/// Formats a number with at most two decimals.
fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes the configuration `text`, the results and the page into the training's folder.
///
/// # Errors
/// [`SessionError`] if one of them cannot be written.
pub fn keep(out: &Path, text: &str, settings: &Settings, trained: &Trained) -> Result<(), SessionError> {
    let io = |cause| SessionError::io("cannot keep the training", cause);
    let json = serde_json::to_vec_pretty(trained).map_err(|error| io(error.into()))?;
    replace_file(&out.join(CONFIG), text.as_bytes()).map_err(io)?;
    replace_file(&out.join(SUMMARY), &json).map_err(io)?;
    let page = page(out, settings, trained).map_err(|error| io(std::io::Error::other(error)))?;
    replace_file(&out.join(PAGE), page.as_bytes()).map_err(io)
}

/// Summarizes its outcome in a sentence.
pub fn says(settings: &Settings, trained: &Trained) -> String {
    let best = trained.best.map_or_else(|| "none yet".to_owned(), |best| format!("{:.5}", best.held_out));
    let simple = settings.kind.simple();
    match &trained.judgement {
        Judgement::Value(Value { baselines, .. }) => format!(
            "Held-out loss {best}: the targets themselves {:.5}, {simple} {:.5}, a constant {:.5}",
            baselines.targets.target, baselines.simple.target, baselines.constant.target
        ),
        Judgement::Policy(policy @ PolicyJudgement { uniform, .. }) => {
            format!("Held-out loss {best}, {simple} {:.5}: {}", uniform.cross_entropy, foretold(policy))
        }
        Judgement::Both(Both { policy, value: Value { losses, baselines, .. } }) => format!(
            "Held-out loss {best}: {:.5} of the moves, of which all equal {:.5}, and {:.5} of the value, of which the \
                targets themselves {:.5}, {simple} {:.5}, a constant {:.5}; {}",
            policy.policy.cross_entropy,
            policy.uniform.cross_entropy,
            losses.target,
            baselines.targets.target,
            baselines.simple.target,
            baselines.constant.target,
            foretold(policy)
        ),
    }
}

/// Returns how often the played move is among the first moves of the policy.
fn foretold(PolicyJudgement { policy, .. }: &PolicyJudgement) -> String {
    let [first, three, five] = [policy.top_1, policy.top_3, policy.top_5].map(percent);
    format!("the move played is the first in {first}, among the first three in {three}, the first five in {five}")
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// Returns the page of a training.
fn page(out: &Path, settings: &Settings, trained: &Trained) -> Result<String, PlotError> {
    let name = out.file_name().map_or_else(|| "Training".into(), |name| name.to_string_lossy());
    let title = format!("{name}: {}", model(settings.kind));
    let mut sheet = FactSheet::new(&title, says(settings, trained));
    for [name, value] in numbers(trained) {
        sheet.fact(name, value);
    }
    let references = match &trained.judgement {
        Judgement::Value(value) => evaluated(&mut sheet, settings.kind, value),
        Judgement::Policy(policy) => predicted(&mut sheet, policy),
        Judgement::Both(Both { policy, value }) => {
            evaluated(&mut sheet, settings.kind, value);
            predicted(&mut sheet, policy);
            both(policy, value, settings.kind)
        }
    };
    sheet.table("Settings", &["", ""], described(settings).into_iter().map(Vec::from).collect());
    let says = "Mean loss of the positions learnt from since the last point, and of those held out";
    sheet.plot("losses", "Losses", losses(&title, says, LossAxes::OF_TRAINING, &courses(trained), &references))?;
    Ok(sheet.html())
}

/// Adds the table of an evaluation's losses. Returns the losses to compare with.
fn evaluated(sheet: &mut FactSheet, kind: Kind, Value { losses, baselines, .. }: &Value) -> Vec<Reference> {
    let all = [
        ("the targets themselves", &baselines.targets),
        ("this model, at the end", losses),
        (kind.simple(), &baselines.simple),
        ("a constant", &baselines.constant),
    ];
    let row = |(name, losses): (&str, &Losses)| {
        let loss = |loss: f64| format!("{loss:.5}");
        vec![name.to_owned(), loss(losses.target), loss(losses.score), loss(losses.result)]
    };
    let reference = |(name, losses): (&str, &Losses)| Reference { name: name.to_owned(), loss: losses.target };
    let heads = ["", "with the target", "with the score alone", "with the result alone"];
    sheet.table("Losses of the held-out positions", &heads, all.map(row).to_vec());
    [all[0], all[2], all[3]].map(reference).to_vec()
}

/// Adds the table of a policy's predictions. Returns the loss to compare with.
fn predicted(sheet: &mut FactSheet, judgement: &PolicyJudgement) -> Vec<Reference> {
    let row = |(name, figures): (&str, &Figures)| {
        let shares = [figures.top_1, figures.top_3, figures.top_5].map(percent);
        [vec![name.to_owned(), format!("{:.5}", figures.cross_entropy)], shares.to_vec()].concat()
    };
    let rows = [("this policy, at the end", &judgement.policy), (ALL_EQUAL, &judgement.uniform)];
    sheet.fact("moves of a position", format!("{:.1}", judgement.moves));
    let heads = ["", "cross-entropy", "the first", "among the first 3", "among the first 5"];
    sheet.table("The move played in the held-out positions", &heads, rows.map(row).to_vec());
    vec![Reference { name: ALL_EQUAL.to_owned(), loss: judgement.uniform.cross_entropy }]
}

/// Returns the loss to compare that of a value and a policy with.
fn both(policy: &PolicyJudgement, value: &Value, kind: Kind) -> Vec<Reference> {
    let name = format!("{ALL_EQUAL}, and {}", kind.simple());
    vec![Reference { name, loss: policy.uniform.cross_entropy + value.baselines.simple.target }]
}

/// Returns the training loss and the held-out loss, over the positions learnt from.
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
    if let Some(error) = trained.judgement.quantisation() {
        let value = format!(
            "{:.5} logit in half of the positions, {:.5} in 99 of 100, {:.5} at most; {:.4} in 99 of 100 had rounding \
                not been trained with",
            error.median, error.percentile_99, error.largest, error.unrounded_percentile_99
        );
        rows.push(row("integers against floats", value));
    }
    rows
}

/// Describes the weights of positions, by ply and by result.
fn weights(of: &PositionWeights) -> String {
    let PositionWeights { ply, win, draw, loss } = of;
    let plies: Vec<String> = ply.iter().map(|(ply, weight)| format!("{weight} at ply {ply}")).collect();
    let plies = if plies.is_empty() { String::new() } else { format!("{}; ", plies.join(", ")) };
    format!("{plies}won {win}, drawn {draw}, lost {loss}")
}

fn described(settings: &Settings) -> Vec<[String; 2]> {
    let mut rows = vec![("model", model(settings.kind))];
    if let Kind::Chess { scale, .. } | Kind::Crazyhouse { scale, .. } = settings.kind {
        rows.push(("centipawns that are 1 logit", scale.to_string()));
    }
    if let Kind::Network { output_scale, .. } | Kind::Policy { output_scale } | Kind::Chess { output_scale, .. } =
        settings.kind
    {
        rows.push(("units of output weights that are 1", output_scale.to_string()));
    }
    rows.extend([
        ("epochs", rounded(settings.epochs)),
        ("batch", grouped(settings.batch as u64)),
        ("learning rate", format!("{} falling to {}", settings.learning_rate, settings.final_learning_rate)),
        ("warm-up", format!("{}% of all steps", rounded(100.0 * settings.warm_up))),
        ("weight decay", settings.weight_decay.to_string()),
        ("seed", settings.seed.to_string()),
        ("threads", settings.threads.to_string()),
    ]);
    if !matches!(settings.kind, Kind::Policy { .. }) {
        rows.push(("lambda, the weight of results", settings.lambda.to_string()));
        rows.push(("scores are clipped at", format!("{} logits", f64::from(settings.score_clip) / 1000.0)));
    }
    if !settings.weights.is_usual() {
        rows.push(("weights of positions", weights(&settings.weights)));
    }
    rows.into_iter().map(|(name, value)| [name.to_owned(), value]).collect()
}
