//! Reads the values of single options of fastchess's.

use super::engine_output::Wishes;
use super::request::{EpdFile, Form, PgnFile};
use super::words::{Pair, Words};
use crate::error::FastchessError;
use arena::config::{MOST_WORKERS, ScheduleId};
use arena::run::{PgnForm, PgnManner, PgnNotation, TrackField};
use plan::{AffinityPlan, CountPlan, Given, Key};
use play::TableResults;
use play::pgn::Moment;
use regex_lite::Regex;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

/// fastchess's names for the comments of a ply, in fastchess's order.
const TRACKED: [(&str, TrackField); 7] = [
    ("timeleft", TrackField::TimeLeft),
    ("latency", TrackField::Latency),
    ("nodes", TrackField::Nodes),
    ("seldepth", TrackField::Seldepth),
    ("nps", TrackField::Speed),
    ("hashfull", TrackField::Hashfull),
    ("tbhits", TrackField::Tbhits),
];

/// Reads a number above 0.
pub(super) fn positive(given: &Words<'_>) -> Result<u32, FastchessError> {
    given.number::<NonZeroU32>("a number above 0").map(NonZeroU32::get)
}

/// Reads a seed. Configurations hold 63 bits of it: the highest bit is dropped.
pub(super) fn seed(given: &Words<'_>) -> Result<u64, FastchessError> {
    Ok(given.number::<u64>("a number from 0 to 18446744073709551615")? & i64::MAX.unsigned_abs())
}

/// Reads how long engines rest between two games, if they do.
pub(super) fn wait(given: &Words<'_>) -> Result<Key<String>, FastchessError> {
    let time = Duration::from_millis(given.number::<u32>("a number of milliseconds")?.into());
    Ok((!time.is_zero()).then(|| Given::words(format!("{time:?}"), given.text())))
}

/// Reads how long to wait for engines, and the words that set it.
pub(super) fn timeouts(given: &Words<'_>) -> Result<(Duration, String), FastchessError> {
    let time = given.number::<NonZeroU32>("a number of milliseconds above 0")?;
    Ok((Duration::from_millis(time.get().into()), given.text()))
}

/// Reads folders of endgame tables and separates them as in `PATH`; fastchess separates them by semicolons.
pub(super) fn table_folders(given: &Words<'_>) -> Result<String, FastchessError> {
    let folders = given.word()?;
    if folders.is_empty() { Err(given.expected("folders of Syzygy tables")) } else { Ok(folders.replace(';', ":")) }
}

/// Reads which games tables adjudicate. Versions of fastchess have different words for won games.
pub(super) fn table_results(given: &Words<'_>) -> Result<Key<TableResults>, FastchessError> {
    let results = match given.word()? {
        "BOTH" => return Ok(None),
        "WIN_LOSS" | "WON_LOST" => TableResults::Wins,
        "DRAW" => TableResults::Draws,
        _ => return Err(given.expected("`BOTH`, `WIN_LOSS` or `DRAW`")),
    };
    Ok(Some(Given::words(results, given.text())))
}

/// Reads whether to print checksums.
pub(super) fn checksums(given: &Words<'_>) -> Result<bool, FastchessError> {
    given.pairs(&["pgn"])?.iter().try_fold(false, |_, pair| pair.switch())
}

/// The number of simultaneous games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// This many games.
    Games(usize),
    /// One game for each processor except this many.
    AllBut(usize),
}

impl Concurrency {
    /// Returns the number of games, if this machine has enough processors for them or `force` is set.
    pub(super) fn games(self, force: bool) -> Result<usize, FastchessError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        match self {
            Self::AllBut(idle) => Ok(cores.saturating_sub(idle).max(1)),
            Self::Games(games) if games > cores && !force => {
                let message = format!("`-concurrency {games}`: there are {cores} processors; add `-force-concurrency`");
                Err(FastchessError::usage(message))
            }
            Self::Games(games) => Ok(games),
        }
    }
}

/// Reads the number of simultaneous games.
pub(super) fn concurrency(given: &Words<'_>) -> Result<Concurrency, FastchessError> {
    let expected =
        format!("a number of games from 1 to {MOST_WORKERS}, or a number of processors to leave free, such as -2");
    let number = given.number::<i32>(&expected)?;
    let games = number.unsigned_abs() as usize;
    match number {
        ..=0 => Ok(Concurrency::AllBut(games)),
        _ if games <= MOST_WORKERS => Ok(Concurrency::Games(games)),
        _ => Err(given.expected(&expected)),
    }
}

/// Reads how engines are bound to processors: each game gets its own, or those of a list such as `3,5,7-11`.
pub(super) fn affinity(given: &Words<'_>) -> Result<AffinityPlan, FastchessError> {
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

/// The game of a variant. Variants other than fastchess's two have their own names.
pub(super) fn variant(name: &str) -> &str {
    match name {
        "standard" => "chess",
        "fischerandom" => "chess960",
        other => other,
    }
}

/// The default schedule.
pub(super) fn usual_schedule() -> ScheduleId {
    ScheduleId::named("round-robin").unwrap_or_default()
}

/// Reads the schedule.
pub(super) fn schedule(given: &Words<'_>) -> Result<ScheduleId, FastchessError> {
    let (word, in_one_word) = (given.word()?, |schedule: ScheduleId| schedule.name().replace('-', ""));
    ScheduleId::all()
        .find(|&schedule| in_one_word(schedule) == word)
        .ok_or_else(|| given.expected(&ScheduleId::all_in_words(|schedule| format!("`{}`", in_one_word(schedule)))))
}

/// Reads the format of the output.
pub(super) fn form(given: &Words<'_>) -> Result<Form, FastchessError> {
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

/// Reads what is counted, unless that is the default: pairs, if there are any.
pub(super) fn report(given: &Words<'_>) -> Result<Key<CountPlan>, FastchessError> {
    let mut count = None;
    for pair in given.pairs(&["penta"])? {
        count = (!pair.switch()?).then(|| Given::words(CountPlan::Games, pair.from));
    }
    Ok(count)
}

/// The default name of a file: the current time in UTC.
fn name_by_moment(extension: &str) -> PathBuf {
    let Moment { year, month, day, hour, minute, second } = Moment::of_unix_ms(session::unix_ms());
    format!("fastchess_{year:04}{month:02}{day:02}_{hour:02}{minute:02}{second:02}.{extension}").into()
}

/// Reads the file for final positions.
pub(super) fn epd_file(given: &Words<'_>) -> Result<EpdFile, FastchessError> {
    let (named, words) = given.named_file();
    let mut epd = EpdFile { path: named.map_or_else(|| name_by_moment("epd"), PathBuf::from), append: true };
    for pair in words.pairs(&["file", "append"])? {
        match pair.key {
            "append" => epd.append = pair.switch()?,
            _ => epd.path = pair.file_name()?,
        }
    }
    Ok(epd)
}

/// Reads the file for games and the lines of engines that go into it.
pub(super) fn pgn_file(given: &Words<'_>, wishes: &mut Wishes) -> Result<PgnFile, FastchessError> {
    let (named, mut words) = given.named_file();
    let mut form = PgnForm { manner: PgnManner::Fastchess, ..PgnForm::default() };
    // cutechess's words after the name: few tags, and only finished games, which holds here anyway.
    while let Some((word, rest)) = words.words.split_first().filter(|(word, _)| matches!(word.as_str(), "min" | "fi")) {
        form.minimal |= word == "min";
        words.words = rest;
    }
    let mut pgn = PgnFile { path: named.map_or_else(|| name_by_moment("pgn"), PathBuf::from), form, append: true };
    let keys: Vec<&str> = ["file", "notation", "append", "min", "pv", "match_line"]
        .into_iter()
        .chain(TRACKED.map(|(key, _)| key))
        .collect();
    let mut shown = [false; TRACKED.len()];
    for pair in words.pairs(&keys)? {
        match pair.key {
            "file" => pgn.path = pair.file_name()?,
            "notation" => pgn.form.notation = notation(&pair)?,
            "append" => pgn.append = pair.switch()?,
            "min" => pgn.form.minimal = pair.switch()?,
            "pv" => wishes.pv = pair.switch()?,
            "match_line" => wishes.quoted.push(pattern(&pair)?),
            key => {
                let value = pair.switch()?;
                let tracked = TRACKED.iter().zip(&mut shown).filter(|((name, _), _)| *name == key);
                tracked.for_each(|(_, is_shown)| *is_shown = value);
            }
        }
    }
    pgn.form.fields =
        TRACKED.iter().zip(shown).filter(|(_, is_shown)| *is_shown).map(|((_, field), _)| *field).collect();
    Ok(pgn)
}

fn pattern(pair: &Pair<'_>) -> Result<Regex, FastchessError> {
    Regex::new(pair.value).map_err(|error| pair.expected(&format!("a regular expression: {error}")))
}

fn notation(pair: &Pair<'_>) -> Result<PgnNotation, FastchessError> {
    match pair.value {
        "san" => Ok(PgnNotation::San),
        "lan" => Ok(PgnNotation::Lan),
        "uci" => Ok(PgnNotation::Uci),
        _ => Err(pair.expected("`san`, `lan` or `uci`")),
    }
}
