//! From a configuration to its experiment: the only module that knows all kinds of experiments.

use arena::config::{
    EarlierTune, ExperimentConfig, LearntCategory, LearntParameter, RunConfig, TuneConfig, Tuned, limit_amount,
};
use arena::run::{Experiment, Ladder, Match, Selfplay, Series, Sprt, Tune, TuneBudget};
use play::Limit;
use play::entrant::{Entrant, PlayerSpec};
use play::spelling::nearest;
use std::any::Any;
use tuner::limits::{Limits, NoLimits, Shares};
use tuner::quadratic::{self, CategoryPosterior, Earlier, Known, Learnt, Quadratic};
use tuner::{Layout, Parameter, Setup, Space, SpaceError, fishtest};

/// Why a configuration makes no experiment.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JobError {
    /// Invalid settings of a test.
    #[error(transparent)]
    Test(#[from] stats::SprtError),
    /// Invalid earlier results of a ladder.
    #[error(transparent)]
    Ladder(#[from] stats::rating::RatingError),
    /// Invalid parameters of a tuning session.
    #[error("`[tune]` cannot be used: {0}")]
    Space(#[from] SpaceError),
    /// Invalid limits of a tuning session at several limits.
    #[error("`tune.limits`: {0}")]
    Limits(#[from] NoLimits),
    /// Invalid lines in fishtest's format.
    #[error("`tune.lines`: {0}")]
    Lines(#[from] fishtest::ParseLineError),
    /// A line names a parameter that the engine does not have.
    #[error("`tune.lines`: unknown parameter `{name}`: {advice}")]
    UnknownParameter {
        /// The name.
        name: String,
        /// The name that was probably meant, or a pointer to all names.
        advice: String,
    },
    /// A line gives a parameter values outside the engine's range.
    #[error("`tune.lines`: `{name}` must stay within the engine's {min} to {max}")]
    OutOfRange {
        /// The parameter.
        name: String,
        /// Its lowest value.
        min: f64,
        /// Its highest value.
        max: f64,
    },
}

/// Returns the experiment of a run, before its first pair.
///
/// # Errors
/// [`JobError`] if the configuration makes no experiment.
pub fn experiment(config: &RunConfig) -> Result<Box<dyn Experiment>, JobError> {
    experiment_of(&config.experiment, &config.entrants, config.seed)
}

/// Returns the experiment of these entrants, before its first pair.
pub(crate) fn experiment_of(
    config: &ExperimentConfig,
    entrants: &[Entrant],
    seed: u64,
) -> Result<Box<dyn Experiment>, JobError> {
    Ok(match config {
        ExperimentConfig::Sprt { test, max_pairs, rounds } => Box::new(Sprt::new(*test, *max_pairs, *rounds)?),
        ExperimentConfig::Match { pairs, schedule, entrants, rounds } => {
            Box::new(Match::new(*pairs, *schedule, *entrants).of_rounds(*rounds))
        }
        ExperimentConfig::Tune(tune) => Box::new(tuning(tune, &entrants[0].player, seed)?),
        ExperimentConfig::Ladder(ladder) => Box::new(Ladder::new(ladder.clone())?),
        ExperimentConfig::Selfplay { games, entrants, .. } => Box::new(Selfplay::new(*games, *entrants)),
    })
}

/// Returns the experiment as a tuning session, if it is one.
pub fn tune_of(experiment: &dyn Experiment) -> Option<&Tune> {
    let experiment: &dyn Any = experiment;
    experiment.downcast_ref::<Tune>()
}

/// Returns Elo over the value of each parameter, around the present answer, for a tuning session with a model of
/// strength.
pub fn slices(experiment: &dyn Experiment) -> Vec<Series> {
    tune_of(experiment).map_or_else(Vec::new, Tune::slices)
}

/// Returns the tuning session of a configuration.
///
/// # Errors
/// [`JobError`]: parameters, lines or a method that cannot be used.
pub fn tuning(config: &TuneConfig, whose: &PlayerSpec, seed: u64) -> Result<Tune, JobError> {
    let (layout, gains) = layout(config, whose)?;
    let limits = limits(config, whose)?;
    let of_tuned = layout.engine_parameters().iter().zip(&gains).filter(|(parameter, _)| !parameter.is_frozen());
    let of_tuned = of_tuned.map(|(_, gain)| *gain).collect();
    let space = layout.space().clone();
    space.check_pairs(config.pairs.get())?;
    let earlier = earlier(config, &space)?;
    let pairs = config.planned().get();
    let method = config.method.begin(Setup { space, seed, pairs, gains: of_tuned, limits: limits.clone(), earlier })?;
    let budget = TuneBudget { pairs: config.pairs, stop_regret: config.stop_regret };
    let tune = Tune::new(method, layout, budget, config.lookahead).with_gains(gains);
    Ok(match limits {
        Some(limits) => tune.at_limits(limits, all_limits(config, whose).map(|limit| limit.to_string()).collect()),
        None => tune,
    })
}

/// The limits of a session at several limits, the target last.
fn all_limits(config: &TuneConfig, whose: &PlayerSpec) -> impl Iterator<Item = Limit> {
    config.limits.iter().copied().chain([whose.limit().0])
}

/// Returns the distribution of pairs over limits, if there are several. The cost of a pair, relative to one at the
/// target, is the ratio of the two limits.
///
/// # Errors
/// [`JobError::Limits`]
pub fn limits(config: &TuneConfig, whose: &PlayerSpec) -> Result<Option<Limits>, JobError> {
    if config.limits.is_empty() {
        return Ok(None);
    }
    let (target, _) = limit_amount(whose.limit().0);
    let costs = all_limits(config, whose).map(|limit| limit_amount(limit).0 / target).collect();
    let design = quadratic::Config::default().design;
    Ok(Some(Limits::new(costs, config.planned().get(), design, Shares::default())?))
}

/// Returns the tuned parameters and the parameters that the engine gets, and the gains from lines in fishtest's format.
///
/// # Errors
/// [`JobError`]: parameters, lines, groups or constraints that cannot be tuned.
pub fn layout(config: &TuneConfig, whose: &PlayerSpec) -> Result<(Layout, Vec<f64>), JobError> {
    let (members, gains) = match &config.tuned {
        Tuned::Parameters(parameters) => {
            (parameters.iter().cloned().map(Parameter::of).collect::<Result<Vec<_>, _>>()?, Vec::new())
        }
        Tuned::Lines(lines) => members_of_lines(lines, whose)?,
    };
    Ok((Layout::new(members, &config.groups, &config.constraints)?, gains))
}

/// Reads lines in fishtest's format, which have the gains as well.
fn members_of_lines(lines: &str, whose: &PlayerSpec) -> Result<(Vec<Parameter>, Vec<f64>), JobError> {
    let lines = fishtest::parse_lines(lines)?;
    if whose.process().is_none() {
        for line in &lines {
            check_engine_has(&line.parameter)?;
        }
    }
    let gains = lines.iter().map(|line| line.r_end).collect();
    Ok((lines.into_iter().map(|line| line.parameter).collect(), gains))
}

/// Checks that the engine has the parameter of a fishtest line, with a range that covers that of the line.
fn check_engine_has(parameter: &Parameter) -> Result<(), JobError> {
    let name = parameter.name();
    let Some(info) = engine::ParamInfo::find(name) else {
        let advice = nearest(name, engine::PARAMS.iter().map(|info| info.name));
        let advice = advice.map_or("`spar params` lists them all".to_owned(), |best| format!("did you mean `{best}`?"));
        return Err(JobError::UnknownParameter { name: name.to_owned(), advice });
    };
    if parameter.min() < info.min || parameter.max() > info.max {
        let (min, max) = (info.min, info.max);
        return Err(JobError::OutOfRange { name: name.to_owned(), min, max });
    }
    Ok(())
}

/// Gives a session the knowledge of an earlier one, if there was one.
///
/// # Errors
/// [`SpaceError`] if that knowledge is invalid.
pub(crate) fn with_earlier(method: Quadratic, config: &TuneConfig, space: &Space) -> Result<Quadratic, SpaceError> {
    match earlier(config, space)? {
        Some(earlier) => method.with_earlier(&earlier),
        None => Ok(method),
    }
}

/// Returns the prior knowledge about this space, weighted by trust; `None` without an earlier session.
///
/// # Errors
/// [`SpaceError`] if that knowledge is invalid.
pub fn earlier(config: &TuneConfig, space: &Space) -> Result<Option<Earlier>, SpaceError> {
    let Some(EarlierTune { pairs, trust, learnt, categories, .. }) = &config.earlier else { return Ok(None) };
    let known = |name: &str| {
        if let Some(category) = categories.iter().find(|category| category.name == name) {
            let LearntCategory { precisions, shifts, .. } = category.clone();
            return CategoryPosterior::new(precisions, shifts)
                .map(Learnt::CategoryPosterior)
                .map(Some)
                .ok_or(SpaceError::Empty);
        }
        let slope = learnt.iter().find(|learnt| learnt.name == name);
        Ok(slope.map(|&LearntParameter { gg, gh, hh, g, h, .. }| Learnt::Slope(Known { gg, gh, hh, g, h })))
    };
    let of = |parameter: &Parameter| Ok(known(parameter.name())?.map(|known| known.trusted(*trust)));
    let known = space.parameters().iter().map(of).collect::<Result<_, SpaceError>>()?;
    Ok(Some(Earlier { known, pairs: trust * *pairs as f64 }))
}
