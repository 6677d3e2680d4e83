//! The search: the trait that any kind of search implements, and the engine, an alpha-beta search with any of the
//! evaluations.
//!
//! Owns the input and output of a search. It keeps no game: the caller passes the position and the keys of the positions
//! before it, and a [`Timer`] and a [`Stop`] through which the search reads time and learns that it is to stop.

mod alpha_beta;
mod budget;
mod control;
mod exchange;
mod history;
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
mod worker;

pub use budget::{Budget, NeverStop, NoClock, NodeClock, Stop, Timer};
pub use result::{Pv, SearchResult};

use crate::eval::{EvaluationKind, Evaluator};
use crate::time::Allocation;
use crate::{Params, Position, Score, SetupBook};
use iterative_deepening::Limits;
use settings::Settings;
use setups::Setups;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tt::TranspositionTable;
use worker::{search_together, Job, Part, Worker};

/// A search: finds the best move of a position.
pub trait Search {
    /// Finds the best move of a position.
    ///
    /// `history` holds the keys of the game's earlier positions, oldest first, without that of `position`. The result
    /// depends only on the arguments, the configuration and what was searched since [`Search::new_game`]; with several
    /// threads also on how the system runs them. `None` only when the game is over.
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
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// The static evaluation, with its weights.
    pub evaluation: Evaluator,
    /// The tunable parameters.
    pub params: Params,
    /// Size of the transposition table in bytes, rounded down to a multiple of 64, at least 64.
    pub table_bytes: usize,
    /// The book of setups, used as [`Params::setup_book`] and [`Params::book_margin`] say.
    pub book: Arc<SetupBook>,
    /// Threads that search together. Only one gives the same result every time.
    pub threads: NonZeroUsize,
}

impl Default for EngineConfig {
    /// The strongest evaluation, default parameters, a table of 16 MiB, the book that the engine is shipped with, one thread.
    fn default() -> Self {
        Self {
            evaluation: EvaluationKind::default().into(),
            params: Params::default(),
            table_bytes: 16 << 20,
            book: SetupBook::shipped(),
            threads: NonZeroUsize::MIN,
        }
    }
}

/// The alpha-beta engine. A search in one thread allocates no memory.
#[derive(Clone, Debug)]
pub struct Engine {
    settings: Settings,
    book: Arc<SetupBook>,
    /// Of the game at hand.
    seed: u64,
    tt: TranspositionTable,
    main: Worker,
    helpers: Vec<Worker>,
}

impl Engine {
    /// An engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self {
            settings: Settings::new(&config.params),
            book: Arc::clone(&config.book),
            seed: 0,
            tt: TranspositionTable::new(config.table_bytes),
            main: Worker::new(&config.evaluation),
            helpers: (1..config.threads.get()).map(|_| Worker::new(&config.evaluation)).collect(),
        }
    }

    /// Has what is drawn at random from now on, which of the book's best setups is played, follow from `seed`. It is 0 before.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Changes the configuration and starts a new game. The table is reallocated only if its size changes.
    pub fn configure(&mut self, config: &EngineConfig) {
        self.settings = Settings::new(&config.params);
        self.book = Arc::clone(&config.book);
        if !self.tt.has_size(config.table_bytes) {
            self.tt = TranspositionTable::new(config.table_bytes);
        }
        self.tt.new_game();
        self.main.configure(&config.evaluation);
        self.helpers.truncate(config.threads.get() - 1);
        self.helpers.iter_mut().for_each(|helper| helper.configure(&config.evaluation));
        self.helpers.resize_with(config.threads.get() - 1, || Worker::new(&config.evaluation));
    }

    /// Searches like [`Search::search`], but within several budgets at once, and calls `on_iteration` after each completed
    /// iteration.
    ///
    /// Without a budget only `stop`, a proven result or the ply limit ends the search. Of several budgets of time, the one
    /// with the shortest hard limit counts. `stop`, the timer and `on_iteration` are used by the calling thread alone.
    pub fn search_with_progress(
        &mut self,
        request: &SearchRequest<'_>,
        on_iteration: &mut dyn FnMut(&SearchResult),
    ) -> Option<SearchResult> {
        let SearchRequest { position, history, budgets, stop, timer } = *request;
        self.tt.new_search();
        let params = &self.settings.params;
        let book = params.setup_book.then_some(&*self.book);
        let setups = Setups { book, margin: Score::from_logit(params.book_margin), seed: self.seed };
        let job = Job { position, history, settings: &self.settings, setups, tt: &self.tt, all_nodes: None };
        let limits = limits(budgets, position, &self.settings.params);
        let part = Part { thread: 0, limits, stop, timer, on_iteration };
        if self.helpers.is_empty() {
            self.main.search(job, part)
        } else {
            search_together(&mut self.main, &mut self.helpers, job, part)
        }
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
        self.tt.new_game();
        self.main.new_game();
        self.helpers.iter_mut().for_each(Worker::new_game);
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
