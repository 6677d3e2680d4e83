//! The network's features: the inputs of a position, and the rows of a move.
//!
//! Everything is as the side to move sees it: if Black moves, ranks are flipped (`square ^ 56`) and colours swapped.
//! Squares count a1 = 0, b1 = 1, ... h8 = 63, kinds of pieces pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5.
//!
//! # Inputs of a position
//!
//! ```text
//! 0 to 767     384 x (the opponent's) + 64 x kind + square, for each piece on the board
//! 768 to 847   768 + 8 x (5 x (the opponent's) + kind) + n - 1, for n = 1 to the held pieces of a kind, at most 8
//! 848 to 851   castling: own king's side, own queen's side, the opponent's two
//! ```
//!
//! # Rows of a move
//!
//! The logit of a move is the sum over its four rows.
//!
//! ```text
//! from   64 x kind + square; of a drop 384 + kind in hand                                              389 rows
//! to     64 x kind + square, after a promotion the new kind; of a drop 384 + 64 x kind + square        704 rows
//! kind   (((mover x 2 + check) x 6 + victim) x 2 + attacked) x 2 + defended                            720 rows
//! plan   ((mover x 3 + danger) x 2 + near) x 2 + in check                                              180 rows
//! ```
//!
//! The mover is the kind of a piece, 6 to 9 a promotion to knight to queen, 10 to 14 a drop of pawn to queen. The
//! victim is 0, or 1 more than the captured kind (pawn to queen). The target is attacked if an enemy piece attacks it
//! before the move, defended if another own piece does. The danger is that of the piece that moves: 0 none, 1 it is
//! attacked and defended, 2 it is attacked by a lesser piece, or not defended. The target is near if it is at most one
//! step from the enemy king.

use crate::Position;
use crate::checks::Checks;
use crate::moves::role_index;
use shakmaty::attacks::king_attacks;
use shakmaty::{Bitboard, CastlingSide, Color, Move, Piece, Position as _, Role, Square};

/// The number of a position's inputs.
pub const INPUTS: usize = 768 + POCKETS + 4;
/// The number of inputs for pockets.
const POCKETS: usize = 2 * DROPPABLE.len() * MOST_HELD;
/// The maximum number of pieces of a kind in a pocket that are distinguished.
const MOST_HELD: usize = 8;
/// The kinds that can be dropped.
const DROPPABLE: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The number of rows of moves.
pub const ROWS: usize = PLAN + MOVERS * 3 * 2 * 2;
const TO: usize = 6 * 64 + 5;
const KIND: usize = TO + (6 + 5) * 64;
const PLAN: usize = KIND + MOVERS * 2 * 6 * 2 * 2;
/// The number of movers: pieces, promotions and drops.
const MOVERS: usize = 15;

/// The number of rows of a move, which other moves share: those of `from`, `to`, the kind and the plan.
pub const ROWS_OF_A_MOVE: usize = 4;

/// The bits of a square to flip for a side.
fn flip(side: Color) -> usize {
    side.fold_wb(0, 56)
}

/// Calls `each` with the inputs of a position that are 1.
pub fn for_each_input(position: &Position, mut each: impl FnMut(usize)) {
    let mover = position.turn();
    let flip = flip(mover);
    for (square, piece) in position.board() {
        let side = if piece.color == mover { 0 } else { 384 };
        each(side + 64 * usize::from(role_index(piece.role)) + (usize::from(square) ^ flip));
    }
    let sides = [mover, !mover];
    if let Some(pockets) = position.pockets() {
        for (side, color) in sides.into_iter().enumerate() {
            for (kind, role) in DROPPABLE.into_iter().enumerate() {
                let held = usize::from(*pockets.get(color).get(role)).min(MOST_HELD);
                (0..held).for_each(|n| each(768 + MOST_HELD * (DROPPABLE.len() * side + kind) + n));
            }
        }
    }
    let castling = sides.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
    for (at, (color, side)) in castling.enumerate() {
        if position.castles().has(color, side) {
            each(768 + POCKETS + at);
        }
    }
}

/// The data of a position on which the rows of its moves depend.
pub struct MoveRows<'a> {
    position: &'a Position,
    flip: usize,
    /// The squares that the opponent attacks.
    attacked: Bitboard,
    /// The squares that the mover attacks at least once, and at least twice.
    defended: [Bitboard; 2],
    /// Own pieces that are attacked and defended, and those that would be lost to a capture.
    danger: [Bitboard; 2],
    /// The enemy king and the squares around it.
    near: Bitboard,
    in_check: bool,
    checks: Checks,
}

/// The rows of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveRow {
    /// The rows of `from`, `to`, the kind and the plan.
    pub rows: [u16; ROWS_OF_A_MOVE],
    /// Whether the move gives check.
    pub gives_check: bool,
}

/// The squares that the pieces of a side attack, by kind; and those that at least two of them attack.
fn attacks_of(position: &Position, side: Color) -> ([Bitboard; 6], Bitboard) {
    let (board, occupied) = (position.board(), position.board().occupied());
    let (mut by_kind, mut once, mut twice) = ([Bitboard::EMPTY; 6], Bitboard::EMPTY, Bitboard::EMPTY);
    for square in board.by_color(side) {
        let Some(role) = board.role_at(square) else { continue };
        let attacks = shakmaty::attacks::attacks(square, Piece { color: side, role }, occupied);
        by_kind[usize::from(role_index(role))] |= attacks;
        twice |= once & attacks;
        once |= attacks;
    }
    (by_kind, twice)
}

fn union(sets: &[Bitboard]) -> Bitboard {
    sets.iter().fold(Bitboard::EMPTY, |all, &set| all | set)
}

impl<'a> MoveRows<'a> {
    /// The data of a position.
    pub fn new(position: &'a Position) -> Self {
        let (board, mover) = (position.board(), position.turn());
        let (own, twice) = attacks_of(position, mover);
        let (theirs, _) = attacks_of(position, !mover);
        let (attacked, once) = (union(&theirs), union(&own));
        let pieces = board.by_color(mover) & attacked;
        let mut lost = pieces & !once;
        // Knights and bishops have the same value.
        for (role, lesser) in [(Role::Knight, 1), (Role::Bishop, 1), (Role::Rook, 3), (Role::Queen, 4)] {
            lost |= pieces & board.by_role(role) & union(&theirs[..lesser]);
        }
        let king = board.king_of(!mover).unwrap_or(Square::A1);
        Self {
            position,
            flip: flip(mover),
            attacked,
            defended: [once, twice],
            danger: [pieces & !lost, lost],
            near: king_attacks(king) | Bitboard::from(king),
            in_check: position.is_check(),
            checks: Checks::new(position),
        }
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        self.checks.gives_check(self.position, mv)
    }

    /// The rows of a legal move.
    pub fn row(&self, mv: Move) -> MoveRow {
        let square = |square: Square| usize::from(square) ^ self.flip;
        let index = |role: Role| usize::from(role_index(role));
        let gives_check = self.gives_check(mv);
        let (mover, from_row, to_row, to) = match mv {
            Move::Put { role, to } => (10 + index(role), 384 + index(role), 384 + 64 * index(role) + square(to), to),
            Move::Normal { role, from, to, promotion, .. } => {
                let mover = promotion.map_or(index(role), |role| 5 + index(role));
                let arrives = promotion.unwrap_or(role);
                (mover, 64 * index(role) + square(from), 64 * index(arrives) + square(to), to)
            }
            Move::EnPassant { from, to } => (0, square(from), square(to), to),
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(rook > king);
                let to = Square::from_coords(side.king_to_file(), king.rank());
                (5, 64 * 5 + square(king), 64 * 5 + square(to), to)
            }
        };
        let victim = mv.capture().map_or(0, |role| 1 + index(role).min(4));
        // A piece that attacks its target square does not count as its defender; pawns that push, and drops, do not
        // attack it.
        let attacks_target = match mv {
            Move::Put { .. } | Move::Castle { .. } => false,
            Move::Normal { role: Role::Pawn, capture, .. } => capture.is_some(),
            Move::Normal { .. } | Move::EnPassant { .. } => true,
        };
        let defended = usize::from(self.defended[usize::from(attacks_target)].contains(to));
        let attacked = usize::from(self.attacked.contains(to));
        let danger = match mv.from() {
            Some(from) if self.danger[1].contains(from) => 2,
            Some(from) if self.danger[0].contains(from) => 1,
            _ => 0,
        };
        let near = usize::from(self.near.contains(to));
        let kind = (((mover * 2 + usize::from(gives_check)) * 6 + victim) * 2 + attacked) * 2 + defended;
        let plan = ((mover * 3 + danger) * 2 + near) * 2 + usize::from(self.in_check);
        let rows = [from_row, TO + to_row, KIND + kind, PLAN + plan].map(|row| row as u16);
        MoveRow { rows, gives_check }
    }
}
