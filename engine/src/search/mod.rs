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

    fn search_with<E: Evaluation>(&mut self, evaluation: &E, request: &Request) -> Option<Report> {
        let Request { position, history, budget, stop, timer } = *request;
        let (limit, plan) = plan(budget, position, &self.settings.params);
        let deadline = plan.allocation.map(|time| time.hard());
        self.memory.new_search(&self.settings.params, history, position.key());
        let searcher = Searcher {
            evaluation,
            settings: &self.settings,
            memory: &mut self.memory,
            control: Control::new(limit, deadline, stop, timer),
            root_side: position.side_to_move(),
        };
        searcher.answer(position, plan)
    }
}

/// The arguments of a search.
struct Request<'a> {
    position: &'a Position,
    history: &'a [u64],
    budget: &'a Budget,
    stop: &'a dyn Stop,
    timer: &'a dyn Timer,
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
        let request = Request { position, history, budget, stop, timer };
        match self.evaluation {
            EvaluationKind::Material => self.search_with(&Material, &request),
            EvaluationKind::PieceSquare => self.search_with(&PieceSquare, &request),
        }
    }

    fn new_game(&mut self) {
        self.memory.table.new_game();
    }
}

/// The node limit and the rest of a budget.
fn plan(budget: &Budget, position: &Position, params: &Params) -> (u64, Plan) {
    let by_time = |time| Plan { max_depth: u8::MAX, allocation: Some(time) };
    match *budget {
        Budget::Nodes(nodes) => (nodes, Plan { max_depth: u8::MAX, allocation: None }),
        Budget::Depth(depth) => (u64::MAX, Plan { max_depth: depth, allocation: None }),
        Budget::MoveTime(time) => (u64::MAX, by_time(Allocation::fixed(time))),
        Budget::Clock { remaining, reserve } => {
            (u64::MAX, by_time(Allocation::new(params, position.plies(), remaining, reserve)))
        }
    }
}
