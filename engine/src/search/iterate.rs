//! The root: deeper and deeper searches of one position until the budget is used up.
//!
//! Owns iterative deepening, the loop over root moves, and when a search by the clock begins nothing new. Each move that
//! turns out best is reported at once, so that a search ended at any moment has an answer.

use super::node::{Halted, Node, Searcher};
use super::report::{Line, Report};
use super::window::Window;
use crate::eval::Evaluation;
use crate::time::{is_panic, Allocation};
use crate::{Move, Score, PLY_LIMIT};

/// How far a search may go, apart from its node limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) max_depth: u8,
    /// The time for this move, if the search goes by time.
    pub(super) allocation: Option<Allocation>,
}

impl<E: Evaluation> Searcher<'_, E> {
    /// Searches the root moves, the most promising first, of which there is at least one.
    pub(super) fn iterate(&mut self, root: &Node<E::State>, moves: &mut [Move], plan: Plan) -> Option<Report> {
        let mut report = self.at_first_sight(root, *moves.first()?);
        let left = PLY_LIMIT.saturating_sub(root.position.plies());
        for depth in 1..=plan.max_depth.min(left as u8) {
            if plan.allocation.is_some_and(|time| self.control.elapsed() >= time.last_depth()) {
                break;
            }
            if self.iteration(root, moves, depth, plan.allocation, &mut report).is_err() {
                break;
            }
            report.depth = depth;
            report.nodes = self.control.nodes;
            (self.watch)(&report);
            if report.score.plies_to_end().is_some_and(|plies| plies <= i32::from(depth)) {
                break;
            }
        }
        report.nodes = self.control.nodes;
        Some(report)
    }

    fn at_first_sight(&self, root: &Node<E::State>, best: Move) -> Report {
        let mut line = Line::EMPTY;
        line.lead(best, &Line::EMPTY);
        Report { best, score: self.evaluate(root), depth: 0, nodes: 0, line }
    }

    /// Searches all root moves to one depth and brings the best one to the front.
    fn iteration(
        &mut self,
        root: &Node<E::State>,
        moves: &mut [Move],
        depth: u8,
        time: Option<Allocation>,
        report: &mut Report,
    ) -> Result<(), Halted> {
        let before = report.score;
        let mut best = -Score::INFINITE;
        for index in 0..moves.len() {
            if index > 0 {
                self.check_time(time, depth > 1 && is_panic(&self.settings.params, before, best))?;
            }
            let score = self.try_root_move(root, moves[index], best, depth)?;
            if score > best {
                best = score;
                moves[..=index].rotate_right(1);
                self.memory.extend_line(root.ply, moves[0]);
                *report = Report { best: moves[0], score, line: *self.memory.line(root.ply), ..*report };
            }
        }
        // Without panic again: it concerned this iteration.
        self.control.deadline = time.map(|time| time.hard());
        Ok(())
    }

    /// Sets the deadline for the next root move, or halts if there is no time to begin it.
    fn check_time(&mut self, time: Option<Allocation>, panic: bool) -> Result<(), Halted> {
        let Some(time) = time else { return Ok(()) };
        let time = if panic { time.panicked() } else { time };
        self.control.deadline = Some(time.hard());
        if self.control.elapsed() >= time.last_root_move() {
            Err(Halted)
        } else {
            Ok(())
        }
    }

    fn try_root_move(&mut self, root: &Node<E::State>, mv: Move, best: Score, depth: u8) -> Result<Score, Halted> {
        let depth = i32::from(depth) - 1 + if root.in_check { self.settings.check_extension } else { 0 };
        let child = self.child(root, mv);
        let whole = Window { alpha: best, beta: Score::INFINITE };
        if best == -Score::INFINITE {
            return Ok(-self.visit(&child, whole.flipped(), depth)?);
        }
        let score = -self.visit(&child, Window::above(best).flipped(), depth)?;
        if score > best {
            Ok(-self.visit(&child, whole.flipped(), depth)?)
        } else {
            Ok(score)
        }
    }
}
