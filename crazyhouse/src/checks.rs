//! Determines which moves give check, without playing them.

use crate::Position;
use shakmaty::attacks::{aligned, attacks, between, bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Color, Move, Piece, Position as _, Role, Square};

/// The data that decides whether a move of the side to move gives check.
pub(crate) struct Checks {
    mover: Color,
    /// The king to be checked.
    king: Square,
    occupied: Bitboard,
    /// The squares from which a piece of each role attacks the king: pawn to king.
    from: [Bitboard; 6],
    /// Own pieces that uncover a check by leaving their line.
    blockers: Bitboard,
}

impl Checks {
    /// The data of a position.
    pub(crate) fn new(position: &Position) -> Self {
        let (board, mover) = (position.board(), position.turn());
        // The rules admit only positions with a king of each side.
        let king = board.king_of(!mover).unwrap_or(Square::A1);
        let occupied = board.occupied();
        let backwards = |role| attacks(king, Piece { color: !mover, role }, occupied);
        let sliders = board.by_color(mover)
            & (rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
                | bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens());
        let mut blockers = Bitboard::EMPTY;
        for slider in sliders {
            let between = between(king, slider) & occupied;
            if between.count() == 1 {
                blockers |= between;
            }
        }
        let from = Role::ALL.map(backwards);
        Self { mover, king, occupied, from, blockers: blockers & board.by_color(mover) }
    }

    /// Whether a legal move gives check.
    pub(crate) fn gives_check(&self, position: &Position, mv: Move) -> bool {
        let direct = |role: Role, to: Square| self.from[usize::from(role) - 1].contains(to);
        match mv {
            Move::Put { role, to } => direct(role, to),
            Move::Normal { role, from, to, promotion, .. } => {
                let uncovers = self.blockers.contains(from) && !aligned(self.king, from, to);
                // A promoted piece can give check backwards through the square that the pawn has left.
                let arrives = match promotion {
                    None => direct(role, to),
                    Some(role) => {
                        let piece = Piece { color: self.mover, role };
                        attacks(to, piece, self.occupied ^ Bitboard::from(from)).contains(self.king)
                    }
                };
                uncovers || arrives
            }
            // Two pieces leave or arrive at once: both kinds of moves are rare.
            Move::EnPassant { .. } | Move::Castle { .. } => {
                let mut after = position.clone();
                after.play_unchecked(mv);
                after.is_check()
            }
        }
    }
}
