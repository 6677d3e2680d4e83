//! One search by simulations: the root, the limits, what is shown on the way, the answer.

use super::super::control::Control;
use super::super::immediate::{by_the_book, wazir_capture, without_search};
use super::super::limits::Limits;
use super::super::result::{Progress, Pv, RootMove, SearchResult};
use super::{Board, Job, Memory};
use crate::eval::Evaluation;
use crate::mcts::math::logit;
use crate::mcts::{centipawns, Choice, MctsParams, Proof, Tree};
use crate::time::{urgency, Allocation, TimeParams};
use crate::{Move, MoveList, Position, Score, PLY_LIMIT};

/// Simulations between two looks at how clear the best move is.
const LOOK_INTERVAL: u64 = 32;

/// A search that is running.
pub(super) struct Driver<'a, E: Evaluation> {
    board: Board<'a, E>,
    tree: &'a mut Tree,
    control: Control<'a>,
    limits: Limits,
    params: &'a MctsParams,
    time: &'a TimeParams,
    /// Plies of all simulations together.
    plies: u64,
}

impl<'a, E: Evaluation> Driver<'a, E> {
    /// Runs a search; `None` when the game is over.
    pub(super) fn search(
        evaluation: &'a E,
        line: &'a mut E::Line,
        memory: &'a mut Memory,
        job: &Job<'a>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        let Job { request, params, policy, setups, limits } = *job;
        let position = request.position;
        let mut chosen = Vec::new();
        if position.plies() < 2 {
            if let Some(entry) = setups.known(position) {
                return Some(by_the_book(position, &entry));
            }
            evaluation.start(line, position);
            chosen.extend(setups.best(evaluation, line, position));
            if position.plies() == 0 {
                // A search would have to go through all of blue's replies.
                return chosen.first().map(|&mv| without_search(mv, Score::DRAW));
            }
        } else if let Some(capture) = wazir_capture(position) {
            return Some(without_search(capture, Score::win_in(1)));
        } else if !has_safe_move(position) {
            return without_safe_move(position);
        }
        memory.go_to(position, request.history, params.mcts.mcts_reuse);
        let Memory { tree, state, last_value, .. } = memory;
        let mut board = Board { evaluation, line, state, params: &params.mcts, policy, setups: &chosen };
        board.start(position, request.history);
        if !tree.begin(&mut board, &params.mcts) {
            return None;
        }
        let deadline = limits.time.map(|time| time.hard_limit());
        let control = Control::new(limits.nodes, deadline, request.stop, request.timer, None);
        let mut driver = Driver { board, tree, control, limits, params: &params.mcts, time: &params.time, plies: 0 };
        let (result, value) = driver.run(*last_value, on_progress)?;
        *last_value = Some(value);
        Some(result)
    }

    /// Simulates until a limit is reached. The result, and the value of its move.
    fn run(
        &mut self,
        last_value: Option<f64>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<(SearchResult, f64)> {
        let single = self.tree.moves().nth(1).is_none() && self.limits.time.is_some();
        let (mut shown, mut next_look) = (0, LOOK_INTERVAL);
        let mut steady = Steady::default();
        while self.tree.proof() == Proof::Open && self.control.count_node().is_ok() {
            self.plies += self.tree.simulate(&mut self.board, self.params) as u64;
            let nodes = self.control.nodes;
            if self.is_deep_enough() {
                break;
            }
            if nodes >= next_look {
                next_look = nodes + LOOK_INTERVAL;
                let choice = self.tree.choose(self.params)?;
                steady.see(choice.mv, nodes);
                if single || self.is_time_over(&choice, &steady, last_value) {
                    break;
                }
            }
            if nodes >= 2 * shown.max(LOOK_INTERVAL / 2) {
                shown = nodes;
                self.show(on_progress)?;
            }
        }
        let result = self.show(on_progress)?;
        let value = self.tree.choose(self.params)?.value;
        Some((result, value))
    }

    /// The mean length of the lines.
    fn depth(&self) -> u8 {
        self.plies.checked_div(self.control.nodes).map_or(0, |depth| depth.min(u64::from(u8::MAX)) as u8)
    }

    /// Whether lines are as long as they are to be, or cannot get longer because the tree is full.
    fn is_deep_enough(&self) -> bool {
        let depth = self.limits.depth;
        depth < u8::MAX && (self.plies >= self.control.nodes.saturating_mul(u64::from(depth)) || !self.tree.has_room())
    }

    /// Whether the move has had the time that it is worth.
    ///
    /// As in the paper: less if it is easy, because one move has most of the visits; more if it is critical, because
    /// its value has fallen since the last move.
    fn is_time_over(&mut self, choice: &Choice, steady: &Steady, last_value: Option<f64>) -> bool {
        let Some(allocation) = self.limits.time else { return false };
        let is_critical = self.params.mcts_critical
            && last_value.is_some_and(|last| last - choice.value > self.params.mcts_critical_fall);
        let allocation = if is_critical { allocation.with_panic() } else { allocation };
        self.control.deadline = Some(allocation.hard_limit());
        let factor = urgency(self.time, choice.share, steady.doublings(self.control.nodes));
        let is_easy = self.params.mcts_easy && choice.share > self.params.mcts_easy_share;
        let factor = if is_easy { factor.min(self.params.mcts_easy_time) } else { factor };
        self.control.elapsed() >= soft_limit(allocation, factor)
    }

    fn show(&mut self, on_progress: &mut dyn FnMut(&Progress<'_>)) -> Option<SearchResult> {
        let result = self.result()?;
        let board = &self.board;
        let moves = self.tree.moves().filter_map(|known| {
            Some(RootMove { nodes: u64::from(known.visits), ..RootMove::new(board.decoded(known.mv)?) })
        });
        let moves: Vec<RootMove> = moves.collect();
        on_progress(&Progress { result: &result, moves: &moves });
        Some(result)
    }

    fn result(&self) -> Option<SearchResult> {
        let choice = self.tree.choose(self.params)?;
        let mut pv = Pv::EMPTY;
        let moves: Vec<Move> =
            self.tree.variation(self.params).iter().map_while(|&mv| self.board.decoded(mv)).collect();
        for &mv in moves.iter().rev() {
            let rest = pv;
            pv.set(mv, &rest);
        }
        let score = score(self.tree.proof(), choice.value, self.params);
        let best = self.board.decoded(choice.mv)?;
        Some(SearchResult { best, score, depth: self.depth(), nodes: self.control.nodes, pv })
    }
}

/// The time after which no simulation is started.
fn soft_limit(allocation: Allocation, factor: f64) -> std::time::Duration {
    allocation.scaled(factor).next_depth_limit()
}

/// The answer where all moves lose the wazir: any of them; `None` if there are none.
fn without_safe_move(position: &Position) -> Option<SearchResult> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let score = if position.plies() + 2 > PLY_LIMIT { Score::DRAW } else { Score::loss_in(2) };
    moves.first().map(|&mv| without_search(mv, score))
}

fn has_safe_move(position: &Position) -> bool {
    let mut moves = MoveList::new();
    position.safe_moves(&mut moves);
    !moves.is_empty()
}

/// A value as a score.
fn score(proof: Proof, value: f64, params: &MctsParams) -> Score {
    match proof {
        Proof::Win(plies) => Score::win_in(i32::from(plies)),
        Proof::Loss(plies) => Score::loss_in(i32::from(plies)),
        Proof::Draw => Score::DRAW,
        // 100 centipawns are a logit wherever scores are shown.
        _ if params.mcts_centipawns => Score::from_logit(centipawns(value, params.mcts_centipawn_base) / 100.0),
        _ => Score::from_logit(logit(value)),
    }
}

/// Since when the best move is the same.
#[derive(Debug, Default)]
struct Steady {
    best: Option<u16>,
    since: u64,
}

impl Steady {
    fn see(&mut self, best: u16, nodes: u64) {
        if self.best != Some(best) {
            (self.best, self.since) = (Some(best), nodes);
        }
    }

    /// How often the number of simulations has doubled since.
    fn doublings(&self, nodes: u64) -> u8 {
        let ratio = nodes.checked_div(self.since.max(1)).unwrap_or(1).max(1);
        ratio.ilog2().min(4) as u8
    }
}
