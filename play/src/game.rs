//! What the referee, the openings and the journal need to know of a game's rules, and no more.
//!
//! The rules themselves live once per game: those of 0.1 in `engine`. An adapter under `games/` implements [`Game`].

use crate::random::Stream;
use record::{DrawRule, Ending, Side, WinRule};
use std::fmt::{self, Debug};

/// How the rules ended a game. What a player did wrong is a [`Fault`](record::Fault) instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEnding {
    /// `winner` won.
    Win {
        /// The winner.
        winner: Side,
        /// By what rule.
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

/// What an opening is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningName {
    /// Its code in the Encyclopaedia of Chess Openings: a letter from A to E and two digits.
    pub eco: &'static str,
    /// Its name in English: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

/// The rules of one game, as the harness sees them. A position carries whatever history its rules need.
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
    /// The position of a text such as a FEN, to start games from.
    ///
    /// # Errors
    /// What is wrong with the text, in words.
    fn setup(&self, text: &str) -> Result<Self::Position, String>;
    /// A start drawn at random where the game has several (Chess960), as a text for [`setup`](Self::setup).
    fn random_start(&self, stream: &mut Stream) -> Option<String>;
    /// Whose turn it is.
    fn side_to_move(position: &Self::Position) -> Side;
    /// The full move number, from 1: the plies of both sides share one number.
    fn move_number(position: &Self::Position) -> u32;
    /// What the position is called, if it is one that an opening leads to and has a name.
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
    /// Whether nothing that came before a legal move can come again after it, so that repetition is counted from there.
    /// What makes progress is taken for that unless a game knows better.
    fn is_irreversible(position: &Self::Position, mv: Self::Move) -> bool {
        Self::is_progress(position, mv)
    }
    /// A uniformly drawn legal move, or `None` if there is none.
    fn random_move(position: &Self::Position, stream: &mut Stream) -> Option<Self::Move>;
    /// Whether the side to move wins at once: such a position cannot be an opening.
    fn wins_at_once(position: &Self::Position) -> bool;
    /// The move's number in journals: stable for ever, small numbers for frequent moves.
    fn code(mv: Self::Move) -> u32;
    /// The move that a number stands for in this position, if it is one.
    fn from_code(position: &Self::Position, code: u32) -> Option<Self::Move>;
    /// The same if it may be played in this position.
    fn legal_from_code(position: &Self::Position, code: u32) -> Option<Self::Move> {
        Self::from_code(position, code).filter(|&mv| Self::is_legal(position, mv))
    }
    /// Whether a side has what it takes to win, if the other side helps it; a game that does not know says that it can.
    fn can_win(_position: &Self::Position, _side: Side) -> bool {
        true
    }
    /// Appends the move as the game's players write it.
    fn write_move(position: &Self::Position, mv: Self::Move, out: &mut String);
    /// The move as the game's players write it.
    fn format_move(position: &Self::Position, mv: Self::Move) -> String {
        let mut text = String::new();
        Self::write_move(position, mv, &mut text);
        text
    }
    /// The move as people read it in a record of the game (chess: SAN).
    fn record_move(position: &Self::Position, mv: Self::Move) -> String {
        Self::format_move(position, mv)
    }
    /// Reads a move as written by [`format_move`](Self::format_move); `None` if the text is not a move.
    fn parse_move(position: &Self::Position, text: &str) -> Option<Self::Move>;
    /// Reads a move of a record of the game, as written by [`record_move`](Self::record_move); `None` if the text is
    /// not a move.
    fn parse_record(position: &Self::Position, text: &str) -> Option<Self::Move> {
        Self::parse_move(position, text)
    }
    /// Reads a legal move as a player may write it, in any spelling that means one move alone; `None` if the text is
    /// none.
    fn read_move(position: &Self::Position, text: &str) -> Option<Self::Move> {
        Self::parse_move(position, text).filter(|&mv| Self::is_legal(position, mv))
    }
    /// How many plies at most a random opening may have beyond the least, [`least_opening`](Self::least_opening).
    fn most_random_plies() -> u32;
    /// How many plies every opening has at least (0.1: the two setups).
    fn least_opening() -> u32;
}
