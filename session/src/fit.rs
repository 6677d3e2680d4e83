//! Fits as jobs of sessions: the files in a fit's folder, its page, and its texts.

use crate::error::SessionError;
use arena::run::{Point, Series, replace_file};
use reports::plots::{HeatBoard, LossAxes, Plot, PlotError, heat_boards, losses};
use reports::text::{counted, grouped, spoken};
use reports::{FactSheet, PAGE};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use trainer::fit::{
    Fitness, Fitted, Found, Gathered, Judged, MOST_WEIGHTS, Method, Model, Output, ROLES, Settings, Verdict,
};

/// The configuration, as it was read, in the folder of a fit.
const CONFIG: &str = "config.toml";
/// The results for programs, in the same folder.
const SUMMARY: &str = "fit.json";
/// The most weights that are listed, where weights have their own names.
const LISTED: usize = 40;

/// The name of a model, in words.
pub fn model(model: Model) -> &'static str {
    match model {
        Model::ChessTables { tapered: true } => "piece-square tables of chess, tapered, 768 weights",
        Model::ChessTables { tapered: false } => "piece-square tables of chess, 384 weights",
        Model::PieceSquare => "piece-square tables of 0.1, 81 weights",
        Model::Wps => "wazir-piece-square, 6,361 weights",
        Model::Features => "features of one's own",
    }
}

/// The name of a method.
pub fn method(method: Method) -> &'static str {
    match method {
        Method::Adam => "Adam",
        Method::Lbfgs => "L-BFGS",
        Method::Genetic => "genetic",
    }
}

/// Writes the configuration `text`, the results, the weights in all their forms and the page into the fit's folder. The
/// weights of each method are in a subfolder with its name; those with the lowest held-out loss are in the folder
/// itself, too.
///
/// # Errors
/// [`SessionError`] if one of them cannot be written.
pub fn keep(out: &Path, text: &str, settings: &Settings, fitted: &Fitted) -> Result<(), SessionError> {
    let io = |cause| SessionError::io("cannot keep the fit", cause);
    let json = serde_json::to_vec_pretty(fitted).map_err(|error| io(error.into()))?;
    replace_file(&out.join(CONFIG), text.as_bytes()).map_err(io)?;
    replace_file(&out.join(SUMMARY), &json).map_err(io)?;
    for found in &fitted.found {
        let folder = out.join(found.method.name());
        fs_err::create_dir_all(&folder).map_err(io)?;
        write(&folder, settings.model, fitted, found).map_err(io)?;
    }
    if let Some(best) = fitted.best() {
        write(out, settings.model, fitted, best).map_err(io)?;
    }
    let page = page(out, settings, fitted).map_err(|error| io(std::io::Error::other(error)))?;
    replace_file(&out.join(PAGE), page.as_bytes()).map_err(io)
}

fn write(folder: &Path, model: Model, fitted: &Fitted, found: &Found) -> std::io::Result<()> {
    let output = Output::of(model, &fitted.names, &found.weights);
    let texts = [
        ("weights.toml", output.toml),
        ("weights.c", output.c),
        ("weights.rs", output.rust),
        ("setoption.txt", output.options),
    ];
    for (name, text) in texts {
        replace_file(&folder.join(name), text.as_bytes())?;
    }
    output.engine.map_or(Ok(()), |bytes| replace_file(&folder.join("wps.bin"), &bytes))
}

/// Returns a warning about the best weights, unless they are clearly better than the start.
pub fn verdict(fitted: &Fitted) -> Option<&'static str> {
    match fitted.gain?.verdict {
        Verdict::Better => None,
        Verdict::Unclear => Some("NO CLEAR GAIN over the start on positions held out."),
        Verdict::Worse => Some("WORSE THAN THE START on positions held out."),
    }
}

/// Returns the sources of labels in files with a position per line: opcodes and other spellings, with the number of
/// lines.
pub fn labels(gathered: &Gathered) -> impl Iterator<Item = [String; 2]> {
    let of = |name: &str, counts: &BTreeMap<String, u64>| {
        let count = |(by, lines): (&String, &u64)| format!("{by} in {}", counted(*lines, "line"));
        let says = counts.iter().map(count).collect::<Vec<_>>().join(", ");
        (!says.is_empty()).then(|| [name.to_owned(), says])
    };
    [of("results from", &gathered.results_by), of("scores from", &gathered.scores_by)].into_iter().flatten()
}

/// Summarizes its outcome in a sentence.
pub fn says(fitted: &Fitted) -> String {
    let start = fitted.start_judged.held_out;
    fitted.best().map_or_else(String::new, |best| {
        format!(
            "Held-out loss {:.5} by {}, {start:.5} at the start: {} positions fitted to, {} held out",
            best.judged.held_out,
            method(best.method),
            grouped(fitted.training as u64),
            grouped(fitted.held_out as u64)
        )
    })
}

/// The headers of the table of methods.
pub const HEADS: [&str; 7] =
    ["method", "held-out loss", "training loss", "mean difference", "rank correlation", "steps", "processor time"];

/// Returns the rows of the start and of each method, with the same columns.
pub fn rows(fitted: &Fitted) -> Vec<Vec<String>> {
    let dash = || "\u{2013}".to_owned();
    let figures = |judged: &Judged| {
        let number =
            |value: Option<f64>, decimals: usize| value.map_or_else(dash, |value| format!("{value:.decimals$}"));
        [
            format!("{:.5}", judged.held_out),
            format!("{:.5}", judged.training),
            number(judged.absolute, 1),
            number(judged.rank, 3),
        ]
    };
    let start = [vec!["the start".to_owned()], figures(&fitted.start_judged).to_vec(), vec![dash(), dash()]].concat();
    let of = |found: &Found| {
        let time = format!("{:.1} s", found.cpu_seconds);
        [
            vec![method(found.method).to_owned()],
            figures(&found.judged).to_vec(),
            vec![found.points.len().to_string(), time],
        ]
        .concat()
    };
    std::iter::once(start).chain(fitted.found.iter().map(of)).collect()
}

fn page(out: &Path, settings: &Settings, fitted: &Fitted) -> Result<String, PlotError> {
    let name = out.file_name().map_or_else(|| "Fit".into(), |name| name.to_string_lossy());
    let title = format!("{name}: {}", model(settings.model));
    let mut sheet = FactSheet::new(&title, [verdict(fitted).unwrap_or_default(), &says(fitted)].join(" ").trim());
    for [name, value] in facts(settings, fitted) {
        sheet.fact(name, value);
    }
    sheet.table("Methods, judged by positions that none has seen", &HEADS, rows(fitted));
    if matches!(settings.model, Model::ChessTables { .. }) {
        boards(&mut sheet, fitted)?;
    } else {
        sheet.table("Weights", &["weight", "start", "fitted", "error"], listed(fitted));
    }
    for found in &fitted.found {
        let title = format!("The course of {}", method(found.method));
        let id = format!("course-{}", found.method.name());
        sheet.plot(&id, &title, course(&title, settings, found))?;
    }
    Ok(sheet.html())
}

fn facts(settings: &Settings, fitted: &Fitted) -> Vec<[String; 2]> {
    let gathered = &fitted.gathered;
    let seconds: f64 = fitted.found.iter().map(|found| found.seconds).sum();
    let mut facts = vec![
        ("positions read", grouped(gathered.read)),
        ("kept", grouped(gathered.kept)),
        ("left out: not quiet", grouped(gathered.noisy)),
        ("left out: score too large", grouped(gathered.decided)),
        ("left out: seen before", grouped(gathered.duplicates)),
        ("could not be used", grouped(gathered.flawed)),
        ("units of the evaluation that are a logit", format!("{:.1}", fitted.scale)),
        ("centipawns of scores that are a logit", format!("{:.1}", fitted.score_scale)),
        ("lambda, the weight of results", settings.lambda.to_string()),
        ("spread of weights about the start", settings.spread.to_string()),
        ("weights that no position speaks of", fitted.unseen.to_string()),
        ("seed", settings.seed.to_string()),
        ("time", spoken(Duration::from_secs_f64(seconds))),
    ];
    if fitted.start.len() > MOST_WEIGHTS {
        facts.push(("errors", format!("none: there are more than {} weights", grouped(MOST_WEIGHTS as u64))));
    }
    facts.extend(fitted.warnings.iter().map(|warning| ("look at this", warning.clone())));
    facts.extend(gathered.flaws.iter().map(|flaw| ("for example", flaw.clone())));
    facts.into_iter().map(|(name, value)| [name.to_owned(), value]).chain(labels(gathered)).collect()
}

/// Adds the tables before and after the fit, and their errors.
fn boards(sheet: &mut FactSheet, fitted: &Fitted) -> Result<(), PlotError> {
    let phases: &[&str] = if fitted.start.len() > 384 { &["middlegame", "endgame"] } else { &["tables"] };
    for (index, phase) in phases.iter().enumerate() {
        let of = |numbers: &dyn Fn(usize) -> Option<f64>| heat(|at| numbers(384 * index + at));
        let title = format!("Before: {phase}");
        sheet.plot(
            &format!("before-{phase}"),
            &title,
            draw(&title, "Centipawns", &of(&|at| Some(fitted.start[at]))),
        )?;
        for found in &fitted.found {
            let title = format!("{}: {phase}", method(found.method));
            let says = "Centipawns; each board is coloured about its mean";
            let id = format!("{}-{phase}", found.method.name());
            sheet.plot(&id, &title, draw(&title, says, &of(&|at| Some(found.weights[at]))))?;
        }
        if let Some(errors) = fitted.found.iter().find_map(|found| found.errors.as_ref()) {
            let title = format!("Standard errors: {phase}");
            let says = "Centipawns, from the Hessian; empty where no position has a piece on the square";
            sheet.plot(&format!("errors-{phase}"), &title, draw(&title, says, &of(&|at| errors[at])))?;
        }
    }
    Ok(())
}

fn heat(number: impl Fn(usize) -> Option<f64>) -> Vec<HeatBoard> {
    let of_role = |(index, (_, role)): (usize, (_, &str))| HeatBoard {
        title: role.to_owned(),
        numbers: (0..64).map(|at| number(64 * index + at)).collect(),
    };
    ROLES.into_iter().enumerate().map(of_role).collect()
}

fn draw(title: &str, says: &str, boards: &[HeatBoard]) -> Result<Plot, PlotError> {
    heat_boards(title, says, boards)
}

/// Returns the weights of the best method, the largest first.
fn listed(fitted: &Fitted) -> Vec<Vec<String>> {
    let Some(best) = fitted.best() else { return Vec::new() };
    let mut order: Vec<usize> = (0..fitted.names.len()).collect();
    order.sort_by(|&a, &b| best.weights[b].abs().total_cmp(&best.weights[a].abs()));
    let error = |at: usize| best.errors.as_ref().and_then(|errors| errors[at]);
    let row = |at: usize| {
        vec![
            fitted.names[at].clone(),
            format!("{:.3}", fitted.start[at]),
            format!("{:.3}", best.weights[at]),
            error(at).map_or_else(|| "\u{2013}".to_owned(), |error| format!("{error:.3}")),
        ]
    };
    order.into_iter().take(LISTED).map(row).collect()
}

fn course(title: &str, settings: &Settings, found: &Found) -> Result<Plot, PlotError> {
    let axes = match (found.method, settings.genetic.fitness) {
        (Method::Adam, _) => LossAxes { x: "epochs", y: "cross-entropy (nats)" },
        (Method::Lbfgs, _) => LossAxes { x: "steps", y: "cross-entropy (nats)" },
        (Method::Genetic, Fitness::Absolute) => {
            LossAxes { x: "generations", y: "mean difference to the scores (centipawns)" }
        }
        (Method::Genetic, Fitness::Rank) => LossAxes { x: "generations", y: "1 - rank correlation" },
        (Method::Genetic, Fitness::Logistic) => LossAxes { x: "generations", y: "cross-entropy (nats)" },
    };
    let series = |name: &str, value: fn(&trainer::fit::Point) -> f64| {
        let point = |at| Point { x: step(at), y: value(at), low: None, high: None };
        Series { name: name.to_owned(), points: found.points.iter().map(point).collect() }
    };
    let courses = [series("fitted to", |at| at.training), series("held out", |at| at.held_out)];
    losses(title, "Positions that are fitted to, and those held out", axes, &courses, &[])
}

fn step(point: &trainer::fit::Point) -> f64 {
    f64::from(point.step)
}
