//! Beyond the depth of the search: captures and check evasions until the position is quiet enough to be evaluated.

use super::node::{Node, Searched, Searcher};
use super::window::Window;
use crate::eval::Evaluation;
use crate::Score;

impl<E: Evaluation> Searcher<'_, E> {
    /// Enters a node below the horizon.
    fn visit_quiet(&mut self, node: &Node<E::State>, window: Window) -> Searched {
        self.control.enter()?;
        match self.undecided(node, window) {
            Ok(window) => self.resolve(node, window),
            Err(score) => Ok(score),
        }
    }

    /// The value of a node just entered: standing pat or the best capture; in check, the best evasion. Far below alpha a
    /// capture has to give check to be worth trying.
    pub(super) fn resolve(&mut self, node: &Node<E::State>, mut window: Window) -> Searched {
        let mut best = -Score::INFINITE;
        let mut hopeless = false;
        if !node.in_check || !self.settings.params.quiescence {
            best = self.evaluate(node);
            if best >= window.beta || !self.settings.params.quiescence {
                return Ok(best);
            }
            hopeless = best + self.settings.quiescence_margin < window.alpha;
            window.alpha = window.alpha.max(best);
        }
        self.memory.picker(node.ply).start_captures(node.in_check, hopeless);
        while let Some(choice) = self.memory.picker(node.ply).next(&node.position) {
            let child = self.child(node, choice.mv);
            let score = -self.visit_quiet(&child, window.flipped())?;
            best = best.max(score);
            window.alpha = window.alpha.max(score);
            if window.alpha >= window.beta {
                return Ok(best);
            }
        }
        Ok(if best == -Score::INFINITE { node.no_safe_move() } else { best })
    }
}
