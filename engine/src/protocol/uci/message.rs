//! What the engine says in UCI.
//!
//! A score in centipawns is the engine's in logit x 100: 100 cp are 1 logit, a win probability of 73%. A proven win is
//! `mate <own moves>`, a proven loss `mate -<own moves>`, as in chess.

use super::{write_moves, EngineOption};
use crate::{format_move, EngineConfig, Move, Position, Report, Score};
use std::fmt;
use std::time::Duration;

/// A line from the engine. Texts in it must hold no end of line.
#[derive(Clone, Copy)]
pub enum Message<'a> {
    /// The engine's name and version.
    Name(&'a str),
    /// Who wrote it.
    Author(&'a str),
    /// An option there is, its default the value in the configuration given.
    Option(EngineOption, &'a EngineConfig),
    /// All that `uci` asks for has been said.
    UciOk,
    /// All before `isready` is done.
    ReadyOk,
    /// What the search has found so far.
    Info(Info<'a>),
    /// Anything a person should know.
    Note(&'a dyn fmt::Display),
    /// The answer to `go`: a legal move in this position, or none when the game is over.
    BestMove(&'a Position, Option<Move>),
}

/// The state of a search.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    /// What is searched.
    pub position: &'a Position,
    /// What was found.
    pub report: &'a Report,
    /// How long that took.
    pub time: Duration,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {name}"),
            Self::Author(author) => write!(f, "id author {author}"),
            Self::Option(option, defaults) => option.declare(f, defaults),
            Self::UciOk => f.write_str("uciok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::Note(note) => write!(f, "info string {note}"),
            Self::BestMove(position, Some(mv)) => write!(f, "bestmove {}", format_move(position, *mv)),
            Self::BestMove(_, None) => f.write_str("bestmove 0000"),
        }
    }
}

/// `nps` is left out where no time has passed.
impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { score, depth, nodes, line, .. } = self.report;
        write!(f, "info depth {depth} score {} nodes {nodes}", Shown(*score))?;
        if let Some(speed) = (u128::from(*nodes) * 1_000_000_000).checked_div(self.time.as_nanos()) {
            write!(f, " nps {speed}")?;
        }
        write!(f, " time {} pv", self.time.as_millis())?;
        write_moves(f, *self.position, line.moves())
    }
}

/// A score as UCI says it.
struct Shown(Score);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.plies_to_end() {
            Some(plies) if self.0.is_win() => write!(f, "mate {}", (plies + 1) / 2),
            Some(plies) => write!(f, "mate -{}", plies / 2),
            None => {
                let units = self.0.units();
                write!(f, "cp {}", (units + if units < 0 { -50 } else { 50 }) / 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;
    use crate::Score;

    #[test]
    fn scores_are_hundredths_of_a_logit_or_own_moves_to_the_end() {
        for (score, text) in [
            (Score::DRAW, "cp 0"),
            (Score::estimate(10_000), "cp 100"),
            (Score::estimate(-149), "cp -1"),
            (Score::estimate(-150), "cp -2"),
            (Score::estimate(149), "cp 1"),
            (Score::win_in(1), "mate 1"),
            (Score::win_in(3), "mate 2"),
            (Score::loss_in(2), "mate -1"),
            (Score::loss_in(4), "mate -2"),
        ] {
            assert_eq!(Shown(score).to_string(), text);
        }
    }
}
