//! `spar book setups`: makes a book of setups for 0.1 by search, with progress, interruption and resumption.

use crate::args::books::Setups;
use crate::commands::sessions::read_config;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use plan::{Disk, SetupsPlan};
use reports::PAGE;
use reports::text::{grouped, spoken};
use serde_json::json;
use session::setups;
use std::path::Path;
use std::time::Duration;
use trainer::setups::{BookPhase, Made, Progress, make};

pub(crate) fn setups(arguments: &Setups) -> Result<Exit, Failure> {
    let path = &arguments.config;
    let plan = SetupsPlan::read(&read_config(path)?, &path.display().to_string(), &arguments.settings, Disk)?;
    let threads = arguments.concurrency.unwrap_or_else(host::processors);
    let (stop, mut line) = (host::stop_flag()?, ProgressLine::new());
    fs_err::create_dir_all(&plan.out).map_err(Failure::environment)?;
    let made = make(&plan.settings, threads, &plan.out, stop, &mut |progress| line.show(|_| progress_line(progress)));
    line.finish();
    let Some(made) = made.map_err(Failure::environment)? else {
        say!("Interrupted; a checkpoint is kept. To resume: the same command again");
        return Ok(Exit::Interrupted);
    };
    setups::keep(&plan.out, &plan.text, &plan.settings, &made)?;
    if arguments.json {
        print_json(&made_json(&plan.out, &made))?;
    } else {
        print(summary(&plan.out, &made))?;
    }
    Ok(Exit::Done)
}

fn progress_line(progress: &Progress) -> String {
    let Progress { nodes, of, speed, phase } = *progress;
    let left = Duration::from_secs_f64((of.saturating_sub(nodes) as f64 / speed.max(1.0)).min(1e9));
    let phase = match phase {
        BookPhase::Round { number, of, setups } => format!("round {number} of {of}, {} setups", grouped(setups)),
        BookPhase::Stage { depth, setups } => format!("depth {depth}, {} setups", grouped(setups as u64)),
    };
    let share = 100.0 * nodes as f64 / of.max(1) as f64;
    format!("{share:.1}%  {phase}  {} nodes/s  at most about {}", grouped(speed as u64), spoken(left))
}

fn made_json(out: &Path, made: &Made) -> serde_json::Value {
    let stages = made
        .stages
        .iter()
        .map(|stage| json!({ "depth": stage.depth, "setups": stage.searched.len(), "nodes": stage.nodes() }));
    json!({
        "file": setups::file(out),
        "bytes": made.book.to_bytes().len(),
        "entries": made.book.entries().len(),
        "replies": made.book.replies().len(),
        "valued": made.valued,
        "stages": stages.collect::<Vec<_>>(),
        "nodes": made.nodes,
        "seconds": made.seconds,
    })
}

fn summary(out: &Path, made: &Made) -> String {
    let mut lines = vec![
        setups::says(made),
        format!("{} nodes in {}", grouped(made.nodes), spoken(Duration::from_secs_f64(made.seconds))),
        "depth   setups  best for red".to_owned(),
    ];
    for stage in &made.stages {
        let best = stage.searched.iter().map(|searched| searched.value).max().unwrap_or_default();
        let count = grouped(stage.searched.len() as u64);
        lines.push(format!("{:>5} {count:>8}  {:+.3} logits", stage.depth, f64::from(best) / 10_000.0));
    }
    lines.push(format!("page    {}", out.join(PAGE).display()));
    lines.push(format!(
        "book    {} ({} bytes)",
        setups::file(out).display(),
        grouped(made.book.to_bytes().len() as u64)
    ));
    lines.join("\n")
}
