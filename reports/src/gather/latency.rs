//! How much longer moves took by the wall than their player says they did, as finely as the player says it.
//!
//! UCI engines say whole milliseconds and XBoard engines hundredths of a second, rounded as each likes: a difference below that
//! is rounding, not delay, and one below 0 is no time. So the unit of what a player says is found first (the greatest that divides
//! all its times), and differences within it are counted as that and nothing finer. The difference of two moments in whole units may
//! be one unit too much, and some engines add another: only what is beyond two units is more than passed.

use serde::Serialize;
use std::time::Duration;

/// Differences are counted in so many bins a power of ten, from 1 us on.
const A_DECADE: usize = 10;
/// Up to 1000 s; the last bin has all above.
const MOST_BINS: usize = 9 * A_DECADE;

/// Differences between wall times and times said, counted.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    moves: u64,
    /// By how much the wall was longer.
    later: Vec<u64>,
    /// By how much it was shorter: more was said than passed.
    earlier: Vec<u64>,
    /// The greatest common divisor of the times said, in nanoseconds; 0 as long as all were 0.
    divisor: u128,
}

/// By how much a player's moves took longer than it says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Moves of which it said so.
    pub moves: u64,
    /// The unit of its times, in milliseconds.
    pub unit_ms: f64,
    /// Moves that took at most a unit longer, or seem to have taken two less: there is no more to be told of them.
    pub within_unit: u64,
    /// Moves for which it said over two units more than passed: its time is not that of the move.
    pub said_too_much: u64,
    /// Nineteen of twenty moves took at most so much longer, in milliseconds: never less than the unit.
    pub p95_ms: f64,
}

impl Delays {
    /// Counts a move.
    pub(crate) fn add(&mut self, wall: Duration, said: Duration) {
        self.moves += 1;
        self.divisor = greatest_common_divisor(self.divisor, said.as_nanos());
        let counted = |bins: &mut Vec<u64>, difference| {
            let bin = bin_of(difference);
            bins.resize(bins.len().max(bin + 1), 0);
            bins[bin] += 1;
        };
        let difference = wall.abs_diff(said);
        if wall >= said { counted(&mut self.later, difference) } else { counted(&mut self.earlier, difference) }
    }

    /// The unit of what is said: 10 ms, 1 ms or 1 us. Where all times were 0 it is no finer than 1 ms.
    fn unit(&self) -> Duration {
        let units = [10_000, 1_000].map(Duration::from_micros);
        let unit = units.into_iter().find(|unit| self.divisor > 0 && self.divisor.is_multiple_of(unit.as_nanos()));
        unit.unwrap_or(Duration::from_micros(if self.divisor == 0 { 1_000 } else { 1 }))
    }

    /// In sum; `None` if nothing was said.
    pub fn latency(&self) -> Option<Latency> {
        let curve = self.curve();
        let p95 = curve.iter().find(|(_, moves)| *moves as f64 >= 0.95 * self.moves as f64)?;
        let said_too_much = self.earlier.iter().skip(bin_of(2 * self.unit()) + 1).sum();
        let within_unit = curve.first()?.1 - said_too_much;
        let unit_ms = self.unit().as_secs_f64() * 1e3;
        Some(Latency { moves: self.moves, unit_ms, within_unit, said_too_much, p95_ms: p95.0 / 1e3 })
    }

    /// Microseconds from the unit on, and the moves that took at most so much longer; empty if nothing was said.
    pub fn curve(&self) -> Vec<(f64, u64)> {
        if self.moves == 0 {
            return Vec::new();
        }
        let unit = bin_of(self.unit());
        let mut moves = self.earlier.iter().sum::<u64>() + self.later.iter().take(unit + 1).sum::<u64>();
        let mut points = vec![(end_of(unit), moves)];
        for (bin, count) in self.later.iter().enumerate().skip(unit + 1) {
            moves += count;
            points.push((end_of(bin), moves));
        }
        points
    }
}

/// Bin 0 has what is at most 1 us, bin `i` what is above the last one's end and at most its own, [`end_of`] `i`.
fn bin_of(difference: Duration) -> usize {
    let micros = difference.as_nanos() as f64 / 1e3;
    // Powers of ten belong to the bin that they end, in spite of rounding.
    let bin = libm::ceil(A_DECADE as f64 * libm::log10(micros.max(1.0)) - 1e-9) as usize;
    bin.min(MOST_BINS)
}

/// The greatest difference in a bin, in microseconds.
fn end_of(bin: usize) -> f64 {
    libm::pow(10.0, bin as f64 / A_DECADE as f64)
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(moves: &[(f64, f64)]) -> Delays {
        let mut delays = Delays::default();
        let ms = |ms: f64| Duration::from_nanos((ms * 1e6) as u64);
        for &(wall, said) in moves {
            delays.add(ms(wall), ms(said));
        }
        delays
    }

    #[test]
    fn whole_milliseconds_hide_what_is_below_them() {
        // Rounded down, rounded up, and 3.3 ms later than that.
        let latency = delays(&[(5.4, 5.0), (5.4, 6.0), (10.3, 7.0), (0.2, 0.0)]).latency().unwrap();
        assert_eq!((latency.moves, latency.within_unit, latency.said_too_much), (4, 3, 0));
        assert!((3.3..4.0).contains(&latency.p95_ms), "{latency:?}");
        let quick = delays(&[(5.4, 5.0), (5.4, 6.0), (5.5, 5.0)]);
        assert_eq!(quick.curve().iter().map(|point| point.1).collect::<Vec<_>>(), [3], "one point, at the unit");
        assert!((quick.curve()[0].0 - 1000.0).abs() < 1e-6, "{:?}", quick.curve());
        assert!((quick.latency().unwrap().p95_ms - 1.0).abs() < 1e-9);
    }

    #[test]
    fn units_are_found() {
        let unit = |moves: &[(f64, f64)]| delays(moves).unit();
        assert_eq!(unit(&[(15.0, 10.0), (33.0, 30.0)]), Duration::from_millis(10));
        assert_eq!(unit(&[(15.0, 10.0), (33.0, 31.0)]), Duration::from_millis(1));
        assert_eq!(unit(&[(15.0, 10.001), (33.0, 30.0)]), Duration::from_micros(1));
        assert_eq!(unit(&[(15.0, 0.0), (33.0, 0.0)]), Duration::from_millis(1));
        assert_eq!(Delays::default().latency(), None);
    }

    #[test]
    fn finer_times_are_shown_as_finely() {
        let fine = delays(&[(1.0123, 1.0), (1.1, 1.001), (2.0, 1.0)]);
        let curve = fine.curve();
        assert!(curve.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1), "{curve:?}");
        let up_to = |micros: f64| curve.iter().rfind(|(at, _)| *at <= micros).map(|(_, moves)| *moves);
        assert_eq!((up_to(11.0), up_to(13.0), up_to(101.0), up_to(1001.0)), (Some(0), Some(1), Some(2), Some(3)));
    }

    #[test]
    fn who_says_more_than_passed_is_told_apart() {
        let latency = delays(&[(5.0, 500.0), (5.0, 900.0), (5.0, 5.0), (5.1, 7.0)]).latency().unwrap();
        assert_eq!((latency.said_too_much, latency.within_unit), (2, 2), "{latency:?}");
    }
}
