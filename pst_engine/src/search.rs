//! The search: iterative deepening, principal variations with zero windows beside them, quiescence.
//!
//! It reads the clock and its input only at intervals of nodes; its result within limits of nodes or depth depends on
//! neither.

use crate::clock::Limits;
use crate::evaluation::Evaluator;
use crate::game::{Game, Node, write_move};
use crate::input::{Input, SearchEvent};
use crate::order::{Order, Picker, is_quiet};
use crate::transpositions::{Bound, Known, Transpositions, packed};
use shakmaty::{Chess, Move, MoveList, Position, Role};
use std::fmt::Write;
use std::time::Instant;

/// The score of being mated at the root is minus this.
pub(crate) const MATE: i32 = 30_000;
/// The main search goes no further from the root.
pub(crate) const MAX_PLY: usize = 100;
/// Above all scores.
const INFINITE: i32 = 31_000;
const DRAW: i32 = 0;
/// The clock and the input are checked every this many nodes.
const LOOK: u64 = 512;

/// What a game's searches have in common.
pub(crate) struct Memory {
    /// Positions searched before.
    pub(crate) table: Transpositions,
    /// How to order moves.
    pub(crate) order: Order,
}

/// Bounds between which a score matters.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    /// It is one point wide: only on which side the score is matters.
    fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// As the opponent sees it.
    fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether a score is above alpha.
    fn above(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }
}

/// What a search found.
#[derive(Default)]
pub(crate) struct Found {
    /// The best line; empty if there is no move.
    pub(crate) line: Vec<Move>,
    /// Its score, from the mover's side.
    score: i32,
    /// The depth that was searched in full.
    depth: i32,
    /// How many nodes were visited.
    pub(crate) nodes: u64,
    /// Whether it was ended before its limits, or by those of nodes or time.
    pub(crate) was_stopped: bool,
}

/// One search.
pub(crate) struct Search<'a> {
    memory: &'a mut Memory,
    evaluator: &'a mut Evaluator,
    input: &'a mut Input,
    limits: &'a Limits,
    begun: Instant,
    /// The hashes of the game's positions and of those on the way to the current one.
    keys: Vec<u64>,
    nodes: u64,
    depth: i32,
    has_stopped: bool,
    /// The best line from each ply.
    lines: Vec<Vec<Move>>,
    found: Found,
    is_silent: bool,
}

impl<'a> Search<'a> {
    /// Prepares a search.
    pub(crate) fn new(
        memory: &'a mut Memory,
        evaluator: &'a mut Evaluator,
        input: &'a mut Input,
        limits: &'a Limits,
    ) -> Self {
        let lines = vec![Vec::new(); MAX_PLY + 2];
        let (begun, keys, found) = (Instant::now(), Vec::new(), Found::default());
        let (nodes, depth, has_stopped, is_silent) = (0, 0, false, false);
        Self { memory, evaluator, input, limits, begun, keys, nodes, depth, has_stopped, lines, found, is_silent }
    }

    /// Says nothing while it searches.
    pub(crate) fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// Searches a game's position.
    pub(crate) fn run(mut self, game: &Game) -> Found {
        self.memory.table.age();
        self.memory.order.age();
        self.evaluator.reset(&game.node.position);
        self.keys.clone_from(&game.keys);
        self.found.score = self.evaluator.of_mover(&game.node.position);
        self.found.line.extend(self.choices(&game.node.position).first());
        if self.found.line.is_empty() {
            self.found.score = ended(&game.node.position, 0);
        } else {
            self.deepen(&game.node);
        }
        (self.found.nodes, self.found.was_stopped) = (self.nodes, self.has_stopped);
        self.report();
        self.found
    }

    fn deepen(&mut self, root: &Node) {
        let deepest = self.limits.depth.unwrap_or(MAX_PLY as i32).clamp(1, MAX_PLY as i32);
        for depth in 1..=deepest {
            self.depth = depth;
            let _score = self.search(root, Window { alpha: -INFINITE, beta: INFINITE }, depth, 0);
            if self.has_stopped {
                return;
            }
            self.found.depth = depth;
            if self.is_late() {
                return;
            }
            if depth < deepest {
                self.report();
            }
        }
    }

    /// Whether it is too late to begin an iteration.
    fn is_late(&self) -> bool {
        self.limits.budget.is_some_and(|budget| self.begun.elapsed() >= budget.soft)
    }

    /// Counts a node; false if the search is over.
    fn enter(&mut self) -> bool {
        if self.has_stopped || self.limits.nodes.is_some_and(|nodes| self.nodes >= nodes) {
            self.has_stopped = true;
            return false;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(LOOK) {
            let is_over = self.limits.budget.is_some_and(|budget| self.begun.elapsed() >= budget.hard);
            self.has_stopped = is_over || self.should_stop();
        }
        !self.has_stopped
    }

    fn should_stop(&mut self) -> bool {
        match self.input.poll() {
            SearchEvent::Nothing => false,
            SearchEvent::Stop => true,
            SearchEvent::End => self.limits.is_endless(),
        }
    }

    /// The moves to choose from at the root.
    fn choices(&self, position: &Chess) -> MoveList {
        let mut moves = position.legal_moves();
        if !self.limits.moves.is_empty() {
            moves.retain(|mv| self.limits.moves.contains(mv));
        }
        moves
    }

    /// The score of a position, from the mover's side.
    fn search(&mut self, node: &Node, window: Window, depth: i32, ply: usize) -> i32 {
        self.lines[ply].clear();
        let is_check = node.position.is_check();
        let depth = depth + i32::from(is_check && (ply as i32) < 2 * self.depth);
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiesce(&node.position, window, ply);
        }
        if !self.enter() || ply > 0 && self.is_draw(node) {
            return DRAW;
        }
        let known = self.memory.table.probe(node.key, ply);
        if window.is_null() {
            if let Some(score) = known.and_then(|known| known.answers(depth, window.alpha, window.beta)) {
                return score;
            }
            if !is_check && self.refutes_a_pass(node, window.beta, depth, ply) {
                return window.beta;
            }
        }
        let first = known.map_or(0, |known| known.mv);
        self.search_moves(node, window, depth, ply, first)
    }

    /// Searches the moves of a position, and stores the result.
    fn search_moves(&mut self, node: &Node, window: Window, depth: i32, ply: usize, first: u16) -> i32 {
        let moves = if ply == 0 { self.choices(&node.position) } else { node.position.legal_moves() };
        if moves.is_empty() {
            return ended(&node.position, ply);
        }
        let mut picker = Picker::new(moves, first, &self.memory.order, node.position.turn(), ply);
        let (mut alpha, mut best, mut best_move) = (window.alpha, -INFINITE, 0);
        while let Some(mv) = picker.next() {
            let score = self.search_move(node, mv, Window { alpha, ..window }, depth, ply, picker.tried().len());
            if self.has_stopped {
                return DRAW;
            }
            best = best.max(score);
            if score <= alpha {
                continue;
            }
            (alpha, best_move) = (score, packed(mv));
            self.extend_line(mv, score, ply);
            if alpha >= window.beta {
                if is_quiet(mv) {
                    self.memory.order.reward(mv, picker.tried(), node.position.turn(), depth, ply);
                }
                break;
            }
        }
        let bound = match () {
            () if best >= window.beta => Bound::Lower,
            () if best > window.alpha => Bound::Exact,
            () => Bound::Upper,
        };
        let mv = if best_move == 0 { first } else { best_move };
        self.memory.table.store(node.key, Known { mv, score: best, depth, bound }, ply);
        best
    }

    /// The score of a move: the first is searched in full, others only if they seem to be better.
    fn search_move(&mut self, node: &Node, mv: Move, window: Window, depth: i32, ply: usize, tried: usize) -> i32 {
        let child = node.after(mv);
        self.evaluator.push(mv, &node.position, &child.position);
        self.keys.push(node.key);
        let mut score = window.alpha + 1;
        if tried > 0 {
            let less = self.reduction(&child, mv, depth, ply, tried);
            score = self.ask(&child, Window::above(window.alpha), depth - 1 - less, ply);
            if less > 0 && score > window.alpha {
                score = self.ask(&child, Window::above(window.alpha), depth - 1, ply);
            }
        }
        if tried == 0 || score > window.alpha && score < window.beta {
            score = self.ask(&child, window, depth - 1, ply);
        }
        self.keys.pop();
        self.evaluator.pop();
        score
    }

    /// The score of the position after a move at this ply, from the side that made it.
    fn ask(&mut self, child: &Node, window: Window, depth: i32, ply: usize) -> i32 {
        -self.search(child, window.turned(), depth, ply + 1)
    }

    /// How much less deep a late quiet move is searched at first.
    fn reduction(&self, child: &Node, mv: Move, depth: i32, ply: usize, tried: usize) -> i32 {
        let order = &self.memory.order;
        if depth < 3 || tried < 3 || !is_quiet(mv) || order.is_killer(mv, ply) || child.position.is_check() {
            return 0;
        }
        1 + i32::from(tried >= 8) + i32::from(tried >= 8 && depth >= 8)
    }

    /// Whether the mover would be well off even without making a move. Where it has pawns alone, having to move may be
    /// what is wrong with its position, so that this proves nothing.
    fn refutes_a_pass(&mut self, node: &Node, beta: i32, depth: i32, ply: usize) -> bool {
        let position = &node.position;
        let pieces = position.us() & !(position.our(Role::Pawn) | position.our(Role::King));
        if depth < 2 || node.after_pass || pieces.is_empty() || self.evaluator.of_mover(position) < beta {
            return false;
        }
        let Some(passed) = node.passed() else { return false };
        self.keys.push(node.key);
        let score = self.ask(&passed, Window::above(beta - 1), depth - 3 - depth / 6, ply);
        self.keys.pop();
        !self.has_stopped && score >= beta
    }

    /// Fifty moves, a position that was there before, or too little to mate with.
    fn is_draw(&self, node: &Node) -> bool {
        let halfmoves = node.position.halfmoves();
        let since = self.keys.iter().rev().take(halfmoves as usize);
        let is_mate = || node.position.is_check() && node.position.legal_moves().is_empty();
        since.skip(1).step_by(2).any(|key| *key == node.key)
            || halfmoves >= 100 && !is_mate()
            || node.position.is_insufficient_material()
    }

    /// The score once nothing hangs any more: captures and new queens alone, or all moves out of a check.
    fn quiesce(&mut self, position: &Chess, window: Window, ply: usize) -> i32 {
        if !self.enter() || position.is_insufficient_material() {
            return DRAW;
        }
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return ended(position, ply);
        }
        let (mut alpha, mut best) = (window.alpha, -INFINITE);
        if !position.is_check() {
            best = self.evaluator.of_mover(position);
            if best >= window.beta {
                return best;
            }
            alpha = alpha.max(best);
            moves.retain(|mv| !is_quiet(*mv));
        }
        for mv in Picker::of_captures(moves) {
            let mut child = position.clone();
            child.play_unchecked(mv);
            self.evaluator.push(mv, position, &child);
            let score = -self.quiesce(&child, Window { alpha, ..window }.turned(), ply + 1);
            self.evaluator.pop();
            if self.has_stopped {
                return DRAW;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// A move is the best so far: the line from this ply is it and the line after it.
    fn extend_line(&mut self, mv: Move, score: i32, ply: usize) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&tail[0]);
        if ply == 0 {
            self.found.line.clone_from(line);
            self.found.score = score;
        }
    }

    /// Tells where the search stands.
    fn report(&self) {
        if self.is_silent {
            return;
        }
        let elapsed = self.begun.elapsed();
        let per_second = u128::from(self.nodes) * 1_000_000 / elapsed.as_micros().max(1);
        let Found { line, score, depth, .. } = &self.found;
        let (depth, score, nodes) = (depth.max(&1), in_words(*score), self.nodes);
        let mut text =
            format!("info depth {depth} score {score} nodes {nodes} nps {per_second} time {}", elapsed.as_millis());
        if !line.is_empty() {
            text.push_str(" pv");
        }
        for mv in line {
            let _ = write!(text, " {}", write_move(*mv));
        }
        crate::engine::say(&text);
    }
}

/// The score of a position without a legal move.
fn ended(position: &Chess, ply: usize) -> i32 {
    if position.is_check() { ply as i32 - MATE } else { DRAW }
}

/// A score as UCI has it.
fn in_words(score: i32) -> String {
    let plies = MATE - score.abs();
    if plies > 2 * MAX_PLY as i32 {
        return format!("cp {score}");
    }
    format!("mate {}", (plies + 1) / 2 * score.signum())
}
