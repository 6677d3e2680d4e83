//! Moves as small values with stable codes, and a move list of fixed size.
//!
//! A move is not necessarily legal: `Position` checks that. Its text is in `notation`.

use crate::{Bitboard, Piece, Setup, Square};

const DROPS: u32 = 4096;
const SETUPS: u32 = 8192;

/// A setup, a jump (captures included) or a drop, packed into its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u32);

/// What a [`Move`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Places the mover's sixteen pieces.
    Setup(Setup),
    /// Moves a piece, capturing the enemy piece on the target, if any.
    Jump {
        /// The origin.
        from: Square,
        /// The target.
        to: Square,
    },
    /// Puts a piece from the mover's hand on an empty square.
    Drop {
        /// The kind of piece, never a wazir.
        piece: Piece,
        /// The target.
        to: Square,
    },
}

impl Move {
    /// The jump between two squares.
    pub const fn jump(from: Square, to: Square) -> Self {
        Self((from.index() * 64 + to.index()) as u32)
    }

    /// The drop of a piece; `None` for a wazir, which is never in hand.
    pub const fn drop(piece: Piece, to: Square) -> Option<Self> {
        match piece {
            Piece::Wazir => None,
            _ => Some(Self(DROPS + (piece.index() * 64 + to.index()) as u32)),
        }
    }

    /// The move that places this setup.
    pub fn setup(setup: &Setup) -> Self {
        Self(SETUPS + setup.rank())
    }

    /// The move that places the setup with this rank; `None` from [`Setup::COUNT`] on.
    pub const fn setup_of_rank(rank: u32) -> Option<Self> {
        if rank < Setup::COUNT {
            Some(Self(SETUPS + rank))
        } else {
            None
        }
    }

    /// The code of this move, which never changes between versions and can be stored: a jump is from x 64 + to (below
    /// 4096), a drop is 4096 + piece x 64 + to (below 4352), a setup is 8192 + its rank (below 10,818,992).
    pub const fn code(self) -> u32 {
        self.0
    }

    /// The move with this code; `None` if no move has it. A jump need not be one that any piece can make.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            0..=4351 => Some(Self(code)),
            SETUPS.. if code - SETUPS < Setup::COUNT => Some(Self(code)),
            _ => None,
        }
    }

    /// What this move does.
    #[inline]
    pub fn kind(self) -> MoveKind {
        let to = Square::wrapping(self.0);
        if self.0 < DROPS {
            return MoveKind::Jump { from: Square::wrapping(self.0 >> 6), to };
        }
        if self.0 < SETUPS {
            return MoveKind::Drop { piece: Piece::DROPPABLE[(self.0 >> 6 & 3) as usize], to };
        }
        match Setup::from_rank(self.0 - SETUPS) {
            Some(setup) => MoveKind::Setup(setup),
            // No constructor accepts such a code.
            None => MoveKind::Jump { from: to, to },
        }
    }

    /// Whether this move is a drop.
    #[inline]
    pub(crate) const fn is_drop(self) -> bool {
        self.0 >= DROPS && self.0 < SETUPS
    }

    /// The square a jump starts from; a meaningless square for other moves.
    #[inline]
    pub(crate) const fn from(self) -> Square {
        Square::wrapping(self.0 >> 6)
    }

    /// The index of the kind that a drop puts down, 0 to 3; a meaningless one for other moves.
    #[inline]
    pub(crate) const fn dropped_index(self) -> usize {
        (self.0 >> 6 & 3) as usize
    }

    /// The square a jump or a drop ends on; `None` for a setup.
    pub const fn to(self) -> Option<Square> {
        if self.0 < SETUPS {
            Some(Square::wrapping(self.0))
        } else {
            None
        }
    }
}

/// A list of jumps and drops that never allocates.
///
/// Its capacity of 256 is the largest number of legal moves there can be. With h kinds in hand, k own pieces on the
/// board in addition to the wazir and so at most 62 - k empty squares, there are at most h (62 - k) drops, 4 wazir
/// jumps and 4 jumps (8 for a knight) of each other piece. For h = 4 a knight is in hand, so at most one is on the
/// board and the sum is at most 4 (62 - k) + 4 + 4 k + 4 = 256; for h <= 3 it is less.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; Self::CAPACITY],
    len: usize,
}

impl MoveList {
    /// The largest number of moves the list can hold.
    pub const CAPACITY: usize = 256;

    /// An empty list.
    pub const fn new() -> Self {
        Self { moves: [Move(0); Self::CAPACITY], len: 0 }
    }

    /// Removes all moves.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the first `len` moves.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Adds a move at the end. A move beyond [`MoveList::CAPACITY`], which no position reaches, is not added.
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    /// Adds one move for each target square.
    #[inline]
    pub(crate) fn extend(&mut self, targets: Bitboard, mv: impl Fn(Square) -> Move) {
        let end = self.len + targets.count() as usize;
        // One bounds check for all slots.
        if let Some(slots) = self.moves.get_mut(self.len..end) {
            for (slot, to) in slots.iter_mut().zip(targets) {
                *slot = mv(to);
            }
            self.len = end;
        }
    }

    /// Adds a drop of a kind other than the wazir on each target square.
    #[inline]
    pub(crate) fn extend_with_drops(&mut self, piece: Piece, targets: Bitboard) {
        let base = DROPS + (piece.index() * 64) as u32;
        self.extend(targets, |to| Move(base + to.index() as u32));
    }

    /// The moves in the order in which they were added.
    pub fn as_slice(&self) -> &[Move] {
        self.moves.get(..self.len).unwrap_or(&[])
    }

    /// The moves, for sorting.
    pub fn as_mut_slice(&mut self) -> &mut [Move] {
        self.moves.get_mut(..self.len).unwrap_or(&mut [])
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl std::ops::DerefMut for MoveList {
    fn deref_mut(&mut self) -> &mut [Move] {
        self.as_mut_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_code_is_a_move_or_rejected() {
        for code in 0..SETUPS {
            let Some(mv) = Move::from_code(code) else {
                assert!(code >= 4352);
                continue;
            };
            assert_eq!(mv.code(), code);
            let again = match mv.kind() {
                MoveKind::Jump { from, to } => Move::jump(from, to),
                MoveKind::Drop { piece, to } => Move::drop(piece, to).unwrap(),
                MoveKind::Setup(_) => panic!("{code} is below the setups"),
            };
            assert_eq!(again, mv);
        }
    }

    #[test]
    fn setups_are_numbered_by_rank() {
        for rank in (0..Setup::COUNT).step_by(99_991) {
            let mv = Move::from_code(SETUPS + rank).unwrap();
            let MoveKind::Setup(setup) = mv.kind() else { panic!("{rank} is a setup") };
            assert_eq!(setup.rank(), rank);
            assert_eq!((Move::setup(&setup), Move::setup_of_rank(rank)), (mv, Some(mv)));
        }
        assert_eq!(Move::from_code(SETUPS + Setup::COUNT), None);
        assert_eq!(Move::from_code(u32::MAX), None);
    }

    #[test]
    fn a_full_list_ignores_further_moves() {
        let mut list = MoveList::new();
        for _ in 0..300 {
            list.push(Move::jump(Square::A1, Square::H8));
        }
        assert_eq!(list.len(), MoveList::CAPACITY);
    }
}
