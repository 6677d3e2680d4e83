//! One search: simulations within limits, the time that a move is worth, what is found on the way.

use super::simulate::{Access, Alone, Line, Shared};
use super::{Choice, Game, MctsParams, Proof, Tree};
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::time::{urgency, Allocation, TimeParams};
use crate::{Stop, Timer};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;
use std::thread;

/// Simulations between two looks at how clear the best move is.
const LOOK_INTERVAL: u64 = 32;

/// What a search is to do.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// How it searches.
    pub params: &'a MctsParams,
    /// How it uses its time.
    pub time: &'a TimeParams,
    /// When it ends: nodes are simulations, the depth is the mean length of their lines in plies.
    pub limits: Limits,
    /// What the last move of this game was worth to the side that is to move, from 0 to 1: a fall makes a move critical.
    pub last_value: Option<f64>,
    /// Ends it early.
    pub stop: &'a dyn Stop,
    /// Its clock.
    pub timer: &'a dyn Timer,
}

/// What a search has found so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The move to play.
    pub choice: Choice,
    /// Simulations of this search.
    pub simulations: u64,
    /// The mean length of their lines, in plies.
    pub depth: u8,
}

impl Task<'_> {
    /// Searches the position at ply 0 of the game until a limit is reached or its result is proven, and calls
    /// `on_progress` each time the number of simulations has doubled, and at the end. The tree is empty, or of an
    /// earlier search and [advanced](Tree::advance) to this position.
    ///
    /// `None` if the game has no moves there.
    pub fn search<G: Game>(
        &self,
        tree: &mut Tree,
        game: &mut G,
        on_progress: &mut dyn FnMut(&Tree, &G, &Found),
    ) -> Option<Found> {
        if !tree.begin(game, self.params) {
            return None;
        }
        let mut search = Search::new(*self, Alone(tree), game, None);
        let _has_run = search.run(on_progress);
        let counts = (search.control.nodes, search.plies);
        self.end(tree, game, counts, on_progress)
    }

    /// Like [`Task::search`], in several threads that share the tree: this one and one for each helper, fewer where the
    /// system has no more. All games have the same position at ply 0. What is found depends on how the system runs the
    /// threads. Simulations may exceed their limit by one for each helper.
    pub fn search_together<G: Game + Send>(
        &self,
        tree: &mut Tree,
        game: &mut G,
        helpers: &mut [G],
        on_progress: &mut dyn FnMut(&Tree, &G, &Found),
    ) -> Option<Found> {
        if helpers.is_empty() {
            return self.search(tree, game, on_progress);
        }
        if !tree.begin(game, self.params) {
            return None;
        }
        let totals = Totals::default();
        let shared = Mutex::new(&mut *tree);
        let (params, limit) = (self.params, self.limits.nodes);
        thread::scope(|scope| {
            let (totals, access) = (&totals, Shared(&shared));
            let _ends = StopOnDrop(&totals.stop);
            for helper in helpers {
                let help = move || totals.help(access, helper, params, limit);
                if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                    break;
                }
            }
            let _has_run = Search::new(*self, access, &mut *game, Some(totals)).run(on_progress);
        });
        let counts = (totals.simulations.load(Ordering::Relaxed), totals.plies.load(Ordering::Relaxed));
        self.end(tree, game, counts, on_progress)
    }

    fn end<G>(
        &self,
        tree: &Tree,
        game: &G,
        counts: (u64, u64),
        on_progress: &mut dyn FnMut(&Tree, &G, &Found),
    ) -> Option<Found> {
        let found = self.found(tree, counts)?;
        on_progress(tree, game, &found);
        Some(found)
    }

    /// What is found after so many simulations with so many plies.
    fn found(&self, tree: &Tree, (simulations, plies): (u64, u64)) -> Option<Found> {
        let mean = plies.checked_div(simulations).unwrap_or(0);
        let depth = mean.min(u64::from(u8::MAX)) as u8;
        Some(Found { choice: tree.choose(self.params)?, simulations, depth })
    }
}

/// What all threads of a search have done together.
#[derive(Debug, Default)]
struct Totals {
    stop: AtomicBool,
    simulations: AtomicU64,
    plies: AtomicU64,
}

impl Totals {
    /// Simulates until it is told to stop or a limit is reached.
    fn help(&self, mut tree: Shared<'_>, game: &mut impl Game, params: &MctsParams, limit: u64) {
        let mut line = Line::default();
        while !self.stop.load(Ordering::Relaxed) && self.simulations.load(Ordering::Relaxed) < limit {
            let simulated = line.simulate(&mut tree, game, params);
            self.simulations.fetch_add(1, Ordering::Relaxed);
            self.plies.fetch_add(simulated.plies as u64, Ordering::Relaxed);
            if simulated.proof != Proof::Open {
                break;
            }
        }
    }
}

/// Stops the helpers however the main thread ends, also after a panic.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A search that is running, in the thread that keeps the limits.
struct Search<'a, G, A> {
    task: Task<'a>,
    tree: A,
    game: &'a mut G,
    line: Line,
    control: Control<'a>,
    /// Plies of all its simulations together.
    plies: u64,
    totals: Option<&'a Totals>,
}

impl<'a, G: Game, A: Access> Search<'a, G, A> {
    fn new(task: Task<'a>, tree: A, game: &'a mut G, totals: Option<&'a Totals>) -> Self {
        let deadline = task.limits.time.map(|time| time.hard_limit());
        let all = totals.map(|totals| &totals.simulations);
        let control = Control::new(task.limits.nodes, deadline, task.stop, task.timer, all);
        Self { task, tree, game, line: Line::default(), control, plies: 0, totals }
    }

    fn run(&mut self, on_progress: &mut dyn FnMut(&Tree, &G, &Found)) -> Option<()> {
        let Task { params, limits, .. } = self.task;
        let (mut proof, single) = self.tree.with(|tree| (tree.proof(), tree.moves().nth(1).is_none()));
        let single = single && limits.time.is_some();
        let (mut shown, mut next_look) = (0, LOOK_INTERVAL);
        let mut steady = Steady::default();
        while proof == Proof::Open && self.control.count_node().is_ok() {
            let simulated = self.line.simulate(&mut self.tree, self.game, params);
            proof = simulated.proof;
            let counts = self.count(simulated.plies);
            let simulations = counts.0;
            if simulations >= limits.nodes || self.is_deep_enough(counts) {
                break;
            }
            if simulations >= next_look {
                next_look = simulations + LOOK_INTERVAL;
                let choice = self.tree.with(|tree| tree.choose(params))?;
                steady.see(choice.mv, simulations);
                if single || self.is_time_over(&choice, &steady, simulations) {
                    break;
                }
            }
            if simulations >= 2 * shown.max(LOOK_INTERVAL / 2) {
                shown = simulations;
                let Self { task, tree, game, .. } = self;
                tree.with(|tree| task.found(tree, counts).map(|found| on_progress(tree, game, &found)))?;
            }
        }
        Some(())
    }

    /// Counts the plies of a simulation. All simulations and plies so far.
    fn count(&mut self, plies: usize) -> (u64, u64) {
        self.plies += plies as u64;
        let Some(totals) = self.totals else { return (self.control.nodes, self.plies) };
        let before = totals.plies.fetch_add(plies as u64, Ordering::Relaxed);
        (self.control.total_nodes(), before + plies as u64)
    }

    /// Whether lines are as long as they are to be, or cannot get longer because the tree is full.
    fn is_deep_enough(&mut self, (simulations, plies): (u64, u64)) -> bool {
        let depth = self.task.limits.depth;
        depth < u8::MAX
            && (plies >= simulations.saturating_mul(u64::from(depth)) || !self.tree.with(|tree| tree.has_room()))
    }

    /// Whether the move has had the time that it is worth.
    ///
    /// As in the paper: less if it is easy, because one move has most of the visits; more if it is critical, because
    /// its value has fallen since the last move.
    fn is_time_over(&mut self, choice: &Choice, steady: &Steady, simulations: u64) -> bool {
        let Task { params, time, limits, last_value, .. } = self.task;
        let Some(allocation) = limits.time else { return false };
        let is_critical =
            params.mcts_critical && last_value.is_some_and(|last| last - choice.value > params.mcts_critical_fall);
        let allocation = if is_critical { allocation.with_panic() } else { allocation };
        self.control.deadline = Some(allocation.hard_limit());
        let factor = urgency(time, choice.share, steady.doublings(simulations));
        let is_easy = params.mcts_easy && choice.share > params.mcts_easy_share;
        let factor = if is_easy { factor.min(params.mcts_easy_time) } else { factor };
        self.control.elapsed() >= soft_limit(allocation, factor)
    }
}

/// The time after which no simulation is started.
fn soft_limit(allocation: Allocation, factor: f64) -> std::time::Duration {
    allocation.scaled(factor).next_depth_limit()
}

/// Since when the best move is the same.
#[derive(Debug, Default)]
struct Steady {
    best: Option<u16>,
    /// The simulations before it became the best.
    since: u64,
}

impl Steady {
    fn see(&mut self, best: u16, simulations: u64) {
        if self.best != Some(best) {
            (self.best, self.since) = (Some(best), simulations);
        }
    }

    /// How often the number of simulations has doubled since.
    fn doublings(&self, simulations: u64) -> u8 {
        let ratio = simulations.checked_div(self.since.max(1)).unwrap_or(1).max(1);
        ratio.ilog2().min(4) as u8
    }
}
