//! How far a log-likelihood ratio is expected to jump past a bound, estimated from its own path.
//!
//! A walk with jumps crosses a bound with some overshoot, so Wald's bounds err on the safe side and cost games. Each
//! time the walk reaches a new extreme it crosses a fresh level, by a jump. If m and sq are the sums of those jumps and
//! of their squares, a random level lies in a jump with a probability proportional to its size, and the mean excess
//! over it is sq / (2 m) (Siegmund, "Sequential Analysis" (1985), chapter VIII; the running estimate is fishtest's).

use super::Bounds;

/// The record jumps of a walk that started at 0, downwards and upwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Overshoot {
    down: Side,
    up: Side,
}

/// One direction, counted as positive.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Side {
    record: f64,
    sum: f64,
    squares: f64,
}

impl Side {
    fn record(&mut self, level: f64) {
        let jump = level - self.record;
        if jump > 0.0 {
            self.sum += jump;
            self.squares += jump * jump;
            self.record = level;
        }
    }

    fn expected(&self) -> f64 {
        if self.sum > 0.0 { self.squares / self.sum / 2.0 } else { 0.0 }
    }
}

impl Overshoot {
    /// Records that the walk moved to `llr`.
    pub fn record(&mut self, llr: f64) {
        self.down.record(-llr);
        self.up.record(llr);
    }

    /// The lowest and the highest point so far.
    pub fn extremes(&self) -> Bounds {
        Bounds { lower: -self.down.record, upper: self.up.record }
    }

    /// Expected overshoot of the lower bound, in nats, not negative.
    pub fn low(&self) -> f64 {
        self.down.expected()
    }

    /// Expected overshoot of the upper bound, in nats, not negative.
    pub fn high(&self) -> f64 {
        self.up.expected()
    }
}
