//! The progress of learning over its generations: strength, and losses.

use super::axis::Axis;
use super::curve::{Curve, range};
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Place, Sheet, band, dashed, line, note, upright};
use arena::run::Series;
use stats::Estimate;

/// The maximum number of generations with all numbers shown; of more, only some numbers are shown.
const MOST_NUMBERED: u32 = 20;

/// The strength of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationMark {
    /// The generation's number, from 1.
    pub number: u32,
    /// Elo relative to the start, with its 95% interval.
    pub elo: Estimate,
    /// Whether the generation became the best.
    pub accepted: bool,
}

/// Draws the strength of the best generation so far, from the start (0 Elo), and beside that line the generations that
/// were not accepted.
///
/// # Errors
/// [`PlotError`].
pub fn generations_elo(title: &str, subtitle: &str, start: &str, marks: &[GenerationMark]) -> Result<Plot, PlotError> {
    let is_finite =
        |mark: &&GenerationMark| [mark.elo.value, mark.elo.low, mark.elo.high].iter().all(|number| number.is_finite());
    let marks: Vec<&GenerationMark> = marks.iter().filter(is_finite).collect();
    let Some(last) = marks.iter().map(|mark| mark.number).max() else {
        return Err(PlotError::Empty("generations".to_owned()));
    };
    let x = numbers(0, last, |number| if number == 0 { start.to_owned() } else { number.to_string() });
    let (low, high) = range(marks.iter().flat_map(|mark| [mark.elo.low, mark.elo.high]).chain([0.0]));
    let y = Axis::around(low, high, 0.08, 6);
    let best: Vec<(f64, [f64; 3])> = std::iter::once((0.0, [0.0; 3]))
        .chain(
            marks
                .iter()
                .filter(|mark| mark.accepted)
                .map(|mark| (f64::from(mark.number), [mark.elo.value, mark.elo.low, mark.elo.high])),
        )
        .collect();
    let rejected = marks.iter().any(|mark| !mark.accepted);
    let keys = [(palette::BLUE, "accepted, 95%"), (palette::VERMILION, "not accepted")];
    let key =
        keys.into_iter().take(if rejected { 2 } else { 1 }).map(|(colour, name)| (colour, name.to_owned())).collect();
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: "generation", y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (x.low, 0.0), (x.high, 0.0), palette::REFERENCE)?;
        if best.len() > 1 {
            let above = best.iter().map(|(x, [_, _, high])| (*x, *high));
            let below = best.iter().rev().map(|(x, [_, low, _])| (*x, *low));
            band(&mut chart, above.chain(below).collect(), palette::BLUE)?;
            line(&mut chart, best.iter().map(|(x, [elo, ..])| (*x, *elo)).collect(), palette::BLUE)?;
        }
        for mark in &marks {
            let colour = if mark.accepted { palette::BLUE } else { palette::VERMILION };
            let at = (f64::from(mark.number), mark.elo.value);
            upright(&mut chart, at, (mark.elo.low, mark.elo.high), colour)?;
            if last <= MOST_NUMBERED {
                note(&mut chart, format!("{:+.0}", mark.elo.value), at, Place::Right, palette::TEXT)?;
            }
        }
        Ok(())
    })
}

/// Draws losses over generations, one line for each series.
///
/// # Errors
/// [`PlotError`].
pub fn generations_losses(title: &str, subtitle: &str, courses: &[Series]) -> Result<Plot, PlotError> {
    let curves: Vec<Curve> = courses.iter().map(Curve::new).collect::<Result<_, _>>()?;
    let marks = || curves.iter().flat_map(|curve| &curve.marks);
    if curves.is_empty() {
        return Err(PlotError::NoSeries);
    }
    let (first, last) = range(marks().map(|mark| mark.x));
    let x = numbers(first as u32, last as u32, |number| number.to_string());
    let (low, high) = range(marks().map(|mark| mark.y));
    let y = Axis::around(low, high, 0.08, 6);
    let key = curves.iter().enumerate().map(|(index, curve)| (palette::series(index), curve.name.clone())).collect();
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let (x, y) = (x.clone(), y.clone());
        let panel = Panel { title: "", x, y, x_label: "generation", y_label: "cross-entropy (nats)", left: 80 };
        let mut chart = panel.chart(body)?;
        for (index, curve) in curves.iter().enumerate() {
            let points: Vec<(f64, f64)> = curve.marks.iter().map(|mark| (mark.x, mark.y)).collect();
            for &at in &points {
                upright(&mut chart, at, (at.1, at.1), palette::series(index))?;
            }
            line(&mut chart, points, palette::series(index))?;
        }
        Ok(())
    })
}

/// An axis of whole numbers.
fn numbers(first: u32, last: u32, name: impl Fn(u32) -> String) -> Axis {
    let every = ((last - first) / MOST_NUMBERED + 1) as usize;
    let ticks = (first..=last).step_by(every).map(|number| (f64::from(number), name(number))).collect();
    let margin = if last > first { f64::from(last - first) * 0.06 } else { 0.5 };
    Axis::with_ticks(f64::from(first) - margin, f64::from(last) + margin, ticks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::run::Point;

    fn mark(number: u32, value: f64, accepted: bool) -> GenerationMark {
        GenerationMark { number, elo: Estimate { value, low: value - 30.0, high: value + 30.0 }, accepted }
    }

    #[test]
    fn the_best_are_a_line_from_the_start_and_the_others_stand_beside_it() {
        let marks = [mark(1, 100.0, true), mark(2, 70.0, false), mark(3, 150.0, true)];
        let plot = generations_elo("a", "b", "piece-square", &marks).unwrap();
        for drawing in [&plot.wide, &plot.narrow] {
            for text in ["piece-square", "+100", "+150", "not accepted", "generation"] {
                assert!(drawing.contains(text), "{text}");
            }
        }
        let alone = generations_elo("a", "b", "piece-square", &[mark(1, -5.0, false)]).unwrap();
        assert!(alone.wide.contains("-5"), "a generation that was not accepted is shown");
        let unknown =
            GenerationMark { elo: Estimate { value: f64::INFINITY, low: 0.0, high: 1.0 }, ..mark(1, 0.0, true) };
        assert!(matches!(generations_elo("a", "b", "c", &[unknown]), Err(PlotError::Empty(_))));
    }

    #[test]
    fn losses_are_drawn_by_generation() {
        let points = |losses: &[f64]| {
            losses.iter().zip(1..).map(|(&y, x)| Point { x: f64::from(x), y, low: None, high: None }).collect()
        };
        let series = [("one", &[0.6, 0.58][..]), ("other", &[0.57, 0.56])];
        let series = series.map(|(name, losses)| Series { name: name.to_owned(), points: points(losses) });
        let plot = generations_losses("a", "b", &series).unwrap();
        assert!(plot.wide.contains("other") && plot.wide.contains("generation"));
        assert_eq!(generations_losses("a", "b", &[]), Err(PlotError::NoSeries));
        let first =
            generations_losses("a", "b", &series.map(|series| Series { points: vec![series.points[0]], ..series }));
        assert!(first.is_ok(), "one generation has a picture, too");
    }
}
