//! The referee: plays one game between two players and says how it ended. It alone judges moves and time.
//!
//! Any misconduct of a player becomes data: a panic, an illegal move or an overrun loses the game with a [`Fault`]. A
//! player's mistakes never become the harness's.

use super::adjudication::{Adjudication, Arbiter, Endgames};
use super::clock::{Clock, ClockFace, Limit, MoveTimer, TimeSource};
use super::conventions::Conventions;
use super::game::Game;
use super::observer::{GameNow, Observer, SLOW};
use super::opening::Opening;
use super::player::{Failure, GameStart, LinesKept, MoveFailure, Player, Reply, Turn};
use record::{BySide, Circumstances, DrawRule, Ending, Fault, Side, TrackPly, WinRule};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame<G: Game> {
    /// The plies after the opening.
    pub moves: Vec<G::Move>,
    /// How it ended.
    pub ending: Ending,
    /// The work done by each side.
    pub nodes: BySide<u64>,
    /// The players' reports at each ply, if asked for.
    pub track: Vec<TrackPly>,
    /// What is not reproducible about the game. The caller records when it began and how long it lasted.
    pub circumstances: Circumstances,
}

/// One side of a game: its player and that player's terms.
pub struct Seat<'a, G: Game> {
    /// The player.
    pub player: &'a mut dyn Player<G>,
    /// How much the player may think.
    pub limit: Limit,
    /// What measures the player's time.
    pub source: TimeSource,
    /// By how much the player may overrun its time unpunished.
    pub margin: Duration,
    /// The player's seed in this game.
    pub seed: u64,
}

/// The game was abandoned because the run was stopped; it counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Plays one game from `opening`, without endgame tables and observers.
///
/// # Errors
/// [`Stopped`] if `stop` was set before the game ended.
pub fn play_game<G: Game>(
    game: &G,
    opening: &Opening<G>,
    seats: BySide<Seat<'_, G>>,
    rules: &TableRules,
    stop: &AtomicBool,
) -> Result<PlayedGame<G>, Stopped> {
    play_game_with(game, opening, seats, rules, None, None, stop)
}

/// Plays one game from `opening`; `endgames` are the tables that `rules` name, and `observer` sees each ply as it is
/// played.
///
/// # Errors
/// [`Stopped`] if `stop` was set before the game ended.
pub fn play_game_with<G: Game>(
    game: &G,
    opening: &Opening<G>,
    mut seats: BySide<Seat<'_, G>>,
    rules: &TableRules,
    endgames: Option<&dyn Endgames<G>>,
    observer: Option<&dyn Observer<G>>,
    stop: &AtomicBool,
) -> Result<PlayedGame<G>, Stopped> {
    let mut table = Table::new(opening, &seats, rules, endgames, observer);
    for side in [Side::First, Side::Second] {
        seats[side].player.keep_lines(rules.lines);
    }
    let ending = match begin(game, opening, &mut seats, stop) {
        Err((side, failure)) => Some(table.unmoved(side, failure)),
        Ok(()) => table.play(&mut seats, stop),
    };
    let stopped = stop.load(Ordering::Relaxed);
    let ending = ending.filter(|_| !stopped);
    table.show(ending.as_ref());
    for side in [Side::First, Side::Second] {
        let _a_panic_now_changes_nothing = guard(|| {
            seats[side].player.end(ending.as_ref());
            Ok::<_, Fault>(())
        });
    }
    ending.map(|ending| table.finish(ending)).ok_or(Stopped)
}

/// Gets both players ready; the game is over if one of them fails.
fn begin<G: Game>(
    game: &G,
    opening: &Opening<G>,
    seats: &mut BySide<Seat<'_, G>>,
    stop: &AtomicBool,
) -> Result<(), (Side, Failure)> {
    for side in [Side::First, Side::Second] {
        let seat = &mut seats[side];
        let start = GameStart { game, start: opening.start.as_deref(), side, limit: seat.limit, seed: seat.seed, stop };
        guard(|| seat.player.begin(&start)).map_err(|failure| (side, failure))?;
    }
    Ok(())
}

/// The settings of games, apart from the rules of the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRules {
    /// Whether to record the players' reports at each ply.
    pub track: bool,
    /// When games are ended early.
    pub adjudication: Adjudication,
    /// The match runner whose conventions hold.
    pub conventions: Conventions,
    /// Which lines of engines are kept.
    pub lines: LinesKept,
}

/// A game in progress.
struct Table<'a, G: Game> {
    opening: &'a Opening<G>,
    position: G::Position,
    moves: Vec<G::Move>,
    clocks: BySide<Clock>,
    nodes: BySide<u64>,
    track: Vec<TrackPly>,
    circumstances: Circumstances,
    rules: &'a TableRules,
    arbiter: Arbiter<'a, G>,
    observer: Option<&'a dyn Observer<G>>,
    /// The last ply, if one was made since the opening.
    last: Option<TrackPly>,
    /// Whether the last move came with a draw offer.
    is_draw_offered: bool,
}

impl<'a, G: Game> Table<'a, G> {
    fn new(
        opening: &'a Opening<G>,
        seats: &BySide<Seat<'_, G>>,
        rules: &'a TableRules,
        endgames: Option<&'a dyn Endgames<G>>,
        observer: Option<&'a dyn Observer<G>>,
    ) -> Self {
        let mut moves = Vec::with_capacity(opening.moves.len() + 100);
        moves.extend_from_slice(&opening.moves);
        let clock = |seat: &Seat<'_, G>| {
            let clock = Clock::new(seat.limit, seat.margin);
            if rules.conventions == Conventions::Fastchess { clock.with_first_increment() } else { clock }
        };
        Self {
            opening,
            position: opening.position.clone(),
            moves,
            clocks: BySide { first: clock(&seats.first), second: clock(&seats.second) },
            nodes: BySide::default(),
            track: Vec::new(),
            circumstances: Circumstances::default(),
            rules,
            arbiter: Arbiter::new(&rules.adjudication, rules.conventions, opening.moves.len(), endgames),
            observer,
            last: None,
            is_draw_offered: false,
        }
    }

    /// Plays to the end; returns `None` if the run was stopped before.
    fn play(&mut self, seats: &mut BySide<Seat<'_, G>>, stop: &AtomicBool) -> Option<Ending> {
        loop {
            if let Some(ending) = G::ending(&self.position) {
                return Some(ending.into());
            }
            if let Some(ending) = self.arbiter.ending(&self.position, self.moves.len()) {
                return Some(ending);
            }
            self.show(None);
            let side = G::side_to_move(&self.position);
            let turn = self.turn(&mut seats[side], side, stop);
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Err(failure) = turn {
                return Some(self.unmoved(side, failure));
            }
        }
    }

    /// Shows the game to the observer.
    fn show(&self, ending: Option<&Ending>) {
        let Some(observer) = self.observer else { return };
        if self.last.is_some_and(|last| last.wall >= SLOW) || observer.looks() {
            observer.see(&GameNow {
                opening: self.opening,
                moves: self.moved(),
                side_to_move: G::side_to_move(&self.position),
                last: self.last.as_ref(),
                clocks: self.faces(),
                ending,
            });
        }
    }

    /// The plies after the opening.
    fn moved(&self) -> &[G::Move] {
        &self.moves[self.opening.moves.len()..]
    }

    /// The state of the clocks that both players can see.
    fn faces(&self) -> BySide<Option<ClockFace>> {
        BySide { first: self.clocks.first.face(), second: self.clocks.second.face() }
    }

    /// Ends the game because `side` made no move.
    fn unmoved(&mut self, side: Side, failure: Failure) -> Ending {
        let Failure { why, evidence, .. } = failure;
        if self.is_drawn_on_time(side, &why) {
            return Ending::Draw { by: DrawRule::Timeout };
        }
        self.circumstances.evidence = evidence;
        match why {
            MoveFailure::Fault(fault) => Ending::Forfeit { loser: side, fault },
            MoveFailure::Resigned => Ending::Win { winner: !side, by: WinRule::Resignation },
            MoveFailure::AgreedToDraw if self.is_draw_offered => Ending::Draw { by: DrawRule::Agreement },
            MoveFailure::AgreedToDraw => {
                let claim = "agrees to a draw that the opponent did not offer".to_owned();
                Ending::Forfeit { loser: side, fault: Fault::FalseClaim(claim) }
            }
        }
    }

    /// Whether `side` made no move because its time ran out, and the game is a draw for that reason.
    fn is_drawn_on_time(&self, side: Side, why: &MoveFailure) -> bool {
        let is_late = match why {
            MoveFailure::Fault(Fault::Time { .. }) => true,
            // Without a clock, a missing answer is not a loss on time.
            MoveFailure::Fault(Fault::Silence { .. }) => self.clocks[side].due().is_some(),
            _ => false,
        };
        is_late && self.rules.conventions == Conventions::Fide && !G::can_win(&self.position, !side)
    }

    /// Asks `side` for a move, and judges it.
    fn turn(&mut self, seat: &mut Seat<'_, G>, side: Side, stop: &AtomicBool) -> Result<(), Failure> {
        let turn = Turn {
            position: &self.position,
            moves: &self.moves,
            allowance: self.clocks[side].allowance(),
            margin: seat.margin,
            clocks: self.faces(),
            source: seat.source,
            is_draw_offered: self.is_draw_offered,
            stop,
        };
        let timer = MoveTimer::start(seat.source);
        let reply = guard(|| seat.player.choose(&turn));
        let wall = reply.as_ref().ok().and_then(|reply| reply.spent).unwrap_or_else(|| timer.wall());
        self.circumstances.times.thinking[side] += wall;
        self.note_wait(side, reply.as_ref().map_or_else(|failure| failure.delayed, |reply| reply.delayed), wall);
        let mut reply = reply?;
        reply.info = reply.info.bounded();
        self.nodes[side] += reply.info.nodes;
        let spent = timer.charge(reply.info.nodes, wall);
        self.clocks[side].charge(spent).map_err(|over| Fault::Time { over })?;
        if seat.limit.reads_time() {
            self.clocks[!side].opponent_spent(spent);
        }
        self.make(side, reply, wall)?;
        if self.rules.lines != LinesKept::None {
            self.circumstances.lines.push(seat.player.lines());
        }
        Ok(())
    }

    /// Notes that the host kept `side` waiting in a move that has not been charged yet and took `wall`.
    fn note_wait(&mut self, side: Side, waited: Duration, wall: Duration) {
        let times = &mut self.circumstances.times;
        times.delayed[side] = times.delayed[side].max(waited);
        if self.clocks[side].due().is_some_and(|due| due.abs_diff(wall) <= waited) {
            times.decisive[side] = times.decisive[side].max(waited);
        }
    }

    fn make(&mut self, side: Side, reply: Reply<G::Move>, wall: Duration) -> Result<(), Fault> {
        let Reply { mv, info, offers_draw, .. } = reply;
        if !G::is_legal(&self.position, mv) {
            return Err(Fault::IllegalMove(G::format_move(&self.position, mv)));
        }
        let progress = G::is_progress(&self.position, mv);
        G::play(&mut self.position, mv);
        self.moves.push(mv);
        self.is_draw_offered = offers_draw;
        self.arbiter.note(side, info.score, progress);
        self.circumstances.move_times[side].add(wall, info.time);
        let ply = TrackPly { info, wall, left: self.clocks[side].remaining() };
        self.last = Some(ply);
        if self.rules.track {
            self.track.push(ply);
        }
        Ok(())
    }

    fn finish(self, ending: Ending) -> PlayedGame<G> {
        PlayedGame {
            moves: self.moved().to_vec(),
            ending,
            nodes: self.nodes,
            track: self.track,
            circumstances: self.circumstances,
        }
    }
}

/// Runs a player's code; a panic in it is the player's fault.
fn guard<T, E: From<Fault>>(call: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(Fault::Crash(panic_text(panic.as_ref())).into()))
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked without a message".into())
}
