//! `spar book prepare`: prepares a book of setups against an opponent.

use super::engines::{process, starter};
use crate::args::books::Prepare;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use anyhow::{Context, anyhow};
use arena::config::read_limit;
use engine::{EvaluationKind, Evaluator, Network, SetupBook, Side};
use play::Limit;
use play::book::replies::{RepliesError, replies};
use play::entrant::{Options, Protocol};
use reports::text::grouped;
use serde_json::json;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use trainer::setups::{Answered, Prepared, Searched, Stage, candidates, prepare as search};

pub(crate) fn prepare(arguments: &Prepare) -> Result<Exit, Failure> {
    let book = book(arguments)?;
    let stop = host::stop_flag()?;
    let Some(answered) = ask(arguments, &book, stop)? else { return Ok(interrupted()) };
    let (line, threads) = (Mutex::new(ProgressLine::new()), arguments.concurrency.unwrap_or_else(host::processors));
    let watch = |depth, setups| {
        if let Ok(mut line) = line.lock() {
            line.show(|_| format!("depth {depth}, {} setups", grouped(setups as u64)));
        }
    };
    let prepared = search(&book, &network()?, &answered, arguments.depth, threads, stop, &watch);
    if let Ok(line) = line.into_inner() {
        line.finish();
    }
    let Some(prepared) = prepared.map_err(Failure::environment)? else { return Ok(interrupted()) };
    fs_err::write(&arguments.out, prepared.book.to_bytes())?;
    if arguments.json {
        print_json(&prepared_json(arguments, &prepared))?;
    } else {
        print(summary(arguments, &prepared))?;
    }
    Ok(Exit::Done)
}

fn interrupted() -> Exit {
    say!("Interrupted; nothing was written.");
    Exit::Interrupted
}

/// Returns the book to prepare. Its searches must be less deep than those to come.
fn book(arguments: &Prepare) -> Result<Arc<SetupBook>, Failure> {
    let book = match &arguments.book {
        Some(path) => {
            let cannot_use = || format!("cannot use the book {}", path.display());
            let bytes = std::fs::read(path).with_context(cannot_use).map_err(Failure::Usage)?;
            Arc::new(SetupBook::from_bytes(&bytes).with_context(cannot_use).map_err(Failure::Usage)?)
        }
        None => SetupBook::shipped(),
    };
    match book.entries().iter().map(|entry| entry.depth).max() {
        None => Err(Failure::usage("the book has no setups of red: make one with `spar book setups`")),
        Some(deepest) if deepest >= arguments.depth => Err(Failure::usage(format!(
            "`--depth {}`: the book has searches of depth {deepest}: expected {} or more",
            arguments.depth,
            deepest.saturating_add(1)
        ))),
        Some(_) => Ok(book),
    }
}

/// Asks the opponent for its replies; `None` after a stop.
fn ask(arguments: &Prepare, book: &SetupBook, stop: &AtomicBool) -> Result<Option<Vec<Answered>>, Failure> {
    let limit = read_limit(&arguments.limit).filter(|limit| Protocol::Codecup.supported_limits(*limit).is_none());
    let limit: Limit = limit.ok_or_else(|| {
        Failure::usage(format!("`--limit {}`: expected a time for the whole game, such as `30s`", arguments.limit))
    })?;
    let process = process(&arguments.against, &arguments.args, Options::default(), Protocol::Codecup, limit);
    let reds = candidates(book, arguments.setups.get());
    let line = Mutex::new(ProgressLine::new());
    let observe = |done: usize| {
        if let Ok(mut line) = line.lock() {
            line.show(|_| format!("{} of {} replies", grouped(done as u64), grouped(reds.len() as u64)));
        }
    };
    let concurrency = arguments.concurrency.unwrap_or_else(host::processors);
    let replies = replies(&process, &starter(&arguments.against)?, &reds, concurrency, stop, &observe);
    if let Ok(line) = line.into_inner() {
        line.finish();
    }
    match replies {
        Ok(replies) => {
            let answered = reds.into_iter().zip(replies).map(|(red, reply)| Answered { red, reply });
            Ok(Some(answered.collect()))
        }
        Err(RepliesError::Stopped) => Ok(None),
        Err(error) => Err(Failure::Environment(anyhow!("{error}"))),
    }
}

/// The engine's own network.
fn network() -> Result<Arc<Network>, Failure> {
    match Evaluator::from(EvaluationKind::Network) {
        Evaluator::Network(network) => Ok(network),
        other => Err(Failure::Environment(anyhow!("{} is no network", other.kind()))),
    }
}

/// The best setups after the opponent's replies, and their values.
fn best(prepared: &Prepared) -> impl Iterator<Item = (String, String, f64)> {
    let last = prepared.stages.last().map(Stage::best_first).unwrap_or_default();
    last.into_iter().filter_map(|searched| {
        let Answered { red, reply } = Searched::answered(&searched)?;
        Some((red.text(Side::Red), reply.text(Side::Blue), f64::from(searched.value) / 10_000.0))
    })
}

fn prepared_json(arguments: &Prepare, prepared: &Prepared) -> serde_json::Value {
    let stages = prepared
        .stages
        .iter()
        .map(|stage| json!({ "depth": stage.depth, "setups": stage.searched.len(), "nodes": stage.nodes() }));
    let best = best(prepared).map(|(red, reply, value)| json!({ "red": red, "reply": reply, "value": value }));
    json!({
        "file": arguments.out,
        "entries": prepared.book.entries().len(),
        "stages": stages.collect::<Vec<_>>(),
        "best": best.collect::<Vec<_>>(),
    })
}

fn summary(arguments: &Prepare, prepared: &Prepared) -> String {
    let mut lines = vec!["depth   setups        nodes".to_owned()];
    for stage in &prepared.stages {
        let (setups, nodes) = (grouped(stage.searched.len() as u64), grouped(stage.nodes()));
        lines.push(format!("{:>5} {setups:>8} {nodes:>12}", stage.depth));
    }
    lines.push(format!("{:<18}{:<18}logits for red", "red", "reply"));
    lines.extend(best(prepared).map(|(red, reply, value)| format!("{red:<18}{reply:<18}{value:+.3}")));
    lines.push(format!("book    {}", arguments.out.display()));
    lines.join("\n")
}
