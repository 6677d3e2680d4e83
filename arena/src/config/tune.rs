//! `[tune]`: which parameters of the one entrant are tuned, by what method and for how many pairs.
//!
//! Names are checked here against the engine's own table, which also fills in what the file leaves out. Whether ranges,
//! starts and steps make a space is for the tuner to say.

use super::error::{ConfigError, Source, nearest};
use super::raw::{RawTune, RawTuned, RawVerify};
use engine::{PARAMS, ParamInfo, ParamKind};
use play::entrant::{Entrant, NativeSpec, PlayerSpec, ProcessSpec};
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;
use stats::{Model, SprtConfig};
use std::num::NonZeroU64;

/// Pairs that proposals run ahead of absorbed results, unless the file says: enough for 16 workers with pairs to spare.
const DEFAULT_LOOKAHEAD: u64 = 64;

/// A tuning session's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneConfig {
    /// The method's name.
    pub method: String,
    /// The budget.
    pub pairs: NonZeroU64,
    /// How many pairs proposals run ahead of absorbed results.
    pub lookahead: u64,
    /// Stop early once the answer is expected to lose at most so much Elo.
    pub stop_regret: Option<f64>,
    /// What is tuned.
    pub parameters: Vec<TunedParameter>,
    /// The same as lines in fishtest's format, in place of `parameters`.
    pub lines: Option<String>,
    /// The test of the tuned values against the start that follows, if one does.
    pub verify: Option<VerifyConfig>,
}

/// A parameter to be tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedParameter {
    /// Its name in the engine's table.
    pub name: String,
    /// Its scale and legal values.
    pub kind: TunedKind,
    /// Where it starts.
    pub start: f64,
    /// Smallest value tried.
    pub min: f64,
    /// Largest value tried.
    pub max: f64,
    /// A change worth trying.
    pub step: f64,
}

/// The scale and the legal values of a tuned parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TunedKind {
    /// Any number of the range.
    Real,
    /// Whole numbers; proposals are rounded up or down at random so that they are right on average.
    Integer,
    /// Positive numbers compared by ratio: a step up multiplies by 1 + step / start.
    Log,
    /// Off (0) or on (1). One side of each pair plays with it, the other without; its step is always 1.
    #[serde(alias = "switch")]
    Boolean,
}

impl TunedKind {
    /// The kind of its values, whatever their scale.
    pub fn values(self) -> ParamKind {
        match self {
            Self::Real | Self::Log => ParamKind::Real,
            Self::Integer => ParamKind::Integer,
            Self::Boolean => ParamKind::Switch,
        }
    }
}

/// The test that follows a session.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyConfig {
    /// Bounds, error rates and model.
    pub test: SprtConfig,
    /// Give up undecided after so many pairs.
    pub max_pairs: Option<NonZeroU64>,
}

pub(super) fn resolve(source: &Source, raw: &RawTune, entrants: &[Entrant]) -> Result<TuneConfig, ConfigError> {
    let tuned = tuned_entrant(source, entrants)?;
    let pairs = NonZeroU64::new(*raw.pairs.get_ref())
        .ok_or_else(|| source.error_at(raw.pairs.span(), "no pairs tune nothing", "expected 1 or more"))?;
    if raw.parameter.is_empty() == raw.lines.is_none() {
        return Err(source.error(
            "`[tune]` needs parameters: `[[tune.parameter]]` sections or `lines`, not both",
            "add for instance\n  [[tune.parameter]]\n  name = \"null_move_margin\"",
        ));
    }
    check_numbers(source, raw)?;
    let parameters =
        raw.parameter.iter().map(|parameter| tuned.parameter(source, parameter)).collect::<Result<_, _>>()?;
    Ok(TuneConfig {
        method: raw.method.clone().unwrap_or_else(|| "quadratic".to_owned()),
        pairs,
        lookahead: raw.lookahead.unwrap_or(DEFAULT_LOOKAHEAD),
        stop_regret: raw.stop_regret,
        parameters,
        lines: raw.lines.clone(),
        verify: verify(source, raw.verify.as_ref())?,
    })
}

/// More pairs in flight than any pool of workers needs; all of them are held in memory.
const MOST_LOOKAHEAD: u64 = 65_536;

fn check_numbers(source: &Source, raw: &RawTune) -> Result<(), ConfigError> {
    if let Some(lookahead) = raw.lookahead.filter(|&lookahead| lookahead > MOST_LOOKAHEAD) {
        let message = format!("a lookahead of {lookahead} pairs is no session that learns");
        return Err(source.error(message, format!("expected `tune.lookahead` from 0 to {MOST_LOOKAHEAD}")));
    }
    if let Some(regret) = raw.stop_regret.filter(|regret| !(regret.is_finite() && *regret > 0.0)) {
        return Err(source.error(format!("`tune.stop_regret` cannot be {regret}"), "expected Elo, more than 0"));
    }
    Ok(())
}

/// Whose parameters are tuned.
enum Tuned<'a> {
    /// The engine in process: its table knows the parameters.
    Native(&'a NativeSpec),
    /// An engine process: it declares its options only once it has started, so the file must say what is to be known.
    Process(&'a ProcessSpec),
}

fn tuned_entrant<'a>(source: &Source, entrants: &'a [Entrant]) -> Result<Tuned<'a>, ConfigError> {
    let wanted = "write one `[[entrant]]` section, the engine to be tuned: it plays against itself";
    match entrants {
        [Entrant { player: PlayerSpec::Native(native), .. }] => Ok(Tuned::Native(native)),
        [Entrant { player: PlayerSpec::Process(process), .. }] => Ok(Tuned::Process(process)),
        [Entrant { player: PlayerSpec::Random, .. }] => {
            Err(source.error("a random player has nothing to tune", wanted))
        }
        _ => Err(source.error(format!("there are {} entrants, and one is tuned", entrants.len()), wanted)),
    }
}

impl Tuned<'_> {
    fn parameter(&self, source: &Source, spanned: &Spanned<RawTuned>) -> Result<TunedParameter, ConfigError> {
        match self {
            Self::Native(native) => own_parameter(source, spanned.get_ref(), native),
            Self::Process(process) => option(source, spanned, process),
        }
    }
}

/// A numeric option of an engine process. Its step is a twentieth of the range unless the file says otherwise.
fn option(source: &Source, spanned: &Spanned<RawTuned>, process: &ProcessSpec) -> Result<TunedParameter, ConfigError> {
    let raw = spanned.get_ref();
    let name = raw.name.get_ref();
    let missing = |what: &str| {
        let message = format!("`{name}` has no `{what}`");
        let error = source.error_at(raw.name.span(), message, format!("add `{what} = ...`"));
        error.with_help("an engine process tells its options' ranges only once it runs: write min, max and start here")
    };
    let value = |given: &Option<Spanned<f64>>, what| given.as_ref().map(|v| *v.get_ref()).ok_or_else(|| missing(what));
    let (min, max) = (value(&raw.min, "min")?, value(&raw.max, "max")?);
    let set = process.options.get(name).and_then(|value| value.parse().ok());
    let start = raw.start.as_ref().map(|start| *start.get_ref()).or(set).ok_or_else(|| missing("start"))?;
    let kind = raw.kind.unwrap_or(TunedKind::Integer);
    let twentieth = (max - min) / 20.0;
    let step = if kind == TunedKind::Integer { twentieth.round().max(1.0) } else { twentieth };
    Ok(TunedParameter { name: name.clone(), kind, start, min, max, step: raw.step.unwrap_or(step) })
}

fn own_parameter(source: &Source, raw: &RawTuned, native: &NativeSpec) -> Result<TunedParameter, ConfigError> {
    let name = raw.name.get_ref();
    let info = ParamInfo::find(name).ok_or_else(|| {
        let label = match nearest(name, PARAMS.iter().map(|info| info.name)) {
            Some(best) => format!("did you mean `{best}`?"),
            None => "`spar params` lists them all".to_owned(),
        };
        source.error_at(raw.name.span(), format!("unknown parameter `{name}`"), label)
    })?;
    let value = |given: &Option<Spanned<f64>>, own: f64, what: &str| match given {
        None => Ok(own),
        Some(given) if (info.min..=info.max).contains(given.get_ref()) => Ok(*given.get_ref()),
        Some(given) => {
            let message = format!("{what} {} of `{name}` is outside the engine's own range", given.get_ref());
            Err(source.error_at(given.span(), message, format!("expected {} to {}", info.min, info.max)))
        }
    };
    let start = native.params.get(name).unwrap_or(info.default);
    Ok(TunedParameter {
        name: name.clone(),
        kind: raw.kind.unwrap_or(own_kind(info.kind)),
        start: value(&raw.start, start, "start")?,
        min: value(&raw.min, info.min, "min")?,
        max: value(&raw.max, info.max, "max")?,
        step: raw.step.unwrap_or(info.step),
    })
}

fn own_kind(kind: ParamKind) -> TunedKind {
    match kind {
        ParamKind::Real => TunedKind::Real,
        ParamKind::Integer => TunedKind::Integer,
        ParamKind::Switch => TunedKind::Boolean,
    }
}

/// A session is followed by a test unless `[tune.verify]` has `enabled = false`.
fn verify(source: &Source, raw: Option<&RawVerify>) -> Result<Option<VerifyConfig>, ConfigError> {
    let default =
        SprtConfig { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: Model::Normalized, overshoot: true };
    match raw {
        None => Ok(Some(VerifyConfig { test: default, max_pairs: None })),
        Some(RawVerify { enabled: Some(false), .. }) => Ok(None),
        Some(raw) => {
            let test = SprtConfig {
                elo0: raw.elo0.unwrap_or(default.elo0),
                elo1: raw.elo1.unwrap_or(default.elo1),
                ..default
            };
            test.check().map_err(|error| source.error(error.to_string(), "see `[tune.verify]`"))?;
            let limit = |pairs| {
                let none = || {
                    source.error("a test of no pairs decides nothing", "expected `tune.verify.max_pairs` of 1 or more")
                };
                NonZeroU64::new(pairs).ok_or_else(none)
            };
            Ok(Some(VerifyConfig { test, max_pairs: raw.max_pairs.map(limit).transpose()? }))
        }
    }
}
