//! The 0.1 engine in process, without pipes.

use crate::child::own_run_delay;
use crate::clock::{Allowance, MoveTimer, TimeSource};
use crate::game::Game;
use crate::games::ZeroPointOne;
use crate::player::{Evaluation, Failure, Fault, GameStart, Player, Reply, Said, Turn};
use engine::{
    Budget, Engine, EngineConfig, EvaluationKind, Move, NeverStop, NoClock, Params, Position, Search, TimeLeft,
};
use std::time::Duration;

/// Seats the engine at a board of 0.1.
pub struct NativePlayer {
    engine: Engine,
    position: Position,
    /// Keys of all positions of the game before the present one.
    history: Vec<u64>,
    seen: usize,
    /// Time to keep in this game, settled at its first move.
    reserve: Option<Duration>,
}

impl NativePlayer {
    /// A player with an engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self { engine: Engine::new(config), position: Position::new(), history: Vec::new(), seen: 0, reserve: None }
    }

    /// Changes the engine's configuration, keeping its table's memory.
    pub fn configure(&mut self, config: &EngineConfig) {
        self.engine.configure(config);
    }

    /// Follows the game up to the position at hand.
    fn follow(&mut self, moves: &[Move]) {
        for &mv in moves.get(self.seen..).unwrap_or_default() {
            self.history.push(self.position.key());
            self.position.play(mv);
        }
        self.seen = moves.len();
    }
}

/// On a wall clock, this much is never planned with: the operating system may take the processor away for so long.
const WALL_RESERVE: Duration = Duration::from_millis(20);

/// What to keep of the time `at_first` that a game, or a move with a limit of its own, starts with. A node clock has no
/// delays.
fn reserve(source: TimeSource, at_first: Duration) -> Duration {
    match source {
        TimeSource::Wall => WALL_RESERVE.min(at_first / 4),
        TimeSource::Nodes { .. } => Duration::ZERO,
    }
}

impl Player<ZeroPointOne> for NativePlayer {
    fn begin(&mut self, _start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.engine.new_game();
        self.position = ZeroPointOne.start();
        self.history.clear();
        self.seen = 0;
        self.reserve = None;
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, ZeroPointOne>) -> Result<Reply<Move>, Failure> {
        self.follow(turn.moves);
        let waited = || is_timed_by_the_wall(turn).then(own_run_delay).flatten();
        let before = waited();
        let timer = MoveTimer::start(turn.source);
        let budget = match turn.allowance {
            Allowance::Nodes(nodes) => Budget::Nodes(nodes.get()),
            Allowance::Depth(depth) => Budget::Depth(depth),
            Allowance::Movetime(time) => Budget::MoveTime(time.saturating_sub(reserve(turn.source, time))),
            Allowance::Clock { remaining, increment, .. } => {
                let reserve = *self.reserve.get_or_insert_with(|| reserve(turn.source, remaining));
                Budget::Clock(TimeLeft { remaining, reserve, increment })
            }
        };
        let report = self.engine.search(&self.position, &self.history, &budget, turn.stop, &timer);
        let report = report.ok_or_else(|| Fault::Crash("asked to move where there is not a move".to_owned()))?;
        let said = Said {
            score: Some(Evaluation::Logit(report.score.units())),
            depth: report.depth.into(),
            nodes: report.nodes,
            ..Said::default()
        };
        let delayed = waited().zip(before).map_or(Duration::ZERO, |(now, before)| now.saturating_sub(before));
        Ok(Reply { delayed, ..Reply::new(report.best, said) })
    }
}

/// Whether the host takes from the move's time when it takes the processor.
fn is_timed_by_the_wall(turn: &Turn<'_, ZeroPointOne>) -> bool {
    turn.source == TimeSource::Wall && matches!(turn.allowance, Allowance::Movetime(_) | Allowance::Clock { .. })
}

/// An engine to judge openings with.
pub fn opening_judge() -> Engine {
    let evaluation = EvaluationKind::PieceSquare;
    Engine::new(&EngineConfig { evaluation, params: Params::default(), table_bytes: 1 << 16 })
}

/// The score of an opening after a search to depth 4, for the side to move, in logit x 10,000.
pub fn judge_opening(engine: &mut Engine, position: &Position) -> i32 {
    engine.new_game();
    engine.search(position, &[], &Budget::Depth(4), &NeverStop, &NoClock).map_or(0, |report| report.score.units())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySide;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Keeps the calling thread on the first processor that it may run on.
    fn stay_on_one() {
        let allowed = sched_getaffinity(None).expect("the kernel tells");
        let first = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).expect("a processor");
        let mut one = CpuSet::new();
        one.set(first);
        sched_setaffinity(None, &one).expect("a processor that is allowed");
    }

    /// For how long the host is said to have kept a player waiting within a move.
    fn delayed(allowance: Allowance, source: TimeSource) -> Duration {
        let (stop, position) = (AtomicBool::new(false), ZeroPointOne.setup(POSITION).expect("a position"));
        let (margin, clocks) = (Duration::ZERO, BySide { first: None, second: None });
        let turn = Turn { position: &position, moves: &[], allowance, margin, clocks, source, stop: &stop };
        let mut player = NativePlayer::new(&EngineConfig::default());
        player.position = position;
        player.choose(&turn).expect("a move").delayed
    }

    const POSITION: &str = "AFADDW.D/.AADAFAA/..N.A.../......../....n.../......../aa.wafda/adddaaaf - r 6";

    #[test]
    fn a_busy_processor_is_noticed_where_time_decides() {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                stay_on_one();
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let player = scope.spawn(|| {
                stay_on_one();
                let timed = delayed(Allowance::Movetime(Duration::from_millis(200)), TimeSource::Wall);
                let counted = delayed(Allowance::Depth(3), TimeSource::Wall);
                (timed, counted)
            });
            let waited = player.join();
            over.store(true, Ordering::Relaxed);
            let (timed, counted) = waited.expect("two moves");
            assert!(timed >= Duration::from_millis(5), "{timed:?}");
            assert_eq!(counted, Duration::ZERO);
        });
    }
}
