//! The outcomes of pairs and games: pairs by points compared with the model of a pair, and scores by seat.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Sheet, bar, dashed, is_roomy, label, level, named_rows, tally, upright};
use crate::sampling::expected_count;
use crate::text::grouped;
use stats::{Estimate, Pentanomial};

/// The maximum number of rows in a plot of scores.
const MOST_ROWS: usize = 24;

/// Pairs by points.
#[derive(Clone, Debug)]
pub struct PairBars<'a> {
    /// The run.
    pub title: &'a str,
    /// The expectation, in words.
    pub subtitle: &'a str,
    /// The counts as played.
    pub observed: Pentanomial,
    /// The expected probabilities of 0, 1/2, 1, 3/2 and 2 points; `None` if there is no expectation.
    pub expected: Option<[f64; 5]>,
}

/// Draws pairs by points as bars, and expectations as dots; their bars hold 95% of the samples of this size.
///
/// # Errors
/// [`PlotError`].
pub fn pentanomial(pairs: &PairBars<'_>) -> Result<Plot, PlotError> {
    let total = pairs.observed.total();
    if total == 0 {
        return Err(PlotError::Empty("pairs".to_owned()));
    }
    let names = ["0", "½", "1", "1½", "2"].map(str::to_owned).to_vec();
    let expected = pairs.expected.map(|shares| shares.map(|p| expected_count(p, total)));
    let tops = pairs.observed.0.map(|count| count as f64).into_iter();
    let (_, high) = range(tops.chain(expected.iter().flatten().map(|e| e.high)));
    let y = Axis::new(0.0, high * 1.14, 6);
    let mut key = vec![(palette::BLUE, "played".to_owned())];
    if expected.is_some() {
        key.push((palette::VERMILION, "expected, 95% of samples".to_owned()));
    }
    Sheet { title: pairs.title, subtitle: pairs.subtitle, key, height: HEIGHT }.draw(|body| {
        let (x, y) = (Axis::of_names(names.clone()), y.clone());
        let x_label = "points of the first entrant in a pair";
        let mut chart = Panel { title: "", x, y, x_label, y_label: "pairs", left: 90 }.chart(body)?;
        for (index, count) in pairs.observed.0.into_iter().enumerate() {
            let (at, top) = (index as f64, count as f64);
            bar(&mut chart, (at - 0.35, 0.0), (at + 0.15, top), palette::BLUE)?;
            tally(&mut chart, count, total, (at - 0.1, top))?;
        }
        for (index, e) in expected.into_iter().flatten().enumerate() {
            upright(&mut chart, (index as f64 + 0.3, e.value), (e.low, e.high), palette::VERMILION)?;
        }
        Ok(())
    })
}

/// A score with its 95% interval.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRow {
    /// The name of the scorer.
    pub name: String,
    /// Share of the points, 0 to 1.
    pub score: Estimate,
    /// The number of games behind the score.
    pub games: u64,
}

/// Draws scores as rows of dots with 95% bars, at most 24 of them: the first ones and the last ones.
///
/// # Errors
/// [`PlotError`].
pub fn scores(title: &str, subtitle: &str, x_label: &str, rows: &[ScoreRow]) -> Result<Plot, PlotError> {
    if rows.is_empty() {
        return Err(PlotError::Empty(x_label.to_owned()));
    }
    let (head, tail) = rows.split_at(rows.len().min(MOST_ROWS / 2));
    let rows: Vec<&ScoreRow> = head.iter().chain(&tail[tail.len().saturating_sub(MOST_ROWS / 2)..]).collect();
    let (low, high) = range(rows.iter().flat_map(|row| [row.score.low, row.score.high]).chain([0.5]));
    let margin = (high - low) * 0.05;
    let x = Axis::new(100.0 * (low - margin).max(0.0), 100.0 * (high + margin).min(1.0), 8).with_room();
    Sheet { title, subtitle, key: Vec::new(), height: HEIGHT }.draw(|body| {
        let (y, left) = named_rows(body, rows.iter().map(|row| row.name.as_str()));
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label, y_label: "", left };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (50.0, y.low), (50.0, y.high), palette::REFERENCE)?;
        for (index, row) in rows.iter().rev().enumerate() {
            let [value, low, high] = [row.score.value, row.score.low, row.score.high].map(|share| 100.0 * share);
            level(&mut chart, (value, index as f64), (low, high), palette::BLUE)?;
            let of = if is_roomy(&chart) { format!(" of {} games", grouped(row.games)) } else { String::new() };
            let text = format!("{value:.1}%{of}");
            label(&mut chart, text, (high, index as f64))?;
        }
        Ok(())
    })
}
