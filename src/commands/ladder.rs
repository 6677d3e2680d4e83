//! `spar ladder`: many engines or releases, rated together by the games that tell most. A ladder is all its runs in the runs
//! folder: a new entrant adds a run, and the ratings read them all.

use super::engines::{read_plan, tell};
use super::experiment::{self, place, resumed, threads};
use super::{print, print_json};
use crate::args::Working;
use crate::args::releases::{Building, Ladder};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::releases::{History, table};
use crate::text::grouped;
use crate::watch::watch;
use arena::config::{ExperimentConfig, Job, Loaded};
use arena::run::{Finish, Header, run_header};
use reports::RatedLadder;
use reports::levels::Levels;
use serde_json::json;
use session::builds::Workshop;
use session::plan::{Built, RunPlan};
use session::{Session, executables};
use std::path::{Path, PathBuf};

/// What a ladder is asked to do.
pub(super) struct Climb<'a> {
    /// The ladder's plan, without `[build]` and revisions.
    pub(super) plan: RunPlan,
    /// What the entrants are levels of; looked for among them if not given.
    pub(super) levels: Option<Levels>,
    /// Play nothing.
    pub(super) show: bool,
    /// Play although every entrant has been rated.
    pub(super) more: bool,
    pub(super) working: &'a Working,
    pub(super) runs: &'a Path,
}

/// Where a ladder stands.
pub(super) struct Climbed {
    pub(super) history: History,
    pub(super) ladder: RatedLadder,
    /// What the ladder is called.
    pub(super) title: String,
    pub(super) exit: Exit,
}

impl Climbed {
    /// The folders of its runs.
    pub(super) fn runs(&self) -> Vec<String> {
        self.history.paths().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    /// How much was played.
    pub(super) fn says(&self) -> String {
        let runs = self.history.len();
        format!("{} pairs in {runs} run{}", grouped(self.history.pairs()), if runs == 1 { "" } else { "s" })
    }

    /// Where it is, below the table.
    pub(super) fn note(&self, drawn: Option<&Path>) -> String {
        let drawn = drawn.map_or_else(String::new, |path| format!("\n  drawing {}", path.display()));
        format!("  {}: {}{drawn}", self.says(), self.runs().join(", "))
    }

    /// Keeps a drawing, as SVG and PNG, in the folder of the latest run, and returns the path of the SVG.
    pub(super) fn keep(&self, name: &str, svg: Option<String>) -> Result<Option<PathBuf>, Failure> {
        let (Some(svg), Some(folder)) = (svg, self.history.paths().last()) else { return Ok(None) };
        let png = reports::plots::png(&svg).map_err(|error| Failure::Environment(error.into()))?;
        let (svg_path, png_path) = (folder.join(format!("{name}.svg")), folder.join(format!("{name}.png")));
        for (path, bytes) in [(&svg_path, svg.as_bytes()), (&png_path, &png)] {
            fs_err::write(path, bytes)?;
        }
        Ok(Some(svg_path))
    }
}

pub(crate) fn ladder(ladder: &Ladder, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&ladder.config, &ladder.working, Job::Ladder)?;
    let plan = with_engines(&plan, &ladder.building, runs)?;
    let Ladder { show, more, working, .. } = ladder;
    let climb = Climb { plan, levels: None, show: *show, more: *more, working, runs };
    let climbed = climb.climb()?;
    let drawing = table::drawing(&climbed.ladder, &climbed.title, &climbed.says())?;
    let drawn = climbed.keep("elo-curve", drawing)?;
    if working.json {
        print_json(&json!({ "runs": climbed.runs(), "entrants": table::json(&climbed.ladder) }))?;
    } else {
        print(format!("{}\n\n{}", table::text(&climbed.ladder), climbed.note(drawn.as_deref())))?;
    }
    Ok(climbed.exit)
}

/// The plan with the programs of revisions in their place. The repository is opened if there is a revision.
pub(super) fn with_engines(plan: &RunPlan, building: &Building, runs: &Path) -> Result<RunPlan, Failure> {
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

impl Climb<'_> {
    /// Plays what there is to play, and rates by all that was played.
    pub(super) fn climb(&self) -> Result<Climbed, Failure> {
        let loaded = self.plan.resolve(Job::Ladder)?;
        let header = header_of(&loaded)?;
        let history = History::read(self.runs, &header)?;
        let finish = if self.show { None } else { self.play(&history)? };
        let history = if finish.is_some() { History::read(self.runs, &header)? } else { history };
        let ratings = history.ratings(&loaded.run)?;
        let (names, current) = history.names();
        let anchor = match &loaded.run.experiment {
            ExperimentConfig::Ladder(ladder) => ladder.anchor as usize,
            _ => 0,
        };
        let levels = self.levels.clone().or_else(|| Levels::of(&loaded.run.entrants));
        let ladder = RatedLadder::new(&names, current, anchor, &ratings, levels);
        let exit = finish.map_or(Exit::Done, experiment::exit_of);
        let title = loaded.run.title.unwrap_or(loaded.run.name);
        Ok(Climbed { history, ladder, title, exit })
    }

    /// Goes on with an interrupted run, or plays a new one if there is a reason to; `None` if there is none.
    fn play(&self, history: &History) -> Result<Option<Finish>, Failure> {
        let again = |runs| header_of(&self.continued(history, runs)?);
        let session = if let Some(path) = history.unfinished(again)? {
            resumed(path, self.working)
        } else if self.more || !history.all_rated() {
            let further = self.continued(history, history.len())?;
            Session::create(further, threads(self.working), &place(self.working, self.runs))
        } else {
            say!("Every entrant has been rated: add one, or play on with --more.");
            return Ok(None);
        };
        let runs = watch(session, &mut |_| Ok(()))?;
        let finish = runs.last().map_or(Finish::Stopped, |run| run.outcome.finish);
        if finish == Finish::Stopped {
            say!("Interrupted; every committed pair is kept. To go on: the same command again");
        }
        Ok(Some(finish))
    }

    /// The configuration of a run after the first so many.
    fn continued(&self, history: &History, runs: usize) -> Result<Loaded, Failure> {
        Ok(self.plan.continued(&history.known(runs)?, runs).resolve(Job::Ladder)?)
    }
}

/// The identity of a run that this configuration would be.
fn header_of(loaded: &Loaded) -> Result<Header, Failure> {
    Ok(run_header(&loaded.run, &executables(&loaded.run)?))
}
