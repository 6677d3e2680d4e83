//! From a configuration to the experiment it asks for: the one place that knows all kinds of them.

use crate::failure::Failure;
use arena::config::{ExperimentConfig, RunConfig, TuneConfig, TuneMethod, Tuned, TunedKind, TunedParameter};
use arena::run::{Experiment, Ladder, Match, Series, Sprt};
use play::entrant::PlayerSpec;
use play::spelling::nearest;
use std::any::Any;
use tuner::experiment::{Budget, Tune};
use tuner::quadratic::{self, Quadratic};
use tuner::spsa::{self, Spsa};
use tuner::spsa_auto::{self, SpsaAuto};
use tuner::spsa_classic::{self, SpsaClassic};
use tuner::{Kind, Method, Parameter, Space, SpaceError, fishtest};

/// The experiment of a run, before its first pair.
pub(crate) fn experiment(config: &RunConfig) -> Result<Box<dyn Experiment>, Failure> {
    Ok(match &config.experiment {
        ExperimentConfig::Sprt { test, max_pairs } => {
            Box::new(Sprt::new(*test, *max_pairs).map_err(|error| Failure::Usage(error.into()))?)
        }
        ExperimentConfig::Match { pairs, schedule, entrants } => Box::new(Match::new(*pairs, *schedule, *entrants)),
        ExperimentConfig::Tune(tune) => Box::new(tuning(tune, &config.entrants[0].player, config.seed)?),
        ExperimentConfig::Ladder(ladder) => {
            Box::new(Ladder::new(ladder.clone()).map_err(|error| Failure::Usage(error.into()))?)
        }
    })
}

/// Of a tuning session with a model of strength: for each parameter Elo over its value, about the present answer.
pub(crate) fn slices(experiment: &dyn Experiment) -> Vec<Series> {
    let experiment: &dyn Any = experiment;
    experiment.downcast_ref::<Tune>().map_or_else(Vec::new, Tune::slices)
}

/// The tuning session of a configuration.
pub(crate) fn tuning(config: &TuneConfig, whose: &PlayerSpec, seed: u64) -> Result<Tune, Failure> {
    let (space, gains) = space(config, whose)?;
    let method = method(config, space.clone(), gains.clone(), seed)?;
    let budget = Budget { pairs: config.pairs, stop_regret: config.stop_regret };
    Ok(Tune::new(method, space, budget, config.lookahead).with_gains(gains))
}

/// What is tuned, and the gains that lines in fishtest's format give.
pub(crate) fn space(config: &TuneConfig, whose: &PlayerSpec) -> Result<(Space, Vec<f64>), Failure> {
    match &config.tuned {
        Tuned::Parameters(parameters) => {
            let parameters = parameters.iter().map(parameter).collect::<Result<Vec<_>, _>>().map_err(refused)?;
            Ok((Space::new(parameters).map_err(refused)?, Vec::new()))
        }
        Tuned::Lines(lines) => space_of_lines(lines, whose),
    }
}

fn parameter(tuned: &TunedParameter) -> Result<Parameter, SpaceError> {
    let kind = match tuned.kind {
        TunedKind::Real => Kind::Real,
        TunedKind::Integer => Kind::Integer,
        TunedKind::Log => Kind::Log,
        TunedKind::Boolean => Kind::Boolean,
    };
    Parameter::new(tuned.name.clone(), kind, tuned.start, (tuned.min, tuned.max), tuned.step)
}

/// Lines in fishtest's format have the gains as well.
fn space_of_lines(lines: &str, whose: &PlayerSpec) -> Result<(Space, Vec<f64>), Failure> {
    let lines = fishtest::parse_lines(lines).map_err(|error| Failure::usage(format!("`tune.lines`: {error}")))?;
    if whose.process().is_none() {
        for line in &lines {
            check_engine_has(&line.parameter)?;
        }
    }
    let gains = lines.iter().map(|line| line.r_end).collect();
    let parameters = lines.into_iter().map(|line| line.parameter).collect();
    Ok((Space::new(parameters).map_err(refused)?, gains))
}

fn refused(error: SpaceError) -> Failure {
    Failure::Usage(anyhow::Error::new(error).context("`[tune]` makes no session"))
}

/// A parameter of a fishtest line must be the engine's, within the engine's own range.
fn check_engine_has(parameter: &Parameter) -> Result<(), Failure> {
    let name = parameter.name();
    let Some(info) = engine::ParamInfo::find(name) else {
        let advice = nearest(name, engine::PARAMS.iter().map(|info| info.name));
        let advice = advice.map_or("`spar params` lists them all".to_owned(), |best| format!("did you mean `{best}`?"));
        return Err(Failure::usage(format!("`tune.lines`: unknown parameter `{name}`: {advice}")));
    };
    if parameter.min() < info.min || parameter.max() > info.max {
        let (min, max) = (info.min, info.max);
        return Err(Failure::usage(format!("`tune.lines`: `{name}` must stay within the engine's {min} to {max}")));
    }
    Ok(())
}

fn method(config: &TuneConfig, space: Space, gains: Vec<f64>, seed: u64) -> Result<Box<dyn Method + Send>, Failure> {
    let pairs = config.pairs.get();
    Ok(match config.method {
        TuneMethod::Quadratic => {
            Box::new(Quadratic::new(space, quadratic::Config::default(), seed, pairs).map_err(refused)?)
        }
        TuneMethod::Spsa => {
            Box::new(Spsa::with_gains(space, spsa::Config::default(), gains, seed, pairs).map_err(refused)?)
        }
        TuneMethod::SpsaClassic => {
            Box::new(SpsaClassic::new(space, spsa_classic::Config::default(), seed, pairs).map_err(refused)?)
        }
        TuneMethod::SpsaAuto => {
            Box::new(SpsaAuto::new(space, spsa_auto::Config::default(), seed, pairs).map_err(refused)?)
        }
    })
}
