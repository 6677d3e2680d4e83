//! One search: simulations within limits, the time for a move, and progress reports.

use super::threads::{Alone, ClearOnPanic, Counts, Simulator, StopOnDrop, Together, Totals};
use super::{Choice, Game, MctsParams, Tree};
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::time::{urgency, Allocation, TimeParams};
use crate::{Stop, Timer};
use std::sync::Mutex;
use std::thread;

/// The number of simulations between two checks of the best move, on which the time depends.
const LOOK_INTERVAL: u64 = 32;
/// The number of simulations without a new node after which a search to a depth ends: it then knows all positions that
/// it can reach.
const STALE: u64 = 10_000;

/// The request of a search.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// How to search.
    pub params: &'a MctsParams,
    /// How to use the time.
    pub time: &'a TimeParams,
    /// The limits: nodes are simulations, and the depth is the mean length of their lines in plies.
    pub limits: Limits,
    /// The value of this game's last move for the side that is to move, from 0 to 1: a fall makes a move critical.
    pub last_value: Option<f64>,
    /// Ends the search early.
    pub stop: &'a dyn Stop,
    /// The clock.
    pub timer: &'a dyn Timer,
}

/// The result of a search so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The move to play.
    pub choice: Choice,
    /// The number of simulations of this search.
    pub simulations: u64,
    /// The mean length of the lines, in plies.
    pub depth: u8,
}

impl Task<'_> {
    /// Searches the position at ply 0 of the game until a limit is reached or the result is proven, for at most two
    /// billion visits of the root. Calls `on_progress` each time the number of simulations has doubled, and at the end.
    /// The tree must be empty, or come from an earlier search and be [advanced](Tree::advance) to this position.
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
        let counts = self.run(Alone::new(tree, game), on_progress);
        self.end(tree, game, counts, on_progress)
    }

    /// Like [`Task::search`], in several threads that share the tree: this one and one for each helper, fewer if the
    /// system cannot start more. All games have the same position at ply 0. The result depends on how the system
    /// schedules the threads.
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
        let totals = Totals::new(self.limits.nodes);
        let whole = ClearOnPanic(tree);
        let shared = Mutex::new(&mut *whole.0);
        thread::scope(|scope| {
            let (totals, shared, params) = (&totals, &shared, self.params);
            let _ends = StopOnDrop(totals);
            for helper in helpers {
                let mut part = Together::new(shared, helper, totals);
                if thread::Builder::new().spawn_scoped(scope, move || part.help(params)).is_err() {
                    break;
                }
            }
            self.run(Together::new(shared, game, totals), on_progress);
        });
        self.end(whole.0, game, totals.counts(), on_progress)
    }

    /// Simulates until a limit is reached.
    fn run<G>(&self, simulator: impl Simulator<G>, on_progress: &mut dyn FnMut(&Tree, &G, &Found)) -> Counts {
        let deadline = self.limits.time.map(|time| time.hard_limit());
        let control = Control::new(self.limits.nodes, deadline, self.stop, self.timer, None);
        let mut search = Search { task: *self, simulator, control, steady: Steady::default(), grown: (0, 0) };
        let _all_had_moves = search.run(on_progress);
        search.simulator.finish(self.params)
    }

    fn end<G>(
        &self,
        tree: &Tree,
        game: &G,
        counts: Counts,
        on_progress: &mut dyn FnMut(&Tree, &G, &Found),
    ) -> Option<Found> {
        let found = self.found(tree, counts)?;
        on_progress(tree, game, &found);
        Some(found)
    }

    fn found(&self, tree: &Tree, counts: Counts) -> Option<Found> {
        let Counts { simulations, plies } = counts;
        let mean = plies.checked_div(simulations).unwrap_or(0);
        let depth = mean.min(u64::from(u8::MAX)) as u8;
        Some(Found { choice: tree.choose(self.params)?, simulations, depth })
    }
}

/// A running search, in the thread that checks the limits.
struct Search<'a, S> {
    task: Task<'a>,
    simulator: S,
    control: Control<'a>,
    steady: Steady,
    /// The last size of the tree, in nodes, and the number of simulations at which it grew to that.
    grown: (usize, u64),
}

impl<S> Search<'_, S> {
    /// Runs the search; `None` if the root has no moves.
    fn run<G>(&mut self, on_progress: &mut dyn FnMut(&Tree, &G, &Found)) -> Option<()>
    where
        S: Simulator<G>,
    {
        let Task { params, limits, .. } = self.task;
        let (mut may_continue, single) =
            self.simulator.with(|tree, _| (tree.may_continue(), tree.moves().nth(1).is_none()));
        let (mut shown, mut next_look) = (0, LOOK_INTERVAL);
        while may_continue && self.control.count_node().is_ok() {
            may_continue = self.simulator.simulate(params);
            let counts = self.simulator.counts();
            let Counts { simulations, .. } = counts;
            self.control.nodes = simulations;
            if self.is_deep_enough(counts) {
                break;
            }
            if limits.time.is_some() && simulations >= next_look {
                next_look = simulations + LOOK_INTERVAL;
                let choice = self.simulator.with(|tree, _| tree.choose(params))?;
                if single || self.is_time_over(&choice, simulations) {
                    break;
                }
            }
            if simulations >= 2 * shown.max(LOOK_INTERVAL / 2) {
                shown = simulations;
                let task = self.task;
                self.simulator
                    .with(|tree, game| task.found(tree, counts).map(|found| on_progress(tree, game, &found)))?;
            }
        }
        Some(())
    }

    /// Whether lines have the required length, or cannot get longer because the tree is full or complete.
    fn is_deep_enough<G>(&mut self, counts: Counts) -> bool
    where
        S: Simulator<G>,
    {
        let (depth, Counts { simulations, plies }) = (self.task.limits.depth, counts);
        if depth == u8::MAX || simulations == 0 {
            return false;
        }
        let (nodes, has_room) = self.simulator.with(|tree, _| (tree.len(), tree.has_room()));
        if nodes != self.grown.0 {
            self.grown = (nodes, simulations);
        }
        let is_complete = simulations - self.grown.1 >= STALE;
        is_complete || !has_room || plies >= simulations.saturating_mul(u64::from(depth))
    }

    /// Whether the move has used the time that it deserves.
    ///
    /// As in the paper: less if it is easy, because one move has most of the visits; more if it is critical, because
    /// its value has fallen since the last move.
    fn is_time_over(&mut self, choice: &Choice, simulations: u64) -> bool {
        self.steady.see(choice.mv, simulations);
        let Task { params, time, limits, last_value, .. } = self.task;
        let Some(allocation) = limits.time else { return false };
        let is_critical =
            params.mcts_critical && last_value.is_some_and(|last| last - choice.value > params.mcts_critical_fall);
        let allocation = if is_critical { allocation.with_panic() } else { allocation };
        self.control.deadline = Some(allocation.hard_limit());
        let factor = urgency(time, choice.share, self.steady.doublings(simulations));
        let is_easy = params.mcts_easy && choice.share > params.mcts_easy_share;
        let factor = if is_easy { factor.min(params.mcts_easy_time) } else { factor };
        self.control.elapsed() >= soft_limit(allocation, factor)
    }
}

/// The time after which no further simulation starts.
fn soft_limit(allocation: Allocation, factor: f64) -> std::time::Duration {
    allocation.scaled(factor).next_depth_limit()
}

/// How long the best move has stayed the same.
#[derive(Debug, Default)]
struct Steady {
    best: Option<u16>,
    /// The number of simulations before it became the best.
    since: u64,
}

impl Steady {
    fn see(&mut self, best: u16, simulations: u64) {
        if self.best != Some(best) {
            (self.best, self.since) = (Some(best), simulations);
        }
    }

    /// The number of times that the simulations have doubled since then.
    fn doublings(&self, simulations: u64) -> u8 {
        let ratio = simulations.checked_div(self.since.max(1)).unwrap_or(1).max(1);
        ratio.ilog2().min(4) as u8
    }
}
