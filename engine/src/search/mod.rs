//! The search: the trait that any kind of search implements, and the engine, an alpha-beta search with any of the
//! evaluations.
//!
//! Owns the input and output of a search. It keeps no game: the caller passes the position and the keys of the positions
//! before it, and a [`Timer`] and a [`Stop`] through which the search reads time and learns that it is to stop.

mod alpha_beta;
mod budget;
mod control;
mod iterative_deepening;
mod move_picker;
mod qsearch;
mod repetition;
mod result;
mod root;
mod settings;
mod setups;
mod state;
mod tt;
mod tt_probe;
mod window;

pub use budget::{Budget, NeverStop, NoClock, NodeClock, Stop, Timer};
pub use result::{Pv, SearchResult};

use crate::eval::{Evaluation, EvaluationKind, Material, PieceSquare};
use crate::time::Allocation;
use crate::{Params, Position};
use alpha_beta::Searcher;
use control::Control;
use iterative_deepening::Limits;
use settings::Settings;
use state::SearchState;
use tt::TranspositionTable;

/// A search: finds the best move of a position.
pub trait Search {
    /// Finds the best move of a position.
    ///
    /// `history` holds the keys of the game's earlier positions, oldest first, without that of `position`. The result
    /// depends only on the arguments, the configuration and what was searched since [`Search::new_game`]. `None` only
    /// when the game is over.
    fn search(
        &mut self,
        position: &Position,
        history: &[u64],
        budget: &Budget,
        stop: &dyn Stop,
        timer: &dyn Timer,
    ) -> Option<SearchResult>;

    /// Clears everything learned in earlier searches. Takes next to no time.
    fn new_game(&mut self);
}

/// The configuration of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineConfig {
    /// The static evaluation.
    pub evaluation: EvaluationKind,
    /// The tunable parameters.
    pub params: Params,
    /// Size of the transposition table in bytes, rounded down to a multiple of 64, at least 64.
    pub table_bytes: usize,
}

impl Default for EngineConfig {
    /// Piece-square evaluation, default parameters, a table of 16 MiB.
    fn default() -> Self {
        Self { evaluation: EvaluationKind::default(), params: Params::default(), table_bytes: 16 << 20 }
    }
}

/// The alpha-beta engine. A search allocates no memory.
#[derive(Clone, Debug)]
pub struct Engine {
    evaluation: EvaluationKind,
    settings: Settings,
    state: SearchState,
}

impl Engine {
    /// An engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self {
            evaluation: config.evaluation,
            settings: Settings::new(&config.params),
            state: SearchState::new(config.table_bytes),
        }
    }

    /// Changes the configuration and starts a new game. The table is reallocated only if its size changes.
    pub fn configure(&mut self, config: &EngineConfig) {
        self.evaluation = config.evaluation;
        self.settings = Settings::new(&config.params);
        if self.state.tt.has_size(config.table_bytes) {
            self.state.tt.new_game();
        } else {
            self.state.tt = TranspositionTable::new(config.table_bytes);
        }
    }

    /// Searches like [`Search::search`], but within several budgets at once, and calls `on_iteration` after each completed
    /// iteration.
    ///
    /// Without a budget only `stop`, a proven result or the ply limit ends the search. Of several budgets of time, the one
    /// with the shortest hard limit counts.
    pub fn search_with_progress(
        &mut self,
        request: &SearchRequest<'_>,
        on_iteration: &mut dyn FnMut(&SearchResult),
    ) -> Option<SearchResult> {
        match self.evaluation {
            EvaluationKind::Material => self.run_search(&Material, request, on_iteration),
            EvaluationKind::PieceSquare => self.run_search(&PieceSquare, request, on_iteration),
        }
    }

    fn run_search<E: Evaluation>(
        &mut self,
        evaluation: &E,
        request: &SearchRequest<'_>,
        on_iteration: &mut dyn FnMut(&SearchResult),
    ) -> Option<SearchResult> {
        let SearchRequest { position, history, budgets, stop, timer } = *request;
        let limits = limits(budgets, position, &self.settings.params);
        let deadline = limits.time.map(|time| time.hard_limit());
        self.state.new_search(&self.settings.params, history, position.key());
        let searcher = Searcher {
            evaluation,
            settings: &self.settings,
            state: &mut self.state,
            control: Control::new(limits.nodes, deadline, stop, timer),
            root_side: position.side_to_move(),
            on_iteration,
        };
        searcher.run(position, limits)
    }
}

/// The input of [`Engine::search_with_progress`].
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    /// The position to search.
    pub position: &'a Position,
    /// The keys of the game's earlier positions, oldest first.
    pub history: &'a [u64],
    /// The search keeps within all of these.
    pub budgets: &'a [Budget],
    /// Ends the search early.
    pub stop: &'a dyn Stop,
    /// The clock of the search.
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
    ) -> Option<SearchResult> {
        let budgets = std::slice::from_ref(budget);
        self.search_with_progress(&SearchRequest { position, history, budgets, stop, timer }, &mut |_| ())
    }

    fn new_game(&mut self) {
        self.state.tt.new_game();
    }
}

/// The limits that all budgets together set.
fn limits(budgets: &[Budget], position: &Position, params: &Params) -> Limits {
    let mut limits = Limits { nodes: u64::MAX, depth: u8::MAX, time: None };
    for budget in budgets {
        let time = match *budget {
            Budget::Nodes(nodes) => {
                limits.nodes = limits.nodes.min(nodes);
                continue;
            }
            Budget::Depth(depth) => {
                limits.depth = limits.depth.min(depth);
                continue;
            }
            Budget::MoveTime(time) => Allocation::fixed(time),
            Budget::Clock(left) => Allocation::new(params, position.plies(), left),
        };
        if limits.time.map_or(true, |other| time.hard_limit() < other.hard_limit()) {
            limits.time = Some(time);
        }
    }
    limits
}
