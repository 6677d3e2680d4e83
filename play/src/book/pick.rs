//! Picks openings that an engine thinks balanced, or as unbalanced as requested.
//!
//! Several engines at a time judge the candidates, in the order in which a run would play them. Candidates are accepted
//! in that order, too, so that the picks do not depend on the number of engines.

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

/// How often requests to stop are checked for.
const TICK: Duration = Duration::from_millis(50);

/// Which openings to pick, and the engine that judges them.
#[derive(Clone, Debug)]
pub struct PickSettings {
    /// The rules.
    pub game: Chess,
    /// The engine and how long it thinks about each position; it must speak UCI.
    pub engine: ProcessSpec,
    /// The accepted evaluations of an opening, in hundredths of a pawn from White's view.
    pub window: RangeInclusive<i32>,
    /// The number of openings to pick.
    pub count: u64,
    /// The number of candidates.
    pub candidates: u64,
    /// The seed for the order of a shuffled book.
    pub seed: u64,
    /// The number of engines that work at the same time.
    pub concurrency: NonZeroUsize,
}

/// A picked opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The FEN of the position after the opening.
    pub fen: String,
    /// The engine's evaluation, in hundredths of a pawn for the side to move.
    pub centipawns: i32,
}

/// The candidates judged and picked so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picks {
    /// The openings, in the order of the candidates.
    pub picked: Vec<Picked>,
    /// The number of candidates judged.
    pub looked_at: u64,
}

/// Why nothing could be picked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    /// The engine failed.
    #[error("the engine failed: {why}")]
    Engine {
        /// What the engine did wrong.
        why: String,
    },
    /// The engine reported no score.
    #[error("the engine gave no score for {fen}")]
    NoScore {
        /// The position.
        fen: String,
    },
    /// A candidate cannot be played.
    #[error(transparent)]
    Opening(#[from] NoOpening),
    /// The system grants no thread for an engine.
    #[error("cannot start a thread: {cause}")]
    Threads {
        /// Why not.
        cause: String,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// An engine's judgement of a candidate; `None` if the candidate is not picked.
type Judged = Result<Option<Picked>, PickError>;

/// Picks openings, and reports progress to `observe`. Returns fewer than requested if the candidates run out.
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
    // Set when enough are picked, so that the other searches stop.
    let enough = AtomicBool::new(false);
    let (sender, results) = crossbeam_channel::bounded(2 * settings.concurrency.get());
    std::thread::scope(|scope| {
        for number in 0..settings.concurrency.get() {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            let work = move || work(openings, settings, starter, next, enough, &sender);
            match Builder::new().name("pick".to_owned()).spawn_scoped(scope, work) {
                Err(cause) if number == 0 => return Err(PickError::Threads { cause: cause.to_string() }),
                // Go on with the threads that the system grants: the picks are the same.
                Err(_refused) => break,
                Ok(_joined_by_the_scope) => {}
            }
        }
        drop(sender);
        let picks = gather(settings, &results, stop, observe);
        enough.store(true, Ordering::Relaxed);
        // Workers that are waiting to send a result must not wait for ever.
        drop(results);
        picks
    })
}

/// Judges one candidate after another until they run out, or `enough` is set.
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

/// Collects the judgements, in the order of the candidates.
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
