//! A ladder: many engines, rated together by the most informative games. It consists of all its runs in the runs
//! folder: an entrant that joins adds a run, and the ratings use all of them.

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

/// What to play of a ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Further {
    /// Nothing.
    Nothing,
    /// Resume an interrupted run; play a further one if an entrant has no rating.
    #[default]
    Needed,
    /// Resume an interrupted run, or else play a further one.
    Always,
}

/// A ladder, and what to do with it.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Its plan, in which entrants may be revisions.
    pub plan: RunPlan,
    /// The sources of engines from revisions.
    pub sources: Sources,
    /// The levels of its entrants; `None` to look for levels among the entrants.
    pub levels: Option<Levels>,
    /// What to play.
    pub further: Further,
    /// Whether no rating is fixed, so that ratings are relative to their mean.
    pub about_mean: bool,
}

/// The standing of a ladder.
#[derive(Clone, Debug)]
pub struct LadderState {
    /// Its name.
    pub title: String,
    /// The folders of its runs, the oldest first.
    pub runs: Vec<PathBuf>,
    /// The pairs of all runs.
    pub pairs: u64,
    /// The ratings from all games.
    pub rated: RatedLadder,
    /// The same ratings, by the number of the entrant.
    pub ratings: Ratings,
    /// The names of all entrants by number: first those of the configuration, then those that are no longer in it.
    pub names: Vec<String>,
    /// The number of entrants in the configuration.
    pub current: usize,
    /// The fixed ratings, by the number of the entrant.
    pub anchors: Vec<(usize, f64)>,
    /// The end of the run that was played now; `None` without one.
    pub finish: Option<Finish>,
}

/// Plays a ladder as far as set, and rates all entrants from all games so far.
///
/// # Errors
/// [`SessionError`]; a run that has begun is resumed when the ladder is played again.
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
        Self { plan, sources, levels: None, further: Further::Needed, about_mean: false }
    }

    /// The league of a plan ([`RunPlan::league`]), which never ends.
    pub fn league(plan: RunPlan, sources: Sources) -> Self {
        let about_mean = plan.keys.ladder.as_ref().is_none_or(|ladder| ladder.value.anchor.is_none());
        Self { about_mean, further: Further::Always, ..Self::new(plan, sources) }
    }

    /// The ladder of a scaling's levels ([`RunPlan::scaling`]).
    pub fn of_levels(scaling: Scaling, sources: Sources) -> Self {
        let Scaling { plan, label, values, doublings } = scaling;
        Self { levels: Some(Levels { label, values, doublings }), ..Self::new(plan, sources) }
    }

    /// Resumes an interrupted run, or plays a new one if needed; `None` if there is nothing to play.
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
            runner.resume(path, &limits(plan))?.0
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

/// Returns the plan with programs in place of revisions. Opens the repository only if there is a revision.
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

/// Returns the settings that an interrupted run takes over from the plan, as `key=value` texts. The stored
/// configuration of the run was derived from the plan, so the user's own settings may not fit it.
fn limits(plan: &RunPlan) -> Vec<String> {
    let pairs = plan.keys.ladder.as_ref().and_then(|ladder| ladder.value.pairs.as_ref());
    let pairs = pairs.map(|pairs| format!("ladder.pairs={}", pairs.value));
    let share = plan.keys.max_fault_share.as_ref().map(|share| format!("max_fault_share={}", share.value));
    pairs.into_iter().chain(share).collect()
}

/// Returns the configuration of the run after the first `runs`.
fn continued(plan: &RunPlan, history: &History, runs: usize) -> Result<Loaded, SessionError> {
    let (known, gone) = history.known(runs)?;
    Ok(plan.continued(&known, &gone, history.first_opening(runs)).resolve(Job::Ladder)?)
}

/// Returns the identity that a run of this configuration would have.
fn header_of(loaded: &Loaded) -> Result<Header, SessionError> {
    Ok(run_header(&loaded.run, &executables(&loaded.run)?))
}
