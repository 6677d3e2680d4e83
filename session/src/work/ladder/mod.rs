//! A ladder: many engines, rated together by the most informative games. It is all its runs in the runs folder: an
//! entrant that joins adds a run, and the ratings read them all.

pub(crate) mod error;
mod history;

pub use error::LadderError;

use crate::builds::{EngineBuilder, Sources};
use crate::error::SessionError;
use crate::run_folder::executables;
use crate::runner::SessionRunner;
use arena::config::{ExperimentConfig, Job};
use arena::run::{Finish, Header, run_header};
use history::History;
use plan::{Built, Loaded, RunPlan, Scaling};
use reports::RatedLadder;
use reports::levels::Levels;
use stats::rating::Ratings;
use std::path::{Path, PathBuf};

/// What is played of a ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Further {
    /// Nothing.
    Nothing,
    /// An interrupted run is resumed; a further one is played if an entrant has not been rated.
    #[default]
    Needed,
    /// An interrupted run is resumed; otherwise a further one is played.
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
    /// Whether no rating is given, so that ratings are about the mean of all.
    pub about_mean: bool,
    /// `key=value` texts that replace what the stored configuration of an interrupted run says.
    pub settings: Vec<String>,
}

/// Where a ladder stands.
#[derive(Clone, Debug)]
pub struct LadderState {
    /// Its name.
    pub title: String,
    /// The folders of its runs, the oldest first.
    pub runs: Vec<PathBuf>,
    /// Pairs in all of them.
    pub pairs: u64,
    /// The ratings by all games.
    pub rated: RatedLadder,
    /// The same, by number of the entrant.
    pub ratings: Ratings,
    /// The names of all entrants by number: first those of the configuration, then those that it does not have any
    /// more.
    pub names: Vec<String>,
    /// How many of them the configuration has.
    pub current: usize,
    /// The ratings that were given, by number of the entrant.
    pub anchors: Vec<(usize, f64)>,
    /// How the run ended that was played now; `None` if nothing was.
    pub finish: Option<Finish>,
}

/// Plays what there is to play of a ladder, and rates by all that was ever played.
///
/// # Errors
/// [`SessionError`]; a run that was begun is resumed when the ladder is played again.
pub fn ladder(runner: &mut SessionRunner, ladder: &Ladder) -> Result<LadderState, SessionError> {
    let plan = with_engines(runner, ladder)?;
    let loaded = plan.resolve(Job::Ladder)?;
    let ExperimentConfig::Ladder(config) = &loaded.run.experiment else { return Err(LadderError::NoLadder.into()) };
    let runs = runner.runs().to_owned();
    let header = header_of(&loaded)?;
    let mut history = History::read(&runs, &header)?;
    let finish = ladder.play(runner, &plan, &history)?;
    if finish.is_some() {
        history.refresh(&runs, &header)?;
    }
    let anchor = (config.anchor as usize, config.anchor_elo);
    let anchors = if ladder.about_mean { Vec::new() } else { vec![anchor] };
    let ratings = history.ratings(&anchors)?;
    let (names, current) = history.names();
    let levels = ladder.levels.clone().or_else(|| Levels::of(&loaded.run.entrants));
    let rated = RatedLadder::new(&names, current, config.anchor as usize, &ratings, levels);
    let (runs, pairs) = (history.paths().map(Path::to_owned).collect(), history.pairs());
    let names = names.into_iter().map(str::to_owned).collect();
    let title = loaded.run.title.unwrap_or(loaded.run.name);
    Ok(LadderState { title, runs, pairs, rated, ratings, names, current, anchors, finish })
}

impl Ladder {
    /// A ladder that is played as far as needed.
    pub fn new(plan: RunPlan, sources: Sources) -> Self {
        Self { plan, sources, levels: None, further: Further::Needed, about_mean: false, settings: Vec::new() }
    }

    /// The league that a plan asks for ([`RunPlan::league`]), played on and on.
    pub fn league(plan: RunPlan, sources: Sources) -> Self {
        let about_mean = plan.keys.ladder.as_ref().is_none_or(|ladder| ladder.value.anchor.is_none());
        Self { about_mean, further: Further::Always, ..Self::new(plan, sources) }
    }

    /// The ladder over the levels of a scaling ([`RunPlan::scaling`]).
    pub fn of_levels(scaling: Scaling, sources: Sources) -> Self {
        let Scaling { plan, label, values, doublings } = scaling;
        Self { levels: Some(Levels { label, values, doublings }), ..Self::new(plan, sources) }
    }

    /// Resumes an interrupted run, or plays a new one if there is a reason to; `None` if there is none.
    fn play(
        &self,
        runner: &mut SessionRunner,
        plan: &RunPlan,
        history: &History,
    ) -> Result<Option<Finish>, SessionError> {
        if self.further == Further::Nothing {
            return Ok(None);
        }
        let outcome = if let Some(path) = history.unfinished(|runs| header_of(&continued(plan, history, runs)?))? {
            runner.resume(path, &self.settings)?.0
        } else if self.further == Further::Always || !history.all_rated() {
            let further = continued(plan, history, history.len())?;
            if further.experiment.clone().propose(0).is_none() {
                return Ok(None);
            }
            runner.begin(&further, &mut |_| Ok(()))?
        } else {
            return Ok(None);
        };
        Ok(Some(outcome.finish))
    }
}

/// The plan with the programs of revisions in their place. The repository is opened if there is a revision.
fn with_engines(runner: &SessionRunner, ladder: &Ladder) -> Result<RunPlan, SessionError> {
    let Ladder { plan, sources, .. } = ladder;
    let tell = |news| runner.tell(news);
    let mut builder = None;
    plan.with_builds(&mut |rev| -> Result<Built, SessionError> {
        let builder = match &builder {
            Some(builder) => builder,
            None => builder.insert(EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?),
        };
        Ok(builder.build(&builder.candidate(rev)?)?.built())
    })
}

/// The configuration of the run after the first `runs`.
fn continued(plan: &RunPlan, history: &History, runs: usize) -> Result<Loaded, SessionError> {
    let (known, gone) = history.known(runs)?;
    Ok(plan.continued(&known, &gone, runs).resolve(Job::Ladder)?)
}

/// The identity of a run that this configuration would be.
fn header_of(loaded: &Loaded) -> Result<Header, SessionError> {
    Ok(run_header(&loaded.run, &executables(&loaded.run)?))
}
