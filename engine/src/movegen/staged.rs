//! The moves worth searching, in stages: those that do not leave the own wazir to be captured.
//!
//! All pieces leap, so nothing is ever pinned and nothing can be put in between: out of check only the wazir's own jumps can
//! be unsafe; in check only capturing the sole checker or moving the wazir helps. The stages of one sequence are disjoint
//! and together are exactly the safe moves, so a search generates a stage when it has run out of the one before, and never
//! meets a move twice. How moves are ordered within a stage is left to the search.

use super::in_hand;
use crate::{Bitboard, Move, MoveKind, MoveList, Piece, Position, Side, Square};

/// A part of the safe moves. A quiet move is one that captures nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Captures of the enemy wazir.
    Wins,
    /// Captures of other pieces after which the capturing piece attacks the enemy wazir.
    CheckingCaptures,
    /// Captures of other pieces that do not check.
    OtherCaptures,
    /// Drops that attack the enemy wazir.
    DropChecks,
    /// Quiet jumps that attack the enemy wazir.
    JumpChecks,
    /// Drops that do not check but threaten to, or attack an escape square.
    ///
    /// A piece threatens to check where one further leap, not onto an own piece, would bring it to attack the enemy wazir. An
    /// escape square is one next to the enemy wazir that no piece of its own side blocks.
    DropThreats,
    /// Quiet jumps that do not check but threaten to, or attack an escape square. For the wazir only the latter counts.
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
    /// The stages that together are the safe moves out of check, in the order in which they are worth trying.
    pub const UNCHECKED: [Self; 9] = [
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

    /// The stages that together are the safe moves in check.
    pub const EVASIONS: [Self; 4] = [Self::Wins, Self::CheckerCaptures, Self::WazirCaptures, Self::WazirJumps];

    /// The stages that together are the safe moves.
    pub const fn sequence(in_check: bool) -> &'static [Self] {
        if in_check {
            &Self::EVASIONS
        } else {
            &Self::UNCHECKED
        }
    }
}

impl Position {
    /// Adds the moves of a stage to `moves`: none while setups are placed and when the game is over.
    ///
    /// The stage must belong to the [`Stage::sequence`] for whether the side to move is in check: the others would give
    /// moves that are legal but not safe. A list that holds moves of this position only has room for them.
    pub fn generate(&self, stage: Stage, moves: &mut MoveList) {
        if let Some(view) = View::new(self) {
            view.generate(stage, moves);
        }
    }

    /// Every safe move, in place of what `moves` held, stage by stage.
    pub fn safe_moves(&self, moves: &mut MoveList) {
        moves.clear();
        if let Some(view) = View::new(self) {
            for &stage in Stage::sequence(self.in_check()) {
                view.generate(stage, moves);
            }
        }
    }

    /// Whether a legal move does not leave the mover's wazir to be captured. A wazir that captures the enemy wazir always is
    /// safe: the game ends before it can be taken back; so are setups.
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

    /// Whether a legal jump or drop brings its piece to attack the enemy wazir. Nothing else can give check.
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

/// A position in play from the mover's point of view, with what every stage needs.
struct View<'a> {
    position: &'a Position,
    side: Side,
    own: Bitboard,
    enemy: Bitboard,
    wazir: Square,
    enemy_wazir: Square,
}

impl<'a> View<'a> {
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

    /// Where a piece of this kind attacks the enemy wazir.
    fn checks(&self, piece: Piece) -> Bitboard {
        piece.attacks(self.enemy_wazir)
    }

    /// Where a piece of this kind does not check, but threatens to or attacks an escape square.
    fn threats(&self, piece: Piece) -> Bitboard {
        let checks = self.checks(piece);
        piece.attacks_from_set((checks - self.own) | self.escapes()) - checks
    }

    /// Where the own wazir attacks an escape square.
    fn wazir_threats(&self) -> Bitboard {
        Piece::Wazir.attacks_from_set(self.escapes())
    }

    fn escapes(&self) -> Bitboard {
        Piece::Wazir.attacks(self.enemy_wazir) - self.enemy
    }

    fn checkers(&self) -> Bitboard {
        self.position.attackers(self.wazir, !self.side)
    }

    /// Jumps of all kinds but the wazir onto the squares that `targets` allows a kind. They are safe out of check.
    ///
    /// Goes from target to piece: about twice as fast as the other way while few targets can be reached.
    #[inline]
    fn jumps(&self, moves: &mut MoveList, targets: impl Fn(Piece) -> Bitboard) {
        for piece in Piece::DROPPABLE {
            let own = self.own & self.position.kind_pieces(piece);
            for to in piece.attacks_from_set(own) & targets(piece) {
                moves.extend(piece.attacks(to) & own, |from| Move::jump(from, to));
            }
        }
    }

    /// The quiet jumps that neither check nor threaten. Most pieces have some, so this goes from piece to target.
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

    /// Drops onto the squares that `targets` allows a kind. They are safe out of check.
    #[inline]
    fn drops(&self, moves: &mut MoveList, targets: impl Fn(Piece) -> Bitboard) {
        for piece in in_hand(self.position, self.side) {
            moves.extend_with_drops(piece, targets(piece));
        }
    }

    /// The safe jumps of the wazir onto `targets`. An enemy standing on the target does not guard it.
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
