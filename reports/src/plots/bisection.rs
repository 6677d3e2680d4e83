//! A range of commits: each commit's probability of having lost the strength, and the strength along the range.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Place, Sheet, band, bar, dashed, line, note, shortened, upright};
use crate::text::signed;
use stats::Estimate;

/// The maximum number of commits with all names shown; of more, only some names are shown.
const MOST_NAMED: usize = 16;
/// The maximum number of characters of a name.
const LONGEST_NAME: usize = 10;
/// The minimum probability for a number above a commit's bar.
const WORTH_A_NOTE: f64 = 0.05;

/// A commit of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitMark {
    /// The commit's name.
    pub name: String,
    /// The probability that the commit lost the strength.
    pub probability: f64,
    /// Whether the bisection found this commit.
    pub is_found: bool,
}

/// Draws the probability of each commit, from the first.
///
/// # Errors
/// [`PlotError`].
pub fn commits(title: &str, subtitle: &str, marks: &[CommitMark]) -> Result<Plot, PlotError> {
    if marks.is_empty() {
        return Err(PlotError::Empty("commits".to_owned()));
    }
    let x = numbered(1, marks.iter().map(|mark| mark.name.as_str()));
    let y = Axis::new(0.0, 1.05, 5);
    let is_found = marks.iter().any(|mark| mark.is_found);
    let keys = [(palette::VERMILION, "found"), (palette::BLUE, "other commits")];
    let key = keys.into_iter().skip(usize::from(!is_found)).map(|(colour, name)| (colour, name.to_owned())).collect();
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let (x, y) = (x.clone(), y.clone());
        let mut chart = Panel { title: "", x, y, x_label: "commit", y_label: "probability", left: 80 }.chart(body)?;
        for (number, mark) in (1..).map(f64::from).zip(marks) {
            let colour = if mark.is_found { palette::VERMILION } else { palette::BLUE };
            let top = mark.probability.clamp(0.0, 1.0);
            bar(&mut chart, (number - 0.4, 0.0), (number + 0.4, top), colour)?;
            if top >= WORTH_A_NOTE {
                let text = format!("{:.0}%", 100.0 * top);
                note(&mut chart, text, (number, top), Place::Above, palette::TEXT)?;
            }
        }
        Ok(())
    })
}

/// Draws the Elo of the commits that played, relative to the first one, with the 95% band: each with its number in the
/// range.
///
/// # Errors
/// [`PlotError`].
pub fn commit_path(
    title: &str,
    subtitle: &str,
    names: &[String],
    played: &[(u32, Estimate)],
) -> Result<Plot, PlotError> {
    let is_finite = |elo: &Estimate| [elo.value, elo.low, elo.high].iter().all(|number| number.is_finite());
    let played: Vec<(f64, Estimate)> =
        played.iter().filter(|(_, elo)| is_finite(elo)).map(|&(number, elo)| (f64::from(number), elo)).collect();
    if played.len() < 2 {
        return Err(PlotError::Empty("commits that played".to_owned()));
    }
    let x = numbered(0, names.iter().map(String::as_str));
    let (low, high) = range(played.iter().flat_map(|(_, elo)| [elo.low, elo.high]).chain([0.0]));
    let y = Axis::around(low, high, 0.08, 6);
    let key = vec![(palette::BLUE, "Elo above the good end, 95%".to_owned())];
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: "commit", y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (x.low, 0.0), (x.high, 0.0), palette::REFERENCE)?;
        let above = played.iter().map(|(x, elo)| (*x, elo.high));
        let below = played.iter().rev().map(|(x, elo)| (*x, elo.low));
        band(&mut chart, above.chain(below).collect(), palette::BLUE)?;
        line(&mut chart, played.iter().map(|(x, elo)| (*x, elo.value)).collect(), palette::BLUE)?;
        for &(x, elo) in &played {
            upright(&mut chart, (x, elo.value), (elo.low, elo.high), palette::BLUE)?;
            if played.len() <= MOST_NAMED {
                note(&mut chart, signed(elo.value, 0), (x, elo.high), Place::Above, palette::TEXT)?;
            }
        }
        Ok(())
    })
}

/// An axis of commits, numbered from `first`; shows some of their names.
fn numbered<'a>(first: u32, names: impl ExactSizeIterator<Item = &'a str>) -> Axis {
    let (count, every) = (names.len(), names.len().div_ceil(MOST_NAMED).max(1));
    let named = |(index, name): (usize, &str)| (f64::from(first) + index as f64, shortened(name, LONGEST_NAME));
    let ticks = names.enumerate().step_by(every).map(named).collect();
    Axis::with_ticks(f64::from(first) - 0.6, f64::from(first) + count as f64 - 0.4, ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_have_bars_and_those_that_played_are_a_path() {
        let mark = |number: u32, probability| CommitMark {
            name: format!("c{number}"),
            probability,
            is_found: probability > 0.9,
        };
        let marks: Vec<CommitMark> =
            (1..40).map(|number| mark(number, if number == 7 { 0.96 } else { 0.001 })).collect();
        let plot = commits("a", "b", &marks).unwrap();
        for drawing in [&plot.wide, &plot.narrow] {
            assert!(drawing.contains("96%") && drawing.contains("found") && drawing.contains("c1"), "{drawing}");
        }
        assert!(matches!(commits("a", "b", &[]), Err(PlotError::Empty(_))));
        let names: Vec<String> = (0..4).map(|number| format!("v{number}")).collect();
        let elo = |value: f64| Estimate { value, low: value - 10.0, high: value + 10.0 };
        let path = commit_path("a", "b", &names, &[(0, elo(0.0)), (2, elo(-41.0))]).unwrap();
        assert!(path.wide.contains("-41") && path.wide.contains("v3"), "{}", path.wide);
        assert!(matches!(commit_path("a", "b", &names, &[(0, elo(0.0))]), Err(PlotError::Empty(_))));
    }
}
