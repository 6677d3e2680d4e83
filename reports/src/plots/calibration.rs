//! Evaluations against results: whether positions with an evaluation bring the score that it predicts.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Sheet, line, upright};
use crate::gather::{Calibration, EvalFit, EvalUnit};
use stats::Estimate;
use stats::elo::logistic;

/// The end of the axis; points beyond are drawn there: the outermost bins hold all evaluations beyond them.
const FARTHEST: f64 = 4.0;
/// The minimum number of positions or games for a plot.
const LEAST_POSITIONS: u64 = 50;
const LEAST_GAMES: u64 = 10;
/// The number of points of a drawn curve.
const POINTS: u32 = 160;

/// Draws the game score of one entrant's positions by its evaluations, the curve that its unit claims, and the
/// best-fitting curve.
///
/// # Errors
/// [`PlotError::Empty`] if the entrant reported too little.
pub fn calibration(title: &str, name: &str, calibration: &Calibration) -> Result<Plot, PlotError> {
    let bins = calibration.bins();
    let enough =
        bins.iter().map(|bin| bin.positions).sum::<u64>() >= LEAST_POSITIONS && calibration.games() >= LEAST_GAMES;
    let Some(unit) = calibration.unit().filter(|_| enough) else {
        return Err(PlotError::Empty(format!("evaluations of {name}")));
    };
    let (low, high) = range(bins.iter().map(super::super::gather::EvalBin::evaluation));
    // All evaluations may lie beyond the farthest on one side.
    let x = Axis::around(low.clamp(-FARTHEST, FARTHEST), high.clamp(-FARTHEST, FARTHEST), 0.04, 8);
    let y = Axis::new(0.0, 100.0, 5);
    let fit = calibration.fit();
    let mut key = vec![(palette::BLUE, "observed, 95% of games".to_owned())];
    if unit == EvalUnit::Logits {
        key.push((palette::REFERENCE, "claimed".to_owned()));
    }
    if fit.is_some() {
        key.push((palette::VERMILION, "fitted".to_owned()));
    }
    let subtitle = subtitle(name, unit, fit);
    Sheet { title, subtitle: &subtitle, key, height: HEIGHT }.draw(|body| {
        let x_label = format!("{name}'s evaluation ({})", unit.name());
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: &x_label, y_label: "score (%)", left: 80 };
        let mut chart = panel.chart(body)?;
        let at = |point: u32| x.low + (x.high - x.low) * f64::from(point) / f64::from(POINTS);
        let curve = |score: &dyn Fn(f64) -> f64| (0..=POINTS).map(|n| (at(n), 100.0 * score(at(n)))).collect();
        if unit == EvalUnit::Logits {
            line(&mut chart, curve(&logistic), palette::REFERENCE)?;
        }
        if let Some(fit) = fit {
            line(&mut chart, curve(&|x| fit.score(x)), palette::VERMILION)?;
        }
        for bin in &bins {
            let Some(score) = bin.score() else { continue };
            let ends = (100.0 * score.low, 100.0 * score.high);
            upright(&mut chart, (x.clamped(bin.evaluation()), 100.0 * score.value), ends, palette::BLUE)?;
        }
        Ok(())
    })
}

/// The game score of positions with about the same evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreOfEvaluation {
    /// The evaluation, in logits.
    pub evaluation: f64,
    /// The score, 0 to 1, with its interval.
    pub score: Estimate,
}

/// Draws game scores of positions by their evaluations, with the curve that evaluations in logits claim.
///
/// # Errors
/// [`PlotError::Empty`] if there are none.
pub fn agreement(title: &str, subtitle: &str, points: &[ScoreOfEvaluation]) -> Result<Plot, PlotError> {
    if points.is_empty() {
        return Err(PlotError::Empty("scores".to_owned()));
    }
    let (low, high) = range(points.iter().map(|point| point.evaluation));
    let x = Axis::around(low, high, 0.04, 8);
    let y = Axis::new(0.0, 100.0, 5);
    let key = vec![(palette::BLUE, "observed, 95% of games".to_owned()), (palette::REFERENCE, "claimed".to_owned())];
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let x_label = "score of the search (logits)";
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label, y_label: "result (%)", left: 80 };
        let mut chart = panel.chart(body)?;
        let at = |point: u32| x.low + (x.high - x.low) * f64::from(point) / f64::from(POINTS);
        let claimed = (0..=POINTS).map(|n| (at(n), 100.0 * logistic(at(n)))).collect();
        line(&mut chart, claimed, palette::REFERENCE)?;
        for ScoreOfEvaluation { evaluation, score } in points {
            let ends = (100.0 * score.low, 100.0 * score.high);
            upright(&mut chart, (*evaluation, 100.0 * score.value), ends, palette::BLUE)?;
        }
        Ok(())
    })
}

fn subtitle(name: &str, unit: EvalUnit, fit: Option<EvalFit>) -> String {
    let Some(fit) = fit else { return format!("{name}: too few games to fit a curve, or none fits") };
    let (slope, half) = (fit.slope.value, (fit.slope.high - fit.slope.low) / 2.0);
    let slope = match unit {
        EvalUnit::Logits => format!("slope {slope:.2} ± {half:.2}, 1 if evaluations are true"),
        EvalUnit::Pawns => format!("a pawn is worth {slope:.2} ± {half:.2} logits"),
    };
    let at_0 = fit.score_at_0().map(|score| 100.0 * score);
    format!("{name}: {slope}; at 0 it scores {:.0}% ({:.0} to {:.0})", at_0.value, at_0.low, at_0.high)
}
