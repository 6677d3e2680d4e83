//! Picking openings that an engine thinks balanced, or as unbalanced as is wanted.
//!
//! Candidates are judged in the order in which a run would play them, by several engines at a time, and accepted in
//! that order: which ones are picked does not depend on how many engines there are.

use crate::entrant::ProcessSpec;
use crate::games::Chess;
use crate::openings::Openings;
use crate::players::process::Starter;
use crate::protocol::uci::player::Engine as UciEngine;
use crate::{Evaluation, Failure, Game, NoOpening, Side};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How soon a request to stop is noticed.
const TICK: Duration = Duration::from_millis(50);

/// What is picked, and who picks it.
#[derive(Clone, Debug)]
pub struct PickSettings {
    /// The rules.
    pub game: Chess,
    /// The engine and how long it thinks about each position; it must speak UCI.
    pub engine: ProcessSpec,
    /// What it must think of an opening: hundredths of a pawn from White's view.
    pub window: RangeInclusive<i32>,
    /// How many openings are wanted.
    pub count: u64,
    /// How many candidates there are.
    pub candidates: u64,
    /// Seed of the order of a shuffled book.
    pub seed: u64,
    /// How many engines work at the same time.
    pub concurrency: NonZeroUsize,
}

/// An opening that was picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The FEN of the position it leads to.
    pub fen: String,
    /// What the engine thinks of it: hundredths of a pawn for the side to move.
    pub centipawns: i32,
}

/// The candidates judged and picked so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picks {
    /// The openings, in the order of the candidates.
    pub picked: Vec<Picked>,
    /// How many candidates were judged.
    pub looked_at: u64,
}

/// Nothing could be picked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    /// The engine failed.
    #[error("the engine failed: {why}")]
    Engine {
        /// What it did.
        why: String,
    },
    /// The engine has no opinion.
    #[error("the engine gave no score for {fen}")]
    NoScore {
        /// Of this position.
        fen: String,
    },
    /// A candidate cannot be played.
    #[error(transparent)]
    Opening(#[from] NoOpening),
    /// The system grants no thread for it.
    #[error("cannot start a thread: {cause}")]
    Threads {
        /// Why not.
        cause: String,
    },
    /// We were asked to stop.
    #[error("stopped")]
    Stopped,
}

/// A candidate as an engine thought of it; `None` if it was not asked to.
type Judged = Result<Option<Picked>, PickError>;

/// Picks openings, and tells `observe` how it goes. There are fewer than wanted if the candidates run out.
///
/// # Errors
/// [`PickError`]
pub fn pick(
    openings: &Openings,
    settings: &PickSettings,
    starter: &Starter,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(&Picks),
) -> Result<Picks, PickError> {
    let next = AtomicU64::new(0);
    // Raised when enough are picked, so that the other searches stop.
    let enough = AtomicBool::new(false);
    let (sender, results) = crossbeam_channel::bounded(2 * settings.concurrency.get());
    std::thread::scope(|scope| {
        for number in 0..settings.concurrency.get() {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            let work = move || work(openings, settings, starter, next, enough, &sender);
            match Builder::new().name("pick".to_owned()).spawn_scoped(scope, work) {
                Err(cause) if number == 0 => return Err(PickError::Threads { cause: cause.to_string() }),
                // What the system grants has to do: the picks are the same.
                Err(_refused) => break,
                Ok(_joined_by_the_scope) => {}
            }
        }
        drop(sender);
        let picks = gather(settings, &results, stop, observe);
        enough.store(true, Ordering::Relaxed);
        // Workers that wait to hand something over must not wait for ever.
        drop(results);
        picks
    })
}

/// Looks at the candidates in turn until they run out, or no part of the selection needs more.
fn work(
    openings: &Openings,
    settings: &PickSettings,
    starter: &Starter,
    next: &AtomicU64,
    enough: &AtomicBool,
    results: &Sender<(u64, Judged)>,
) {
    let mut engine = None;
    while !enough.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= settings.candidates {
            break;
        }
        let judged = look_at(openings, settings, number, starter, &mut engine, enough);
        let failed = judged.is_err();
        if results.send((number, judged)).is_err() || failed {
            break;
        }
    }
    engine.into_iter().for_each(UciEngine::quit);
}

fn look_at(
    openings: &Openings,
    settings: &PickSettings,
    number: u64,
    starter: &Starter,
    engine: &mut Option<UciEngine>,
    enough: &AtomicBool,
) -> Judged {
    let opening = openings.opening(settings.seed, number).make(&settings.game, settings.seed, &mut |_| 0)?;
    let engine = match engine {
        Some(engine) => engine,
        none => {
            let needed = settings.game.uci_options();
            none.insert(UciEngine::start(starter, &settings.engine, &needed, enough).map_err(|why| failed(&why))?)
        }
    };
    let fen = opening.position.to_string();
    let deadline = Instant::now() + settings.engine.timeouts.answer;
    let judged = engine.judge(Some(&fen), "", settings.engine.limit, deadline, enough).map_err(|why| failed(&why))?;
    let centipawns = match judged.score {
        Some(Evaluation::Centipawns(centipawns)) => centipawns,
        Some(_) => return Ok(None),
        None => return Err(PickError::NoScore { fen }),
    };
    let white = match Chess::side_to_move(&opening.position) {
        Side::First => centipawns,
        Side::Second => centipawns.saturating_neg(),
    };
    Ok(settings.window.contains(&white).then_some(Picked { fen, centipawns }))
}

fn failed(failure: &Failure) -> PickError {
    PickError::Engine { why: failure.why.to_string() }
}

/// Takes in what the engines think, in the order of the candidates.
fn gather(
    settings: &PickSettings,
    results: &Receiver<(u64, Judged)>,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(&Picks),
) -> Result<Picks, PickError> {
    let mut picks = Picks::default();
    let mut early = BTreeMap::new();
    let mut seen = BTreeSet::new();
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(PickError::Stopped);
        }
        let (number, judged) = match results.recv_timeout(TICK) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(picks),
        };
        early.insert(number, judged);
        while let Some(judged) = early.remove(&picks.looked_at) {
            picks.looked_at += 1;
            if let Some(picked) = judged?.filter(|picked| seen.insert(picked.fen.clone())) {
                picks.picked.push(picked);
            }
            if picks.picked.len() as u64 >= settings.count {
                return Ok(picks);
            }
        }
        observe(&picks);
    }
}
