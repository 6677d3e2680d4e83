//! Damaged, truncated or hostile journals: every operation on the run must end, with a result or with one error.

use super::damage::{Bases, lines};
use super::target;
use crate::positions;
use crate::{Left, PageOfRun, Place, ReadRun, Session, SessionError};
use arena::run::{
    Check, Event, Executor, JOURNAL, PairIndex, PairSpec, RunFolder, Timings, download, downloads, export, transcript,
};
use fuzz::ReadOutcome;
use plan::jobs;
use plan::positions::Wanted;
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

#[test]
fn runs() {
    let (bases, lines) = (Bases::read(), lines());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    target("journal").words(&lines).longest(600).run(|input| {
        let runs = tempfile::tempdir().expect("a folder");
        let run = runs.path().join("run-1");
        std::fs::create_dir(&run).expect("a folder");
        if !bases.write(&String::from_utf8_lossy(input), &run.join(JOURNAL)) {
            return ReadOutcome::Read("no damage".to_owned());
        }
        let shortly = |error: &dyn std::fmt::Display| error.to_string().replace(&*runs.path().to_string_lossy(), "");
        let shown = show(&run);
        let exported = exports(&run);
        let reported = report(&run);
        // Resuming is slow, since it measures the bench of engines, so only some inputs do it.
        let resumed = if input.len().is_multiple_of(4) { resume(&run, runs.path()) } else { Ok(()) };
        let errors = [
            shown.as_ref().err().map(|error| shortly(error)),
            exported.err().map(|error| shortly(&error)),
            reported.err().map(|error| shortly(&error)),
        ];
        // Resuming may fail where the other operations do not, since there are no players.
        if let Err(error) = &resumed {
            assert_readable(&shortly(error));
        }
        match errors.into_iter().flatten().next() {
            Some(error) => ReadOutcome::Refused(error),
            None => ReadOutcome::Read(shown.unwrap_or_default()),
        }
    });
}

fn assert_readable(message: &str) {
    assert!(!message.trim().is_empty() && message.len() < 4_096, "too long to read: {message}");
    assert!(!message.contains("panicked") && !message.contains("internal error"), "{message}");
}

/// Prints the same as `spar show`.
fn show(run: &Path) -> Result<String, SessionError> {
    let read = ReadRun::open(run)?;
    let standing = read.experiment.standing();
    let summary = read.summary(run, &standing);
    let (text, json, players) = (summary.text(), summary.json(), read.players());
    assert!(!text.is_empty() && json.is_object() && players.json().len() < 100);
    let _said = players.text();
    let journal = RunFolder::open_journal(run)?;
    for pair in 0..read.replayed.pairs.min(4) {
        if let Some(stored) = journal.result(pair)? {
            let _games = [0, 1].map(|game| transcript(&read.header.config, &stored, game));
        }
    }
    Ok(format!("{} pairs, {:?}", read.replayed.pairs, read.finish()))
}

/// Writes the same files as `spar export`.
fn exports(run: &Path) -> Result<(), SessionError> {
    for (format, _) in downloads().filter_map(download) {
        let journal = RunFolder::open_journal(run)?;
        let mut experiment = jobs::experiment(&journal.header()?.config)?;
        let written = export(&journal, experiment.as_mut(), format.as_ref(), Timings::Include, &mut Vec::new());
        if let Err(error) = written {
            assert_readable(&error.to_string());
        }
    }
    let config = RunFolder::open_journal(run)?.header()?.config;
    let out = run.join("out.positions");
    let _written = positions::write(run, &config, &Wanted::of(&config), &out)?;
    Ok(())
}

/// Makes the run's page.
fn report(run: &Path) -> Result<(), SessionError> {
    let mut page = PageOfRun::open(run, Check::Audit)?;
    let report = page.report()?;
    report.write(&run.join("page"), reports::Extent::Page)?;
    Ok(())
}

/// Resumes the run, without players.
fn resume(run: &Path, runs: &Path) -> Result<(), SessionError> {
    let session = Session::resume(run, Vec::new(), Nobody::default(), &Place::at(runs));
    match session.wait() {
        Err(SessionError::Panicked(text)) => panic!("{text}"),
        Err(SessionError::Broken { why, left: Left::AsItWas }) if why.to_string().is_empty() => panic!("without words"),
        other => other.map(drop),
    }
}

/// An executor that plays nothing.
#[derive(Default)]
struct Nobody(VecDeque<PairIndex>);

impl Executor for Nobody {
    fn workers(&self) -> usize {
        1
    }

    fn capacity(&self) -> usize {
        1
    }

    fn submit(&mut self, spec: PairSpec) {
        self.0.push_back(spec.pair);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        let pair = self.0.pop_front()?;
        Some(Event::Failed { pair, why: "no player is here".to_owned() })
    }

    fn revoke_from(&mut self, _pair: PairIndex) {
        self.0.clear();
    }
}
