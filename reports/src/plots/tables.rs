//! Many entrants: their scores against each other, and their ratings.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Place, Sheet, bar, dashed, is_roomy, label, level, named_rows, note, shortened};
use crate::text::{plus_minus, signed};
use stats::Estimate;

const LONGEST_NAME: usize = 18;
/// The maximum number of entrants with decimals in the cells, which are too small with more.
const MOST_WITH_DECIMALS: usize = 24;
/// The maximum number of entrants that are drawn: the first ones.
const MOST_ENTRANTS: usize = 40;

/// Draws shares of the points, 0 to 1, of each row's entrant against each column's, as a heat map around one half, with
/// the numbers in the cells.
///
/// # Errors
/// [`PlotError`].
pub fn crosstable(
    title: &str,
    subtitle: &str,
    names: &[String],
    score: impl Fn(usize, usize) -> Option<f64>,
) -> Result<Plot, PlotError> {
    let count = names.len().min(MOST_ENTRANTS);
    if count < 2 {
        return Err(PlotError::Empty("crosstable".to_owned()));
    }
    let short = |longest| names[..count].iter().map(|name| shortened(name, longest)).collect::<Vec<_>>();
    let across = Axis::of_names(if count > 6 { (1..=count).map(|n| n.to_string()).collect() } else { short(14) });
    let down = short(LONGEST_NAME).into_iter().enumerate();
    let mut down: Vec<String> =
        down.map(|(n, name)| if count > 6 { format!("{} {name}", n + 1) } else { name }).collect();
    down.reverse();
    Sheet { title, subtitle, key: Vec::new(), height: HEIGHT }.draw(|body| {
        let (across, y) = (across.clone(), Axis::of_names(down.clone()));
        let mut chart = Panel { title: "", x: across, y, x_label: "against", y_label: "", left: 190 }.chart(body)?;
        for row in 0..count {
            for column in (0..count).filter(|&column| column != row) {
                let Some(share) = score(row, column) else { continue };
                let (x, y) = (column as f64, (count - 1 - row) as f64);
                bar(&mut chart, (x - 0.48, y - 0.48), (x + 0.48, y + 0.48), palette::diverging(share))?;
                let decimals = usize::from(count <= MOST_WITH_DECIMALS);
                note(&mut chart, format!("{:.decimals$}", 100.0 * share), (x, y), Place::On, palette::IN_CELL)?;
            }
        }
        Ok(())
    })
}

/// A rating with its 95% interval.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingRow {
    /// The entrant's name.
    pub name: String,
    /// Elo.
    pub elo: Estimate,
}

/// Draws ratings as rows of dots with 95% bars, in the order given.
///
/// # Errors
/// [`PlotError`].
pub fn ratings(title: &str, subtitle: &str, rows: &[RatingRow]) -> Result<Plot, PlotError> {
    let rows = &rows[..rows.len().min(MOST_ENTRANTS)];
    if rows.is_empty() {
        return Err(PlotError::Empty("ratings".to_owned()));
    }
    let ends = rows.iter().flat_map(|row| [row.elo.low, row.elo.high, row.elo.value]).filter(|end| end.is_finite());
    let (low, high) = range(ends.chain([0.0]));
    let x = Axis::around(low, high, 0.04, 8).with_room();
    Sheet { title, subtitle, key: Vec::new(), height: HEIGHT }.draw(|body| {
        let (y, left) = named_rows(body, rows.iter().map(|row| row.name.as_str()));
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: "Elo", y_label: "", left };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (0.0, y.low), (0.0, y.high), palette::REFERENCE)?;
        for (index, row) in rows.iter().rev().enumerate() {
            let Estimate { value, low, high } = row.elo;
            level(&mut chart, (value, index as f64), (low, high), palette::BLUE)?;
            let text = if is_roomy(&chart) { plus_minus(row.elo, 1) } else { signed(value, 1) };
            label(&mut chart, text, (x.clamped(high), index as f64))?;
        }
        Ok(())
    })
}
