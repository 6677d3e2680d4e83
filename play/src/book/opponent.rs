//! An engine of the board game 0.1 as an opponent to prepare against: the setups that it chooses, and games against it
//! after given setups.
//!
//! The preparation decides what to ask and to play, and what follows from the answers.

use crate::entrant::{Entrant, PlayerSpec, ProcessSpec};
use crate::games::ZeroPointOne;
use crate::players::process::Starter;
use crate::{
    Allowance, BySide, ClockFace, Failure, Game, GameSetup, GameStart, NotPlayed, Opening, SeatedGame, Seats, Side,
    TableRules, TimeAllowed, TimeSource, Timing, Turn,
};
use engine::{Move, MoveKind, Position, Setup};
use rayon::prelude::*;
use record::Fault;
use stats::Score;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Why an opponent gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpponentError {
    /// It made no setup.
    #[error("the opponent made no setup {}: {why}", turn(red.as_ref()))]
    Setup {
        /// The setup of red that it had to reply to, if it was not red itself.
        red: Option<Setup>,
        /// What it did wrong.
        why: String,
    },
    /// It failed in a game.
    #[error("the opponent failed in a game after {}: {why}", setups.join(" "))]
    Game {
        /// The setups of the game.
        setups: Vec<String>,
        /// What it did wrong.
        why: String,
    },
    /// The game cannot be played, or its harness panicked.
    #[error("{0}")]
    NotPlayed(String),
    /// The system grants no threads.
    #[error("cannot start threads: {cause}")]
    Threads {
        /// Why not.
        cause: String,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

fn turn(red: Option<&Setup>) -> String {
    red.map_or_else(|| "as red".to_owned(), |red| format!("after {}", red.text(engine::Side::Red)))
}

/// A game against the opponent after given setups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Red's setup.
    pub red: Setup,
    /// Blue's setup; the opponent, as blue, chooses it itself if there is none.
    pub blue: Option<Setup>,
    /// The side that the opponent plays.
    pub opponent: Side,
}

/// An opponent, and what it takes to ask it and to play against it.
pub struct Opponent<'a> {
    /// The opponent's process.
    pub process: &'a ProcessSpec,
    /// Starts its processes.
    pub starter: &'a Starter,
    /// The number of games at the same time.
    pub concurrency: NonZeroUsize,
    /// Ends everything when it is set.
    pub stop: &'a AtomicBool,
    /// Receives the number of answers or games so far.
    pub observe: &'a (dyn Fn(usize) + Sync),
}

impl Opponent<'_> {
    /// Asks for a setup for each of these, each in a game of its own: the reply to a setup of red, or, without one, the
    /// opponent's own setup as red.
    ///
    /// # Errors
    /// [`OpponentError`] of one of the failures.
    pub fn setups(&self, reds: &[Option<Setup>]) -> Result<Vec<Setup>, OpponentError> {
        self.each(reds, |red| self.setup(red.as_ref()))
    }

    /// Plays games against `own`, which is an engine in process. Returns its scores.
    ///
    /// # Errors
    /// [`OpponentError`] of one of the failures. An opponent that loses on time does not fail.
    pub fn scores(&self, own: &PlayerSpec, trials: &[Trial]) -> Result<Vec<Score>, OpponentError> {
        let entrant = |name: &str, player| Arc::new(Entrant { name: name.to_owned(), player });
        let entrants =
            [entrant("own", own.clone()), entrant("opponent", PlayerSpec::Process(Box::new(self.process.clone())))];
        self.each(trials, |trial| self.score(&entrants, trial))
    }

    fn each<Q: Sync, A: Send>(
        &self,
        questions: &[Q],
        answer: impl Fn(&Q) -> Result<A, OpponentError> + Sync,
    ) -> Result<Vec<A>, OpponentError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.concurrency.get()).build();
        let pool = pool.map_err(|error| OpponentError::Threads { cause: error.to_string() })?;
        let done = AtomicUsize::new(0);
        let answers = questions.par_iter().with_max_len(1).map(|question| {
            let answer = answer(question);
            // A game that is stopped may end with any error.
            if self.stop.load(Ordering::SeqCst) {
                return Err(OpponentError::Stopped);
            }
            (self.observe)(done.fetch_add(1, Ordering::Relaxed) + 1);
            answer
        });
        pool.install(|| answers.collect())
    }

    fn setup(&self, red: Option<&Setup>) -> Result<Setup, OpponentError> {
        let game = ZeroPointOne;
        let failed = |why: String| OpponentError::Setup { red: red.copied(), why };
        let opening = opening(red.into_iter());
        let mut player = game.process(self.process, self.starter).map_err(OpponentError::NotPlayed)?;
        let (side, limit) = (ZeroPointOne::side_to_move(&opening.position), self.process.limit);
        let start = GameStart { game: &game, start: None, side, limit, seed: 0, stop: self.stop };
        player.begin(&start).map_err(|failure| failed(in_words(failure)))?;
        let reply = player.choose(&self.turn(&opening)).map_err(|failure| failed(in_words(failure)))?;
        player.end(None);
        match reply.mv.kind() {
            MoveKind::Setup(setup) => Ok(setup),
            _ => Err(failed("it made another move".to_owned())),
        }
    }

    /// The opponent's turn after an opening, with all of its time.
    fn turn<'t>(&'t self, opening: &'t Opening<ZeroPointOne>) -> Turn<'t, ZeroPointOne> {
        let remaining = match self.process.limit.timing() {
            Some(Timing::Clock { base, .. }) => base,
            _ => Duration::ZERO,
        };
        let face = Some(ClockFace { remaining, increment: Duration::ZERO });
        let allowed = TimeAllowed::Clock { remaining, increment: Duration::ZERO, moves_to_go: None };
        Turn {
            position: &opening.position,
            moves: &opening.moves,
            allowance: Allowance { time: Some(allowed), nodes: None, depth: None },
            margin: self.process.margin,
            clocks: BySide { first: face, second: face },
            source: TimeSource::Wall,
            is_draw_offered: false,
            stop: self.stop,
        }
    }

    fn score(&self, entrants: &[Arc<Entrant>; 2], trial: &Trial) -> Result<Score, OpponentError> {
        let own = !trial.opponent;
        let opening = opening([Some(&trial.red), trial.blue.as_ref()].into_iter().flatten());
        // Both setups are given, and a seed decides nothing else.
        let seeds = BySide::default();
        let rules = TableRules::default();
        let setup =
            GameSetup { entrants, side_of_first_seat: own, opening: &opening, seeds, rules: &rules, observer: None };
        let played = Seats::default().play(&ZeroPointOne, &setup, Some(self.starter), self.stop);
        let ending = match played {
            Ok(played) => played.ending,
            Err(NotPlayed::Stopped) => return Err(OpponentError::Stopped),
            Err(error @ (NotPlayed::Failed(_) | NotPlayed::Panic(_))) => {
                return Err(OpponentError::NotPlayed(error.to_string()));
            }
        };
        match ending.fault() {
            // Too late, or much too late.
            None | Some((_, Fault::Time { .. } | Fault::Silence { .. })) => Ok(ending.score(own)),
            Some((side, fault)) if side == own => Err(OpponentError::NotPlayed(format!("the own engine: {fault}"))),
            Some((_, fault)) => {
                let mut setups = vec![trial.red.text(engine::Side::Red)];
                setups.extend(trial.blue.map(|blue| blue.text(engine::Side::Blue)));
                Err(OpponentError::Game { setups, why: fault.to_string() })
            }
        }
    }
}

/// The game's beginning with some setups.
fn opening<'s>(setups: impl Iterator<Item = &'s Setup>) -> Opening<ZeroPointOne> {
    let moves: Vec<Move> = setups.map(Move::setup).collect();
    let mut position: Position = ZeroPointOne.start();
    for &mv in &moves {
        ZeroPointOne::play(&mut position, mv);
    }
    Opening { start: None, moves, position }
}

fn in_words(failure: Failure) -> String {
    let mut why = failure.why.to_string();
    if let Some(evidence) = failure.evidence {
        let _never_fails = write!(why, "\n{evidence}");
    }
    why
}
