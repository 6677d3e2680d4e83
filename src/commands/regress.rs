//! `spar regress`: has an engine become weaker than its releases? A test of non-regression against each of them.

use super::engines::{read_plan, tell};
use super::{experiment, print, print_json};
use crate::args::Working;
use crate::args::releases::Regress;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::summary::interval;
use crate::tested_elo::told_elo;
use crate::text::grouped;
use crate::watch::{Ended, is_stopped, watch};
use arena::config::Job;
use arena::run::{Finish, Verdict};
use serde_json::{Value, json};
use session::Session;
use session::builds::{Build, Workshop};
use session::plan::{Contest, RunPlan};
use session::work::{Part, Series};
use std::path::Path;

/// A loss of 5 is a regression, none is not; in the unit of the file's model.
const NON_REGRESSION: [f64; 2] = [-5.0, 0.0];

/// What came of the test against one release.
struct Row<'a> {
    release: String,
    ended: &'a Ended,
}

pub(crate) fn regress(regress: &Regress, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&regress.config, &regress.working, Job::Sprt)?;
    let sources = regress.building.sources();
    let workshop = Workshop::open(&sources, &plan, runs, host::stop_flag()?, &tell)?;
    let dev = workshop.candidate(&regress.dev)?;
    let releases = regress.against.iter().map(|tag| workshop.revision(tag)).collect::<Result<Vec<_>, _>>()?;
    let dev = workshop.build(&dev)?;
    // What cannot be built is said before anything is played.
    let releases = releases.iter().map(|release| workshop.build(release)).collect::<Result<Vec<_>, _>>()?;
    let parts = releases.iter().map(|release| part(&plan, &dev, release)).collect::<Result<Vec<_>, _>>()?;
    let title = format!("{} against its releases", regress.dev);
    let series = Series::create(runs, &format!("regress-{}", plan.stem()), &title, parts)?;
    let folder = series.folder().to_owned();
    let (threads, place) = (experiment::threads(&regress.working), experiment::place(&regress.working, runs));
    let session = Session::start(threads, &place, move |desk| series.go_on(desk, &[]));
    told(session, &title, &folder, &regress.working)
}

/// Goes on with such a job.
pub(super) fn resume(series: &Series, working: &Working) -> Result<Exit, Failure> {
    let (title, folder) = (series.title(), series.folder());
    told(experiment::resumed(folder, working), title, folder, working)
}

/// Shows the session, and then what came of all its tests.
fn told(session: Session, title: &str, folder: &Path, working: &Working) -> Result<Exit, Failure> {
    let ended = watch(session, &mut |_| Ok(()))?;
    if is_stopped(&ended) {
        experiment::say_how_to_go_on(folder);
    }
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

/// The test against one release.
fn part(plan: &RunPlan, dev: &Build, release: &Build) -> Result<Part, Failure> {
    let (dev, base) = (dev.built(), release.built());
    let base = (release.revision.asked.as_str(), &base);
    let contest = Contest { dev: ("dev", &dev), base, bounds: Some(NON_REGRESSION) };
    Ok(Part::new(base.0, &plan.test_of_builds(&contest)?.resolve(Job::Sprt)?))
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
        let kind = told.and_then(|told| told.kind).map_or_else(String::new, |kind| format!(", {kind}"));
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
