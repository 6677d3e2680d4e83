//! What the table's contents mean to a node: keys, distances to the end, and which remembered scores settle a question.

use super::memory::PLIES;
use super::node::{Node, Progress, Searcher};
use super::table::{Bound, Entry};
use super::window::Window;
use crate::eval::Evaluation;
use crate::{Score, PLY_LIMIT};

/// From this ply on the plies left decide scores within the reach of a search, so that a position's number of plies
/// is made part of its key.
const NEAR_THE_END: u16 = PLY_LIMIT - 24;

impl<E: Evaluation> Searcher<'_, E> {
    /// The key under which a node is remembered: the position's, and what else its score depends on.
    fn key(&self, node: &Node<E::State>) -> u64 {
        let plies = node.position.plies();
        let near_the_end = if plies >= NEAR_THE_END { u64::from(plies) } else { 0 };
        let tilt = if self.settings.optimism == Score::DRAW { 0 } else { self.root_side.index() as u64 };
        node.position.key() ^ (near_the_end * 2 + tilt).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// What the table knows of a node, its score seen from the root. A win that comes too late for the game is no win.
    pub(super) fn recall(&self, node: &Node<E::State>) -> Option<Entry> {
        if !self.settings.params.table {
            return None;
        }
        let entry = self.memory.table.probe(self.key(node))?;
        let left = i32::from(PLY_LIMIT - node.position.plies());
        let depth = if entry.score.plies_to_end().is_some_and(|plies| plies > left) { 0 } else { entry.depth };
        Some(Entry { score: entry.score.earlier(node.ply as i32), depth, ..entry })
    }

    /// Remembers the result of a search with `window`.
    pub(super) fn remember(&mut self, node: &Node<E::State>, depth: i32, window: Window, progress: &Progress) {
        if !self.settings.params.table {
            return;
        }
        let bound = if progress.best >= window.beta {
            Bound::Lower
        } else if progress.best > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: progress.mv.map(|mv| mv.code() as u16),
            score: progress.best.later(node.ply as i32),
            depth: depth.clamp(0, PLIES as i32) as u8,
            bound,
        };
        self.memory.table.store(self.key(node), entry);
    }
}

/// Whether a remembered score answers the question asked. Open windows are searched anew, for the line.
pub(super) fn cutoff(entry: &Entry, window: Window, depth: i32) -> Option<Score> {
    let enough = match entry.bound {
        Bound::Upper => entry.score <= window.alpha,
        Bound::Lower => entry.score >= window.beta,
        Bound::Exact => true,
    };
    (enough && i32::from(entry.depth) >= depth && !window.is_open()).then_some(entry.score)
}
