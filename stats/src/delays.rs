//! Differences between the wall times of moves and the times that their player reports, in the precision of its
//! reports.
//!
//! UCI engines report whole milliseconds and XBoard engines hundredths of a second, each with its own rounding: a
//! smaller difference is rounding, not delay, and a negative one is not a time. So the unit of a player's times is
//! determined first (the greatest one that divides all of them), and differences are counted no finer than that. The
//! difference of two moments in whole units may be one unit too large, and some engines add another: a reported time
//! counts as too long only if it exceeds the wall time by more than two units.

use crate::durations::{Durations, bin_of, end_of};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Counts of the differences between wall times and reported times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// Differences of moves whose wall time was longer.
    later: Durations,
    /// Differences of moves whose wall time was shorter: the player reported more time than passed.
    earlier: Durations,
    /// The greatest common divisor of the reported times, in nanoseconds; 0 while all are 0.
    divisor: u64,
}

/// How much longer a player's moves took than it reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// The number of moves with a reported time.
    pub moves: u64,
    /// The unit of the reported times, in milliseconds.
    pub unit_ms: f64,
    /// The number of moves that took at most a unit longer, or seem to have taken up to two units less: the reports are
    /// no finer than that.
    pub within_unit: u64,
    /// The number of moves for which the player reported over two units more than passed: the time is not that of the
    /// move.
    pub said_too_much: u64,
    /// Nineteen of twenty moves took at most this much longer, in milliseconds; at least the unit.
    pub p95_ms: f64,
    /// Ninety-nine of a hundred moves took at most this much longer, in milliseconds; at least the unit.
    pub p99_ms: f64,
}

impl Delays {
    /// Counts a move.
    pub fn add(&mut self, wall: Duration, reported: Duration) {
        self.divisor = greatest_common_divisor(self.divisor, u64::try_from(reported.as_nanos()).unwrap_or(u64::MAX));
        let side = if wall >= reported { &mut self.later } else { &mut self.earlier };
        side.add(wall.abs_diff(reported));
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.later.merge(&other.later);
        self.earlier.merge(&other.earlier);
        self.divisor = greatest_common_divisor(self.divisor, other.divisor);
    }

    /// Whether at most this many moves were counted. A stored value may be invalid.
    pub fn is_of_at_most(&self, moves: u64) -> bool {
        self.later.is_of_at_most(moves) && self.earlier.is_of_at_most(moves)
    }

    /// The number of moves for which the player reported a time.
    pub fn moves(&self) -> u64 {
        self.later.count() + self.earlier.count()
    }

    /// How much longer moves took than reported.
    pub fn later(&self) -> &Durations {
        &self.later
    }

    /// The unit of the reported times: 10 ms, 1 ms or 1 us; 1 ms if all times are 0.
    pub fn unit(&self) -> Duration {
        let units = [10_000, 1_000].map(Duration::from_micros);
        let is_unit = |unit: &Duration| self.divisor > 0 && self.divisor.is_multiple_of(unit.as_nanos() as u64);
        let unit = units.into_iter().find(is_unit);
        unit.unwrap_or(Duration::from_micros(if self.divisor == 0 { 1_000 } else { 1 }))
    }

    /// The summary; `None` without reported times.
    pub fn latency(&self) -> Option<Latency> {
        let (curve, moves) = (self.curve(), self.moves());
        let quantile = |share| self.quantile(share).map(|quantile| quantile.as_secs_f64() * 1e3);
        let said_too_much = self.earlier.count() - self.earlier.up_to(bin_of(2 * self.unit()));
        let within_unit = curve.first()?.1 - said_too_much;
        let unit_ms = self.unit().as_secs_f64() * 1e3;
        Some(Latency { moves, unit_ms, within_unit, said_too_much, p95_ms: quantile(0.95)?, p99_ms: quantile(0.99)? })
    }

    /// The difference that a share of the moves, 0 to 1, did not exceed; at least the unit. `None` without reported
    /// times.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let (curve, moves) = (self.curve(), self.moves() as f64);
        let (micros, _) = curve.into_iter().find(|(_, within)| *within as f64 >= share * moves)?;
        Some(Duration::from_nanos((micros * 1e3).round() as u64))
    }

    /// Microseconds from the unit on, each with the number of moves that took at most this much longer; empty without
    /// reported times.
    pub fn curve(&self) -> Vec<(f64, u64)> {
        if self.moves() == 0 {
            return Vec::new();
        }
        let unit = bin_of(self.unit());
        let last = self.later.bins().last().map_or(unit, |(bin, _)| bin.max(unit));
        (unit..=last).map(|bin| (end_of(bin), self.earlier.count() + self.later.up_to(bin))).collect()
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
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
        for &(wall, reported) in moves {
            delays.add(ms(wall), ms(reported));
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
    fn sums_are_as_if_all_had_been_counted_together() {
        let (one, two) = ([(15.0, 10.0), (33.0, 30.0)], [(3.0, 5.0), (33.0, 31.0)]);
        let mut sum = delays(&one);
        sum.merge(&delays(&two));
        assert_eq!(sum, delays(&[one, two].concat()));
        assert_eq!((sum.moves(), sum.unit()), (4, Duration::from_millis(1)), "the finer unit holds");
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
    fn reports_of_more_time_than_passed_are_counted_apart() {
        let latency = delays(&[(5.0, 500.0), (5.0, 900.0), (5.0, 5.0), (5.1, 7.0)]).latency().unwrap();
        assert_eq!((latency.said_too_much, latency.within_unit), (2, 2), "{latency:?}");
    }
}
