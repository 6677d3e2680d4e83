//! Priors: from the logits that a game gives its moves to edges, the largest prior first.
//!
//! p = softmax(logit / temperature). If checks are raised, `p += factor x max p` for moves that give check and whose p
//! is below the threshold, and all are divided by their sum again (section "enhance checks" of the paper).

use super::math::{exp, exp_of_negative, ln};
use super::tree::{Edge, Scratch, MOST_MOVES};
use super::{Game, MctsParams, Tree};

impl Tree {
    /// Gives the node at the end of a line, `ply` plies below the root, its moves. `false` if there is no room, or if
    /// it has none: it has its result then.
    pub(super) fn expand(&mut self, game: &mut impl Game, ply: usize, at: u32, params: &MctsParams) -> bool {
        if !self.has_room() {
            return false;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.candidates.clear();
        game.moves(ply, &mut scratch.candidates);
        scratch.candidates.truncate(MOST_MOVES);
        let has_moves = !scratch.candidates.is_empty();
        if has_moves {
            set_weights(&mut scratch, params);
            let Scratch { candidates, order, .. } = &scratch;
            let edge = |&word: &u32| {
                let index = usize::from(u16::MAX - word as u16);
                Edge::new(candidates[index].mv, (word >> 16) as u16)
            };
            self.add_edges(at, order.iter().map(edge));
        } else {
            self.node_mut(at).proof = game.without_moves(ply);
        }
        self.scratch = scratch;
        has_moves
    }

    /// Changes the temperature of the priors of the root. Their order stays.
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

/// Fills `order` with the priors of the candidates in the upper half of each word, and 65,535 less their places in the
/// lower: the largest prior first, of equal ones the one that the game listed first.
fn set_weights(scratch: &mut Scratch, params: &MctsParams) {
    let Scratch { candidates, weights, order, .. } = scratch;
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

/// A prior as an edge has it: no move has none.
fn quantised(prior: f32) -> u16 {
    ((prior * 65_535.0 + 0.5) as u16).max(1)
}
