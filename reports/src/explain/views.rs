//! Both entrants' evaluations of a game, ply by ply, as shares of the points for the first of them.
//!
//! Evaluations count by their worth in this run: the share of the points is the logistic function of the evaluation
//! times the slope that fits the entrant's games ([`Calibration`]). The intercept of that fit is left out: it reflects
//! the opponent's strength, and the question here is what a position is worth between equals.

use crate::gather::{Calibration, EvalUnit, GameSeen};
use play::{Evaluation, Side};
use stats::elo::logistic;

/// Logits of a pawn if no curve fits.
const LOGITS_A_PAWN: f64 = 0.57;

/// The scale of one entrant's evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The slope of the share of the points, in logits per unit of the evaluation.
    slope: f64,
}

impl Scale {
    /// The scale that fits an entrant's games, or the default for its unit. A slope below 0 is ignored, since it would
    /// reverse evaluations.
    pub(super) fn of(calibration: &Calibration) -> Self {
        let usual = if calibration.unit() == Some(EvalUnit::Pawns) { LOGITS_A_PAWN } else { 1.0 };
        let fitted = calibration.fit().map(|fit| fit.slope.value).filter(|slope| *slope > 0.0);
        Self { slope: fitted.unwrap_or(usual) }
    }

    /// The mover's expected share of the points for an evaluation.
    pub(super) fn share(self, score: Evaluation) -> f64 {
        match score {
            Evaluation::Logit(x) => logistic(self.slope * f64::from(x) / 10_000.0),
            Evaluation::Centipawns(x) => logistic(self.slope * f64::from(x) / 100.0),
            Evaluation::Mate(moves) => f64::from(u8::from(moves > 0)),
        }
    }
}

/// The entrants' views of a position after its mover has searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// The mover, 0 or 1: the first entrant or the second.
    pub(super) mover: usize,
    /// The share of the points that each entrant expects for the first one, by its latest evaluation.
    pub(super) by: [Option<f64>; 2],
    /// The time left on the mover's clock after the move, as a share of its time at the start of the game; `None` if
    /// it has no clock, or nothing is timed.
    pub(super) clock: Option<f64>,
}

impl View {
    /// The mean of both expectations.
    pub(super) fn mean(&self) -> Option<f64> {
        match self.by {
            [Some(one), Some(two)] => Some(f64::midpoint(one, two)),
            [one, two] => one.or(two),
        }
    }
}

/// The plies after the opening, in turn; empty if nothing was recorded. `first` is the side of the first entrant, and
/// `has_clock` says of each entrant whether its clock runs from move to move.
pub(super) fn views(game: &GameSeen<'_>, first: Side, scales: [Scale; 2], has_clock: [bool; 2]) -> Vec<View> {
    let mut by = [None; 2];
    let mut whole = [None; 2];
    let view = |(index, ply): (usize, &play::TrackPly)| {
        let mover = usize::from(game.mover(index) != first);
        if let Some(score) = ply.info.score {
            let share = scales[mover].share(score);
            by[mover] = Some(if mover == 0 { share } else { 1.0 - share });
        }
        let had = *whole[mover].get_or_insert(ply.left + ply.wall);
        let clock = (has_clock[mover] && !ply.left.is_zero()).then(|| ply.left.div_duration_f64(had));
        View { mover, by, clock }
    };
    game.record.track.iter().enumerate().map(view).collect()
}
