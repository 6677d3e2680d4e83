//! UCI messages from the engine.
//!
//! A score in centipawns is the engine's score in logit x 100: 100 cp are 1 logit, a win probability of 73%. A proven
//! win is `mate <moves>`, a proven loss `mate -<moves>`, counting the engine's own moves as in chess.

use super::{write_moves, EngineOption};
use crate::{format_move, EngineConfig, Move, Position, Score, SearchResult};
use std::fmt;
use std::time::Duration;

/// A line from the engine. Texts in it must not contain line breaks.
#[derive(Clone, Copy)]
pub enum UciMessage<'a> {
    /// The engine's name and version.
    Name(&'a str),
    /// The engine's author.
    Author(&'a str),
    /// An option; its default is the value in the configuration.
    Option(EngineOption, &'a EngineConfig),
    /// The answer to `uci` is complete.
    UciOk,
    /// The answer to `isready`.
    ReadyOk,
    /// The result of the search so far.
    Info(Info<'a>),
    /// A text for the user.
    InfoString(&'a dyn fmt::Display),
    /// The answer to `go`: a legal move in this position, or `None` when the game is over.
    BestMove(&'a Position, Option<Move>),
}

/// The state of a search.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    /// The position searched.
    pub position: &'a Position,
    /// The result so far.
    pub result: &'a SearchResult,
    /// The time since the search began.
    pub time: Duration,
}

impl fmt::Display for UciMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {name}"),
            Self::Author(author) => write!(f, "id author {author}"),
            Self::Option(option, defaults) => option.declare(f, defaults),
            Self::UciOk => f.write_str("uciok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::InfoString(text) => write!(f, "info string {text}"),
            Self::BestMove(position, Some(mv)) => write!(f, "bestmove {}", format_move(position, *mv)),
            Self::BestMove(_, None) => f.write_str("bestmove 0000"),
        }
    }
}

/// `nps` is left out if no time has passed.
impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SearchResult { score, depth, nodes, pv, .. } = self.result;
        write!(f, "info depth {depth} score {} nodes {nodes}", UciScore(*score))?;
        if let Some(speed) = (u128::from(*nodes) * 1_000_000_000).checked_div(self.time.as_nanos()) {
            write!(f, " nps {speed}")?;
        }
        write!(f, " time {} pv", self.time.as_millis())?;
        write_moves(f, *self.position, pv.moves())
    }
}

/// A score in UCI form.
struct UciScore(Score);

impl fmt::Display for UciScore {
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
    use super::UciScore;
    use crate::Score;

    #[test]
    fn scores_are_hundredths_of_a_logit_or_moves_to_the_end() {
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
            assert_eq!(UciScore(score).to_string(), text);
        }
    }
}
