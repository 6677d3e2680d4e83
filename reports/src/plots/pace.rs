//! Time and depth by ply, and the difference between the time that a player reports and the wall time.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{Area, Drawn, HEIGHT, Panel, Sheet, band, line};
use crate::gather::{Pace, PlyPace};
use crate::sampling::mean;
use stats::Estimate;

/// The minimum number of moves at a ply: plies with fewer are left out, since they are not significant.
const LEAST_MOVES: u64 = 5;

/// A named entrant's pace.
pub type Named<'a> = (&'a str, &'a Pace);

/// A mean or a median with the ends of its 95% interval.
type Mean = (f64, f64, f64);

/// Draws time a move and depth by ply, with a line for each entrant, each with the 95% band of its mean.
///
/// # Errors
/// [`PlotError::Empty`] if the run did not keep search data.
pub fn pace(title: &str, entrants: &[Named<'_>]) -> Result<Plot, PlotError> {
    let times: Vec<_> = entrants.iter().map(|(_, pace)| means(pace, time)).collect();
    let depths: Vec<_> = entrants.iter().map(|(_, pace)| means(pace, depth)).collect();
    if times.iter().all(Vec::is_empty) {
        return Err(PlotError::Empty("time by ply".to_owned()));
    }
    let subtitle = "mean time and median depth over all games with their 95% bands; plies from the start of the game";
    let sheet = Sheet { title, subtitle, key: key(entrants), height: HEIGHT };
    if depths.iter().all(Vec::is_empty) {
        return sheet.draw(|body| curves(body, "Time a move", "milliseconds", &times));
    }
    sheet.draw_two(600, |left, right| {
        curves(left, "Time a move", "milliseconds", &times)?;
        curves(right, "Depth reached", "plies", &depths)
    })
}

fn key(entrants: &[Named<'_>]) -> Vec<(plotters::style::RGBColor, String)> {
    entrants.iter().enumerate().map(|(index, (name, _))| (palette::series(index), (*name).to_owned())).collect()
}

fn curves(area: &Area<'_>, title: &str, y_label: &str, entrants: &[Vec<(f64, Mean)>]) -> Drawn {
    let points = || entrants.iter().flatten();
    let (first, last) = range(points().map(|(ply, _)| *ply));
    let (_, high) = range(points().map(|(_, (mean, _, high))| high.min(2.0 * mean)).chain([0.0]));
    let x = Axis::new(first.min(last), last.max(first), 8);
    let y = Axis::new(0.0, if high > 0.0 { high * 1.05 } else { 1.0 }, 6);
    let mut chart = Panel { title, x, y: y.clone(), x_label: "ply", y_label, left: 80 }.chart(area)?;
    for (index, points) in entrants.iter().enumerate() {
        let colour = palette::series(index);
        let above = points.iter().map(|(ply, (_, _, high))| (*ply, y.clamped(*high)));
        let below = points.iter().rev().map(|(ply, (_, low, _))| (*ply, y.clamped(*low)));
        if points.len() > 1 {
            band(&mut chart, above.chain(below).collect(), colour)?;
        }
        line(&mut chart, points.iter().map(|(ply, (mean, _, _))| (*ply, y.clamped(*mean))).collect(), colour)?;
    }
    Ok(())
}

fn means(pace: &Pace, of: impl Fn(&PlyPace) -> Option<Mean>) -> Vec<(f64, Mean)> {
    let numbered = pace.by_ply.iter().enumerate();
    numbered.filter_map(|(index, ply)| Some((index as f64 + 1.0, of(ply)?))).collect()
}

fn time(ply: &PlyPace) -> Option<Mean> {
    let Estimate { value, low, high } = mean(ply.moves, ply.seconds * 1e3, ply.squares * 1e6)?;
    (ply.moves >= LEAST_MOVES).then_some((value, low.max(0.0), high))
}

fn depth(ply: &PlyPace) -> Option<Mean> {
    let median = ply.depths.median().filter(|_| ply.depths.count() >= LEAST_MOVES)?;
    Some((median.value, median.low, median.high))
}

/// Draws how much longer moves took by the wall clock than by the players' own clocks, with a line for each entrant,
/// starting at the unit of its times.
///
/// # Errors
/// [`PlotError::Empty`] if no player reports its times, or if nearly all differences lie within the unit.
pub fn delays(title: &str, entrants: &[Named<'_>]) -> Result<Plot, PlotError> {
    let curves: Vec<Vec<(f64, f64)>> = entrants.iter().map(|(_, pace)| delay_curve(pace)).collect();
    // A curve that begins at the top shows nothing.
    if !curves.iter().any(|curve| curve.first().is_some_and(|(_, share)| *share < MOST_WITHIN_UNIT)) {
        return Err(PlotError::Empty("latency".to_owned()));
    }
    let (first, last) = range(curves.iter().flatten().map(|(at, _)| *at));
    let names = ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"];
    let ticks = names.iter().enumerate().map(|(index, name)| (index as f64, (*name).to_owned()));
    let x = Axis::with_ticks(first, last.max(first + 1.0), ticks.collect());
    let (low, _) = range(curves.iter().flatten().map(|(_, share)| *share));
    let y = Axis::new(10.0 * (low / 10.0).floor().min(9.0), 100.0, 5);
    let subtitle = "measured time of a move minus the time that the player reports: share of moves up to this latency; \
        lines begin at the unit of the reports";
    Sheet { title, subtitle, key: key(entrants), height: HEIGHT }.draw(|body| {
        let (x, y) = (x.clone(), y.clone());
        let panel = Panel { title: "", x, y, x_label: "delay (logarithmic)", y_label: "moves (%)", left: 80 };
        let mut chart = panel.chart(body)?;
        for (index, curve) in curves.iter().enumerate() {
            line(&mut chart, curve.clone(), palette::series(index))?;
        }
        Ok(())
    })
}

/// The maximum share (%) of moves that take no longer than the unit of the reported times; above it there is nothing to
/// draw.
const MOST_WITHIN_UNIT: f64 = 98.0;

/// Powers of ten of microseconds, each with the share (%) of moves that took at most this much longer than reported.
fn delay_curve(pace: &Pace) -> Vec<(f64, f64)> {
    let curve = pace.delays.curve();
    let Some(&(_, all)) = curve.last() else { return Vec::new() };
    curve.into_iter().map(|(at, moves)| (libm::log10(at), 100.0 * moves as f64 / all as f64)).collect()
}
