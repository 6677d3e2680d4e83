//! Names of openings: the ECO code and the name of a chess position, from the catalogue of lichess.org (in the public
//! domain, CC0) in the `esca` crate.
//!
//! A position has its name regardless of the moves that led to it. No game depends on the names.

use super::ChessPosition;
use crate::game::OpeningName;
use esca::{Position, openings};
use shakmaty::fen::Fen;
use shakmaty::variant::VariantPosition;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};

/// The number of the last move after which a name is looked up: the longest line of the catalogue ends with the
/// eighteenth move, and a few more leave room for detours.
const LAST_MOVE: u32 = 25;

/// The name of a chess position, if it has one. Positions of variants and of Chess960 have none.
pub(super) fn of(position: &ChessPosition) -> Option<OpeningName> {
    let board = &position.board;
    let is_chess = matches!(board, VariantPosition::Chess(_)) && board.castles().mode() == CastlingMode::Standard;
    if !is_chess || board.fullmoves().get() > LAST_MOVE {
        return None;
    }
    let fen = Fen::from_position(board, EnPassantMode::Legal).to_string();
    let openings::Opening { eco, name } = openings::lookup(&Position::from_fen(&fen).ok()?)?;
    Some(OpeningName { eco, name })
}
