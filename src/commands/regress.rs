//! `spar regress`: has an engine become weaker than its releases? A test of non-regression against each of them.

use super::experiment::{self, read_plan};
use super::{print, print_json};
use crate::args::Working;
use crate::args::releases::Regress;
use crate::failure::{Exit, Failure};
use crate::watch::{Ended, is_stopped, watch, watch_for};
use arena::config::Job;
use arena::run::{Finish, Verdict};
use reports::summary::interval;
use reports::summary::{TestedElo, told_elo};
use reports::text::grouped;
use serde_json::{Value, json};
use session::Session;
use session::work::{self, Series};
use std::path::Path;

/// What came of the test against one release.
struct Row<'a> {
    release: String,
    ended: &'a Ended,
}

pub(crate) fn regress(regress: &Regress, runs: &Path) -> Result<Exit, Failure> {
    let Regress { config, against, dev, building, working } = regress;
    let plan = read_plan(config, working, Job::Sprt)?;
    let (dev, against) = (dev.clone(), against.clone());
    let regress = work::Regress { plan, sources: building.sources(), dev, against };
    let title = regress.title();
    let (threads, place) = (experiment::threads(working), experiment::place(working, runs));
    let session = Session::start(threads, &place, move |desk| work::regress(desk, &regress));
    let mut finished = Finished::default();
    match watch_for(session, &mut |ended| finished.and(ended)) {
        Ok((ended, folder)) => told(&ended, &title, &folder, working),
        Err(why) => finished.before(why, &title, working),
    }
}

/// Goes on with such a job.
pub(super) fn resume(series: &Series, working: &Working) -> Result<Exit, Failure> {
    let (title, folder) = (series.title(), series.folder());
    let mut finished = Finished::default();
    match watch(experiment::resumed(folder, working), &mut |ended| finished.and(ended)) {
        Ok(ended) => told(&ended, title, folder, working),
        Err(why) => finished.before(why, title, working),
    }
}

/// The tests that have ended so far.
#[derive(Default)]
struct Finished(Vec<Ended>);

impl Finished {
    /// Takes one more, whatever comes of the next.
    #[expect(clippy::unnecessary_wraps, reason = "whoever watches a session may fail")]
    fn and(&mut self, ended: &Ended) -> Result<(), Failure> {
        self.0.push(ended.clone());
        Ok(())
    }

    /// What they found, said before the reason why there are no more.
    fn before(&self, why: Failure, title: &str, working: &Working) -> Result<Exit, Failure> {
        if !self.0.is_empty() {
            say_all(&self.0, title, working)?;
        }
        Err(why)
    }
}

/// Says what came of all tests.
fn told(ended: &[Ended], title: &str, folder: &Path, working: &Working) -> Result<Exit, Failure> {
    if is_stopped(ended) {
        experiment::say_how_to_go_on(folder);
    }
    say_all(ended, title, working)
}

fn say_all(ended: &[Ended], title: &str, working: &Working) -> Result<Exit, Failure> {
    let rows = ended.iter().map(|ended| Row { release: release(ended), ended }).collect::<Vec<_>>();
    if working.json {
        print_json(&rows.iter().map(Row::json).collect::<Vec<_>>())?;
    } else {
        print(table(title, &rows))?;
    }
    Ok(exit(&rows))
}

fn release(ended: &Ended) -> String {
    ended.phase.as_ref().map_or_else(String::new, |phase| phase.name.clone())
}

impl Row<'_> {
    fn says(&self) -> &'static str {
        match self.ended.outcome.finish {
            Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => "no regression",
            Finish::Verdict(Verdict::AcceptedH0) => "regression",
            Finish::Verdict(Verdict::Undecided) => "undecided",
            Finish::Stopped => "interrupted",
        }
    }

    fn json(&self) -> Value {
        let mut json = self.ended.json();
        json["release"] = json!(self.release);
        json["says"] = json!(self.says());
        json
    }
}

fn table(title: &str, rows: &[Row<'_>]) -> String {
    let width = rows.iter().map(|row| row.release.chars().count()).max().unwrap_or(0).max("against".len());
    let mut lines = vec![format!("{title}:"), String::new()];
    lines.push(format!("  {:<width$}  {:<14}{:>8}  {:<42}run", "against", "", "pairs", "Elo, 95%"));
    for row in rows {
        let standing = &row.ended.outcome.standing;
        let told = told_elo(standing);
        let kind = told.map_or_else(String::new, TestedElo::what);
        let elo = format!("{}{kind}", interval(told.map(|told| told.elo), 1));
        let pairs = grouped(standing.pairs);
        let (release, says, run) = (&row.release, row.says(), row.ended.outcome.path.display());
        lines.push(format!("  {release:<width$}  {says:<14}{pairs:>8}  {elo:<42}{run}"));
    }
    lines.join("\n")
}

/// The gravest of what was found.
fn exit(rows: &[Row<'_>]) -> Exit {
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
