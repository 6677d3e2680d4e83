//! The power and the cost of a sequential test, over the true difference.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{Area, Drawn, HEIGHT, Panel, Sheet, dashed, line, zone};
use stats::Estimate;
use stats::plan::Prospect;

/// The prospects of a test.
#[derive(Clone, Debug)]
pub struct Planning<'a> {
    /// The run.
    pub title: &'a str,
    /// Hypotheses and conditions, in words.
    pub subtitle: &'a str,
    /// True differences in logistic Elo, rising, each with the test's behaviour there.
    pub points: &'a [(f64, Prospect)],
    /// The measured difference, if there is one; left out if it lies beyond all the points.
    pub measured: Option<Estimate>,
}

/// Draws the probability that H1 is accepted beside the expected number of pairs, and the measured difference across
/// both.
///
/// # Errors
/// [`PlotError`].
pub fn planning(plan: &Planning<'_>) -> Result<Plot, PlotError> {
    let finite = |value: fn(&Prospect) -> f64| -> Vec<(f64, f64)> {
        let points = plan.points.iter().map(|(elo, prospect)| (*elo, value(prospect)));
        points.filter(|(elo, value)| elo.is_finite() && value.is_finite()).collect()
    };
    let (pass, pairs) = (finite(|prospect| 100.0 * prospect.pass), finite(|prospect| prospect.games / 2.0));
    if pass.is_empty() || pairs.is_empty() {
        return Err(PlotError::Empty("prospects".to_owned()));
    }
    let (low, high) = range(pass.iter().map(|(elo, _)| *elo));
    let measured = plan.measured.filter(|measured| measured.low <= high && measured.high >= low);
    let mut key = vec![(palette::BLUE, "the test".to_owned())];
    if measured.is_some() {
        key.push((palette::VERMILION, "measured, 95%".to_owned()));
    }
    let (_, most) = range(pairs.iter().map(|(_, pairs)| *pairs));
    Sheet { title: plan.title, subtitle: plan.subtitle, key, height: HEIGHT }.draw_two(600, |left, right| {
        curve(left, "H1 accepted", "probability (%)", &Axis::new(0.0, 100.0, 5), &pass, measured)?;
        curve(right, "Length", "pairs, mean", &Axis::new(0.0, most * 1.05, 6), &pairs, measured)
    })
}

fn curve(
    area: &Area<'_>,
    title: &str,
    y_label: &str,
    y: &Axis,
    points: &[(f64, f64)],
    measured: Option<Estimate>,
) -> Drawn {
    let (low, high) = range(points.iter().map(|(elo, _)| *elo));
    let x = Axis::new(low, high, 6);
    let panel = Panel { title, x: x.clone(), y: y.clone(), x_label: "true Elo", y_label, left: 90 };
    let mut chart = panel.chart(area)?;
    if let Some(Estimate { value, low, high }) = measured {
        zone(&mut chart, (x.clamped(low), y.low), (x.clamped(high), y.high), palette::VERMILION)?;
        if (x.low..=x.high).contains(&value) {
            dashed(&mut chart, (value, y.low), (value, y.high), palette::VERMILION)?;
        }
    }
    line(&mut chart, points.to_vec(), palette::BLUE)
}
