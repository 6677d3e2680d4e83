//! Time management: how much of the remaining time one move may use, and when it gets more (panic time).
//!
//! The allocation is the one published by the author of the 2026 champion. This move has weight 1 and each later own
//! move `1 - r` times the weight of the one before, where `r` depends on the ply of the earlier one: `setup_time_decay`
//! for a setup, `time_decay` up to `late_time_ply`, `late_time_decay` after it. With `f = 1 / (sum of weights)` and `A
//! = time left - reserve`, no further root move is started after `soft_time_fraction A f` and no new depth after
//! `next_depth_fraction A f`. Both are multiplied by how urgent the move is (see [`urgency`]), up to the hard limit:
//! `A max(f, min(hard_time_factor f, panic_max_share))`. When the best score falls by more than `panic_threshold`
//! during an iteration, `f` becomes `max(f, min(panic_multiplier f, panic_max_share))`.
//!
//! Increments are this project's addition. Those of the later own moves are shared out like time already on the clock:
//! with `n` such moves, `f` is multiplied by `1 + n increment / A`. To keep a move from emptying the clock with time
//! that is yet to come, this raises `f` to at most `panic_max_share`. Without an increment nothing changes.
//!
//! The search's `Timer` reads the clock: this module only computes with durations, the same for wall time and for time
//! counted in nodes, and the same on every machine (`f64` `+ - * /` only).

mod params;

pub use params::TimeParams;

use crate::score::Score;
use std::time::Duration;

/// The last ply of a game, counted from 1 with both setups.
const LAST_PLY: u16 = 102;
/// The two setups are plies 1 and 2.
const LAST_SETUP_PLY: u16 = 2;

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The time for all moves still to come, this one included.
    pub remaining: Duration,
    /// The time reserved for delays that the search cannot measure (the champion reserves 500 ms).
    pub reserve: Duration,
    /// The time added after each move.
    pub increment: Duration,
}

/// The time limits of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allocation {
    available: Duration,
    share: f64,
    /// At least `share`.
    hard_share: f64,
    panic_share: f64,
    soft_fraction: f64,
    next_depth_fraction: f64,
    /// Whether a move may use more or less time than others.
    elastic: bool,
}

impl Allocation {
    /// The limits of the move after `plies` plies of the game.
    pub fn new(params: &TimeParams, plies: u16, left: TimeLeft) -> Self {
        let weights = Weights::new(params, plies);
        Self::of_share(params, 1.0 / weights.total, weights.later_moves, left)
    }

    fn of_share(params: &TimeParams, share: f64, later_moves: u32, left: TimeLeft) -> Self {
        let available = left.remaining.saturating_sub(left.reserve);
        let share = with_increments(params, share, available, left.increment, later_moves);
        let raised = |factor: f64| share.max((factor * share).min(params.panic_max_share));
        Self {
            available,
            share,
            hard_share: raised(params.hard_time_factor),
            panic_share: if params.panic { raised(params.panic_multiplier) } else { share },
            soft_fraction: params.soft_time_fraction,
            next_depth_fraction: params.next_depth_fraction,
            elastic: true,
        }
    }

    /// The limits of a move in a game of unknown length, as if this many own moves, this one included and all of the
    /// same weight, were still to come.
    pub fn even(params: &TimeParams, moves: u32, left: TimeLeft) -> Self {
        let moves = moves.max(1);
        Self::of_share(params, 1.0 / f64::from(moves), moves - 1, left)
    }

    /// All of `time` for one move: a fixed time per move.
    pub fn fixed(time: Duration) -> Self {
        Self {
            available: time,
            share: 1.0,
            hard_share: 1.0,
            panic_share: 1.0,
            soft_fraction: 1.0,
            next_depth_fraction: 1.0,
            elastic: false,
        }
    }

    /// The search ends at this time, finished or not.
    pub fn hard_limit(&self) -> Duration {
        self.fraction_of_available(self.hard_share)
    }

    /// No further root move is started after this time.
    pub fn soft_limit(&self) -> Duration {
        self.fraction_of_available((self.share * self.soft_fraction).min(self.hard_share))
    }

    /// No new depth is started after this time.
    pub fn next_depth_limit(&self) -> Duration {
        self.fraction_of_available((self.share * self.next_depth_fraction).min(self.hard_share))
    }

    /// The same limits with panic time.
    #[must_use]
    pub fn with_panic(self) -> Self {
        Self { share: self.panic_share, hard_share: self.hard_share.max(self.panic_share), ..self }
    }

    /// Multiplies the limits by `factor`, except the hard limit, which caps them; a fixed time is unchanged.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        if !self.elastic {
            return self;
        }
        Self {
            soft_fraction: self.soft_fraction * factor,
            next_depth_fraction: self.next_depth_fraction * factor,
            ..self
        }
    }

    /// A fraction of the available time, rounded down to nanoseconds, at most all of it.
    fn fraction_of_available(&self, fraction: f64) -> Duration {
        let all = u64::try_from(self.available.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(((all as f64 * fraction) as u64).min(all))
    }
}

/// Whether the best score fell far enough, from `previous` to `now`, for panic time.
pub fn is_panic(params: &TimeParams, previous: Score, now: Score) -> bool {
    params.panic && (previous - now) > Score::from_logit(params.panic_threshold)
}

/// The factor on the time of a move: its best move has taken the share `effort` of all nodes and has been the best one
/// for `stable` depths.
pub fn urgency(params: &TimeParams, effort: f64, stable: u8) -> f64 {
    let by_effort = 1.0 + params.time_effort * (0.5 - effort);
    let by_stability = 1.0 + params.time_stability * (1.0 - f64::from(stable.min(4)) / 2.0);
    by_effort.max(0.0) * by_stability.max(0.0)
}

/// The share of `available` that corresponds to `share` of all time including increments to come, capped.
fn with_increments(params: &TimeParams, share: f64, available: Duration, increment: Duration, later_moves: u32) -> f64 {
    if available.is_zero() || increment.is_zero() {
        return share;
    }
    let to_come = increment.as_secs_f64() * f64::from(later_moves) / available.as_secs_f64();
    (share * (1.0 + to_come)).min(share.max(params.panic_max_share))
}

/// This move and all later own moves up to the ply limit.
struct Weights {
    /// The sum of their weights; this move has weight 1.
    total: f64,
    later_moves: u32,
}

impl Weights {
    fn new(params: &TimeParams, plies: u16) -> Self {
        let mut weight = 1.0;
        let mut weights = Self { total: 1.0, later_moves: 0 };
        let mut ply = plies.saturating_add(1);
        while ply.saturating_add(2) <= LAST_PLY {
            weight *= 1.0 - decay_after(params, ply);
            weights.total += weight;
            weights.later_moves += 1;
            ply += 2;
        }
        weights
    }
}

fn decay_after(params: &TimeParams, ply: u16) -> f64 {
    if ply <= LAST_SETUP_PLY {
        params.setup_time_decay
    } else if i32::from(ply) <= params.late_time_ply {
        params.time_decay
    } else {
        params.late_time_decay
    }
}

#[cfg(test)]
mod tests {
    use super::{is_panic, Allocation, TimeLeft, TimeParams, Weights, LAST_PLY};
    use crate::params::Group;
    use crate::score::Score;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn total_weight(params: &TimeParams, plies: u16) -> f64 {
        Weights::new(params, plies).total
    }

    fn left(remaining: Duration, reserve: Duration) -> TimeLeft {
        TimeLeft { remaining, reserve, increment: Duration::ZERO }
    }

    fn close(actual: Duration, expected: Duration) -> bool {
        actual.abs_diff(expected) <= Duration::from_nanos(2)
    }

    #[test]
    fn weights_of_the_last_moves_match_hand_computed_values() {
        let params = TimeParams::default();
        // Ply 102 is the last; before it come plies 100, 98 and 96, all late: 1 + 0.2 + 0.04 + 0.008.
        assert!((total_weight(&params, 101) - 1.0).abs() < 1e-12);
        assert!((total_weight(&params, 99) - 1.2).abs() < 1e-12);
        assert!((total_weight(&params, 95) - 1.248).abs() < 1e-12);
        // Ply 95 is the last with normal decay: 1 + 0.94 (1 + 0.2 + 0.04), the game ending for this side at ply 101.
        assert!((total_weight(&params, 94) - (1.0 + 0.94 * 1.24)).abs() < 1e-12);
    }

    #[test]
    fn early_moves_follow_the_geometric_series() {
        let params = TimeParams { time_decay: 0.5, late_time_decay: 0.5, ..TimeParams::default() };
        // Plies 3, 5, ..., 101 are 50 moves: 2 - 2^-49. A setup adds 1 and leaves a fifth of that.
        assert!((total_weight(&params, 2) - 2.0).abs() < 1e-12);
        assert!((total_weight(&params, 0) - 1.4).abs() < 1e-12);
        let even = TimeParams { setup_time_decay: 0.0, time_decay: 0.0, late_time_decay: 0.0, ..params };
        assert!((total_weight(&even, 0) - 51.0).abs() < 1e-12);
        assert!((total_weight(&even, 1) - 51.0).abs() < 1e-12);
        assert!((total_weight(&even, 101) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn limits_are_fractions_of_the_share_without_the_reserve() {
        let params = TimeParams::default();
        // After 99 plies the share is 1 / 1.2 of 3.5 s - 0.5 s.
        let time = Allocation::new(&params, 99, left(Duration::from_millis(3_500), Duration::from_millis(500)));
        assert!(close(time.hard_limit(), Duration::from_millis(2_500)), "{:?}", time.hard_limit());
        assert!(close(time.soft_limit(), Duration::from_millis(1_750)), "{:?}", time.soft_limit());
        assert!(close(time.next_depth_limit(), Duration::from_millis(1_625)), "{:?}", time.next_depth_limit());
        // A share above the panic cap stays unchanged.
        assert_eq!(time.with_panic().hard_limit(), time.hard_limit());
    }

    /// All moves of the same weight, and each at most its share.
    fn even() -> TimeParams {
        TimeParams { time_decay: 0.0, late_time_decay: 0.0, hard_time_factor: 1.0, ..TimeParams::default() }
    }

    #[test]
    fn an_urgent_move_takes_more_than_its_share_up_to_the_hard_limit() {
        let params = TimeParams { hard_time_factor: 2.0, soft_time_fraction: 0.7, next_depth_fraction: 0.5, ..even() };
        // After 2 plies 50 own moves are left: 200 ms each.
        let time = Allocation::new(&params, 2, left(10 * SECOND, Duration::ZERO));
        assert!(close(time.hard_limit(), Duration::from_millis(400)));
        let urgent = time.scaled(1.6);
        assert!(close(urgent.soft_limit(), Duration::from_millis(224)), "{:?}", urgent.soft_limit());
        assert!(close(urgent.next_depth_limit(), Duration::from_millis(160)), "{:?}", urgent.next_depth_limit());
        assert_eq!(time.scaled(9.0).soft_limit(), time.hard_limit());
        // After 82 plies 10 are left: nine times the share exceeds the cap of 0.402908.
        let params = TimeParams { hard_time_factor: 9.0, ..params };
        let time = Allocation::new(&params, 82, left(10 * SECOND, Duration::ZERO));
        assert!(close(time.hard_limit(), Duration::from_micros(4_029_080)), "{:?}", time.hard_limit());
    }

    #[test]
    fn panic_multiplies_a_small_share_up_to_the_cap() {
        let even = even();
        // After 2 plies 50 own moves are left, so f = 0.02; panic makes it 5.339634 f = 0.10679268.
        let time = Allocation::new(&even, 2, left(10 * SECOND, Duration::ZERO));
        assert!(close(time.hard_limit(), Duration::from_millis(200)));
        assert!(close(time.with_panic().hard_limit(), Duration::from_nanos(1_067_926_800)));
        // After 82 plies 10 are left: 5.339634 x 0.1 exceeds the cap of 0.402908.
        let time = Allocation::new(&even, 82, left(10 * SECOND, Duration::ZERO));
        assert!(close(time.with_panic().hard_limit(), Duration::from_micros(4_029_080)));
        let calm = TimeParams { panic: false, ..even };
        let time = Allocation::new(&calm, 82, left(10 * SECOND, Duration::ZERO));
        assert_eq!(time.with_panic(), time);
    }

    #[test]
    fn only_a_large_fall_is_a_panic() {
        let params = TimeParams::default();
        let before = Score::estimate(1_000);
        assert!(!is_panic(&params, before, Score::estimate(1_000 - 387)));
        assert!(is_panic(&params, before, Score::estimate(1_000 - 388)));
        assert!(!is_panic(&TimeParams { panic: false, ..params }, before, Score::estimate(-9_000)));
    }

    #[test]
    fn a_clock_is_never_overrun_whatever_the_parameters() {
        for plies in 0..LAST_PLY {
            for info in TimeParams::PARAMS {
                for value in [info.min, info.max] {
                    let mut params = TimeParams::default();
                    assert!(params.set(info.name, value));
                    // The whole game is played to the limits, every move in panic.
                    let mut remaining = 30 * SECOND;
                    for ply in (plies..LAST_PLY).step_by(2) {
                        let time = Allocation::new(&params, ply, left(remaining, SECOND / 2)).with_panic();
                        assert!(time.soft_limit() <= time.hard_limit() && time.next_depth_limit() <= time.hard_limit());
                        remaining -= time.hard_limit();
                    }
                    assert!(remaining >= SECOND / 2, "{} = {value}", info.name);
                }
            }
        }
        assert_eq!(
            Allocation::new(&TimeParams::default(), 2, left(SECOND / 4, SECOND / 2)).hard_limit(),
            Duration::ZERO
        );
        assert_eq!(
            Allocation::new(&TimeParams::default(), u16::MAX, left(Duration::MAX, Duration::ZERO))
                .hard_limit()
                .as_nanos()
                >> 63,
            1
        );
    }

    #[test]
    fn increments_are_shared_out_like_time_on_the_clock() {
        let even = even();
        let with = |remaining, increment| TimeLeft { remaining, reserve: SECOND, increment };
        // After 2 plies 50 own moves are left; the last 49 of them follow an increment: (10 s + 49 x 0.1 s) / 50.
        let time = Allocation::new(&even, 2, with(11 * SECOND, SECOND / 10));
        assert!(close(time.hard_limit(), Duration::from_millis(298)), "{:?}", time.hard_limit());
        assert!(
            close(time.with_panic().hard_limit(), Duration::from_nanos(1_591_210_932)),
            "{:?}",
            time.with_panic().hard_limit()
        );
        // With little time except increments the clock is not emptied: 0.402908 of the available time, in panic too.
        let time = Allocation::new(&even, 2, with(2 * SECOND, SECOND));
        assert!(close(time.hard_limit(), Duration::from_micros(402_908)), "{:?}", time.hard_limit());
        assert_eq!(time.with_panic().hard_limit(), time.hard_limit());
        // The last move has no use for an increment.
        let time = Allocation::new(&even, 101, with(3 * SECOND, SECOND));
        assert!(close(time.hard_limit(), 2 * SECOND));
        assert_eq!(Allocation::new(&even, 2, with(SECOND, SECOND)).hard_limit(), Duration::ZERO);
    }

    #[test]
    fn moves_of_a_game_of_unknown_length_have_the_same_weight() {
        let params = even();
        // (10 s + 49 x 0.1 s) / 50.
        let left = TimeLeft { remaining: 11 * SECOND, reserve: SECOND, increment: SECOND / 10 };
        assert!(close(Allocation::even(&params, 50, left).hard_limit(), Duration::from_millis(298)));
        assert!(close(Allocation::even(&params, 0, left).hard_limit(), 10 * SECOND), "no move counts as the last");
    }

    #[test]
    fn a_clock_with_little_but_increments_is_never_overrun() {
        for increment in [1, 10, 100, 1_000].map(Duration::from_millis) {
            for value in [0.0, 0.402_908, 1.0] {
                let params = TimeParams { panic_max_share: value, ..TimeParams::default() };
                let mut remaining = SECOND / 20;
                for ply in (0..LAST_PLY).step_by(2) {
                    let left = TimeLeft { remaining, reserve: SECOND / 100, increment };
                    let spent = Allocation::new(&params, ply, left).with_panic().hard_limit();
                    remaining = remaining.saturating_sub(spent) + increment;
                    assert!(remaining >= SECOND / 100 + increment, "{increment:?}, ply {ply}");
                }
            }
        }
    }

    #[test]
    fn a_fixed_time_is_used_fully() {
        let time = Allocation::fixed(SECOND);
        assert_eq!((time.hard_limit(), time.soft_limit(), time.next_depth_limit()), (SECOND, SECOND, SECOND));
        assert_eq!(time.with_panic(), time);
    }
}
