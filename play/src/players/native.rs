//! The 0.1 engine in process, without pipes.

use crate::clock::{Allowance, MoveTimer, TimeAllowed, TimeSource};
use crate::game::Game;
use crate::games::ZeroPointOne;
use crate::platform::own_run_delay;
use crate::player::{Failure, GameStart, LinesKept, Player, Reply, Turn};
use engine::protocol::uci::{UciMessage, Visits};
use engine::{
    Budget, Engine, EngineConfig, EvaluationKind, Move, NeverStop, NoClock, Position, SearchRequest, TimeLeft,
};
use record::{Evaluation, Fault, MoveInfo};
use std::time::Duration;

/// A player that runs the engine in process, in games of 0.1.
pub struct NativePlayer {
    engine: Engine,
    position: Position,
    /// Keys of all positions of the game before the current one.
    history: Vec<u64>,
    seen: usize,
    /// The time to keep in reserve in this game, settled at the first move.
    reserve: Option<Duration>,
    /// Whether the engine's search counts visits.
    has_visits: bool,
    lines_kept: LinesKept,
    /// The visits of the last search in the form of a UCI engine, if they are kept.
    visits: Option<String>,
}

impl NativePlayer {
    /// A player with an engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self {
            engine: Engine::new(config),
            position: Position::new(),
            history: Vec::new(),
            seen: 0,
            reserve: None,
            has_visits: config.search.has_visits(),
            lines_kept: LinesKept::None,
            visits: None,
        }
    }

    /// Changes the engine's configuration, keeping its table's memory.
    pub fn configure(&mut self, config: &EngineConfig) {
        self.engine.configure(config);
        self.has_visits = config.search.has_visits();
    }

    /// Follows the game up to the current position.
    fn follow(&mut self, moves: &[Move]) {
        for &mv in moves.get(self.seen..).unwrap_or_default() {
            self.history.push(self.position.key());
            self.position.play(mv);
        }
        self.seen = moves.len();
    }

    /// The search budgets for the current move.
    fn budgets(&mut self, turn: &Turn<'_, ZeroPointOne>) -> Vec<Budget> {
        let Allowance { time, nodes, depth } = turn.allowance;
        let time = time.map(|time| match time {
            TimeAllowed::Move(time) => Budget::MoveTime(time.saturating_sub(reserve(turn.source, time))),
            TimeAllowed::Clock { remaining, increment, .. } => {
                let reserve = *self.reserve.get_or_insert_with(|| reserve(turn.source, remaining));
                Budget::Clock(TimeLeft { remaining, reserve, increment })
            }
        });
        let work = [nodes.map(|nodes| Budget::Nodes(nodes.get())), depth.map(Budget::Depth)];
        time.into_iter().chain(work.into_iter().flatten()).collect()
    }
}

/// The reserve of time on a wall clock, which is never planned with: the operating system may take the processor away
/// for this long.
const WALL_RESERVE: Duration = Duration::from_millis(20);

/// The reserve for a game, or a move with a limit of its own, that starts with the time `at_first`. A node clock has no
/// delays and needs none.
fn reserve(source: TimeSource, at_first: Duration) -> Duration {
    match source {
        TimeSource::Wall => WALL_RESERVE.min(at_first / 4),
        TimeSource::Nodes { .. } => Duration::ZERO,
    }
}

impl Player<ZeroPointOne> for NativePlayer {
    fn keep_lines(&mut self, kept: LinesKept) {
        self.lines_kept = kept;
    }

    fn lines(&mut self) -> Vec<String> {
        self.visits.take().into_iter().collect()
    }

    fn begin(&mut self, start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.position = match start.start {
            Some(text) => start.game.setup(text).map_err(Fault::Startup)?,
            None => start.game.start(),
        };
        self.engine.new_game();
        self.engine.set_seed(start.seed);
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
        let budgets = self.budgets(turn);
        let (position, history) = (&self.position, self.history.as_slice());
        let request = SearchRequest { position, history, budgets: &budgets, stop: turn.stop, timer: &timer };
        let (mut root, keeps_visits) = (Vec::new(), self.has_visits && self.lines_kept == LinesKept::All);
        let report = self.engine.search_with_progress(&request, &mut |progress| {
            if keeps_visits {
                progress.moves.clone_into(&mut root);
            }
        });
        self.visits = Visits::new(position, &root).map(|visits| UciMessage::InfoString(&visits).to_string());
        let report = report.ok_or_else(|| Fault::Crash("asked to move where there is not a move".to_owned()))?;
        let info = MoveInfo {
            score: Some(Evaluation::Logit(report.score.units())),
            depth: report.depth.into(),
            nodes: report.nodes,
            ..MoveInfo::default()
        };
        let delayed = waited().zip(before).map_or(Duration::ZERO, |(now, before)| now.saturating_sub(before));
        Ok(Reply { delayed, ..Reply::new(report.best, info) })
    }
}

/// Whether the move loses time when the host takes the processor away.
fn is_timed_by_the_wall(turn: &Turn<'_, ZeroPointOne>) -> bool {
    turn.source == TimeSource::Wall && turn.allowance.time.is_some()
}

/// An engine to judge openings with.
pub fn opening_judge() -> Engine {
    let evaluation = EvaluationKind::PieceSquare.into();
    Engine::new(&EngineConfig { evaluation, table_bytes: 1 << 16, ..EngineConfig::default() })
}

/// The score of an opening after a search to depth 4, for the side to move, in logit x 10,000.
pub fn judge_opening(engine: &mut Engine, position: &Position) -> i32 {
    engine.new_game();
    engine.search(position, &[], &Budget::Depth(4), &NeverStop, &NoClock).map_or(0, |report| report.score.units())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Limit};
    use crate::{Adjudication, OpeningLine, Seat, TableRules, play_game};
    use engine::protocol::uci::parse_visits;
    use record::BySide;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::num::{NonZeroU32, NonZeroU64};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Pins the calling thread to the first processor that it may run on.
    fn stay_on_one() {
        let allowed = sched_getaffinity(None).expect("the kernel tells");
        let first = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).expect("a processor");
        let mut one = CpuSet::new();
        one.set(first);
        sched_setaffinity(None, &one).expect("a processor that is allowed");
    }

    /// How long the host keeps a player waiting within a move, as seen in these tests.
    fn delayed(limit: Limit, source: TimeSource) -> Duration {
        let (stop, position) = (AtomicBool::new(false), ZeroPointOne.setup(POSITION).expect("a position"));
        let (margin, clocks) = (Duration::ZERO, BySide { first: None, second: None });
        let allowance = Clock::new(limit, margin).allowance();
        let turn = Turn {
            position: &position,
            moves: &[],
            allowance,
            margin,
            clocks,
            source,
            is_draw_offered: false,
            stop: &stop,
        };
        let mut player = NativePlayer::new(&EngineConfig::default());
        player.position = position;
        player.choose(&turn).expect("a move").delayed
    }

    const POSITION: &str = "AFADDW.D/.AADAFAA/..N.A.../......../....n.../......../aa.wafda/adddaaaf - r 6";

    #[test]
    fn a_game_may_begin_from_a_position() {
        let line = OpeningLine { start: Some(POSITION.to_owned()), moves: Vec::new() };
        let opening = line.play(&ZeroPointOne).expect("an opening");
        let config = EngineConfig::default();
        let (mut one, mut other) = (NativePlayer::new(&config), NativePlayer::new(&config));
        let players: [&mut dyn Player<ZeroPointOne>; 2] = [&mut one, &mut other];
        let (limit, source, margin) = (Limit::Depth(1), TimeSource::Wall, Duration::ZERO);
        let [first, second] = players.map(|player| Seat { player, limit, source, margin, seed: 1 });
        let adjudication = Adjudication { max_plies: NonZeroU32::new(4), ..Adjudication::default() };
        let rules = TableRules { adjudication, ..TableRules::default() };
        let seats = BySide { first, second };
        let played = play_game(&ZeroPointOne, &opening, seats, &rules, &AtomicBool::new(false)).expect("a game");
        assert_eq!(played.ending.fault(), None);
        assert!(!played.moves.is_empty());
    }

    #[test]
    fn whichever_limit_is_reached_first_ends_the_search() {
        let per_second = NonZeroU64::new(1_000_000).expect("not 0");
        let searched = |limit: Option<Limit>| {
            let clock = Clock::new(limit.expect("of different kinds"), Duration::ZERO);
            let (stop, position) = (AtomicBool::new(false), ZeroPointOne.setup(POSITION).expect("a position"));
            let clocks = BySide { first: clock.face(), second: clock.face() };
            let (allowance, source, margin) = (clock.allowance(), TimeSource::Nodes { per_second }, Duration::ZERO);
            let turn = Turn {
                position: &position,
                moves: &[],
                allowance,
                margin,
                clocks,
                source,
                is_draw_offered: false,
                stop: &stop,
            };
            let mut player = NativePlayer::new(&EngineConfig::default());
            player.position = position;
            player.choose(&turn).expect("a move").info
        };
        let nodes = |count| Limit::Nodes(NonZeroU64::new(count).expect("not 0"));
        let clock = |millis| Limit::Movetime(Duration::from_millis(millis));
        let (few, deep) = (searched(nodes(700).with(clock(900))), searched(nodes(700).with(Limit::Depth(2))));
        assert_eq!((few.nodes, deep.depth), (700, 2));
        assert!(deep.nodes < 700, "{deep:?}");
        let timed = searched(nodes(90_000).with(clock(5)));
        assert!((1..=5_000).contains(&timed.nodes), "{timed:?}");
    }

    #[test]
    fn visits_are_kept_where_all_lines_are() {
        let position = ZeroPointOne.setup(POSITION).expect("a position");
        let printed = |search: &str, kept: LinesKept| {
            let (stop, limit) = (AtomicBool::new(false), Limit::Nodes(NonZeroU64::new(60).expect("not 0")));
            let turn = Turn {
                position: &position,
                moves: &[],
                allowance: Clock::new(limit, Duration::ZERO).allowance(),
                margin: Duration::ZERO,
                clocks: BySide { first: None, second: None },
                source: TimeSource::Wall,
                is_draw_offered: false,
                stop: &stop,
            };
            let config = EngineConfig { search: search.parse().expect("a search"), ..EngineConfig::default() };
            let mut player = NativePlayer::new(&config);
            player.position = position;
            player.keep_lines(kept);
            let best = player.choose(&turn).expect("a move").mv;
            let lines = player.lines();
            assert!(player.lines().is_empty(), "each line is returned once");
            (best, lines)
        };
        let (best, lines) = printed("mcts", LinesKept::All);
        let visits = parse_visits(&position, &lines.concat()).expect("visits");
        assert_eq!(lines.len(), 1, "{lines:?}");
        // The most visited move is not always the one chosen.
        assert!(visits.iter().any(|&(mv, _)| mv == best), "{lines:?}");
        let total: u64 = visits.iter().map(|(_, visits)| visits).sum();
        assert!((50..=60).contains(&total), "{lines:?}");
        assert_eq!(printed("mcts", LinesKept::Last), (best, Vec::new()));
        assert_eq!(printed("alpha-beta", LinesKept::All).1, Vec::<String>::new());
    }

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
                let timed = delayed(Limit::Movetime(Duration::from_millis(200)), TimeSource::Wall);
                let counted = delayed(Limit::Depth(3), TimeSource::Wall);
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
