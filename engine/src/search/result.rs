//! The result of a search.

use crate::{Move, Score};

/// A principal variation: the best moves found for both sides in turn, at most [`Pv::CAPACITY`] of them.
#[derive(Clone, Copy, Debug)]
pub struct Pv {
    moves: [Option<Move>; Self::CAPACITY],
    len: usize,
}

impl Pv {
    /// The maximum length. Longer variations lose their end.
    pub const CAPACITY: usize = 32;

    pub(crate) const EMPTY: Self = Self { moves: [None; Self::CAPACITY], len: 0 };

    /// The moves, from the searched position on.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied().flatten()
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Sets the variation to `first` followed by `rest`.
    pub(crate) fn set(&mut self, first: Move, rest: &Self) {
        self.len = (rest.len + 1).min(Self::CAPACITY);
        self.moves[0] = Some(first);
        self.moves[1..self.len].copy_from_slice(&rest.moves[..self.len - 1]);
    }
}

impl PartialEq for Pv {
    fn eq(&self, other: &Self) -> bool {
        self.moves().eq(other.moves())
    }
}

impl Eq for Pv {}

/// The intermediate result of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The result if the search ended now.
    pub result: &'a SearchResult,
    /// The root moves with the work spent on each.
    pub moves: &'a [RootMove],
}

/// A move of the root of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The work spent on the move, in the unit of [`SearchResult::nodes`]: with iterative deepening that of the last
    /// iteration, with a tree kept between searches all visits so far.
    pub nodes: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> Self {
        Self { mv, nodes: 0 }
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play, always legal.
    pub best: Move,
    /// The score of the position, in the view of the side to move. The win probability is the sigmoid of
    /// [`Score::logit`].
    pub score: Score,
    /// Depth of the last completed iteration, in plies; 0 if there is none. In the tree search, the mean length of
    /// lines.
    pub depth: u8,
    /// Nodes searched by all threads, including those of quiescence search.
    pub nodes: u64,
    /// The principal variation, starting with `best`.
    pub pv: Pv,
}
