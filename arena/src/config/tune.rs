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
use std::fmt;
use std::num::NonZeroU64;

/// Pairs that proposals run ahead of absorbed results, unless the file says: enough for 16 workers with pairs to spare.
const DEFAULT_LOOKAHEAD: u64 = 64;

/// A tuning session's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredTune", into = "StoredTune")]
pub struct TuneConfig {
    /// How it is tuned.
    pub method: TuneMethod,
    /// The budget.
    pub pairs: NonZeroU64,
    /// How many pairs proposals run ahead of absorbed results.
    pub lookahead: u64,
    /// Stop early once the answer is expected to lose at most so much Elo.
    pub stop_regret: Option<f64>,
    /// What is tuned.
    pub tuned: Tuned,
    /// The test of the tuned values against the start that follows, if one does.
    pub verify: Option<VerifyConfig>,
}

/// A method of tuning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneMethod {
    /// A quadratic model of the strength around the best values.
    #[default]
    Quadratic,
    /// Simultaneous perturbation, as fishtest has it.
    Spsa,
    /// The same as Spall has it.
    SpsaClassic,
    /// The same with gains that it finds itself.
    SpsaAuto,
}

impl TuneMethod {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Quadratic, Self::Spsa, Self::SpsaClassic, Self::SpsaAuto];

    /// Its name in configurations and journals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quadratic => "quadratic",
            Self::Spsa => "spsa",
            Self::SpsaClassic => "spsa-classic",
            Self::SpsaAuto => "spsa-auto",
        }
    }
}

impl fmt::Display for TuneMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a session tunes.
#[derive(Clone, Debug, PartialEq)]
pub enum Tuned {
    /// Parameters, one by one.
    Parameters(Vec<TunedParameter>),
    /// Lines in fishtest's format, which have the parameters and their gains.
    Lines(String),
}

/// A session's settings as journals have them.
#[derive(Serialize, Deserialize)]
struct StoredTune {
    method: TuneMethod,
    pairs: NonZeroU64,
    lookahead: u64,
    stop_regret: Option<f64>,
    parameters: Vec<TunedParameter>,
    lines: Option<String>,
    verify: Option<VerifyConfig>,
}

impl From<TuneConfig> for StoredTune {
    fn from(config: TuneConfig) -> Self {
        let TuneConfig { method, pairs, lookahead, stop_regret, tuned, verify } = config;
        let (parameters, lines) = match tuned {
            Tuned::Parameters(parameters) => (parameters, None),
            Tuned::Lines(lines) => (Vec::new(), Some(lines)),
        };
        Self { method, pairs, lookahead, stop_regret, parameters, lines, verify }
    }
}

impl TryFrom<StoredTune> for TuneConfig {
    type Error = &'static str;

    fn try_from(stored: StoredTune) -> Result<Self, &'static str> {
        let StoredTune { method, pairs, lookahead, stop_regret, parameters, lines, verify } = stored;
        let tuned = match lines {
            None => Tuned::Parameters(parameters),
            Some(lines) if parameters.is_empty() => Tuned::Lines(lines),
            Some(_) => return Err("both `parameters` and `lines` say what is tuned"),
        };
        Ok(Self { method, pairs, lookahead, stop_regret, tuned, verify })
    }
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
    let entrant = tuned_entrant(source, entrants)?;
    let pairs = NonZeroU64::new(*raw.pairs.get_ref())
        .ok_or_else(|| source.error_at(raw.pairs.span(), "no pairs tune nothing", "expected 1 or more"))?;
    let tuned = tuned(source, raw, &entrant)?;
    check_numbers(source, raw)?;
    Ok(TuneConfig {
        method: raw.method.as_ref().map_or(Ok(TuneMethod::default()), |name| method(source, name))?,
        pairs,
        lookahead: raw.lookahead.unwrap_or(DEFAULT_LOOKAHEAD),
        stop_regret: raw.stop_regret,
        tuned,
        verify: verify(source, raw.verify.as_ref())?,
    })
}

fn method(source: &Source, name: &Spanned<String>) -> Result<TuneMethod, ConfigError> {
    let given = name.get_ref();
    TuneMethod::ALL.into_iter().find(|method| method.name() == given).ok_or_else(|| {
        let known = TuneMethod::ALL.map(TuneMethod::name);
        let label = match nearest(given, known.into_iter()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        source.error_at(name.span(), format!("unknown tuning method `{given}`"), label)
    })
}

fn tuned(source: &Source, raw: &RawTune, entrant: &TunedEntrant<'_>) -> Result<Tuned, ConfigError> {
    match (&raw.lines, raw.parameter.as_slice()) {
        (None, []) => Err(source.error(
            "`[tune]` needs parameters: `[[tune.parameter]]` sections or `lines`",
            "add for instance\n  [[tune.parameter]]\n  name = \"null_move_margin\"",
        )),
        (Some(lines), []) => Ok(Tuned::Lines(lines.get_ref().clone())),
        (Some(lines), [_, ..]) => {
            let message = "both `lines` and `[[tune.parameter]]` sections say what is tuned";
            Err(source.error_at(lines.span(), message, "leave this out, or the sections"))
        }
        (None, parameters) => {
            let parameters = parameters.iter().map(|parameter| entrant.parameter(source, parameter));
            Ok(Tuned::Parameters(parameters.collect::<Result<_, _>>()?))
        }
    }
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
enum TunedEntrant<'a> {
    /// The engine in process: its table knows the parameters.
    Native(&'a NativeSpec),
    /// An engine process: it declares its options only once it has started, so the file must say what is to be known.
    Process(&'a ProcessSpec),
}

fn tuned_entrant<'a>(source: &Source, entrants: &'a [Entrant]) -> Result<TunedEntrant<'a>, ConfigError> {
    let wanted = "write one `[[entrant]]` section, the engine to be tuned: it plays against itself";
    match entrants {
        [Entrant { player: PlayerSpec::Native(native), .. }] => Ok(TunedEntrant::Native(native)),
        [Entrant { player: PlayerSpec::Process(process), .. }] => Ok(TunedEntrant::Process(process)),
        [Entrant { player: PlayerSpec::Random, .. }] => {
            Err(source.error("a random player has nothing to tune", wanted))
        }
        _ => Err(source.error(format!("there are {} entrants, and one is tuned", entrants.len()), wanted)),
    }
}

impl TunedEntrant<'_> {
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
