//! Generation of safe moves in stages. A move is safe if the opponent cannot capture the wazir after it.
//!
//! All pieces leap, so there are no pins and no interpositions: out of check only the wazir's own jumps can be unsafe;
//! in check only capturing a single checker or moving the wazir helps. The stages of a sequence are disjoint and
//! together contain exactly the safe moves, so a search can generate each stage after the previous one is used up, and
//! never gets a move twice. The search orders the moves within a stage.

use super::in_hand;
use crate::{Bitboard, Move, MoveKind, MoveList, Piece, Position, Side, Square};

/// A part of the safe moves. A quiet move is one that does not capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Captures of the enemy wazir.
    Wins,
    /// Captures of other pieces that give check.
    CheckingCaptures,
    /// Captures of other pieces that do not give check.
    OtherCaptures,
    /// Drops that give check.
    DropChecks,
    /// Quiet jumps that give check.
    JumpChecks,
    /// Drops that do not give check but threaten to, or attack an escape square.
    ///
    /// A piece threatens to check if one further leap, not onto an own piece, would give check. An escape square is one
    /// that the enemy wazir attacks and that none of its own pieces occupies.
    DropThreats,
    /// Quiet jumps that do not give check but threaten to, or attack an escape square. For the wazir only the latter
    /// counts.
    JumpThreats,
    /// All other quiet jumps.
    OtherJumps,
    /// All other drops.
    OtherDrops,
    /// In check: captures of the sole checker by another piece than the wazir.
    CheckerCaptures,
    /// In check: captures by the wazir.
    WazirCaptures,
    /// In check: quiet jumps of the wazir.
    WazirJumps,
}

impl Stage {
    /// The stages that together are the safe moves out of check, in search order.
    pub const NON_EVASIONS: [Self; 9] = [
        Self::Wins,
        Self::CheckingCaptures,
        Self::OtherCaptures,
        Self::DropChecks,
        Self::JumpChecks,
        Self::DropThreats,
        Self::JumpThreats,
        Self::OtherJumps,
        Self::OtherDrops,
    ];

    /// The stages that together are the safe moves in check (evasions).
    pub const EVASIONS: [Self; 4] = [Self::Wins, Self::CheckerCaptures, Self::WazirCaptures, Self::WazirJumps];

    /// The stages that together are the safe moves of a position.
    pub const fn sequence(in_check: bool) -> &'static [Self] {
        if in_check {
            &Self::EVASIONS
        } else {
            &Self::NON_EVASIONS
        }
    }
}

impl Position {
    /// Adds the moves of a stage to `moves`: none while setups are placed and when the game is over.
    ///
    /// The stage must belong to the [`Stage::sequence`] of this position (in check or not): other stages contain moves
    /// that are legal but not safe. The list has room for all moves of one position.
    pub fn generate(&self, stage: Stage, moves: &mut MoveList) {
        if let Some(generator) = Generator::new(self) {
            generator.generate(stage, moves);
        }
    }

    /// Replaces the content of `moves` with all safe moves, stage by stage.
    pub fn safe_moves(&self, moves: &mut MoveList) {
        moves.clear();
        if let Some(generator) = Generator::new(self) {
            for &stage in Stage::sequence(self.in_check()) {
                generator.generate(stage, moves);
            }
        }
    }

    /// Whether a legal move is safe: the opponent cannot capture the mover's wazir after it. The capture of the enemy
    /// wazir by the wazir is always safe, because it ends the game; so are setups.
    pub fn is_safe(&self, mv: Move) -> bool {
        let side = self.side_to_move();
        let (Some(wazir), Some(to)) = (self.wazir(side), mv.to()) else {
            return true;
        };
        match mv.kind() {
            MoveKind::Jump { from, .. } if from == wazir => {
                self.wazir(!side) == Some(to) || self.attackers(to, !side).is_empty()
            }
            _ => (self.attackers(wazir, !side) - to.bitboard()).is_empty(),
        }
    }

    /// Whether a legal move gives check: whether the piece that jumps or is dropped attacks the enemy wazir from its
    /// new square. There are no discovered checks.
    pub fn gives_check(&self, mv: Move) -> bool {
        let piece = match mv.kind() {
            MoveKind::Setup(_) => return false,
            MoveKind::Drop { piece, .. } => piece,
            MoveKind::Jump { from, .. } => self.kind_on(from),
        };
        let (Some(wazir), Some(to)) = (self.wazir(!self.side_to_move()), mv.to()) else {
            return false;
        };
        piece.attacks(wazir).contains(to)
    }
}

/// The data of a position in play that the stages need.
struct Generator<'a> {
    position: &'a Position,
    side: Side,
    own: Bitboard,
    enemy: Bitboard,
    wazir: Square,
    enemy_wazir: Square,
}

impl<'a> Generator<'a> {
    #[inline]
    fn new(position: &'a Position) -> Option<Self> {
        if !position.is_in_play() {
            return None;
        }
        let side = position.side_to_move();
        Some(Self {
            position,
            side,
            own: position.side_pieces(side),
            enemy: position.side_pieces(!side),
            wazir: position.wazir(side)?,
            enemy_wazir: position.wazir(!side)?,
        })
    }

    fn generate(&self, stage: Stage, moves: &mut MoveList) {
        let empty = !(self.own | self.enemy);
        let victims = self.enemy - self.enemy_wazir.bitboard();
        match stage {
            Stage::Wins => self.wins(moves),
            Stage::CheckingCaptures => self.jumps(moves, |piece| victims & self.checks(piece)),
            Stage::OtherCaptures => {
                self.jumps(moves, |piece| victims - self.checks(piece));
                self.wazir_jumps(victims, moves);
            }
            Stage::DropChecks => self.drops(moves, |piece| empty & self.checks(piece)),
            Stage::JumpChecks => self.jumps(moves, |piece| empty & self.checks(piece)),
            Stage::DropThreats => self.drops(moves, |piece| empty & self.threats(piece)),
            Stage::JumpThreats => {
                self.jumps(moves, |piece| empty & self.threats(piece));
                self.wazir_jumps(empty & self.wazir_threats(), moves);
            }
            Stage::OtherJumps => self.other_jumps(moves, empty),
            Stage::OtherDrops => self.drops(moves, |piece| empty - self.checks(piece) - self.threats(piece)),
            Stage::CheckerCaptures => self.checker_captures(moves),
            Stage::WazirCaptures => self.wazir_jumps(victims, moves),
            Stage::WazirJumps => self.wazir_jumps(empty, moves),
        }
    }

    /// The squares from which a piece of this kind gives check.
    fn checks(&self, piece: Piece) -> Bitboard {
        piece.attacks(self.enemy_wazir)
    }

    /// The squares from which a piece of this kind does not give check, but threatens to or attacks an escape square.
    fn threats(&self, piece: Piece) -> Bitboard {
        let checks = self.checks(piece);
        piece.attacks_from_set((checks - self.own) | self.escapes()) - checks
    }

    /// The squares from which the own wazir attacks an escape square.
    fn wazir_threats(&self) -> Bitboard {
        Piece::Wazir.attacks_from_set(self.escapes())
    }

    /// The escape squares of the enemy wazir.
    fn escapes(&self) -> Bitboard {
        Piece::Wazir.attacks(self.enemy_wazir) - self.enemy
    }

    fn checkers(&self) -> Bitboard {
        self.position.attackers(self.wazir, !self.side)
    }

    /// Jumps of all kinds except the wazir to the `targets` of each kind. They are safe out of check.
    ///
    /// Loops over targets, then pieces: about twice as fast as the reverse when few targets can be reached.
    #[inline]
    fn jumps(&self, moves: &mut MoveList, targets: impl Fn(Piece) -> Bitboard) {
        for piece in Piece::DROPPABLE {
            let own = self.own & self.position.kind_pieces(piece);
            for to in piece.attacks_from_set(own) & targets(piece) {
                moves.extend(piece.attacks(to) & own, |from| Move::jump(from, to));
            }
        }
    }

    /// The quiet jumps that neither check nor threaten. Most pieces have some, so this loops over pieces, then targets.
    #[inline]
    fn other_jumps(&self, moves: &mut MoveList, empty: Bitboard) {
        for piece in Piece::DROPPABLE {
            let targets = empty - self.checks(piece) - self.threats(piece);
            for from in self.own & self.position.kind_pieces(piece) {
                moves.extend(piece.attacks(from) & targets, |to| Move::jump(from, to));
            }
        }
        self.wazir_jumps(empty - self.wazir_threats(), moves);
    }

    /// Drops on the `targets` of each kind. They are safe out of check.
    #[inline]
    fn drops(&self, moves: &mut MoveList, targets: impl Fn(Piece) -> Bitboard) {
        for piece in in_hand(self.position, self.side) {
            moves.extend_with_drops(piece, targets(piece));
        }
    }

    /// The safe jumps of the wazir to `targets`. An enemy piece on a target does not guard that target.
    fn wazir_jumps(&self, targets: Bitboard, moves: &mut MoveList) {
        for to in Piece::Wazir.attacks(self.wazir) & targets {
            if self.position.attackers(to, !self.side).is_empty() {
                moves.push(Move::jump(self.wazir, to));
            }
        }
    }

    fn wins(&self, moves: &mut MoveList) {
        let other_checkers = self.checkers() - self.enemy_wazir.bitboard();
        for from in self.position.attackers(self.enemy_wazir, self.side) {
            if from == self.wazir || other_checkers.is_empty() {
                moves.push(Move::jump(from, self.enemy_wazir));
            }
        }
    }

    fn checker_captures(&self, moves: &mut MoveList) {
        let checkers = self.checkers();
        if let (Some(to), 1) = (checkers.first(), checkers.count()) {
            if to != self.enemy_wazir {
                for from in self.position.attackers(to, self.side) - self.wazir.bitboard() {
                    moves.push(Move::jump(from, to));
                }
            }
        }
    }
}
