//! Alpha-beta: principal variation search with iterative deepening and a transposition table, in one or more threads.
//!
//! Owns the memory kept from move to move, the settings and the threads of a search.

mod history;
mod iterative_deepening;
mod move_picker;
mod node;
mod params;
mod qsearch;
mod root;
mod settings;
mod state;
mod tt;
mod tt_probe;
mod window;
mod worker;

pub use params::AlphaBetaParams;

use super::budget::Budget;
use super::kind::SearchInfo;
use super::limits::Limits;
use super::result::{Progress, SearchResult};
use super::setups::Setups;
use super::{EngineConfig, Search, SearchRequest};
use crate::book::BookParams;
use crate::params::Group;
use crate::SetupBook;
use settings::Settings;
use std::sync::Arc;
use tt::TranspositionTable;
use worker::{search_together, Job, Part, Worker};

/// Its line in the list of searches. The bench searches to depth 8: about 150,000 nodes.
pub(super) const INFO: SearchInfo = SearchInfo {
    has_visits: false,
    name: "alpha-beta",
    bench: Budget::Depth(8),
    bench_bytes: usize::MAX,
    params: AlphaBetaParams::PARAMS,
    start: |config| Box::new(AlphaBeta::new(config)),
};

/// The search. With one thread it allocates no memory while searching.
#[derive(Debug)]
struct AlphaBeta {
    settings: Settings,
    book: Arc<SetupBook>,
    book_params: BookParams,
    /// The seed of the current game.
    seed: u64,
    tt: TranspositionTable,
    main: Worker,
    helpers: Vec<Worker>,
}

impl AlphaBeta {
    fn new(config: &EngineConfig) -> Self {
        Self {
            settings: Settings::new(&config.params),
            book: Arc::clone(&config.book),
            book_params: config.params.book,
            seed: 0,
            tt: TranspositionTable::new(config.table_bytes),
            main: Worker::new(&config.evaluation),
            helpers: (1..config.threads.get()).map(|_| Worker::new(&config.evaluation)).collect(),
        }
    }
}

impl Search for AlphaBeta {
    /// The table is reallocated only if its size changes.
    fn configure(&mut self, config: &EngineConfig) {
        self.settings = Settings::new(&config.params);
        self.book = Arc::clone(&config.book);
        self.book_params = config.params.book;
        if !self.tt.has_size(config.table_bytes) {
            self.tt = TranspositionTable::new(config.table_bytes);
        }
        self.tt.new_game();
        self.main.configure(&config.evaluation);
        self.helpers.truncate(config.threads.get() - 1);
        self.helpers.iter_mut().for_each(|helper| helper.configure(&config.evaluation));
        self.helpers.resize_with(config.threads.get() - 1, || Worker::new(&config.evaluation));
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Takes almost no time: advancing the count of games empties the table.
    fn new_game(&mut self) {
        self.tt.new_game();
        self.main.new_game();
        self.helpers.iter_mut().for_each(Worker::new_game);
    }

    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        let SearchRequest { position, history, budgets, stop, timer } = *request;
        self.tt.new_search();
        let setups = Setups::new(&self.book, &self.book_params, self.seed);
        let job = Job { position, history, settings: &self.settings, setups, tt: &self.tt, all_nodes: None };
        let limits = Limits::new(budgets, position, &self.settings.time);
        let part = Part { thread: 0, limits, stop, timer, on_progress };
        if self.helpers.is_empty() {
            self.main.search(job, part)
        } else {
            search_together(&mut self.main, &mut self.helpers, job, part)
        }
    }
}
