//! Resolves entrants that are engine processes.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin, value};
use super::super::keys::Named;
use super::read::parse;
use super::settings::Settings;
use arena::config::read_duration_or_zero;
use play::Limit;
use play::child::{address, is_address};
use play::entrant::{EngineTimeouts, Handling, MovesSent, Options, ProcessSpec, Protocol};
use play::games::GameKind;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The default margin of overruns: pipes and the host's scheduler cost that much at times.
const DEFAULT_MARGIN: Duration = Duration::from_millis(10);

pub(super) fn resolve(
    settings: &Settings<'_>,
    game: GameKind,
    command: &Given<String>,
) -> Result<ProcessSpec, PlanError> {
    let source = settings.source;
    if command.value.trim().is_empty() {
        return Err(source.error_at(&command.origin, "`cmd` is empty", "expected a program's path or name"));
    }
    check_address(settings, command)?;
    let list = |list: Option<&Given<Vec<String>>>| list.map_or_else(Vec::new, |list| list.value.clone());
    let time = |text: Option<&Given<String>>, default| text.map_or(Ok(default), |text| duration(source, text));
    let timeouts = EngineTimeouts::default();
    let init = settings.get(|raw| &raw.init);
    refuse_line_breaks(source, init)?;
    let protocol = protocol(settings, game)?;
    check_options(settings, protocol)?;
    Ok(ProcessSpec {
        command: command.value.clone(),
        arguments: list(settings.get(|raw| &raw.args)),
        directory: settings.get(|raw| &raw.dir).map(|dir| folder(source, dir)).transpose()?,
        environment: environment(source, [&settings.each.env, &settings.own.env])?,
        protocol,
        options: options(source, [&settings.each.options, &settings.own.options])?,
        init: list(init),
        limit: limit(settings, protocol)?,
        margin: time(settings.get(|raw| &raw.margin), DEFAULT_MARGIN)?,
        restart: settings.get(|raw| &raw.restart).map_or_else(Default::default, |restart| restart.value),
        timeouts: EngineTimeouts {
            start: time(settings.get(|raw| &raw.start_within), timeouts.start)?,
            answer: time(settings.get(|raw| &raw.answer_within), timeouts.answer)?,
            overrun: time(settings.get(|raw| &raw.overrun_within), timeouts.overrun)?,
        },
        nice: settings.get(|raw| &raw.nice).map(|nice| niceness(source, nice)).transpose()?,
        handling: handling(settings, protocol)?,
    })
}

/// Refuses an invalid address, and, for an address, settings that only a program of this machine can have.
fn check_address(settings: &Settings<'_>, command: &Given<String>) -> Result<(), PlanError> {
    let Some(address) = address(&command.value) else { return Ok(()) };
    let source = settings.source;
    if !is_address(address) {
        let message = format!("`{}` is not an address of an engine", command.value);
        return Err(source.error_at(&command.origin, message, "expected `tcp://HOST:PORT`"));
    }
    let lists = settings.get(|raw| &raw.args).map(|args| &args.origin);
    let folder = settings.get(|raw| &raw.dir).map(|dir| &dir.origin);
    let nice = settings.get(|raw| &raw.nice).filter(|_| !settings.is_stored).map(|nice| &nice.origin);
    let variable = [&settings.own.env, &settings.each.env].into_iter().flat_map(Named::names).next();
    match lists.or(folder).or(nice).or(variable.map(|name| &name.origin)) {
        Some(place) => {
            Err(source.error_at(place, "an engine over TCP is not started here", "remove this: it is for programs"))
        }
        None => Ok(()),
    }
}

/// Returns the protocol, if it supports the game.
fn protocol(settings: &Settings<'_>, game: GameKind) -> Result<Protocol, PlanError> {
    let Some(given) = settings.get(|raw| &raw.protocol) else { return Ok(Protocol::default()) };
    let protocol = given.value;
    if protocol.plays(game) {
        return Ok(protocol);
    }
    let message = format!("{game} is not played over {}", protocol.name());
    let others = Protocol::ALL.into_iter().filter(|other| other.plays(game));
    let others: Vec<String> = others.map(|other| format!("`{}`", other.name())).collect();
    Err(settings.source.error_at(&given.origin, message, format!("expected {}", others.join(" or "))))
}

/// Refuses options that the protocol cannot send to the engine.
fn check_options(settings: &Settings<'_>, protocol: Protocol) -> Result<(), PlanError> {
    let first = [&settings.own.options, &settings.each.options].into_iter().flat_map(Named::names).next();
    match first.filter(|_| !protocol.has_options() && !settings.is_stored) {
        Some(name) => {
            let message = format!("an engine that speaks {} has no options", protocol.name());
            let label = "remove this: give it on the command line of the engine, in `args`";
            Err(settings.source.error_at(&name.origin, message, label))
        }
        None => Ok(()),
    }
}

/// Returns the limit, if the protocol can express it.
fn limit(settings: &Settings<'_>, protocol: Protocol) -> Result<Limit, PlanError> {
    let limit = settings.limit()?;
    let Some(expected) = protocol.supported_limits(limit) else { return Ok(limit) };
    let place = settings.get(|raw| &raw.limit).map_or(&Origin::Usual, |limit| &limit.origin);
    let message = format!("an engine that speaks {} cannot be limited so", protocol.name());
    Err(settings.source.error_at(place, message, format!("expected {expected}")))
}

/// Returns the handling of the engine, as far as its protocol leaves a choice.
fn handling(settings: &Settings<'_>, protocol: Protocol) -> Result<Handling, PlanError> {
    let moves = settings.get(|raw| &raw.moves);
    if let Some(given) = moves.filter(|moves| moves.value != MovesSent::All && !protocol.repeats_moves()) {
        let message = format!("over {} an engine is sent each move once", protocol.name());
        return Err(settings.source.error_at(&given.origin, message, "expected `\"all\"`: the others are for UCI"));
    }
    let ponder = settings.get(|raw| &raw.ponder);
    if let Some(given) = ponder.filter(|ponder| ponder.value && !protocol.ponders()) {
        let message = format!("spar cannot ask an engine that speaks {} to ponder", protocol.name());
        return Err(settings.source.error_at(&given.origin, message, "expected `false`"));
    }
    Ok(Handling {
        unknown_options: value(settings.get(|raw| &raw.unknown_options)).unwrap_or_default(),
        moves: value(moves).unwrap_or_default(),
        ponder: value(ponder).unwrap_or_default(),
    })
}

/// Returns the working directory of a process, which must exist.
fn folder(source: &Source, dir: &Given<String>) -> Result<PathBuf, PlanError> {
    let path = PathBuf::from(&dir.value);
    if !source.files.is_folder(&path) {
        let message = format!("`dir` is not a folder: {:?}", dir.value);
        return Err(source.error_at(&dir.origin, message, "expected a folder that exists, from the working directory"));
    }
    Ok(path)
}

pub(super) fn duration(source: &Source, text: &Given<String>) -> Result<Duration, PlanError> {
    parse(source, text, read_duration_or_zero, "duration", "a time such as `50ms` or `10s`")
}

fn niceness(source: &Source, nice: &Given<i32>) -> Result<i32, PlanError> {
    let value = nice.value;
    let refused = || source.error_at(&nice.origin, format!("`nice` cannot be {value}"), "expected -20 to 19");
    (-20..=19).contains(&value).then_some(value).ok_or_else(refused)
}

fn refuse_line_breaks(source: &Source, lines: Option<&Given<Vec<String>>>) -> Result<(), PlanError> {
    match lines {
        Some(lines) if lines.value.iter().any(|line| line.contains(['\n', '\r'])) => {
            Err(source.error_at(&lines.origin, "a line of `init` holds a line break", "write one text for each line"))
        }
        _ => Ok(()),
    }
}

/// Returns environment variables; those of the entrant override those of `[each]`.
fn environment(source: &Source, layers: [&Named; 2]) -> Result<BTreeMap<String, String>, PlanError> {
    let variable = |(name, value): (&Given<String>, &Given<toml::Value>)| match &value.value {
        toml::Value::String(text) => Ok((name.value.clone(), text.clone())),
        other => {
            let message = format!("the variable `{}` cannot be {other}", name.value);
            Err(source.error_at(&value.origin, message, "expected a text"))
        }
    };
    layers.into_iter().flat_map(Named::iter).map(variable).collect()
}

/// Returns the options of `[each]`, then those of the entrant, each in the order in which they are written. Whether the
/// engine has them is known only once it has started.
pub(super) fn options(source: &Source, layers: [&Named; 2]) -> Result<Options, PlanError> {
    let mut options = Options::default();
    for (name, value) in layers.into_iter().flat_map(Named::iter) {
        let text = match &value.value {
            toml::Value::String(text) if !text.contains(['\n', '\r']) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(on) => on.to_string(),
            other => {
                let message = format!("option `{}` cannot be {other}", name.value);
                let expected = "expected a text of one line, a number or a switch";
                return Err(source.error_at(&value.origin, message, expected));
            }
        };
        options.set(name.value.clone(), text);
    }
    Ok(options)
}
