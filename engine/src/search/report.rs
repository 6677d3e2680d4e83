//! What a search answers.

use crate::{Move, Score};

/// The moves both sides are expected to make, best known first; cut off at [`Line::CAPACITY`].
#[derive(Clone, Copy, Debug)]
pub struct Line {
    moves: [Option<Move>; Self::CAPACITY],
    len: usize,
}

impl Line {
    /// Longer lines lose their end.
    pub const CAPACITY: usize = 32;

    pub(crate) const EMPTY: Self = Self { moves: [None; Self::CAPACITY], len: 0 };

    /// The moves, from the searched position on.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied().flatten()
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Becomes `first` followed by `rest`.
    pub(crate) fn lead(&mut self, first: Move, rest: &Self) {
        self.len = (rest.len + 1).min(Self::CAPACITY);
        self.moves[0] = Some(first);
        self.moves[1..self.len].copy_from_slice(&rest.moves[..self.len - 1]);
    }
}

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.moves().eq(other.moves())
    }
}

impl Eq for Line {}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The move to play, always legal.
    pub best: Move,
    /// The value of the position from the side to move. The win probability is the sigmoid of [`Score::logit`].
    pub score: Score,
    /// The deepest iteration that was completed, in plies; 0 if none was.
    pub depth: u8,
    /// Work done: positions entered, quiescence included.
    pub nodes: u64,
    /// What is expected to follow, starting with `best`.
    pub line: Line,
}
