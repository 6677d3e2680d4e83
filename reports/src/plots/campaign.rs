//! The patches of a campaign: the gain of each with its interval, by its state.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Sheet, dashed, label, level, named_rows};
use crate::text::signed;
use plotters::style::RGBColor;
use stats::Estimate;
use stats::campaign::State;

/// The maximum number of patches drawn: the first ones.
const MOST_ROWS: usize = 24;

/// A patch of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchMark {
    /// The patch's name.
    pub name: String,
    /// The patch's gain in Elo with the 95% interval.
    pub elo: Estimate,
    /// The patch's state.
    pub state: State,
}

/// Draws the gains of patches as rows of dots with 95% bars, in the order given, at most 24 of them.
///
/// # Errors
/// [`PlotError`].
pub fn patches(title: &str, subtitle: &str, marks: &[PatchMark]) -> Result<Plot, PlotError> {
    let marks = &marks[..marks.len().min(MOST_ROWS)];
    if marks.is_empty() {
        return Err(PlotError::Empty("patches".to_owned()));
    }
    let ends =
        marks.iter().flat_map(|mark| [mark.elo.low, mark.elo.value, mark.elo.high]).filter(|end| end.is_finite());
    let (low, high) = range(ends.chain([0.0]));
    let x = Axis::around(low, high, 0.04, 8).with_room();
    let states = [(State::Accepted, "accepted"), (State::Playing, "playing"), (State::Dropped, "dropped")];
    let seen = states.into_iter().filter(|(state, _)| marks.iter().any(|mark| mark.state == *state));
    let key = seen.map(|(state, name)| (colour(state), name.to_owned())).collect();
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let (y, left) = named_rows(body, marks.iter().map(|mark| mark.name.as_str()));
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: "Elo above the base", y_label: "", left };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (0.0, y.low), (0.0, y.high), palette::REFERENCE)?;
        for (index, mark) in marks.iter().rev().enumerate() {
            let Estimate { value, low, high } = mark.elo;
            level(&mut chart, (value, index as f64), (low, high), colour(mark.state))?;
            label(&mut chart, signed(value, 1), (x.clamped(high), index as f64))?;
        }
        Ok(())
    })
}

fn colour(state: State) -> RGBColor {
    match state {
        State::Accepted => palette::GREEN,
        State::Playing => palette::BLUE,
        State::Dropped => palette::VERMILION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_rows_in_the_colours_of_their_states() {
        let elo = |value: f64| Estimate { value, low: value - 10.0, high: value + 10.0 };
        let mark = |name: &str, value, state| PatchMark { name: name.to_owned(), elo: elo(value), state };
        let marks = [mark("late", 12.0, State::Accepted), mark("hash", -31.0, State::Dropped)];
        let plot = patches("a", "b", &marks).unwrap();
        for drawing in [&plot.wide, &plot.narrow] {
            for text in ["late", "hash", "+12.0", "-31.0", "accepted", "dropped"] {
                assert!(drawing.contains(text), "{text}: {drawing}");
            }
            assert!(!drawing.contains("playing"), "{drawing}");
        }
        let endless = Estimate { value: 5.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
        assert!(patches("a", "b", &[PatchMark { elo: endless, ..marks[0].clone() }]).is_ok());
        assert!(matches!(patches("a", "b", &[]), Err(PlotError::Empty(_))));
    }
}
