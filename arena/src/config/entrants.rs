//! Entrants from their raw form: `[each]` below, `[[entrant]]` above, every value checked where it stands.

use super::error::{ConfigError, Source, nearest};
use super::raw::{RawConfig, RawKind, RawParams, RawPlayer};
use super::{process, quantity};
use engine::{EvaluationKind, PARAMS, ParamInfo, Params};
use play::entrant::{Entrant, NativeSpec, PlayerSpec};
use play::games::GameKind;
use play::{Limit, TimeSource};
use serde_spanned::Spanned;
use std::ops::Range;

/// Table size of an entrant that sets none: fast games want it in the cache.
const DEFAULT_TABLE_BYTES: u64 = 1 << 20;

pub(super) fn resolve(source: &Source, raw: &RawConfig) -> Result<Vec<Entrant>, ConfigError> {
    if let Some(name) = &raw.each.name {
        return Err(source.error_at(name.span(), "`[each]` has no name", "names belong to `[[entrant]]` sections"));
    }
    let mut entrants: Vec<Entrant> = Vec::new();
    for spanned in &raw.entrant {
        let entrant = Settings { source, each: &raw.each, own: spanned.get_ref(), place: spanned.span() };
        let name = entrant.name()?;
        if entrants.iter().any(|other| other.name == *name.get_ref()) {
            let message = format!("two entrants are called \"{}\"", name.get_ref());
            return Err(source.error_at(name.span(), message, "expected a name of its own"));
        }
        let player = entrant.player(raw.game)?;
        entrants.push(Entrant { name: name.get_ref().clone(), player });
    }
    Ok(entrants)
}

/// One entrant's settings: its own, and those of `[each]` where it has none.
pub(super) struct Settings<'a> {
    pub(super) source: &'a Source,
    pub(super) each: &'a RawPlayer,
    pub(super) own: &'a RawPlayer,
    place: Range<usize>,
}

impl<'a> Settings<'a> {
    /// A setting: the entrant's own, or that of `[each]`.
    pub(super) fn get<T>(&self, field: fn(&RawPlayer) -> &Option<T>) -> Option<&'a T> {
        field(self.own).as_ref().or(field(self.each).as_ref())
    }

    fn name(&self) -> Result<&'a Spanned<String>, ConfigError> {
        let Some(name) = &self.own.name else {
            return Err(self.source.error_at(self.place.clone(), "an entrant needs a name", "add `name = \"...\"`"));
        };
        let text = name.get_ref();
        // Lists and records of games show it between other words: it must be seen, and be the same there.
        let shows = !text.chars().any(char::is_control) && text.chars().any(char::is_alphanumeric);
        if !shows || text.len() > 100 || text.trim() != text {
            let message = format!("{text:?} cannot name an entrant");
            let label = "expected 1 to 100 printable characters with a letter or a digit, and no blanks around them";
            return Err(self.source.error_at(name.span(), message, label));
        }
        Ok(name)
    }

    fn player(&self, game: GameKind) -> Result<PlayerSpec, ConfigError> {
        // What the entrant itself says it is goes before what `[each]` says.
        let command = match self.own {
            RawPlayer { cmd: Some(command), .. } => Some(command),
            RawPlayer { player: Some(_), .. } => None,
            _ => self.each.cmd.as_ref(),
        };
        if let Some(command) = command {
            self.refuse(&native_settings(self.own), "an engine process has no such setting")?;
            return Ok(PlayerSpec::Process(Box::new(process::resolve(self, game, command)?)));
        }
        self.refuse(&process_settings(self.own), "only an engine process has this setting: give it a `cmd`")?;
        match self.get(|raw| &raw.player).copied().unwrap_or_default() {
            RawKind::Native => self.native(game).map(|native| PlayerSpec::Native(Box::new(native))),
            RawKind::Random => {
                let given = native_settings(self.own).into_iter().chain(self.own.limit.as_ref().map(Spanned::span));
                self.refuse(&given.collect::<Vec<_>>(), "a random player has no settings")?;
                Ok(PlayerSpec::Random)
            }
        }
    }

    /// Refuses the first of these places, if there is one.
    fn refuse(&self, given: &[Range<usize>], why: &str) -> Result<(), ConfigError> {
        given.first().map_or(Ok(()), |place| Err(self.source.error_at(place.clone(), why, "remove this")))
    }

    fn native(&self, game: GameKind) -> Result<NativeSpec, ConfigError> {
        let name = self.name()?;
        if game != GameKind::ZeroPointOne {
            let message = format!("entrant \"{}\" has no `cmd`", name.get_ref());
            let error = self.source.error_at(name.span(), message, format!("which program plays {game}?"));
            return Err(error.with_help("the engine at home here plays 0.1 alone: add `cmd = \"...\"`"));
        }
        let mut params = Params::default();
        set_params(self.source, &mut params, &self.each.params, "[each]")?;
        set_params(self.source, &mut params, &self.own.params, &format!("entrant \"{}\"", name.get_ref()))?;
        Ok(NativeSpec {
            evaluation: self
                .get(|raw| &raw.evaluation)
                .map_or(Ok(EvaluationKind::PieceSquare), |text| parse_evaluation(self.source, text))?,
            table_bytes: self
                .get(|raw| &raw.table)
                .map_or(Ok(DEFAULT_TABLE_BYTES), |text| parse_table(self.source, text))?,
            limit: self.limit()?,
            source: self.get(|raw| &raw.clock).map_or(Ok(TimeSource::Wall), |text| {
                let forms = "`wall`, or a rate such as `1000000 nodes/s`";
                parse(self.source, text, quantity::time_source, "clock", forms)
            })?,
            params,
        })
    }

    /// How much it may think.
    pub(super) fn limit(&self) -> Result<Limit, ConfigError> {
        let Some(limit) = self.get(|raw| &raw.limit) else {
            let name = self.name()?;
            let message = format!("entrant \"{}\" has no limit", name.get_ref());
            let error = self.source.error_at(name.span(), message, "how much may it think?");
            return Err(error.with_help(format!("add `limit` here or in `[each]`: {}", quantity::LIMIT_FORMS)));
        };
        parse(self.source, limit, quantity::limit, "limit", quantity::LIMIT_FORMS)
    }
}

/// Where settings of the engine in process stand.
fn native_settings(raw: &RawPlayer) -> Vec<Range<usize>> {
    let texts = [&raw.clock, &raw.evaluation, &raw.table].into_iter().flatten().map(Spanned::span);
    texts.chain(raw.params.keys().map(Spanned::span)).collect()
}

/// Where settings of an engine process stand.
fn process_settings(raw: &RawPlayer) -> Vec<Range<usize>> {
    let texts = [&raw.dir, &raw.margin, &raw.start_within, &raw.answer_within].into_iter().flatten();
    let lists = [&raw.args, &raw.init].into_iter().flatten();
    let maps = raw.env.keys().map(Spanned::span).chain(raw.options.keys().map(Spanned::span));
    let others = raw.protocol.iter().map(Spanned::span).chain(raw.restart.iter().map(Spanned::span));
    let others = others.chain(raw.nice.iter().map(Spanned::span));
    texts.map(Spanned::span).chain(lists.map(Spanned::span)).chain(maps).chain(others).collect()
}

/// Reads a text, or says what was expected in its place.
pub(super) fn parse<T>(
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
