//! The search: what every kind of search does, and the engine, which is whichever its configuration names.
//!
//! Owns the input and output of a search. It keeps no game: the caller passes the position and the keys of the
//! positions before it, and a [`Timer`] and a [`Stop`] through which the search reads time and learns that it is to
//! stop. Each kind of search has a folder of its own, and one line of the list here. What several of them can use
//! stands beside this file.

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

/// The searches, the usual one first. A new one is a module of its own that implements [`Search`], and a line of this
/// list.
const SEARCHES: &[SearchInfo] = &[
    alpha_beta::INFO,
    mcts::INFO,
    #[cfg(test)]
    first_move::INFO,
];

/// A search: finds the best move of a position.
trait Search: fmt::Debug + Send {
    /// Changes the configuration and starts a new game. Memory is kept where it fits.
    fn configure(&mut self, config: &EngineConfig);

    /// Has what is drawn at random from now on follow from `seed`. It is 0 before.
    fn set_seed(&mut self, seed: u64);

    /// Clears everything learned in earlier searches.
    fn new_game(&mut self);

    /// Finds the best move within all budgets, and calls `on_progress` with what it finds on the way.
    ///
    /// The result depends only on the request, the configuration, the seed and what was searched since
    /// [`Search::new_game`]; with several threads also on how the system runs them. `None` only when the game is over.
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
    /// The search keeps within all of these. Without one only `stop`, a proven result or the ply limit ends it.
    pub budgets: &'a [Budget],
    /// Ends the search early.
    pub stop: &'a dyn Stop,
    /// The clock of the search.
    pub timer: &'a dyn Timer,
}

/// The configuration of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// How it searches.
    pub search: SearchKind,
    /// The static evaluation, with its weights.
    pub evaluation: Evaluator,
    /// What gives moves their priors in the tree search, if it fits the evaluation; otherwise they follow from
    /// exchanges and checks.
    pub policy: Option<Arc<crate::eval::policy::Policy>>,
    /// The tunable parameters.
    pub params: Params,
    /// Memory for what the search has found out, its transposition table or tree, in bytes. A table is rounded down to
    /// a multiple of 64, at least 64.
    pub table_bytes: usize,
    /// The book of setups, used as [`BookParams`](crate::book::BookParams) say.
    pub book: Arc<SetupBook>,
    /// Threads that search together. Only one gives the same result every time.
    pub threads: NonZeroUsize,
}

impl Default for EngineConfig {
    /// Alpha-beta with the strongest evaluation, default parameters, a table of 16 MiB, the book that the engine is
    /// shipped with, one thread.
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

/// An engine: the search that its configuration names.
#[derive(Debug)]
pub struct Engine {
    kind: SearchKind,
    search: Box<dyn Search>,
    seed: u64,
}

impl Engine {
    /// An engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self { kind: config.search, search: config.search.start(config), seed: 0 }
    }

    /// Changes the configuration and starts a new game. Memory is reallocated only if its size changes, or the kind of
    /// search.
    pub fn configure(&mut self, config: &EngineConfig) {
        if self.kind == config.search {
            self.search.configure(config);
        } else {
            self.search = config.search.start(config);
            self.search.set_seed(self.seed);
            self.kind = config.search;
        }
    }

    /// Has what is drawn at random from now on, which of the book's best setups is played, follow from `seed`. It is 0
    /// before.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
        self.search.set_seed(seed);
    }

    /// Clears everything learned in earlier searches. Takes next to no time.
    pub fn new_game(&mut self) {
        self.search.new_game();
    }

    /// Finds the best move of a position within one budget.
    ///
    /// `history` holds the keys of the game's earlier positions, oldest first, without that of `position`. The result
    /// depends only on the arguments, the configuration, the seed and what was searched since [`Engine::new_game`];
    /// with several threads also on how the system runs them. `None` only when the game is over.
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

    /// Searches like [`Engine::search`], but within several budgets at once, and calls `on_progress` with what is found
    /// on the way: after each completed iteration, in alpha-beta.
    ///
    /// Of several budgets of time, the one with the shortest hard limit counts. `stop`, the timer and `on_progress` are
    /// used by the calling thread alone.
    pub fn search_with_progress(
        &mut self,
        request: &SearchRequest<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        self.search.search(request, on_progress)
    }
}
