//! Makes books of setups: which setups are good for red, and how blue replies.
//!
//! A setup's value is what the best reply leaves of it. In *rounds*, the network alone values setups against a set of
//! likely replies. The best setups become, seen from the other side, the likely replies of the next round; half of the
//! setups are drawn at random, half are the best ones with two pieces exchanged. Then, in *stages*, the best setups are
//! searched, each stage one ply deeper and with fewer of them. This funnel is the published method of the author of the
//! 2026 tournament champion; the exchanges are this project's addition.
//!
//! Work is counted in nodes, not in time, so the same configuration gives the same book on any machine, with any number
//! of threads and after any interruption. This module owns the order of the work and its checkpoints; the engine
//! defines a book.

mod halving;
mod prepare;
mod rounds;
mod stages;
mod state;

pub use halving::{KEPT, LEAST_GAMES_IN_ALL, Tried, halve, most_choices};
pub use prepare::{Answered, LEAST_DEPTH, Preparation, candidates, finalists, is_same, prepared};
pub use stages::{Searched, Stage};
pub use state::SetupsError;

use engine::{BookEntry, BookError, Network, Score, Setup, SetupBook, Stop};
use serde::{Deserialize, Serialize};
use state::State;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The number of nodes that one second of one processor counts as.
pub const NODES_PER_SECOND: u64 = 1_000_000;
/// Rounds take one part in this many of all nodes.
const PART_OF_ROUNDS: u64 = 4;
/// The maximum age of a checkpoint, approximately, unless a single search takes longer.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// The settings that determine a book.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The total number of nodes.
    pub nodes: u64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The maximum number of entries of the book, from 1 to [`engine::book::MAX_ENTRIES`].
    pub entries: usize,
    /// The network that values positions.
    pub network: Arc<Network>,
}

/// The settings as a checkpoint keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    nodes: u64,
    seed: u64,
    network: u64,
}

impl Settings {
    fn identity(&self) -> Identity {
        Identity { nodes: self.nodes, seed: self.seed, network: self.network.hash() }
    }

    fn nodes_of_rounds(&self) -> u64 {
        self.nodes / PART_OF_ROUNDS
    }
}

/// The progress of the work.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The number of nodes so far.
    pub nodes: u64,
    /// The approximate total number of nodes.
    pub of: u64,
    /// Nodes per second since the start or the last resumption.
    pub speed: f64,
    /// The current part of the work.
    pub phase: BookPhase,
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookPhase {
    /// Setups are valued without search.
    Round {
        /// The number of the round, from 1.
        number: usize,
        /// The number of rounds.
        of: usize,
        /// The number of setups valued in this round so far.
        setups: u64,
    },
    /// Setups are searched.
    Stage {
        /// The depth in plies.
        depth: u8,
        /// The number of setups searched to this depth so far.
        setups: usize,
    },
}

/// A book, with statistics of its making.
#[derive(Clone, Debug)]
pub struct Made {
    /// The book.
    pub book: SetupBook,
    /// The number of setups that the rounds valued, repetitions included.
    pub valued: u64,
    /// The results of the stages, the shallowest first.
    pub stages: Vec<Stage>,
    /// The total number of nodes.
    pub nodes: u64,
    /// The total time, before and after interruptions.
    pub seconds: f64,
}

/// Makes a book, or resumes the one whose checkpoint is in `folder`, which must exist. Returns `None` and keeps a
/// checkpoint if `stop` was raised.
///
/// # Errors
/// [`SetupsError`]: for example, a checkpoint of another book or a full disk.
pub fn make(
    settings: &Settings,
    threads: NonZeroUsize,
    folder: &Path,
    stop: &AtomicBool,
    watch: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Option<Made>, SetupsError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool = pool.map_err(std::io::Error::other)?;
    let state = State::read(folder)?.unwrap_or_else(|| State::begin(settings.identity()));
    if state.identity != settings.identity() {
        return Err(SetupsError::Other { path: State::path(folder) });
    }
    let before = (state.nodes(), state.seconds);
    let sitting =
        ProgressReporter { stop, watch: Mutex::new(watch), started: Instant::now(), before, of: settings.nodes };
    let mut work = Work { settings, threads, folder, sitting, state, kept: Instant::now() };
    let is_done = pool.install(|| work.run())?;
    is_done.then(|| work.made()).transpose()
}

/// The stop flag that the caller raises.
struct StopFlag<'a>(&'a AtomicBool);

impl Stop for StopFlag<'_> {
    fn stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The watcher, and the start time.
struct ProgressReporter<'a> {
    stop: &'a AtomicBool,
    watch: Mutex<&'a mut (dyn FnMut(&Progress) + Send)>,
    started: Instant,
    /// The nodes and the seconds spent before the last resumption.
    before: (u64, f64),
    of: u64,
}

impl ProgressReporter<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn seconds(&self) -> f64 {
        self.before.1 + self.started.elapsed().as_secs_f64()
    }

    fn tell(&self, nodes: u64, phase: BookPhase) {
        let speed = (nodes - self.before.0.min(nodes)) as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
        // A watcher that panicked stops the work.
        if let Ok(mut watch) = self.watch.lock() {
            watch(&Progress { nodes, of: self.of, speed, phase });
        }
    }
}

struct Work<'a> {
    settings: &'a Settings,
    threads: NonZeroUsize,
    folder: &'a Path,
    sitting: ProgressReporter<'a>,
    state: State,
    /// When the last checkpoint was written.
    kept: Instant,
}

impl Work<'_> {
    /// Does all the remaining work. Returns whether it was completed.
    fn run(&mut self) -> Result<bool, SetupsError> {
        while self.state.rounds.len() < rounds::ROUNDS {
            let Some(round) = rounds::round(self.settings, &self.state, &self.sitting) else { return self.leave() };
            self.state.rounds.push(round);
            self.keep()?;
        }
        let mut searchers = stages::searchers(self.settings, &self.state, self.threads)?;
        while let Some(batch) = stages::next_batch(self.settings, &mut self.state) {
            let searched = stages::search(&mut searchers, &batch, &self.state, &self.sitting);
            self.state.add(searched);
            if self.sitting.is_stopped() {
                return self.leave();
            }
            if self.kept.elapsed() > CHECKPOINT_EVERY {
                self.keep()?;
            }
        }
        self.keep()?;
        Ok(true)
    }

    fn leave(&mut self) -> Result<bool, SetupsError> {
        self.keep()?;
        Ok(false)
    }

    fn keep(&mut self) -> Result<(), SetupsError> {
        self.state.seconds = self.sitting.seconds();
        self.state.write(self.folder)?;
        self.kept = Instant::now();
        Ok(())
    }

    fn made(&self) -> Result<Made, SetupsError> {
        Ok(Made {
            book: book(&self.state.stages, self.settings.entries)?,
            valued: self.state.rounds.iter().map(|round| round.valued).sum(),
            stages: self.state.stages.clone(),
            nodes: self.state.nodes(),
            seconds: self.state.seconds,
        })
    }
}

/// Makes the book: for each setup its deepest search; entries by descending depth, then by value.
fn book(stages: &[Stage], most: usize) -> Result<SetupBook, BookError> {
    let mut entries: Vec<BookEntry> = Vec::new();
    let mut known = BTreeSet::new();
    for stage in stages.iter().rev() {
        for searched in stage.best_first() {
            let (Some(red), Some(reply)) = (Setup::from_rank(searched.red), Setup::from_rank(searched.reply)) else {
                continue;
            };
            if entries.len() < most && known.insert(searched.red) {
                entries.push(BookEntry { red, reply, value: Score::estimate(searched.value), depth: stage.depth });
            }
        }
    }
    SetupBook::new(&entries)
}

#[cfg(test)]
mod tests;
