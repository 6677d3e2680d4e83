//! Quiescence search: captures and check evasions below depth 0, until no captures are left.

use super::move_picker::CaptureSearch;
use super::node::{Node, NodeResult, Searcher};
use super::tt_probe::tt_cutoff;
use super::window::Window;
use crate::eval::Evaluation;
use crate::Score;

impl<E: Evaluation> Searcher<'_, E> {
    /// Counts a node `below` plies below depth 0 and searches it.
    fn enter_qsearch(&mut self, node: &Node, window: Window, below: i32) -> NodeResult {
        self.control.count_node()?;
        match self.mate_distance_pruning(node, window) {
            Ok(window) => self.qsearch(node, window, below),
            Err(score) => Ok(score),
        }
    }

    /// The score of a node that has been counted: the static evaluation (stand pat) or the best capture; in check, the
    /// best evasion. If the static evaluation is far below alpha, only captures that give check are tried. At the first
    /// plies, counted by `below`, other checks may be tried too.
    pub(super) fn qsearch(&mut self, node: &Node, mut window: Window, below: i32) -> NodeResult {
        let searched = window;
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let mut checks_only = false;
        // Comes before the table probe: most nodes end here and need not wait for memory.
        if !node.in_check || !self.settings.params.quiescence {
            best_score = self.evaluate(node);
            if best_score >= window.beta || !self.settings.params.quiescence {
                return Ok(best_score);
            }
            checks_only = best_score + self.settings.quiescence_margin < window.alpha;
            window.alpha = window.alpha.max(best_score);
        }
        let entry = if self.settings.params.quiescence_table { self.tt_probe(node) } else { None };
        if let Some(score) = entry.and_then(|entry| tt_cutoff(&entry, searched, 0)) {
            return Ok(score);
        }
        let which = match (node.in_check, checks_only) {
            (true, _) => CaptureSearch::Evasions,
            (false, checks_only) if below < self.settings.params.quiescence_checks => {
                CaptureSearch::WithChecks { checks_only }
            }
            (false, checks_only) => CaptureSearch::Captures { checks_only },
        };
        self.state.picker(node.ply).start_qsearch(which, node.before);
        while let Some(picked) = self.state.next_move(node.ply, &node.position) {
            let child = self.child(node, picked.mv);
            let score = -self.enter_qsearch(&child, -window, below + 1)?;
            best_score = best_score.max(score);
            if score > window.alpha {
                window.alpha = score;
                best_move = Some(picked.mv);
            }
            if window.alpha >= window.beta {
                break;
            }
        }
        if best_score == -Score::INFINITE {
            best_score = node.no_safe_move_score();
        }
        if self.settings.params.quiescence_table {
            self.tt_store(node, 0, searched, best_score, best_move);
        }
        Ok(best_score)
    }
}
