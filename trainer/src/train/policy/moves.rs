//! How well moves are predicted: sums over positions, by the logits of their moves and the move played.

use super::super::judgement::{Figures, PolicyJudgement};
use super::softmax;

/// Sums over positions.
#[derive(Clone, Copy, Default)]
pub(in crate::train) struct MoveSums {
    weight: f64,
    moves: f64,
    policy: Figures,
    uniform: Figures,
}

impl Figures {
    fn each(&mut self) -> [&mut f64; 4] {
        [&mut self.cross_entropy, &mut self.top_1, &mut self.top_3, &mut self.top_5]
    }

    fn add(&mut self, weight: f64, other: [f64; 4]) {
        self.each().into_iter().zip(other).for_each(|(sum, value)| *sum += weight * value);
    }

    fn over(mut self, weight: f64) -> Self {
        self.each().into_iter().for_each(|sum| *sum /= weight);
        self
    }
}

impl MoveSums {
    /// Adds a position: the logits of its moves, which become shares, the move played, and the target shares.
    pub(in crate::train) fn add(&mut self, weight: f64, logits: &mut [f32], played: usize, shares: &[f32]) {
        let (of_played, count) = (logits[played], logits.len() as f64);
        let before = logits[..played].iter().filter(|logit| **logit >= of_played).count();
        let rank = before + logits[played + 1..].iter().filter(|logit| **logit > of_played).count();
        let among = |first: usize| if rank < first { 1.0 } else { 0.0 };
        let loss = f64::from(softmax(logits, shares));
        let by_chance = |first: f64| (first / count).min(1.0);
        self.weight += weight;
        self.moves += weight * count;
        self.policy.add(weight, [loss, among(1), among(3), among(5)]);
        self.uniform.add(weight, [libm::log(count), by_chance(1.0), by_chance(3.0), by_chance(5.0)]);
    }

    /// Returns the sums over both.
    pub(in crate::train) fn plus(mut self, other: &Self) -> Self {
        self.weight += other.weight;
        self.moves += other.moves;
        let values = |mut figures: Figures| figures.each().map(|value| *value);
        self.policy.add(1.0, values(other.policy));
        self.uniform.add(1.0, values(other.uniform));
        self
    }

    /// The mean loss.
    pub(in crate::train) fn loss(&self) -> f64 {
        self.policy.cross_entropy / self.weight
    }

    /// The figures, without quantisation.
    pub(in crate::train) fn judgement(&self) -> PolicyJudgement {
        PolicyJudgement {
            policy: self.policy.over(self.weight),
            uniform: self.uniform.over(self.weight),
            moves: self.moves / self.weight,
            quantisation: None,
        }
    }
}

/// The largest difference between corresponding elements.
pub(in crate::train) fn furthest(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from((one - other).abs())).fold(0.0, f64::max)
}
