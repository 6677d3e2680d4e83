//! Alpha-beta over the moves of a position: principal variation search with everything that shortens it.
//!
//! Owns what happens at one node of the tree: results that need no search, the table, passing, internal iterative
//! deepening, the loop over moves with its reductions and prunings. What happens at the horizon is in `quiescence`, what
//! happens at the root in `iterate`.

use super::control::Control;
use super::memory::Memory;
use super::ordering::Choice;
use super::recall::cutoff;
use super::report::Report;
use super::settings::Settings;
use super::window::{is_too_late_to_win, possible, Window};
use crate::eval::Evaluation;
use crate::{Move, Position, Score, Side, PLY_LIMIT};

/// The search is over: its budget is used up or it was told to stop. What was being searched has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halted;

pub(super) type Searched = Result<Score, Halted>;

/// A position of the tree with what the search carries along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<S> {
    pub(super) position: Position,
    pub(super) state: S,
    /// Plies below the root.
    pub(super) ply: usize,
    pub(super) in_check: bool,
    /// The opponent has just passed.
    pub(super) after_pass: bool,
}

impl<S> Node<S> {
    /// The value of a position without a safe move: the wazir is captured in two plies, unless the game is over before
    /// or there is no legal move at all.
    pub(super) fn no_safe_move(&self) -> Score {
        if self.position.plies() + 2 > PLY_LIMIT || self.position.legal_count() == 0 {
            Score::DRAW
        } else {
            Score::loss_in(self.ply as i32 + 2)
        }
    }
}

/// One search: what it works with and what it works on.
pub(super) struct Searcher<'a, E: Evaluation> {
    pub(super) evaluation: &'a E,
    pub(super) settings: &'a Settings,
    pub(super) memory: &'a mut Memory,
    pub(super) control: Control<'a>,
    /// The side the search plays for.
    pub(super) root_side: Side,
    /// Is shown each completed iteration.
    pub(super) watch: &'a mut dyn FnMut(&Report),
}

/// What is asked about a node.
#[derive(Clone, Copy, Debug)]
struct Question {
    window: Window,
    depth: i32,
    /// The evaluation; worse than any in check, where standing still is no choice.
    evaluation: Score,
}

/// What the loop over moves has found.
pub(super) struct Progress {
    /// What still matters: its lower end is the best score so far.
    window: Window,
    pub(super) best: Score,
    pub(super) mv: Option<Move>,
    count: usize,
}

impl Progress {
    fn new(window: Window) -> Self {
        Self { window, best: -Score::INFINITE, mv: None, count: 0 }
    }

    /// Takes the score of the next move in; whether it is the best within the window.
    fn note(&mut self, mv: Move, score: Score) -> bool {
        self.count += 1;
        self.best = self.best.max(score);
        if score <= self.window.alpha {
            return false;
        }
        self.window.alpha = score;
        self.mv = Some(mv);
        true
    }

    fn is_refutation(&self) -> bool {
        self.best >= self.window.beta
    }
}

impl<E: Evaluation> Searcher<'_, E> {
    /// The node that a safe move leads to.
    pub(super) fn child(&self, node: &Node<E::State>, mv: Move) -> Node<E::State> {
        let in_check = node.position.gives_check(mv);
        let mut position = node.position;
        let played = position.play(mv);
        let state = self.evaluation.update(node.state, &played, &position);
        Node { position, state, ply: node.ply + 1, in_check, after_pass: false }
    }

    /// Enters a node and searches it `depth` plies deep.
    pub(super) fn visit(&mut self, node: &Node<E::State>, window: Window, depth: i32) -> Searched {
        self.control.enter()?;
        self.memory.line(node.ply).clear();
        let window = match self.undecided(node, window) {
            Ok(window) => window,
            Err(score) => return Ok(score),
        };
        if self.settings.params.repetition && self.memory.seen.contains(node.position.key()) {
            return Ok(Score::DRAW);
        }
        let depth = if node.in_check { depth + self.settings.check_extension } else { depth };
        if depth <= 0 {
            return self.resolve(node, window);
        }
        self.memory.seen.push(node.position.key());
        let result = self.expand(node, window, depth);
        self.memory.seen.pop();
        result
    }

    /// The window within what the plies left allow, or the score if that settles it.
    pub(super) fn undecided(&self, node: &Node<E::State>, window: Window) -> Result<Window, Score> {
        let plies = node.position.plies();
        if plies >= PLY_LIMIT {
            Err(Score::DRAW)
        } else if self.settings.params.horizon {
            window.within(possible(plies, node.ply))
        } else {
            Ok(window)
        }
    }

    fn expand(&mut self, node: &Node<E::State>, window: Window, depth: i32) -> Searched {
        let known = self.recall(node);
        if let Some(score) = known.and_then(|entry| cutoff(&entry, window, depth)) {
            return Ok(score);
        }
        let evaluation = if node.in_check { Score::WORST_ESTIMATE } else { self.evaluate(node) };
        let question = Question { window, depth, evaluation };
        if let Some(score) = self.far_above(question) {
            return Ok(score);
        }
        if let Some(score) = self.try_pass(node, question)? {
            return Ok(score);
        }
        let mut first = known.and_then(|entry| entry.best);
        if first.is_none() && depth >= self.settings.iid_min_depth {
            first = self.find_first(node, window, depth)?;
        }
        self.try_moves(node, question, first.and_then(|code| Move::from_code(code.into())))
    }

    /// Reverse futility: near the horizon, a position that stands far above beta will stay there.
    fn far_above(&self, question: Question) -> Option<Score> {
        let Question { window, depth, evaluation } = question;
        let sure = evaluation - self.settings.reverse_futility_margin * depth;
        let wanted = depth <= self.settings.reverse_futility_depth && !window.is_open() && !window.beta.is_loss();
        (wanted && sure >= window.beta).then_some(sure)
    }

    /// The evaluation, tilted to the side the search plays for, and no better than a draw where no win is possible.
    pub(super) fn evaluate(&self, node: &Node<E::State>) -> Score {
        let score = self.evaluation.score(&node.state, &node.position);
        let tilted = if node.position.side_to_move() == self.root_side {
            score + self.settings.optimism
        } else {
            score - self.settings.optimism
        };
        if self.settings.params.horizon && is_too_late_to_win(node.position.plies()) {
            tilted.min(Score::DRAW)
        } else {
            tilted
        }
    }

    /// Gives the opponent a free move: if that does not help, some move of one's own is good enough.
    fn try_pass(&mut self, node: &Node<E::State>, question: Question) -> Result<Option<Score>, Halted> {
        let Question { window, depth, evaluation } = question;
        let wanted = depth >= self.settings.null_move_min_depth
            && !node.after_pass
            && !window.is_open()
            && evaluation > window.beta + self.settings.null_move_margin;
        if !wanted {
            return Ok(None);
        }
        let mut position = node.position;
        position.pass();
        let child = Node { position, ply: node.ply + 1, in_check: false, after_pass: true, ..*node };
        let depth = depth - self.settings.params.null_move_reduction;
        let score = -self.visit(&child, Window::reaches(window.beta).flipped(), depth)?;
        // A win that relies on passing is not proven.
        Ok((score >= window.beta).then_some(if score.is_win() { window.beta } else { score }))
    }

    /// Internal iterative deepening: the best move of a shallower search.
    fn find_first(&mut self, node: &Node<E::State>, window: Window, depth: i32) -> Result<Option<u16>, Halted> {
        self.expand(node, window, depth - self.settings.params.iid_reduction)?;
        Ok(self.recall(node).and_then(|entry| entry.best))
    }

    fn try_moves(&mut self, node: &Node<E::State>, question: Question, first: Option<Move>) -> Searched {
        let Question { window, depth, .. } = question;
        let enough = self.enough(node, question);
        let mut progress = Progress::new(window);
        self.memory.picker(node.ply).start(&node.position, node.in_check, first);
        while let Some(choice) = self.memory.picker(node.ply).next(&node.position) {
            if choice.boring && progress.count >= enough {
                progress.best = progress.best.max(self.limit_of_boring(question));
                self.memory.picker(node.ply).skip_boring();
                continue;
            }
            let score = self.try_move(node, choice, &progress, depth)?;
            if progress.note(choice.mv, score) {
                self.memory.extend_line(node.ply, choice.mv);
            }
            if progress.is_refutation() {
                self.reward(node, choice.mv);
                break;
            }
        }
        if progress.best == -Score::INFINITE {
            progress.best = node.no_safe_move();
        }
        self.remember(node, depth, window, &progress);
        Ok(progress.best)
    }

    /// How many moves are tried before boring ones are left out: none where the evaluation is so far below alpha that
    /// no boring move makes up for it (futility), a few near the horizon where no exact score is wanted (late pruning).
    fn enough(&self, node: &Node<E::State>, question: Question) -> usize {
        let Question { window, depth, evaluation } = question;
        if node.in_check {
            usize::MAX
        } else if depth <= self.settings.futility_depth
            && evaluation + self.settings.futility_margin * depth < window.alpha
        {
            0
        } else if window.is_open() {
            usize::MAX
        } else {
            self.settings.late_from(depth)
        }
    }

    /// What boring moves left out are taken to score at most.
    fn limit_of_boring(&self, question: Question) -> Score {
        (question.evaluation + self.settings.futility_margin * question.depth).min(question.window.alpha)
    }

    /// Searches one move: the first with the whole window, the others to show that they are worse.
    fn try_move(&mut self, node: &Node<E::State>, choice: Choice, progress: &Progress, depth: i32) -> Searched {
        let Progress { window, count: index, .. } = *progress;
        let child = self.child(node, choice.mv);
        if index == 0 {
            return Ok(-self.visit(&child, window.flipped(), depth - 1)?);
        }
        let reduction = if choice.boring { self.settings.late_reduction(index, depth) } else { 0 };
        let narrow = Window::above(window.alpha).flipped();
        let mut score = -self.visit(&child, narrow, depth - 1 - reduction)?;
        if score > window.alpha && reduction > 0 {
            score = -self.visit(&child, narrow, depth - 1)?;
        }
        if score > window.alpha && score < window.beta {
            score = -self.visit(&child, window.flipped(), depth - 1)?;
        }
        Ok(score)
    }

    /// Remembers a quiet move that refuted a position.
    fn reward(&mut self, node: &Node<E::State>, mv: Move) {
        let quiet = mv.to().is_some_and(|to| !node.position.occupied().contains(to));
        if self.settings.params.killers && quiet && !node.in_check {
            self.memory.picker(node.ply).add_killer(mv);
        }
    }
}
