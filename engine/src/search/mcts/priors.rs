//! Priors: from a learned policy, or else from what a move wins by exchanges and whether it gives check.

use super::super::exchange::{exchange, value};
use crate::eval::features::Perspective;
use crate::eval::policy::{PolicyRow, JUMPS, RESCUES};
use crate::mcts::MctsParams;
use crate::{Bitboard, Move, Piece, Position, Side, Square};
use std::sync::OnceLock;

/// No jump.
const NONE: u16 = u16::MAX;

/// By kind of piece, the squares that all pieces of a side attack.
type Attacks = [Bitboard; Piece::ALL.len()];

fn attacks(position: &Position, side: Side) -> Attacks {
    Piece::ALL.map(|piece| piece.attacks_from_set(position.pieces(side, piece)))
}

/// The gains of a position's moves by exchanges.
pub(super) struct Exchanges<'a> {
    position: &'a Position,
    /// All squares that the mover attacks.
    defended: Bitboard,
    /// All squares that the opponent attacks.
    attacked: Bitboard,
}

impl<'a> Exchanges<'a> {
    pub(super) fn new(position: &'a Position) -> Self {
        let side = position.side_to_move();
        Self::of_attacks(position, attacks(position, side), attacks(position, !side))
    }

    /// Exchanges in a position with the squares that each kind of the mover's and of the opponent's pieces attacks.
    fn of_attacks(position: &'a Position, own: Attacks, theirs: Attacks) -> Self {
        let all = |sets: Attacks| sets.into_iter().fold(Bitboard::EMPTY, |all, some| all | some);
        Self { position, defended: all(own), attacked: all(theirs) }
    }

    /// The piece that a move captures.
    fn captured(&self, mv: Move) -> Option<Piece> {
        let to = mv.to().filter(|&to| self.position.side_pieces(!self.position.side_to_move()).contains(to))?;
        Some(self.position.kind_on(to))
    }

    /// The gain of a safe move by exchanges on its target, in thousandths of a logit.
    fn gain(&self, mv: Move, captured: Option<Piece>) -> i32 {
        match mv.to() {
            // No piece recaptures.
            Some(to) if self.attacked.contains(to) && mv.is_drop() && !self.defended.contains(to) => {
                -value(Piece::DROPPABLE[mv.dropped_index()])
            }
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

/// The policy weights of the moves of a position in play.
pub struct PolicyRows<'a> {
    exchanges: Exchanges<'a>,
    perspective: Perspective,
    jumps: &'static [u16; 4096],
    /// Own pieces that the opponent can capture for nothing or with a less valuable piece.
    threatened: Bitboard,
    /// The most valuable of them, and its attackers.
    target: Option<(Square, Bitboard)>,
    in_check: bool,
    /// By the kind of a mover's piece, its targets for a threat: undefended pieces and more valuable ones.
    prey: Attacks,
    /// The squares that the opponent's wazir can jump to.
    ring: Bitboard,
    /// By kind, the squares from which a piece gives check.
    checks: Attacks,
}

impl<'a> PolicyRows<'a> {
    /// Prepares a position; `None` while setups are placed and after a wazir is captured.
    pub fn new(position: &'a Position) -> Option<Self> {
        let side = position.side_to_move();
        let perspective = Perspective::new(side, position.wazir(side)?);
        let (own, theirs) = (position.side_pieces(side), position.side_pieces(!side));
        let their_attacks = attacks(position, !side);
        let exchanges = Exchanges::of_attacks(position, attacks(position, side), their_attacks);
        let defended = exchanges.defended;
        // From the least valuable kind to the most.
        let mut threatened = own & (exchanges.attacked - defended);
        let (mut less, mut more) = (Bitboard::EMPTY, theirs - position.kind_pieces(Piece::Wazir));
        let mut prey = [Bitboard::EMPTY; Piece::ALL.len()];
        for piece in Piece::ALL {
            let kind = position.kind_pieces(piece);
            threatened |= own & kind & less;
            less |= their_attacks[piece.index()];
            more = more - kind;
            prey[piece.index()] = more | ((theirs - position.kind_pieces(Piece::Wazir)) - exchanges.attacked);
        }
        threatened = threatened - position.kind_pieces(Piece::Wazir);
        let most = Piece::ALL.into_iter().rev().find_map(|piece| (threatened & position.kind_pieces(piece)).first());
        let from_wazir = |piece: Piece| position.wazir(!side).map_or(Bitboard::EMPTY, |wazir| piece.attacks(wazir));
        Some(Self {
            exchanges,
            perspective,
            jumps: jumps(),
            threatened,
            target: most.map(|square| (square, position.attackers(square, !side))),
            in_check: position.in_check(),
            prey,
            ring: from_wazir(Piece::Wazir),
            checks: Piece::ALL.map(from_wazir),
        })
    }

    /// The weights of a safe move that is not a setup.
    pub fn row(&self, mv: Move) -> PolicyRow {
        let position = self.exchanges.position;
        let captured = self.exchanges.captured(mv);
        let Some(target) = mv.to() else { return PolicyRow::default() };
        let to = self.perspective.square(target);
        let (number, mover, piece, from) = if mv.is_drop() {
            let piece = mv.dropped_index();
            (JUMPS + 64 * piece + to, Piece::ALL.len() + piece, Piece::DROPPABLE[piece], Bitboard::EMPTY)
        } else {
            let number = self.jumps[64 * self.perspective.square(mv.from()) + to];
            let piece = position.kind_on(mv.from());
            // A jump that no piece can make does not occur in a position.
            (usize::from(number).min(JUMPS - 1), piece.index(), piece, mv.from().bitboard())
        };
        let gain = self.exchanges.gain(mv, captured);
        let gains = (gain.signum() + 1) as usize;
        let checks = usize::from(self.checks[piece.index()].contains(target));
        let victim = captured.map_or(0, |piece| (piece.index() + 1) % Piece::ALL.len());
        let attacks = piece.attacks(target);
        let few = |set: Bitboard| (set.count() as usize).min(2);
        let rescue = self.rescue(target, from, attacks);
        let threats = few(attacks & self.prey[piece.index()]);
        let ring = few(attacks & self.ring);
        let attacked = usize::from(self.exchanges.attacked.contains(target));
        let held = usize::from(self.exchanges.defended.contains(target));
        PolicyRow {
            mv: number as u16,
            kind: (((mover * 3 + gains) * 2 + checks) * Piece::ALL.len() + victim) as u16,
            plan: ((mover * RESCUES + rescue) * 3 + threats) as u16,
            detail: (((((mover * RESCUES + rescue) * 3 + threats) * 3 + ring) * 2 + attacked) * 2 + held) as u16,
        }
    }

    /// The effect of a move on the own piece that is most in danger.
    fn rescue(&self, to: Square, from: Bitboard, attacks: Bitboard) -> usize {
        if self.in_check {
            return 6;
        }
        let Some((target, attackers)) = self.target else { return 0 };
        if from.contains(target) {
            2
        } else if attackers.contains(to) {
            3
        } else if !(from & self.threatened).is_empty() {
            4
        } else if attacks.contains(target) {
            5
        } else {
            1
        }
    }
}

impl PolicyRow {
    /// Whether the move gives check, as its kind says.
    pub(super) fn gives_check(self) -> bool {
        usize::from(self.kind) / Piece::ALL.len() % 2 == 1
    }
}

/// The numbers of jumps by origin and target: only jumps that some piece can make count, in this order.
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
