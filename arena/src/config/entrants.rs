//! Entrants from their raw form: `[each]` below, `[[entrant]]` above, every value checked where it stands.

use super::error::{ConfigError, Source, nearest};
use super::quantity;
use super::raw::{RawConfig, RawEntrant, RawKind, RawParams, RawPlayer};
use crate::entrant::{Entrant, NativeSpec, PlayerSpec};
use crate::play::TimeSource;
use crate::run::GameKind;
use engine::{EvaluationKind, PARAMS, ParamInfo, Params};
use serde_spanned::Spanned;

/// Table size of an entrant that sets none: fast games want it in the cache.
const DEFAULT_TABLE_BYTES: u64 = 1 << 20;

pub(super) fn resolve(source: &Source, raw: &RawConfig) -> Result<Vec<Entrant>, ConfigError> {
    let mut entrants: Vec<Entrant> = Vec::new();
    for spanned in &raw.entrant {
        let name = &spanned.get_ref().name;
        if entrants.iter().any(|other| other.name == *name.get_ref()) {
            let message = format!("two entrants are called \"{}\"", name.get_ref());
            return Err(source.error_at(name.span(), message, "expected a name of its own"));
        }
        entrants.push(entrant(source, raw, spanned.get_ref())?);
    }
    Ok(entrants)
}

fn entrant(source: &Source, config: &RawConfig, raw: &RawEntrant) -> Result<Entrant, ConfigError> {
    let name = raw.name.get_ref().clone();
    if name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
        return Err(source.error_at(
            raw.name.span(),
            "an entrant needs a name",
            "expected 1 to 100 printable characters",
        ));
    }
    let player = match raw.player {
        RawKind::Native => {
            refuse_other_games(source, config.game, raw)?;
            PlayerSpec::Native(Box::new(native(source, &config.each, raw)?))
        }
        RawKind::Random => {
            refuse_settings_of_random(source, raw)?;
            PlayerSpec::Random
        }
    };
    Ok(Entrant { name, player })
}

fn refuse_other_games(source: &Source, game: GameKind, raw: &RawEntrant) -> Result<(), ConfigError> {
    if game == GameKind::ZeroPointOne {
        return Ok(());
    }
    let message = format!("entrant \"{}\" is the engine at home here, which plays 0.1 alone", raw.name.get_ref());
    Err(source.error_at(raw.name.span(), message, format!("what plays {game}?")))
}

fn native(source: &Source, each: &RawPlayer, raw: &RawEntrant) -> Result<NativeSpec, ConfigError> {
    let mut params = Params::default();
    set_params(source, &mut params, &each.params, "[each]")?;
    set_params(source, &mut params, &raw.params, &format!("entrant \"{}\"", raw.name.get_ref()))?;
    let limit = raw.limit.as_ref().or(each.limit.as_ref()).ok_or_else(|| no_limit(source, raw))?;
    let clock = raw.clock.as_ref().or(each.clock.as_ref());
    let evaluation = raw.evaluation.as_ref().or(each.evaluation.as_ref());
    let table = raw.table.as_ref().or(each.table.as_ref());
    Ok(NativeSpec {
        evaluation: evaluation.map_or(Ok(EvaluationKind::PieceSquare), |text| parse_evaluation(source, text))?,
        table_bytes: table.map_or(Ok(DEFAULT_TABLE_BYTES), |text| parse_table(source, text))?,
        limit: parse(source, limit, quantity::limit, "limit", quantity::LIMIT_FORMS)?,
        source: clock.map_or(Ok(TimeSource::Wall), |text| {
            parse(source, text, quantity::time_source, "clock", "`wall`, or a rate such as `1000000 nodes/s`")
        })?,
        params,
    })
}

fn no_limit(source: &Source, raw: &RawEntrant) -> ConfigError {
    source
        .error_at(raw.name.span(), format!("entrant \"{}\" has no limit", raw.name.get_ref()), "how much may it think?")
        .with_help(format!("add `limit` here or in `[each]`: {}", quantity::LIMIT_FORMS))
}

fn parse<T>(
    source: &Source,
    text: &Spanned<String>,
    read: impl Fn(&str) -> Option<T>,
    what: &str,
    forms: &str,
) -> Result<T, ConfigError> {
    let bad =
        || source.error_at(text.span(), format!("`{}` is no {what}", text.get_ref()), format!("expected {forms}"));
    read(text.get_ref()).ok_or_else(bad)
}

fn parse_evaluation(source: &Source, text: &Spanned<String>) -> Result<EvaluationKind, ConfigError> {
    parse(source, text, |text| text.parse().ok(), "evaluation", "`material` or `piece-square`")
}

/// Most bytes a table may have. Every worker has two, so that more would exhaust most machines.
const MOST_TABLE_BYTES: u64 = 4 << 30;

fn parse_table(source: &Source, text: &Spanned<String>) -> Result<u64, ConfigError> {
    let size = |text: &str| quantity::bytes(text).filter(|&bytes| bytes <= MOST_TABLE_BYTES);
    parse(source, text, size, "table size", "a size such as `256 KiB` or `1 MiB`, at most `4 GiB`")
}

fn set_params(source: &Source, params: &mut Params, raw: &RawParams, whose: &str) -> Result<(), ConfigError> {
    for (name, value) in raw {
        let Some(info) = PARAMS.iter().find(|info| info.name == name.get_ref()) else {
            let message = format!("unknown parameter `{}` of {whose}", name.get_ref());
            return Err(source.error_at(name.span(), message, param_advice(name.get_ref())));
        };
        let number = number(value.get_ref(), info);
        let refused = number.is_none_or(|number| params.set(info.name, number).is_err());
        if refused {
            let message = format!("`{}` of {whose} cannot be {}", info.name, value.get_ref());
            return Err(source.error_at(value.span(), message, format!("expected {}", range(info))));
        }
    }
    Ok(())
}

/// The number a TOML value stands for, if its type suits the parameter's kind.
fn number(value: &toml::Value, info: &ParamInfo) -> Option<f64> {
    let is_switch = info.kind == engine::ParamKind::Switch;
    match value {
        toml::Value::Boolean(on) if is_switch => Some(f64::from(u8::from(*on))),
        toml::Value::Integer(n) if !is_switch => Some(*n as f64),
        toml::Value::Float(x) if !is_switch => Some(*x),
        _ => None,
    }
}

fn param_advice(name: &str) -> String {
    let best = nearest(name, PARAMS.iter().map(|info| info.name));
    match best.and_then(|best| PARAMS.iter().find(|info| info.name == best)) {
        Some(info) => format!("did you mean `{}` ({})?", info.name, range(info)),
        None => "`spar params` lists them all".to_owned(),
    }
}

fn range(info: &ParamInfo) -> String {
    match info.kind {
        engine::ParamKind::Switch => format!("true or false, default {}", info.default != 0.0),
        _ => format!("{} to {}, default {}", info.min, info.max, info.default),
    }
}

fn refuse_settings_of_random(source: &Source, raw: &RawEntrant) -> Result<(), ConfigError> {
    let texts = [&raw.limit, &raw.clock, &raw.evaluation, &raw.table].into_iter().flatten().map(Spanned::span);
    match texts.chain(raw.params.keys().map(Spanned::span)).next() {
        Some(span) => {
            Err(source.error_at(span, "a random player has no settings", "remove this, or use `player = \"native\"`"))
        }
        None => Ok(()),
    }
}
