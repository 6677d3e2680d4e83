//! Simulations: select a leaf, evaluate its position or list its moves, and back up its value.
//!
//! Several threads can simulate in one tree. Each has its own game and several lines in progress. A thread locks the
//! tree while it selects and backs up its lines, and releases it while its game evaluates or lists moves. Until a line
//! ends, each of its nodes counts some extra visits, all lost for the side that moved to it (virtual loss), so that
//! other lines go elsewhere.

use super::priors::Priors;
use super::select::End;
use super::{Evaluation, Game, MctsParams, Proof, Tree};

/// The line of a simulation, from the root, with its reusable buffers.
#[derive(Debug, Default)]
pub(super) struct Line {
    nodes: Vec<u32>,
    moves: Vec<u16>,
    /// The number of moves that the game has played.
    played: usize,
    priors: Priors,
    step: Step,
    /// Whether other lines are in progress at the same time.
    is_shared: bool,
}

/// The next step of a simulation.
#[derive(Clone, Copy, Debug, Default)]
enum Step {
    /// No simulation is in progress.
    #[default]
    Idle,
    /// The game must list the moves of the last node.
    List,
    /// The game has listed the moves; the result applies if there are none.
    Listed(Proof),
    /// The game must evaluate the last node.
    Evaluate,
    /// The game has evaluated the last node.
    Evaluated(Evaluation),
}

impl Line {
    /// A line beside others.
    pub(super) fn shared() -> Self {
        Self { is_shared: true, ..Self::default() }
    }

    /// The node at the end.
    pub(super) fn last(&self) -> u32 {
        self.nodes.last().copied().unwrap_or(0)
    }

    pub(super) fn push(&mut self, mv: u16, node: u32) {
        self.moves.push(mv);
        self.nodes.push(node);
    }

    /// Whether no simulation is in progress.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self.step, Step::Idle)
    }

    /// The length in plies.
    pub(super) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Runs one simulation: descends from the root to a leaf, evaluates it, and counts a visit at every node on the
    /// way.
    ///
    /// [`Tree::begin`] must have been called.
    pub(super) fn simulate(&mut self, tree: &mut Tree, game: &mut impl Game, params: &MctsParams) {
        self.select(tree, params);
        while !self.is_idle() {
            self.ask(game, params);
            self.proceed(tree, params);
        }
    }

    /// Begins a simulation, and ends it at once if it does not need the game.
    pub(super) fn select(&mut self, tree: &mut Tree, params: &MctsParams) {
        self.nodes.clear();
        self.nodes.push(0);
        self.moves.clear();
        self.played = 0;
        self.descend(tree, params);
    }

    /// Lets the game do the next step.
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

    /// Plays the moves that the game has not played yet, and returns the last ply.
    fn play(&mut self, game: &mut impl Game) -> usize {
        if self.is_shared {
            // The game has played other lines in between.
            self.played = 0;
        }
        for &mv in &self.moves[self.played..] {
            game.play(self.played, mv);
            self.played += 1;
        }
        self.played
    }

    /// Stores the game's answer in the tree, and continues.
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

    /// Continues in the tree, and backs up the value if it is known.
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
    /// Ensures that the root, the position at ply 0 of the game, has its moves. The root may come from an earlier
    /// search. `false` if the game has no moves there.
    pub(super) fn begin(&mut self, game: &mut impl Game, params: &MctsParams) -> bool {
        self.growth.prepare(params.mcts_growth_base);
        if self.is_empty() {
            self.start(game);
        }
        if self.node(0).moves == 0 {
            if !self.has_room() {
                // Nodes of the last search fill the pool.
                self.clear();
                self.start(game);
            }
            let mut priors = Priors::default();
            priors.read(game, 0, params);
            if priors.is_empty() {
                return false;
            }
            self.expand(0, &priors, Proof::Open);
            self.search_root();
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
        self.search_root();
        self.node_mut(0).count(value);
    }

    /// The root is searched even if its evaluation has proven its result.
    fn search_root(&mut self) {
        self.node_mut(0).proof = Proof::Open;
    }

    /// Gives a node its moves, or its result if it has none.
    fn expand(&mut self, at: u32, priors: &Priors, result: Proof) {
        if priors.is_empty() {
            self.node_mut(at).proof = result;
        } else if self.node(at).moves == 0 && self.has_room() {
            self.add_edges(at, priors.edges());
        }
    }

    /// Sets the result of a new node, if it is known. Returns the value for its side to move.
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
