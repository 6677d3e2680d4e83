//! Writes the positions of a run to a file.

use super::extract::{self, FromPly};
use super::record::Record;
use super::sieve::{Extracted, NoGame, OfPair, Sieve};
use super::write::PositionsWriter;
use arena::config::PositionFilter;
use arena::run::{
    Experiment, Header, JournalError, JournalReader, PairIndex, PairResult, RunError, pair_number, replay,
};
use play::LinesKept;
use play::child::ContentHash;
use play::entrant::PlayerSpec;
use play::games::{GameKind, Rules};
use rayon::prelude::*;
use serde::Serialize;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

/// The number of pairs that are held in memory and replayed together.
const CHUNK: u64 = 1_024;

/// Why a run gives no positions.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run plays another game.
    #[error("no such positions are made of games of {game}")]
    OtherGame {
        /// The run's game.
        game: GameKind,
    },
    /// The format cannot hold the positions.
    #[error("positions of crazyhouse are written as `plain`, and not as `{format}`")]
    Format {
        /// The name of the format.
        format: &'static str,
    },
    /// The run recorded no search data.
    #[error("the run has no scores to make positions with: it was not made with `track = true`")]
    NoTrack,
    /// The run's games have no visits.
    #[error(
        "the run has no visit shares: they need `search = \"mcts\"` for every entrant, and `lines = \"all\"` in \
        `[match]`"
    )]
    NoVisits,
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl From<JournalError> for ExportError {
    fn from(error: JournalError) -> Self {
        Self::Run(RunError::Journal(error))
    }
}

/// The part of a run to read.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    /// The number of pairs, from the first.
    pub(crate) pairs: u64,
    /// Whether to read the engines' lines too, if the run kept them.
    pub(crate) lines: bool,
}

/// The source of a run's positions, as the file states it.
#[derive(Serialize)]
struct Provenance<'a> {
    run: &'a str,
    /// SHA-256 of the run's identity.
    configuration: String,
    seed: u64,
    entrants: Vec<Player<'a>>,
    filter: &'a PositionFilter,
    spar: &'a str,
}

#[derive(Serialize)]
struct Player<'a> {
    name: &'a str,
    /// The build, with the SHA-256 of its weights file, if it has one.
    build: &'a arena::run::BuildId,
    /// The evaluation of an engine in process.
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation: Option<String>,
    limit: String,
}

/// Writes the positions of a run's absorbed pairs, in order. Every call on every machine writes the same bytes.
///
/// `experiment` is the run's experiment before its first pair: it knows how many pairs count.
///
/// # Errors
/// [`ExportError`]
pub fn export(
    journal: &JournalReader,
    experiment: &mut dyn Experiment,
    filter: &PositionFilter,
    out: &mut dyn Write,
) -> Result<Extracted, ExportError> {
    let header = checked(journal)?;
    let absorbed = replay(experiment, journal)?.pairs;
    let provenance = serde_json::to_string(&provenance(&header, filter)?).map_err(io::Error::from)?;
    let mut writer = PositionsWriter::new(out, Some(&provenance))?;
    let counts = if keeps_visits(&header) {
        made_of_plies(journal, absorbed, filter, |_, record| writer.push_visits(record))?
    } else {
        made_of_plies(journal, absorbed, filter, |_, record| writer.push(record))?
    };
    let _out = writer.finish()?;
    Ok(counts)
}

/// Passes the positions of a run's first pairs to `take`, in order, with the number of their pair, until `take` stops.
/// These are all positions that the filter keeps, duplicates included. Returns the counts of the plies.
///
/// # Errors
/// [`ExportError`]
pub(crate) fn read(
    journal: &JournalReader,
    pairs: u64,
    filter: &PositionFilter,
    take: impl FnMut(PairIndex, Record) -> ControlFlow<()>,
) -> Result<Extracted, ExportError> {
    checked(journal)?;
    hand_over(journal, pairs, |result| extract::positions(result, filter), take)
}

/// Like [`read`], without duplicates: the positions that the run's file would have.
///
/// # Errors
/// [`ExportError`]
pub(crate) fn read_once<T: FromPly>(
    journal: &JournalReader,
    pairs: u64,
    filter: &PositionFilter,
    take: impl FnMut(PairIndex, &T) -> io::Result<()>,
) -> Result<Extracted, ExportError> {
    let header = checked(journal)?;
    if T::NEEDS_LINES && !keeps_visits(&header) {
        return Err(ExportError::NoVisits);
    }
    made_of_plies(journal, pairs, filter, take)
}

/// Makes positions of 0.1 from the first pairs of a run, in order, and passes the kept ones to `push`.
fn made_of_plies<T: FromPly>(
    journal: &JournalReader,
    pairs: u64,
    filter: &PositionFilter,
    push: impl FnMut(PairIndex, &T) -> io::Result<()>,
) -> Result<Extracted, ExportError> {
    let read = Read { pairs, lines: T::NEEDS_LINES };
    sift(journal, read, filter, |result| extract::positions(result, filter), push)
}

/// Whether every position of a run has the visits of a tree search.
fn keeps_visits(header: &Header) -> bool {
    let mut entrants = header.config.entrants.iter();
    let searches_a_tree = |player: &PlayerSpec| match player {
        PlayerSpec::Native(native) => native.search.has_visits(),
        PlayerSpec::Random | PlayerSpec::Process(_) | PlayerSpec::Custom(_) => false,
    };
    header.config.rules.lines == LinesKept::All && entrants.all(|entrant| searches_a_tree(&entrant.player))
}

/// Returns the header of a run, which must be of 0.1 and have scores.
fn checked(journal: &JournalReader) -> Result<Header, ExportError> {
    let header = journal.header()?;
    if !matches!(header.config.game.rules(), Rules::ZeroPointOne(_)) {
        return Err(ExportError::OtherGame { game: header.config.game });
    }
    check_track(&header)?;
    Ok(header)
}

/// Returns an error for a run without search data.
pub(crate) fn check_track(header: &Header) -> Result<(), ExportError> {
    if header.config.rules.track { Ok(()) } else { Err(ExportError::NoTrack) }
}

/// Makes positions from the first pairs of a run, in order, and passes the kept ones to `push`.
///
/// Takes 11 to 22 bytes of memory for each distinct position, and holds a bounded number of pairs.
pub(crate) fn sift<T: Send>(
    journal: &JournalReader,
    read: Read,
    filter: &PositionFilter,
    positions: impl Fn(&PairResult) -> Result<OfPair<T>, NoGame> + Sync,
    mut push: impl FnMut(PairIndex, &T) -> io::Result<()>,
) -> Result<Extracted, ExportError> {
    let mut sieve = Sieve::default();
    for_each_pair(journal, read, positions, |pair, of_pair| {
        sieve.pass(&of_pair, filter).try_for_each(|position| push(pair, position))?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(sieve.counts)
}

/// Makes positions from the first pairs of a run, in order, and passes all of them to `take` until `take` stops.
pub(crate) fn hand_over<T: Send>(
    journal: &JournalReader,
    pairs: u64,
    positions: impl Fn(&PairResult) -> Result<OfPair<T>, NoGame> + Sync,
    mut take: impl FnMut(PairIndex, T) -> ControlFlow<()>,
) -> Result<Extracted, ExportError> {
    let mut counts = Extracted::default();
    for_each_pair(journal, Read { pairs, lines: false }, positions, |pair, of_pair| {
        counts.add(&of_pair.counts);
        counts.kept += of_pair.positions.len() as u64;
        Ok(of_pair.positions.into_iter().try_for_each(|(_, position)| take(pair, position)))
    })?;
    Ok(counts)
}

/// Makes positions from the first pairs of a run, in order, until `take` stops. Holds a bounded number of pairs in
/// memory.
fn for_each_pair<T: Send>(
    journal: &JournalReader,
    Read { pairs, lines }: Read,
    positions: impl Fn(&PairResult) -> Result<OfPair<T>, NoGame> + Sync,
    mut take: impl FnMut(PairIndex, OfPair<T>) -> io::Result<ControlFlow<()>>,
) -> Result<(), ExportError> {
    let mut chunk = Vec::with_capacity(CHUNK as usize);
    let mut first = 0;
    while first < pairs {
        let next = pairs.min(first + CHUNK);
        chunk.clear();
        journal.results(first..next, |stored| {
            chunk.push(stored);
            Ok::<_, JournalError>(())
        })?;
        if lines {
            for stored in &mut chunk {
                let lines = journal.lines(stored.result.pair)?;
                stored.result.games.iter_mut().zip(lines).for_each(|(game, lines)| game.circumstances.lines = lines);
            }
        }
        let played_over: Vec<_> = chunk.par_iter().map(|stored| positions(&stored.result)).collect();
        for (stored, of_pair) in chunk.iter().zip(played_over) {
            let pair = stored.result.pair;
            if take(pair, of_pair.map_err(|why| damaged(journal, pair, why))?)?.is_break() {
                return Ok(());
            }
        }
        first = next;
    }
    Ok(())
}

/// Like [`export`], into a file that is replaced atomically.
///
/// # Errors
/// [`ExportError`]
pub fn export_to(
    journal: &JournalReader,
    experiment: &mut dyn Experiment,
    filter: &PositionFilter,
    path: &Path,
) -> Result<Extracted, ExportError> {
    super::write::replace(path, |out| export(journal, experiment, filter, out))
}

fn damaged(journal: &JournalReader, pair: PairIndex, why: NoGame) -> JournalError {
    let place = format!("pair {}", pair_number(pair));
    JournalError::Damaged { path: journal.path().to_owned(), place, why: why.to_string() }
}

fn provenance<'a>(header: &'a Header, filter: &'a PositionFilter) -> io::Result<Provenance<'a>> {
    let config = &header.config;
    let entrants = config.entrants.iter().zip(&header.builds);
    let players = entrants.map(|(entrant, build)| Player {
        name: &entrant.name,
        build,
        evaluation: match &entrant.player {
            PlayerSpec::Native(native) => Some(native.evaluation.to_string()),
            PlayerSpec::Random | PlayerSpec::Process(_) | PlayerSpec::Custom(_) => None,
        },
        limit: entrant.player.limit().0.to_string(),
    });
    let configuration = ContentHash::of(&serde_json::to_vec(header)?[..])?.to_string();
    let (run, spar) = (config.name.as_str(), env!("CARGO_PKG_VERSION"));
    Ok(Provenance { run, configuration, seed: config.seed, entrants: players.collect(), filter, spar })
}
