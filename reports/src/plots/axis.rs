//! An axis: its range, its ticks at round values, and the text of its values.
//!
//! The ticks are computed here and not by the drawing library, whose search for them need not end on a very short
//! range.

use crate::text::grouped_digits;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// The number of decimals from which on numbers are written with an exponent.
const MOST_DECIMALS: usize = 7;
/// The size from which on numbers are written with an exponent.
const LARGE: f64 = 1e12;
/// The minimum range drawn, relative to the numbers in it: far above the rounding of f64, so that ticks stay apart.
const SHORTEST: f64 = 1e-9;
/// An upper bound of rounding errors in a quotient of ends and steps.
const ROUNDING: f64 = 1e-9;
/// The part of a range that is added for notes.
const ROOM: f64 = 0.18;

/// A range with ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// The lower end.
    pub(super) low: f64,
    /// The upper end, above `low`.
    pub(super) high: f64,
    /// Round values from `low` to `high`, rising.
    pub(super) ticks: Vec<f64>,
    /// The number of decimals needed to tell the ticks apart.
    pub(super) decimals: usize,
    /// The names of the ticks, in their order; empty if ticks show their values.
    pub(super) names: Vec<String>,
}

impl Axis {
    /// An axis from `low` to `high`, both finite and within [`super::curve::LARGEST`], with about `ticks` ticks. A
    /// range too short to be drawn is widened about its middle.
    pub(super) fn new(low: f64, high: f64, ticks: u32) -> Self {
        let (low, high) = widened(low, high);
        let Step { step, decimals } = Step::at_least((high - low) / f64::from(ticks));
        // An end that is a round value gets its tick in spite of rounding.
        let first = (low / step - ROUNDING).ceil() as i64;
        let last = (high / step + ROUNDING).floor() as i64;
        let ticks = (first..=last).map(|tick| (tick as f64 * step).clamp(low, high)).collect();
        Self { low, high, ticks, decimals, names: Vec::new() }
    }

    /// An axis around some values, with `margin` of the range left free on both sides.
    pub(super) fn around(low: f64, high: f64, margin: f64, ticks: u32) -> Self {
        let (low, high) = widened(low.min(high), low.max(high));
        let free = (high - low) * margin;
        Self::new(low - free, high + free, ticks)
    }

    /// An axis of named items side by side, at 0, 1, 2 ... in this order.
    pub(super) fn of_names(names: Vec<String>) -> Self {
        let ticks: Vec<f64> = (0..names.len()).map(|index| index as f64).collect();
        Self { low: -0.5, high: (names.len() as f64 - 0.5).max(0.5), ticks, decimals: 0, names }
    }

    /// An axis from `low` to `high`, with ticks of these names at these values.
    pub(super) fn with_ticks(low: f64, high: f64, ticks: Vec<(f64, String)>) -> Self {
        let (low, high) = widened(low, high);
        let (ticks, names) = ticks.into_iter().filter(|(at, _)| (low..=high).contains(at)).unzip();
        Self { low, high, ticks, decimals: 0, names }
    }

    /// Adds space for a note beyond the upper end.
    pub(super) fn with_room(self) -> Self {
        Self { high: self.high + (self.high - self.low) * ROOM, ..self }
    }

    /// A value as precise as a tick, as text, or the name of the tick.
    pub(super) fn label(&self, value: f64) -> String {
        let name = |(tick, name): (&f64, &String)| ((tick - value).abs() < f64::EPSILON).then(|| name.clone());
        let named = self.ticks.iter().zip(&self.names).find_map(name);
        named.unwrap_or_else(|| written(value, self.decimals))
    }

    /// A value between ticks, as text: two decimals more.
    pub(super) fn value(&self, value: f64) -> String {
        written(value, self.decimals + 2)
    }

    /// The nearest value within the range.
    pub(super) fn clamped(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let part = (self.clamped(*value) - self.low) / (self.high - self.low);
        start + (f64::from(end - start) * part).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        value.to_string()
    }

    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

/// The range, or a wider one with the same middle if it is too short to be drawn.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if high - low > size * SHORTEST {
        return (low, high);
    }
    let half = if size > 0.0 { size * 0.05 } else { 0.5 };
    (low - half, high + half)
}

/// The distance of ticks: 1, 2 or 5 times a power of ten.
struct Step {
    step: f64,
    decimals: usize,
}

impl Step {
    /// The shortest step of at least `least`, which is positive.
    fn at_least(least: f64) -> Self {
        let (mut power, mut decimals) = (1.0, 0);
        while power > least {
            power /= 10.0;
            decimals += 1;
        }
        while power * 10.0 <= least {
            power *= 10.0;
        }
        // Now power <= least < 10 power.
        let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| power * factor >= least);
        match factor {
            Some(factor) => Self { step: power * factor, decimals },
            None => Self { step: power * 10.0, decimals: decimals.saturating_sub(1) },
        }
    }
}

/// A number with this many decimals and its thousands separated, or with an exponent if that would be long.
fn written(value: f64, decimals: usize) -> String {
    if decimals >= MOST_DECIMALS || value.abs() >= LARGE {
        return format!("{value:.2e}");
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let negative = value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let sign = if negative { "-" } else { "" };
    format!("{sign}{}{fraction}", grouped_digits(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, ticks: u32) -> Vec<String> {
        let axis = Axis::new(low, high, ticks);
        axis.ticks.iter().map(|&tick| axis.label(tick)).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 20_000.0, 5), ["0", "5,000", "10,000", "15,000", "20,000"]);
        assert_eq!(labels(-0.31, 0.27, 6), ["-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2"]);
        assert_eq!(labels(0.1, 0.125, 5), ["0.100", "0.105", "0.110", "0.115", "0.120", "0.125"]);
        assert_eq!(labels(0.0, 39.0, 4), ["0", "10", "20", "30"]);
        assert_eq!(labels(0.0, 3.5, 5), ["0", "1", "2", "3"]);
        assert_eq!(Axis::new(0.0, 1.0, 5).value(0.818), "0.818");
    }

    #[test]
    fn any_range_has_a_few_ticks_inside() {
        let bounds = [0.0, 1e-100, 1e-20, 1.0, 1.0 + 1e-15, 1e15, 1e15 + 1.0, 1e100];
        let signed: Vec<f64> = bounds.iter().flat_map(|&bound| [bound, -bound]).collect();
        for &low in &signed {
            for &high in &signed {
                let axis = Axis::around(low, high, 0.05, 5);
                // The ends may come in either order.
                let (low, high) = (low.min(high), low.max(high));
                assert!((1..=8).contains(&axis.ticks.len()), "{low} to {high}: {axis:?}");
                assert!(axis.ticks.is_sorted_by(|a, b| a < b), "{axis:?}");
                assert!(axis.low <= low && high <= axis.high && axis.low < axis.high, "{axis:?}");
                assert!(axis.ticks.iter().all(|&tick| axis.label(tick).len() < 18), "{axis:?}");
            }
        }
    }
}
