//! Priors: by a learned policy, or else by what a move wins by exchanges, and whether it gives check.

use super::super::exchange::{exchange, value};
use crate::eval::features::Perspective;
use crate::eval::policy::{PolicyRow, JUMPS};
use crate::mcts::MctsParams;
use crate::{Bitboard, Move, Piece, Position};
use std::sync::OnceLock;

/// No jump.
const NONE: u16 = u16::MAX;

/// What moves of a position win by exchanges.
pub(super) struct Exchanges<'a> {
    position: &'a Position,
    /// All squares that the opponent attacks.
    attacked: Bitboard,
}

impl<'a> Exchanges<'a> {
    pub(super) fn new(position: &'a Position) -> Self {
        let opponent = !position.side_to_move();
        let attacks = Piece::ALL.into_iter().map(|piece| piece.attacks_from_set(position.pieces(opponent, piece)));
        Self { position, attacked: attacks.fold(Bitboard::EMPTY, |all, some| all | some) }
    }

    /// The piece that a move captures.
    fn captured(&self, mv: Move) -> Option<Piece> {
        let to = mv.to().filter(|&to| self.position.side_pieces(!self.position.side_to_move()).contains(to))?;
        Some(self.position.kind_on(to))
    }

    /// What a safe move wins by exchanges on its target, in thousandths of a logit.
    fn gain(&self, mv: Move, captured: Option<Piece>) -> i32 {
        match mv.to() {
            Some(to) if self.attacked.contains(to) => exchange(self.position, mv),
            _ => captured.map_or(0, value),
        }
    }

    /// The logit of a safe move without a policy.
    pub(super) fn logit(&self, mv: Move, gives_check: bool, params: &MctsParams) -> f32 {
        let check = if gives_check { params.mcts_check_prior as f32 } else { 0.0 };
        let gain = self.gain(mv, self.captured(mv)).clamp(-2_000, 2_000) as f32 / 1_000.0;
        gain * params.mcts_exchange_prior as f32 + check
    }
}

/// The weights of a policy that belong to the moves of a position in play.
pub struct PolicyRows<'a> {
    exchanges: Exchanges<'a>,
    perspective: Perspective,
    jumps: &'static [u16; 4096],
}

impl<'a> PolicyRows<'a> {
    /// Those of a position; `None` while setups are placed and after a wazir is captured.
    pub fn new(position: &'a Position) -> Option<Self> {
        let side = position.side_to_move();
        let perspective = Perspective::new(side, position.wazir(side)?);
        Some(Self { exchanges: Exchanges::new(position), perspective, jumps: jumps() })
    }

    /// Those of a safe move that is not a setup.
    pub fn row(&self, mv: Move) -> PolicyRow {
        let position = self.exchanges.position;
        let captured = self.exchanges.captured(mv);
        let to = mv.to().map_or(0, |to| self.perspective.square(to));
        let (number, mover) = if mv.is_drop() {
            let piece = mv.dropped_index();
            (JUMPS + 64 * piece + to, Piece::ALL.len() + piece)
        } else {
            let number = self.jumps[64 * self.perspective.square(mv.from()) + to];
            // A jump that no piece can make is none of a position.
            (usize::from(number).min(JUMPS - 1), position.kind_on(mv.from()).index())
        };
        let holds = usize::from(self.exchanges.gain(mv, captured) >= 0);
        let checks = usize::from(position.gives_check(mv));
        let victim = captured.map_or(0, |piece| (piece.index() + 1) % Piece::ALL.len());
        PolicyRow { mv: number as u16, kind: (((mover * 2 + holds) * 2 + checks) * Piece::ALL.len() + victim) as u8 }
    }
}

/// The numbers of jumps by origin and target: those that some piece can make, in this order.
fn jumps() -> &'static [u16; 4096] {
    static TABLE: OnceLock<[u16; 4096]> = OnceLock::new();
    TABLE.get_or_init(|| {
        let (mut table, mut count) = ([NONE; 4096], 0);
        for from in Bitboard::FULL {
            let targets = Piece::ALL.into_iter().fold(Bitboard::EMPTY, |all, piece| all | piece.attacks(from));
            for to in targets {
                table[64 * from.index() + to.index()] = count;
                count += 1;
            }
        }
        table
    })
}

#[cfg(test)]
mod tests {
    use super::{jumps, Exchanges, PolicyRows, NONE};
    use crate::eval::policy::{JUMPS, KINDS, MOVES};
    use crate::search::exchange::exchange;
    use crate::{bench_positions, MoveList};

    #[test]
    fn every_jump_of_some_piece_has_a_number_of_its_own() {
        let mut numbers: Vec<u16> = jumps().iter().copied().filter(|&number| number != NONE).collect();
        numbers.sort_unstable();
        assert!(numbers.iter().enumerate().all(|(index, &number)| index == usize::from(number)));
        assert_eq!(numbers.len(), JUMPS);
    }

    #[test]
    fn moves_of_a_position_have_rows_of_their_own() {
        let mut kinds = Vec::new();
        for position in bench_positions() {
            let mut moves = MoveList::new();
            position.safe_moves(&mut moves);
            let rows = PolicyRows::new(&position).unwrap();
            let exchanges = Exchanges::new(&position);
            let mut numbers = Vec::new();
            for &mv in &moves {
                let row = rows.row(mv);
                assert!(usize::from(row.mv) < MOVES && usize::from(row.kind) < KINDS);
                assert_eq!(mv.is_drop(), usize::from(row.mv) >= JUMPS);
                assert_eq!(exchanges.gain(mv, exchanges.captured(mv)), exchange(&position, mv), "{mv:?} in {position}");
                numbers.push(row.mv);
                kinds.push(row.kind);
            }
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), moves.len());
        }
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() > 30, "{kinds:?}");
    }
}
