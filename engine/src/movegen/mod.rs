//! Attacks and the moves that are legal by the rules alone. There is no check rule, so nothing is filtered here; what a
//! search wants to look at, and in which order, is in `staged`.
//!
//! Moves come in a fixed order, which random play relies on: jumps by kind, leap and target, then drops by kind and
//! target.

mod perft;
mod staged;
mod tables;

pub use perft::{perft, perft_played, perft_safe, PerftCounts};
pub use staged::Stage;

use crate::{Bitboard, Move, MoveList, Piece, Position, Setup, Side, Square};
use tables::Leap;

impl Position {
    /// The pieces of `side` that attack `square`, whoever stands there.
    pub fn attackers(&self, square: Square, side: Side) -> Bitboard {
        let attackers = Piece::ALL
            .into_iter()
            .fold(Bitboard::EMPTY, |attackers, piece| attackers | (piece.attacks(square) & self.kind_pieces(piece)));
        attackers & self.side_pieces(side)
    }

    /// Whether the wazir of `side` is attacked; false while it is not on the board.
    pub fn is_wazir_attacked(&self, side: Side) -> bool {
        self.wazir(side).is_some_and(|square| !self.attackers(square, !side).is_empty())
    }

    /// Whether the side to move is in check: its wazir is attacked.
    pub fn in_check(&self) -> bool {
        self.is_wazir_attacked(self.side_to_move())
    }

    /// Whether the side to move can capture the enemy wazir now and so win.
    pub fn can_capture_wazir(&self) -> bool {
        self.is_in_play() && self.is_wazir_attacked(!self.side_to_move())
    }

    /// Every legal move from ply 3 on, in place of what `moves` held. It stays empty while setups are placed (take those
    /// by rank, or from [`Position::nth_legal`]) and when the game is over.
    pub fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        if !self.is_in_play() {
            return;
        }
        for_each_leap(|piece, leap| {
            moves.extend(self.leap_targets(piece, leap), |to| Move::jump(leap.origin(to), to));
        });
        let empty = !self.occupied();
        for piece in in_hand(self, self.side_to_move()) {
            moves.extend_with_drops(piece, empty);
        }
    }

    /// How many legal moves there are, setups included; 0 when the game is over.
    pub fn legal_count(&self) -> u32 {
        if self.plies() < 2 {
            return Setup::COUNT;
        }
        if !self.is_in_play() {
            return 0;
        }
        let mut count = 0;
        for_each_leap(|piece, leap| count += self.leap_targets(piece, leap).count());
        count + in_hand(self, self.side_to_move()).count() as u32 * (!self.occupied()).count()
    }

    /// The `n`-th legal move, from 0, in the order of [`Position::legal_moves`], or of ranks while setups are placed;
    /// `None` if there are no more than `n`. With [`Position::legal_count`], a quicker way to a random move than the list.
    pub fn nth_legal(&self, n: u32) -> Option<Move> {
        if self.plies() < 2 {
            return Move::setup_of_rank(n);
        }
        if !self.is_in_play() {
            return None;
        }
        let mut rest = n;
        let mut found = None;
        for_each_leap(|piece, leap| {
            let targets = self.leap_targets(piece, leap);
            if found.is_none() && rest < targets.count() {
                found = targets.nth(rest).map(|to| Move::jump(leap.origin(to), to));
            } else if found.is_none() {
                rest -= targets.count();
            }
        });
        found.or_else(|| self.nth_drop(rest))
    }

    fn nth_drop(&self, n: u32) -> Option<Move> {
        let empty = !self.occupied();
        let piece = in_hand(self, self.side_to_move()).nth((n / empty.count().max(1)) as usize)?;
        Move::drop(piece, empty.nth(n % empty.count())?)
    }

    /// Whether there is any legal move at all. There are fewer pieces than squares, so a hand that is not empty will do.
    pub(crate) fn has_legal_move(&self) -> bool {
        in_hand(self, self.side_to_move()).next().is_some() || self.legal_count() > 0
    }

    fn leap_targets(&self, piece: Piece, leap: Leap) -> Bitboard {
        let own = self.side_pieces(self.side_to_move());
        leap.shift(self.kind_pieces(piece) & own) - own
    }
}

/// The kinds that `side` has in hand.
fn in_hand(position: &Position, side: Side) -> impl Iterator<Item = Piece> + '_ {
    Piece::DROPPABLE.into_iter().filter(move |&piece| position.hand(side, piece) > 0)
}

/// All leaps of all kinds, in the order of the moves.
#[inline]
fn for_each_leap(mut visit: impl FnMut(Piece, Leap)) {
    for leap in tables::ALFIL {
        visit(Piece::Alfil, leap);
    }
    for leap in tables::DABBABA {
        visit(Piece::Dabbaba, leap);
    }
    for leap in tables::FERZ {
        visit(Piece::Ferz, leap);
    }
    for leap in tables::KNIGHT {
        visit(Piece::Knight, leap);
    }
    for leap in tables::WAZIR {
        visit(Piece::Wazir, leap);
    }
}
