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

pub use budget::{Budget, NeverStop, NoClock, NodeClock, Stop, Timer};
pub use result::{Pv, SearchResult};

use crate::eval::network::NetworkLine;
use crate::eval::{Evaluation, EvaluationKind, Evaluator, Material, Network, PieceSquare, WazirPieceSquare};
use crate::time::Allocation;
use crate::{Params, Position, Score, SetupBook};
use alpha_beta::Searcher;
use control::Control;
use iterative_deepening::Limits;
use settings::Settings;
use setups::Setups;
use state::{SearchState, PLIES};
use std::sync::Arc;
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
}

impl Default for EngineConfig {
    /// The strongest evaluation, default parameters, a table of 16 MiB, the book that the engine is shipped with.
    fn default() -> Self {
        Self {
            evaluation: EvaluationKind::default().into(),
            params: Params::default(),
            table_bytes: 16 << 20,
            book: SetupBook::shipped(),
        }
    }
}

/// An evaluation and its line.
#[derive(Clone, Debug)]
enum Seated {
    Material(Vec<i32>),
    PieceSquare(Vec<i32>),
    WazirPieceSquare(Arc<WazirPieceSquare>, Vec<[i32; 2]>),
    Network(Arc<Network>, Box<NetworkLine>),
}

impl Seated {
    fn new(evaluator: &Evaluator) -> Self {
        match evaluator {
            Evaluator::Material => Self::Material(Material.new_line(PLIES)),
            Evaluator::PieceSquare => Self::PieceSquare(PieceSquare.new_line(PLIES)),
            Evaluator::WazirPieceSquare(model) => Self::WazirPieceSquare(Arc::clone(model), model.new_line(PLIES)),
            Evaluator::Network(network) => Self::Network(Arc::clone(network), Box::new(network.new_line(PLIES))),
        }
    }
}

/// The alpha-beta engine. A search allocates no memory.
#[derive(Clone, Debug)]
pub struct Engine {
    seated: Seated,
    settings: Settings,
    state: SearchState,
    book: Arc<SetupBook>,
    /// Of the game at hand.
    seed: u64,
}

impl Engine {
    /// An engine of this configuration.
    pub fn new(config: &EngineConfig) -> Self {
        Self {
            seated: Seated::new(&config.evaluation),
            settings: Settings::new(&config.params),
            state: SearchState::new(config.table_bytes),
            book: Arc::clone(&config.book),
            seed: 0,
        }
    }

    /// Has what is drawn at random from now on, which of the book's best setups is played, follow from `seed`. It is 0 before.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Changes the configuration and starts a new game. The table is reallocated only if its size changes.
    pub fn configure(&mut self, config: &EngineConfig) {
        self.seated = Seated::new(&config.evaluation);
        self.settings = Settings::new(&config.params);
        self.book = Arc::clone(&config.book);
        if !self.state.tt.has_size(config.table_bytes) {
            self.state.tt = TranspositionTable::new(config.table_bytes);
        }
        self.state.new_game();
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
        let settings = &self.settings;
        let book = settings.params.setup_book.then_some(&*self.book);
        let setups = Setups { book, margin: Score::from_logit(settings.params.book_margin), seed: self.seed };
        let game = Game { settings, setups, state: &mut self.state };
        match &mut self.seated {
            Seated::Material(line) => run_search(&Material, line, game, request, on_iteration),
            Seated::PieceSquare(line) => run_search(&PieceSquare, line, game, request, on_iteration),
            Seated::WazirPieceSquare(model, line) => run_search(&**model, line, game, request, on_iteration),
            Seated::Network(network, line) => run_search(&**network, line, game, request, on_iteration),
        }
    }
}

/// What a search has of its engine, beside the evaluation.
struct Game<'a> {
    settings: &'a Settings,
    setups: Setups<'a>,
    state: &'a mut SearchState,
}

fn run_search<E: Evaluation>(
    evaluation: &E,
    line: &mut E::Line,
    game: Game<'_>,
    request: &SearchRequest<'_>,
    on_iteration: &mut dyn FnMut(&SearchResult),
) -> Option<SearchResult> {
    let Game { settings, setups, state } = game;
    let SearchRequest { position, history, budgets, stop, timer } = *request;
    let limits = limits(budgets, position, &settings.params);
    let deadline = limits.time.map(|time| time.hard_limit());
    state.new_search(&settings.params, history, position.key());
    let searcher = Searcher {
        evaluation,
        line,
        settings,
        setups,
        state,
        control: Control::new(limits.nodes, deadline, stop, timer),
        root_side: position.side_to_move(),
        on_iteration,
    };
    searcher.run(position, limits)
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
        self.state.new_game();
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
