//! The tree search in the game 0.1: its entry in the list of searches, its memory from move to move, its limits.
//!
//! The search itself is in [`crate::mcts`], its view of the game in `board`. A node is a simulation here; each
//! simulation evaluates at most one position.

mod board;
mod driver;
mod priors;

pub use priors::PolicyRows;

use super::budget::Budget;
use super::kind::SearchInfo;
use super::limits::Limits;
use super::result::{Progress, SearchResult};
use super::setups::Setups;
use super::{EngineConfig, Search, SearchRequest};
use crate::eval::policy::{self, Policy};
use crate::eval::{Evaluation, EvaluationVisitor};
use crate::mcts::{MctsParams, Tree};
use crate::params::Group;
use crate::{MoveList, Params, Position, SetupBook};
use board::{Board, BoardState, PLIES};
use std::fmt;
use std::sync::Arc;

/// Its line in the list of searches. The bench ends when lines are five plies long on average, or the tree is full:
/// the number of simulations depends on everything that is searched. With a policy that knows little, lines of that
/// length would take seconds, and each run begins with a bench.
pub(super) const INFO: SearchInfo = SearchInfo {
    name: "mcts",
    bench: Budget::Depth(5),
    bench_bytes: 512 << 10,
    params: MctsParams::PARAMS,
    has_visits: true,
    start: |config| Box::new(TreeSearch::new(config)),
};

#[derive(Debug)]
struct TreeSearch {
    params: Params,
    /// The policy, if it fits the evaluation.
    policy: Option<Arc<Policy>>,
    book: Arc<SetupBook>,
    seed: u64,
    seated: Box<dyn Seated>,
    memory: Memory,
}

/// The memory kept between searches.
#[derive(Debug)]
struct Memory {
    tree: Tree,
    state: BoardState,
    /// The position at the tree's root, if the tree is not empty.
    root: Option<Root>,
    /// The value of the last move that the side to move has played in this game.
    last_value: Option<f64>,
}

/// A searched position.
#[derive(Debug)]
struct Root {
    position: Position,
    /// The keys of the positions before it.
    history: Vec<u64>,
}

impl Memory {
    fn new(bytes: usize) -> Self {
        Self { tree: Tree::new(bytes), state: BoardState::new(), root: None, last_value: None }
    }

    fn new_game(&mut self) {
        self.tree.clear();
        (self.root, self.last_value) = (None, None);
    }

    /// Makes `position` the root of the tree; keeps what the tree has of it if `keep` is set.
    fn go_to(&mut self, position: &Position, history: &[u64], keep: bool) {
        let moves = self.root.take().and_then(|root| moves_from(&root, position, history));
        if moves.as_ref().map_or(true, |moves| moves.len() % 2 == 1) {
            self.last_value = None;
        }
        match moves.filter(|_| keep) {
            Some(moves) => self.tree.advance(&moves),
            None => self.tree.clear(),
        }
        self.root = Some(Root { position: *position, history: history.to_vec() });
    }
}

/// The moves that lead from one searched position to another of the same game; `None` if there are no such moves, or
/// more than two.
fn moves_from(root: &Root, position: &Position, history: &[u64]) -> Option<Vec<u16>> {
    if root.position.plies() < 2 {
        return None;
    }
    let mut keys = history.strip_prefix(&root.history[..])?.to_vec();
    keys.push(position.key());
    let (first, rest) = keys.split_first()?;
    if *first != root.position.key() || rest.len() > 2 {
        return None;
    }
    let (mut at, mut moves) = (root.position, Vec::new());
    for &key in rest {
        let mut legal = MoveList::new();
        at.legal_moves(&mut legal);
        let after = legal.iter().find_map(|&mv| {
            let mut after = at;
            after.play(mv);
            (after.key() == key).then_some((mv, after))
        });
        let (mv, after) = after?;
        moves.push(board::code(mv)?);
        at = after;
    }
    (at == *position).then_some(moves)
}

/// The configured policy if it fits the evaluation, else the shipped one if that fits.
fn fitting_policy(config: &EngineConfig) -> Option<Arc<Policy>> {
    let fits = |policy: &Arc<Policy>| policy.check_fits(&config.evaluation).is_ok();
    let found = config.policy.clone().filter(fits).or_else(|| Some(policy::shipped()).filter(fits));
    found.filter(|_| config.params.mcts.mcts_policy)
}

impl TreeSearch {
    fn new(config: &EngineConfig) -> Self {
        Self {
            params: config.params,
            policy: fitting_policy(config),
            book: Arc::clone(&config.book),
            seed: 0,
            seated: seated(config),
            memory: Memory::new(config.table_bytes),
        }
    }
}

impl Search for TreeSearch {
    fn configure(&mut self, config: &EngineConfig) {
        self.params = config.params;
        self.policy = fitting_policy(config);
        self.book = Arc::clone(&config.book);
        self.seated = seated(config);
        if !self.memory.tree.has_size(config.table_bytes) {
            self.memory.tree = Tree::new(config.table_bytes);
        }
        self.new_game();
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn new_game(&mut self) {
        self.memory.new_game();
    }

    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        let setups = Setups::new(&self.book, &self.params.book, self.seed);
        let limits = Limits::new(request.budgets, request.position, &self.params.time);
        let job = Job { request, params: &self.params, policy: self.policy.as_deref(), setups, limits };
        self.seated.search(&mut self.memory, job, on_progress)
    }
}

/// One search.
#[derive(Clone, Copy)]
struct Job<'a> {
    request: &'a SearchRequest<'a>,
    params: &'a Params,
    policy: Option<&'a Policy>,
    setups: Setups<'a>,
    limits: Limits,
}

/// Any evaluation with its lines.
trait Seated: fmt::Debug + Send {
    fn search(
        &mut self,
        memory: &mut Memory,
        job: Job<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult>;
}

#[derive(Debug)]
struct WithLine<E: Evaluation> {
    evaluation: Arc<E>,
    line: E::Line,
    /// The helpers, which run beside the calling thread.
    helpers: Vec<Helper<E>>,
}

/// The data of a helper thread.
#[derive(Debug)]
struct Helper<E: Evaluation> {
    line: E::Line,
    state: BoardState,
}

impl<E: Evaluation> Seated for WithLine<E> {
    fn search(
        &mut self,
        memory: &mut Memory,
        job: Job<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        driver::search(self, memory, &job, on_progress)
    }
}

/// Adds lines to an evaluation.
struct Seat {
    helpers: usize,
}

impl EvaluationVisitor for Seat {
    type Output = Box<dyn Seated>;

    fn visit<E: Evaluation>(self, evaluation: &Arc<E>) -> Box<dyn Seated> {
        let line = || evaluation.new_line(PLIES);
        let helper = |_| Helper { line: line(), state: BoardState::new() };
        let helpers = (0..self.helpers).map(helper).collect();
        Box::new(WithLine { evaluation: Arc::clone(evaluation), line: line(), helpers })
    }
}

fn seated(config: &EngineConfig) -> Box<dyn Seated> {
    config.evaluation.visit(Seat { helpers: config.threads.get() - 1 })
}
