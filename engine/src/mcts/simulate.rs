//! Simulations: a leaf is selected, its position evaluated or its moves listed, and its value backed up.
//!
//! Several threads can simulate in one tree. Each has a game and a [`Line`] of its own. It holds the tree while it
//! selects and backs up, and lets go of it while its game evaluates or lists moves. Until it is back, each node of its
//! line counts some visits more, all of them lost for the side that moved to it (virtual loss), so that the others
//! search elsewhere.

use super::priors::Priors;
use super::select::End;
use super::{Evaluation, Game, MctsParams, Proof, Tree};
use std::sync::{Mutex, PoisonError};

/// How a thread comes by the tree.
pub(super) trait Access {
    /// Whether other threads do, too.
    const SHARED: bool;

    /// Does something with the tree, which no other thread has meanwhile.
    fn with<R>(&mut self, act: impl FnOnce(&mut Tree) -> R) -> R;
}

/// The only thread.
pub(super) struct Alone<'a>(pub(super) &'a mut Tree);

impl Access for Alone<'_> {
    const SHARED: bool = false;

    fn with<R>(&mut self, act: impl FnOnce(&mut Tree) -> R) -> R {
        act(self.0)
    }
}

/// One of several threads.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a>(pub(super) &'a Mutex<&'a mut Tree>);

impl Access for Shared<'_> {
    const SHARED: bool = true;

    fn with<R>(&mut self, act: impl FnOnce(&mut Tree) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The line of a simulation, from the root on, and what else a thread uses again and again.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) nodes: Vec<u32>,
    moves: Vec<u16>,
    /// How many of the moves the game has played.
    played: usize,
    priors: Priors,
}

/// What a simulation came to.
pub(super) struct Simulated {
    /// The length of its line, in plies.
    pub(super) plies: usize,
    /// The result of the root after it.
    pub(super) proof: Proof,
}

/// What the game is to do for a line.
enum Wanted {
    /// Nothing: the simulation is over, and this is the result of the root.
    Nothing(Proof),
    Moves,
    Value,
}

impl Line {
    /// The node at its end.
    pub(super) fn last(&self) -> u32 {
        self.nodes.last().copied().unwrap_or(0)
    }

    pub(super) fn push(&mut self, mv: u16, node: u32) {
        self.moves.push(mv);
        self.nodes.push(node);
    }

    fn start(&mut self) {
        self.nodes.clear();
        self.nodes.push(0);
        self.moves.clear();
        self.played = 0;
    }

    /// Plays the moves that the game has not played, and returns the ply at the end.
    fn play(&mut self, game: &mut impl Game) -> usize {
        for &mv in &self.moves[self.played..] {
            game.play(self.played, mv);
            self.played += 1;
        }
        self.played
    }

    /// Runs one simulation: goes from the root to a leaf, evaluates it, and counts a visit of every node on the way.
    ///
    /// [`Tree::begin`] must have been called.
    pub(super) fn simulate<G: Game, A: Access>(
        &mut self,
        tree: &mut A,
        game: &mut G,
        params: &MctsParams,
    ) -> Simulated {
        self.start();
        let mut wanted = tree.with(|tree| self.continue_in::<A>(tree, params));
        let proof = loop {
            match wanted {
                Wanted::Nothing(proof) => break proof,
                Wanted::Moves => {
                    let ply = self.play(game);
                    self.priors.read(game, ply, params);
                    let result = if self.priors.is_empty() { game.without_moves(ply) } else { Proof::Open };
                    wanted = tree.with(|tree| {
                        self.come_back::<A>(tree);
                        tree.expand(self.last(), &self.priors, result);
                        self.continue_in::<A>(tree, params)
                    });
                }
                Wanted::Value => {
                    let ply = self.play(game);
                    let evaluation = game.evaluate(ply);
                    break tree.with(|tree| {
                        self.come_back::<A>(tree);
                        let value = tree.take_value(self.last(), evaluation);
                        tree.back_up(&self.nodes, value, params);
                        tree.proof()
                    });
                }
            }
        };
        Simulated { plies: self.moves.len(), proof }
    }

    /// Continues the line in the tree, and backs its value up if that is known.
    fn continue_in<A: Access>(&mut self, tree: &mut Tree, params: &MctsParams) -> Wanted {
        let wanted = match tree.descend(self, params) {
            End::Value(value) => {
                tree.back_up(&self.nodes, value, params);
                return Wanted::Nothing(tree.proof());
            }
            End::Unexpanded => Wanted::Moves,
            End::New => Wanted::Value,
        };
        if A::SHARED {
            if matches!(wanted, Wanted::Value) {
                tree.pending.push(self.last());
            }
            tree.add_virtual_loss(&self.nodes);
        }
        wanted
    }

    /// Undoes what [`Line::continue_in`] did for other threads.
    fn come_back<A: Access>(&self, tree: &mut Tree) {
        if A::SHARED {
            let last = self.last();
            tree.pending.retain(|&node| node != last);
            tree.remove_virtual_loss(&self.nodes);
        }
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
