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
    /// How its game ended, White's view.
    pub result: Score,
    /// The move that was played in it; `None` if the position is the end of a variation instead.
    pub played: Option<Move>,
}

impl<P: Position> Labelled<P> {
    /// Plies of its game before it, by the number of its move.
    pub fn ply(&self) -> u32 {
        ply(&self.position)
    }

    /// Score and result as the side to move has them.
    pub fn for_mover(&self) -> (i16, Score) {
        match self.position.turn() {
            Color::White => (self.score, self.result),
            Color::Black => (-self.score, self.result.mirror()),
        }
    }
}

/// Plies of its game before a position, by the number of its move.
pub(super) fn ply(position: &impl Position) -> u32 {
    (position.fullmoves().get() - 1).saturating_mul(2).saturating_add(position.turn().is_black().into())
}

/// The positions of a kind of game that can be labelled.
pub(crate) trait Variant: Position + FromSetup + Clone + Send + Sync {
    /// What its positions are of, in words.
    const NAME: &str;
    /// Whether pieces are held.
    const HAS_POCKETS: bool;
    /// The games that have them.
    const GAMES: &[GameKind];

    /// That of a game, if it is one of this kind.
    fn of(position: &ChessPosition) -> Option<&Self>;

    /// The quiet end of a variation that begins with these moves; `None` where no position is quiet.
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
