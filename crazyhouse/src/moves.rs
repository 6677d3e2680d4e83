//! Moves: their codes of 16 bits, and the notations of moves and positions.
//!
//! ```text
//! code = to + 64 x from + 4096 x kind
//! kind   0 a move of a piece, castling as the king's move by two files; 1 to 4 a promotion, knight to queen;
//!        5 a drop, with the kind of piece (pawn 0 to queen 4) in place of `from`
//! ```
//!
//! Squares count a1 = 0, b1 = 1, ... h8 = 63. A code means the same move in every position that has it.

use crate::Position;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, CastlingSide, EnPassantMode, Move, Position as _, PositionError, Role, Square};

/// The kind of a drop.
const DROP: u16 = 5;

/// The code of a move.
pub fn code(mv: Move) -> u16 {
    let of = |from: u16, to: Square, kind: u16| u16::from(to) + 64 * from + 4096 * kind;
    match mv {
        Move::Put { role, to } => of(role_index(role), to, DROP),
        Move::Normal { from, to, promotion, .. } => of(u16::from(from), to, promotion.map_or(0, role_index)),
        Move::EnPassant { from, to } => of(u16::from(from), to, 0),
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            of(u16::from(king), Square::from_coords(side.king_to_file(), king.rank()), 0)
        }
    }
}

/// The move that a code means in a position where it is legal. For any other code the result is some move, possibly
/// illegal, or `None`.
pub fn decode(position: &Position, code: u16) -> Option<Move> {
    let square = |number: u16| Square::try_from(u32::from(number % 64)).ok();
    let (to, from, kind) = (square(code)?, code / 64 % 64, code / 4096);
    if kind == DROP {
        return Some(Move::Put { role: *Role::ALL.get(usize::from(from))?, to });
    }
    let from = square(from)?;
    let (role, capture) = (position.board().role_at(from)?, position.board().role_at(to));
    let files = from.file().distance(to.file());
    match role {
        Role::King if files == 2 => {
            let side = CastlingSide::from_king_side(to > from);
            Some(Move::Castle { king: from, rook: position.castles().rook(position.turn(), side)? })
        }
        Role::Pawn if files != 0 && capture.is_none() => Some(Move::EnPassant { from, to }),
        _ => {
            let promotion = if kind == 0 { None } else { Some(*Role::ALL.get(usize::from(kind))?) };
            Some(Move::Normal { role, from, capture, to, promotion })
        }
    }
}

/// The index of a role: pawn 0 to king 5.
pub(crate) fn role_index(role: Role) -> u16 {
    u16::from(role) - 1
}

/// A move in UCI's notation: `e2e4`, `e7e8q`, `e1g1`, `P@e4`.
pub fn write_move(mv: Move) -> String {
    UciMove::from_move(mv, CastlingMode::Standard).to_string()
}

/// Reads a legal move in UCI's notation.
pub fn read_move(text: &str, position: &Position) -> Option<Move> {
    text.parse::<UciMove>().ok()?.to_move(position).ok()
}

/// The position of a FEN. Ignores impossible castling rights, en passant squares and checks. Promoted pieces need their
/// `~` where there would be too many pieces of their kind otherwise.
///
/// # Errors
/// What is wrong with the text, in words.
pub fn read_fen(text: &str) -> Result<Position, String> {
    let refused = |why: String| format!("`{text}` is not a position: {why}");
    let fen: Fen =
        text.replace("[-]", "[]").parse().map_err(|error: shakmaty::fen::ParseFenError| refused(error.to_string()))?;
    fen.into_position(CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| refused(error.to_string()))
}

/// A number that is equal for positions that count as repeated: covers pieces and which of them are promoted,
/// pockets, castling rights, en passant captures and side to move.
pub fn key(position: &Position) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}
