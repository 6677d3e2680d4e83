//! Quiescence search: captures and check evasions below depth 0, until no capture is left to try.

use super::alpha_beta::{Node, NodeResult, Searcher};
use super::window::Window;
use crate::eval::Evaluation;
use crate::Score;

impl<E: Evaluation> Searcher<'_, E> {
    /// Counts a node below depth 0 and searches it.
    fn enter_qsearch(&mut self, node: &Node, window: Window) -> NodeResult {
        self.control.count_node()?;
        match self.mate_distance_pruning(node, window) {
            Ok(window) => self.qsearch(node, window),
            Err(score) => Ok(score),
        }
    }

    /// The score of a node that has been counted: the static evaluation (stand pat) or the best capture; in check, the best
    /// evasion. Where the static evaluation is far below alpha, only captures that give check are tried.
    pub(super) fn qsearch(&mut self, node: &Node, mut window: Window) -> NodeResult {
        let mut best_score = -Score::INFINITE;
        let mut checks_only = false;
        if !node.in_check || !self.settings.params.quiescence {
            best_score = self.evaluate(node);
            if best_score >= window.beta || !self.settings.params.quiescence {
                return Ok(best_score);
            }
            checks_only = best_score + self.settings.quiescence_margin < window.alpha;
            window.alpha = window.alpha.max(best_score);
        }
        self.state.picker(node.ply).start_qsearch(node.in_check, checks_only);
        while let Some(picked) = self.state.picker(node.ply).next(&node.position) {
            let child = self.child(node, picked.mv);
            let score = -self.enter_qsearch(&child, -window)?;
            best_score = best_score.max(score);
            window.alpha = window.alpha.max(score);
            if window.alpha >= window.beta {
                return Ok(best_score);
            }
        }
        Ok(if best_score == -Score::INFINITE { node.no_safe_move_score() } else { best_score })
    }
}
