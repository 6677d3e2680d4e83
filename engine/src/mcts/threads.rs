//! What runs simulations: one thread alone, or several in one tree.

use super::simulate::Line;
use super::{Game, MctsParams, Proof, Tree};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Lines that each of several threads has under way at once: so many times fewer does it wait for the tree.
const LINES: usize = 8;

/// What a search has done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Simulations that have ended.
    pub(super) simulations: u64,
    /// The length of their lines together.
    pub(super) plies: u64,
}

impl Counts {
    fn add(&mut self, line: &Line) {
        self.simulations += 1;
        self.plies += line.plies() as u64;
    }
}

/// What runs simulations.
pub(super) trait Simulator<G> {
    /// Runs one simulation or some. Whether more can follow: the result of the root is not proven, and there are not
    /// too many already.
    fn simulate(&mut self, params: &MctsParams) -> bool;

    /// Ends all simulations that have begun.
    fn finish(&mut self, params: &MctsParams) -> Counts;

    /// What all threads together have done.
    fn counts(&self) -> Counts;

    /// Looks at the tree.
    fn with<R>(&mut self, look: impl FnOnce(&Tree, &G) -> R) -> R;
}

/// The only thread.
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
        self.tree.proof() == Proof::Open
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

/// What several threads share beside the tree.
#[derive(Debug)]
pub(super) struct Totals {
    stop: AtomicBool,
    /// Most simulations.
    limit: u64,
    /// Those that have begun, and more where that was not allowed.
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

    /// Whether another simulation may begin, which counts as begun then.
    fn may_begin(&self) -> bool {
        self.begun.fetch_add(1, Ordering::Relaxed) < self.limit
    }
}

/// Stops the helpers however the main thread ends, also after a panic.
pub(super) struct StopOnDrop<'a>(pub(super) &'a Totals);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

/// Empties the tree if the main thread panics: its simulations have not ended.
pub(super) struct ClearOnPanic<'a>(pub(super) &'a mut Tree);

impl Drop for ClearOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.clear();
        }
    }
}

/// One of several threads. Each time it has the tree, it does what can be done in all of its lines.
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

    /// Simulates until it is to stop or no more can follow.
    pub(super) fn help(&mut self, params: &MctsParams) {
        let mut goes_on = true;
        while goes_on && !self.totals.stop.load(Ordering::Relaxed) {
            goes_on = self.simulate(params);
        }
        self.finish(params);
    }

    fn is_idle(&self) -> bool {
        self.lines.iter().all(Line::is_idle)
    }

    /// Goes on in all lines, and begins others if it may where some have ended. The result of the root.
    fn proceed(&mut self, params: &MctsParams, begin: bool) -> Proof {
        let (mut counts, totals) = (Counts::default(), self.totals);
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        for line in &mut self.lines {
            if !line.is_idle() {
                line.proceed(&mut tree, params);
                if line.is_idle() {
                    counts.add(line);
                }
            }
            if line.is_idle() && begin && totals.may_begin() {
                line.select(&mut tree, params);
                if line.is_idle() {
                    counts.add(line);
                }
            }
        }
        let proof = tree.proof();
        drop(tree);
        totals.add(counts);
        for line in &mut self.lines {
            line.ask(self.game, params);
        }
        proof
    }
}

impl<G: Game> Simulator<G> for Together<'_, G> {
    fn simulate(&mut self, params: &MctsParams) -> bool {
        let proof = self.proceed(params, true);
        // A simulation that needs no game has ended.
        proof == Proof::Open && (!self.is_idle() || self.totals.begun.load(Ordering::Relaxed) < self.totals.limit)
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
