//! The search: the interface of every kind of search, and the engine, which runs the configured one.
//!
//! Owns the input and output of a search. It keeps no game: the caller passes the position and the keys of the earlier
//! positions, and a [`Timer`] and a [`Stop`] through which the search reads time and the stop signal. Each kind of
//! search has its own folder, and one line of the list here. Code that several searches can use is beside this file.

pub(crate) mod alpha_beta;
mod budget;
pub(crate) mod control;
mod exchange;
#[cfg(test)]
mod first_move;
mod immediate;
mod kind;
pub(crate) mod limits;
pub(crate) mod mcts;
mod repetition;
mod result;
mod setups;

pub use budget::{Budget, NeverStop, NoClock, NodeClock, Stop, Timer};
pub use kind::{ParseSearchError, SearchKind};
pub use result::{Progress, Pv, RootMove, SearchResult};

use crate::eval::{EvaluationKind, Evaluator};
use crate::{Params, Position, SetupBook};
use kind::SearchInfo;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The searches, the default first. A new one needs its own module that implements [`Search`], and a line of this list.
const SEARCHES: &[SearchInfo] = &[
    alpha_beta::INFO,
    mcts::INFO,
    #[cfg(test)]
    first_move::INFO,
];

/// A search: finds the best move of a position.
trait Search: fmt::Debug + Send {
    /// Changes the configuration and starts a new game. Memory of the right size is kept.
    fn configure(&mut self, config: &EngineConfig);

    /// Sets the seed of all later random choices. The initial seed is 0.
    fn set_seed(&mut self, seed: u64);

    /// Clears everything learned in earlier searches.
    fn new_game(&mut self);

    /// Finds the best move within all budgets, and calls `on_progress` with intermediate results.
    ///
    /// The result depends only on the request, the configuration, the seed and earlier searches since
    /// [`Search::new_game`]; with several threads also on how the system schedules them. `None` only when the game is
    /// over.
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult>;
}

/// The input of [`Engine::search_with_progress`].
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    /// The position to search.
    pub position: &'a Position,
    /// The keys of the game's earlier positions, oldest first, without that of `position`.
    pub history: &'a [u64],
    /// The search keeps within all of these budgets. Without any, only `stop`, a proven result or the ply limit ends
    /// it.
    pub budgets: &'a [Budget],
    /// Ends the search early.
    pub stop: &'a dyn Stop,
    /// The clock of the search.
    pub timer: &'a dyn Timer,
}

/// The configuration of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// The kind of search.
    pub search: SearchKind,
    /// The static evaluation, with its weights.
    pub evaluation: Evaluator,
    /// The policy that gives moves their priors in the tree search. If it does not fit the evaluation, the shipped
    /// one is used if that fits; otherwise priors follow from exchanges and checks.
    pub policy: Option<Arc<crate::eval::policy::Policy>>,
    /// The tunable parameters.
    pub params: Params,
    /// The memory for the transposition table or tree, in bytes. A table is rounded down to a multiple of 64, at least
    /// 64.
    pub table_bytes: usize,
    /// The book of setups, used according to [`BookParams`](crate::book::BookParams).
    pub book: Arc<SetupBook>,
    /// The number of threads that search together. Only one thread gives the same result every time.
    pub threads: NonZeroUsize,
}

impl Default for EngineConfig {
    /// Alpha-beta with the strongest evaluation, default parameters, a table of 16 MiB, the shipped book, one thread.
    fn default() -> Self {
        Self {
            search: SearchKind::default(),
            evaluation: EvaluationKind::default().into(),
            policy: crate::eval::policy::NONE,
            params: Params::default(),
            table_bytes: 16 << 20,
            book: SetupBook::shipped(),
            threads: NonZeroUsize::MIN,
        }
    }
}

/// An engine, which runs the configured search.
#[derive(Debug)]
pub struct Engine {
    kind: SearchKind,
    search: Box<dyn Search>,
    seed: u64,
}

impl Engine {
    /// Makes an engine with this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self { kind: config.search, search: config.search.start(config), seed: 0 }
    }

    /// Changes the configuration and starts a new game. Memory is reallocated only if its size or the kind of search
    /// changes.
    pub fn configure(&mut self, config: &EngineConfig) {
        if self.kind == config.search {
            self.search.configure(config);
        } else {
            self.search = config.search.start(config);
            self.search.set_seed(self.seed);
            self.kind = config.search;
        }
    }

    /// Sets the seed of all later random choices, such as which of the book's best setups is played. The initial seed
    /// is 0.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
        self.search.set_seed(seed);
    }

    /// Clears everything learned in earlier searches. Takes almost no time.
    pub fn new_game(&mut self) {
        self.search.new_game();
    }

    /// Finds the best move of a position within one budget.
    ///
    /// `history` holds the keys of the game's earlier positions, oldest first, without that of `position`. The result
    /// depends only on the arguments, the configuration, the seed and earlier searches since [`Engine::new_game`]; with
    /// several threads also on how the system schedules them. `None` only when the game is over.
    pub fn search(
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

    /// Searches like [`Engine::search`], but within several budgets at once, and calls `on_progress` with intermediate
    /// results: in alpha-beta, after each completed iteration.
    ///
    /// Among several budgets of time, the one with the shortest hard limit counts. Only the calling thread uses `stop`,
    /// the timer and `on_progress`.
    pub fn search_with_progress(
        &mut self,
        request: &SearchRequest<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        self.search.search(request, on_progress)
    }
}
