//! From a position to its answer: what the rules leave no choice about, setups, and everything else by search.

use super::iterate::Plan;
use super::node::{Node, Searcher};
use super::report::{Line, Report};
use super::setups;
use crate::eval::Evaluation;
use crate::{Move, MoveList, Position, Score};

impl<E: Evaluation> Searcher<'_, E> {
    /// The answer to a position; `None` when the game is over.
    pub(super) fn answer(mut self, position: &Position, plan: Plan) -> Option<Report> {
        let root = Node {
            position: *position,
            state: self.evaluation.start(position),
            ply: 0,
            in_check: position.in_check(),
            after_pass: false,
        };
        if position.plies() < 2 {
            self.answer_setup(&root, plan)
        } else if let Some(capture) = wazir_capture(position) {
            Some(unsearched(capture, Score::win_in(1)))
        } else {
            self.answer_move(&root, plan)
        }
    }

    /// Red's setup is not searched: that would take a search over all of blue's.
    fn answer_setup(&mut self, root: &Node<E::State>, plan: Plan) -> Option<Report> {
        let mut setups = setups::promising(self.evaluation, &root.position);
        let max_depth = if root.position.plies() == 0 { 0 } else { plan.max_depth };
        self.iterate(root, &mut setups, Plan { max_depth, ..plan })
    }

    /// Searches the safe moves; if there is none, the first legal one is as good as any.
    fn answer_move(&mut self, root: &Node<E::State>, plan: Plan) -> Option<Report> {
        let mut moves = MoveList::new();
        root.position.safe_moves(&mut moves);
        if moves.is_empty() {
            root.position.legal_moves(&mut moves);
            return moves.first().map(|&mv| unsearched(mv, root.no_safe_move()));
        }
        // An only move needs no thought, but for the score.
        let only = moves.len() == 1 && plan.allocation.is_some();
        let max_depth = if only { plan.max_depth.min(1) } else { plan.max_depth };
        self.iterate(root, &mut moves, Plan { max_depth, ..plan })
    }
}

/// The move that wins on the spot.
fn wazir_capture(position: &Position) -> Option<Move> {
    let side = position.side_to_move();
    let target = position.wazir(!side).filter(|_| position.can_capture_wazir())?;
    Some(Move::jump(position.attackers(target, side).first()?, target))
}

/// An answer that took no search.
fn unsearched(best: Move, score: Score) -> Report {
    let mut line = Line::EMPTY;
    line.lead(best, &Line::EMPTY);
    Report { best, score, depth: 0, nodes: 0, line }
}
