//! Stages: search the best setups ever deeper, and ever fewer of them.

use super::state::{SetupsError, State};
use super::{Answered, BookPhase, ProgressReporter, Settings, StopFlag};
use engine::params::AlphaBetaParams;
use engine::{
    Budget, Engine, EngineConfig, Evaluator, Move, MoveKind, Network, NoClock, Params, Position, Setup, SetupBook, Side,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The depth of the first stage, in plies, including blue's setup.
const FIRST_DEPTH: u8 = 5;
/// A depth that no book reaches.
const LAST_DEPTH: u8 = 40;
/// The number of replies that blue chooses from, reflections apart.
const REPLIES: usize = 1_500;
/// The number of setups searched between two decisions. It does not depend on the number of threads, so neither does
/// the book.
const BATCH: usize = 16;
/// The minimum number of setups of a stage.
const LEAST: usize = 24;
/// A stage takes one part in this many of the remaining nodes.
const PART_OF_STAGE: u64 = 5;
/// The likely growth of the cost per ply.
const BRANCHING: u64 = 3;
const TABLE: usize = 16 << 20;

/// A searched setup of red's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The rank of red's setup.
    pub red: u32,
    /// The rank of blue's reply: the best, or in a preparation the opponent's.
    pub reply: u32,
    /// The value that the reply leaves red, in units of 1/10,000 logit.
    pub value: i32,
    /// The number of nodes spent.
    pub nodes: u64,
}

impl Searched {
    /// Both setups.
    pub fn answered(&self) -> Option<Answered> {
        Some(Answered { red: Setup::from_rank(self.red)?, reply: Setup::from_rank(self.reply)? })
    }
}

/// Setups searched to one depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The depth in plies, including blue's setup.
    pub depth: u8,
    /// The searched setups, in order of search: the best of the previous stage first.
    pub searched: Vec<Searched>,
    /// The number of nodes after which no more setups are searched.
    pub budget: u64,
}

impl Stage {
    /// The number of nodes spent so far.
    pub fn nodes(&self) -> u64 {
        self.searched.iter().map(|searched| searched.nodes).sum()
    }

    /// The searched setups, the best for red first.
    pub fn best_first(&self) -> Vec<Searched> {
        self.best_for(Side::Red)
    }

    /// The searched setups, the best for `side` first.
    pub fn best_for(&self, side: Side) -> Vec<Searched> {
        let mut searched = self.searched.clone();
        searched.sort_by_key(|searched| {
            let value = if side == Side::Red { -searched.value } else { searched.value };
            (value, searched.red, searched.reply)
        });
        searched
    }

    /// Whether no more setups are searched. A batch that a stop interrupted is completed first.
    fn is_over(&self) -> bool {
        let count = self.searched.len();
        count.is_multiple_of(BATCH) && count >= LEAST && self.nodes() >= self.budget
    }
}

/// Makes one engine per thread. Blue chooses from the replies that refuted the most setups.
pub(super) fn searchers(settings: &Settings, state: &State, threads: NonZeroUsize) -> Result<Vec<Engine>, SetupsError> {
    let refuters = state.rounds.last().map_or(&[][..], |round| &round.refuters);
    let replies: Vec<Setup> =
        refuters.iter().take(REPLIES).filter_map(|&rank| Some(Setup::from_rank(rank)?.for_other_side())).collect();
    Ok(engines(&settings.network, SetupBook::of_replies(&replies)?, threads))
}

/// Makes one engine per thread.
pub(super) fn engines(network: &Arc<Network>, book: SetupBook, threads: NonZeroUsize) -> Vec<Engine> {
    let config = EngineConfig {
        evaluation: Evaluator::Network(Arc::clone(network)),
        // No side is favoured, and a possible repetition does not yet count as a draw: a setup's value is that of the
        // positions it leads to.
        params: Params {
            alpha_beta: AlphaBetaParams { optimism: 0.0, repetition: false, ..AlphaBetaParams::default() },
            ..Params::default()
        },
        table_bytes: TABLE,
        book: Arc::new(book),
        ..EngineConfig::default()
    };
    (0..threads.get()).map(|_| Engine::new(&config)).collect()
}

/// Returns the setups of the last stage to search next; `None` when the work is done.
pub(super) fn next_batch(settings: &Settings, state: &mut State) -> Option<Vec<u32>> {
    if state.stages.last().is_none_or(Stage::is_over) || rest(state).is_empty() {
        let stage = next_stage(settings, state)?;
        state.stages.push(stage);
    }
    let mut batch = rest(state);
    // After a stop, the rest of the interrupted batch.
    batch.truncate(BATCH - state.stages.last().map_or(0, |stage| stage.searched.len() % BATCH));
    Some(batch).filter(|batch| !batch.is_empty())
}

/// Returns the next stage, if the remaining nodes are likely to suffice for it.
fn next_stage(settings: &Settings, state: &State) -> Option<Stage> {
    let left = settings.nodes.saturating_sub(state.nodes());
    let (depth, least) = match state.stages.last() {
        None => (FIRST_DEPTH, 0),
        Some(last) => {
            let mean = last.nodes() / (last.searched.len() as u64).max(1);
            (last.depth + 1, mean * BRANCHING * LEAST as u64)
        }
    };
    let is_worth_it = least <= left && depth <= LAST_DEPTH;
    is_worth_it.then(|| Stage { depth, searched: Vec::new(), budget: left / PART_OF_STAGE })
}

/// The setups that the last stage has not searched yet, the best of the previous stage first.
fn rest(state: &State) -> Vec<u32> {
    let Some((last, before)) = state.stages.split_last() else { return Vec::new() };
    let all: Vec<u32> = match before.last() {
        Some(stage) => stage.best_first().iter().map(|searched| searched.red).collect(),
        None => state.rounds.last().map_or_else(Vec::new, |round| round.kept.clone()),
    };
    all.into_iter().skip(last.searched.len()).collect()
}

/// Searches some setups to the depth of the last stage. If it is stopped, returns those before the first unfinished
/// one.
pub(super) fn search(
    searchers: &mut [Engine],
    batch: &[u32],
    state: &State,
    sitting: &ProgressReporter<'_>,
) -> Vec<Searched> {
    let Some(stage) = state.stages.last() else { return Vec::new() };
    let (done, nodes) = (AtomicUsize::new(stage.searched.len()), state.nodes());
    in_parallel(searchers, batch, |engine, &red| {
        let searched = search_one(engine, red, stage.depth, sitting)?;
        let setups = done.fetch_add(1, Ordering::Relaxed) + 1;
        sitting.tell(nodes, BookPhase::Stage { depth: stage.depth, setups });
        Some(searched)
    })
}

/// Searches some items, one at a time per engine. Returns the results of those before the first one without a result,
/// in the order of the items.
pub(super) fn in_parallel<T: Sync>(
    searchers: &mut [Engine],
    items: &[T],
    search_one: impl Fn(&mut Engine, &T) -> Option<Searched> + Sync,
) -> Vec<Searched> {
    let next = AtomicUsize::new(0);
    let parts: Vec<Vec<(usize, Searched)>> = searchers
        .par_iter_mut()
        .map(|engine| {
            let mut part = Vec::new();
            while let Some((at, item)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
            {
                let Some(searched) = search_one(engine, item) else { break };
                part.push((at, searched));
            }
            part
        })
        .collect();
    let mut searched: Vec<(usize, Searched)> = parts.into_iter().flatten().collect();
    searched.sort_unstable_by_key(|(at, _)| *at);
    let gapless = searched.into_iter().enumerate().take_while(|(place, (at, _))| place == at);
    gapless.map(|(_, (_, searched))| searched).collect()
}

fn search_one(engine: &mut Engine, red: u32, depth: u8, sitting: &ProgressReporter<'_>) -> Option<Searched> {
    let mut position = Position::new();
    let before = position.key();
    position.play(Move::setup_of_rank(red)?);
    engine.new_game();
    let result = engine.search(&position, &[before], &Budget::Depth(depth), &StopFlag(sitting.stop), &NoClock)?;
    let MoveKind::Setup(reply) = result.best.kind() else { return None };
    let searched = Searched { red, reply: reply.rank(), value: -result.score.units(), nodes: result.nodes };
    // A stop may have cut the search short.
    (!sitting.is_stopped()).then_some(searched)
}
