//! A position of chess, or of crazyhouse, with the labels that evaluations are fitted to.

use super::quiet::variation_end;
use play::games::{ChessPosition, GameKind};
use shakmaty::variant::Crazyhouse;
use shakmaty::{Chess, Color, FromSetup, Move, Position};
use stats::Score;

/// A position with the labels from a search and from the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled<P = Chess> {
    /// The position.
    pub position: P,
    /// The search's score in centipawns, White's view, within [`Record::SCORE_LIMIT`](super::Record::SCORE_LIMIT); a
    /// mate in n moves is that limit less n.
    pub score: i16,
    /// The game's result, White's view.
    pub result: Score,
    /// The move played; `None` if the position is the end of a variation instead.
    pub played: Option<Move>,
}

impl<P: Position> Labelled<P> {
    /// The number of plies before the position, from its move number.
    pub fn ply(&self) -> u32 {
        ply(&self.position)
    }

    /// Score and result in the view of the side to move.
    pub fn for_mover(&self) -> (i16, Score) {
        match self.position.turn() {
            Color::White => (self.score, self.result),
            Color::Black => (-self.score, self.result.mirror()),
        }
    }
}

/// The number of plies before a position, from its move number.
pub(super) fn ply(position: &impl Position) -> u32 {
    (position.fullmoves().get() - 1).saturating_mul(2).saturating_add(position.turn().is_black().into())
}

/// A kind of position that can be labelled.
pub(crate) trait Variant: Position + FromSetup + Clone + Send + Sync {
    /// The name of the game, for messages.
    const NAME: &str;
    /// Whether the game has pieces in hand.
    const HAS_POCKETS: bool;
    /// The games that have these positions.
    const GAMES: &[GameKind];

    /// Returns the position of a game if it is of this kind.
    fn of(position: &ChessPosition) -> Option<&Self>;

    /// Returns the quiet end of a variation that begins with these moves; `None` in games where no position is quiet.
    fn quiet_end(&self, moves: &[Move], plies: usize) -> Option<Self>;
}

impl Variant for Chess {
    const NAME: &str = "chess";
    const HAS_POCKETS: bool = false;
    const GAMES: &[GameKind] = &[GameKind::Chess, GameKind::Chess960];

    fn of(position: &ChessPosition) -> Option<&Self> {
        position.as_chess()
    }

    fn quiet_end(&self, moves: &[Move], plies: usize) -> Option<Self> {
        Some(variation_end(self, plies, moves))
    }
}

impl Variant for Crazyhouse {
    const NAME: &str = "crazyhouse";
    const HAS_POCKETS: bool = true;
    const GAMES: &[GameKind] = &[GameKind::Crazyhouse];

    fn of(position: &ChessPosition) -> Option<&Self> {
        position.as_crazyhouse()
    }

    /// A piece in hand can always be dropped.
    fn quiet_end(&self, _: &[Move], _: usize) -> Option<Self> {
        None
    }
}
