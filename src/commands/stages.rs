//! `[[stage]]`: a test in stages, each of which is played if the one before has been passed, with one verdict.

use super::parts::{Finished, Row, Wording};
use super::{experiment, parts, print, print_json};
use crate::args::Working;
use crate::failure::{Exit, Failure};
use crate::watch::{Ended, is_stopped, watch, watch_for};
use arena::run::{Finish, Verdict};
use serde_json::json;
use session::plan::RunPlan;
use session::work::{self, Series};
use session::{Session, SessionError};
use std::path::{Path, PathBuf};

/// How stages are spoken of.
const WORDING: Wording = Wording { head: "stage", key: "stage", passed: "passed", failed: "not passed" };

/// Plays the stages of a plan.
pub(super) fn begin(plan: RunPlan, working: &Working, runs: &Path) -> Result<Exit, Failure> {
    let (threads, place) = (experiment::threads(working), experiment::place(working, runs));
    show(Session::start(threads, &place, move |desk| work::stages(desk, &plan).map(Some)), working)
}

/// Shows a session that plays stages, and says what came out.
pub(super) fn show(session: Session<Option<PathBuf>>, working: &Working) -> Result<Exit, Failure> {
    let mut finished = Finished::default();
    let (ended, folder) = match watch_for(session, &mut |ended| finished.and(ended)) {
        Ok(done) => done,
        Err(why) => return finished.before(why, |ended| rows_alone(ended, working)),
    };
    match folder.as_deref().map(Series::read).transpose()?.flatten() {
        Some(series) => told(&ended, &series, working),
        None => Ok(Exit::Interrupted),
    }
}

/// Goes on with such a job.
pub(super) fn resume(series: &Series, working: &Working) -> Result<Exit, Failure> {
    let folder = series.folder().to_owned();
    let mut finished = Finished::default();
    match watch(experiment::resumed(&folder, working), &mut |ended| finished.and(ended)) {
        Ok(ended) => told(&ended, series, working),
        Err(why) => finished.before(why, |ended| rows_alone(ended, working)),
    }
}

/// What stages have found after which something went wrong.
fn rows_alone(ended: &[Ended], working: &Working) -> Result<Exit, Failure> {
    let rows = Row::of(ended);
    if working.json {
        print_json(&rows.iter().map(|row| row.json(&WORDING)).collect::<Vec<_>>())?;
    } else {
        print(parts::table("Stages", &rows, &WORDING))?;
    }
    Ok(parts::exit(&rows))
}

/// Says what came of all stages.
fn told(ended: &[Ended], series: &Series, working: &Working) -> Result<Exit, Failure> {
    if is_stopped(ended) {
        experiment::say_how_to_go_on(series.folder());
    }
    let (rows, of) = (Row::of(ended), series.parts().len());
    let exit = if ended.is_empty() { Exit::Interrupted } else { parts::exit(&rows) };
    let last = ended.last().map(|ended| ended.outcome.finish);
    if working.json {
        let verdict = match last {
            Some(Finish::Verdict(verdict)) => Some(verdict),
            _ => None,
        };
        let stages: Vec<_> = rows.iter().map(|row| row.json(&WORDING)).collect();
        let folder = series.folder();
        print_json(&json!({ "job": folder, "title": series.title(), "verdict": verdict, "of": of, "stages": stages }))?;
    } else {
        print(format_args!("{}\n\n{}", verdict(series, ended.len(), last), parts::table("Stages", &rows, &WORDING)))?;
    }
    Ok(exit)
}

/// The verdict on all of it, in a sentence.
fn verdict(series: &Series, ended: usize, last: Option<Finish>) -> String {
    let (title, of) = (series.title(), series.parts().len());
    let name = ended.checked_sub(1).and_then(|last| series.parts().get(last)).map_or("", |part| part.name.as_str());
    match last {
        Some(Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete)) if ended == of => {
            format!("{title}: passed, H1 was accepted at each of {of} stages.")
        }
        Some(Finish::Verdict(Verdict::AcceptedH0)) => {
            format!("{title}: not passed, H0 was accepted at stage {ended} of {of}, {name}.")
        }
        Some(Finish::Verdict(Verdict::Undecided)) => format!("{title}: undecided at stage {ended} of {of}, {name}."),
        _ => format!("{title}: unfinished at stage {} of {of}.", ended.max(1)),
    }
}

/// Whether a plan asks for stages, each of which can be played.
///
/// # Errors
/// Why one of them cannot.
pub(super) fn are_asked_for(
    plan: &RunPlan,
    check: &mut dyn FnMut(&RunPlan) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let stages = plan.stages().map_err(SessionError::from)?;
    stages.iter().try_for_each(|stage| check(&stage.plan))?;
    Ok(!stages.is_empty())
}
