//! The choice of the move to play, the principal variation, and the conversion of values to scores.
//!
//! Equations 5 to 7 of the paper: with f the weight of the value,
//!
//! ```text
//! pi = (1 - f) x n / N + f x Q'
//! Q' = 0 where n is below the threshold x the most visits, else Q rescaled so that the smallest is 0 and the largest 1
//! threshold = max - exp(-N / base) x (max - init)
//! ```
//!
//! `CrazyAra` rescales Q from its range of -1 to 1. Here Q is stretched instead, which is as strong.
//! The value some plies later in a move's variation can limit its Q (PV-min).

use super::math::{exp, ln};
use super::tree::{Node, NONE};
use super::{MctsParams, Proof, Tree};

/// The move to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move.
    pub mv: u16,
    /// The value for the side that plays the move, from 0 to 1.
    pub value: f64,
    /// The move's share of the visits of all moves, from 0 to 1.
    pub share: f64,
}

/// The data of a child of the root for the choice.
struct Contender {
    mv: u16,
    visits: f64,
    value: f64,
    proof: Proof,
}

impl Tree {
    /// Chooses the move to play at the root; before any visits, the one with the largest prior. `None` if the root has
    /// no moves.
    pub fn choose(&self, params: &MctsParams) -> Option<Choice> {
        let first = self.moves().next()?;
        let contenders: Vec<Contender> = self.contenders(params);
        let visits: f64 = contenders.iter().map(|contender| contender.visits).sum();
        let best = best(&contenders, visits, params);
        let Some(contender) = best.and_then(|best| contenders.get(best)) else {
            return Some(Choice { mv: first.mv, value: self.value(), share: 0.0 });
        };
        Some(Choice { mv: contender.mv, value: contender.value, share: contender.visits / visits.max(1.0) })
    }

    fn contenders(&self, params: &MctsParams) -> Vec<Contender> {
        let limited = |child: u32, node: &Node| {
            let own = 1.0 - node.value();
            if params.mcts_q_choice {
                own.min(self.value_after(child, params.mcts_pv_min.unsigned_abs()))
            } else {
                own
            }
        };
        self.children(0)
            .map(|(child, node, edge)| Contender {
                mv: edge.mv(),
                visits: f64::from(node.visits),
                value: limited(child, node),
                proof: node.proof,
            })
            .collect()
    }

    /// The value of a child of the root for the root's side to move, taken from the node `plies` plies further along
    /// its variation, or from the variation's last node.
    fn value_after(&self, child: u32, plies: u32) -> f64 {
        let (mut at, mut is_own) = (child, false);
        for _ in 1..plies {
            let Some(next) = self.most_visited(at) else { break };
            (at, is_own) = (next, !is_own);
        }
        let value = self.node(at).value();
        if is_own {
            value
        } else {
            1.0 - value
        }
    }

    /// The child that a variation goes through: a proven win first, else the most visited child, avoiding proven losses
    /// if there are others.
    fn most_visited(&self, at: u32) -> Option<u32> {
        let mut best = (NONE, (i32::MIN, 0));
        for (number, node, _) in self.children(at) {
            let rank = (rank(node.proof), node.visits);
            if rank > best.1 {
                best = (number, rank);
            }
        }
        (best.0 != NONE).then_some(best.0)
    }

    /// The moves of the principal variation, which begins with the chosen move.
    pub fn variation(&self, params: &MctsParams) -> Vec<u16> {
        let Some(choice) = self.choose(params) else { return Vec::new() };
        let mut moves = vec![choice.mv];
        let mut next = self.children(0).find(|(_, _, edge)| edge.mv() == choice.mv).map(|(child, ..)| child);
        while let Some(at) = next {
            next = self.most_visited(at);
            let Some(index) = next.and_then(|next| self.children(at).position(|(child, ..)| child == next)) else {
                break;
            };
            moves.extend(self.edge(at, index).map(super::tree::Edge::mv));
        }
        moves
    }
}

/// The rank of a child's result for its parent, compared before visits: a quick win is best, and a late loss is better
/// than an early one.
fn rank(proof: Proof) -> i32 {
    match proof {
        Proof::Open | Proof::Repeated | Proof::Draw => 0,
        Proof::Loss(plies) => i32::from(u16::MAX) - i32::from(plies),
        Proof::Win(plies) => i32::from(plies) - i32::from(u16::MAX) - 1,
    }
}

fn best(contenders: &[Contender], visits: f64, params: &MctsParams) -> Option<usize> {
    let most = contenders.iter().fold(0.0_f64, |most, contender| most.max(contender.visits));
    let range = (f64::MAX, f64::MIN);
    let (low, high) =
        contenders.iter().fold(range, |(low, high), contender| (low.min(contender.value), high.max(contender.value)));
    let done = 1.0 - exp(-visits / f64::from(params.mcts_q_threshold_base));
    let threshold = params.mcts_q_threshold_init + done * (params.mcts_q_threshold_max - params.mcts_q_threshold_init);
    let f = if params.mcts_q_choice { params.mcts_q_weight } else { 0.0 };
    let weight = |contender: &Contender| {
        let counts = contender.visits >= threshold * most && high > low;
        let q = if counts { (contender.value - low) / (high - low) } else { 0.0 };
        (1.0 - f) * contender.visits / visits.max(1.0) + f * q
    };
    let mut best: Option<(usize, (i32, f64))> = None;
    for (index, contender) in contenders.iter().enumerate() {
        let (rank, weight) = (if params.mcts_solver { rank(contender.proof) } else { 0 }, weight(contender));
        if best.map_or(true, |(_, (top, most))| rank > top || rank == top && weight > most) {
            best = Some((index, (rank, weight)));
        }
    }
    best.map(|(index, _)| index)
}

/// The centipawns that `CrazyAra` shows for a value from 0 to 1: `-100 x sign(v) x ln(1 - |v|) / ln(base)` with v from
/// -1 to 1.
pub fn centipawns(value: f64, base: f64) -> f64 {
    let v = (2.0 * value - 1.0).clamp(-0.999_999, 0.999_999);
    let size = -100.0 * ln(1.0 - v.abs()) / ln(base);
    if v < 0.0 {
        -size
    } else {
        size
    }
}
