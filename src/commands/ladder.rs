//! `spar ladder`: many engines or releases, rated together by the most informative games. A ladder is all its runs in the runs
//! folder: a new entrant adds a run, and the ratings read them all.

use super::engines::{read_plan, tell};
use super::experiment::{self, place, threads};
use super::{print, print_json};
use crate::args::Working;
use crate::args::releases::{Building, Ladder};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::ladder_table as table;
use crate::text::{counted, grouped};
use crate::watch::watch;
use arena::config::Job;
use arena::run::Finish;
use reports::levels::Levels;
use serde_json::json;
use session::Session;
use session::builds::Workshop;
use session::plan::{Built, RunPlan};
use session::work::{self, Climbed, Further};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

pub(crate) fn ladder(ladder: &Ladder, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&ladder.config, &ladder.working, Job::Ladder)?;
    let climbed = climb(ladder, plan, None, runs)?;
    let drawing = table::drawing(&climbed.rated, &climbed.title, &says(&climbed))?;
    let drawn = keep(&climbed, "elo-curve", drawing)?;
    if ladder.working.json {
        print_json(&json!({ "runs": folders(&climbed), "entrants": table::json(&climbed.rated) }))?;
    } else {
        print(format!("{}\n\n{}", table::text(&climbed.rated), note(&climbed, drawn.as_deref())))?;
    }
    Ok(exit(&climbed))
}

/// Plays what there is to play of a ladder, in view of the user. `levels` are what its entrants are levels of, if that is known.
pub(super) fn climb(asked: &Ladder, plan: RunPlan, levels: Option<Levels>, runs: &Path) -> Result<Climbed, Failure> {
    let plan = with_engines(&plan, &asked.building, runs)?;
    let Working { settings, .. } = &asked.working;
    let ladder = work::Ladder { plan, levels, further: further(asked), settings: settings.clone() };
    let (send, receive) = mpsc::channel();
    let session = Session::start(threads(&asked.working), &place(&asked.working, runs), move |desk| {
        // Nobody waits for it who did not ask for it.
        work::ladder(desk, &ladder).map(|climbed| drop(send.send(climbed)))
    });
    watch(session, &mut |_| Ok(()))?;
    let climbed = receive.try_recv().map_err(|_| Failure::Interrupted)?;
    match climbed.finish {
        Some(Finish::Stopped) => say!("Interrupted; every committed pair is kept. To go on: the same command again"),
        None if !asked.show => say!("Every entrant has been rated: add one, or play on with --more."),
        _ => {}
    }
    Ok(climbed)
}

fn further(asked: &Ladder) -> Further {
    match asked {
        Ladder { show: true, .. } => Further::Nothing,
        Ladder { more: true, .. } => Further::Always,
        Ladder { .. } => Further::Needed,
    }
}

/// What the run says that was played, if any was.
pub(super) fn exit(climbed: &Climbed) -> Exit {
    climbed.finish.map_or(Exit::Done, experiment::exit_of)
}

/// How much was played.
pub(super) fn says(climbed: &Climbed) -> String {
    format!("{} pairs in {}", grouped(climbed.pairs), counted(climbed.runs.len() as u64, "run"))
}

/// Where it is, below the table.
pub(super) fn note(climbed: &Climbed, drawn: Option<&Path>) -> String {
    let drawn = drawn.map_or_else(String::new, |path| format!("\n  drawing {}", path.display()));
    format!("  {}: {}{drawn}", says(climbed), folders(climbed).join(", "))
}

/// The folders of its runs.
pub(super) fn folders(climbed: &Climbed) -> Vec<String> {
    climbed.runs.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Keeps a drawing, as SVG and PNG, in the folder of the latest run, and returns the path of the SVG.
pub(super) fn keep(climbed: &Climbed, name: &str, svg: Option<String>) -> Result<Option<PathBuf>, Failure> {
    let (Some(svg), Some(folder)) = (svg, climbed.runs.last()) else { return Ok(None) };
    let png = reports::plots::png(&svg).map_err(|error| Failure::Environment(error.into()))?;
    let (svg_path, png_path) = (folder.join(format!("{name}.svg")), folder.join(format!("{name}.png")));
    for (path, bytes) in [(&svg_path, svg.as_bytes()), (&png_path, &png)] {
        fs_err::write(path, bytes)?;
    }
    Ok(Some(svg_path))
}

/// The plan with the programs of revisions in their place. The repository is opened if there is a revision.
fn with_engines(plan: &RunPlan, building: &Building, runs: &Path) -> Result<RunPlan, Failure> {
    let (sources, stop) = (building.sources(), host::stop_flag()?);
    let mut workshop = None;
    let mut build = |rev: &str| -> Result<Built, Failure> {
        let workshop = match &workshop {
            Some(workshop) => workshop,
            None => workshop.insert(Workshop::open(&sources, plan, runs, stop, &tell)?),
        };
        Ok(workshop.build(&workshop.candidate(rev)?)?.built())
    };
    plan.with_builds(&mut build)
}
