//! Runs stopped by an entrant's faults: they stop after the same pair with any number of workers, and keep what was
//! played.

use super::{Learner, Unruly, config, finished, openings};
use arena::config::RunConfig;
use arena::run::{
    Control, Event, Executables, Executor, Experiment, Finish, Journal, Match, PairIndex, PairResult, PairSpec,
    RunError, Standing, TooFaulty, Verdict, drive, replay, replay_as, run_header,
};
use play::{Ending, Fault, Side};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PAIRS: u64 = 60;

/// Games in which entrants make faults.
struct Faulty<F> {
    games: Unruly,
    /// Puts the faults into a result.
    spoil: F,
}

impl<F: Fn(&mut PairResult)> Executor for Faulty<F> {
    fn workers(&self) -> usize {
        self.games.workers()
    }

    fn capacity(&self) -> usize {
        self.games.capacity()
    }

    fn submit(&mut self, spec: PairSpec) {
        self.games.submit(spec);
    }

    fn next_event(&mut self, deadline: Instant) -> Option<Event> {
        let mut event = self.games.next_event(deadline)?;
        if let Event::Done { result, .. } = &mut event {
            (self.spoil)(result);
        }
        Some(event)
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.games.revoke_from(pair);
    }
}

/// A run whose entrants may lose this share of their games by faults.
struct Run {
    folder: TempDir,
    config: RunConfig,
}

fn experiment() -> Match {
    Match::new(NonZeroU64::new(PAIRS).expect("some"), arena::config::Schedule::Gauntlet, 2)
}

fn crash() -> Fault {
    Fault::Crash("exit status: 3".to_owned())
}

/// Lets the second seat crash in both games.
fn crash_second(result: &mut PairResult) {
    for (game, loser) in result.games.iter_mut().zip([Side::Second, Side::First]) {
        game.ending = Ending::Forfeit { loser, fault: crash() };
    }
}

impl Run {
    fn new(share: f64) -> Self {
        let config = RunConfig { max_fault_share: share, ..config() };
        let folder = TempDir::new().expect("a folder");
        let header = run_header(&config, &Executables::default());
        drop(Journal::create(&folder.path().join("j"), &header).expect("a journal"));
        Self { folder, config }
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.folder.path().join("j")).expect("a journal")
    }

    /// The second entrant loses a game by this fault in every third pair. In that game the host kept it waiting for so
    /// long, where that decides.
    fn go(&self, share: f64, games: Unruly, (fault, waited): (Fault, Duration)) -> (Finish, Standing) {
        let spoil = move |result: &mut PairResult| {
            if result.pair.is_multiple_of(3) {
                result.games[0].ending = Ending::Forfeit { loser: Side::Second, fault: fault.clone() };
                result.games[0].circumstances.times.decisive.second = waited;
            }
        };
        let mut experiment = experiment();
        let finish = self.drive(share, &mut experiment, &mut Faulty { games, spoil });
        (finish.expect("a run"), experiment.standing())
    }

    fn drive(
        &self,
        share: f64,
        experiment: &mut dyn Experiment,
        executor: &mut dyn Executor,
    ) -> Result<Finish, RunError> {
        let config = RunConfig { max_fault_share: share, ..self.config.clone() };
        let (control, mut journal) = (Control::new(), self.journal());
        finished(drive(&config, &openings(), experiment, &mut journal, executor, &control, &mut |_| ()))
    }
}

#[test]
fn a_run_stops_after_the_same_pair_at_any_number_of_workers() {
    let expected = Finish::Faulty(TooFaulty { entrant: 1, faults: 4, games: 20 });
    for (seed, capacity) in [(1, 1), (2, 4), (3, 50)] {
        let run = Run::new(0.16);
        let (finish, standing) = run.go(0.16, Unruly::new(seed, capacity), (crash(), Duration::ZERO));
        assert_eq!((finish, standing.pairs), (expected, 10), "{capacity} at a time");
        let mut again = experiment();
        let replayed = replay(&mut again, &run.journal()).expect("a journal");
        assert_eq!((replayed.finish, replayed.pairs), (expected, 10), "whatever else was played");
        assert_eq!(again.standing(), standing);
    }
}

#[test]
fn a_run_that_faults_have_stopped_resumes_if_more_are_allowed() {
    let whole = Run::new(1.0).go(1.0, Unruly::new(5, 3), (crash(), Duration::ZERO));
    assert_eq!((whole.0, whole.1.pairs), (Finish::Verdict(Verdict::Complete), PAIRS));
    let run = Run::new(0.1);
    let stopped = run.go(0.1, Unruly::new(6, 7), (crash(), Duration::ZERO));
    assert_eq!(stopped.1.pairs, 10);
    let before = run.journal().stored_pairs().expect("a journal");
    let again = run.go(0.1, Unruly::new(7, 7), (crash(), Duration::ZERO));
    assert_eq!(again, stopped, "nothing has changed");
    assert_eq!(run.journal().stored_pairs().expect("a journal"), before, "and nothing was played");
    let gone_on = run.go(1.0, Unruly::new(8, 7), (crash(), Duration::ZERO));
    assert_eq!(gone_on, whole);
    let mut kept = experiment();
    let replayed = replay_as(&mut kept, &RunConfig { max_fault_share: 1.0, ..run.config.clone() }, &run.journal());
    assert_eq!(replayed.expect("a journal").finish, whole.0);
}

#[test]
fn time_that_the_host_cost_is_no_fault_of_the_engine() {
    let late = || Fault::Time { over: Duration::from_millis(30) };
    let share = 0.1;
    let starved = Run::new(share).go(share, Unruly::new(1, 3), (late(), Duration::from_millis(30)));
    assert_eq!(starved.0, Finish::Verdict(Verdict::Complete));
    let slow = Run::new(share).go(share, Unruly::new(1, 3), (late(), Duration::from_millis(10)));
    assert_eq!(slow.0, Finish::Faulty(TooFaulty { entrant: 1, faults: 4, games: 20 }));
}

#[test]
fn an_engine_may_crash_in_every_game_if_all_faults_are_allowed() {
    let mut executor = Faulty { games: Unruly::new(1, 3), spoil: crash_second };
    let finish = Run::new(1.0).drive(1.0, &mut experiment(), &mut executor);
    assert_eq!(finish.expect("a run"), Finish::Verdict(Verdict::Complete), "120 games in a row");
}

#[test]
fn an_engine_that_crashes_in_every_game_against_itself_stops_the_run() {
    let spoil = |result: &mut PairResult| {
        if result.pair >= 10 {
            crash_second(result);
        }
    };
    let mut executor = Faulty { games: Unruly::new(1, 1), spoil };
    let mut alone = Learner { second: 0, ..Learner::new(7, 0, 200) };
    let error = Run::new(0.9).drive(0.9, &mut alone, &mut executor).expect_err("it is broken");
    assert!(matches!(&error, RunError::Broken { entrant, games: 101, .. } if entrant == "a"), "{error}");
}
