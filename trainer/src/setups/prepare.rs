//! Preparation against one opponent: which setups of red are best after that opponent's replies, and which replies of
//! blue are best against its setups.
//!
//! The value of an entry assumes the best reply. An opponent that replies otherwise leaves red more after some setups.
//! The caller asks the opponent, and may play games to choose among the best.

use super::stages::{Searched, Stage, engines, in_parallel};
use super::{SetupsError, StopFlag};
use engine::{BookEntry, Budget, Engine, Move, Network, NoClock, Position, Score, Setup, SetupBook, Side};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The depths of the searches below the last one, in plies, and the number of setups searched so deep.
const STAGES: [(u8, usize); 4] = [(10, usize::MAX), (6, 400), (3, 100), (0, 24)];
/// The smallest depth of the last searches.
pub const LEAST_DEPTH: u8 = 12;
/// The depth of the searches of blue's replies before pieces are exchanged, in plies.
const REPLY_DEPTH: u8 = 7;
/// The number of replies in which pieces are exchanged.
const EXCHANGED: usize = 12;

/// The setups of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Red's setup.
    pub red: Setup,
    /// Blue's setup.
    pub reply: Setup,
}

/// The searches of a preparation.
#[derive(Clone, Copy, Debug)]
pub struct Preparation<'a> {
    /// The network that values positions.
    pub network: &'a Arc<Network>,
    /// The depth of the last searches in plies, blue's setup being a ply.
    pub depth: u8,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// Ends the searches when it is set.
    pub stop: &'a AtomicBool,
}

/// The setups of red to prepare: those of the deepest searches first, then those of the highest values.
pub fn candidates(book: &SetupBook, most: usize) -> Vec<Setup> {
    let mut entries: Vec<_> = book.entries().iter().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.depth, entry.value)));
    entries.into_iter().take(most).map(|entry| entry.red).collect()
}

impl Preparation<'_> {
    /// Searches positions after setups that `side` chooses, ever fewer to ever greater depth. Reports the depth and the
    /// number of setups searched to it. Returns the stages, the shallowest first, or `None` after a stop.
    ///
    /// # Errors
    /// [`SetupsError`] if there are no threads for it.
    pub fn search(
        &self,
        answered: &[Answered],
        side: Side,
        watch: &(dyn Fn(u8, usize) + Sync),
    ) -> Result<Option<Vec<Stage>>, SetupsError> {
        let mut left = answered.to_vec();
        let mut stages = Vec::new();
        for (less, most) in STAGES {
            left.truncate(most);
            let Some(stage) = self.stage(&left, self.depth.max(LEAST_DEPTH) - less, watch)? else { return Ok(None) };
            left = stage.best_for(side).iter().filter_map(Searched::answered).collect();
            stages.push(stage);
        }
        Ok(Some(stages))
    }

    /// Returns replies to a setup of red that may be good: those of the book, and the best of them with two pieces
    /// exchanged. Returns `None` after a stop.
    ///
    /// # Errors
    /// [`SetupsError`] if there are no threads for the searches.
    pub fn replies(
        &self,
        book: &SetupBook,
        red: Setup,
        watch: &(dyn Fn(u8, usize) + Sync),
    ) -> Result<Option<Vec<Answered>>, SetupsError> {
        let both = book.replies().iter().flat_map(|reply| [*reply, reply.mirrored()]);
        let replies: Vec<Answered> = both.map(|reply| Answered { red, reply }).collect();
        let Some(stage) = self.stage(&replies, REPLY_DEPTH, watch)? else { return Ok(None) };
        let best: Vec<Setup> =
            stage.best_for(Side::Blue).iter().filter_map(|searched| Setup::from_rank(searched.reply)).collect();
        let exchanged = best.iter().take(EXCHANGED).flat_map(exchanges);
        let ranks: BTreeSet<u32> = best.iter().copied().chain(exchanged).map(|reply| reply.rank()).collect();
        Ok(Some(ranks.into_iter().filter_map(|rank| Some(Answered { red, reply: Setup::from_rank(rank)? })).collect()))
    }

    /// Searches each position to `depth` plies, blue's setup being a ply.
    fn stage(
        &self,
        answered: &[Answered],
        depth: u8,
        watch: &(dyn Fn(u8, usize) + Sync),
    ) -> Result<Option<Stage>, SetupsError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.get()).build();
        let pool = pool.map_err(std::io::Error::other)?;
        let mut searchers = engines(self.network, SetupBook::default(), self.threads);
        let done = AtomicUsize::new(0);
        let searched = pool.install(|| {
            in_parallel(&mut searchers, answered, |engine, answered| {
                let searched = search_one(engine, answered, depth, self.stop)?;
                watch(depth, done.fetch_add(1, Ordering::Relaxed) + 1);
                Some(searched)
            })
        });
        Ok((searched.len() == answered.len()).then_some(Stage { depth, searched, budget: u64::MAX }))
    }
}

/// The setups with two different pieces of this one exchanged.
fn exchanges(setup: &Setup) -> Vec<Setup> {
    let pairs = (0..16).flat_map(|one| (0..one).map(move |other| (one, other)));
    let exchanged = pairs.filter_map(|(one, other)| {
        let mut pieces = *setup.pieces();
        pieces.swap(one, other);
        Setup::new(pieces).ok().filter(|exchanged| exchanged != setup)
    });
    exchanged.collect()
}

/// The searched setups, the best for `side` first: those of the deepest stage, then those of the stages before it.
pub fn finalists(stages: &[Stage], side: Side, most: usize) -> Vec<Searched> {
    let mut finalists: Vec<Searched> = Vec::new();
    for searched in stages.iter().rev().flat_map(|stage| stage.best_for(side)) {
        if finalists.len() == most {
            break;
        }
        if !finalists.iter().any(|known| (known.red, known.reply) == (searched.red, searched.reply)) {
            finalists.push(searched);
        }
    }
    finalists
}

/// The book with these first choices of red, whose values count as those of searches to `depth` plies, and with these
/// replies of blue.
///
/// # Errors
/// [`SetupsError`] if there are too many entries.
pub fn prepared(
    book: &SetupBook,
    first: &[(Setup, Score)],
    depth: u8,
    replies: &[Answered],
) -> Result<SetupBook, SetupsError> {
    let mut entries = book.entries().to_vec();
    for entry in &mut entries {
        if let Some((_, value)) = first.iter().find(|(red, _)| is_same(red, &entry.red)) {
            (entry.value, entry.depth) = (*value, depth);
        }
    }
    for &Answered { red, reply } in replies {
        match entries.iter_mut().find(|entry| is_same(&entry.red, &red)) {
            Some(entry) if entry.red == red => entry.reply = reply,
            Some(entry) => entry.reply = reply.mirrored(),
            // Red does not choose a setup that was not searched.
            None => entries.push(BookEntry { red, reply, value: Score::DRAW, depth: 0 }),
        }
    }
    Ok(SetupBook::new(&entries)?)
}

/// Whether two setups are equal, reflections apart.
pub fn is_same(one: &Setup, other: &Setup) -> bool {
    one == other || *one == other.mirrored()
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

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EvaluationKind, Evaluator};

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
        let entries = (1..=40_u32).map(|n| BookEntry {
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
        assert_eq!(candidates(&book, 100).len(), 40);
    }

    fn preparation<'a>(network: &'a Arc<Network>, threads: usize, stop: &'a AtomicBool) -> Preparation<'a> {
        Preparation { network, depth: LEAST_DEPTH, threads: NonZeroUsize::new(threads).unwrap(), stop }
    }

    #[test]
    fn searches_show_what_replies_leave() {
        let (book, network, stop) = (small_book(), network(), AtomicBool::new(false));
        let reply = setup(5_000_000);
        let answered: Vec<Answered> = candidates(&book, 28).into_iter().map(|red| Answered { red, reply }).collect();
        let search = |threads, side| {
            let stages = preparation(&network, threads, &stop).search(&answered, side, &|_, _| {});
            stages.unwrap().unwrap()
        };
        let stages = search(1, Side::Red);
        assert_eq!(stages, search(3, Side::Red), "whatever the number of threads");
        let [first, .., last] = &stages[..] else { panic!("{stages:?}") };
        assert_eq!((first.searched.len(), last.searched.len(), last.depth), (28, 24, LEAST_DEPTH));

        let finalists = finalists(&stages, Side::Red, 26);
        assert_eq!(finalists.len(), 26);
        assert_eq!(finalists[..24], last.best_first(), "the deepest searches first");
        let before = stages[2].best_first();
        assert_eq!(
            finalists[24..],
            before
                .iter()
                .copied()
                .filter(|one| !last.searched.iter().any(|two| two.red == one.red))
                .take(2)
                .collect::<Vec<_>>()
        );
        // Each side drops what is worst for it.
        for side in [Side::Red, Side::Blue] {
            let stages = search(1, side);
            let worst = stages[2].best_for(side)[27].red;
            assert!(stages[3].searched.iter().all(|searched| searched.red != worst), "{side:?}");
            let values = stages[2].best_for(side);
            let is_descending = values.is_sorted_by(|one, other| one.value >= other.value);
            assert_eq!(is_descending, side == Side::Red, "{side:?}");
        }
    }

    #[test]
    fn replies_of_blue_are_those_of_the_book_and_exchanges() {
        let (book, network, stop) = (small_book(), network(), AtomicBool::new(false));
        let red = setup(123_456);
        let answered = preparation(&network, 2, &stop).replies(&book, red, &|_, _| {}).unwrap().unwrap();
        assert!(answered.iter().all(|answered| answered.red == red));
        let replies: BTreeSet<u32> = answered.iter().map(|answered| answered.reply.rank()).collect();
        assert_eq!(replies.len(), answered.len(), "each once");
        for reply in book.replies() {
            assert!(replies.contains(&reply.rank()) && replies.contains(&reply.mirrored().rank()));
        }
        // Eighty-five different pairs of pieces in each of twelve setups, few of them twice.
        assert!((900..=80 + 12 * 85).contains(&replies.len()), "{}", replies.len());
        assert_eq!(exchanges(&red).len(), 85);
    }

    #[test]
    fn a_prepared_book_has_first_choices_and_replies() {
        let book = small_book();
        let [one, other] = [setup(500_000), setup(700_000).mirrored()];
        let value = Score::estimate(321);
        // A known setup as it is in the book, one that is mirrored there, and an unknown one.
        let known = book.entries()[0].red;
        let reds = [known, book.entries()[1].red.mirrored(), setup(42)];
        let replies = reds.map(|red| Answered { red, reply: setup(9_876_543) });
        let prepared = prepared(&book, &[(one, value), (other, value)], LEAST_DEPTH, &replies).unwrap();

        let choices: Vec<&BookEntry> = prepared.choices(Score::DRAW).collect();
        assert_eq!(choices.len(), 2);
        for choice in choices {
            assert!(is_same(&choice.red, &one) || is_same(&choice.red, &other), "{choice:?}");
            assert_eq!((choice.value, choice.depth), (value, LEAST_DEPTH));
            assert_eq!(choice.reply, book.find(&choice.red).unwrap().reply, "blue's reply stays");
        }
        for red in reds {
            assert_eq!(prepared.find(&red).unwrap().reply, setup(9_876_543));
            assert_eq!(prepared.find(&red.mirrored()).unwrap().reply, setup(9_876_543).mirrored());
        }
        assert_eq!(prepared.entries().len(), book.entries().len() + 1);
        assert_eq!(prepared.find(&known).unwrap().value, book.find(&known).unwrap().value);
    }

    #[test]
    fn a_stop_ends_the_searches() {
        let (book, network, stop) = (small_book(), network(), AtomicBool::new(true));
        let answered = [Answered { red: candidates(&book, 1)[0], reply: setup(7) }];
        let preparation = preparation(&network, 1, &stop);
        assert!(preparation.search(&answered, Side::Red, &|_, _| {}).unwrap().is_none());
        assert!(preparation.replies(&book, setup(42), &|_, _| {}).unwrap().is_none());
    }
}
