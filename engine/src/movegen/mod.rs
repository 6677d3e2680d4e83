//! Attacks and legal moves. The game has no check rule, so nothing is filtered here; `staged` generates the moves that
//! a search considers, in stages.
//!
//! Moves are generated in a fixed order, on which random play relies: jumps by kind, leap and target, then drops by
//! kind and target.

mod perft;
mod staged;
mod tables;

pub use perft::{perft, PerftCounts};
pub use staged::Stage;

use crate::{Bitboard, Move, MoveList, Piece, Position, Setup, Side, Square};
use tables::Leap;

impl Position {
    /// The pieces of `side` that attack `square`, whatever is on it.
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

    /// Replaces the content of `moves` with all legal moves. The list is empty while setups are placed (generate those
    /// by rank or with [`Position::nth_legal`]) and when the game is over.
    pub fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        if !self.is_in_play() {
            return;
        }
        let own = self.side_pieces(self.side_to_move());
        self.for_each_leap(|leap, reached| moves.extend(reached - own, |to| Move::jump(leap.origin(to), to)));
        let empty = !self.occupied();
        for piece in in_hand(self, self.side_to_move()) {
            moves.extend_with_drops(piece, empty);
        }
    }

    /// The number of legal moves, setups included; 0 when the game is over.
    pub fn legal_count(&self) -> u32 {
        if self.plies() < 2 {
            return Setup::COUNT;
        }
        if !self.is_in_play() {
            return 0;
        }
        let own = self.side_pieces(self.side_to_move());
        let mut count = 0;
        self.for_each_leap(|_, reached| count += (reached - own).count());
        count + in_hand(self, self.side_to_move()).count() as u32 * (!self.occupied()).count()
    }

    /// The `n`-th legal move, from 0, in the order of [`Position::legal_moves`], or of ranks while setups are placed;
    /// `None` if there are at most `n`. With [`Position::legal_count`], this draws a random move faster than the list
    /// does.
    pub fn nth_legal(&self, n: u32) -> Option<Move> {
        if self.plies() < 2 {
            return Move::setup_of_rank(n);
        }
        if !self.is_in_play() {
            return None;
        }
        let own = self.side_pieces(self.side_to_move());
        let mut rest = n;
        let mut found = None;
        self.for_each_leap(|leap, reached| {
            let targets = reached - own;
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

    /// Whether there is a legal move. There are fewer pieces than squares, so any piece in hand can be dropped.
    pub(crate) fn has_legal_move(&self) -> bool {
        in_hand(self, self.side_to_move()).next().is_some() || self.legal_count() > 0
    }

    /// Calls `visit` with every leap of every kind, in the order of the moves, and the squares the side to move reaches
    /// with it, those of its own pieces included.
    #[inline]
    fn for_each_leap(&self, mut visit: impl FnMut(Leap, Bitboard)) {
        let pieces = |piece| self.pieces(self.side_to_move(), piece);
        visit_each(&tables::ALFIL, pieces(Piece::Alfil), &mut visit);
        visit_each(&tables::DABBABA, pieces(Piece::Dabbaba), &mut visit);
        visit_each(&tables::FERZ, pieces(Piece::Ferz), &mut visit);
        visit_each(&tables::KNIGHT, pieces(Piece::Knight), &mut visit);
        visit_each(&tables::WAZIR, pieces(Piece::Wazir), &mut visit);
    }
}

#[inline]
fn visit_each<const N: usize>(leaps: &[Leap; N], pieces: Bitboard, visit: &mut impl FnMut(Leap, Bitboard)) {
    if pieces.is_empty() {
        return;
    }
    for &leap in leaps {
        visit(leap, leap.shift(pieces));
    }
}

/// The kinds that `side` has in hand.
fn in_hand(position: &Position, side: Side) -> impl Iterator<Item = Piece> + '_ {
    Piece::DROPPABLE.into_iter().filter(move |&piece| position.hand(side, piece) > 0)
}
