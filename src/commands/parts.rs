//! The tests of a job of several, a row each: for people and for machines.

use crate::failure::{Exit, Failure};
use crate::watch::Ended;
use arena::run::{Finish, Verdict};
use reports::summary::{TestedElo, interval, told_elo};
use reports::text::counted;
use serde_json::{Value, json};
use session::work::Wording;
use std::path::Path;

/// What came of one test.
pub(super) struct Row<'a> {
    name: String,
    ended: &'a Ended,
}

impl<'a> Row<'a> {
    /// Of each test that ended.
    pub(super) fn of(ended: &'a [Ended]) -> Vec<Self> {
        let name = |ended: &Ended| ended.phase.as_ref().map_or_else(String::new, |phase| phase.name.clone());
        ended.iter().map(|ended| Row { name: name(ended), ended }).collect()
    }

    pub(super) fn json(&self, wording: &Wording) -> Value {
        let mut json = self.ended.json();
        json[wording.key] = json!(self.name);
        json["says"] = json!(wording.says(self.ended.outcome.finish));
        json
    }
}

/// The tests that have ended so far.
#[derive(Default)]
pub(super) struct Finished(Vec<Ended>);

impl Finished {
    /// Takes one more, whatever comes of the next.
    #[expect(clippy::unnecessary_wraps, reason = "whoever watches a session may fail")]
    pub(super) fn and(&mut self, ended: &Ended) -> Result<(), Failure> {
        self.0.push(ended.clone());
        Ok(())
    }

    /// What they found, said before the reason why there are no more.
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

/// A line for each, under the title.
pub(super) fn table(title: &str, rows: &[Row<'_>], wording: &Wording) -> String {
    let head = wording.head;
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(head.len());
    let mut lines = vec![format!("{title}:"), String::new()];
    lines.push(format!("  {head:<width$}  {:<14}{:>14}  {:<42}run", "", "played", "Elo, 95%"));
    for row in rows {
        let standing = &row.ended.outcome.standing;
        let told = told_elo(standing);
        let kind = told.map_or_else(String::new, TestedElo::what);
        let elo = format!("{}{kind}", interval(told.map(|told| told.elo), 1));
        let outcome = &row.ended.outcome;
        let played = counted(standing.pairs, outcome.config.experiment.rounds().unit());
        let (name, says, run) = (&row.name, wording.says(outcome.finish), outcome.path.display());
        lines.push(format!("  {name:<width$}  {says:<14}{played:>14}  {elo:<42}{run}"));
    }
    lines.join("\n")
}

/// Where the page of the job is, below its table.
pub(super) fn page(page: Option<&Path>) -> String {
    page.map_or_else(String::new, |page| format!("\n\n  report {}", page.display()))
}

/// The gravest of what was found.
pub(super) fn exit(rows: &[Row<'_>]) -> Exit {
    let any = |finish| rows.iter().any(|row| row.ended.outcome.finish == finish);
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
