//! What an engine of the board game 0.1 replies to setups of red.

use crate::entrant::ProcessSpec;
use crate::games::ZeroPointOne;
use crate::players::process::Starter;
use crate::{
    Allowance, BySide, ClockFace, Failure, Game, GameStart, SeatedGame, Side, TimeAllowed, TimeSource, Timing, Turn,
};
use engine::{Move, MoveKind, Setup};
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Why there are no replies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepliesError {
    /// The engine failed.
    #[error("the engine gave no reply to {red}: {why}")]
    Engine {
        /// Red's setup.
        red: String,
        /// What the engine did wrong.
        why: String,
    },
    /// The engine's protocol cannot play this game.
    #[error("{0}")]
    Protocol(String),
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

/// Asks for the reply to each setup of red, each in a game of its own with the engine's limit. Reports the number of
/// replies so far to `observe`. Plays some games at the same time.
///
/// # Errors
/// [`RepliesError`] of one of the failures.
pub fn replies(
    process: &ProcessSpec,
    starter: &Starter,
    reds: &[Setup],
    concurrency: NonZeroUsize,
    stop: &AtomicBool,
    observe: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Setup>, RepliesError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(concurrency.get()).build();
    let pool = pool.map_err(|error| RepliesError::Threads { cause: error.to_string() })?;
    let done = AtomicUsize::new(0);
    pool.install(|| {
        let replies = reds.par_iter().with_max_len(1).map(|red| {
            let reply = reply(process, starter, red, stop);
            // A game that is stopped may end with any error.
            if stop.load(Ordering::SeqCst) {
                return Err(RepliesError::Stopped);
            }
            observe(done.fetch_add(1, Ordering::Relaxed) + 1);
            reply
        });
        replies.collect()
    })
}

fn reply(process: &ProcessSpec, starter: &Starter, red: &Setup, stop: &AtomicBool) -> Result<Setup, RepliesError> {
    let (game, moves) = (ZeroPointOne, [Move::setup(red)]);
    let mut position = game.start();
    ZeroPointOne::play(&mut position, moves[0]);
    let failed = |failure: Failure| RepliesError::Engine {
        red: red.text(engine::Side::Red),
        why: match failure.evidence {
            Some(evidence) => format!("{}\n{evidence}", failure.why),
            None => failure.why.to_string(),
        },
    };
    let mut player = game.process(process, starter).map_err(RepliesError::Protocol)?;
    let start = GameStart { game: &game, start: None, side: Side::Second, limit: process.limit, seed: 0, stop };
    player.begin(&start).map_err(failed)?;
    let remaining = match process.limit.timing() {
        Some(Timing::Clock { base, .. }) => base,
        _ => Duration::ZERO,
    };
    let face = Some(ClockFace { remaining, increment: Duration::ZERO });
    let allowed = TimeAllowed::Clock { remaining, increment: Duration::ZERO, moves_to_go: None };
    let turn = Turn {
        position: &position,
        moves: &moves,
        allowance: Allowance { time: Some(allowed), nodes: None, depth: None },
        margin: process.margin,
        clocks: BySide { first: face, second: face },
        source: TimeSource::Wall,
        is_draw_offered: false,
        stop,
    };
    let reply = player.choose(&turn).map_err(failed)?;
    player.end(None);
    match reply.mv.kind() {
        MoveKind::Setup(setup) => Ok(setup),
        _ => Err(RepliesError::Engine { red: red.text(engine::Side::Red), why: "it made no setup".to_owned() }),
    }
}
