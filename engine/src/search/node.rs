//! Alpha-beta over the moves of a position: principal variation search with everything that shortens it.
//!
//! Owns what happens at one node of the tree: results that need no search, the table, passing, internal iterative
//! deepening, the loop over moves with its reductions and prunings. What happens at the horizon is in `quiescence`, what
//! happens at the root in `iterate`.

use super::control::Control;
use super::memory::{Memory, PLIES};
use super::ordering::Choice;
use super::settings::Settings;
use super::table::{Bound, Entry};
use super::window::{possible, Window};
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
}

/// From this ply on the plies left decide scores within the reach of a search, so that a position's number of plies
/// is made part of its key.
const NEAR_THE_END: u16 = PLY_LIMIT - 24;

/// What the loop over moves has found.
struct Best {
    score: Score,
    mv: Option<Move>,
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
        if let Some(score) = self.try_pass(node, evaluation, window, depth)? {
            return Ok(score);
        }
        let mut first = known.and_then(|entry| entry.best);
        if first.is_none() && depth >= self.settings.iid_min_depth {
            first = self.find_first(node, window, depth)?;
        }
        self.try_moves(node, evaluation, window, depth, first.and_then(|code| Move::from_code(code.into())))
    }

    /// The evaluation, tilted to the side the search plays for.
    pub(super) fn evaluate(&self, node: &Node<E::State>) -> Score {
        let score = self.evaluation.score(&node.state, &node.position);
        if node.position.side_to_move() == self.root_side {
            score + self.settings.optimism
        } else {
            score - self.settings.optimism
        }
    }

    /// Gives the opponent a free move: if that does not help, some move of one's own is good enough.
    fn try_pass(
        &mut self,
        node: &Node<E::State>,
        evaluation: Score,
        window: Window,
        depth: i32,
    ) -> Result<Option<Score>, Halted> {
        let wanted = depth >= self.settings.null_move_min_depth
            && !node.in_check
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

    fn try_moves(
        &mut self,
        node: &Node<E::State>,
        evaluation: Score,
        window: Window,
        depth: i32,
        first: Option<Move>,
    ) -> Searched {
        let futile = self.settings.params.futility
            && depth == 1
            && !node.in_check
            && evaluation + self.settings.futility_margin < window.alpha;
        let mut open = window;
        let mut best = Best { score: -Score::INFINITE, mv: None };
        let mut index = 0;
        self.memory.picker(node.ply).start(&node.position, node.in_check, first);
        while let Some(choice) = self.memory.picker(node.ply).next(&node.position) {
            if futile && choice.boring {
                best.score = best.score.max(evaluation + self.settings.futility_margin);
                break;
            }
            let score = self.try_move(node, choice, index, open, depth)?;
            index += 1;
            if score > best.score {
                best.score = score;
                if score > open.alpha {
                    best.mv = Some(choice.mv);
                    open.alpha = score;
                    self.memory.extend_line(node.ply, choice.mv);
                }
                if score >= open.beta {
                    self.reward(node, choice.mv);
                    break;
                }
            }
        }
        if best.score == -Score::INFINITE {
            best.score = node.no_safe_move();
        }
        self.remember(node, depth, window, &best);
        Ok(best.score)
    }

    /// Searches one move: the first with the whole window, the others to show that they are worse.
    fn try_move(
        &mut self,
        node: &Node<E::State>,
        choice: Choice,
        index: usize,
        window: Window,
        depth: i32,
    ) -> Searched {
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

    fn reward(&mut self, node: &Node<E::State>, mv: Move) {
        let quiet = mv.to().is_some_and(|to| !node.position.occupied().contains(to));
        if self.settings.params.killers && quiet && !node.in_check {
            self.memory.picker(node.ply).add_killer(mv);
        }
    }

    fn key(&self, node: &Node<E::State>) -> u64 {
        let plies = node.position.plies();
        let near_the_end = if plies >= NEAR_THE_END { u64::from(plies) } else { 0 };
        let tilt = if self.settings.optimism == Score::DRAW { 0 } else { self.root_side.index() as u64 };
        node.position.key() ^ (near_the_end * 2 + tilt).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// What the table knows of a node, its score seen from the root. A win that comes too late for the game is no win.
    fn recall(&self, node: &Node<E::State>) -> Option<Entry> {
        if !self.settings.params.table {
            return None;
        }
        let entry = self.memory.table.probe(self.key(node))?;
        let left = i32::from(PLY_LIMIT - node.position.plies());
        let depth = if entry.score.plies_to_end().is_some_and(|plies| plies > left) { 0 } else { entry.depth };
        Some(Entry { score: entry.score.earlier(node.ply as i32), depth, ..entry })
    }

    fn remember(&mut self, node: &Node<E::State>, depth: i32, window: Window, best: &Best) {
        if !self.settings.params.table {
            return;
        }
        let bound = if best.score >= window.beta {
            Bound::Lower
        } else if best.score > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: best.mv.map(|mv| mv.code() as u16),
            score: best.score.later(node.ply as i32),
            depth: depth.clamp(0, PLIES as i32) as u8,
            bound,
        };
        self.memory.table.store(self.key(node), entry);
    }
}

/// Whether a remembered score answers the question asked. Open windows are searched anew, for the line.
fn cutoff(entry: &Entry, window: Window, depth: i32) -> Option<Score> {
    let enough = match entry.bound {
        Bound::Upper => entry.score <= window.alpha,
        Bound::Lower => entry.score >= window.beta,
        Bound::Exact => true,
    };
    (enough && i32::from(entry.depth) >= depth && !window.is_open()).then_some(entry.score)
}
