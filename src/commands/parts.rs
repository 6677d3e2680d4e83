//! The tests of a job of several runs, one row each, as text and as JSON.

use super::{print, print_json};
use crate::args::Working;
use crate::failure::{Exit, Failure};
use crate::page::or_warning;
use crate::watch::Ended;
use arena::run::{Finish, Standing, Verdict};
use reports::Cut;
use reports::summary::{TestedElo, interval, reported_elo};
use reports::text::counted;
use serde_json::{Value, json};
use session::work::{Rule, Series, Wording};
use session::{Done, Progress, ReadRun, write_job};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of one test.
pub(super) struct Row {
    name: String,
    /// How the test ended; `None` if it was not begun.
    finish: Option<Finish>,
    /// Its verdict, in a word or two.
    says: String,
    /// Its standing, the name of its rounds, and its folder.
    run: Option<(Standing, &'static str, PathBuf)>,
    json: Value,
}

impl Row {
    /// The rows of the tests that ended.
    pub(super) fn of(ended: &[Ended], wording: &Wording) -> Vec<Self> {
        ended.iter().map(|ended| Self::of_ended(ended, wording)).collect()
    }

    fn of_ended(ended: &Ended, wording: &Wording) -> Self {
        let outcome = &ended.outcome;
        let unit = outcome.config.experiment.rounds().unit();
        Self {
            name: ended.phase.as_ref().map_or_else(String::new, |phase| phase.name.clone()),
            finish: Some(outcome.finish),
            says: with_cut(wording.says(outcome.finish), outcome.cut),
            run: Some((outcome.standing.clone(), unit, outcome.path.clone())),
            json: ended.json(),
        }
    }

    /// The row of a test that is read from its folder.
    pub(super) fn of_read(name: &str, run: &ReadRun, path: &Path, wording: &Wording) -> Self {
        let standing = run.experiment.standing();
        let mut json = run.summary(path, &standing).json();
        let progress = run.progress();
        json["state"] = json!(progress.name());
        let says = if progress == Progress::Running { progress.name() } else { wording.says(run.finish()) };
        Self {
            name: name.to_owned(),
            finish: Some(run.finish()),
            says: with_cut(says, run.cut),
            run: Some((standing, run.header.config.experiment.rounds().unit(), path.to_owned())),
            json,
        }
    }

    /// The row of a test that was not begun.
    pub(super) fn unplayed(name: &str, state: &str) -> Self {
        let json = json!({ "state": state, "run": null, "verdict": null });
        Self { name: name.to_owned(), finish: None, says: state.to_owned(), run: None, json }
    }

    pub(super) fn json(&self, wording: &Wording) -> Value {
        let mut json = self.json.clone();
        json[wording.key] = json!(self.name);
        json["says"] = json!(self.says);
        json
    }

    /// How the test ended; `None` if it was not begun.
    pub(super) fn finish(&self) -> Option<Finish> {
        self.finish
    }
}

/// The result of a test, and the pairs that it omits.
fn with_cut(says: &str, cut: Option<Cut>) -> String {
    cut.map_or_else(|| says.to_owned(), |cut| format!("{says}, {cut}"))
}

/// The tests that have ended so far.
#[derive(Default)]
pub(super) struct Finished(Vec<Ended>);

impl Finished {
    /// Adds a result and prints it.
    #[expect(clippy::unnecessary_wraps, reason = "a watcher of a session may fail")]
    pub(super) fn and(&mut self, ended: &Ended) -> Result<(), Failure> {
        say!("{}", ended.verdict());
        self.0.push(ended.clone());
        Ok(())
    }

    /// Prints the results before the error that stopped the other tests.
    pub(super) fn before(
        &self,
        why: Failure,
        say: impl FnOnce(&[Ended]) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        if !self.0.is_empty() {
            say(&self.0)?;
        }
        Err(why)
    }
}

/// The title, and a line for each test.
pub(super) fn table(title: &str, rows: &[Row], wording: &Wording) -> String {
    let head = wording.head;
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(head.len());
    let mut lines = vec![format!("{title}:"), String::new()];
    lines.push(format!("  {head:<width$}  {:<14}{:>14}  {:<42}run", "", "played", "Elo, 95%"));
    for Row { name, says, run, .. } in rows {
        let line = run.as_ref().map_or_else(String::new, |(standing, unit, path)| {
            let tested = reported_elo(standing);
            let kind = tested.map_or_else(String::new, TestedElo::what);
            let elo = format!("{}{kind}", interval(tested.map(|tested| tested.elo), 1));
            format!("{:>14}  {elo:<41} {}", counted(standing.pairs, unit), path.display())
        });
        lines.push(format!("  {name:<width$}  {says:<14}{line}").trim_end().to_owned());
    }
    lines.join("\n")
}

/// Writes the page of a job of several runs of which these have ended. Reports a failure and returns `None`.
pub(super) fn write_page(series: &Series, ended: &[Ended]) -> Option<PathBuf> {
    let done = |ended: &Ended| Done {
        finish: ended.outcome.finish,
        digest: ended.page.as_ref().map(|page| Arc::clone(&page.digest)),
    };
    or_warning(write_job(series, &ended.iter().map(done).collect::<Vec<_>>()))
}

/// The path of the job's page, for the line below its table.
pub(super) fn page(page: Option<&Path>) -> String {
    page.map_or_else(String::new, |page| format!("\n\n  report {}", page.display()))
}

/// Prints the tests of a job, whose pages are in this report, if there is one.
pub(super) fn print_rows(
    ended: &[Ended],
    title: &str,
    rule: Rule,
    report: Option<&Path>,
    working: &Working,
) -> Result<Exit, Failure> {
    let wording = rule.wording();
    let rows = Row::of(ended, &wording);
    if working.json {
        print_json(&rows.iter().map(|row| row.json(&wording)).collect::<Vec<_>>())?;
    } else {
        print(format_args!("{}{}", table(title, &rows, &wording), page(report)))?;
    }
    Ok(exit(&rows))
}

/// The exit code of the most severe result.
pub(super) fn exit(rows: &[Row]) -> Exit {
    let any = |finish| rows.iter().any(|row| row.finish == Some(finish));
    if any(Finish::Stopped) {
        Exit::Interrupted
    } else if any(Finish::Verdict(Verdict::AcceptedH0)) {
        Exit::Rejected
    } else if any(Finish::Verdict(Verdict::Undecided)) {
        Exit::Undecided
    } else {
        Exit::Done
    }
}
