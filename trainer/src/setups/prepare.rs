//! Preparation against one opponent: which setups of a book leave red the most after that opponent's replies.
//!
//! The value of an entry assumes the best reply. An opponent that replies otherwise leaves red more after some setups.
//! Those become the first choices of red; blue's replies stay. The caller asks the opponent.

use super::stages::{Searched, Stage, engines, in_parallel};
use super::{SetupsError, StopFlag};
use engine::{Budget, Engine, Move, Network, NoClock, Position, Score, Setup, SetupBook};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The depths of the searches below the last one, in plies, and the number of setups searched so deep.
const STAGES: [(u8, usize); 4] = [(10, usize::MAX), (6, 200), (3, 50), (0, 12)];
/// The smallest depth of the last searches.
pub const LEAST_DEPTH: u8 = 12;

/// A setup of red, with the opponent's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Red's setup.
    pub red: Setup,
    /// The opponent's setup.
    pub reply: Setup,
}

/// A prepared book, and how it was found.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The book.
    pub book: SetupBook,
    /// The results of the stages, the shallowest first. Their replies are the opponent's.
    pub stages: Vec<Stage>,
}

/// The setups of red to prepare: those of the deepest searches first, then those of the highest values.
pub fn candidates(book: &SetupBook, most: usize) -> Vec<Setup> {
    let mut entries: Vec<_> = book.entries().iter().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.depth, entry.value)));
    entries.into_iter().take(most).map(|entry| entry.red).collect()
}

/// Searches what the replies leave of setups that are in the book, the last ones to `depth` plies, blue's setup being a
/// ply. Only the first choices of red change. Reports the depth and the number of setups searched to it. Returns `None`
/// after a stop.
///
/// # Errors
/// [`SetupsError`] if there are no threads for it.
pub fn prepare(
    book: &SetupBook,
    network: &Arc<Network>,
    answered: &[Answered],
    depth: u8,
    threads: NonZeroUsize,
    stop: &AtomicBool,
    watch: &(dyn Fn(u8, usize) + Sync),
) -> Result<Option<Prepared>, SetupsError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build().map_err(std::io::Error::other)?;
    let mut searchers = engines(network, SetupBook::default(), threads);
    let mut left = answered.to_vec();
    let mut stages = Vec::new();
    for (less, most) in STAGES {
        left.truncate(most);
        let (depth, done) = (depth.max(LEAST_DEPTH) - less, AtomicUsize::new(0));
        let searched = pool.install(|| {
            in_parallel(&mut searchers, &left, |engine, answered| {
                let searched = search_one(engine, answered, depth, stop)?;
                watch(depth, done.fetch_add(1, Ordering::Relaxed) + 1);
                Some(searched)
            })
        });
        if searched.len() < left.len() {
            return Ok(None);
        }
        let stage = Stage { depth, searched, budget: u64::MAX };
        left = stage.best_first().iter().filter_map(Searched::answered).collect();
        stages.push(stage);
    }
    let book = match stages.last() {
        Some(last) => with_first_choices(book, last)?,
        None => book.clone(),
    };
    Ok(Some(Prepared { book, stages }))
}

fn search_one(engine: &mut Engine, answered: &Answered, depth: u8, stop: &AtomicBool) -> Option<Searched> {
    let (red, reply) = (answered.red.rank(), answered.reply.rank());
    let mut position = Position::new();
    let mut history = vec![position.key()];
    position.play(Move::setup(&answered.red));
    history.push(position.key());
    position.play(Move::setup(&answered.reply));
    engine.new_game();
    // Blue's setup is a ply.
    let budget = Budget::Depth(depth - 1);
    let result = engine.search(&position, &history, &budget, &StopFlag(stop), &NoClock)?;
    let searched = Searched { red, reply, value: result.score.units(), nodes: result.nodes };
    // A stop may have cut the search short.
    (!stop.load(Ordering::SeqCst)).then_some(searched)
}

/// The book with the values and the depth of these searches.
fn with_first_choices(book: &SetupBook, last: &Stage) -> Result<SetupBook, SetupsError> {
    let mut entries = book.entries().to_vec();
    for entry in &mut entries {
        let ranks = [entry.red.rank(), entry.red.mirrored().rank()];
        if let Some(searched) = last.searched.iter().find(|searched| ranks.contains(&searched.red)) {
            (entry.value, entry.depth) = (Score::estimate(searched.value), last.depth);
        }
    }
    Ok(SetupBook::new(&entries)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{BookEntry, EvaluationKind, Evaluator};

    fn network() -> Arc<Network> {
        match Evaluator::from(EvaluationKind::Network) {
            Evaluator::Network(network) => network,
            other => panic!("{other:?} is not the network"),
        }
    }

    fn setup(rank: u32) -> Setup {
        Setup::from_rank(rank).unwrap()
    }

    fn small_book() -> SetupBook {
        let entries = (1..=20_u32).map(|n| BookEntry {
            red: setup(n * 100_000),
            reply: setup(n * 200_000),
            value: Score::estimate(n as i32),
            depth: (n % 3) as u8,
        });
        SetupBook::new(&entries.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn candidates_are_those_of_the_deepest_searches() {
        let book = small_book();
        let chosen = candidates(&book, 7);
        let entries: Vec<&BookEntry> =
            chosen.iter().filter_map(|red| book.entries().iter().find(|e| e.red == *red)).collect();
        assert_eq!(entries.iter().map(|entry| entry.depth).collect::<Vec<_>>(), [2; 7]);
        assert!(entries.is_sorted_by(|one, other| one.value > other.value), "{entries:?}");
        assert_eq!(candidates(&book, 100).len(), 20);
    }

    #[test]
    fn red_chooses_what_replies_leave_and_replies_of_the_book_stay() {
        let (book, network) = (small_book(), network());
        let reply = setup(5_000_000);
        let answered: Vec<Answered> = candidates(&book, 15).into_iter().map(|red| Answered { red, reply }).collect();
        let prepare = |threads| {
            let threads = NonZeroUsize::new(threads).unwrap();
            let stop = AtomicBool::new(false);
            prepare(&book, &network, &answered, LEAST_DEPTH, threads, &stop, &|_, _| {}).unwrap().unwrap()
        };
        let prepared = prepare(1);
        assert_eq!(prepared.book, prepare(3).book, "whatever the number of threads");
        let [first, .., last] = &prepared.stages[..] else { panic!("{:?}", prepared.stages) };
        assert_eq!((first.searched.len(), last.searched.len(), last.depth), (15, 12, LEAST_DEPTH));
        let choices: Vec<&BookEntry> = prepared.book.choices(Score::DRAW).collect();
        let best = last.best_first()[0];
        assert_eq!((choices[0].value.units(), choices[0].depth), (best.value, LEAST_DEPTH));
        for (new, old) in prepared.book.entries().iter().zip(book.entries()) {
            assert_eq!((new.red, new.reply), (old.red, old.reply));
        }
    }

    #[test]
    fn a_stop_ends_it_without_a_book() {
        let book = small_book();
        let answered = [Answered { red: candidates(&book, 1)[0], reply: setup(7) }];
        let (stop, threads) = (AtomicBool::new(true), NonZeroUsize::MIN);
        let prepared = prepare(&book, &network(), &answered, LEAST_DEPTH, threads, &stop, &|_, _| {});
        assert!(prepared.unwrap().is_none());
    }
}
