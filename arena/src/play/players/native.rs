//! The 0.1 engine in process, without pipes.

use crate::play::clock::{Allowance, MoveTimer, TimeSource};
use crate::play::game::Game;
use crate::play::games::ZeroPointOne;
use crate::play::player::{Evaluation, Failure, Fault, GameStart, Player, Reply, Said, Turn};
use engine::{
    Budget, Engine, EngineConfig, EvaluationKind, Move, Params, Position, Search, TimeLeft, Timeless, Unstopped,
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
            let _what_changed = self.position.play(mv);
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
        let report = report.ok_or_else(|| Fault::Crash("asked to move where there is no move".to_owned()))?;
        let said = Said {
            score: Some(Evaluation::Logit(report.score.units())),
            depth: report.depth.into(),
            nodes: report.nodes,
            ..Said::default()
        };
        Ok(Reply::new(report.best, said))
    }
}

/// An engine to judge openings with.
pub fn opening_judge() -> Engine {
    let evaluation = EvaluationKind::PieceSquare;
    Engine::new(&EngineConfig { evaluation, params: Params::default(), table_bytes: 1 << 16 })
}

/// The score of an opening after a search to depth 4, for the side to move, in logit x 10,000.
pub fn judge_opening(engine: &mut Engine, position: &Position) -> i32 {
    engine.new_game();
    engine.search(position, &[], &Budget::Depth(4), &Unstopped, &Timeless).map_or(0, |report| report.score.units())
}
