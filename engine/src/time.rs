//! How long to think: the share of a game's remaining time that one move may take, and when to panic.
//!
//! The allocation is the one published by the author of the 2026 champion. This move weighs 1 and each later own move
//! `1 - r` times the one before, where `r` depends on the ply of the earlier one: `setup_time_decay` for a setup,
//! `time_decay` up to `late_time_ply`, `late_time_decay` after it. With `f = 1 / (sum of weights)` and
//! `A = time left - reserve`, a search ends at `A f` at the latest, begins no further root move after
//! `soft_time_fraction A f` and no new depth after `next_depth_fraction A f`. When the best score falls during an
//! iteration by more than `panic_threshold`, `f` becomes `max(f, min(panic_multiplier f, panic_max_share))`.
//!
//! An increment is this project's addition. What the later own moves will bring is shared out like time already there:
//! with `n` such moves, `f` is multiplied by `1 + n increment / A`. So that a move never empties the clock on the strength
//! of time yet to come, that raises `f` up to `panic_max_share` at most. Without increment nothing changes.
//!
//! Reading a clock is left to the `Timer` a search is given: this is arithmetic on durations, the same for wall time and
//! for time counted in nodes, and the same on every machine (`f64` `+ - * /` only).

use crate::params::Params;
use crate::score::Score;
use std::time::Duration;

/// The ply at which a game is drawn, counted from 1 with both setups.
const LAST_PLY: u16 = 102;
/// The two setups are plies 1 and 2.
const LAST_SETUP_PLY: u16 = 2;

/// What the clock of the side to move holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// Left for all moves of the game, this one included.
    pub remaining: Duration,
    /// Not to be touched, for what lies outside the search's own measurement (the champion keeps 500 ms).
    pub reserve: Duration,
    /// Added after each own move.
    pub increment: Duration,
}

/// The part of the time left that one move may use: its limits, and what panic makes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allocation {
    available: Duration,
    share: f64,
    panic_share: f64,
    soft_fraction: f64,
    next_depth_fraction: f64,
}

impl Allocation {
    /// Allocates time to the move made after `plies` plies.
    pub fn new(params: &Params, plies: u16, left: TimeLeft) -> Self {
        let weights = Weights::new(params, plies);
        let available = left.remaining.saturating_sub(left.reserve);
        let share = with_increments(params, 1.0 / weights.total, available, left.increment, weights.later_moves);
        let raised = (params.panic_multiplier * share).min(params.panic_max_share);
        Self {
            available,
            share,
            panic_share: if params.panic { share.max(raised) } else { share },
            soft_fraction: params.soft_time_fraction,
            next_depth_fraction: params.next_depth_fraction,
        }
    }

    /// The whole of `time` for one move, whatever follows: a fixed time per move.
    pub fn fixed(time: Duration) -> Self {
        Self { available: time, share: 1.0, panic_share: 1.0, soft_fraction: 1.0, next_depth_fraction: 1.0 }
    }

    /// The search is over after this time, finished or not.
    pub fn hard(&self) -> Duration {
        self.part(self.share)
    }

    /// No further root move is begun after this time.
    pub fn last_root_move(&self) -> Duration {
        self.part(self.share * self.soft_fraction)
    }

    /// No new depth is begun after this time.
    pub fn last_depth(&self) -> Duration {
        self.part(self.share * self.next_depth_fraction)
    }

    /// All limits, raised for a move that turned out worse than believed.
    #[must_use]
    pub fn panicked(self) -> Self {
        Self { share: self.panic_share, ..self }
    }

    /// A part of the available time, rounded down to nanoseconds and never more than all of it.
    fn part(&self, fraction: f64) -> Duration {
        let all = u64::try_from(self.available.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(((all as f64 * fraction) as u64).min(all))
    }
}

/// Whether a best score that fell from `before` to `now` is reason to panic.
pub fn is_panic(params: &Params, before: Score, now: Score) -> bool {
    params.panic && (before - now) > Score::from_logit(params.panic_threshold)
}

/// The share of `available` that makes a move's share of all time to come `share`, as far as the clock can bear it.
fn with_increments(params: &Params, share: f64, available: Duration, increment: Duration, later_moves: u32) -> f64 {
    if available.is_zero() || increment.is_zero() {
        return share;
    }
    let to_come = increment.as_secs_f64() * f64::from(later_moves) / available.as_secs_f64();
    (share * (1.0 + to_come)).min(share.max(params.panic_max_share))
}

/// This move and all later own moves up to the end of the game.
struct Weights {
    /// The sum of their weights, this move's being 1.
    total: f64,
    later_moves: u32,
}

impl Weights {
    fn new(params: &Params, plies: u16) -> Self {
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

fn decay_after(params: &Params, ply: u16) -> f64 {
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
    use super::{is_panic, Allocation, TimeLeft, Weights, LAST_PLY};
    use crate::params::{Params, PARAMS};
    use crate::score::Score;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn total_weight(params: &Params, plies: u16) -> f64 {
        Weights::new(params, plies).total
    }

    fn left(remaining: Duration, reserve: Duration) -> TimeLeft {
        TimeLeft { remaining, reserve, increment: Duration::ZERO }
    }

    fn close(actual: Duration, expected: Duration) -> bool {
        actual.abs_diff(expected) <= Duration::from_nanos(2)
    }

    #[test]
    fn the_last_moves_weigh_as_computed_by_hand() {
        let params = Params::default();
        // Ply 102 is the last; before it come plies 100, 98 and 96, all late: 1 + 0.2 + 0.04 + 0.008.
        assert!((total_weight(&params, 101) - 1.0).abs() < 1e-12);
        assert!((total_weight(&params, 99) - 1.2).abs() < 1e-12);
        assert!((total_weight(&params, 95) - 1.248).abs() < 1e-12);
        // Ply 95 is the last with normal decay: 1 + 0.95 (1 + 0.2 + 0.04), the game ending for this side at ply 101.
        assert!((total_weight(&params, 94) - (1.0 + 0.95 * 1.24)).abs() < 1e-12);
    }

    #[test]
    fn early_moves_follow_the_geometric_series() {
        let params = Params { time_decay: 0.5, late_time_decay: 0.5, ..Params::default() };
        // Plies 3, 5, ..., 101 are 50 moves: 2 - 2^-49. A setup adds 1 and leaves a fifth of that.
        assert!((total_weight(&params, 2) - 2.0).abs() < 1e-12);
        assert!((total_weight(&params, 0) - 1.4).abs() < 1e-12);
        let even = Params { setup_time_decay: 0.0, time_decay: 0.0, late_time_decay: 0.0, ..params };
        assert!((total_weight(&even, 0) - 51.0).abs() < 1e-12);
        assert!((total_weight(&even, 1) - 51.0).abs() < 1e-12);
        assert!((total_weight(&even, 101) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn limits_are_fractions_of_the_share_of_what_the_reserve_leaves() {
        let params = Params::default();
        // After 99 plies the share is 1 / 1.2 of 3.5 s - 0.5 s.
        let time = Allocation::new(&params, 99, left(Duration::from_millis(3_500), Duration::from_millis(500)));
        assert!(close(time.hard(), Duration::from_millis(2_500)), "{:?}", time.hard());
        assert!(close(time.last_root_move(), Duration::from_micros(998_160)), "{:?}", time.last_root_move());
        assert!(close(time.last_depth(), Duration::from_nanos(1_461_032_500)), "{:?}", time.last_depth());
        // A share above the panic cap stays what it is.
        assert_eq!(time.panicked().hard(), time.hard());
    }

    #[test]
    fn panic_multiplies_a_small_share_up_to_the_cap() {
        let even = Params { time_decay: 0.0, late_time_decay: 0.0, ..Params::default() };
        // After 2 plies 50 own moves are left, so f = 0.02; panic makes it 5.339634 f = 0.10679268.
        let time = Allocation::new(&even, 2, left(10 * SECOND, Duration::ZERO));
        assert!(close(time.hard(), Duration::from_millis(200)));
        assert!(close(time.panicked().hard(), Duration::from_nanos(1_067_926_800)));
        // After 82 plies 10 are left: 5.339634 x 0.1 exceeds the cap of 0.402908.
        let time = Allocation::new(&even, 82, left(10 * SECOND, Duration::ZERO));
        assert!(close(time.panicked().hard(), Duration::from_micros(4_029_080)));
        let calm = Params { panic: false, ..even };
        let time = Allocation::new(&calm, 82, left(10 * SECOND, Duration::ZERO));
        assert_eq!(time.panicked(), time);
    }

    #[test]
    fn only_a_large_fall_is_a_panic() {
        let params = Params::default();
        let before = Score::estimate(1_000);
        assert!(!is_panic(&params, before, Score::estimate(1_000 - 387)));
        assert!(is_panic(&params, before, Score::estimate(1_000 - 388)));
        assert!(!is_panic(&Params { panic: false, ..params }, before, Score::estimate(-9_000)));
    }

    #[test]
    fn a_clock_is_never_overrun_whatever_the_parameters() {
        for plies in 0..LAST_PLY {
            for info in PARAMS {
                for value in [info.min, info.max] {
                    let mut params = Params::default();
                    params.set(info.name, value).unwrap();
                    // The whole game is played to the limits, every move in panic.
                    let mut remaining = 30 * SECOND;
                    for ply in (plies..LAST_PLY).step_by(2) {
                        let time = Allocation::new(&params, ply, left(remaining, SECOND / 2)).panicked();
                        assert!(time.last_root_move() <= time.hard() && time.last_depth() <= time.hard());
                        remaining -= time.hard();
                    }
                    assert!(remaining >= SECOND / 2, "{} = {value}", info.name);
                }
            }
        }
        assert_eq!(Allocation::new(&Params::default(), 2, left(SECOND / 4, SECOND / 2)).hard(), Duration::ZERO);
        assert_eq!(
            Allocation::new(&Params::default(), u16::MAX, left(Duration::MAX, Duration::ZERO)).hard().as_nanos() >> 63,
            1
        );
    }

    #[test]
    fn an_increment_is_shared_out_like_time_already_there() {
        let even = Params { time_decay: 0.0, late_time_decay: 0.0, ..Params::default() };
        let with = |remaining, increment| TimeLeft { remaining, reserve: SECOND, increment };
        // After 2 plies 50 own moves are left, the last 49 of which follow an increment: (10 s + 49 x 0.1 s) / 50.
        let time = Allocation::new(&even, 2, with(11 * SECOND, SECOND / 10));
        assert!(close(time.hard(), Duration::from_millis(298)), "{:?}", time.hard());
        assert!(close(time.panicked().hard(), Duration::from_nanos(1_591_210_932)), "{:?}", time.panicked().hard());
        // With little but increments the clock is not emptied: 0.402908 of what is there, in panic too.
        let time = Allocation::new(&even, 2, with(2 * SECOND, SECOND));
        assert!(close(time.hard(), Duration::from_micros(402_908)), "{:?}", time.hard());
        assert_eq!(time.panicked().hard(), time.hard());
        // The last move has no use for an increment.
        let time = Allocation::new(&even, 101, with(3 * SECOND, SECOND));
        assert!(close(time.hard(), 2 * SECOND));
        assert_eq!(Allocation::new(&even, 2, with(SECOND, SECOND)).hard(), Duration::ZERO);
    }

    #[test]
    fn a_clock_that_lives_on_increments_is_never_overrun() {
        for increment in [1, 10, 100, 1_000].map(Duration::from_millis) {
            for value in [0.0, 0.402_908, 1.0] {
                let params = Params { panic_max_share: value, ..Params::default() };
                let mut remaining = SECOND / 20;
                for ply in (0..LAST_PLY).step_by(2) {
                    let left = TimeLeft { remaining, reserve: SECOND / 100, increment };
                    let spent = Allocation::new(&params, ply, left).panicked().hard();
                    remaining = remaining.saturating_sub(spent) + increment;
                    assert!(remaining >= SECOND / 100 + increment, "{increment:?}, ply {ply}");
                }
            }
        }
    }

    #[test]
    fn a_fixed_time_is_used_whole() {
        let time = Allocation::fixed(SECOND);
        assert_eq!((time.hard(), time.last_root_move(), time.last_depth()), (SECOND, SECOND, SECOND));
        assert_eq!(time.panicked(), time);
    }
}
