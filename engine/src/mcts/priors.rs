//! Priors: turns a game's logits of moves into edges, the largest prior first.
//!
//! p = softmax(logit / temperature). If checks are enhanced, `p += factor x max p` for moves that give check and whose
//! p is below the threshold, and then all are divided by their sum (section "enhance checks" of the paper).

use super::math::{exp, exp_of_negative, ln};
use super::tree::{Edge, MOST_MOVES};
use super::{Candidate, Game, MctsParams, Tree};

/// The moves of a position with their priors. One list is reused.
#[derive(Debug, Default)]
pub(super) struct Priors {
    candidates: Vec<Candidate>,
    weights: Vec<f32>,
    /// Priors with the indices of their moves.
    order: Vec<u32>,
}

impl Priors {
    /// Reads the moves of the position at `ply`.
    pub(super) fn read(&mut self, game: &mut impl Game, ply: usize, params: &MctsParams) {
        self.candidates.clear();
        game.moves(ply, &mut self.candidates);
        self.candidates.truncate(MOST_MOVES);
        if !self.candidates.is_empty() {
            self.set_weights(params);
        }
    }

    /// Whether there are no moves.
    pub(super) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// The moves, the largest prior first.
    pub(super) fn edges(&self) -> impl ExactSizeIterator<Item = Edge> + '_ {
        self.order.iter().map(|&word| {
            let index = usize::from(u16::MAX - word as u16);
            Edge::new(self.candidates[index].mv, (word >> 16) as u16)
        })
    }

    /// Fills `order`: each word has a candidate's prior in the upper half, and 65,535 minus its index in the lower
    /// half. The largest prior comes first; among equal ones, the one that the game listed first.
    fn set_weights(&mut self, params: &MctsParams) {
        let Self { candidates, weights, order } = self;
        let most = candidates.iter().fold(f32::MIN, |most, candidate| most.max(candidate.logit));
        let inverse = (1.0 / params.mcts_temperature) as f32;
        weights.clear();
        weights.extend(candidates.iter().map(|candidate| exp_of_negative((candidate.logit - most) * inverse)));
        let mut sum: f32 = weights.iter().sum();
        if params.mcts_checks {
            // The largest weight is 1.
            let (factor, threshold) = (params.mcts_check_factor as f32, params.mcts_check_threshold as f32 * sum);
            for (weight, candidate) in weights.iter_mut().zip(candidates.iter()) {
                if candidate.gives_check && *weight < threshold {
                    *weight += factor;
                }
            }
            sum = weights.iter().sum();
        }
        order.clear();
        let word = |(index, &weight): (usize, &f32)| {
            let place = u32::from(u16::MAX) - index as u32;
            (u32::from(quantised(weight / sum)) << 16) | place
        };
        order.extend(weights.iter().enumerate().map(word));
        order.sort_unstable_by(|a, b| b.cmp(a));
    }
}

impl Tree {
    /// Changes the temperature of the root's priors. Their order stays.
    pub(super) fn heat_root(&mut self, factor: f64) {
        self.is_root_heated = true;
        if factor.to_bits() == 1.0_f64.to_bits() {
            return;
        }
        let priors: Vec<f64> = self.moves().map(|mv| exp(ln(mv.prior) / factor)).collect();
        let sum: f64 = priors.iter().sum();
        let priors: Vec<u16> = priors.iter().map(|prior| quantised((prior / sum) as f32)).collect();
        self.set_priors(0, &priors);
    }
}

/// Quantises a prior for an edge; no move gets 0.
fn quantised(prior: f32) -> u16 {
    ((prior * 65_535.0 + 0.5) as u16).max(1)
}
