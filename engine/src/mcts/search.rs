//! One search: simulations within limits, the time that a move is worth, what is found on the way.

use super::{Choice, Game, MctsParams, Proof, Tree};
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::time::{urgency, Allocation, TimeParams};
use crate::{Stop, Timer};

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
        let deadline = self.limits.time.map(|time| time.hard_limit());
        let control = Control::new(self.limits.nodes, deadline, self.stop, self.timer, None);
        Search { task: *self, tree, game, control, plies: 0 }.run(on_progress)
    }
}

/// A search that is running.
struct Search<'a, G> {
    task: Task<'a>,
    tree: &'a mut Tree,
    game: &'a mut G,
    control: Control<'a>,
    /// Plies of all simulations together.
    plies: u64,
}

impl<G: Game> Search<'_, G> {
    fn run(&mut self, on_progress: &mut dyn FnMut(&Tree, &G, &Found)) -> Option<Found> {
        let params = self.task.params;
        let single = self.tree.moves().nth(1).is_none() && self.task.limits.time.is_some();
        let (mut shown, mut next_look) = (0, LOOK_INTERVAL);
        let mut steady = Steady::default();
        while self.tree.proof() == Proof::Open && self.control.count_node().is_ok() {
            self.plies += self.tree.simulate(self.game, params) as u64;
            let simulations = self.control.nodes;
            if self.is_deep_enough() {
                break;
            }
            if simulations >= next_look {
                next_look = simulations + LOOK_INTERVAL;
                let choice = self.tree.choose(params)?;
                steady.see(choice.mv, simulations);
                if single || self.is_time_over(&choice, &steady) {
                    break;
                }
            }
            if simulations >= 2 * shown.max(LOOK_INTERVAL / 2) {
                shown = simulations;
                on_progress(self.tree, self.game, &self.found()?);
            }
        }
        let found = self.found()?;
        on_progress(self.tree, self.game, &found);
        Some(found)
    }

    fn found(&self) -> Option<Found> {
        let simulations = self.control.nodes;
        let mean = self.plies.checked_div(simulations).unwrap_or(0);
        let depth = mean.min(u64::from(u8::MAX)) as u8;
        Some(Found { choice: self.tree.choose(self.task.params)?, simulations, depth })
    }

    /// Whether lines are as long as they are to be, or cannot get longer because the tree is full.
    fn is_deep_enough(&self) -> bool {
        let depth = self.task.limits.depth;
        depth < u8::MAX && (self.plies >= self.control.nodes.saturating_mul(u64::from(depth)) || !self.tree.has_room())
    }

    /// Whether the move has had the time that it is worth.
    ///
    /// As in the paper: less if it is easy, because one move has most of the visits; more if it is critical, because
    /// its value has fallen since the last move.
    fn is_time_over(&mut self, choice: &Choice, steady: &Steady) -> bool {
        let Task { params, time, limits, last_value, .. } = self.task;
        let Some(allocation) = limits.time else { return false };
        let is_critical =
            params.mcts_critical && last_value.is_some_and(|last| last - choice.value > params.mcts_critical_fall);
        let allocation = if is_critical { allocation.with_panic() } else { allocation };
        self.control.deadline = Some(allocation.hard_limit());
        let factor = urgency(time, choice.share, steady.doublings(self.control.nodes));
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
