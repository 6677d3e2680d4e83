//! `[[stage]]`: a test in stages with one verdict. Each stage is played only if the one before is passed.

use super::parts::{Finished, Row, print_rows};
use super::{parts, print, print_json, sessions};
use crate::args::Working;
use crate::failure::{Exit, Failure};
use crate::host::say_how_to_go_on;
use crate::progress::Lines;
use crate::watch::{Ended, is_stopped, watch, watch_by};
use arena::run::Finish;
use serde_json::json;
use session::Session;
use session::work::{Rule, Series, Stages};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// Plays the stages.
pub(super) fn begin(stages: Stages, working: &Working, runs: &Path) -> Result<Exit, Failure> {
    let (players, place) = (sessions::players(working), sessions::place(working, runs));
    let session = Session::start(players, &place, move |runner| stages.play(runner).map(Some));
    show(session, working, Lines::Rewritten, &mut |_| ())
}

/// Shows a session that plays stages, and prints the result. Calls `seen` with each run as it ends.
pub(super) fn show(
    session: Session<Option<PathBuf>>,
    working: &Working,
    lines: Lines,
    seen: &mut dyn FnMut(&Ended),
) -> Result<Exit, Failure> {
    let mut finished = Finished::default();
    let mut on_end = |ended: &Ended| {
        seen(ended);
        finished.and(ended)
    };
    let (ended, folder) = match watch_by(session, lines, &mut on_end) {
        Ok(done) => done,
        Err(why) => return finished.before(why, |ended| print_rows(ended, "Stages", Rule::WhilePassed, None, working)),
    };
    match folder.as_deref().map(Series::read).transpose()?.flatten() {
        Some(series) => print_results(&ended, &series, working),
        None => Ok(Exit::Interrupted),
    }
}

/// Resumes a job of stages.
pub(super) fn resume(series: &Series, pairs: Option<NonZeroU64>, working: &Working) -> Result<Exit, Failure> {
    let folder = series.folder().to_owned();
    let mut finished = Finished::default();
    match watch(sessions::resumed(&folder, pairs, working), &mut |ended| finished.and(ended)) {
        Ok(ended) => print_results(&ended, series, working),
        Err(why) => finished.before(why, |ended| print_rows(ended, "Stages", Rule::WhilePassed, None, working)),
    }
}

/// Prints the results of all stages.
fn print_results(ended: &[Ended], series: &Series, working: &Working) -> Result<Exit, Failure> {
    if is_stopped(ended) {
        say_how_to_go_on(series.folder());
    }
    let wording = series.rule().wording();
    let (rows, page) = (Row::of(ended, &wording), parts::write_page(series, ended));
    let exit = if ended.is_empty() { Exit::Interrupted } else { parts::exit(&rows) };
    if working.json {
        let verdict = ended.last().and_then(|ended| ended.outcome.verdict());
        let stages: Vec<_> = rows.iter().map(|row| row.json(&wording)).collect();
        let (folder, of) = (series.folder(), series.parts().len());
        let title = series.title();
        print_json(&json!({
            "job": folder, "title": title, "verdict": verdict, "of": of, "stages": stages, "report": page,
        }))?;
    } else {
        let finishes: Vec<Finish> = ended.iter().map(|ended| ended.outcome.finish).collect();
        let table = parts::table("Stages", &rows, &wording);
        print(format_args!("{}\n\n{table}{}", series.says(&finishes), parts::page(page.as_deref())))?;
    }
    Ok(exit)
}
