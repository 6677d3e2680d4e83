//! A ladder: many engines, rated together by the most informative games. It is all its runs in the runs folder: an entrant that joins
//! adds a run, and the ratings read them all.

mod error;
mod history;

pub use error::LadderError;

use crate::builds::{Sources, Workshop};
use crate::desk::{Desk, executables};
use crate::error::SessionError;
use crate::plan::{Built, RunPlan, Scaling};
use arena::config::{ExperimentConfig, Job, Loaded};
use arena::run::{Finish, Header, run_header};
use history::History;
use reports::RatedLadder;
use reports::levels::Levels;
use std::path::{Path, PathBuf};

/// What is played of a ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Further {
    /// Nothing.
    Nothing,
    /// An interrupted run goes on; a further one is played if an entrant has not been rated.
    #[default]
    Needed,
    /// An interrupted run goes on; otherwise a further one is played.
    Always,
}

/// A ladder, and what is to be done with it.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Its plan, in which entrants may be revisions.
    pub plan: RunPlan,
    /// Where the engines of revisions come from.
    pub sources: Sources,
    /// What its entrants are levels of; looked for among them if not given.
    pub levels: Option<Levels>,
    /// What is played.
    pub further: Further,
    /// `key=value` texts that replace what the stored configuration of an interrupted run says.
    pub settings: Vec<String>,
}

/// Where a ladder stands.
#[derive(Clone, Debug)]
pub struct Climbed {
    /// What it is called.
    pub title: String,
    /// The folders of its runs, the oldest first.
    pub runs: Vec<PathBuf>,
    /// Pairs in all of them.
    pub pairs: u64,
    /// The ratings by all games.
    pub rated: RatedLadder,
    /// How the run ended that was played now; `None` if nothing was.
    pub finish: Option<Finish>,
}

/// Plays what there is to play of a ladder, and rates by all that was ever played.
///
/// # Errors
/// [`SessionError`]; a run that was begun goes on when the ladder is played again.
pub fn ladder(desk: &mut Desk, ladder: &Ladder) -> Result<Climbed, SessionError> {
    let plan = with_engines(desk, ladder)?;
    let loaded = plan.resolve(Job::Ladder)?;
    let ExperimentConfig::Ladder(config) = &loaded.run.experiment else { return Err(LadderError::NoLadder.into()) };
    let runs = desk.runs().to_owned();
    let header = header_of(&loaded)?;
    let history = History::read(&runs, &header)?;
    let finish = ladder.play(desk, &plan, &history)?;
    let history = if finish.is_some() { History::read(&runs, &header)? } else { history };
    let ratings = history.ratings(config)?;
    let (names, current) = history.names();
    let levels = ladder.levels.clone().or_else(|| Levels::of(&loaded.run.entrants));
    let rated = RatedLadder::new(&names, current, config.anchor as usize, &ratings, levels);
    let (runs, pairs) = (history.paths().map(Path::to_owned).collect(), history.pairs());
    Ok(Climbed { title: loaded.run.title.unwrap_or(loaded.run.name), runs, pairs, rated, finish })
}

impl Ladder {
    /// A ladder that is played as far as it is needed.
    pub fn new(plan: RunPlan, sources: Sources) -> Self {
        Self { plan, sources, levels: None, further: Further::Needed, settings: Vec::new() }
    }

    /// The ladder over the levels of a scaling ([`RunPlan::scaling`]).
    pub fn of_levels(scaling: Scaling, sources: Sources) -> Self {
        let Scaling { plan, label, values, doublings } = scaling;
        Self { levels: Some(Levels { label, values, doublings }), ..Self::new(plan, sources) }
    }

    /// Goes on with an interrupted run, or plays a new one if there is a reason to; `None` if there is none.
    fn play(&self, desk: &mut Desk, plan: &RunPlan, history: &History) -> Result<Option<Finish>, SessionError> {
        if self.further == Further::Nothing {
            return Ok(None);
        }
        let outcome = if let Some(path) = history.unfinished(|runs| header_of(&continued(plan, history, runs)?))? {
            desk.resume(path, &self.settings)?.0
        } else if self.further == Further::Always || !history.all_rated() {
            desk.begin(&continued(plan, history, history.len())?, &mut |_| Ok(()))?
        } else {
            return Ok(None);
        };
        Ok(Some(outcome.finish))
    }
}

/// The plan with the programs of revisions in their place. The repository is opened if there is a revision.
fn with_engines(desk: &Desk, ladder: &Ladder) -> Result<RunPlan, SessionError> {
    let Ladder { plan, sources, .. } = ladder;
    let tell = |news| desk.tell(news);
    let mut workshop = None;
    plan.with_builds(&mut |rev| -> Result<Built, SessionError> {
        let workshop = match &workshop {
            Some(workshop) => workshop,
            None => workshop.insert(Workshop::open(sources, plan, desk.runs(), desk.stop_flag(), &tell)?),
        };
        Ok(workshop.build(&workshop.candidate(rev)?)?.built())
    })
}

/// The configuration of a run after the first so many.
fn continued(plan: &RunPlan, history: &History, runs: usize) -> Result<Loaded, SessionError> {
    Ok(plan.continued(&history.known(runs)?, runs).resolve(Job::Ladder)?)
}

/// The identity of a run that this configuration would be.
fn header_of(loaded: &Loaded) -> Result<Header, SessionError> {
    Ok(run_header(&loaded.run, &executables(&loaded.run)?))
}
