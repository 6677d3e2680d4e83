//! Evaluations against results: does a position said to be worth a score bring that score?

use super::PlotError;
use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::sheet::{HEIGHT, Panel, Sheet, line, upright};
use crate::gather::logistic;
use crate::gather::{Calibration, EvalUnit};

/// What lies beyond is drawn here: the outermost bins hold all that is farther off.
const FARTHEST: f64 = 4.0;
/// Points of a drawn sigmoid.
const POINTS: u32 = 160;

/// Draws the score that came of one entrant's positions by what it said of them, the curve its unit claims, and the curve that
/// fits best.
///
/// # Errors
/// [`PlotError::Empty`] if it said nothing.
pub fn calibration(title: &str, name: &str, said: &Calibration) -> Result<String, PlotError> {
    let bins = said.bins();
    let Some(unit) = said.unit().filter(|_| !bins.is_empty()) else {
        return Err(PlotError::Empty(format!("evaluations of {name}")));
    };
    let (low, high) = range(bins.iter().map(super::super::gather::EvalBin::evaluation));
    let x = Axis::around(low.max(-FARTHEST), high.min(FARTHEST), 0.04, 8);
    let y = Axis::new(0.0, 100.0, 5);
    let slope = said.slope();
    let mut key = vec![(palette::BLUE, "came of it, 95% of games".to_owned())];
    if unit == EvalUnit::Logits {
        key.push((palette::REFERENCE, "claimed".to_owned()));
    }
    if slope.is_some() {
        key.push((palette::VERMILION, "fitted".to_owned()));
    }
    let subtitle = subtitle(name, unit, slope);
    Sheet { title, subtitle: &subtitle, key, height: HEIGHT }.draw(|body| {
        let x_label = format!("{name}'s evaluation ({})", unit.name());
        let panel = Panel { title: "", x: x.clone(), y, x_label: &x_label, y_label: "score (%)", left: 80 };
        let mut chart = panel.chart(body)?;
        let at = |point: u32| x.low + (x.high - x.low) * f64::from(point) / f64::from(POINTS);
        let sigmoid = |slope: f64| (0..=POINTS).map(|point| (at(point), 100.0 * logistic(slope * at(point)))).collect();
        if unit == EvalUnit::Logits {
            line(&mut chart, sigmoid(1.0), palette::REFERENCE)?;
        }
        if let Some(slope) = slope {
            line(&mut chart, sigmoid(slope.value), palette::VERMILION)?;
        }
        for bin in &bins {
            let score = bin.score();
            let ends = (100.0 * score.low, 100.0 * score.high);
            upright(&mut chart, (x.clamped(bin.evaluation()), 100.0 * score.value), ends, palette::BLUE)?;
        }
        Ok(())
    })
}

fn subtitle(name: &str, unit: EvalUnit, slope: Option<stats::Estimate>) -> String {
    let Some(slope) = slope else { return format!("{name}: too few positions to fit a curve") };
    let half = (slope.high - slope.low) / 2.0;
    match unit {
        EvalUnit::Logits => format!("{name}: fitted slope {:.2} ± {half:.2}, 1 if evaluations are true", slope.value),
        EvalUnit::Pawns => format!("{name}: a pawn is worth {:.2} ± {half:.2} logits", slope.value),
    }
}
