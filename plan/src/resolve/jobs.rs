//! The section of the job: what to do with the entrants, and whether there are enough of them.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin, value};
use super::super::keys::{Key, Keys, MatchPlan, SprtPlan};
use super::read::needed;
use super::rounds::{Written, length};
use super::{ladder, schedule, selfplay, tune};
use crate::jobs::{JobError, experiment_of};
use arena::config::{ExperimentConfig, GamesEach, Job};
use arena::run::Experiment;
use play::entrant::Entrant;
use play::spelling::nearest;
use stats::sprt::{PRESETS, Preset};
use stats::{SprtConfig, SprtError};
use std::num::NonZeroU64;
use tuner::SpaceError;

pub(super) fn resolve(
    source: &Source,
    raw: &Keys,
    job: Job,
    entrants: &[Entrant],
) -> Result<ExperimentConfig, PlanError> {
    let missing = |section: &str, advice: &str| source.error(format!("there is no `[{section}]` section"), advice);
    match job {
        Job::Sprt => {
            let advice = "add one, for instance\n  [sprt]\n  elo0 = 0\n  elo1 = 5\n\
                          or play a fixed number of pairs with `spar match`";
            let sprt = raw.sprt.as_ref().ok_or_else(|| missing("sprt", advice))?;
            if let Some(stage) = raw.stage.first() {
                let message = "`[[stage]]` makes several tests, and this is one";
                return Err(source.error_at(&stage.origin, message, "`spar sprt` and `spar patch` play them"));
            }
            sprt_config(source, sprt, entrants.len())
        }
        Job::Match => {
            let advice = "add one, for instance\n  [match]\n  pairs = 500\nor run a sequential test with `spar sprt`";
            let fixed = raw.r#match.as_ref().ok_or_else(|| missing("match", advice))?;
            match_config(source, fixed, entrants.len())
        }
        Job::Tune => {
            let advice =
                "add one, for instance\n  [tune]\n  pairs = 20000\n  [[tune.parameter]]\n  name = \"null_move_margin\"";
            let tune = raw.tune.as_ref().ok_or_else(|| missing("tune", advice))?;
            tune::resolve(source, tune, entrants).map(ExperimentConfig::Tune)
        }
        Job::Ladder => {
            let advice = "add one, for instance\n  [ladder]\n  pairs = 2000";
            let ladder = raw.ladder.as_ref().ok_or_else(|| missing("ladder", advice))?;
            ladder::resolve(source, ladder, entrants).map(ExperimentConfig::Ladder)
        }
        Job::Selfplay => {
            let advice = "add one, for instance\n  [selfplay]\n  games = 100000";
            let given = raw.selfplay.as_ref().ok_or_else(|| missing("selfplay", advice))?;
            selfplay::resolve(source, raw, given, entrants)
        }
    }
}

fn match_config(source: &Source, given: &Given<MatchPlan>, entrants: usize) -> Result<ExperimentConfig, PlanError> {
    let count = u32::try_from(entrants).ok().filter(|&count| count >= 2).ok_or_else(|| too_few(source, entrants))?;
    let raw = &given.value;
    let rounds = Written::from(raw).rounds(source)?;
    let keys = ["pairs", "rounds"];
    let length = length(source, [raw.pairs.as_ref(), raw.rounds.as_ref()], keys, rounds)?;
    let key = keys[usize::from(rounds.games == GamesEach::One)];
    let pairs = needed(source, &given.origin, "`[match]`", length, key)?;
    let what = if key == "pairs" { "a match needs at least one pair" } else { "a match needs at least one game" };
    let none = || source.error_at(&pairs.origin, what, "expected 1 or more");
    let pairs = NonZeroU64::new(pairs.value).ok_or_else(none)?;
    let schedule = schedule::resolve(source, raw, count)?;
    Ok(ExperimentConfig::Match { pairs, schedule, entrants: count, rounds })
}

fn too_few(source: &Source, entrants: usize) -> PlanError {
    source.error(
        format!("there are too few entrants: {entrants}"),
        "write one `[[entrant]]` section for the candidate, then one for each opponent",
    )
}

fn sprt_config(source: &Source, given: &Given<SprtPlan>, entrants: usize) -> Result<ExperimentConfig, PlanError> {
    match entrants {
        2 => {}
        0 | 1 => return Err(too_few(source, entrants)),
        _ => {
            return Err(source.error(
                format!("there are {entrants} entrants, and a test is between two"),
                "keep the candidate, then its opponent; `spar match` plays the first against each of the others",
            ));
        }
    }
    let raw = &given.value;
    let preset = raw.preset.as_ref().map(|name| preset(source, name)).transpose()?;
    if let (Some(_), Some(model)) = (&preset, raw.model.as_ref().filter(|model| model.value != "normalized")) {
        let message = format!("the bounds of a `preset` are in nElo, and not in {} Elo", model.value);
        return Err(source.error_at(
            &model.origin,
            message,
            "leave this out, or give `elo0` and `elo1` instead of `preset`",
        ));
    }
    let named = |elo: fn(&Preset) -> f64| Some(raw.preset.as_ref()?.with(elo(preset.as_ref()?)));
    let by_name = [named(|preset| preset.elo0), named(|preset| preset.elo1)];
    let bound = |key: Option<_>, named, name| {
        needed(source, &given.origin, "`[sprt]`", key.or(named), name).map_err(|error| {
            let names = PRESETS.map(|preset| preset.name).join(", ");
            error.with_help(format!(
                "or say by `preset` what is tested: {names}; `spar plan --presets` says what each costs"
            ))
        })
    };
    let elo0 = bound(raw.elo0.as_ref(), by_name[0].as_ref(), "elo0")?;
    let elo1 = bound(raw.elo1.as_ref(), by_name[1].as_ref(), "elo1")?;
    let usual = SprtConfig::default();
    let test = SprtConfig {
        elo0: elo0.value,
        elo1: elo1.value,
        alpha: value(raw.alpha.as_ref()).unwrap_or(usual.alpha),
        beta: value(raw.beta.as_ref()).unwrap_or(usual.beta),
        model: raw.model.as_ref().map_or(Ok(usual.model), |model| sprt_model(source, model))?,
        overshoot: value(raw.overshoot.as_ref()).unwrap_or(usual.overshoot),
    };
    let limit = |n: &Given<u64>| {
        let none = || source.error_at(&n.origin, "a test of no pairs decides nothing", "expected 1 or more");
        NonZeroU64::new(n.value).ok_or_else(none)
    };
    let rounds = Written::from(raw).rounds(source)?;
    let most = length(source, [raw.max_pairs.as_ref(), raw.max_rounds.as_ref()], ["max_pairs", "max_rounds"], rounds)?;
    Ok(ExperimentConfig::Sprt { test, max_pairs: most.map(limit).transpose()?, rounds })
}

/// Refuses the name of bounds in a file that has both by number. A name and one number are a pair with another bound.
pub(super) fn refuse_both_bounds(source: &Source, keys: &Keys) -> Result<(), PlanError> {
    let Some(raw) = keys.sprt.as_ref().map(|given| &given.value) else { return Ok(()) };
    let is_in_the_file = |origin: &Origin| matches!(origin, Origin::Text(_));
    let name = raw.preset.as_ref().filter(|name| is_in_the_file(&name.origin));
    match (name, &raw.elo0, &raw.elo1) {
        (Some(name), Some(_), Some(_)) => {
            let message = "`preset` has no effect beside `elo0` and `elo1`";
            Err(source.error_at(&name.origin, message, "remove this, or remove the two bounds"))
        }
        _ => Ok(()),
    }
}

fn preset(source: &Source, name: &Given<String>) -> Result<Preset, PlanError> {
    name.value.parse().map_err(|_| {
        let names = PRESETS.map(|preset| preset.name);
        let advice = match nearest(&name.value, names.into_iter()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", names.join(", ")),
        };
        source.error_at(&name.origin, format!("no bounds are called `{}`", name.value), advice)
    })
}

fn sprt_model(source: &Source, model: &Given<String>) -> Result<stats::Model, PlanError> {
    let unknown = |_| {
        let label = "expected `normalized`, `logistic` or `bayesian`";
        source.error_at(&model.origin, format!("unknown SPRT model `{}`", model.value), label)
    };
    model.value.parse().map_err(unknown)
}

/// Returns the experiment of a run, before its first pair; errors point to the plan.
pub(super) fn begin(
    source: &Source,
    keys: &Keys,
    config: &ExperimentConfig,
    entrants: &[Entrant],
    seed: u64,
) -> Result<Box<dyn Experiment>, PlanError> {
    experiment_of(config, entrants, seed).map_err(|error| refused(source, keys, &error))
}

fn refused(source: &Source, keys: &Keys, error: &JobError) -> PlanError {
    let tune = keys.tune.as_ref();
    let lines = || tune.and_then(|tune| tune.value.lines.as_ref()).map(|lines| &lines.origin);
    let section = match error {
        JobError::Test(error) => return test_refused(source, keys, error),
        JobError::Ladder(_) => keys.ladder.as_ref().map(|ladder| &ladder.origin),
        JobError::Space(SpaceError::TooFewPairs { .. }) => {
            tune.and_then(|tune| tune.value.pairs.as_ref()).map(|pairs| &pairs.origin)
        }
        JobError::Space(space) if space.is_of_constraint() => {
            tune.and_then(|tune| tune.value.constraints.as_ref()).map(|constraints| &constraints.origin)
        }
        JobError::Space(space) => space.parameter().and_then(|name| tune::place_of(&tune?.value, name)).or_else(lines),
        JobError::Limits(_) => tune.and_then(|tune| tune.value.limits.as_ref()).map(|limits| &limits.origin),
        JobError::Lines(_) | JobError::UnknownParameter { .. } | JobError::OutOfRange { .. } => lines(),
    };
    let expected = "this cannot be played";
    source.error_at(section.unwrap_or(&Origin::Usual), error.to_string(), expected)
}

/// Converts an error about the settings of a test; it points to the setting.
fn test_refused(source: &Source, keys: &Keys, error: &SprtError) -> PlanError {
    let Some(Given { value: raw, origin }) = &keys.sprt else { return source.error(error.found(), error.expected()) };
    let named = raw.preset.as_ref().map(|preset| &preset.origin);
    let of = |key: &Key<f64>| key.as_ref().map(|given| given.origin.clone());
    let place = match error.setting() {
        Some("elo0") => of(&raw.elo0).or_else(|| named.cloned()),
        Some("elo1") => of(&raw.elo1).or_else(|| named.cloned()),
        Some("alpha") => of(&raw.alpha),
        Some("beta") => of(&raw.beta),
        _ => None,
    };
    let refused = source.error_at(place.as_ref().unwrap_or(origin), error.found(), error.expected());
    match error {
        SprtError::Order { .. } => {
            refused.with_help("H0 says that the gain is at most elo0, H1 that it is at least elo1")
        }
        SprtError::Elo { .. } | SprtError::ErrorRate { .. } | SprtError::DrawsUnknown => refused,
    }
}
