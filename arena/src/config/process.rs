//! Entrants that are engine processes, from their raw form.

use super::entrants::{Settings, parse};
use super::error::{ConfigError, Source};
use super::quantity;
use super::raw::RawParams;
use play::Limit;
use play::entrant::{Options, Patience, ProcessSpec, Protocol};
use play::games::GameKind;
use serde_spanned::Spanned;
use std::path::PathBuf;
use std::time::Duration;

/// Overruns forgiven unless the file says otherwise: the pipes and the host's scheduler cost that much at times.
const DEFAULT_MARGIN: Duration = Duration::from_millis(10);

pub(super) fn resolve(
    settings: &Settings<'_>,
    game: GameKind,
    command: &Spanned<String>,
) -> Result<ProcessSpec, ConfigError> {
    let source = settings.source;
    if command.get_ref().trim().is_empty() {
        return Err(source.error_at(command.span(), "`cmd` is empty", "expected a program's path or name"));
    }
    let list = |list: Option<&Spanned<Vec<String>>>| list.map_or_else(Vec::new, |list| list.get_ref().clone());
    let time = |text: Option<&Spanned<String>>, default| text.map_or(Ok(default), |text| duration(source, text));
    let patience = Patience::default();
    let init = settings.get(|raw| &raw.init);
    refuse_line_breaks(source, init)?;
    let protocol = protocol(settings, game)?;
    let environment = [&settings.each.env, &settings.own.env].into_iter().flatten();
    Ok(ProcessSpec {
        command: command.get_ref().clone(),
        arguments: list(settings.get(|raw| &raw.args)),
        directory: settings.get(|raw| &raw.dir).map(|dir| folder(source, dir)).transpose()?,
        environment: environment.map(|(name, value)| (name.get_ref().clone(), value.clone())).collect(),
        protocol,
        options: options(source, [&settings.each.options, &settings.own.options])?,
        init: list(init),
        limit: limit(settings, protocol)?,
        margin: time(settings.get(|raw| &raw.margin), DEFAULT_MARGIN)?,
        restart: settings.get(|raw| &raw.restart).map_or_else(Default::default, |restart| *restart.get_ref()),
        patience: Patience {
            start: time(settings.get(|raw| &raw.start_within), patience.start)?,
            answer: time(settings.get(|raw| &raw.answer_within), patience.answer)?,
        },
        nice: settings.get(|raw| &raw.nice).map(|nice| niceness(source, nice)).transpose()?,
    })
}

/// The protocol, if the game can be played over it.
fn protocol(settings: &Settings<'_>, game: GameKind) -> Result<Protocol, ConfigError> {
    let Some(given) = settings.get(|raw| &raw.protocol) else { return Ok(Protocol::default()) };
    let protocol = *given.get_ref();
    let expected = match (protocol, game) {
        (Protocol::Codecup, GameKind::ZeroPointOne) | (Protocol::Uci, _) => return Ok(protocol),
        (Protocol::Codecup, _) => "`uci` or `xboard`: CodeCup is a protocol of 0.1",
        (Protocol::Xboard, GameKind::ZeroPointOne) => "`uci` or `codecup`",
        (Protocol::Xboard, GameKind::Chess960) => "`uci`, which says which rook a king castles with",
        (Protocol::Xboard, _) => return Ok(protocol),
    };
    let message = format!("{game} is not played over {}", protocol.name());
    Err(settings.source.error_at(given.span(), message, format!("expected {expected}")))
}

/// The limit, if the protocol can tell an engine of it.
fn limit(settings: &Settings<'_>, protocol: Protocol) -> Result<Limit, ConfigError> {
    let limit = settings.limit()?;
    let expected = match (protocol, limit) {
        (Protocol::Xboard, Limit::Nodes(_)) => "a depth or a time: XBoard knows no limit in nodes",
        (Protocol::Codecup, Limit::Clock { increment: Duration::ZERO, moves: None, .. }) => return Ok(limit),
        (Protocol::Codecup, _) => "a time for the whole game, such as `30s`: CodeCup knows no other limit",
        _ => return Ok(limit),
    };
    let place = settings.get(|raw| &raw.limit).map_or(0..0, Spanned::span);
    let message = format!("an engine that speaks {} cannot be limited so", protocol.name());
    Err(settings.source.error_at(place, message, format!("expected {expected}")))
}

/// The folder a process is to run in, which must be there.
fn folder(source: &Source, dir: &Spanned<String>) -> Result<PathBuf, ConfigError> {
    let path = PathBuf::from(dir.get_ref());
    if !path.is_dir() {
        let message = format!("`dir` is no folder: {:?}", dir.get_ref());
        return Err(source.error_at(dir.span(), message, "expected a folder that exists, from the working directory"));
    }
    Ok(path)
}

fn duration(source: &Source, text: &Spanned<String>) -> Result<Duration, ConfigError> {
    parse(source, text, quantity::duration_or_zero, "duration", "a time such as `50ms` or `10s`")
}

fn niceness(source: &Source, nice: &Spanned<i32>) -> Result<i32, ConfigError> {
    let value = *nice.get_ref();
    let refused = || source.error_at(nice.span(), format!("`nice` cannot be {value}"), "expected -20 to 19");
    (-20..=19).contains(&value).then_some(value).ok_or_else(refused)
}

fn refuse_line_breaks(source: &Source, lines: Option<&Spanned<Vec<String>>>) -> Result<(), ConfigError> {
    match lines {
        Some(lines) if lines.get_ref().iter().any(|line| line.contains(['\n', '\r'])) => {
            Err(source.error_at(lines.span(), "a line of `init` holds a line break", "write one text for each line"))
        }
        _ => Ok(()),
    }
}

/// What `[each]` sets, then what the entrant sets, each in the order in which it is written. Whether the engine has such
/// options is known once it has started.
fn options(source: &Source, layers: [&RawParams; 2]) -> Result<Options, ConfigError> {
    let mut options = Options::default();
    let in_order = |layer: &'_ RawParams| {
        let mut layer: Vec<_> = layer.clone().into_iter().collect();
        layer.sort_by_key(|(name, _)| name.span().start);
        layer
    };
    for (name, value) in layers.into_iter().flat_map(in_order) {
        let text = match value.get_ref() {
            toml::Value::String(text) if !text.contains(['\n', '\r']) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(on) => on.to_string(),
            other => {
                let message = format!("option `{}` cannot be {other}", name.get_ref());
                return Err(source.error_at(
                    value.span(),
                    message,
                    "expected a text of one line, a number or a switch",
                ));
            }
        };
        options.set(name.into_inner(), text);
    }
    Ok(options)
}
