//! Simulations: selection of a leaf by PUCT, its evaluation, its moves.
//!
//! At each node the move with the largest Q + U is selected,
//!
//! ```text
//! U = cpuct x P x sqrt(N) / (u + n)
//! cpuct = init + weight x ln((N + base + 1) / base)
//! u = u_min - exp(-N / u_base) x (u_min - u_init), or 1
//! ```
//!
//! with the prior P of the move, the visits N of the node and n of the move. Q is the mean value of the move; of a move
//! without visits it is the node's own, less `reduction x sqrt(sum of the priors of visited moves)`.

use super::math::{exp, ln};
use super::tree::Node;
use super::{Evaluation, Game, MctsParams, Proof, Tree};

/// What is selected at a node.
enum Selected {
    /// A child, with the place of its edge.
    Child(u32, usize),
    /// The first edge without a child.
    Next(usize),
    /// Nothing: all moves lose, or there is no room for others.
    Nothing,
}

impl Tree {
    /// Makes sure that the root has its moves: the position at ply 0 of the game. It may be that of an earlier search.
    /// `false` if the game has no moves there.
    pub fn begin(&mut self, game: &mut impl Game, params: &MctsParams) -> bool {
        if self.is_empty() {
            self.start(game);
        }
        let mut has_moves = self.node(0).moves > 0 || self.expand(game, 0, 0, params);
        if !has_moves && self.len() > 1 {
            // The pool is full of what the last search left.
            self.clear();
            self.start(game);
            has_moves = self.expand(game, 0, 0, params);
        }
        if has_moves && !self.is_root_heated {
            self.heat_root(params.mcts_root_temperature);
        }
        has_moves
    }

    fn start(&mut self, game: &mut impl Game) {
        // The root is searched whatever it is.
        let value = match game.evaluate(0) {
            Evaluation::Estimate(value) => value,
            Evaluation::Proven(proof) => proof.value().unwrap_or(0.5),
            Evaluation::Repeated => 0.5,
        };
        self.plant(Proof::Open);
        self.node_mut(0).count(value);
    }

    /// Runs one simulation: goes from the root to a leaf, evaluates it, and counts a visit of every node on the way.
    /// Returns the number of plies.
    ///
    /// [`Tree::begin`] must have been called.
    pub fn simulate(&mut self, game: &mut impl Game, params: &MctsParams) -> usize {
        self.scratch.path.clear();
        self.scratch.path.push(0);
        let (mut at, mut ply) = (0, 0);
        let value = loop {
            if let Some(value) = self.node(at).proof.value() {
                break value;
            }
            if !self.has_moves(game, ply, at, params) {
                break self.node(at).value();
            }
            let (child, index) = match self.select(at, params) {
                Selected::Child(child, index) => (Some(child), index),
                Selected::Next(index) => (None, index),
                Selected::Nothing => break self.node(at).mean(),
            };
            let Some(edge) = self.edge(at, index) else { break self.node(at).mean() };
            game.play(ply, edge.mv());
            ply += 1;
            if let Some(child) = child {
                self.scratch.path.push(child);
                at = child;
                continue;
            }
            break self.visit(game, ply, at);
        };
        self.back_up(value, params);
        ply
    }

    /// Evaluates the position at the end of the line, which becomes a child of `parent`.
    fn visit(&mut self, game: &mut impl Game, ply: usize, parent: u32) -> f64 {
        let (proof, estimate) = match game.evaluate(ply) {
            Evaluation::Estimate(value) => (Proof::Open, value),
            Evaluation::Proven(proof) => (proof, 0.5),
            Evaluation::Repeated => (Proof::Repeated, 0.5),
        };
        let value = proof.value().unwrap_or(estimate);
        match self.add_child(parent, proof) {
            Some(child) => {
                self.scratch.path.push(child);
                value
            }
            None => 1.0 - value,
        }
    }

    /// Whether a node has its moves, or gets them with this visit.
    fn has_moves(&mut self, game: &mut impl Game, ply: usize, at: u32, params: &MctsParams) -> bool {
        let node = self.node(at);
        if node.moves > 0 {
            return true;
        }
        let visit = node.visits.saturating_add(1);
        visit >= params.mcts_expansion.unsigned_abs() && self.expand(game, ply, at, params)
    }

    fn select(&self, at: u32, params: &MctsParams) -> Selected {
        let node = self.node(at);
        let visits = f64::from(node.visits);
        let weight = exploration(node, at == 0, params) * visits.sqrt();
        let u = if params.mcts_u_divisor {
            let done = 1.0 - exp(-visits / f64::from(params.mcts_u_base));
            params.mcts_u_init + done * (params.mcts_u_min - params.mcts_u_init)
        } else {
            1.0
        };
        let (mut best, mut best_score) = (Selected::Nothing, f64::MIN);
        let (mut visited_prior, mut index) = (0.0, 0);
        for (number, child, edge) in self.children(at) {
            let prior = edge.prior();
            visited_prior += prior;
            let is_lost = params.mcts_solver && matches!(child.proof, Proof::Win(_));
            let score = 1.0 - child.value() + weight * prior / (u + f64::from(child.visits));
            if !is_lost && score > best_score {
                (best, best_score) = (Selected::Child(number, index), score);
            }
            index += 1;
        }
        let Some(edge) = self.edge(at, index).filter(|_| self.has_room()) else { return best };
        let q = if params.mcts_fpu { node.mean() - params.mcts_fpu_reduction * visited_prior.sqrt() } else { 0.0 };
        if q + weight * edge.prior() / u > best_score {
            best = Selected::Next(index);
        }
        best
    }
}

/// cpuct of a node.
fn exploration(node: &Node, is_root: bool, params: &MctsParams) -> f64 {
    let mut cpuct = params.mcts_cpuct;
    if params.mcts_growth {
        let base = f64::from(params.mcts_growth_base);
        cpuct += params.mcts_growth_weight * ln((f64::from(node.visits) + base + 1.0) / base);
    }
    if is_root {
        cpuct *= params.mcts_root_cpuct;
    }
    if params.mcts_spread && node.visits > 1 {
        let (visits, mean) = (f64::from(node.visits), node.mean());
        let spread = (f64::from(node.squares) / visits - mean * mean).max(0.0).sqrt();
        // Few values say little of how much they differ.
        let known = visits / (visits + 16.0);
        cpuct *= 1.0 + known * params.mcts_spread_weight * (spread / params.mcts_spread_usual - 1.0).clamp(-1.0, 1.0);
    }
    cpuct.max(0.0)
}
