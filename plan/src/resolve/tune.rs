//! `[tune]`: which parameters of the only entrant to tune, by what method and for how many pairs.
//!
//! Names are checked here against the engine's own table, which also supplies missing values. The tuner checks whether
//! ranges, starts and steps make a space.

mod category;
mod limits;
pub(super) mod notes;
mod relations;
mod start;
pub(super) mod warm;

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin, value as value_of};
use super::super::keys::{Keys, StartPlan, TunePlan, TunedPlan, VerifyPlan};
use super::read::needed;
use arena::config::{ExperimentConfig, TuneConfig, Tuned, VerifyConfig};
use engine::{PARAMS, ParamInfo, ParamKind};
use play::entrant::{Entrant, NativeSpec, PlayerSpec, ProcessSpec};
use play::spelling::nearest;
use stats::SprtConfig;
use std::num::NonZeroU64;
use tuner::fishtest::{self, Kindless};
use tuner::{Kind, MethodId, TunedParameter, whole_start};

/// The default number of pairs that are proposed before the results of earlier ones are known: enough for 16 workers
/// with pairs to spare.
const DEFAULT_LOOKAHEAD: u64 = 64;

pub(super) fn resolve(source: &Source, given: &Given<TunePlan>, entrants: &[Entrant]) -> Result<TuneConfig, PlanError> {
    let raw = &given.value;
    let entrant = tuned_entrant(source, entrants)?;
    let pairs = needed(source, &given.origin, "`[tune]`", raw.pairs.as_ref(), "pairs")?;
    let pairs = NonZeroU64::new(pairs.value)
        .ok_or_else(|| source.error_at(&pairs.origin, "no pairs tune nothing", "expected 1 or more"))?;
    let tuned = tuned(source, raw, &entrant)?;
    check_numbers(source, raw)?;
    let method = raw.method.as_ref().map_or(Ok(MethodId::default()), |name| method(source, name))?;
    let limits =
        raw.limits.as_ref().map_or(Ok(Vec::new()), |given| limits::resolve(source, given, method, entrants))?;
    let config = TuneConfig {
        method,
        pairs,
        planned: None,
        limits,
        lookahead: value_of(raw.lookahead.as_ref()).unwrap_or(DEFAULT_LOOKAHEAD),
        stop_regret: value_of(raw.stop_regret.as_ref()),
        tuned,
        groups: relations::groups(source, raw)?,
        constraints: relations::constraints(source, raw)?,
        earlier: None,
        verify: verify(source, raw.verify.as_ref().map(|verify| &verify.value))?,
    };
    let earlier = warm::resolve(source, raw, &config, &entrants[0].player)?;
    Ok(TuneConfig { earlier, ..config })
}

fn method(source: &Source, name: &Given<String>) -> Result<MethodId, PlanError> {
    let given = &name.value;
    MethodId::named(given).ok_or_else(|| {
        let known: Vec<&str> = MethodId::all().map(MethodId::name).collect();
        let label = match nearest(given, known.iter().copied()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        source.error_at(&name.origin, format!("unknown tuning method `{given}`"), label)
    })
}

fn tuned(source: &Source, raw: &TunePlan, entrant: &TunedEntrant<'_>) -> Result<Tuned, PlanError> {
    match (&raw.lines, raw.parameter.as_slice()) {
        (None, []) => Err(source.error(
            "`[tune]` needs parameters: `[[tune.parameter]]` sections or `lines`",
            "add for instance\n  [[tune.parameter]]\n  name = \"null_move_margin\"",
        )),
        (Some(lines), []) => Ok(Tuned::Lines(lines_of(&lines.value, entrant))),
        (Some(lines), [_, ..]) => {
            let message = "both `lines` and `[[tune.parameter]]` sections say what is tuned";
            Err(source.error_at(&lines.origin, message, "leave this out, or the sections"))
        }
        (None, parameters) => {
            let parameters = parameters.iter().map(|parameter| entrant.parameter(source, parameter));
            Ok(Tuned::Parameters(parameters.collect::<Result<_, _>>()?))
        }
    }
}

/// Returns the lines as a session stores them. Most options of an engine process are whole numbers: where a line's
/// numbers alone would imply another kind of parameter, the stored line names the kind.
fn lines_of(lines: &str, entrant: &TunedEntrant<'_>) -> String {
    let as_written = || lines.to_owned();
    let TunedEntrant::Process(_) = entrant else { return as_written() };
    // Lines that cannot be read are refused later, at their place.
    let Ok(read) = fishtest::parse_lines_by(lines, Kindless::ByRange) else { return as_written() };
    if fishtest::parse_lines(lines).is_ok_and(|stored| stored == read) {
        return as_written();
    }
    read.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The largest lookahead: more pairs in flight than any pool of workers needs, all of them in memory.
const MOST_LOOKAHEAD: u64 = 65_536;

fn check_numbers(source: &Source, raw: &TunePlan) -> Result<(), PlanError> {
    if let Some(given) = raw.lookahead.as_ref().filter(|given| given.value > MOST_LOOKAHEAD) {
        let message = format!("a tuning session cannot look {} pairs ahead", given.value);
        return Err(source.error_at(&given.origin, message, format!("expected 0 to {MOST_LOOKAHEAD}")));
    }
    if let Some(given) = raw.stop_regret.as_ref().filter(|given| !(given.value.is_finite() && given.value > 0.0)) {
        let message = format!("`tune.stop_regret` cannot be {}", given.value);
        return Err(source.error_at(&given.origin, message, "expected Elo, more than 0"));
    }
    Ok(())
}

/// Refuses a stopping rule that the method has no number for.
pub(super) fn check_stop_regret(source: &Source, keys: &Keys, config: &ExperimentConfig) -> Result<(), PlanError> {
    let ExperimentConfig::Tune(TuneConfig { method, .. }) = config else { return Ok(()) };
    match keys.tune.as_ref().and_then(|tune| tune.value.stop_regret.as_ref()) {
        Some(given) if !method.with_regret() => {
            let message = format!("`{method}` estimates no regret, so `stop_regret` cannot end the session");
            Err(source.error_at(&given.origin, message, "remove it, or tune with `quadratic`"))
        }
        _ => Ok(()),
    }
}

/// Returns the place of a parameter by its name.
pub(super) fn place_of<'a>(raw: &'a TunePlan, name: &str) -> Option<&'a Origin> {
    let named = |given: &&Given<TunedPlan>| given.value.name.as_ref().is_some_and(|own| own.value == name);
    let group = || raw.group.iter().find(|given| given.value.name.as_ref().is_some_and(|own| own.value == name));
    raw.parameter.iter().find(named).map(|given| &given.origin).or_else(|| group().map(|given| &given.origin))
}

/// The entrant whose parameters are tuned.
enum TunedEntrant<'a> {
    /// The built-in engine: its table has the parameters.
    Native(&'a NativeSpec),
    /// An engine process: it declares its options only once it has started, so the file must describe the parameters.
    Process(&'a ProcessSpec),
}

fn tuned_entrant<'a>(source: &Source, entrants: &'a [Entrant]) -> Result<TunedEntrant<'a>, PlanError> {
    let wanted = "write one `[[entrant]]` section, the engine to be tuned: it plays against itself";
    match entrants {
        [Entrant { player: PlayerSpec::Native(native), .. }] => Ok(TunedEntrant::Native(native)),
        [Entrant { player: PlayerSpec::Process(process), .. }] if !process.protocol.has_options() => {
            let message = format!("an engine that speaks {} has no options to tune", process.protocol.name());
            Err(source.error(message, "tune the engine over `uci`, if it speaks that, too"))
        }
        [Entrant { player: PlayerSpec::Process(process), .. }] => Ok(TunedEntrant::Process(process)),
        [Entrant { player: PlayerSpec::Custom(_), .. }] => {
            Err(source.error("only the program that plays it knows the settings of a custom player", wanted))
        }
        [Entrant { player: PlayerSpec::Random, .. }] => {
            Err(source.error("a random player has nothing to tune", wanted))
        }
        _ => Err(source.error(format!("there are {} entrants, and one is tuned", entrants.len()), wanted)),
    }
}

impl TunedEntrant<'_> {
    fn parameter(&self, source: &Source, spanned: &Given<TunedPlan>) -> Result<TunedParameter, PlanError> {
        match self {
            Self::Native(native) => own_parameter(source, spanned, native),
            Self::Process(process) => option(source, spanned, process),
        }
    }
}

/// Resolves an option of an engine process. The default step of a number is a twentieth of its range.
fn option(source: &Source, given: &Given<TunedPlan>, process: &ProcessSpec) -> Result<TunedParameter, PlanError> {
    let raw = &given.value;
    let named = needed(source, &given.origin, "a parameter", raw.name.as_ref(), "name")?;
    let name = &named.value;
    if let Some(category) = category::category(source, raw, named, None)? {
        return Ok(category);
    }
    if kind_of(raw) == Some(Kind::Boolean) {
        return switch(source, raw, name, process);
    }
    let missing = |what: &str| {
        let message = format!("`{name}` has no `{what}`");
        let error = source.error_at(&named.origin, message, format!("add `{what} = ...`"));
        error.with_help("an engine process tells its options' ranges only once it runs: write min, max and start here")
    };
    let value = |given: &Option<Given<f64>>, what| given.as_ref().map(|v| v.value).ok_or_else(|| missing(what));
    let (min, max) = (value(&raw.min, "min")?, value(&raw.max, "max")?);
    let kind = kind_of(raw).unwrap_or(Kind::Integer);
    let start = match &raw.start {
        Some(given) => start::number(source, name, given, kind)?,
        None => {
            process.options.get(name).and_then(|value| start::of_option(value, kind)).ok_or_else(|| missing("start"))?
        }
    };
    let twentieth = (max - min) / 20.0;
    let step = if kind == Kind::Integer { twentieth.round().max(1.0) } else { twentieth };
    let (step, group) = (value_of(raw.step.as_ref()).unwrap_or(step), group_of(raw));
    let start = whole_start(kind, start, (min, max));
    Ok(TunedParameter { name: name.clone(), kind, start, min, max, step, group, values: Vec::new() })
}

/// Returns the kind that a section gives, by `kind` or by the type of `start`.
fn kind_of(raw: &TunedPlan) -> Option<Kind> {
    let is_switch = matches!(&raw.start, Some(Given { value: StartPlan::Switch(_), .. }));
    value_of(raw.kind.as_ref()).or(is_switch.then_some(Kind::Boolean))
}

/// Resolves a switch of an engine process. It starts as the engine's options set it, else off.
fn switch(source: &Source, raw: &TunedPlan, name: &str, process: &ProcessSpec) -> Result<TunedParameter, PlanError> {
    let start = match &raw.start {
        Some(given) => start::number(source, name, given, Kind::Boolean)?,
        None => process.options.get(name).and_then(|value| start::of_option(value, Kind::Boolean)).unwrap_or(0.0),
    };
    let value = |given: &Option<Given<f64>>, usual| value_of(given.as_ref()).unwrap_or(usual);
    Ok(TunedParameter {
        name: name.to_owned(),
        kind: Kind::Boolean,
        start,
        min: value(&raw.min, 0.0),
        max: value(&raw.max, 1.0),
        step: value(&raw.step, 1.0),
        group: group_of(raw),
        values: Vec::new(),
    })
}

fn own_parameter(source: &Source, given: &Given<TunedPlan>, native: &NativeSpec) -> Result<TunedParameter, PlanError> {
    let raw = &given.value;
    let named = needed(source, &given.origin, "a parameter", raw.name.as_ref(), "name")?;
    let name = &named.value;
    let info = ParamInfo::find(name).ok_or_else(|| {
        let label = match nearest(name, PARAMS.iter().map(|info| info.name)) {
            Some(best) => format!("did you mean `{best}`?"),
            None => "`spar params` lists them all".to_owned(),
        };
        source.error_at(&named.origin, format!("unknown parameter `{name}`"), label)
    })?;
    if let Some(category) = category::category(source, raw, named, Some(info))? {
        return Ok(category);
    }
    let value = |given: Option<&Given<f64>>, own: f64, what: &str| match given {
        None => Ok(own),
        Some(given) if (info.min..=info.max).contains(&given.value) => Ok(given.value),
        Some(given) => {
            let message = format!("{what} {} of `{name}` is outside the engine's own range", given.value);
            Err(source.error_at(&given.origin, message, format!("expected {} to {}", info.min, info.max)))
        }
    };
    let kind = value_of(raw.kind.as_ref()).unwrap_or(own_kind(info.kind));
    let number = |given: &Given<StartPlan>| Ok(given.with(start::number(source, name, given, kind)?));
    let start = raw.start.as_ref().map(number).transpose()?;
    let start = value(start.as_ref(), native.params.get(name).unwrap_or(info.default), "start")?;
    let (min, max) = (value(raw.min.as_ref(), info.min, "min")?, value(raw.max.as_ref(), info.max, "max")?);
    Ok(TunedParameter {
        name: name.clone(),
        kind,
        start: whole_start(kind, start, (min, max)),
        min,
        max,
        step: value_of(raw.step.as_ref()).unwrap_or(info.step),
        group: group_of(raw),
        values: Vec::new(),
    })
}

fn group_of(raw: &TunedPlan) -> Option<String> {
    raw.group.as_ref().map(|group| group.value.clone())
}

fn own_kind(kind: ParamKind) -> Kind {
    match kind {
        ParamKind::Real => Kind::Real,
        ParamKind::Integer => Kind::Integer,
        ParamKind::Switch => Kind::Boolean,
    }
}

/// Resolves the test after a session, which is on unless `[tune.verify]` has `enabled = false`.
fn verify(source: &Source, raw: Option<&VerifyPlan>) -> Result<Option<VerifyConfig>, PlanError> {
    // Coarser than the default test: tuning is worth its games only if it gains much. Stored sessions leave it out, so
    // it must not change.
    let default = SprtConfig { elo1: 10.0, ..SprtConfig::default() };
    let Some(raw) = raw else { return Ok(Some(VerifyConfig { test: default, max_pairs: None })) };
    if value_of(raw.enabled.as_ref()) == Some(false) {
        return Ok(None);
    }
    let test = SprtConfig {
        elo0: value_of(raw.elo0.as_ref()).unwrap_or(default.elo0),
        elo1: value_of(raw.elo1.as_ref()).unwrap_or(default.elo1),
        ..default
    };
    if let Err(error) = test.check() {
        let place = raw.elo1.as_ref().or(raw.elo0.as_ref()).map_or(&Origin::Usual, |bound| &bound.origin);
        return Err(source.error_at(place, error.to_string(), "the hypotheses of the test that follows"));
    }
    let limit = |pairs: &Given<u64>| {
        let none = || source.error_at(&pairs.origin, "a test of no pairs decides nothing", "expected 1 or more");
        NonZeroU64::new(pairs.value).ok_or_else(none)
    };
    Ok(Some(VerifyConfig { test, max_pairs: raw.max_pairs.as_ref().map(limit).transpose()? }))
}
