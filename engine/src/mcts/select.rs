//! Selection by PUCT: from the root to a leaf.
//!
//! At each node the move with the largest Q + U is selected,
//!
//! ```text
//! U = cpuct x P x sqrt(N) / (u + n)
//! cpuct = init + weight x ln((N + base + 1) / base)
//! u = u_min - exp(-N / u_base) x (u_min - u_init), or 1
//! ```
//!
//! with the prior P of the move, the visits N of the node and n of the move. Q is the mean value of the move; for a
//! move without visits it is the node's own value minus `reduction x sqrt(sum of the priors of visited moves)`.

use super::math::{exp, ln};
use super::simulate::Line;
use super::tree::Node;
use super::{MctsParams, Proof, Tree};

/// The number of visits for which the logarithm in cpuct is known.
const KNOWN: u32 = 1024;

/// The logarithm in cpuct by the visits of a node. To compute it takes longer than to compare a few moves, and most
/// nodes have few visits.
#[derive(Debug, Default)]
pub(super) struct Growth {
    /// The base of the logarithms in `known`.
    base: i32,
    /// By visits, from 0.
    known: Vec<f64>,
}

impl Growth {
    /// Computes those of few visits, if the base is another than before.
    pub(super) fn prepare(&mut self, base: i32) {
        if self.known.is_empty() || self.base != base {
            self.base = base;
            self.known.clear();
            self.known.extend((0..KNOWN).map(|visits| logarithm(visits, base)));
        }
    }

    /// The one for these visits and the base that was prepared.
    pub(super) fn of(&self, visits: u32) -> f64 {
        self.known.get(visits as usize).copied().unwrap_or_else(|| logarithm(visits, self.base))
    }
}

fn logarithm(visits: u32, base: i32) -> f64 {
    let base = f64::from(base);
    ln((f64::from(visits) + base + 1.0) / base)
}

/// Why a descent stops.
pub(super) enum End {
    /// The node has this value for its side to move.
    Value(f64),
    /// The node needs its moves.
    Unexpanded,
    /// The node is new, and its position needs an evaluation.
    New,
}

/// The selection at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selected {
    /// A child, with the index of its edge.
    Child(u32, usize),
    /// The first edge without a child.
    Next(usize),
    /// No move: all moves lose, or there is no room for new nodes.
    Nothing,
}

impl Tree {
    /// Continues a line from its last node.
    pub(super) fn descend(&mut self, line: &mut Line, params: &MctsParams) -> End {
        let mut at = line.last();
        loop {
            let node = self.node(at);
            if let Some(value) = node.proof.value() {
                return End::Value(value);
            }
            if node.moves == 0 {
                return self.leaf(at, params);
            }
            let (child, index) = match self.select(at, params) {
                Selected::Child(child, index) => (Some(child), index),
                Selected::Next(index) => (None, index),
                Selected::Nothing => return End::Value(node.mean()),
            };
            let is_new = child.is_none();
            let edge = self.edge(at, index);
            let child = child.or_else(|| self.add_child(at));
            let (Some(edge), Some(child)) = (edge, child) else { return End::Value(self.node(at).mean()) };
            line.push(edge.mv(), child);
            if is_new {
                return End::New;
            }
            at = child;
        }
    }

    /// How a line ends at a node that has no moves yet.
    fn leaf(&self, at: u32, params: &MctsParams) -> End {
        if self.pending.contains(&at) {
            // Another thread is evaluating the node, and this thread should not wait for it.
            return End::New;
        }
        let node = self.node(at);
        let visit = node.visits.saturating_add(1);
        if visit >= params.mcts_expansion.unsigned_abs() && self.has_room() {
            End::Unexpanded
        } else {
            End::Value(node.mean())
        }
    }

    /// The move that a line continues with at a node.
    pub(super) fn select(&self, at: u32, params: &MctsParams) -> Selected {
        let node = self.node(at);
        let visits = f64::from(node.visits);
        let weight = self.exploration(node, at == 0, params) * visits.sqrt();
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

    /// The cpuct of a node.
    fn exploration(&self, node: &Node, is_root: bool, params: &MctsParams) -> f64 {
        let mut cpuct = params.mcts_cpuct;
        if params.mcts_growth {
            cpuct += params.mcts_growth_weight * self.growth.of(node.visits);
        }
        if is_root {
            cpuct *= params.mcts_root_cpuct;
        }
        if params.mcts_spread && node.visits > 1 {
            let (visits, mean) = (f64::from(node.visits), node.mean());
            let spread = (f64::from(node.squares) / visits - mean * mean).max(0.0).sqrt();
            // A few values say little about their variance.
            let known = visits / (visits + 16.0);
            let factor = (spread / params.mcts_spread_usual - 1.0).clamp(-1.0, 1.0);
            cpuct *= 1.0 + known * params.mcts_spread_weight * factor;
        }
        cpuct.max(0.0)
    }
}
