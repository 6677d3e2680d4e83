//! The hidden layer of a network along the moves of a search: what a move changes is added and subtracted, and a side's
//! half is recomputed only where its king's move changes the perspective.

use crate::evaluation::Changes;
use crate::network::{Network, View, add, subtract};
use shakmaty::{Board, Color};

/// A network and its hidden layer for each position from the root on.
pub(crate) struct Accumulators {
    network: Network,
    /// Two halves a position, white's first.
    units: Vec<i16>,
    /// How the sides see each position; as many as there are positions.
    views: Vec<[View; 2]>,
}

impl Accumulators {
    /// Those of a network, without a position yet.
    pub(crate) fn new(network: Network) -> Self {
        Self { network, units: Vec::new(), views: Vec::new() }
    }

    /// Starts at a position.
    pub(crate) fn reset(&mut self, board: &Board) {
        self.views.clear();
        let views = Color::ALL.map(|us| View::of(us, board));
        self.reserve();
        for (view, half) in views.into_iter().zip(self.units.chunks_mut(self.network.hidden)) {
            self.network.half(view, board, half);
        }
        self.views.push(views);
    }

    /// Follows a move to the position that this board is.
    pub(crate) fn push(&mut self, changes: &Changes, after: &Board) {
        let Some(before) = self.views.last().copied() else { return self.reset(after) };
        let views = Color::ALL.map(|us| View::of(us, after));
        self.reserve();
        let hidden = self.network.hidden;
        let (known, new) = self.units.split_at_mut(self.views.len() * 2 * hidden);
        let known = &known[known.len() - 2 * hidden..];
        for (side, half) in new[..2 * hidden].chunks_mut(hidden).enumerate() {
            let view = views[side];
            if view != before[side] {
                self.network.half(view, after, half);
                continue;
            }
            half.copy_from_slice(&known[side * hidden..][..hidden]);
            for (piece, square) in changes.removed.into_iter().flatten() {
                subtract(half, self.network.row(view, piece, square));
            }
            for (piece, square) in changes.added.into_iter().flatten() {
                add(half, self.network.row(view, piece, square));
            }
        }
        self.views.push(views);
    }

    /// Takes the last move back.
    pub(crate) fn pop(&mut self) {
        self.views.pop();
    }

    /// Room for one more position.
    fn reserve(&mut self) {
        let needed = (self.views.len() + 1) * 2 * self.network.hidden;
        if self.units.len() < needed {
            self.units.resize(needed, 0);
        }
    }

    /// The halves of the current position, white's first.
    fn halves(&self) -> (&[i16], &[i16]) {
        let hidden = self.network.hidden;
        let at_hand = &self.units[self.views.len().saturating_sub(1) * 2 * hidden..][..2 * hidden];
        at_hand.split_at(hidden)
    }

    /// Centipawns for the side to move.
    pub(crate) fn output(&self, turn: Color, board: &Board) -> i32 {
        let (white, black) = self.halves();
        let (mover, other) = turn.fold_wb((white, black), (black, white));
        self.network.output(board, mover, other)
    }

    /// Whether the halves are what they would be had they begun at this position.
    pub(crate) fn is_from_scratch(&self, board: &Board) -> bool {
        let (white, black) = self.halves();
        let mut fresh = vec![0; self.network.hidden];
        [(Color::White, white), (Color::Black, black)].into_iter().all(|(us, half)| {
            self.network.half(View::of(us, board), board, &mut fresh);
            fresh == half
        })
    }
}
