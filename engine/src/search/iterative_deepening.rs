//! Iterative deepening: searches of the root to depth 1, 2, 3 and so on until the budget is used up.
//!
//! Owns the loop over depths, the loop over root moves, and the checks of soft time limits between them. Each new best
//! move enters the result at once, so that a search stopped at any moment has an answer.

use super::alpha_beta::{Aborted, Node, NodeResult, Searcher};
use super::result::{Pv, SearchResult};
use super::window::Window;
use crate::eval::Evaluation;
use crate::time::{is_panic, Allocation};
use crate::{Move, Score, PLY_LIMIT};

/// The limits of one search, from all its budgets together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) nodes: u64,
    pub(super) depth: u8,
    /// `None` if the search has no time limit.
    pub(super) time: Option<Allocation>,
}

impl<E: Evaluation> Searcher<'_, E> {
    /// Searches the root moves, which are ordered best first; `None` if there are none.
    pub(super) fn iterative_deepening(
        &mut self,
        root: &Node,
        moves: &mut [Move],
        limits: Limits,
    ) -> Option<SearchResult> {
        let mut result = self.static_result(root, *moves.first()?);
        let left = PLY_LIMIT.saturating_sub(root.position.plies());
        for depth in 1..=limits.depth.min(left as u8) {
            if limits.time.is_some_and(|time| self.control.elapsed() >= time.next_depth_limit()) {
                break;
            }
            if self.search_root(root, moves, depth, limits.time, &mut result).is_err() {
                break;
            }
            result.depth = depth;
            result.nodes = self.control.nodes;
            (self.on_iteration)(&result);
            if result.score.plies_to_end().is_some_and(|plies| plies <= i32::from(depth)) {
                break;
            }
        }
        result.nodes = self.control.nodes;
        Some(result)
    }

    /// The result before any search: the first move, with the static evaluation.
    fn static_result(&mut self, root: &Node, best: Move) -> SearchResult {
        let mut pv = Pv::EMPTY;
        pv.set(best, &Pv::EMPTY);
        SearchResult { best, score: self.evaluate(root), depth: 0, nodes: 0, pv }
    }

    /// Searches all root moves to one depth and moves the best one to the front.
    fn search_root(
        &mut self,
        root: &Node,
        moves: &mut [Move],
        depth: u8,
        time: Option<Allocation>,
        result: &mut SearchResult,
    ) -> Result<(), Aborted> {
        let previous = result.score;
        let mut best_score = -Score::INFINITE;
        for index in 0..moves.len() {
            if index > 0 {
                self.check_time(time, depth > 1 && is_panic(&self.settings.params, previous, best_score))?;
            }
            let score = self.search_root_move(root, moves[index], best_score, depth)?;
            if score > best_score {
                best_score = score;
                moves[..=index].rotate_right(1);
                self.state.update_pv(root.ply, moves[0]);
                *result = SearchResult { best: moves[0], score, pv: *self.state.pv(root.ply), ..*result };
            }
        }
        // Panic time is granted for one iteration only.
        self.control.deadline = time.map(|time| time.hard_limit());
        Ok(())
    }

    /// Sets the deadline of the next root move, or ends the search if the soft limit has passed.
    fn check_time(&mut self, time: Option<Allocation>, panic: bool) -> Result<(), Aborted> {
        let Some(time) = time else { return Ok(()) };
        let time = if panic { time.with_panic() } else { time };
        self.control.deadline = Some(time.hard_limit());
        if self.control.elapsed() >= time.soft_limit() {
            Err(Aborted)
        } else {
            Ok(())
        }
    }

    /// Searches a root move; `alpha` is the best score so far.
    fn search_root_move(&mut self, root: &Node, mv: Move, alpha: Score, depth: u8) -> NodeResult {
        let depth = i32::from(depth) - 1 + if root.in_check { self.settings.check_extension } else { 0 };
        let child = self.child(root, mv);
        let full_window = Window { alpha, beta: Score::INFINITE };
        if alpha == -Score::INFINITE {
            return Ok(-self.search(&child, -full_window, depth)?);
        }
        let score = -self.search(&child, -Window::null_above(alpha), depth)?;
        if score > alpha {
            Ok(-self.search(&child, -full_window, depth)?)
        } else {
            Ok(score)
        }
    }
}
