//! Books of setups: which setups are good for red, and what blue answers.
//!
//! A setup is worth what the best reply leaves of it. In *rounds*, the network alone values setups against a set of
//! likely replies, and the best of them become, seen from the other side, the likely replies of the next round; half of
//! the setups are drawn at random, half are the best ones with two pieces exchanged. Then, in *stages*, the best setups
//! are searched, each stage one ply deeper and with fewer of them. This funnel is the published method of the author of
//! the 2026 tournament champion, with exchanges as this project's own addition.
//!
//! Work is counted in nodes, not in time, so that the same configuration gives the same book on any machine with any
//! number of threads, and after any interruption. Owns the order of the work and its checkpoints; what a book is, is
//! the engine's.

mod rounds;
mod stages;
mod state;

pub use stages::{Searched, Stage};
pub use state::SetupsError;

use engine::{BookEntry, BookError, Network, Score, Setup, SetupBook};
use serde::{Deserialize, Serialize};
use state::State;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a second of one processor's time is counted as: nodes.
pub const NODES_PER_SECOND: u64 = 1_000_000;
/// The share of all nodes that rounds take is one part in this many.
const PART_OF_ROUNDS: u64 = 4;
/// A checkpoint is at most about this old, unless a single search takes longer.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// What decides a book.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Nodes for all of it.
    pub nodes: u64,
    /// Of everything that is drawn.
    pub seed: u64,
    /// The most entries of the book, from 1 to [`engine::book::MAX_ENTRIES`].
    pub entries: usize,
    /// What values positions.
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

/// How far the work is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes in all: about as many will be searched.
    pub of: u64,
    /// Nodes of this sitting a second.
    pub speed: f64,
    /// What is being done.
    pub phase: BookPhase,
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookPhase {
    /// Setups are valued without search.
    Round {
        /// Which round it is, from 1.
        number: usize,
        /// How many rounds there are.
        of: usize,
        /// Setups valued in it so far.
        setups: u64,
    },
    /// Setups are searched.
    Stage {
        /// How deep.
        depth: u8,
        /// Setups searched to this depth so far.
        setups: usize,
    },
}

/// A book, and how it came about.
#[derive(Clone, Debug)]
pub struct Made {
    /// The book.
    pub book: SetupBook,
    /// Setups that the rounds valued, some of them more than once.
    pub valued: u64,
    /// What the stages found, the shallowest first.
    pub stages: Vec<Stage>,
    /// Nodes in all.
    pub nodes: u64,
    /// Time of all sittings.
    pub seconds: f64,
}

/// Makes a book, or resumes the one whose checkpoint is in `folder`, which must exist. `None` if `stop` was raised; a
/// checkpoint is kept then.
///
/// # Errors
/// [`SetupsError`]: a checkpoint of another book, a full disk.
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

/// The watcher, and the start time.
struct ProgressReporter<'a> {
    stop: &'a AtomicBool,
    watch: Mutex<&'a mut (dyn FnMut(&Progress) + Send)>,
    started: Instant,
    /// Nodes and seconds of sittings before.
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
    /// Does everything that is still to be done. Whether it was.
    fn run(&mut self) -> Result<bool, SetupsError> {
        while self.state.rounds.len() < rounds::ROUNDS {
            let Some(round) = rounds::round(self.settings, &self.state, &self.sitting) else { return self.leave() };
            self.state.rounds.push(round);
            self.keep()?;
        }
        let mut searchers = stages::searchers(self.settings, &self.state, self.threads)?;
        while let Some(batch) = stages::next_batch(self.settings, &mut self.state) {
            let Some(searched) = stages::search(&mut searchers, &batch, &self.state, &self.sitting) else {
                return self.leave();
            };
            self.state.add(searched);
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

/// The book of what was searched: the deepest search of each setup, the deepest first, then the best.
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
