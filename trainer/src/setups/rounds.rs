//! Rounds: value setups without search against likely replies; the best setups are the likely replies of the next
//! round.

use super::state::State;
use super::{BookPhase, ProgressReporter, Settings};
use engine::{Evaluation, Move, Network, Position, Score, Setup};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The number of rounds.
pub(super) const ROUNDS: usize = 5;
/// The maximum number of setups kept, and so of likely replies, reflections apart.
const MOST_KEPT: u64 = 10_000;
/// The minimum number of setups kept.
const LEAST_KEPT: u64 = 64;
/// The number of setups valued between two sorts of the kept ones.
const BATCH: usize = 512;
/// The number of setups that a thread takes at a time.
const CHUNK: usize = 32;
/// A batch with fewer than one new setup in this many ends the round, which has then seen nearly all.
const RAREST_NEW: usize = 16;
/// The cost of preparing a setup, in evaluations.
const EVALUATIONS_PER_SETUP: u64 = 4;
/// The number of evaluations that take as long as one node of a search.
const EVALUATIONS_PER_NODE: u64 = 2;

/// The result of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Round {
    /// Ranks of the best setups, the best first.
    pub(super) kept: Vec<u32>,
    /// Their values for red, in score units.
    pub(super) values: Vec<i32>,
    /// Ranks, in red's numbering, of the replies that refuted the most setups, the most frequent first.
    pub(super) refuters: Vec<u32>,
    /// The number of setups valued.
    pub(super) valued: u64,
    /// The number of nodes spent.
    pub(super) nodes: u64,
}

/// A likely reply.
struct Reply {
    /// The rank as a setup of red's.
    rank: u32,
    mv: Move,
    /// The number of setups to which it was the best reply, or the first reply that showed the setup to be too bad.
    refuted: u64,
}

/// The value of a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Valued {
    /// The value for red; only a bound if it does not exceed the floor.
    value: Score,
    /// Breaks ties.
    rank: std::cmp::Reverse<u32>,
    /// The index of the reply.
    reply: usize,
    evaluations: u64,
}

/// The setups that were valued, by rank.
struct Seen(Vec<bool>);

impl Seen {
    fn new() -> Self {
        Self(vec![false; Setup::COUNT as usize])
    }

    /// Adds a rank and returns whether it is new.
    fn insert(&mut self, rank: u32) -> bool {
        self.0.get_mut(rank as usize).is_some_and(|seen| !std::mem::replace(seen, true))
    }
}

/// Runs the next round; `None` if it is stopped.
pub(super) fn round(settings: &Settings, state: &State, sitting: &ProgressReporter<'_>) -> Option<Round> {
    let number = state.rounds.len();
    let evaluations = settings.nodes_of_rounds() / ROUNDS as u64 * EVALUATIONS_PER_NODE;
    // The first batch is compared with every reply and its reflection: an eighth of the work.
    let keep = (evaluations.isqrt() / 4).clamp(LEAST_KEPT, MOST_KEPT) as usize;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(stats::random::mix(settings.seed ^ number as u64));
    let first = match state.rounds.last() {
        Some(last) => last.kept.clone(),
        None => drawn(&mut random, keep),
    };
    let mut replies: Vec<Reply> = first.iter().flat_map(|&rank| likely(rank)).collect();
    let mut seen = Seen::new();
    for &rank in &first {
        let _is_new = seen.insert(rank);
    }
    let (mut kept, mut batch) = (Vec::new(), first);
    let (mut valued, mut spent) = (0, 0);
    loop {
        let floor = if kept.len() < keep {
            -Score::INFINITE
        } else {
            kept.last().map_or(-Score::INFINITE, |worst: &Valued| worst.value)
        };
        let values = value_all(&settings.network, &batch, &replies, floor, sitting)?;
        for value in &values {
            spent += value.evaluations + EVALUATIONS_PER_SETUP;
            replies[value.reply].refuted += 1;
        }
        valued += batch.len() as u64;
        kept.extend(values.into_iter().filter(|value| value.value > floor));
        kept.sort_unstable_by(|a, b| b.cmp(a));
        kept.truncate(keep);
        if spent >= evaluations {
            break;
        }
        let nodes = state.nodes() + spent / EVALUATIONS_PER_NODE;
        sitting.tell(nodes, BookPhase::Round { number: number + 1, of: ROUNDS, setups: valued });
        if sitting.is_stopped() {
            return None;
        }
        // Indices of replies are valid only within a batch.
        replies.sort_by_key(|reply| (std::cmp::Reverse(reply.refuted), reply.rank));
        batch = next_batch(&mut random, &kept, &mut seen);
        if batch.len() < BATCH / RAREST_NEW {
            break;
        }
    }
    replies.sort_by_key(|reply| (std::cmp::Reverse(reply.refuted), reply.rank));
    let mut known = BTreeSet::new();
    Some(Round {
        kept: kept.iter().map(|value| value.rank.0).collect(),
        values: kept.iter().map(|value| value.value.units()).collect(),
        refuters: replies.iter().map(|reply| folded(reply.rank)).filter(|&rank| known.insert(rank)).collect(),
        valued,
        nodes: spent / EVALUATIONS_PER_NODE,
    })
}

/// Returns setups not seen before: half of them random, half of them kept setups with two pieces exchanged.
fn next_batch(random: &mut Xoshiro256PlusPlus, kept: &[Valued], seen: &mut Seen) -> Vec<u32> {
    let mut batch = drawn(random, BATCH / 2);
    batch.extend((0..BATCH / 2).filter_map(|_| {
        let parent = kept.get(random.random_range(0..kept.len().max(1)))?;
        let mut pieces = *Setup::from_rank(parent.rank.0)?.pieces();
        pieces.swap(random.random_range(0..16), random.random_range(0..16));
        Setup::new(pieces).ok().map(|setup| folded(setup.rank()))
    }));
    batch.retain(|&rank| seen.insert(rank));
    batch
}

/// Draws random distinct setups, folded.
fn drawn(random: &mut Xoshiro256PlusPlus, count: usize) -> Vec<u32> {
    let mut seen = BTreeSet::new();
    let mut ranks: Vec<u32> = (0..count).map(|_| folded(random.random_range(0..Setup::COUNT))).collect();
    ranks.retain(|&rank| seen.insert(rank));
    ranks
}

/// The lower rank of a setup and its reflection.
fn folded(rank: u32) -> u32 {
    Setup::from_rank(rank).map_or(rank, |setup| rank.min(setup.mirrored().rank()))
}

/// A setup and its reflection, as replies of blue's.
fn likely(rank: u32) -> impl Iterator<Item = Reply> {
    let both = Setup::from_rank(rank).map(|setup| [setup, setup.mirrored()]);
    both.into_iter().flatten().map(|setup| Reply {
        rank: setup.rank(),
        mv: Move::setup(&setup.for_other_side()),
        refuted: 0,
    })
}

/// Values setups for red; `None` if it is stopped. Valuing a setup stops once it is not above `floor`.
fn value_all(
    network: &Network,
    setups: &[u32],
    replies: &[Reply],
    floor: Score,
    sitting: &ProgressReporter<'_>,
) -> Option<Vec<Valued>> {
    let values = setups.par_chunks(CHUNK).flat_map_iter(|chunk| {
        let mut line = network.new_line(3);
        let until_stopped = chunk.iter().take_while(|_| !sitting.is_stopped());
        until_stopped.filter_map(|&rank| value(network, &mut line, rank, replies, floor)).collect::<Vec<_>>()
    });
    let values: Vec<Valued> = values.collect();
    (!sitting.is_stopped()).then_some(values)
}

fn value(
    network: &Network,
    line: &mut <Network as Evaluation>::Line,
    rank: u32,
    replies: &[Reply],
    floor: Score,
) -> Option<Valued> {
    let mut position = Position::new();
    position.play(Move::setup_of_rank(rank)?);
    network.start(line, &position);
    let mut valued = Valued { value: Score::INFINITE, rank: std::cmp::Reverse(rank), reply: 0, evaluations: 0 };
    for (place, reply) in replies.iter().enumerate() {
        let mut after = position;
        let delta = after.play(reply.mv);
        network.advance(line, 1, &delta, &after);
        valued.evaluations += 1;
        // After blue's setup it is red's turn.
        let score = network.evaluate(line, 1, &after);
        if score < valued.value {
            (valued.value, valued.reply) = (score, place);
        }
        if valued.value <= floor {
            break;
        }
    }
    Some(valued)
}
