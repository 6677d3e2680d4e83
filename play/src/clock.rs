//! Limits and clocks: how much a player may think, and how its time is charged.
//!
//! Only the referee reads the wall. Under the node clock a player's time is its work divided by a rate, so that time
//! management is reproducible on any machine under any load.

use engine::Timer;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::{Duration, Instant};

/// How much a player may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// So many nodes a move.
    Nodes(NonZeroU64),
    /// So many plies deep.
    Depth(u8),
    /// So much time a move.
    Movetime(Duration),
    /// A clock for the whole game.
    Clock {
        /// The time a side starts with.
        base: Duration,
        /// The time it gets after each own move.
        increment: Duration,
        /// The base is added again after so many own moves; `None`: it is for the whole game.
        moves: Option<NonZeroU32>,
    },
}

impl Limit {
    /// Whether a player's time decides anything, so that a wall clock makes the run irreproducible.
    pub fn reads_time(self) -> bool {
        matches!(self, Self::Movetime(_) | Self::Clock { .. })
    }

    /// A clock in seconds, as PGN and other tools write it: `40/60+0.5`; `None` for other limits.
    pub fn clock_in_seconds(self) -> Option<String> {
        let Self::Clock { base, increment, moves } = self else { return None };
        let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
        let increment = if increment.is_zero() { String::new() } else { format!("+{}", increment.as_secs_f64()) };
        Some(format!("{moves}{}{increment}", base.as_secs_f64()))
    }
}

/// As a configuration has it: `1000 nodes`, `depth 6`, `100ms a move`, `40/60s+1s`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Depth(depth) => write!(f, "depth {depth}"),
            Self::Movetime(time) => write!(f, "{time:?} a move"),
            Self::Clock { base, increment, moves } => {
                let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
                let increment = if increment.is_zero() { String::new() } else { format!("+{increment:?}") };
                write!(f, "{moves}{base:?}{increment}")
            }
        }
    }
}

/// What measures a player's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeSource {
    /// The wall clock.
    Wall,
    /// Work done, at so many nodes a second.
    Nodes {
        /// Nodes that make up one second.
        per_second: NonZeroU64,
    },
}

/// The time a player has used in a move so far, from its work or from the wall.
#[derive(Clone, Copy, Debug)]
pub struct MoveTimer {
    source: TimeSource,
    started: Instant,
}

impl MoveTimer {
    /// Starts timing a move now.
    pub fn start(source: TimeSource) -> Self {
        Self { source, started: Instant::now() }
    }

    /// Wall time since the start.
    pub fn wall(&self) -> Duration {
        self.started.elapsed()
    }

    /// What the player is charged for `work` done in the wall time `wall`.
    pub fn charge(&self, work: u64, wall: Duration) -> Duration {
        match self.source {
            TimeSource::Wall => wall,
            TimeSource::Nodes { per_second } => time_of_work(work, per_second),
        }
    }
}

impl Timer for MoveTimer {
    fn elapsed(&self, work: u64) -> Duration {
        match self.source {
            TimeSource::Wall => self.wall(),
            TimeSource::Nodes { per_second } => time_of_work(work, per_second),
        }
    }
}

/// The node clock: `work / per_second`, in whole nanoseconds.
fn time_of_work(work: u64, per_second: NonZeroU64) -> Duration {
    let nanos = u128::from(work) * 1_000_000_000 / u128::from(per_second.get());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// One side's clock in one game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    limit: Limit,
    margin: Duration,
    remaining: Duration,
    moves: u32,
}

/// What a player may spend on the move at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// So many nodes.
    Nodes(NonZeroU64),
    /// So many plies.
    Depth(u8),
    /// So much time for this move.
    Movetime(Duration),
    /// What is left on the clock for the rest of the game, and the increment a move.
    Clock {
        /// Time left.
        remaining: Duration,
        /// Added after each own move.
        increment: Duration,
        /// Own moves until the base is added again; `None` if it never is.
        moves_to_go: Option<u32>,
    },
}

/// What can be read off a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFace {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move of its side.
    pub increment: Duration,
}

impl Clock {
    /// A clock at the start of a game. Overruns up to `margin` are forgiven.
    pub fn new(limit: Limit, margin: Duration) -> Self {
        let remaining = match limit {
            Limit::Clock { base, .. } => base,
            Limit::Movetime(time) => time,
            Limit::Nodes(_) | Limit::Depth(_) => Duration::ZERO,
        };
        Self { limit, margin, remaining, moves: 0 }
    }

    /// The clock with its increment on it before the first move.
    #[must_use]
    pub fn with_first_increment(mut self) -> Self {
        if let Limit::Clock { increment, .. } = self.limit {
            self.remaining = self.remaining.saturating_add(increment);
        }
        self
    }

    /// What the next move may take.
    pub fn allowance(&self) -> Allowance {
        match self.limit {
            Limit::Nodes(nodes) => Allowance::Nodes(nodes),
            Limit::Depth(depth) => Allowance::Depth(depth),
            Limit::Movetime(time) => Allowance::Movetime(time),
            Limit::Clock { increment, moves, .. } => Allowance::Clock {
                remaining: self.remaining,
                increment,
                moves_to_go: moves.map(|moves| moves.get() - self.moves % moves),
            },
        }
    }

    /// What a player may read off it; `None` where no time runs on from move to move.
    pub fn face(&self) -> Option<ClockFace> {
        let Limit::Clock { increment, .. } = self.limit else { return None };
        Some(ClockFace { remaining: self.remaining, increment })
    }

    /// Time left; zero where nothing is timed.
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// How long after being asked a player is late with the move at hand, margin included; `None` where no time runs.
    pub fn due(&self) -> Option<Duration> {
        self.limit.reads_time().then(|| self.remaining.saturating_add(self.margin))
    }

    /// Charges a move.
    ///
    /// # Errors
    /// The time by which the move overran what was left, if it is more than the margin.
    pub fn charge(&mut self, spent: Duration) -> Result<(), Duration> {
        if !self.limit.reads_time() {
            return Ok(());
        }
        let over = spent.saturating_sub(self.remaining);
        if over > self.margin {
            return Err(over);
        }
        if let Limit::Clock { base, increment, moves } = self.limit {
            self.moves += 1;
            self.remaining = self.remaining.saturating_sub(spent) + increment;
            if moves.is_some_and(|moves| self.moves.is_multiple_of(moves.get())) {
                self.remaining += base;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn increment_is_added_after_the_move() {
        let mut clock = Clock::new(Limit::Clock { base: ms(1000), increment: ms(40), moves: None }, Duration::ZERO);
        assert_eq!(clock.charge(ms(300)), Ok(()));
        assert_eq!(clock.allowance(), Allowance::Clock { remaining: ms(740), increment: ms(40), moves_to_go: None });
        assert_eq!(clock.due(), Some(ms(740)));
        assert_eq!(clock.charge(ms(741)), Err(ms(1)));
    }

    #[test]
    fn the_first_increment_is_given_once_and_not_again_with_the_base() {
        let limit = Limit::Clock { base: ms(100), increment: ms(7), moves: NonZeroU32::new(1) };
        let mut clock = Clock::new(limit, Duration::ZERO).with_first_increment();
        assert_eq!(clock.face(), Some(ClockFace { remaining: ms(107), increment: ms(7) }));
        assert_eq!(clock.charge(ms(107)), Ok(()));
        assert_eq!(clock.remaining(), ms(107));
        assert_eq!(Clock::new(Limit::Movetime(ms(9)), ms(1)).with_first_increment().remaining(), ms(9));
    }

    #[test]
    fn the_base_comes_again_after_so_many_moves() {
        let moves = NonZeroU32::new(2);
        let mut clock = Clock::new(Limit::Clock { base: ms(100), increment: ms(1), moves }, ms(10));
        let to_go = |clock: &Clock| match clock.allowance() {
            Allowance::Clock { moves_to_go, .. } => moves_to_go,
            other => panic!("{other:?}"),
        };
        assert_eq!(to_go(&clock), Some(2));
        assert_eq!(clock.charge(ms(60)), Ok(()));
        assert_eq!(clock.due(), Some(ms(51)), "the margin included");
        assert_eq!((clock.remaining(), to_go(&clock)), (ms(41), Some(1)));
        assert_eq!(clock.charge(ms(51)), Ok(()), "10 ms over are forgiven");
        assert_eq!((clock.remaining(), to_go(&clock)), (ms(101), Some(2)), "and what is left is not negative");
        assert_eq!(clock.charge(ms(112)), Err(ms(11)));
    }

    #[test]
    fn movetime_does_not_add_up() {
        let mut clock = Clock::new(Limit::Movetime(ms(100)), Duration::ZERO);
        for _ in 0..5 {
            assert_eq!(clock.charge(ms(100)), Ok(()));
        }
        assert_eq!(clock.charge(ms(130)), Err(ms(30)));
    }

    #[test]
    fn nodes_and_depth_charge_nothing() {
        for limit in [Limit::Nodes(NonZeroU64::MIN), Limit::Depth(3)] {
            let mut clock = Clock::new(limit, Duration::ZERO);
            assert_eq!((clock.due(), clock.charge(Duration::MAX)), (None, Ok(())));
        }
    }

    #[test]
    fn the_node_clock_does_not_read_the_wall() {
        let source = TimeSource::Nodes { per_second: NonZeroU64::new(1_000_000).unwrap() };
        let timer = MoveTimer::start(source);
        assert_eq!(timer.elapsed(1500), Duration::from_micros(1500));
        assert_eq!(timer.elapsed(u64::MAX), Duration::from_nanos(u64::MAX), "saturates");
    }
}
