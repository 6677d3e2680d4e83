//! Openings by name: the ECO code and the name of a position of chess, from the catalogue of lichess.org (in the public
//! domain, CC0) as the `esca` crate carries it.
//!
//! A position has its name however it was reached. Nothing that is played depends on it.

use super::ChessPosition;
use crate::game::OpeningName;
use esca::{Position, openings};
use shakmaty::fen::Fen;
use shakmaty::variant::VariantPosition;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};

/// The last move, by its number, after which a name is looked for: the longest line of the catalogue ends with the
/// eighteenth, and a few more leave room for detours.
const LAST_MOVE: u32 = 25;

/// The name of a position of chess, if it has one. Those of variants and of Chess960 have none.
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
