//! `spar ladder`: rates many engines or releases together by the most informative games. A ladder consists of all its
//! runs in the runs folder: a new entrant adds a run, and the ratings use all of them.

use super::experiment;
use super::sessions::{place, players, read_plan};
use super::{print, print_json};
use crate::args::Working;
use crate::args::releases::Ladder;
use crate::failure::{Exit, Failure};
use crate::optional::PNG;
use crate::watch::watch_for;
use arena::config::Job;
use arena::run::Finish;
use reports::RatedLadder;
use reports::plots::PlotError;
use reports::summary::ladder as table;
use reports::text::counted;
use serde_json::json;
use session::work::{self, Further, LadderState};
use session::{Session, SessionRunner};
use std::path::{Path, PathBuf};

pub(crate) fn ladder(ladder: &Ladder, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&ladder.config, &ladder.working, Job::Ladder)?;
    let sources = ladder.building.sources(&ladder.config, &ladder.working);
    let climbed = climb(work::Ladder::new(plan, sources), ladder, runs)?;
    let drawing = drawing(&climbed.rated, &climbed.title, &says(&climbed))?;
    let drawn = keep(&climbed, "elo-curve", drawing)?;
    if ladder.working.json {
        print_json(&json!({ "runs": folders(&climbed), "entrants": table::json(&climbed.rated) }))?;
    } else {
        print(format!("{}\n\n{}", table::text(&climbed.rated), note(&climbed, drawn.as_deref())))?;
    }
    Ok(exit(&climbed))
}

/// Plays the remaining pairs of a ladder and shows progress.
pub(super) fn climb(ladder: work::Ladder, asked: &Ladder, runs: &Path) -> Result<LadderState, Failure> {
    let climbed = play(work::Ladder { further: further(asked), ..ladder }, &asked.working, runs)?;
    match climbed.finish {
        Some(Finish::Stopped) => say!("Interrupted; every finished pair is kept. To resume: the same command again"),
        None if asked.more => say!("All differences have the requested precision."),
        None if !asked.show => say!("Every entrant has been rated: add one, or play on with --more."),
        _ => {}
    }
    Ok(climbed)
}

/// Plays the remaining pairs of a ladder.
pub(super) fn play(ladder: work::Ladder, working: &Working, runs: &Path) -> Result<LadderState, Failure> {
    let work = move |runner: &mut SessionRunner| work::ladder(runner, &ladder);
    let session = Session::start(players(working), &place(working, runs), work);
    Ok(watch_for(session, &mut |_| Ok(()))?.1)
}

fn further(asked: &Ladder) -> Further {
    match asked {
        Ladder { show: true, .. } => Further::Nothing,
        Ladder { more: true, .. } => Further::Always,
        Ladder { .. } => Further::Needed,
    }
}

/// The exit code of the run that was played, if any.
pub(super) fn exit(climbed: &LadderState) -> Exit {
    climbed.finish.map_or(Exit::Done, experiment::exit_of)
}

/// How much was played, in words.
pub(super) fn says(climbed: &LadderState) -> String {
    format!("{} in {}", counted(climbed.pairs, "pair"), counted(climbed.runs.len() as u64, "run"))
}

/// The note below the table: where the ladder and its drawing are.
pub(super) fn note(climbed: &LadderState, drawn: Option<&Path>) -> String {
    let drawn = drawn.map_or_else(String::new, |path| format!("\n  drawing {}", path.display()));
    format!("  {}: {}{drawn}", says(climbed), folders(climbed).join(", "))
}

/// The folders of the ladder's runs.
pub(super) fn folders(climbed: &LadderState) -> Vec<String> {
    climbed.runs.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Writes a drawing into the folder of the latest run, as SVG and, if this build supports it, as PNG. Returns the path
/// of the SVG.
pub(super) fn keep(climbed: &LadderState, name: &str, svg: Option<String>) -> Result<Option<PathBuf>, Failure> {
    let (Some(svg), Some(folder)) = (svg, climbed.runs.last()) else { return Ok(None) };
    if let Some(png) = PNG {
        let pixels = png(&svg).map_err(Failure::environment)?;
        fs_err::write(folder.join(format!("{name}.png")), pixels)?;
    }
    let path = folder.join(format!("{name}.svg"));
    fs_err::write(&path, svg)?;
    Ok(Some(path))
}

/// The curve as an SVG drawing; `None` if no pair has been played yet.
pub(super) fn drawing(ladder: &RatedLadder, title: &str, subtitle: &str) -> Result<Option<String>, Failure> {
    match ladder.drawing(title, subtitle) {
        Ok(plot) => Ok(Some(plot.wide)),
        Err(PlotError::Empty(_)) => Ok(None),
        Err(error) => Err(Failure::Environment(error.into())),
    }
}
