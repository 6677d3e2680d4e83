//! Histograms: bars side by side, each in one or more parts.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Sheet, bar};

/// The bars of one panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars<'a> {
    /// The title of the panel.
    pub title: &'a str,
    /// The label of the number, with its unit.
    pub x_label: &'a str,
    /// The label of the counts.
    pub y_label: &'a str,
    /// The start of the first bar.
    pub low: f64,
    /// The width of a bar.
    pub width: f64,
    /// The bars, each with the counts of its parts from below.
    pub counts: Vec<Vec<u64>>,
    /// The names of the bars instead of their numbers, if these start at 0; empty otherwise.
    pub names: Vec<String>,
}

/// Draws panels of bars, two in a row. `parts` are the names of the parts of a bar, or empty if bars have only one.
///
/// # Errors
/// [`PlotError::Empty`] if there is nothing to count.
pub fn bars(title: &str, subtitle: &str, parts: &[&str], panels: &[Bars<'_>]) -> Result<Plot, PlotError> {
    let nothing = |panel: &Bars<'_>| panel.counts.iter().flatten().all(|count| *count == 0);
    if panels.is_empty() || panels.iter().any(nothing) {
        return Err(PlotError::Empty(title.to_owned()));
    }
    let key = parts.iter().enumerate().map(|(part, name)| (colour(part, parts.len()), (*name).to_owned())).collect();
    let columns = panels.len().min(2);
    Sheet { title, subtitle, key, height: HEIGHT }.draw_grid(panels.len(), columns, |number, area| {
        let Bars { title, x_label, y_label, low, width, ref counts, ref names } = panels[number];
        let totals = counts.iter().map(|parts| parts.iter().sum::<u64>() as f64);
        let (_, most) = range(totals);
        let x = match names[..] {
            [] => Axis::new(low, low + width * counts.len() as f64, 8),
            _ => Axis::of_names(names.clone()),
        };
        let y = Axis::new(0.0, most * 1.05, 5);
        let mut chart = Panel { title, x, y, x_label, y_label, left: 100 }.chart(area)?;
        for (index, counts) in counts.iter().enumerate() {
            let (from, mut floor) = (low + width * index as f64, 0.0);
            for (part, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let top = floor + *count as f64;
                let ends = [(from + width * 0.06, floor), (from + width * 0.94, top)];
                bar(&mut chart, ends[0], ends[1], colour(part, counts.len()))?;
                floor = top;
            }
        }
        Ok(())
    })
}

/// The colour of a part; of three parts, the middle one gets a neutral colour.
fn colour(part: usize, parts: usize) -> plotters::style::RGBColor {
    match (parts, part) {
        (3, 0) => palette::VERMILION,
        (3, 1) => palette::AXIS,
        (3, _) => palette::BLUE,
        _ => palette::series(part),
    }
}
