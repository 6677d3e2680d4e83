//! `spar regress`: has an engine become weaker than its releases? A test of non-regression against each of them.

use super::engines::{Workshop, read_plan};
use super::{experiment, print, print_json};
use crate::args::Working;
use crate::args::releases::Regress;
use crate::builds::Build;
use crate::failure::{Exit, Failure};
use crate::summary::interval;
use crate::tested_elo::told_elo;
use crate::text::grouped;
use arena::config::Job;
use arena::run::{Finish, Verdict};
use serde_json::{Value, json};
use session::plan::{Contest, RunPlan};
use std::path::Path;

/// A loss of 5 is a regression, none is not; in the unit of the file's model.
const NON_REGRESSION: [f64; 2] = [-5.0, 0.0];

/// What came of the test against one release.
struct Row {
    release: String,
    worked: experiment::Worked,
}

pub(crate) fn regress(regress: &Regress, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&regress.config, &regress.working, Job::Sprt)?;
    let workshop = Workshop::open(&regress.building, &plan, runs)?;
    let dev = workshop.candidate(&regress.dev)?;
    let releases = regress.against.iter().map(|tag| workshop.revision(tag)).collect::<Result<Vec<_>, _>>()?;
    let dev = workshop.build(&dev)?;
    // What cannot be built is said before anything is played.
    let releases = releases.iter().map(|release| workshop.build(release)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for release in releases {
        let worked = play(&regress.working, &plan, &dev, &release, runs)?;
        let stopped = worked.finish == Finish::Stopped;
        if stopped {
            experiment::say_how_to_go_on(&worked.path);
        }
        rows.push(Row { release: release.revision.asked.clone(), worked });
        if stopped {
            break;
        }
    }
    if regress.working.json {
        print_json(&rows.iter().map(Row::json).collect::<Vec<_>>())?;
    } else {
        print(table(&regress.dev, &rows))?;
    }
    Ok(exit(&rows))
}

fn play(
    working: &Working,
    plan: &RunPlan,
    dev: &Build,
    release: &Build,
    runs: &Path,
) -> Result<experiment::Worked, Failure> {
    let (dev, base) = (dev.built(), release.built());
    let base = (release.revision.asked.as_str(), &base);
    let contest = Contest { dev: ("dev", &dev), base, bounds: Some(NON_REGRESSION) };
    let loaded = plan.test_of_builds(&contest)?.resolve(Job::Sprt)?;
    experiment::begin_quietly(&loaded, working, runs)
}

impl Row {
    fn says(&self) -> &'static str {
        match self.worked.finish {
            Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => "no regression",
            Finish::Verdict(Verdict::AcceptedH0) => "regression",
            Finish::Verdict(Verdict::Undecided) => "undecided",
            Finish::Stopped => "interrupted",
        }
    }

    fn json(&self) -> Value {
        let mut json = self.worked.json.clone();
        json["release"] = json!(self.release);
        json["says"] = json!(self.says());
        json
    }
}

fn table(dev: &str, rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.release.chars().count()).max().unwrap_or(0).max("against".len());
    let mut lines = vec![format!("{dev} against its releases:"), String::new()];
    lines.push(format!("  {:<width$}  {:<14}{:>8}  {:<42}run", "against", "", "pairs", "Elo, 95%"));
    for row in rows {
        let standing = &row.worked.standing;
        let told = told_elo(standing);
        let kind = told.and_then(|told| told.kind).map_or_else(String::new, |kind| format!(", {kind}"));
        let elo = format!("{}{kind}", interval(told.map(|told| told.elo), 1));
        let pairs = grouped(standing.pairs);
        let (release, says, run) = (&row.release, row.says(), row.worked.path.display());
        lines.push(format!("  {release:<width$}  {says:<14}{pairs:>8}  {elo:<42}{run}"));
    }
    lines.join("\n")
}

/// The gravest of what was found.
fn exit(rows: &[Row]) -> Exit {
    let any = |finish| rows.iter().any(|row| row.worked.finish == finish);
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
