//! The noise of a match's pairs, and the law of a pair at a given strength.
//!
//! The model: a draw has the same probability in every game; an opening favours its first mover or its second by a
//! fixed amount, so the two games of a pair have expected scores s + b and s - b, and are otherwise independent. Then
//! the variance per game is (1 - draws)/4 - b^2 - (s - 1/2)^2: biased openings make pairs quieter, not noisier.

use super::PlanError;
use crate::counts::{PairCounts, PairOutcome, Score};
use crate::elo;
use crate::estimate::Summary;
use crate::likelihood::Model;
use crate::random::Stream;

/// Draw ratio and opening bias of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    draw_ratio: f64,
    rms_bias: f64,
}

impl Conditions {
    /// Makes the conditions from draws per game (0 to below 1) and RMS opening bias in logistic Elo (not negative).
    ///
    /// # Errors
    /// [`PlanError`] if either is out of range, or if both leave no variance.
    pub fn new(draw_ratio: f64, rms_bias: f64) -> Result<Self, PlanError> {
        if !(0.0..1.0).contains(&draw_ratio) {
            return Err(PlanError::DrawRatio(draw_ratio));
        }
        if !(0.0..f64::INFINITY).contains(&rms_bias) {
            return Err(PlanError::Bias(rms_bias));
        }
        let conditions = Self { draw_ratio, rms_bias };
        if conditions.variance_per_game() > 0.0 { Ok(conditions) } else { Err(conditions.no_such_pair(0.5)) }
    }

    /// The conditions under which these pairs were played.
    ///
    /// # Errors
    /// [`PlanError`] if there are no pairs, or if the pairs leave no variance.
    pub fn observed(counts: &PairCounts) -> Result<Self, PlanError> {
        let summary = Summary::of_pairs(counts);
        let value = |e: Option<crate::Estimate>| e.map_or(f64::NAN, |e| e.value);
        Self::new(value(summary.draw_ratio), value(summary.rms_bias))
    }

    /// Draws per game, 0 to 1.
    pub fn draw_ratio(&self) -> f64 {
        self.draw_ratio
    }

    /// RMS opening bias in logistic Elo.
    pub fn rms_bias(&self) -> f64 {
        self.rms_bias
    }

    /// Half the variance of a pair's points between equal sides: the noise of one game when played in pairs.
    pub fn variance_per_game(&self) -> f64 {
        let bias = self.bias();
        (1.0 - self.draw_ratio) / 4.0 - bias * bias
    }

    /// Opening bias as a score.
    fn bias(&self) -> f64 {
        elo::expected_score(self.rms_bias) - 0.5
    }

    /// Expected score at which the law of a pair has exactly this difference on the scale of `model`.
    pub fn score(&self, model: Model, elo: f64) -> f64 {
        match model {
            Model::Logistic => elo::expected_score(elo),
            Model::Bayesian => elo::bayes_score(elo, self.drawelo()),
            Model::Normalized => {
                // delta / sqrt(variance - delta^2) = t.
                let t = elo / elo::NELO_PER_SIGMA;
                0.5 + t * (self.variance_per_game() / (1.0 + t * t)).sqrt()
            }
        }
    }

    /// Draw width of `BayesElo` between equal sides.
    fn drawelo(&self) -> f64 {
        let decided = (1.0 - self.draw_ratio) / 2.0;
        elo::drawelo(decided, decided)
    }

    /// The law of a pair at this expected score.
    ///
    /// # Errors
    /// [`PlanError::NoSuchPair`] if a probability would be negative.
    pub fn pair_law(&self, score: f64) -> Result<PairLaw, PlanError> {
        let games = [score + self.bias(), score - self.bias()].map(|mean| {
            let win = mean - self.draw_ratio / 2.0;
            [1.0 - win - self.draw_ratio, self.draw_ratio, win]
        });
        if !games.iter().flatten().all(|p| *p >= 0.0) {
            return Err(self.no_such_pair(score));
        }
        Ok(PairLaw::of_games(games))
    }

    /// The law of a pair at this difference on the scale of `model`.
    ///
    /// # Errors
    /// [`PlanError::NoSuchPair`] if a probability would be negative.
    pub fn law_at(&self, model: Model, elo: f64) -> Result<PairLaw, PlanError> {
        self.pair_law(self.score(model, elo))
    }

    fn no_such_pair(&self, score: f64) -> PlanError {
        PlanError::NoSuchPair { draw_ratio: self.draw_ratio, rms_bias: self.rms_bias, score }
    }
}

/// Probabilities of the six pair outcomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLaw {
    probabilities: [f64; 6],
    /// Probabilities added up from the left, as fractions of 2^64; the last bin takes the rest.
    thresholds: [u64; 5],
}

impl PairLaw {
    /// Two independent games, each with its probabilities of loss, draw and win.
    fn of_games(games: [[f64; 3]; 2]) -> Self {
        let mut probabilities = [0.0; 6];
        for one in [Score::Loss, Score::Draw, Score::Win] {
            for two in [Score::Loss, Score::Draw, Score::Win] {
                probabilities[PairOutcome::new(one, two) as usize] += games[0][one as usize] * games[1][two as usize];
            }
        }
        let mut sum = 0.0;
        let mut thresholds = [0; 5];
        for (threshold, p) in thresholds.iter_mut().zip(probabilities) {
            sum += p;
            *threshold = (sum * 2.0 * (1_u64 << 63) as f64) as u64;
        }
        Self { probabilities, thresholds }
    }

    /// Probabilities in the order of [`PairOutcome::ALL`].
    pub fn probabilities(&self) -> [f64; 6] {
        self.probabilities
    }

    /// Draws one pair: one 64-bit number from the generator.
    pub fn sample(&self, generator: &mut Stream) -> PairOutcome {
        let draw = generator.bits();
        let below = self.thresholds.iter().filter(|t| draw >= **t).count();
        PairOutcome::ALL[below]
    }
}
