//! Export: the absorbed pairs of a run, in order, for other programs.
//!
//! Only what is reproducible is written, so that two runs of the same identity give the same bytes, unless timings are
//! asked for or, in PGN, the run recorded what players reported: their comments hold times.

mod csv;
mod epd;
mod format;
mod json;
mod pgn;
mod replayed;
#[cfg(test)]
mod tests;
mod transcript;

pub use csv::Csv;
pub use epd::{EpdOf, UnnamedEpd};
pub use format::{Format, FormatInfo, FormatOption, FormatRequest, OptionValue, download, downloads};
pub use json::{Json, JsonLines};
pub use pgn::{PgnForm, PgnManner, PgnNotation, TrackField, ply_comment};
pub use transcript::{Transcript, TranscriptPly, transcript};

use super::drive::{RunError, replay};
use super::experiment::Experiment;
use super::journal::{JournalError, JournalReader, StoredResult};
use super::name::{GameName, pair_number};
use crate::config::RunConfig;
use play::entrant::Entrant;
use play::games::{GameKind, Rules};
use play::players::process::Introduction;
use play::{Ending, Limit, Side};
use record::{PairResult, Proposal, ProposedSeat};
use stats::Score;
use std::io::Write;

/// What the tags of a game in PGN say of the occasion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// `Event`: the run's name if not given.
    pub event: Option<String>,
    /// `Site`: unknown if not given.
    pub site: Option<String>,
    /// How engines introduced themselves, with the numbers of their entrants.
    pub engines: Vec<(usize, Introduction)>,
}

/// By game and ply, what comments in PGN tell beside what was recorded.
pub type PgnComments = [Vec<Vec<String>>; 2];

/// Of games without further data.
static NO_REMARKS: PgnComments = [Vec::new(), Vec::new()];

/// Whether wall times are exported too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timings {
    /// Leave them out: what is left is reproducible.
    Omit,
    /// Add them.
    Include,
}

/// Export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Writing moves needs rules that only the program knows that played the run.
    #[error("the games of {game} cannot be written: its rules are not known here. A CSV needs none: --csv")]
    UnknownRules {
        /// The game.
        game: GameKind,
    },
    /// The output cannot be written.
    #[error("cannot write the export: {0}")]
    Output(#[from] std::io::Error),
}

impl From<JournalError> for ExportError {
    fn from(error: JournalError) -> Self {
        Self::Run(RunError::Journal(error))
    }
}

/// Writes the absorbed pairs in order, and returns how many there are.
///
/// `experiment` is the run's own, before its first pair: it knows how many pairs count.
///
/// # Errors
/// [`ExportError`] if the run cannot be read or `out` not be written.
pub fn export(
    journal: &JournalReader,
    experiment: &mut dyn Experiment,
    format: &dyn Format,
    timings: Timings,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    let config = journal.header()?.config;
    if matches!(config.game.rules(), Rules::Custom) && format.needs_rules() {
        return Err(ExportError::UnknownRules { game: config.game });
    }
    let heading = Heading::default();
    let absorbed = replay(experiment, journal)?.pairs;
    out.write_all(format.beginning(&config, timings)?.as_bytes())?;
    for pair in 0..absorbed {
        let damaged = || JournalError::Damaged {
            path: journal.path().to_owned(),
            place: format!("pair {}", pair_number(pair)),
            why: "its games are missing or unreadable".to_owned(),
        };
        let StoredResult { proposal, result, .. } = &journal.result(pair)?.ok_or_else(damaged)?;
        let row = Row { config: &config, heading: &heading, remarks: &NO_REMARKS, proposal, result };
        if pair > 0 {
            out.write_all(format.separator().as_bytes())?;
        }
        out.write_all(format.pair(&row, timings).ok_or_else(damaged)?.as_bytes())?;
    }
    out.write_all(format.end().as_bytes())?;
    out.flush()?;
    Ok(absorbed)
}

/// One pair as [`export`] writes it, for those who follow a run; `None` if its moves are not moves of the game.
pub fn pair_text(
    config: &RunConfig,
    stored: &StoredResult,
    heading: &Heading,
    remarks: &PgnComments,
    format: &dyn Format,
    timings: Timings,
) -> Option<String> {
    let row = Row { config, heading, remarks, proposal: &stored.proposal, result: &stored.result };
    format.pair(&row, timings)
}

/// One game as PGN, as [`export`] writes it among the others; `None` if there is none of this number, or its moves are
/// not moves of the game.
pub fn game_pgn(config: &RunConfig, stored: &StoredResult, game: usize) -> Option<String> {
    let (heading, remarks) = (&Heading::default(), &NO_REMARKS);
    let row = Row { config, heading, remarks, proposal: &stored.proposal, result: &stored.result };
    pgn::game(&row, &PgnForm::default(), Timings::Omit, game)
}

/// One pair, with what is known of the run.
pub struct Row<'a> {
    config: &'a RunConfig,
    heading: &'a Heading,
    remarks: &'a PgnComments,
    proposal: &'a Proposal,
    result: &'a PairResult,
}

impl Row<'_> {
    /// Who was seated.
    fn entrant(&self, seat: &ProposedSeat) -> Option<&Entrant> {
        self.config.entrants.get(seat.entrant as usize)
    }

    fn seat(&self, game: usize, side: Side) -> &ProposedSeat {
        &self.proposal.seats[self.result.sides.seat(game, side)]
    }

    /// The name of a game's player; in tuning with the values it played with, so that the two differ.
    fn name(&self, game: usize, side: Side) -> String {
        let seat = self.seat(game, side);
        let name = self.entrant(seat).map_or("?", |entrant| entrant.name.as_str());
        if seat.values.is_empty() {
            return name.to_owned();
        }
        let values: Vec<String> = seat.values.iter().map(ToString::to_string).collect();
        format!("{name} ({})", values.join(" "))
    }

    /// What people call a game.
    fn game_name(&self, game: usize) -> GameName {
        GameName { pair: self.result.pair, game }
    }

    /// The name that the engine of a side gave itself, if any.
    fn introduction(&self, game: usize, side: Side) -> Option<&Introduction> {
        let entrant = self.seat(game, side).entrant as usize;
        self.heading.engines.iter().rev().find(|(number, _)| *number == entrant).map(|(_, introduction)| introduction)
    }

    /// How much a game's player might think.
    fn limit(&self, game: usize, side: Side) -> Option<Limit> {
        let given = self.proposal.limit.and_then(|limit| self.config.experiment.limits().get(limit as usize)).copied();
        given.or_else(|| self.entrant(self.seat(game, side)).map(|entrant| entrant.player.limit().0))
    }
}

/// A game's result as PGN has it.
fn result_text(ending: &Ending) -> &'static str {
    match ending.score(Side::First) {
        Score::Win => "1-0",
        Score::Draw => "1/2-1/2",
        Score::Loss => "0-1",
    }
}
