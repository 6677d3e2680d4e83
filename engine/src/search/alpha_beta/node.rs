//! Principal variation search: alpha-beta with a null window for every move but the first.
//!
//! Owns the search of an interior node: draws, mate distance pruning, the cutoff from the transposition table,
//! corrected static evaluation, reverse futility and null-move pruning, internal iterative deepening (IID) or
//! reduction, and the move loop with late move reductions (LMR), late move pruning, futility pruning, killers and
//! history updates. Depth 0 and below is `qsearch`, the root is `iterative_deepening`.

use super::super::control::{Aborted, Control};
use super::super::result::Progress;
use super::super::setups::Setups;
use super::history::Target;
use super::move_picker::{PickedMove, NO_MOVE};
use super::settings::{LateMove, Settings};
use super::state::SearchState;
use super::tt::TranspositionTable;
use super::tt_probe::tt_cutoff;
use super::window::{is_too_late_to_win, possible_scores, Window};
use crate::eval::Evaluation;
use crate::{Move, Position, Score, Side, PLY_LIMIT};

/// The score of a node, in the view of its side to move.
pub(super) type NodeResult = Result<Score, Aborted>;

/// A position of the search tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) position: Position,
    /// The number of plies below the root.
    pub(super) ply: usize,
    pub(super) in_check: bool,
    /// The last move; `None` after a null move and at the root.
    pub(super) before: Option<Target>,
}

impl Node {
    /// The score if every legal move loses the wazir: a loss in two plies, or a draw if the game ends before that or
    /// there is no legal move.
    pub(super) fn no_safe_move_score(&self) -> Score {
        if self.position.plies() + 2 > PLY_LIMIT || self.position.legal_count() == 0 {
            Score::DRAW
        } else {
            Score::loss_in(self.ply as i32 + 2)
        }
    }
}

/// One thread's search from one root.
pub(super) struct Searcher<'a, E: Evaluation> {
    pub(super) evaluation: &'a E,
    /// The evaluation's line, from the root to the current node.
    pub(super) line: &'a mut E::Line,
    pub(super) settings: &'a Settings,
    pub(super) setups: Setups<'a>,
    pub(super) state: &'a mut SearchState,
    pub(super) tt: &'a TranspositionTable,
    /// 0 for the main thread, 1 and up for helpers.
    pub(super) thread: usize,
    pub(super) control: Control<'a>,
    /// The side to move at the root.
    pub(super) root_side: Side,
    /// Called after each completed iteration.
    pub(super) on_progress: &'a mut dyn FnMut(&Progress<'_>),
}

/// The parameters of the search of one node.
#[derive(Clone, Copy, Debug)]
struct NodeSearch {
    window: Window,
    depth: i32,
    /// The static evaluation; in check, where passing is not an option, the worst estimate.
    static_eval: Score,
    /// Whether the static evaluation is better than at this side's previous move.
    improving: bool,
}

/// The state of the move loop.
pub(super) struct MoveLoop {
    /// The window; its alpha rises with the best score.
    window: Window,
    pub(super) best_score: Score,
    /// The last move that raised alpha.
    pub(super) best_move: Option<Move>,
    /// The number of moves searched so far.
    move_count: usize,
    /// The first quiet moves that did not cause a cutoff, and their number.
    quiets: [Move; MOST_QUIETS],
    quiet_count: usize,
}

/// The maximum number of quiet moves remembered as not causing a cutoff.
const MOST_QUIETS: usize = 32;

impl MoveLoop {
    fn new(window: Window) -> Self {
        Self {
            window,
            best_score: -Score::INFINITE,
            best_move: None,
            move_count: 0,
            quiets: [NO_MOVE; MOST_QUIETS],
            quiet_count: 0,
        }
    }

    /// Records the score of a move; returns whether it raised alpha.
    fn update(&mut self, mv: Move, score: Score) -> bool {
        self.move_count += 1;
        self.best_score = self.best_score.max(score);
        if score <= self.window.alpha {
            return false;
        }
        self.window.alpha = score;
        self.best_move = Some(mv);
        true
    }

    fn note_quiet(&mut self, position: &Position, mv: Move) {
        if self.quiet_count < MOST_QUIETS && is_quiet(position, mv) {
            self.quiets[self.quiet_count] = mv;
            self.quiet_count += 1;
        }
    }

    /// Whether the best score fails high.
    fn is_cutoff(&self) -> bool {
        self.best_score >= self.window.beta
    }
}

impl<E: Evaluation> Searcher<'_, E> {
    /// The child node after a safe move.
    pub(super) fn child(&mut self, node: &Node, mv: Move) -> Node {
        let mut position = node.position;
        let delta = position.play(mv);
        self.tt_prefetch(&position);
        let in_check = node.position.gives_check(mv);
        let ply = node.ply + 1;
        self.evaluation.advance(self.line, ply, &delta, &position);
        let before = Target::of(&node.position, mv);
        Node { position, ply, in_check, before }
    }

    /// Counts a node and searches it to `depth` plies.
    pub(super) fn search(&mut self, node: &Node, window: Window, depth: i32) -> NodeResult {
        self.control.count_node()?;
        self.state.pv(node.ply).clear();
        let window = match self.mate_distance_pruning(node, window) {
            Ok(window) => window,
            Err(score) => return Ok(score),
        };
        if self.settings.params.repetition && self.state.repetition.contains(node.position.key()) {
            return Ok(Score::DRAW);
        }
        let depth = if node.in_check { depth + self.settings.check_extension } else { depth };
        if depth <= 0 {
            return self.qsearch(node, window, 0);
        }
        self.state.repetition.push(node.position.key());
        let result = self.search_node(node, window, depth);
        self.state.repetition.pop();
        result
    }

    /// Narrows the window to the scores still possible this close to the ply limit; `Err` with the score if that
    /// decides the node.
    pub(super) fn mate_distance_pruning(&self, node: &Node, window: Window) -> Result<Window, Score> {
        let plies = node.position.plies();
        if plies >= PLY_LIMIT {
            Err(Score::DRAW)
        } else if self.settings.params.horizon {
            window.intersect(possible_scores(plies, node.ply))
        } else {
            Ok(window)
        }
    }

    fn search_node(&mut self, node: &Node, window: Window, depth: i32) -> NodeResult {
        // Comes before the table probe, to give the memory time to answer.
        let static_eval = if node.in_check { Score::WORST_ESTIMATE } else { self.evaluate(node) };
        let tt_entry = self.tt_probe(node);
        if let Some(score) = tt_entry.and_then(|entry| tt_cutoff(&entry, window, depth)) {
            return Ok(score);
        }
        let improving = self.note_static_eval(node, static_eval);
        let search = NodeSearch { window, depth, static_eval, improving };
        if let Some(score) = self.reverse_futility(search) {
            return Ok(score);
        }
        if let Some(score) = self.null_move(node, search)? {
            return Ok(score);
        }
        let mut tt_move = tt_entry.and_then(|entry| entry.best_move);
        let unknown = tt_move.is_none() && depth >= self.settings.iir_min_depth;
        let search = NodeSearch { depth: depth - i32::from(unknown), ..search };
        if tt_move.is_none() && depth >= self.settings.iid_min_depth {
            tt_move = self.iid(node, window, depth)?;
        }
        let tt_move = tt_move.and_then(|code| Move::from_code(code.into()));
        let tt_move = tt_move.filter(|&mv| node.position.is_legal(mv) && node.position.is_safe(mv));
        self.search_moves(node, search, tt_move)
    }

    /// Records the static evaluation of this ply; returns whether it is better than at this side's previous move.
    fn note_static_eval(&mut self, node: &Node, static_eval: Score) -> bool {
        let before = node.ply.checked_sub(2).map_or(Score::DRAW, |ply| self.state.static_evals[ply]);
        self.state.static_evals[node.ply] = if node.in_check { before } else { static_eval };
        !node.in_check && static_eval > before
    }

    /// Reverse futility pruning: at low depth, a static evaluation far above beta is assumed to stay above it.
    fn reverse_futility(&self, search: NodeSearch) -> Option<Score> {
        let NodeSearch { window, depth, static_eval, .. } = search;
        let lower_bound = static_eval - self.settings.reverse_futility_margin * depth;
        let allowed = depth <= self.settings.reverse_futility_depth && !window.is_pv() && !window.beta.is_loss();
        (allowed && lower_bound >= window.beta).then_some(lower_bound)
    }

    /// The static evaluation with optimism (a bonus for the side to move at the root), capped at a draw for a side that
    /// has no time left to win.
    pub(super) fn evaluate(&mut self, node: &Node) -> Score {
        let score = self.evaluation.evaluate(self.line, node.ply, &node.position);
        let score = self.corrected(node, score);
        let score = if node.position.side_to_move() == self.root_side {
            score + self.settings.optimism
        } else {
            score - self.settings.optimism
        };
        if self.settings.params.horizon && is_too_late_to_win(node.position.plies()) {
            score.min(Score::DRAW)
        } else {
            score
        }
    }

    /// Corrects a static evaluation by what was learned from similar positions.
    fn corrected(&self, node: &Node, score: Score) -> Score {
        if self.settings.correction == 0 {
            return score;
        }
        let correction = self.state.history.correction(&node.position, node.before);
        Score::estimate(score.units() + self.settings.correction * correction / 1024)
    }

    /// Learns the error of the static evaluation, unless the result gives no evidence: a capture is not an error of the
    /// evaluation, and a bound may lie on the side where the evaluation already was.
    fn learn_correction(&mut self, node: &Node, search: NodeSearch, moves: &MoveLoop) {
        let NodeSearch { window, depth, static_eval, .. } = search;
        let score = moves.best_score;
        let says_nothing = node.in_check
            || score.plies_to_end().is_some()
            || moves.best_move.is_some_and(|mv| !is_quiet(&node.position, mv))
            || score >= window.beta && score <= static_eval
            || moves.best_move.is_none() && score >= static_eval;
        if self.settings.correction != 0 && !says_nothing {
            self.state.history.learn_correction(
                &node.position,
                node.before,
                score.units() - static_eval.units(),
                depth,
            );
        }
    }

    /// Null-move pruning: if the opponent cannot get below beta even with two moves in a row, the node fails high.
    fn null_move(&mut self, node: &Node, search: NodeSearch) -> Result<Option<Score>, Aborted> {
        let NodeSearch { window, depth, static_eval, .. } = search;
        let allowed = depth >= self.settings.null_move_min_depth
            && (node.before.is_some() || node.ply == 0)
            && !node.in_check
            && !window.is_pv()
            && static_eval > window.beta + self.settings.null_move_margin;
        if !allowed {
            return Ok(None);
        }
        let mut position = node.position;
        position.play_null();
        let child = Node { position, ply: node.ply + 1, in_check: false, before: None };
        self.evaluation.pass(self.line, child.ply);
        let depth = depth - self.settings.params.null_move_reduction;
        let score = -self.search(&child, -Window::null_below(window.beta), depth)?;
        // A win found after a null move is not proven.
        Ok((score >= window.beta).then_some(if score.is_win() { window.beta } else { score }))
    }

    /// Internal iterative deepening: returns the code of the best move of a shallower search.
    fn iid(&mut self, node: &Node, window: Window, depth: i32) -> Result<Option<u16>, Aborted> {
        self.search_node(node, window, depth - self.settings.params.iid_reduction)?;
        Ok(self.tt_probe(node).and_then(|entry| entry.best_move))
    }

    /// Searches the moves of a node; `tt_move`, which is legal and safe, comes first.
    fn search_moves(&mut self, node: &Node, search: NodeSearch, tt_move: Option<Move>) -> NodeResult {
        let NodeSearch { window, depth, .. } = search;
        let late_moves_from = self.late_moves_from(node, search);
        let mut moves = MoveLoop::new(window);
        self.state.picker(node.ply).start(node.in_check, tt_move, node.before);
        while let Some(picked) = self.state.next_move(node.ply, &node.position) {
            if picked.late && moves.move_count >= late_moves_from {
                moves.best_score = moves.best_score.max(self.futility_value(search));
                self.state.picker(node.ply).skip_late_moves();
                continue;
            }
            let score = self.search_move(node, picked, &moves, search)?;
            if moves.update(picked.mv, score) {
                self.state.update_pv(node.ply, picked.mv);
            }
            if moves.is_cutoff() {
                self.update_killers(node, picked.mv);
                self.update_history(node, picked.mv, &moves, depth);
                break;
            }
            moves.note_quiet(&node.position, picked.mv);
        }
        if moves.best_score == -Score::INFINITE {
            moves.best_score = node.no_safe_move_score();
        }
        self.learn_correction(node, search, &moves);
        self.tt_store(node, depth, window, moves.best_score, moves.best_move);
        Ok(moves.best_score)
    }

    /// The move count from which late moves are pruned: 0 if the static evaluation is so far below alpha that no late
    /// move would raise it (futility pruning), small at low depth outside the principal variation (late move pruning).
    fn late_moves_from(&self, node: &Node, search: NodeSearch) -> usize {
        let NodeSearch { window, depth, static_eval, improving } = search;
        if node.in_check {
            usize::MAX
        } else if depth <= self.settings.futility_depth
            && static_eval + self.settings.futility_margin * depth < window.alpha
        {
            0
        } else if window.is_pv() {
            usize::MAX
        } else {
            self.settings.late_moves_from(depth, improving)
        }
    }

    /// The upper bound used as the score of pruned late moves.
    fn futility_value(&self, search: NodeSearch) -> Score {
        (search.static_eval + self.settings.futility_margin * search.depth).min(search.window.alpha)
    }

    /// Searches one move: the first with the full window, the others with a null window, late ones reduced. A move that
    /// fails high is searched again, first to full depth, then with the full window.
    fn search_move(&mut self, node: &Node, picked: PickedMove, moves: &MoveLoop, search: NodeSearch) -> NodeResult {
        let MoveLoop { window, move_count, .. } = *moves;
        let NodeSearch { depth, improving, .. } = search;
        let child = self.child(node, picked.mv);
        if move_count == 0 {
            return Ok(-self.search(&child, -window, depth - 1)?);
        }
        let late = LateMove { history: picked.history, improving, pv: search.window.is_pv() };
        let reduction = if picked.late { self.settings.lmr_reduction(move_count, depth, late) } else { 0 };
        let null_window = -Window::null_above(window.alpha);
        let mut score = -self.search(&child, null_window, depth - 1 - reduction)?;
        if score > window.alpha && reduction > 0 {
            score = -self.search(&child, null_window, depth - 1)?;
        }
        if score > window.alpha && score < window.beta {
            score = -self.search(&child, -window, depth - 1)?;
        }
        Ok(score)
    }

    /// Stores a quiet move that caused a cutoff as a killer of its ply.
    fn update_killers(&mut self, node: &Node, mv: Move) {
        if self.settings.params.killers && is_quiet(&node.position, mv) && !node.in_check {
            self.state.picker(node.ply).update_killers(mv);
        }
    }

    /// Updates the histories: a quiet move caused a cutoff, and those before it did not.
    fn update_history(&mut self, node: &Node, mv: Move, moves: &MoveLoop, depth: i32) {
        if !self.settings.params.history || !is_quiet(&node.position, mv) {
            return;
        }
        let bonus = (self.settings.params.history_bonus * depth).min(self.settings.params.history_most);
        let side = node.position.side_to_move();
        let mut learn = |mv: Move, bonus: i32| {
            self.state.history.learn(side, mv, node.before, Target::of(&node.position, mv), bonus);
        };
        learn(mv, bonus);
        for &other in &moves.quiets[..moves.quiet_count] {
            learn(other, -bonus);
        }
    }
}

/// Whether a move captures nothing.
pub(super) fn is_quiet(position: &Position, mv: Move) -> bool {
    mv.to().is_some_and(|to| !position.occupied().contains(to))
}
