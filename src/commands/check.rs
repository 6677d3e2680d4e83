//! `spar check`: checks whether an engine follows its protocol and the rules.

use super::{print, print_json};
use crate::args::Check as Arguments;
use crate::draft::SOURCE;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::shown::shown;
use anyhow::anyhow;
use arena::config::Job;
use arena::config::RunConfig;
use arena::run::{Executables, Processes};
use plan::{Disk, EnginePlan, Given, OwnPlayer, RunPlan, from_word, within};
use play::check::{Check, Finding, Grade};
use play::entrant::{ProcessSpec, Protocol};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(crate) fn check(check: &Arguments) -> Result<Exit, Failure> {
    let run = configuration(check)?;
    let executables =
        Executables::of(&run, &host::working_directory()?).map_err(|error| Failure::Usage(error.into()))?;
    let processes = Processes::new(host::spawner()?, Arc::new(executables));
    let process = run.entrants.first().and_then(|entrant| entrant.player.process());
    let process: &ProcessSpec = process.ok_or_else(|| Failure::usage("there is no engine to check"))?;
    let starter = processes.starter(0);
    let mut findings: Vec<Finding> = Vec::new();
    let mut failed = Ok(());
    let stop = host::stop_flag()?;
    let check_run = Check { process, game: run.game, starter: &starter, stop };
    check_run.run(&mut |finding| {
        if !check.json && failed.is_ok() {
            failed = print(shown(&line(&finding)));
        }
        findings.push(finding);
    });
    failed?;
    if stop.load(Ordering::SeqCst) {
        return Err(Failure::Interrupted);
    }
    if check.json {
        print_json(&findings)?;
    } else {
        print(verdict(&findings))?;
    }
    Ok(exit(&findings))
}

/// The exit code of the most severe finding.
fn exit(findings: &[Finding]) -> Exit {
    match findings.iter().map(|finding| finding.grade).max() {
        Some(Grade::Failure) => Exit::Rejected,
        Some(Grade::Unjudged) => Exit::Undecided,
        Some(Grade::Pass | Grade::Warning) | None => Exit::Done,
    }
}

/// A configuration with the engine in a match against a random mover, so that its settings are checked like those of a
/// run.
fn configuration(check: &Arguments) -> Result<RunConfig, Failure> {
    let protocol: Given<Protocol> = from_word(&check.protocol, &format!("--protocol {}", check.protocol))?;
    let limit = protocol.value.check_limit();
    let game = check.game.unwrap_or(protocol.value.default_game());
    let mut engine = EnginePlan {
        name: Some(Given::usual("engine")),
        cmd: Some(Given::words(check.engine.as_str(), check.engine.as_str())),
        args: Some(Given::words(check.arguments.clone(), check.arguments.join(" "))),
        protocol: Some(protocol),
        limit: Some(Given::usual(limit)),
        ..EnginePlan::default()
    };
    for option in &check.options {
        let (name, value) = option.split_once('=').ok_or_else(|| {
            Failure::Usage(anyhow!("cannot set `{option}`: expected NAME=VALUE, for instance --option Hash=16"))
        })?;
        engine.options.set(name, Given::words(value, format!("--option {option}")));
    }
    let (name, player) = (Some(Given::usual("random")), Some(Given::usual(OwnPlayer::Random)));
    let random = EnginePlan { name, player, ..EnginePlan::default() };
    let mut plan = RunPlan::new(SOURCE, "check", Disk);
    plan.keys.game = Some(Given::words(game, format!("--game {game}")));
    within(&mut plan.keys.r#match).pairs = Some(Given::usual(1u64));
    within(&mut plan.keys.openings).source = Some(Given::usual("start"));
    plan.keys.entrant = vec![Given::usual(engine), Given::usual(random)];
    Ok(plan.resolve(Job::Match)?.run)
}

fn line(finding: &Finding) -> String {
    let sign = match finding.grade {
        Grade::Pass => "ok     ",
        Grade::Warning => "warning",
        Grade::Unjudged => "unclear",
        Grade::Failure => "FAILED ",
    };
    let note = if finding.note.is_empty() { String::new() } else { format!(": {}", finding.note) };
    format!("{sign}  {}{note}", finding.step)
}

fn verdict(findings: &[Finding]) -> String {
    let count = |grade| findings.iter().filter(|finding| finding.grade == grade).count();
    let of = findings.len();
    match (count(Grade::Failure), count(Grade::Unjudged), count(Grade::Warning)) {
        (0, 0, 0) => format!("\nAll {of} steps passed."),
        (0, 0, warnings) => format!("\nFit to play; {warnings} of {of} steps with warnings."),
        (0, unjudged, _) => format!(
            "\nNot judged: {unjudged} of {of} steps. The host was too busy to tell whether the engine is in time: \
             check it again when nothing else runs."
        ),
        (failures, _, _) => format!("\nNot fit to play: {failures} of {of} steps failed."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(grades: &[Grade]) -> (String, Exit) {
        let finding = |grade: &Grade| Finding { step: "moves".to_owned(), grade: *grade, note: String::new() };
        let findings: Vec<Finding> = grades.iter().map(finding).collect();
        (verdict(&findings), exit(&findings))
    }

    #[test]
    fn what_a_busy_host_hides_is_neither_a_pass_nor_a_failure() {
        let (says, code) = summary(&[Grade::Pass, Grade::Unjudged, Grade::Warning]);
        assert!(says.starts_with("\nNot judged: 1 of 3 steps. The host was too busy"), "{says}");
        assert_eq!(code, Exit::Undecided);
        let (says, code) = summary(&[Grade::Unjudged, Grade::Failure]);
        assert_eq!((says.as_str(), code), ("\nNot fit to play: 1 of 2 steps failed.", Exit::Rejected));
        assert_eq!(summary(&[Grade::Pass, Grade::Warning]).1, Exit::Done);
    }
}
