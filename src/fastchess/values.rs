//! What single options of fastchess's say.

use super::request::{Form, PgnFile};
use super::words::Words;
use crate::draft::Engine;
use crate::failure::Failure;
use arena::config::MOST_WORKERS;
use arena::run::TrackField;
use session::plan::{AffinityPlan, SchedulePlan};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};

/// fastchess's names of what it tells of a ply.
const TRACKED: [(&str, TrackField); 7] = [
    ("nodes", TrackField::Nodes),
    ("seldepth", TrackField::Seldepth),
    ("nps", TrackField::Speed),
    ("hashfull", TrackField::Hashfull),
    ("tbhits", TrackField::Tbhits),
    ("timeleft", TrackField::TimeLeft),
    ("latency", TrackField::Latency),
];

/// A number above 0.
pub(super) fn positive(given: &Words<'_>) -> Result<u32, Failure> {
    given.number::<NonZeroU32>("a number above 0").map(NonZeroU32::get)
}

/// A seed, as configurations can hold it.
pub(super) fn seed(given: &Words<'_>) -> Result<u64, Failure> {
    let expected = "a number from 0 to 9223372036854775807";
    let seed = given.number::<i64>(expected)?;
    u64::try_from(seed).map_err(|_| given.expected(expected))
}

/// Checks the number of games in a round.
pub(super) fn games(given: &Words<'_>) -> Result<(), Failure> {
    match given.number::<u32>("a number of games")? {
        2 => Ok(()),
        _ => Err(given.expected(
            "2: a round is a pair of games from one opening with the seats swapped; ask for more of them by `-rounds`",
        )),
    }
}

/// How many games at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// So many.
    Games(usize),
    /// One for each processor but so many.
    AllBut(usize),
}

impl Concurrency {
    /// So many games, if this machine has processors for them or that is said not to matter.
    pub(super) fn games(self, force: bool) -> Result<usize, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        match self {
            Self::AllBut(idle) => Ok(cores.saturating_sub(idle).max(1)),
            Self::Games(games) if games > cores && !force => {
                let message = format!("`-concurrency {games}`: there are {cores} processors; add `-force-concurrency`");
                Err(Failure::usage(message))
            }
            Self::Games(games) => Ok(games),
        }
    }
}

/// Reads how many games at a time.
pub(super) fn concurrency(given: &Words<'_>) -> Result<Concurrency, Failure> {
    let expected = format!("a number of games from 1 to {MOST_WORKERS}, or so many processors to leave alone as -2");
    let number = given.number::<i32>(&expected)?;
    let games = number.unsigned_abs() as usize;
    match number {
        ..=0 => Ok(Concurrency::AllBut(games)),
        _ if games <= MOST_WORKERS => Ok(Concurrency::Games(games)),
        _ => Err(given.expected(&expected)),
    }
}

/// How engines are bound to processors: each game gets its own, or those of a list such as `3,5,7-11`.
pub(super) fn affinity(given: &Words<'_>) -> Result<AffinityPlan, Failure> {
    let expected = || given.expected("nothing, or processors such as `3,5,7-11`");
    let list = match given.words {
        [] => return Ok(AffinityPlan::Word("auto".to_owned())),
        [list] => list,
        _ => return Err(expected()),
    };
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.parse::<u16>().map_err(|_| expected());
        (number(first)?..=number(last)?).for_each(|cpu| cpus.push(usize::from(cpu)));
    }
    Ok(AffinityPlan::List(cpus))
}

/// The game of a variant; others than fastchess's two have their own names.
pub(super) fn variant(name: &str) -> &str {
    match name {
        "standard" => "chess",
        "fischerandom" => "chess960",
        other => other,
    }
}

/// Who plays whom.
pub(super) fn schedule(given: &Words<'_>) -> Result<SchedulePlan, Failure> {
    match given.word()? {
        "roundrobin" => Ok(SchedulePlan::RoundRobin),
        "gauntlet" => Ok(SchedulePlan::Gauntlet),
        "pyramid" => Ok(SchedulePlan::Pyramid),
        "swiss" => Ok(SchedulePlan::Swiss),
        "knockout" => Ok(SchedulePlan::Knockout),
        _ => Err(given.expected("`roundrobin`, `gauntlet`, `pyramid`, `swiss` or `knockout`")),
    }
}

/// The form of what is printed.
pub(super) fn form(given: &Words<'_>) -> Result<Form, Failure> {
    let mut form = Form::Fastchess;
    for pair in given.pairs(&["format"])? {
        form = match pair.value {
            "fastchess" => Form::Fastchess,
            "cutechess" => Form::Cutechess,
            _ => return Err(pair.expected("`format=fastchess` or `format=cutechess`")),
        };
    }
    Ok(form)
}

/// Checks that pairs are reported.
pub(super) fn report(given: &Words<'_>) -> Result<(), Failure> {
    for pair in given.pairs(&["penta"])? {
        if !pair.switch()? {
            return Err(pair.expected("`penta=true`: games of a pair are no independent results"));
        }
    }
    Ok(())
}

/// A file by `file=...` or by its name alone. Of the other keys some only say how fastchess writes it.
pub(super) fn file(given: &Words<'_>, keys: &[&str]) -> Result<PathBuf, Failure> {
    if let [path] = given.words
        && !path.contains('=')
    {
        return Ok(path.into());
    }
    let pairs = given.pairs(keys)?;
    if let Some(pair) = pairs.iter().find(|pair| pair.key == "compress" && pair.value == "true") {
        return Err(pair.expected("`compress=false`: compress the file afterwards"));
    }
    let path = pairs.iter().find(|pair| pair.key == "file" && !pair.value.is_empty());
    path.map(|pair| pair.value.into()).ok_or_else(|| given.expected("`file=...`"))
}

/// Where the games go.
pub(super) fn pgn_file(given: &Words<'_>) -> Result<PgnFile, Failure> {
    let mut pgn = PgnFile { path: PathBuf::new(), fields: Vec::new(), append: true };
    let (named, words) = match given.words {
        // cutechess's way: the name first.
        [path, rest @ ..] if !path.contains('=') => (Some(path), rest),
        words => (None, words),
    };
    if let Some(path) = named {
        pgn.path = path.into();
    }
    let keys: Vec<&str> =
        ["file", "notation", "append", "min"].into_iter().chain(TRACKED.map(|(key, _)| key)).collect();
    for pair in (Words { words, ..*given }).pairs(&keys)? {
        match pair.key {
            "file" => pgn.path = pair.value.into(),
            "notation" if pair.value == "san" => {}
            "notation" => return Err(pair.expected("`san`")),
            "append" => pgn.append = pair.switch()?,
            "min" if !pair.switch()? => {}
            "min" => return Err(pair.expected("`min=false`: games are written in full")),
            key => {
                let tracked = TRACKED.into_iter().filter(|(name, _)| *name == key).map(|(_, field)| field);
                pgn.fields.extend(tracked.filter(|_| pair.value == "true"));
            }
        }
    }
    if pgn.path.as_os_str().is_empty() { Err(given.expected("`file=...`")) } else { Ok(pgn) }
}

/// An engine's program as fastchess finds it: below the engine's folder if that is given, and a name without a slash may be a file
/// of the current folder.
pub(super) fn in_its_folder(mut engine: Engine) -> Engine {
    let found = engine.command().filter(|command| !command.starts_with('/')).and_then(|command| {
        let below = Path::new(engine.folder().unwrap_or(".")).join(command.trim_start_matches("./"));
        let path = below.to_str().filter(|_| below.is_file())?;
        Some(if path.contains('/') { path.to_owned() } else { format!("./{path}") })
    });
    if let Some(command) = found {
        engine.set_command(&command);
    }
    engine
}
