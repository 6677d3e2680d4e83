//! How the search uses the transposition table: keys, conversion of proven results, cutoffs.

use super::node::{Node, Searcher};
use super::state::PLIES;
use super::tt::{Bound, Entry};
use super::window::Window;
use crate::eval::Evaluation;
use crate::{Move, Position, Score, PLY_LIMIT};

/// From this ply on, a search can reach the ply limit, which changes scores, so the number of plies made becomes part
/// of the key.
const HORIZON_PLY: u16 = PLY_LIMIT - 24;

impl<E: Evaluation> Searcher<'_, E> {
    /// The key of a node: its position's key combined with all other state that its score depends on.
    fn tt_key(&self, position: &Position) -> u64 {
        let plies = position.plies();
        let horizon = if plies >= HORIZON_PLY { u64::from(plies) } else { 0 };
        let optimism = if self.settings.optimism == Score::DRAW { 0 } else { self.root_side.index() as u64 };
        position.key() ^ (horizon * 2 + optimism).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Prefetches the entry of a position.
    #[inline]
    pub(super) fn tt_prefetch(&self, position: &Position) {
        self.tt.prefetch(self.tt_key(position));
    }

    /// The stored entry of a node, its score counted from the root. A win that would come after the ply limit has no
    /// valid depth.
    pub(super) fn tt_probe(&self, node: &Node) -> Option<Entry> {
        if !self.settings.params.table {
            return None;
        }
        let entry = self.tt.probe(self.tt_key(&node.position))?;
        let left = i32::from(PLY_LIMIT - node.position.plies());
        let depth = if entry.score.plies_to_end().is_some_and(|plies| plies > left) { 0 } else { entry.depth };
        Some(Entry { score: entry.score.value_from_tt(node.ply as i32), depth, ..entry })
    }

    /// Stores the result of a node searched with `window`.
    pub(super) fn tt_store(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
        best_score: Score,
        best_move: Option<Move>,
    ) {
        if !self.settings.params.table {
            return;
        }
        let bound = if best_score >= window.beta {
            Bound::Lower
        } else if best_score > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best_move: best_move.map(|mv| mv.code() as u16),
            score: best_score.value_to_tt(node.ply as i32),
            depth: depth.clamp(0, PLIES as i32) as u8,
            bound,
        };
        self.tt.store(self.tt_key(&node.position), entry);
    }
}

/// The stored score if it is deep enough and decides a null window. PV nodes are always searched, for the PV.
pub(super) fn tt_cutoff(entry: &Entry, window: Window, depth: i32) -> Option<Score> {
    let decides = match entry.bound {
        Bound::Upper => entry.score <= window.alpha,
        Bound::Lower => entry.score >= window.beta,
        Bound::Exact => true,
    };
    (decides && i32::from(entry.depth) >= depth && !window.is_pv()).then_some(entry.score)
}
