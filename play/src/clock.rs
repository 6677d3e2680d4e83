//! Limits and clocks: how much a player may think, and how its time is charged.
//!
//! Only the referee reads the wall clock. Under the node clock a player's time is its work divided by a rate, so that
//! time management is reproducible on any machine under any load.

use engine::Timer;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::{Duration, Instant};

/// How much a player may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// This many nodes a move.
    Nodes(NonZeroU64),
    /// This many plies deep.
    Depth(u8),
    /// This much time a move.
    Movetime(Duration),
    /// A clock for the whole game.
    Clock {
        /// The time a side starts with.
        base: Duration,
        /// The time a side gains after each own move.
        increment: Duration,
        /// The number of own moves after which the base is added again; `None`: the base is for the whole game.
        moves: Option<NonZeroU32>,
    },
    /// A clock that starts with this much, to which the time that the opponent spends is added.
    Hourglass(Duration),
    /// Several limits at once, of which the first to be reached counts; made by [`Limit::with`].
    Several(Limits),
}

/// Two or more limits of different kinds; all of them apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Limits {
    /// The limit of time.
    timing: Option<Timing>,
    /// Nodes a move.
    nodes: Option<NonZeroU64>,
    /// The depth in plies.
    depth: Option<u8>,
}

/// A limit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// [`Limit::Movetime`].
    Movetime(Duration),
    /// [`Limit::Clock`].
    Clock {
        /// The time a side starts with.
        base: Duration,
        /// The time a side gains after each own move.
        increment: Duration,
        /// The number of own moves after which the base is added again; `None`: the base is for the whole game.
        moves: Option<NonZeroU32>,
    },
    /// [`Limit::Hourglass`].
    Hourglass(Duration),
}

impl From<Timing> for Limit {
    fn from(timing: Timing) -> Self {
        match timing {
            Timing::Movetime(time) => Self::Movetime(time),
            Timing::Clock { base, increment, moves } => Self::Clock { base, increment, moves },
            Timing::Hourglass(base) => Self::Hourglass(base),
        }
    }
}

impl Limit {
    /// Combines both limits; `None` if they are of the same kind (all limits of time are one kind).
    #[must_use]
    pub fn with(self, other: Self) -> Option<Self> {
        let (a, b) = (self.parts(), other.parts());
        let collide = a.timing.is_some() && b.timing.is_some()
            || a.nodes.is_some() && b.nodes.is_some()
            || a.depth.is_some() && b.depth.is_some();
        let both = Limits { timing: a.timing.or(b.timing), nodes: a.nodes.or(b.nodes), depth: a.depth.or(b.depth) };
        (!collide).then_some(Self::Several(both))
    }

    /// The limit of each kind.
    fn parts(self) -> Limits {
        let none = Limits::default();
        let timed = |timing| Limits { timing: Some(timing), ..none };
        match self {
            Self::Nodes(nodes) => Limits { nodes: Some(nodes), ..none },
            Self::Depth(depth) => Limits { depth: Some(depth), ..none },
            Self::Movetime(time) => timed(Timing::Movetime(time)),
            Self::Clock { base, increment, moves } => timed(Timing::Clock { base, increment, moves }),
            Self::Hourglass(base) => timed(Timing::Hourglass(base)),
            Self::Several(limits) => limits,
        }
    }

    /// The limit of time, if there is one.
    pub fn timing(self) -> Option<Timing> {
        self.parts().timing
    }

    /// The nodes of a move, if they are limited.
    pub fn nodes(self) -> Option<NonZeroU64> {
        self.parts().nodes
    }

    /// The depth of a search in plies, if it is limited.
    pub fn depth(self) -> Option<u8> {
        self.parts().depth
    }

    /// The limits that this one is made of, each of one kind, time first.
    pub fn each(self) -> impl Iterator<Item = Self> {
        let Limits { timing, nodes, depth } = self.parts();
        [timing.map(Self::from), nodes.map(Self::Nodes), depth.map(Self::Depth)].into_iter().flatten()
    }

    /// The limit with each of its parts changed; `None` if one cannot be.
    #[must_use]
    pub fn map(self, change: impl Fn(Self) -> Option<Self>) -> Option<Self> {
        let mut changed = self.each().map(change);
        let first = changed.next()??;
        changed.try_fold(first, |so_far, part| so_far.with(part?))
    }

    /// Whether a player's time decides anything, so that a wall clock makes the run irreproducible.
    pub fn reads_time(self) -> bool {
        self.timing().is_some()
    }

    /// The limit with its times multiplied and rounded to whole microseconds; a time above zero stays above zero. Nodes
    /// and depth stay.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let times = |part| {
            Some(match part {
                Self::Movetime(time) => Self::Movetime(scaled_time(time, factor)),
                Self::Clock { base, increment, moves } => {
                    let [base, increment] = [base, increment].map(|time| scaled_time(time, factor));
                    Self::Clock { base, increment, moves }
                }
                Self::Hourglass(base) => Self::Hourglass(scaled_time(base, factor)),
                other => other,
            })
        };
        self.map(times).unwrap_or(self)
    }

    /// A clock in seconds, as PGN and other tools write it: `40/60+0.5`; `None` for other limits.
    pub fn clock_in_seconds(self) -> Option<String> {
        let Timing::Clock { base, increment, moves } = self.timing()? else { return None };
        let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
        let increment = if increment.is_zero() { String::new() } else { format!("+{}", increment.as_secs_f64()) };
        Some(format!("{moves}{}{increment}", base.as_secs_f64()))
    }
}

/// The time multiplied: at least a microsecond, unless `time` is zero.
fn scaled_time(time: Duration, factor: f64) -> Duration {
    if time.is_zero() {
        return time;
    }
    let micros = (time.as_nanos() as f64 * factor / 1000.0).round();
    Duration::from_micros((micros as u64).max(1))
}

/// The limit in the notation of configurations: `1000 nodes`, `depth 6`, `100ms a move`, `40/60s+1s`, `10s hourglass`,
/// `10s+100ms, 50000 nodes`.
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
            Self::Hourglass(base) => write!(f, "{base:?} hourglass"),
            Self::Several(_) => {
                let parts: Vec<String> = self.each().map(|part| part.to_string()).collect();
                f.write_str(&parts.join(", "))
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
    /// Work done, at a number of nodes a second.
    Nodes {
        /// Nodes that make up one second.
        per_second: NonZeroU64,
    },
}

/// The time a player has used in a move so far, measured by its work or by the wall clock.
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

    /// The time that the player is charged for `work` done in the wall time `wall`.
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

/// What a player may spend on the current move: all limits that are set apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// This much time.
    pub time: Option<TimeAllowed>,
    /// The maximum number of nodes.
    pub nodes: Option<NonZeroU64>,
    /// The maximum depth in plies.
    pub depth: Option<u8>,
}

/// The time a player may spend on the current move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeAllowed {
    /// This much time for this move.
    Move(Duration),
    /// The time left on the clock for the rest of the game, and the increment a move.
    Clock {
        /// Time left.
        remaining: Duration,
        /// Added after each own move.
        increment: Duration,
        /// Own moves until the base is added again; `None` if it never is.
        moves_to_go: Option<u32>,
    },
}

impl TimeAllowed {
    /// The budget of the move after one that took `spent`; `timing` is the side's whole limit.
    #[must_use]
    pub fn after(self, spent: Duration, timing: Option<Timing>) -> Self {
        let Self::Clock { remaining, increment, moves_to_go } = self else { return self };
        let left = remaining.saturating_sub(spent).saturating_add(increment);
        let (again, moves_to_go) = match (moves_to_go, timing) {
            (Some(1), Some(Timing::Clock { base, moves, .. })) => (base, moves.map(NonZeroU32::get)),
            (moves_to_go, _) => (Duration::ZERO, moves_to_go.map(|moves| moves.saturating_sub(1))),
        };
        Self::Clock { remaining: left.saturating_add(again), increment, moves_to_go }
    }

    /// The maximum time for this move.
    pub fn most(self) -> Duration {
        match self {
            Self::Move(time) => time,
            Self::Clock { remaining, .. } => remaining,
        }
    }
}

/// The visible state of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFace {
    /// Time left.
    pub remaining: Duration,
    /// The time added after each move of its side.
    pub increment: Duration,
}

impl Clock {
    /// A clock at the start of a game. Overruns up to `margin` are forgiven.
    pub fn new(limit: Limit, margin: Duration) -> Self {
        let remaining = limit.timing().map_or(Duration::ZERO, |timing| match timing {
            Timing::Clock { base, .. } | Timing::Hourglass(base) => base,
            Timing::Movetime(time) => time,
        });
        Self { limit, margin, remaining, moves: 0 }
    }

    /// Adds the increment to the clock before the first move.
    #[must_use]
    pub fn with_first_increment(mut self) -> Self {
        if let Some(Timing::Clock { increment, .. }) = self.limit.timing() {
            self.remaining = self.remaining.saturating_add(increment);
        }
        self
    }

    /// What the player may spend on its next move.
    pub fn allowance(&self) -> Allowance {
        let remaining = self.remaining;
        let time = self.limit.timing().map(|timing| match timing {
            Timing::Movetime(time) => TimeAllowed::Move(time),
            Timing::Clock { increment, moves, .. } => {
                let moves_to_go = moves.map(|moves| moves.get() - self.moves % moves);
                TimeAllowed::Clock { remaining, increment, moves_to_go }
            }
            Timing::Hourglass(_) => TimeAllowed::Clock { remaining, increment: Duration::ZERO, moves_to_go: None },
        });
        Allowance { time, nodes: self.limit.nodes(), depth: self.limit.depth() }
    }

    /// What a player may read off the clock; `None` where no time carries over from move to move.
    pub fn face(&self) -> Option<ClockFace> {
        let increment = match self.limit.timing()? {
            Timing::Clock { increment, .. } => increment,
            Timing::Hourglass(_) => Duration::ZERO,
            Timing::Movetime(_) => return None,
        };
        Some(ClockFace { remaining: self.remaining, increment })
    }

    /// Time left; zero where nothing is timed.
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// The time after the request from which the player's current move is late, margin included; `None` where no time
    /// runs.
    pub fn due(&self) -> Option<Duration> {
        self.limit.reads_time().then(|| self.remaining.saturating_add(self.margin))
    }

    /// Charges a move.
    ///
    /// # Errors
    /// The time by which the move overran what was left, if it is more than the margin.
    pub fn charge(&mut self, spent: Duration) -> Result<(), Duration> {
        let Some(timing) = self.limit.timing() else { return Ok(()) };
        let over = spent.saturating_sub(self.remaining);
        if over > self.margin {
            return Err(over);
        }
        match timing {
            Timing::Movetime(_) => {}
            Timing::Hourglass(_) => self.remaining = self.remaining.saturating_sub(spent),
            Timing::Clock { base, increment, moves } => {
                self.moves += 1;
                self.remaining = self.remaining.saturating_sub(spent) + increment;
                if moves.is_some_and(|moves| self.moves.is_multiple_of(moves.get())) {
                    self.remaining += base;
                }
            }
        }
        Ok(())
    }

    /// Notes the time that the opponent has spent, which an hourglass adds to this side's.
    pub fn opponent_spent(&mut self, spent: Duration) {
        if let Some(Timing::Hourglass(_)) = self.limit.timing() {
            self.remaining = self.remaining.saturating_add(spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn limits_are_scaled_in_their_times() {
        let scaled = |text: &str, factor| limit_of(text).scaled(factor).to_string();
        assert_eq!(scaled("clock", 1.25), "40/12.5s+125ms, 7 nodes, depth 3");
        assert_eq!(scaled("movetime", 1.0 / 3.0), "33.333ms a move");
        assert_eq!(scaled("hourglass", 2.0), "20s hourglass");
        assert_eq!(Limit::Movetime(ms(1)).scaled(1e-9), Limit::Movetime(Duration::from_micros(1)));
        assert_eq!(limit_of("clock").scaled(1.0), limit_of("clock"));
        assert_eq!(Limit::Depth(3).scaled(2.0), Limit::Depth(3));
        assert_eq!(Limit::Movetime(Duration::MAX).scaled(100.0), Limit::Movetime(Duration::from_micros(u64::MAX)));
    }

    fn limit_of(kind: &str) -> Limit {
        match kind {
            "clock" => {
                let clock = Limit::Clock { base: ms(10_000), increment: ms(100), moves: NonZeroU32::new(40) };
                let nodes = NonZeroU64::new(7).map(Limit::Nodes).and_then(|nodes| clock.with(nodes));
                nodes.and_then(|both| both.with(Limit::Depth(3))).unwrap()
            }
            "movetime" => Limit::Movetime(ms(100)),
            _ => Limit::Hourglass(ms(10_000)),
        }
    }

    #[test]
    fn increment_is_added_after_the_move() {
        let mut clock = Clock::new(Limit::Clock { base: ms(1000), increment: ms(40), moves: None }, Duration::ZERO);
        assert_eq!(clock.charge(ms(300)), Ok(()));
        let time = TimeAllowed::Clock { remaining: ms(740), increment: ms(40), moves_to_go: None };
        assert_eq!(clock.allowance(), Allowance { time: Some(time), ..Allowance::default() });
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
        let to_go = |clock: &Clock| match clock.allowance().time {
            Some(TimeAllowed::Clock { moves_to_go, .. }) => moves_to_go,
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
    fn what_is_left_after_a_move_is_known_before_it_is_charged() {
        let limit = Limit::Clock { base: ms(100), increment: ms(1), moves: NonZeroU32::new(2) };
        let mut clock = Clock::new(limit, ms(10));
        for spent in [60, 20, 70, 30, 1].map(ms) {
            let foreseen = clock.allowance().time.map(|time| time.after(spent, limit.timing()));
            assert_eq!(clock.charge(spent), Ok(()));
            assert_eq!(clock.allowance().time, foreseen);
        }
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
    fn a_clock_beside_nodes_and_depth_runs_as_it_does_alone() {
        let (nodes, base) = (NonZeroU64::new(50).unwrap(), ms(1000));
        let clock = Limit::Clock { base, increment: ms(10), moves: None };
        let all = clock.with(Limit::Depth(9)).and_then(|limit| limit.with(Limit::Nodes(nodes))).unwrap();
        assert_eq!((all.nodes(), all.depth(), all.reads_time()), (Some(nodes), Some(9), true));
        assert_eq!(all.to_string(), "1s+10ms, 50 nodes, depth 9");
        let mut running = Clock::new(all, Duration::ZERO);
        assert_eq!(running.charge(ms(400)), Ok(()));
        let time = TimeAllowed::Clock { remaining: ms(610), increment: ms(10), moves_to_go: None };
        assert_eq!(running.allowance(), Allowance { time: Some(time), nodes: Some(nodes), depth: Some(9) });
        assert_eq!(running.charge(ms(611)), Err(ms(1)));
        for (limit, other) in [(clock, Limit::Movetime(base)), (all, Limit::Depth(3)), (all, clock)] {
            assert_eq!(limit.with(other), None);
        }
        let doubled = all.map(|part| Some(if part == Limit::Depth(9) { Limit::Depth(18) } else { part }));
        assert_eq!(doubled.and_then(Limit::depth), Some(18));
    }

    #[test]
    fn limits_are_read_as_they_are_stored() {
        let stored = |limit: Limit| {
            let text = serde_json::to_string(&limit).unwrap();
            assert_eq!(serde_json::from_str::<Limit>(&text).unwrap(), limit);
            text
        };
        assert_eq!(stored(Limit::Nodes(NonZeroU64::MIN)), r#"{"nodes":1}"#);
        let movetime = Limit::Movetime(ms(1)).with(Limit::Depth(3)).unwrap();
        assert_eq!(
            stored(movetime),
            r#"{"several":{"timing":{"movetime":{"secs":0,"nanos":1000000}},"nodes":null,"depth":3}}"#
        );
        assert_eq!(stored(Limit::Hourglass(ms(2))), r#"{"hourglass":{"secs":0,"nanos":2000000}}"#);
    }

    #[test]
    fn in_an_hourglass_the_time_runs_over_to_the_opponent() {
        let mut clocks = [ms(100), ms(300)].map(|base| Clock::new(Limit::Hourglass(base), ms(5)));
        let mut spend = |side: usize, time: Duration| {
            let spent = clocks[side].charge(time);
            clocks[1 - side].opponent_spent(time);
            spent.map(|()| [clocks[0].remaining(), clocks[1].remaining()])
        };
        assert_eq!(spend(0, ms(40)), Ok([ms(60), ms(340)]));
        assert_eq!(spend(1, ms(100)), Ok([ms(160), ms(240)]));
        assert_eq!(spend(0, ms(166)), Err(ms(6)));
        let mut clock = Clock::new(Limit::Clock { base: ms(9), increment: ms(0), moves: None }, Duration::ZERO);
        clock.opponent_spent(ms(50));
        assert_eq!(clock.remaining(), ms(9), "no other clock does so");
    }

    #[test]
    fn the_node_clock_does_not_read_the_wall() {
        let source = TimeSource::Nodes { per_second: NonZeroU64::new(1_000_000).unwrap() };
        let timer = MoveTimer::start(source);
        assert_eq!(timer.elapsed(1500), Duration::from_micros(1500));
        assert_eq!(timer.elapsed(u64::MAX), Duration::from_nanos(u64::MAX), "saturates");
    }
}
