//! Iterative deepening: searches of the root to depth 1, 2, 3 and so on until the budget is used up.
//!
//! Owns the loop over depths, the loop over root moves, and the checks of soft time limits between them. Each new best
//! move enters the result at once, so that a search stopped at any moment has an answer.

use super::super::control::Aborted;
use super::super::limits::Limits;
use super::super::result::{Progress, Pv, RootMove, SearchResult};
use super::node::{is_quiet, Node, NodeResult, Searcher};
use super::settings::LateMove;
use super::window::Window;
use crate::eval::Evaluation;
use crate::time::{is_panic, urgency, Allocation};
use crate::{Move, MoveList, Score, PLY_LIMIT};

/// The first depth with an aspiration window.
const ASPIRATION_DEPTH: u8 = 4;
/// The widest aspiration window; beyond it, windows are open.
const WIDEST_ASPIRATION: Score = Score::from_units(30_000);

impl<E: Evaluation> Searcher<'_, E> {
    /// Searches the root moves, which are ordered best first; `None` if there are none.
    pub(super) fn iterative_deepening(&mut self, root: &Node, moves: &[Move], limits: Limits) -> Option<SearchResult> {
        let mut result = self.static_result(root, *moves.first()?);
        let mut list = [RootMove::new(*moves.first()?); MoveList::CAPACITY];
        for (place, &mv) in list.iter_mut().zip(moves) {
            *place = RootMove::new(mv);
        }
        let moves = &mut list[..moves.len().min(MoveList::CAPACITY)];
        let left = PLY_LIMIT.saturating_sub(root.position.plies());
        let mut limits = limits;
        let allocated = limits.time;
        let mut stable = 0;
        // Every second helper starts a ply deeper, so that not all do the same.
        let first = if self.thread % 2 == 0 { 1 } else { 2 };
        for depth in first..=limits.depth.min(left as u8) {
            let (best, nodes) = (result.best, self.control.nodes);
            if limits.time.is_some_and(|time| self.control.elapsed() >= time.next_depth_limit()) {
                break;
            }
            if self.search_with_aspiration(root, moves, depth, limits.time, &mut result).is_err() {
                break;
            }
            stable = if result.best == best { stable + 1 } else { 0 };
            let effort = moves[0].nodes as f64 / (self.control.nodes - nodes).max(1) as f64;
            limits.time = allocated.map(|time| time.scaled(urgency(&self.settings.time, effort, stable)));
            result.depth = depth;
            result.nodes = self.control.total_nodes();
            (self.on_progress)(&Progress { result: &result, moves });
            if result.score.plies_to_end().is_some_and(|plies| plies <= i32::from(depth)) {
                break;
            }
        }
        result.nodes = self.control.total_nodes();
        Some(result)
    }

    /// The result before any search: the first move, with the static evaluation.
    fn static_result(&mut self, root: &Node, best: Move) -> SearchResult {
        let mut pv = Pv::EMPTY;
        pv.set(best, &Pv::EMPTY);
        let score = self.evaluate(root);
        self.state.static_evals[0] = score;
        SearchResult { best, score, depth: 0, nodes: 0, pv }
    }

    /// Searches the root to one depth with a narrow window around the last score, then with wider ones until the score
    /// lies within.
    fn search_with_aspiration(
        &mut self,
        root: &Node,
        moves: &mut [RootMove],
        depth: u8,
        time: Option<Allocation>,
        result: &mut SearchResult,
    ) -> Result<(), Aborted> {
        let last = result.score;
        let narrow = self.settings.params.aspiration && depth >= ASPIRATION_DEPTH && last.plies_to_end().is_none();
        let mut margin = if narrow { self.settings.aspiration_margin } else { Score::INFINITE };
        let mut window = Window { alpha: -Score::INFINITE, beta: Score::INFINITE };
        if narrow {
            window = Window { alpha: last - margin, beta: last + margin };
        }
        loop {
            let score = self.search_root(root, moves, depth, window, time, result)?;
            margin = margin + margin;
            let wide = margin > WIDEST_ASPIRATION;
            if score <= window.alpha && window.alpha > -Score::INFINITE {
                window.alpha = if wide { -Score::INFINITE } else { score - margin };
            } else if score >= window.beta && window.beta < Score::INFINITE {
                window.beta = if wide { Score::INFINITE } else { score + margin };
            } else {
                break;
            }
        }
        if self.settings.params.root_reductions {
            // The best move stays at the front.
            moves[1..].sort_by_key(|mv| std::cmp::Reverse(mv.nodes));
        }
        Ok(())
    }

    /// Searches all root moves to one depth and moves the best one to the front. Returns its score, which is a bound if
    /// it is outside the window.
    fn search_root(
        &mut self,
        root: &Node,
        moves: &mut [RootMove],
        depth: u8,
        window: Window,
        time: Option<Allocation>,
        result: &mut SearchResult,
    ) -> NodeResult {
        let previous = result.score;
        let mut best_score = -Score::INFINITE;
        for index in 0..moves.len() {
            if index > 0 {
                self.check_time(time, depth > 1 && is_panic(&self.settings.time, previous, best_score))?;
            }
            let alpha = best_score.max(window.alpha);
            let before = self.control.nodes;
            let score = self.search_root_move(root, moves[index].mv, index, Window { alpha, ..window }, depth)?;
            moves[index].nodes = self.control.nodes - before;
            let raised = score > alpha;
            if raised {
                moves[..=index].rotate_right(1);
                let best = moves[0].mv;
                self.state.update_pv(root.ply, best);
                *result = SearchResult { best, score, pv: *self.state.pv(root.ply), ..*result };
            }
            best_score = best_score.max(score);
            if score >= window.beta {
                break;
            }
        }
        // Panic time is granted for one iteration only.
        self.control.deadline = time.map(|time| time.hard_limit());
        Ok(best_score)
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

    /// Searches a root move: the first with the full window, the others first with a null window, late ones reduced.
    fn search_root_move(&mut self, root: &Node, mv: Move, index: usize, window: Window, depth: u8) -> NodeResult {
        let depth = i32::from(depth) - 1 + if root.in_check { self.settings.check_extension } else { 0 };
        let child = self.child(root, mv);
        if index == 0 {
            return Ok(-self.search(&child, -window, depth)?);
        }
        let null_window = -Window::null_above(window.alpha);
        let quiet = !child.in_check && !root.in_check && is_quiet(&root.position, mv);
        let late = LateMove { history: 0, improving: true, pv: true };
        let reduction = if quiet && self.settings.params.root_reductions {
            self.settings.lmr_reduction(index, depth + 1, late)
        } else {
            0
        };
        let mut score = -self.search(&child, null_window, depth - reduction)?;
        if score > window.alpha && reduction > 0 {
            score = -self.search(&child, null_window, depth)?;
        }
        if score > window.alpha {
            score = -self.search(&child, -window, depth)?;
        }
        Ok(score)
    }
}
