//! Choosing a move: the seam for kinds of search, and the engine, which is alpha-beta with any of the evaluations.
//!
//! Owns what a search takes and gives. It keeps no game: a caller says which position is to move from and which positions
//! came before. Time is read and stops are noticed through the caller's [`Timer`] and [`Stop`].

mod answer;
mod budget;
mod control;
mod iterate;
mod memory;
mod node;
mod ordering;
mod quiescence;
mod recall;
mod repetition;
mod report;
mod settings;
mod setups;
mod table;
mod window;

pub use budget::{Budget, NodeClock, Stop, Timeless, Timer, Unstopped};
pub use report::{Line, Report};

use crate::eval::{Evaluation, EvaluationKind, Material, PieceSquare};
use crate::time::Allocation;
use crate::{Params, Position};
use control::Control;
use iterate::Plan;
use memory::Memory;
use node::Searcher;
use settings::Settings;
use table::Table;

/// Anything that finds moves.
pub trait Search {
    /// Looks for the best move of a position.
    ///
    /// `history` holds the keys of the game's earlier positions, oldest first, that of `position` not included. The
    /// answer depends on nothing but the arguments, the configuration and what was searched since
    /// [`Search::new_game`]. `None` only when the game is over.
    fn search(
        &mut self,
        position: &Position,
        history: &[u64],
        budget: &Budget,
        stop: &dyn Stop,
        timer: &dyn Timer,
    ) -> Option<Report>;

    /// Forgets all earlier searches: what follows is as with a new searcher. Takes next to no time.
    fn new_game(&mut self);
}

/// What an engine is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineConfig {
    /// How positions are judged.
    pub evaluation: EvaluationKind,
    /// The tunable numbers.
    pub params: Params,
    /// Size of the transposition table in bytes, rounded down to buckets of 64; one bucket at least.
    pub table_bytes: usize,
}

impl Default for EngineConfig {
    /// The strongest evaluation, default parameters, 16 MiB.
    fn default() -> Self {
        Self { evaluation: EvaluationKind::default(), params: Params::default(), table_bytes: 16 << 20 }
    }
}

/// The alpha-beta engine. Searching allocates nothing.
#[derive(Clone, Debug)]
pub struct Engine {
    evaluation: EvaluationKind,
    settings: Settings,
    memory: Memory,
}

impl Engine {
    /// An engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self {
            evaluation: config.evaluation,
            settings: Settings::new(&config.params),
            memory: Memory::new(config.table_bytes),
        }
    }

    /// Becomes an engine of another configuration, before a new game. Its table stays allocated if the size is the same.
    pub fn configure(&mut self, config: &EngineConfig) {
        self.evaluation = config.evaluation;
        self.settings = Settings::new(&config.params);
        if self.memory.table.fits(config.table_bytes) {
            self.memory.table.new_game();
        } else {
            self.memory.table = Table::new(config.table_bytes);
        }
    }

    /// Searches like [`Search::search`], within several budgets at once, and shows each completed iteration to `watch`.
    ///
    /// Without any budget only `stop`, a proven result or the end of the game ends the search. Of several budgets by time,
    /// the one that allows least at the beginning of the search counts.
    pub fn search_watched(&mut self, request: &Request<'_>, watch: &mut dyn FnMut(&Report)) -> Option<Report> {
        match self.evaluation {
            EvaluationKind::Material => self.search_with(&Material, request, watch),
            EvaluationKind::PieceSquare => self.search_with(&PieceSquare, request, watch),
        }
    }

    fn search_with<E: Evaluation>(
        &mut self,
        evaluation: &E,
        request: &Request<'_>,
        watch: &mut dyn FnMut(&Report),
    ) -> Option<Report> {
        let Request { position, history, budgets, stop, timer } = *request;
        let (limit, plan) = plan(budgets, position, &self.settings.params);
        let deadline = plan.allocation.map(|time| time.hard());
        self.memory.new_search(&self.settings.params, history, position.key());
        let searcher = Searcher {
            evaluation,
            settings: &self.settings,
            memory: &mut self.memory,
            control: Control::new(limit, deadline, stop, timer),
            root_side: position.side_to_move(),
            watch,
        };
        searcher.answer(position, plan)
    }
}

/// What is asked of [`Engine::search_watched`].
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The position to move in.
    pub position: &'a Position,
    /// The keys of the game's earlier positions, oldest first.
    pub history: &'a [u64],
    /// All of these are kept.
    pub budgets: &'a [Budget],
    /// Who may end the search early.
    pub stop: &'a dyn Stop,
    /// The clock it goes by.
    pub timer: &'a dyn Timer,
}

impl Search for Engine {
    fn search(
        &mut self,
        position: &Position,
        history: &[u64],
        budget: &Budget,
        stop: &dyn Stop,
        timer: &dyn Timer,
    ) -> Option<Report> {
        let budgets = std::slice::from_ref(budget);
        self.search_watched(&Request { position, history, budgets, stop, timer }, &mut |_| ())
    }

    fn new_game(&mut self) {
        self.memory.table.new_game();
    }
}

/// The node limit and the rest of all budgets together.
fn plan(budgets: &[Budget], position: &Position, params: &Params) -> (u64, Plan) {
    let mut limit = u64::MAX;
    let mut plan = Plan { max_depth: u8::MAX, allocation: None };
    for budget in budgets {
        let time = match *budget {
            Budget::Nodes(nodes) => {
                limit = limit.min(nodes);
                continue;
            }
            Budget::Depth(depth) => {
                plan.max_depth = plan.max_depth.min(depth);
                continue;
            }
            Budget::MoveTime(time) => Allocation::fixed(time),
            Budget::Clock(left) => Allocation::new(params, position.plies(), left),
        };
        if plan.allocation.map_or(true, |other| time.hard() < other.hard()) {
            plan.allocation = Some(time);
        }
    }
    (limit, plan)
}
