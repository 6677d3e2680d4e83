//! The part of a game's rules that the referee, the openings and the journal need.
//!
//! Each game's rules exist in one place: those of 0.1 in `engine`. An adapter under `games/` implements [`Game`].

use crate::random::Stream;
use record::{DrawRule, Ending, Side, WinRule};
use std::fmt::{self, Debug};

/// How the rules ended a game. A player's misconduct is a [`Fault`](record::Fault) instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEnding {
    /// A win.
    Win {
        /// The winner.
        winner: Side,
        /// The rule that made it a win.
        by: WinRule,
    },
    /// A draw.
    Draw(DrawRule),
}

impl From<RuleEnding> for Ending {
    fn from(ending: RuleEnding) -> Self {
        match ending {
            RuleEnding::Win { winner, by } => Self::Win { winner, by },
            RuleEnding::Draw(by) => Self::Draw { by },
        }
    }
}

/// The name of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningName {
    /// The code in the Encyclopaedia of Chess Openings: a letter from A to E and two digits.
    pub eco: &'static str,
    /// The name in English: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

/// The rules of one game, as the harness sees them. A position carries all history that its rules need.
///
/// A value of the type says which of a family of games it is (chess or crazyhouse, for instance); positions know that
/// themselves.
pub trait Game: Clone + Send + Sync + 'static {
    /// A position of a running or ended game.
    type Position: Clone + Send + Sync + fmt::Display;
    /// A move, legal or not.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// The position before the first ply.
    fn start(&self) -> Self::Position;
    /// The position that a text such as a FEN describes, to start games from.
    ///
    /// # Errors
    /// What is wrong with the text, in words.
    fn setup(&self, text: &str) -> Result<Self::Position, String>;
    /// A start drawn at random where the game has several (Chess960), as a text for [`setup`](Self::setup).
    fn random_start(&self, stream: &mut Stream) -> Option<String>;
    /// The side to move.
    fn side_to_move(position: &Self::Position) -> Side;
    /// The number of the full move, from 1: the plies of both sides share one number.
    fn move_number(position: &Self::Position) -> u32;
    /// The name of the opening that leads to this position, if it has one.
    fn opening_name(_position: &Self::Position) -> Option<OpeningName> {
        None
    }
    /// How the rules ended the game here, or `None` if it is not over.
    fn ending(position: &Self::Position) -> Option<RuleEnding>;
    /// Whether `mv` may be played here; total over all values of `Move`.
    fn is_legal(position: &Self::Position, mv: Self::Move) -> bool;
    /// Plays a legal move.
    fn play(position: &mut Self::Position, mv: Self::Move);
    /// Whether a legal move makes progress, which resets the count of moves without progress: a capture, or a pawn move
    /// in games with pawns.
    fn is_progress(position: &Self::Position, mv: Self::Move) -> bool;
    /// Whether no earlier position can recur after a legal move, so that repetition is counted from there. By default,
    /// any move that makes progress counts as irreversible.
    fn is_irreversible(position: &Self::Position, mv: Self::Move) -> bool {
        Self::is_progress(position, mv)
    }
    /// A uniformly drawn legal move, or `None` if there is none.
    fn random_move(position: &Self::Position, stream: &mut Stream) -> Option<Self::Move>;
    /// Whether the side to move wins at once: such a position cannot be an opening.
    fn wins_at_once(position: &Self::Position) -> bool;
    /// The move's number in journals: stable for ever, with small numbers for frequent moves.
    fn code(mv: Self::Move) -> u32;
    /// The move that a number stands for in this position, if it stands for one.
    fn from_code(position: &Self::Position, code: u32) -> Option<Self::Move>;
    /// The move that a number stands for, if it may be played in this position.
    fn legal_from_code(position: &Self::Position, code: u32) -> Option<Self::Move> {
        Self::from_code(position, code).filter(|&mv| Self::is_legal(position, mv))
    }
    /// Whether a side has the material to win with the other side's help; true in games that do not know.
    fn can_win(_position: &Self::Position, _side: Side) -> bool {
        true
    }
    /// Appends the move in the notation of the game's players.
    fn write_move(position: &Self::Position, mv: Self::Move, out: &mut String);
    /// The move in the notation of the game's players.
    fn format_move(position: &Self::Position, mv: Self::Move) -> String {
        let mut text = String::new();
        Self::write_move(position, mv, &mut text);
        text
    }
    /// The move in the notation of game records (chess: SAN).
    fn record_move(position: &Self::Position, mv: Self::Move) -> String {
        Self::format_move(position, mv)
    }
    /// Reads a move as written by [`format_move`](Self::format_move); `None` if the text is not a move.
    fn parse_move(position: &Self::Position, text: &str) -> Option<Self::Move>;
    /// Reads a move of a game record, as written by [`record_move`](Self::record_move); `None` if the text is not a
    /// move.
    fn parse_record(position: &Self::Position, text: &str) -> Option<Self::Move> {
        Self::parse_move(position, text)
    }
    /// Reads a legal move in any spelling that means only this move; `None` if the text is no legal move.
    fn read_move(position: &Self::Position, text: &str) -> Option<Self::Move> {
        Self::parse_move(position, text).filter(|&mv| Self::is_legal(position, mv))
    }
    /// Draws the plies of both setups from the game's [book of setups](crate::SetupOpenings); `None` if it has none.
    fn book_setups(_stream: &mut Stream) -> Option<Vec<Self::Move>> {
        None
    }
    /// A hash of the game's book of setups; `None` if it has none.
    fn setups_hash() -> Option<u64> {
        None
    }
    /// The maximum number of plies in a random opening beyond [`least_opening`](Self::least_opening).
    fn most_random_plies() -> u32;
    /// The minimum number of plies in an opening (0.1: the two setups).
    fn least_opening() -> u32;
}
