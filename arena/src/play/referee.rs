//! The referee: plays one game between two players and says how it ended. It alone judges moves and time.
//!
//! Whatever a player does, the outcome is data: a panic, an illegal move or an overrun loses the game with a
//! [`Fault`], and the players' mistakes never become the harness's.

use super::clock::{Clock, Limit, MoveTimer, TimeSource};
use super::game::{BySide, DrawRule, Game, RuleEnding, Side, WinRule};
use super::opening::Opening;
use super::player::{Fault, GameStart, Player, Reply, Turn};
use serde::{Deserialize, Serialize};
use stats::Score;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Won by the rules.
    Win {
        /// Who won.
        winner: Side,
        /// By what rule.
        by: WinRule,
    },
    /// Drawn by the rules.
    Draw {
        /// By what rule.
        by: DrawRule,
    },
    /// Lost by a fault.
    Forfeit {
        /// Who lost.
        loser: Side,
        /// What it did.
        fault: Fault,
    },
}

impl Ending {
    /// The game's score for `side`.
    pub fn score(&self, side: Side) -> Score {
        match self {
            Self::Draw { .. } => Score::Draw,
            Self::Win { winner, .. } if *winner == side => Score::Win,
            Self::Forfeit { loser, .. } if *loser != side => Score::Win,
            Self::Win { .. } | Self::Forfeit { .. } => Score::Loss,
        }
    }

    /// The fault and who made it, if that ended the game.
    pub fn fault(&self) -> Option<(Side, &Fault)> {
        match self {
            Self::Forfeit { loser, fault } => Some((*loser, fault)),
            Self::Win { .. } | Self::Draw { .. } => None,
        }
    }
}

impl From<RuleEnding> for Ending {
    fn from(ending: RuleEnding) -> Self {
        match ending {
            RuleEnding::Win { winner, by } => Self::Win { winner, by },
            RuleEnding::Draw(by) => Self::Draw { by },
        }
    }
}

/// What a player said with one of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackPly {
    /// Its evaluation, for itself, in its own unit; `None` if it said none.
    pub score: Option<i32>,
    /// Depth reached, in plies.
    pub depth: u32,
    /// Work done.
    pub nodes: u64,
    /// Wall time.
    pub wall: Duration,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame<G: Game> {
    /// The plies after the opening.
    pub moves: Vec<G::Move>,
    /// How it ended.
    pub ending: Ending,
    /// Work done by each side.
    pub nodes: BySide<u64>,
    /// Wall time used by each side.
    pub wall: BySide<Duration>,
    /// What was said at each ply, if asked for.
    pub track: Vec<TrackPly>,
}

/// What one side brings to a game.
pub struct Seat<'a, G: Game> {
    /// Who plays.
    pub player: &'a mut dyn Player<G>,
    /// How much it may think.
    pub limit: Limit,
    /// What measures its time.
    pub source: TimeSource,
    /// Its seed in this game.
    pub seed: u64,
}

/// The game was given up because the run was stopped; it counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Plays one game from `opening`.
///
/// # Errors
/// [`Stopped`] if `stop` was raised before it ended.
pub fn play_game<G: Game>(
    opening: &Opening<G>,
    mut seats: BySide<Seat<'_, G>>,
    track: bool,
    stop: &AtomicBool,
) -> Result<PlayedGame<G>, Stopped> {
    let mut game = Table::new(opening, &seats, track);
    for side in [Side::First, Side::Second] {
        let seat = &mut seats[side];
        let start = GameStart { side, seed: seat.seed };
        if let Err(fault) = guard(|| seat.player.begin(start)) {
            return Ok(game.finish(Ending::Forfeit { loser: side, fault }));
        }
    }
    loop {
        if let Some(ending) = G::ending(&game.position) {
            return Ok(game.finish(ending.into()));
        }
        let side = G::side_to_move(&game.position);
        let turn = game.turn(&mut seats[side], side, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        if let Err(fault) = turn {
            return Ok(game.finish(Ending::Forfeit { loser: side, fault }));
        }
    }
}

/// A game in progress.
struct Table<G: Game> {
    position: G::Position,
    moves: Vec<G::Move>,
    opening_plies: usize,
    clocks: BySide<Clock>,
    nodes: BySide<u64>,
    wall: BySide<Duration>,
    track: Option<Vec<TrackPly>>,
}

impl<G: Game> Table<G> {
    fn new(opening: &Opening<G>, seats: &BySide<Seat<'_, G>>, track: bool) -> Self {
        let mut moves = Vec::with_capacity(opening.moves.len() + 100);
        moves.extend_from_slice(&opening.moves);
        Self {
            position: opening.position.clone(),
            moves,
            opening_plies: opening.moves.len(),
            clocks: BySide { first: Clock::new(seats.first.limit), second: Clock::new(seats.second.limit) },
            nodes: BySide::default(),
            wall: BySide::default(),
            track: track.then(Vec::new),
        }
    }

    /// Has `side` move, and judges the move.
    fn turn(&mut self, seat: &mut Seat<'_, G>, side: Side, stop: &AtomicBool) -> Result<(), Fault> {
        let turn = Turn {
            position: &self.position,
            moves: &self.moves,
            allowance: self.clocks[side].allowance(),
            source: seat.source,
            stop,
        };
        let timer = MoveTimer::start(seat.source);
        let reply = guard(|| seat.player.choose(&turn));
        let wall = timer.wall();
        self.wall[side] += wall;
        let reply = reply?;
        self.nodes[side] += reply.nodes;
        self.clocks[side].charge(timer.charge(reply.nodes, wall)).map_err(|over| Fault::Time { over })?;
        self.make(reply, wall)
    }

    fn make(&mut self, reply: Reply<G::Move>, wall: Duration) -> Result<(), Fault> {
        let Reply { mv, score, depth, nodes } = reply;
        if !G::is_legal(&self.position, mv) {
            return Err(Fault::IllegalMove(G::format_move(&self.position, mv)));
        }
        G::play(&mut self.position, mv);
        self.moves.push(mv);
        if let Some(track) = &mut self.track {
            track.push(TrackPly { score, depth, nodes, wall });
        }
        Ok(())
    }

    fn finish(self, ending: Ending) -> PlayedGame<G> {
        PlayedGame {
            moves: self.moves[self.opening_plies..].to_vec(),
            ending,
            nodes: self.nodes,
            wall: self.wall,
            track: self.track.unwrap_or_default(),
        }
    }
}

/// Runs a player's code; a panic in it is its own fault.
fn guard<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(Fault::Crash(panic_text(panic.as_ref()))))
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked without a message".into())
}
