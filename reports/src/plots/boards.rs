//! Heat maps of numbers on the squares of boards: fitted tables, before and after.

use super::axis::Axis;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{Panel, Place, Sheet, bar, is_roomy, note};

/// The number of boards side by side.
const COLUMNS: usize = 3;
/// The height of a row of boards, in pixels.
const ROW: u32 = 400;
const HEADER: u32 = 80;

/// A board with a number on each square.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatBoard {
    /// The title of the board.
    pub title: String,
    /// The numbers from a8 to h1; squares without one are left empty.
    pub numbers: Vec<Option<f64>>,
}

impl HeatBoard {
    /// The mean of the numbers, and the largest distance from it.
    fn middle(&self) -> (f64, f64) {
        let numbers = || self.numbers.iter().flatten().copied();
        let mean = numbers().sum::<f64>() / numbers().count().max(1) as f64;
        (mean, numbers().map(|number| (number - mean).abs()).fold(0.0, f64::max))
    }
}

/// Draws boards, each coloured about its own mean: blue above it, vermilion below.
///
/// # Errors
/// [`PlotError`].
pub fn heat_boards(title: &str, subtitle: &str, boards: &[HeatBoard]) -> Result<Plot, PlotError> {
    if boards.iter().all(|board| board.numbers.iter().all(Option::is_none)) {
        return Err(PlotError::Empty(title.to_owned()));
    }
    let files = ["a", "b", "c", "d", "e", "f", "g", "h"].map(str::to_owned).to_vec();
    let ranks: Vec<String> = (1..=8).map(|rank| rank.to_string()).collect();
    let height = HEADER + ROW * boards.len().div_ceil(COLUMNS) as u32;
    Sheet { title, subtitle, key: Vec::new(), height }.draw_grid(boards.len(), COLUMNS, |index, area| {
        let board = &boards[index];
        let (mean, most) = board.middle();
        let title = format!("{}, mean {mean:.0}", board.title);
        let (x, y) = (Axis::of_names(files.clone()), Axis::of_names(ranks.clone()));
        let mut chart = Panel { title: &title, x, y, x_label: "", y_label: "", left: 30 }.chart(area)?;
        for (at, number) in board.numbers.iter().enumerate() {
            let Some(number) = number else { continue };
            let (x, y) = ((at % 8) as f64, 7.0 - (at / 8) as f64);
            let share = if most > 0.0 { 0.5 + 0.5 * (number - mean) / most } else { 0.5 };
            bar(&mut chart, (x - 0.48, y - 0.48), (x + 0.48, y + 0.48), palette::diverging(share))?;
            let text = format!("{number:.0}");
            // Four digits fill a cell.
            if is_roomy(&chart) || text.len() <= 4 {
                note(&mut chart, text, (x, y), Place::On, palette::IN_CELL)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_their_numbers() {
        let numbers = (0..64).map(|at| (at != 3).then_some(f64::from(at))).collect();
        let plot = heat_boards("a", "b", &[HeatBoard { title: "knight".to_owned(), numbers }]).unwrap();
        for drawing in [&plot.wide, &plot.narrow] {
            assert!(drawing.contains("knight, mean 32") && drawing.contains("63"), "{drawing}");
        }
        let empty = [HeatBoard { title: "x".to_owned(), numbers: vec![None; 64] }];
        assert!(matches!(heat_boards("a", "b", &empty), Err(PlotError::Empty(_))));
    }
}
