//! Simulators: one thread alone, or several in one tree.

use super::simulate::Line;
use super::{Game, MctsParams, Tree};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of lines that each of several threads has in progress in a large tree: a thread waits for the tree that
/// many times less often.
const LINES: usize = 8;
/// Visits of the root per line after the first. In a small tree, many lines at once would search moves that a single
/// line would not.
const VISITS_PER_LINE: u32 = 1_000;

/// The work of a search so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// The number of completed simulations.
    pub(super) simulations: u64,
    /// The total length of their lines.
    pub(super) plies: u64,
}

impl Counts {
    fn add(&mut self, line: &Line) {
        self.simulations += 1;
        self.plies += line.plies() as u64;
    }
}

/// Runs simulations.
pub(super) trait Simulator<G> {
    /// Begins or continues one or more simulations. Returns whether more can follow: the root is not proven, its visits
    /// can be counted, and several threads have not begun as many simulations as their limit allows.
    fn simulate(&mut self, params: &MctsParams) -> bool;

    /// Ends all simulations in progress.
    fn finish(&mut self, params: &MctsParams) -> Counts;

    /// The work of all threads together.
    fn counts(&self) -> Counts;

    /// Reads the tree.
    fn with<R>(&mut self, look: impl FnOnce(&Tree, &G) -> R) -> R;
}

/// A single thread.
pub(super) struct Alone<'a, G> {
    tree: &'a mut Tree,
    game: &'a mut G,
    line: Line,
    counts: Counts,
}

impl<'a, G> Alone<'a, G> {
    pub(super) fn new(tree: &'a mut Tree, game: &'a mut G) -> Self {
        Self { tree, game, line: Line::default(), counts: Counts::default() }
    }
}

impl<G: Game> Simulator<G> for Alone<'_, G> {
    fn simulate(&mut self, params: &MctsParams) -> bool {
        self.line.simulate(self.tree, self.game, params);
        self.counts.add(&self.line);
        self.tree.may_continue()
    }

    fn finish(&mut self, _: &MctsParams) -> Counts {
        self.counts
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn with<R>(&mut self, look: impl FnOnce(&Tree, &G) -> R) -> R {
        look(self.tree, self.game)
    }
}

/// What several threads share besides the tree.
#[derive(Debug)]
pub(super) struct Totals {
    stop: AtomicBool,
    /// The maximum number of simulations.
    limit: u64,
    /// The number of simulations begun, including refused attempts.
    begun: AtomicU64,
    simulations: AtomicU64,
    plies: AtomicU64,
}

impl Totals {
    pub(super) fn new(limit: u64) -> Self {
        let zero = || AtomicU64::new(0);
        Self { stop: AtomicBool::new(false), limit, begun: zero(), simulations: zero(), plies: zero() }
    }

    pub(super) fn counts(&self) -> Counts {
        let [simulations, plies] = [&self.simulations, &self.plies].map(|count| count.load(Ordering::Relaxed));
        Counts { simulations, plies }
    }

    fn add(&self, counts: Counts) {
        self.simulations.fetch_add(counts.simulations, Ordering::Relaxed);
        self.plies.fetch_add(counts.plies, Ordering::Relaxed);
    }

    /// Whether another simulation may begin; counts it as begun.
    fn may_begin(&self) -> bool {
        self.begun.fetch_add(1, Ordering::Relaxed) < self.limit
    }
}

/// Stops the helpers when the main thread ends, even by a panic.
pub(super) struct StopOnDrop<'a>(pub(super) &'a Totals);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

/// Empties the tree if the main thread panics, since its simulations have not ended.
pub(super) struct ClearOnPanic<'a>(pub(super) &'a mut Tree);

impl Drop for ClearOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.clear();
        }
    }
}

/// One of several threads. Each time it locks the tree, it continues all of its lines.
pub(super) struct Together<'a, G> {
    tree: &'a Mutex<&'a mut Tree>,
    game: &'a mut G,
    lines: [Line; LINES],
    totals: &'a Totals,
}

impl<'a, G: Game> Together<'a, G> {
    pub(super) fn new(tree: &'a Mutex<&'a mut Tree>, game: &'a mut G, totals: &'a Totals) -> Self {
        Self { tree, game, lines: std::array::from_fn(|_| Line::shared()), totals }
    }

    /// Simulates until stopped, or until no more simulations can follow.
    pub(super) fn help(&mut self, params: &MctsParams) {
        let mut may_continue = true;
        while may_continue && !self.totals.stop.load(Ordering::Relaxed) {
            may_continue = self.simulate(params);
        }
        self.finish(params);
    }

    fn is_idle(&self) -> bool {
        self.lines.iter().all(Line::is_idle)
    }

    /// Continues all lines, and begins others in place of ended ones if `begin` is set. Returns whether the tree can be
    /// searched further.
    fn proceed(&mut self, params: &MctsParams, begin: bool) -> bool {
        let (mut counts, totals) = (Counts::default(), self.totals);
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        let usable = 1 + (tree.visits() / VISITS_PER_LINE) as usize;
        for (number, line) in self.lines.iter_mut().enumerate() {
            if !line.is_idle() {
                line.proceed(&mut tree, params);
                if line.is_idle() {
                    counts.add(line);
                }
            }
            if line.is_idle() && number < usable && begin && totals.may_begin() {
                line.select(&mut tree, params);
                if line.is_idle() {
                    counts.add(line);
                }
            }
        }
        let may_continue = tree.may_continue();
        drop(tree);
        totals.add(counts);
        for line in &mut self.lines {
            line.ask(self.game, params);
        }
        may_continue
    }
}

impl<G: Game> Simulator<G> for Together<'_, G> {
    fn simulate(&mut self, params: &MctsParams) -> bool {
        let may_continue = self.proceed(params, true);
        // A simulation that does not need the game has already ended.
        may_continue && (!self.is_idle() || self.totals.begun.load(Ordering::Relaxed) < self.totals.limit)
    }

    fn finish(&mut self, params: &MctsParams) -> Counts {
        while !self.is_idle() {
            self.proceed(params, false);
        }
        self.counts()
    }

    fn counts(&self) -> Counts {
        self.totals.counts()
    }

    fn with<R>(&mut self, look: impl FnOnce(&Tree, &G) -> R) -> R {
        let tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        look(&tree, self.game)
    }
}
