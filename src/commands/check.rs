//! `spar check`: whether an engine keeps to its protocol and the rules.

use super::{print, print_json};
use crate::args::Check as Arguments;
use crate::failure::{Exit, Failure};
use crate::host;
use anyhow::{Context, anyhow};
use arena::check::{Check, Finding, Grade};
use arena::child::{Launcher, Nursery};
use arena::config::Job;
use arena::config::RunConfig;
use arena::entrant::ProcessSpec;
use arena::run::{Executables, Processes};
use session::plan::load;
use std::sync::Arc;

/// The engine as the only one of a made-up match against a random mover: so what is typed is read in one way.
const MATCH: &str = "[match]\npairs = 1\n[openings]\nsource = \"start\"\n[[entrant]]\nname = \"engine\"\n\
                     [[entrant]]\nname = \"random\"\nplayer = \"random\"\n";

pub(crate) fn check(check: &Arguments) -> Result<Exit, Failure> {
    let run = configuration(check)?;
    let base = std::env::current_dir().context("cannot tell the working directory").map_err(Failure::Environment)?;
    let executables = Executables::of(&run, &base).map_err(|error| Failure::Usage(error.into()))?;
    let nursery = Nursery::start(Some(Launcher::this_program()));
    let nursery = nursery.context("cannot watch over engine processes").map_err(Failure::Environment)?;
    let processes = Processes { nursery, programs: Arc::new(executables), cpus: Vec::new(), trace: None };
    let process = run.entrants.first().and_then(|entrant| entrant.player.process());
    let process: &ProcessSpec = process.ok_or_else(|| Failure::usage("there is no engine to check"))?;
    let starter = processes.starter(0);
    let mut findings: Vec<Finding> = Vec::new();
    let mut failed = Ok(());
    let check_run = Check { process, game: run.game, starter: &starter, stop: host::stop_flag()? };
    check_run.run(&mut |finding| {
        if !check.json && failed.is_ok() {
            failed = print(line(&finding));
        }
        findings.push(finding);
    });
    failed?;
    if check.json {
        print_json(&findings)?;
    } else {
        print(verdict(&findings))?;
    }
    let bad = findings.iter().any(|finding| finding.grade == Grade::Failure);
    Ok(if bad { Exit::Rejected } else { Exit::Done })
}

/// The engine's settings, read as a configuration's are.
fn configuration(check: &Arguments) -> Result<RunConfig, Failure> {
    let limit = if check.protocol == "uci" { "1000 nodes" } else { "10s" };
    let mut settings = vec![
        format!("game=\"{}\"", check.game),
        format!("entrant.engine.cmd={}", quoted(&check.engine)),
        format!("entrant.engine.protocol={}", quoted(&check.protocol)),
        format!("entrant.engine.limit=\"{limit}\""),
    ];
    let arguments: Vec<String> = check.arguments.iter().map(|argument| quoted(argument)).collect();
    settings.push(format!("entrant.engine.args=[{}]", arguments.join(", ")));
    let mut options = Vec::new();
    for option in &check.options {
        let (name, value) = option.split_once('=').ok_or_else(|| {
            Failure::Usage(anyhow!("cannot set `{option}`: expected NAME=VALUE, for instance --option Hash=16"))
        })?;
        options.push(format!("{} = {}", quoted(name), quoted(value)));
    }
    settings.push(format!("entrant.engine.options={{ {} }}", options.join(", ")));
    Ok(load(MATCH, "the command line", "check", &settings, Job::Match)?.run)
}

/// As a TOML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn line(finding: &Finding) -> String {
    let sign = match finding.grade {
        Grade::Pass => "ok     ",
        Grade::Warning => "warning",
        Grade::Failure => "FAILED ",
    };
    let note = if finding.note.is_empty() { String::new() } else { format!(": {}", finding.note) };
    format!("{sign}  {}{note}", finding.step)
}

fn verdict(findings: &[Finding]) -> String {
    let count = |grade| findings.iter().filter(|finding| finding.grade == grade).count();
    match (count(Grade::Failure), count(Grade::Warning)) {
        (0, 0) => format!("\nAll {} steps passed.", findings.len()),
        (0, warnings) => format!("\nFit to play; {warnings} of {} steps with warnings.", findings.len()),
        (failures, _) => format!("\nNot fit to play: {failures} of {} steps failed.", findings.len()),
    }
}
