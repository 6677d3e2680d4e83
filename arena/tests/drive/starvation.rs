//! Pairs that the host starved: played again by its evidence alone, twice at most, also across a resume.

use super::{CONFIG, Learner, Run, openings, result};
use arena::config::{Job, load};
use arena::run::{Event, Executor, Finish, PairIndex, PairResult, PairSpec, Snapshot, drive};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Plays each pair at once, every time with another result. The host starves the first attempts at it, so many of them.
struct Starved {
    attempts: u32,
    played: BTreeMap<PairIndex, u32>,
    held: Vec<PairSpec>,
}

impl Starved {
    fn new(attempts: u32) -> Self {
        Self { attempts, played: BTreeMap::new(), held: Vec::new() }
    }

    /// What came of one attempt at a pair, from 0 on.
    fn result(&self, pair: PairIndex, attempt: u32) -> PairResult {
        let mut result = result(pair, u64::from(attempt));
        if attempt < self.attempts {
            result.times.delayed[1].second = Duration::from_millis(5);
        }
        result
    }

    /// Drives 20 pairs, or until `most_void` of them were void, and returns how many were.
    fn drive(&mut self, run: &Run, settings: &str, most_void: u64) -> u64 {
        let text = format!("{settings}\n{CONFIG}");
        let config = load(&text, "test", "test", &[], Job::Match).expect("valid").run;
        let (stop, mut voided) = (AtomicBool::new(false), 0);
        let observe = &mut |snapshot: &Snapshot| {
            voided = snapshot.voided;
            stop.store(voided >= most_void, Ordering::Relaxed);
        };
        let mut learner = Learner::new(3, 0, 20);
        let finish = drive(&config, &openings(), &mut learner, &mut run.journal(), self, &stop, observe);
        assert_eq!(finish.expect("a run") == Finish::Stopped, voided >= most_void);
        voided
    }
}

impl Executor for Starved {
    fn workers(&self) -> usize {
        1
    }

    fn capacity(&self) -> usize {
        2
    }

    fn submit(&mut self, spec: PairSpec) {
        self.held.push(spec);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        let pair = self.held.pop()?.pair;
        let attempt = self.played.get(&pair).copied().unwrap_or(0);
        let _before = self.played.insert(pair, attempt + 1);
        Some(Event::Done(Box::new(self.result(pair, attempt))))
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.held.retain(|spec| spec.pair < pair);
    }
}

const REPLAY: &str = "starvation = { action = 'replay' }";

/// Checks that of each pair so many attempts were void and kept, and that the one after them counts.
fn counts_after(run: &Run, executor: &Starved, attempts: u32) {
    let journal = run.journal();
    for pair in 0..20 {
        assert_eq!(journal.attempts(pair).expect("a journal"), attempts, "pair {pair}");
        let stored = journal.result(pair).expect("a journal").expect("a pair").result;
        assert_eq!(stored, executor.result(pair, attempts));
    }
}

#[test]
fn a_starved_pair_is_played_again_twice_at_most_whatever_its_result() {
    for (starved, void) in [(0, 0), (1, 1), (2, 2), (9, 2)] {
        let (run, mut executor) = (Run::new(), Starved::new(starved));
        assert_eq!(executor.drive(&run, REPLAY, u64::MAX), 20 * u64::from(void));
        counts_after(&run, &executor, void);
    }
}

#[test]
fn without_replays_a_starved_pair_counts() {
    let (run, mut executor) = (Run::new(), Starved::new(1));
    assert_eq!(executor.drive(&run, "", u64::MAX), 0);
    counts_after(&run, &executor, 0);
    assert_eq!(run.journal().starved_games(20).unwrap(), 20);
}

#[test]
fn attempts_are_remembered_when_a_run_is_resumed() {
    let (run, mut executor) = (Run::new(), Starved::new(9));
    let before = executor.drive(&run, REPLAY, 7);
    assert!((7..40).contains(&before), "stopped in the middle: {before}");
    executor.held.clear();
    assert_eq!(executor.drive(&run, REPLAY, u64::MAX), 40 - before);
    counts_after(&run, &executor, 2);
    assert!(executor.played.values().all(|&times| times == 3), "{:?}", executor.played);
}
