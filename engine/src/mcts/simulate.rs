//! Simulations: a leaf is selected, its position evaluated or its moves listed, and its value backed up.
//!
//! Several threads can simulate in one tree. Each has a game of its own, and some lines under way at once. It holds the
//! tree while it selects and backs up all of them, and lets go of it while its game evaluates or lists moves. Until
//! then, each node of a line counts some visits more, all of them lost for the side that moved to it (virtual loss), so
//! that other lines go elsewhere.

use super::priors::Priors;
use super::select::End;
use super::{Evaluation, Game, MctsParams, Proof, Tree};

/// The line of a simulation, from the root on, and what else it uses again and again.
#[derive(Debug, Default)]
pub(super) struct Line {
    nodes: Vec<u32>,
    moves: Vec<u16>,
    /// How many of the moves the game has played.
    played: usize,
    priors: Priors,
    step: Step,
    /// Whether other lines are under way at the same time.
    is_shared: bool,
}

/// What comes next in a simulation.
#[derive(Clone, Copy, Debug, Default)]
enum Step {
    /// Nothing: none is under way.
    #[default]
    Idle,
    /// The game is to list the moves of the last node.
    List,
    /// It has, and this is the result of a node without any.
    Listed(Proof),
    /// The game is to evaluate the last node.
    Evaluate,
    /// It has.
    Evaluated(Evaluation),
}

impl Line {
    /// One of several at the same time.
    pub(super) fn shared() -> Self {
        Self { is_shared: true, ..Self::default() }
    }

    /// The node at its end.
    pub(super) fn last(&self) -> u32 {
        self.nodes.last().copied().unwrap_or(0)
    }

    pub(super) fn push(&mut self, mv: u16, node: u32) {
        self.moves.push(mv);
        self.nodes.push(node);
    }

    /// Whether no simulation is under way.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self.step, Step::Idle)
    }

    /// Its length, in plies.
    pub(super) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Runs one simulation: goes from the root to a leaf, evaluates it, and counts a visit of every node on the way.
    ///
    /// [`Tree::begin`] must have been called.
    pub(super) fn simulate(&mut self, tree: &mut Tree, game: &mut impl Game, params: &MctsParams) {
        self.select(tree, params);
        while !self.is_idle() {
            self.ask(game, params);
            self.proceed(tree, params);
        }
    }

    /// Begins a simulation. It is over at once if the game is not needed.
    pub(super) fn select(&mut self, tree: &mut Tree, params: &MctsParams) {
        self.nodes.clear();
        self.nodes.push(0);
        self.moves.clear();
        self.played = 0;
        self.descend(tree, params);
    }

    /// Has the game do what comes next.
    pub(super) fn ask(&mut self, game: &mut impl Game, params: &MctsParams) {
        self.step = match self.step {
            Step::List => {
                let ply = self.play(game);
                self.priors.read(game, ply, params);
                Step::Listed(if self.priors.is_empty() { game.without_moves(ply) } else { Proof::Open })
            }
            Step::Evaluate => {
                let ply = self.play(game);
                Step::Evaluated(game.evaluate(ply))
            }
            other => other,
        };
    }

    /// Plays the moves that the game has not played, and returns the ply at the end.
    fn play(&mut self, game: &mut impl Game) -> usize {
        if self.is_shared {
            // The game has played other lines since.
            self.played = 0;
        }
        for &mv in &self.moves[self.played..] {
            game.play(self.played, mv);
            self.played += 1;
        }
        self.played
    }

    /// Takes what the game has answered into the tree, and continues.
    pub(super) fn proceed(&mut self, tree: &mut Tree, params: &MctsParams) {
        if self.is_shared && !self.is_idle() {
            let last = self.last();
            tree.pending.retain(|&node| node != last);
            tree.remove_virtual_loss(&self.nodes);
        }
        match self.step {
            Step::Listed(result) => {
                tree.expand(self.last(), &self.priors, result);
                self.descend(tree, params);
            }
            Step::Evaluated(evaluation) => {
                let value = tree.take_value(self.last(), evaluation);
                self.end(tree, value, params);
            }
            Step::Idle | Step::List | Step::Evaluate => {}
        }
    }

    /// Continues in the tree, and backs the value up if that is known.
    fn descend(&mut self, tree: &mut Tree, params: &MctsParams) {
        self.step = match tree.descend(self, params) {
            End::Value(value) => return self.end(tree, value, params),
            End::Unexpanded => Step::List,
            End::New => Step::Evaluate,
        };
        if self.is_shared {
            if matches!(self.step, Step::Evaluate) {
                tree.pending.push(self.last());
            }
            tree.add_virtual_loss(&self.nodes);
        }
    }

    fn end(&mut self, tree: &mut Tree, value: f64, params: &MctsParams) {
        tree.back_up(&self.nodes, value, params);
        self.step = Step::Idle;
    }
}

impl Tree {
    /// Makes sure that the root has its moves: the position at ply 0 of the game. It may be that of an earlier search.
    /// `false` if the game has no moves there.
    pub(super) fn begin(&mut self, game: &mut impl Game, params: &MctsParams) -> bool {
        if self.is_empty() {
            self.start(game);
        }
        if self.node(0).moves == 0 {
            if !self.has_room() {
                // The pool is full of what the last search left.
                self.clear();
                self.start(game);
            }
            let mut priors = Priors::default();
            priors.read(game, 0, params);
            if priors.is_empty() {
                return false;
            }
            self.expand(0, &priors, Proof::Open);
        }
        if !self.is_root_heated {
            self.heat_root(params.mcts_root_temperature);
        }
        true
    }

    fn start(&mut self, game: &mut impl Game) {
        let evaluation = game.evaluate(0);
        self.plant();
        let value = self.take_value(0, evaluation);
        // The root is searched whatever it is.
        self.node_mut(0).proof = Proof::Open;
        self.node_mut(0).count(value);
    }

    /// Gives a node its moves, or its result if it has none.
    fn expand(&mut self, at: u32, priors: &Priors, result: Proof) {
        if priors.is_empty() {
            self.node_mut(at).proof = result;
        } else if self.node(at).moves == 0 && self.has_room() {
            self.add_edges(at, priors.edges());
        }
    }

    /// Sets the result of a new node, if it is known. The value for its side to move.
    fn take_value(&mut self, at: u32, evaluation: Evaluation) -> f64 {
        let (proof, estimate) = match evaluation {
            Evaluation::Estimate(value) => (Proof::Open, value),
            Evaluation::Proven(proof) => (proof, 0.5),
            Evaluation::Repeated => (Proof::Repeated, 0.5),
        };
        let node = self.node_mut(at);
        if node.proof == Proof::Open {
            node.proof = proof;
        }
        node.proof.value().unwrap_or(estimate)
    }
}
