//! Weights of positions in the loss, by the ply in the game and by the game's result.
//!
//! ```text
//! weight = weight at its ply x weight of its result, over the mean of all positions to train on
//! ```
//!
//! The weight multiplies a position's loss and gradient. Because of the division by the mean, only the ratios of
//! weights matter, not their size.

use super::TrainError;
use super::dataset::Split;
use super::input::{Labelled, parts};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::Score;

/// Weights of positions: numbers from 0, not all of them 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionWeights {
    /// Weights at plies of the game, by ascending ply: linear between entries, constant before the first and after the
    /// last. If empty, all plies have the same weight.
    pub ply: Vec<(u32, f64)>,
    /// The weight of positions whose mover won the game.
    pub win: f64,
    /// The weight of positions of drawn games.
    pub draw: f64,
    /// The weight of positions whose mover lost the game.
    pub loss: f64,
}

impl Default for PositionWeights {
    fn default() -> Self {
        Self { ply: Vec::new(), win: 1.0, draw: 1.0, loss: 1.0 }
    }
}

impl PositionWeights {
    /// Whether all positions have the same weight.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The weight of a position.
    fn of(&self, record: &impl Labelled) -> f64 {
        let of_result = match record.label().1 {
            Score::Loss => self.loss,
            Score::Draw => self.draw,
            Score::Win => self.win,
        };
        self.at(record.ply()) * of_result
    }

    fn at(&self, ply: u32) -> f64 {
        let after = self.ply.partition_point(|(at, _)| *at <= ply);
        let before = after.checked_sub(1).map(|before| self.ply[before]);
        match (before, self.ply.get(after).copied()) {
            (None, None) => 1.0,
            (Some((_, weight)), None) | (None, Some((_, weight))) => weight,
            (Some((low, from)), Some((high, to))) => from + (to - from) * f64::from(ply - low) / f64::from(high - low),
        }
    }
}

/// The weights of a training's positions, with their mean.
pub(super) struct Weighing {
    weights: PositionWeights,
    /// The mean over all positions to train on.
    mean: f64,
}

impl Weighing {
    /// Computes the mean over these positions.
    ///
    /// # Errors
    /// [`TrainError::Weightless`] if all positions to train on, or all held-out positions, have the weight 0.
    pub(super) fn new<R: Labelled>(weights: &PositionWeights, data: &Split<R>) -> Result<Self, TrainError> {
        let mean = |records: &[R], what| {
            let part = |records: &[R]| records.iter().map(|record| weights.of(record)).sum::<f64>();
            let sum = parts(records).map(part).collect::<Vec<f64>>().iter().sum::<f64>();
            if sum > 0.0 { Ok(sum / records.len() as f64) } else { Err(TrainError::Weightless { what }) }
        };
        mean(&data.held_out, "that are held out")?;
        Ok(Self { mean: mean(&data.training, "to train on")?, weights: weights.clone() })
    }

    /// The weight of a position: 1 on average.
    #[inline]
    pub(super) fn of(&self, record: &impl Labelled) -> f32 {
        (self.weights.of(record) / self.mean) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::chess::tests::records;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn weights_lie_in_lines_between_plies_and_are_level_beyond() {
        let weights = PositionWeights { ply: vec![(4, 0.5), (8, 1.0), (10, 0.0)], ..PositionWeights::default() };
        for (ply, expected) in [(0, 0.5), (4, 0.5), (5, 0.625), (8, 1.0), (9, 0.5), (10, 0.0), (900, 0.0)] {
            near(weights.at(ply), expected);
        }
        near(PositionWeights { ply: vec![(20, 0.3)], ..weights }.at(7), 0.3);
        near(PositionWeights::default().at(7), 1.0);
    }

    #[test]
    fn a_position_counts_by_its_ply_and_its_movers_result() {
        let weights = PositionWeights { ply: vec![(0, 1.0), (100, 2.0)], win: 3.0, draw: 5.0, loss: 7.0 };
        let all = records(200);
        for record in &all {
            let result = match record.label().1 {
                Score::Win => 3.0,
                Score::Draw => 5.0,
                Score::Loss => 7.0,
            };
            let moves = u32::from(record.fullmove()) - 1;
            let ply = (2 * moves + u32::from(record.turn().is_black())).min(100);
            near(weights.of(record), result * (1.0 + f64::from(ply) / 100.0));
        }
        let split = Split { training: all[..150].to_vec(), held_out: all[150..].to_vec() };
        let weighing = Weighing::new(&weights, &split).unwrap();
        let mean = all[..150].iter().map(|record| f64::from(weighing.of(record))).sum::<f64>() / 150.0;
        assert!((mean - 1.0).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn positions_that_do_not_count_are_none() {
        let all = records(400);
        let is_drawn = |record: &&crate::chess::Record| record.label().1 == Score::Draw;
        let (drawn, others): (Vec<_>, Vec<_>) = all.iter().partition(is_drawn);
        let copied = |records: Vec<&crate::chess::Record>| records.into_iter().copied().collect::<Vec<_>>();
        let (training, held_out) = (copied(drawn), copied(others));
        let weights = PositionWeights { draw: 0.0, ..PositionWeights::default() };
        let refused = |training: &[_], held_out: &[_]| {
            let split = Split { training: training.to_vec(), held_out: held_out.to_vec() };
            Weighing::new(&weights, &split).err().map(|error| error.to_string())
        };
        assert!(refused(&training, &held_out).unwrap().contains("positions to train on have the weight 0"));
        assert!(refused(&held_out, &training).unwrap().contains("positions that are held out have the weight 0"));
        assert_eq!(refused(&held_out, &held_out), None);
    }
}
