//! Exports the absorbed pairs of a run, in order, for other programs.
//!
//! Only reproducible data is written, so two runs of the same identity give the same bytes. There are two exceptions:
//! timings on request, and PGN comments of runs that recorded what players reported, since these contain times.

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

/// PGN tags about the occasion of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// `Event`; the run's name by default.
    pub event: Option<String>,
    /// `Site`; unknown by default.
    pub site: Option<String>,
    /// The engines' introductions, each with the number of its entrant.
    pub engines: Vec<(usize, Introduction)>,
}

/// Extra PGN comments by game and ply, besides the recorded data.
pub type PgnComments = [Vec<Vec<String>>; 2];

/// The comments of games without extra data.
static NO_REMARKS: PgnComments = [Vec::new(), Vec::new()];

/// Whether wall times are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timings {
    /// Omit them: the rest is reproducible.
    Omit,
    /// Include them.
    Include,
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Writing moves needs the rules of the game, which only the program that played the run knows.
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

/// Writes the absorbed pairs in order, and returns their number.
///
/// `experiment` is the run's own, before its first pair; it decides how many pairs count.
///
/// # Errors
/// [`ExportError`] if the run cannot be read or `out` cannot be written.
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

/// Returns one pair as [`export`] writes it, for code that follows a run; `None` if its moves are not moves of the
/// game.
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

/// Returns one game as PGN, as [`export`] writes it among the others; `None` if there is no game with this index, or
/// its moves are not moves of the game.
pub fn game_pgn(config: &RunConfig, stored: &StoredResult, game: usize) -> Option<String> {
    let (heading, remarks) = (&Heading::default(), &NO_REMARKS);
    let row = Row { config, heading, remarks, proposal: &stored.proposal, result: &stored.result };
    pgn::game(&row, &PgnForm::default(), Timings::Omit, game)
}

/// One pair, with the data of its run.
pub struct Row<'a> {
    config: &'a RunConfig,
    heading: &'a Heading,
    remarks: &'a PgnComments,
    proposal: &'a Proposal,
    result: &'a PairResult,
}

impl Row<'_> {
    /// Returns the entrant in a seat.
    fn entrant(&self, seat: &ProposedSeat) -> Option<&Entrant> {
        self.config.entrants.get(seat.entrant as usize)
    }

    fn seat(&self, game: usize, side: Side) -> &ProposedSeat {
        &self.proposal.seats[self.result.sides.seat(game, side)]
    }

    /// Returns the name of a game's player. In tuning it includes the values played with, so that the two players
    /// differ.
    fn name(&self, game: usize, side: Side) -> String {
        let seat = self.seat(game, side);
        let name = self.entrant(seat).map_or("?", |entrant| entrant.name.as_str());
        if seat.values.is_empty() {
            return name.to_owned();
        }
        let values: Vec<String> = seat.values.iter().map(ToString::to_string).collect();
        format!("{name} ({})", values.join(" "))
    }

    /// Returns a game's name for people.
    fn game_name(&self, game: usize) -> GameName {
        GameName { pair: self.result.pair, game }
    }

    /// Returns the introduction of the engine on a side, if any.
    fn introduction(&self, game: usize, side: Side) -> Option<&Introduction> {
        let entrant = self.seat(game, side).entrant as usize;
        self.heading.engines.iter().rev().find(|(number, _)| *number == entrant).map(|(_, introduction)| introduction)
    }

    /// Returns the limit of a game's player.
    fn limit(&self, game: usize, side: Side) -> Option<Limit> {
        let given = self.proposal.limit.and_then(|limit| self.config.experiment.limits().get(limit as usize)).copied();
        given.or_else(|| self.entrant(self.seat(game, side)).map(|entrant| entrant.player.limit().0))
    }
}

/// Returns a game's result in PGN notation.
fn result_text(ending: &Ending) -> &'static str {
    match ending.score(Side::First) {
        Score::Win => "1-0",
        Score::Draw => "1/2-1/2",
        Score::Loss => "0-1",
    }
}
