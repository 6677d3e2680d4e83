//! Pairs that the host starved: they are replayed on the host's evidence alone, twice at most, even across a resume.

use super::{Learner, Run, config_of, finished, openings, result};
use arena::config::RunConfig;
use arena::run::{
    Control, Event, Executor, FaultCount, Finish, JournalReader, News, OnStarvation, PairIndex, PairResult, PairSpec,
    StarvedCount, drive,
};
use play::{Ending, Fault, Limit, Side};
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// Plays each pair at once, with a different result every time. The host starves the first `attempts` attempts at it.
struct Starved {
    attempts: u32,
    played: BTreeMap<PairIndex, u32>,
    held: Vec<PairSpec>,
}

impl Starved {
    fn new(attempts: u32) -> Self {
        Self { attempts, played: BTreeMap::new(), held: Vec::new() }
    }

    /// Returns the result of an attempt at a pair; attempts are counted from 0.
    fn result(&self, pair: PairIndex, attempt: u32) -> PairResult {
        let mut result = result(pair, u64::from(attempt));
        if attempt < self.attempts {
            result.games[1].circumstances.times.delayed.second = Duration::from_millis(5);
        }
        result
    }

    /// Drives 20 pairs, or until `most_void` attempts were void, and returns the number of void attempts.
    fn drive(&mut self, run: &Run, action: OnStarvation, most_void: u64) -> u64 {
        let config = config_of(Limit::Nodes(NonZeroU64::MIN), action);
        let (control, mut voided) = (Control::new(), 0);
        let observe = &mut |news: News<'_>| {
            let News::Standing(snapshot) = news else { return };
            voided = snapshot.voided;
            if voided >= most_void {
                control.stop();
            }
        };
        let mut learner = Learner::new(3, 0, 20);
        let finish = drive(&config, &openings(), &mut learner, &mut run.journal(), self, &control, observe);
        assert_eq!(finished(finish).expect("a run") == Finish::Stopped, voided >= most_void);
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
        Some(Event::done(self.result(pair, attempt)))
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.held.retain(|spec| spec.pair < pair);
    }
}

/// Checks that this many attempts at each pair were void and stored, and that the next attempt counts.
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
        assert_eq!(executor.drive(&run, OnStarvation::Replay, u64::MAX), 20 * u64::from(void));
        counts_after(&run, &executor, void);
    }
}

#[test]
fn without_replays_a_starved_pair_counts() {
    let (run, mut executor) = (Run::new(), Starved::new(1));
    assert_eq!(executor.drive(&run, OnStarvation::Mark, u64::MAX), 0);
    counts_after(&run, &executor, 0);
    assert_eq!(run.journal().starved(20).unwrap(), StarvedCount { games: 20, pairs: 20 });
}

/// The second seat is late in the second game of each pair; the host kept it waiting in every other pair.
struct Late(Vec<PairIndex>);

impl Executor for Late {
    fn workers(&self) -> usize {
        1
    }

    fn capacity(&self) -> usize {
        1
    }

    fn submit(&mut self, spec: PairSpec) {
        self.0.push(spec.pair);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        let pair = self.0.pop()?;
        let mut result = result(pair, 0);
        let fault = Fault::Time { over: Duration::from_millis(6) };
        result.games[1].ending = Ending::Forfeit { loser: Side::First, fault };
        if pair.is_multiple_of(2) {
            result.games[1].circumstances.times.delayed.first = Duration::from_millis(6);
            result.games[1].circumstances.times.decisive.first = Duration::from_millis(6);
        }
        Some(Event::done(result))
    }

    fn revoke_from(&mut self, _pair: PairIndex) {}
}

#[test]
fn the_journal_keeps_which_faults_the_host_caused_in_the_judgement_of_the_driver() {
    let (run, control) = (Run::new(), Control::new());
    let config = super::config();
    let mut learner = Learner::new(3, 0, 9);
    let mut late = Late(Vec::new());
    drive(&config, &openings(), &mut learner, &mut run.journal(), &mut late, &control, &mut |_| ()).expect("a run");
    let reader = JournalReader::open(run.journal().path()).expect("a journal");
    let counted = [FaultCount::default(), FaultCount { games: 9, host_caused: 5 }];
    assert_eq!(reader.faults(9, 2).expect("a journal"), counted);
    assert_eq!(reader.starved(9).expect("a journal"), StarvedCount { games: 5, pairs: 5 });
}

#[test]
fn attempts_are_remembered_when_a_run_is_resumed() {
    let (run, mut executor) = (Run::new(), Starved::new(9));
    let before = executor.drive(&run, OnStarvation::Replay, 7);
    assert!((7..40).contains(&before), "stopped in the middle: {before}");
    executor.held.clear();
    assert_eq!(executor.drive(&run, OnStarvation::Replay, u64::MAX), 40 - before);
    counts_after(&run, &executor, 2);
    assert!(executor.played.values().all(|&times| times == 3), "{:?}", executor.played);
}

/// Returns a match on the clock.
fn timed() -> RunConfig {
    let (base, increment) = (Duration::from_secs(1), Duration::ZERO);
    config_of(Limit::Clock { base, increment, moves: None }, OnStarvation::Replay)
}

/// Plays the pairs it gets in order. The host starves every game of the pairs up to `until`, however often they are
/// played.
struct Busy {
    until: PairIndex,
    held: Vec<PairSpec>,
    /// The number of pairs held at each request for a result.
    in_flight: Vec<usize>,
    played: Vec<PairIndex>,
}

impl Busy {
    fn until(until: PairIndex) -> Self {
        Self { until, held: Vec::new(), in_flight: Vec::new(), played: Vec::new() }
    }
}

impl Executor for Busy {
    fn workers(&self) -> usize {
        8
    }

    fn capacity(&self) -> usize {
        512
    }

    fn submit(&mut self, spec: PairSpec) {
        self.held.push(spec);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        self.in_flight.push(self.held.len());
        if self.held.is_empty() {
            return None;
        }
        let pair = self.held.remove(0).pair;
        self.played.push(pair);
        let mut result = result(pair, 0);
        if pair <= self.until {
            result.games[0].circumstances.times.delayed.first = Duration::from_secs(1);
        }
        Some(Event::done(result))
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.held.retain(|spec| spec.pair < pair);
    }
}

#[test]
fn a_session_under_load_plays_fewer_pairs_at_a_time_until_the_host_is_quiet() {
    let config = timed();
    let (run, control) = (Run::new(), Control::new());
    let mut executor = Busy::until(60);
    let mut course = vec![8];
    let observe = &mut |news: News<'_>| {
        let News::Standing(snapshot) = news else { return };
        assert_eq!(snapshot.workers, 8);
        if course.last() != Some(&snapshot.at_a_time) {
            course.push(snapshot.at_a_time);
        }
    };
    let mut learner = Learner::new(40, 0, 400);
    let finish = drive(&config, &openings(), &mut learner, &mut run.journal(), &mut executor, &control, observe);
    assert!(matches!(finished(finish).expect("a run"), Finish::Verdict(_)));
    let (least, last) = (course.iter().min().copied(), course.last().copied());
    assert!(least <= Some(2), "{course:?}");
    assert_eq!(last, Some(8), "{course:?}");
    // Starved pairs are replayed, as is the default where time decides, and the run is decided as in an undisturbed
    // session.
    assert_eq!(executor.played.iter().filter(|&&pair| pair == 60).count(), 3);
    assert_eq!(run.journal().starved(400).expect("a journal"), StarvedCount { games: 61, pairs: 61 });
    let mut undisturbed = Learner::new(40, 0, 400);
    Run::new().go(&mut undisturbed, &mut super::Unruly::new(1, 3)).expect("a run");
    assert_eq!(learner.log, undisturbed.log);
    assert_eq!(learner.digest.to_bits(), undisturbed.digest.to_bits());
}

#[test]
fn pairs_in_flight_follow_the_number_of_workers_that_play() {
    let config = timed();
    let (run, control) = (Run::new(), Control::new());
    let mut executor = Busy::until(u64::MAX);
    let mut learner = Learner::new(64, 0, 100);
    let finish = drive(&config, &openings(), &mut learner, &mut run.journal(), &mut executor, &control, &mut |_| ());
    assert!(matches!(finished(finish).expect("a run"), Finish::Verdict(_)));
    assert_eq!(executor.in_flight.iter().max(), Some(&16), "two for each worker at first");
    assert!(executor.in_flight[150..].iter().all(|&in_flight| in_flight <= 1), "{:?}", executor.in_flight);
}
