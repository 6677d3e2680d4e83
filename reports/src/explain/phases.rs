//! The phases of a game of chess, by the pieces that are left.
//!
//! Games whose captured pieces return to the board have no such phases.

use crate::replay::pieces_by_ply;
use play::games::{Chess, GameKind};

/// The number of pieces below which the opening has ended.
const OPENING: usize = 27;
/// The number of pieces below which the endgame has begun.
const MIDDLEGAME: usize = 13;

/// A phase of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Start,
    Opening,
    Middlegame,
    Endgame,
}

impl Phase {
    pub(super) fn label(self) -> String {
        match self {
            Self::Start => super::BEFORE.to_owned(),
            Self::Opening => format!("opening ({OPENING} pieces and more)"),
            Self::Middlegame => format!("middlegame ({MIDDLEGAME} to {} pieces)", OPENING - 1),
            Self::Endgame => format!("endgame (fewer than {MIDDLEGAME} pieces)"),
        }
    }

    fn of(pieces: usize) -> Self {
        match pieces {
            OPENING.. => Self::Opening,
            MIDDLEGAME.. => Self::Middlegame,
            _ => Self::Endgame,
        }
    }
}

/// The phase of each ply, including the opening's plies; `None` if the game has none, or its moves cannot be read.
pub(super) fn phases(kind: GameKind, start: Option<&str>, moves: &[u32]) -> Option<Vec<Phase>> {
    match kind {
        GameKind::Chess
        | GameKind::Chess960
        | GameKind::ThreeCheck
        | GameKind::KingOfTheHill
        | GameKind::Atomic
        | GameKind::Antichess
        | GameKind::Horde
        | GameKind::RacingKings => {
            let pieces = pieces_by_ply(Chess::of(kind)?, start, moves)?;
            Some(pieces.into_iter().map(Phase::of).collect())
        }
        GameKind::ZeroPointOne | GameKind::Crazyhouse | GameKind::Crazyhouse960 | GameKind::Custom(_) => None,
    }
}
