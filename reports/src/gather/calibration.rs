//! Whether an entrant's evaluations are calibrated: compares its scores with the results of games.
//!
//! Positions of one game share its result. So a bin of N positions, `n_g` of them from game g, is worth `N^2 / sum
//! n_g^2` games (Kish, "Survey Sampling", 1965), and its interval is Wilson's for this many. The curve through the bins
//! is fitted in `fit.rs`.

use super::bins::{BINS, EvalBin, HALF};
use super::fit::{EvalFit, Games, fit};
use super::seen::GameSeen;
use play::{Evaluation, Side};

/// Centipawns of a pawn, and the engine's units of a logit.
const PAWN: f64 = 100.0;
const LOGIT: f64 = 10_000.0;
/// Width of a bin, in logits or pawns.
const WIDTH: f64 = 0.25;

/// The unit of an entrant's evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalUnit {
    /// The logit of the expected score.
    Logits,
    /// Hundredths of a pawn, divided by 100.
    Pawns,
}

impl EvalUnit {
    /// The name of the unit, for an axis.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logits => "logits",
            Self::Pawns => "pawns",
        }
    }
}

/// The evaluations of one entrant compared with results.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    unit: Option<EvalUnit>,
    bins: Vec<EvalBin>,
    games: Games,
}

impl Calibration {
    pub(crate) fn add(&mut self, game: &GameSeen<'_>, side: Side) {
        if game.record.track.is_empty() {
            return;
        }
        let half_points = game.score(side).half_points();
        let mut positions = [0_u32; BINS];
        for (_, ply) in game.record.track.iter().enumerate().filter(|(index, _)| game.mover(*index) == side) {
            let Some(x) = ply.info.score.and_then(|score| self.value(score)) else { continue };
            let bin = (x / WIDTH).round().clamp(-(HALF as f64), HALF as f64) as i64 + HALF as i64;
            self.bins.resize(BINS, EvalBin::default());
            let at = &mut self.bins[bin as usize];
            at.positions += 1;
            at.evaluations += x;
            at.scores += f64::from(half_points) / 2.0;
            positions[bin as usize] += 1;
        }
        for (bin, n) in self.bins.iter_mut().zip(positions) {
            bin.squares += f64::from(n) * f64::from(n);
        }
        self.games.add(&positions, usize::from(half_points));
    }

    /// The evaluation in the entrant's unit, which its first evaluation decides; `None` for mates and other units.
    fn value(&mut self, score: Evaluation) -> Option<f64> {
        let (unit, value) = match score {
            Evaluation::Logit(x) => (EvalUnit::Logits, f64::from(x) / LOGIT),
            Evaluation::Centipawns(x) => (EvalUnit::Pawns, f64::from(x) / PAWN),
            Evaluation::Mate(_) => return None,
        };
        (*self.unit.get_or_insert(unit) == unit).then_some(value)
    }

    /// The unit; `None` without evaluations.
    pub fn unit(&self) -> Option<EvalUnit> {
        self.unit
    }

    /// The bins that are not empty, by rising evaluation.
    pub fn bins(&self) -> Vec<EvalBin> {
        self.bins.iter().filter(|bin| bin.positions > 0).copied().collect()
    }

    /// The number of games with evaluations that can be drawn.
    pub fn games(&self) -> u64 {
        self.games.count()
    }

    /// The best-fitting logistic curve; `None` with too few games or positions, or if none fits.
    pub fn fit(&self) -> Option<EvalFit> {
        fit(&self.bins, &self.games)
    }
}
