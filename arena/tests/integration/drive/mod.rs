//! The driver with an executor that answers in any order, twice, late or never.

mod faults;
mod rounds;
mod starvation;
mod withdrawn;

use arena::config::{ExperimentConfig, Rounds, RunConfig, Schedule};
use arena::run::{
    Circumstances, Control, Driven, Event, Executables, Executor, Experiment, Finish, GameRecord, Journal, News,
    OnStarvation, PairIndex, PairResult, PairSpec, Proposal, ProposedSeat, RunError, Series, Sides, Standing,
    StandingOf, Starvation, Verdict, drive, replay, run_header,
};
use engine::{EvaluationKind, Params, SearchKind};
use play::entrant::{Entrant, NativeSpec, PlayerSpec};
use play::games::GameKind;
use play::openings::{OpeningSource, Openings};
use play::random::Stream;
use play::{BySide, DrawRule, Ending, Fault, Limit, RandomOpenings, Side, TableRules, TimeSource, WinRule};
use stats::{Counts, PairOutcome};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Returns a match of the engine against itself.
fn config() -> RunConfig {
    config_of(Limit::Nodes(NonZeroU64::MIN), OnStarvation::Mark)
}

/// Returns the same match with another limit and another treatment of starved pairs.
fn config_of(limit: Limit, action: OnStarvation) -> RunConfig {
    let engine = |name: &str| {
        let (evaluation, network, params) = (EvaluationKind::PieceSquare, None, Params::default());
        let (search, table_bytes, source) = (SearchKind::default(), 1 << 20, TimeSource::Wall);
        let native = NativeSpec { search, evaluation, network, policy: None, table_bytes, limit, source, params };
        Entrant { name: name.to_owned(), player: PlayerSpec::Native(Box::new(native)) }
    };
    RunConfig {
        name: "test".to_owned(),
        title: None,
        game: GameKind::ZeroPointOne,
        seed: 1,
        experiment: ExperimentConfig::Match {
            pairs: NonZeroU64::MIN,
            schedule: Schedule::Gauntlet,
            entrants: 2,
            rounds: Rounds::default(),
        },
        openings: OpeningSource::Random(RandomOpenings { plies: 0.into(), balance: None }),
        rules: TableRules::default(),
        starvation: Starvation { action, ..Starvation::default() },
        scale: None,
        max_fault_share: 1.0,
        entrants: vec![engine("a"), engine("b")],
    }
}

fn openings() -> Openings {
    Openings::load(&config().openings, config().game).expect("no book")
}

/// Returns a made-up result, which depends only on the pair and `salt`.
fn result(pair: PairIndex, salt: u64) -> PairResult {
    let mut stream = Stream::from_seed(pair ^ salt << 32);
    let mut game = || {
        let ending = match stream.below(3) {
            0 => Ending::Draw { by: DrawRule::PlyLimit },
            1 => Ending::Win { winner: Side::First, by: WinRule::WazirCaptured },
            _ => Ending::Win { winner: Side::Second, by: WinRule::WazirCaptured },
        };
        GameRecord {
            moves: vec![1, 2, 3],
            ending,
            nodes: BySide { first: 1, second: 2 },
            track: Vec::new(),
            circumstances: Circumstances::default(),
        }
    };
    let games = vec![game(), game()];
    PairResult { pair, start: None, opening: vec![8192, 8193], sides: Sides::Swapped, games, took: Duration::default() }
}

/// Answers in random order, loses some pairs and repeats others.
struct Unruly {
    stream: Stream,
    held: Vec<PairSpec>,
    capacity: usize,
    repeated: Option<PairResult>,
    played: Vec<PairIndex>,
}

impl Unruly {
    fn new(seed: u64, capacity: usize) -> Self {
        Self { stream: Stream::from_seed(seed), held: Vec::new(), capacity, repeated: None, played: Vec::new() }
    }
}

impl Executor for Unruly {
    fn workers(&self) -> usize {
        self.capacity
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn submit(&mut self, spec: PairSpec) {
        assert!(self.held.len() < self.capacity, "more than asked for");
        self.held.push(spec);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        if self.stream.below(8) == 0
            && let Some(result) = self.repeated.take()
        {
            return Some(Event::done(result));
        }
        if self.held.is_empty() || self.stream.below(3) == 0 {
            return None;
        }
        let index = self.stream.below(self.held.len() as u32) as usize;
        let spec = self.held.swap_remove(index);
        if self.stream.below(20) == 0 {
            return Some(Event::Lost { pair: spec.pair, why: "the dog ate it".into() });
        }
        let mut result = result(spec.pair, 0);
        result.sides = spec.sides;
        result.games.truncate(spec.sides.games());
        self.repeated = Some(result.clone());
        self.played.push(spec.pair);
        Some(Event::done(result))
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.held.retain(|spec| spec.pair < pair);
    }
}

/// An experiment that learns: each proposal carries a digest of everything absorbed before.
#[derive(Clone)]
struct Learner {
    lookahead: u64,
    batch: u64,
    pairs: u64,
    /// The second seat's entrant.
    second: u32,
    absorbed: u64,
    digest: f64,
    log: Vec<(PairIndex, u64, f64)>,
}

impl Learner {
    fn new(lookahead: u64, batch: u64, pairs: u64) -> Self {
        Self { lookahead, batch, pairs, second: 1, absorbed: 0, digest: 0.0, log: Vec::new() }
    }
}

impl Experiment for Learner {
    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        match pair.checked_div(self.batch) {
            Some(batch) => batch * self.batch,
            None => pair.saturating_sub(self.lookahead),
        }
    }

    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        if pair >= self.pairs {
            return None;
        }
        assert_eq!(self.absorbed, self.required_absorbed(pair), "proposed from exactly that state");
        self.log.push((pair, self.absorbed, self.digest));
        let seat = |entrant| ProposedSeat { entrant, values: vec![self.digest] };
        Some(Proposal { seats: [seat(0), seat(self.second)], ..Proposal::of(0, 0, pair) })
    }

    fn absorb(&mut self, pair: PairIndex, proposal: &Proposal, outcome: PairOutcome) {
        assert_eq!(pair, self.absorbed, "in pair order");
        self.absorbed += 1;
        self.digest = self.digest * 0.5 + outcome.index() as f64 + proposal.seats[0].values[0] * 0.25;
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed == self.pairs).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        Standing {
            pairs: self.absorbed,
            counts: Counts::default(),
            pairs_left: None,
            of: StandingOf::Match { pairings: Vec::new() },
        }
    }

    fn series(&self) -> Vec<Series> {
        Vec::new()
    }

    fn copied(&self) -> Box<dyn Experiment> {
        Box::new(self.clone())
    }
}

struct Run {
    folder: TempDir,
}

impl Run {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let header = run_header(&config(), &Executables::default());
        drop(Journal::create(&folder.path().join("j"), &header).expect("a journal"));
        Self { folder }
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.folder.path().join("j")).expect("a journal")
    }

    fn go(&self, learner: &mut Learner, executor: &mut Unruly) -> Result<Finish, RunError> {
        let control = Control::new();
        finished(drive(&config(), &openings(), learner, &mut self.journal(), executor, &control, &mut |_| ()))
    }
}

/// Returns how a run ended in which no pair is withdrawn.
fn finished(driven: Result<Driven, RunError>) -> Result<Finish, RunError> {
    driven.map(|driven| driven.finish().expect("no pair is withdrawn"))
}

#[test]
fn the_order_of_results_changes_nothing() {
    let mut logs = Vec::new();
    for (seed, capacity) in [(1, 1), (2, 4), (3, 50)] {
        let mut learner = Learner::new(7, 0, 300);
        let finish = Run::new().go(&mut learner, &mut Unruly::new(seed, capacity)).unwrap();
        assert_eq!(finish, Finish::Verdict(Verdict::Complete));
        logs.push((learner.log, learner.digest.to_bits()));
    }
    assert_eq!(logs[0].0.len(), 300);
    assert!(logs.iter().all(|log| *log == logs[0]));
}

#[test]
fn batches_are_barriers() {
    let mut logs = Vec::new();
    for capacity in [1, 9] {
        let mut learner = Learner::new(0, 10, 95);
        Run::new().go(&mut learner, &mut Unruly::new(4, capacity)).unwrap();
        logs.push(learner.log);
    }
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0][94].1, 90);
}

#[test]
fn an_interrupted_run_resumes_as_if_nothing_had_happened() {
    let mut whole = Learner::new(5, 0, 200);
    Run::new().go(&mut whole, &mut Unruly::new(1, 3)).unwrap();

    let run = Run::new();
    let mut commits = 0;
    let control = Control::new();
    let mut first = Learner::new(5, 0, 200);
    let mut executor = Unruly::new(2, 3);
    let finish = drive(&config(), &openings(), &mut first, &mut run.journal(), &mut executor, &control, &mut |news| {
        commits += u64::from(matches!(news, News::Committed(_)));
        if matches!(news, News::Standing(snapshot) if snapshot.standing.pairs >= 80) {
            control.stop();
        }
    });
    assert_eq!(finished(finish).unwrap(), Finish::Stopped);
    assert!(commits > 0 && first.absorbed < 200);

    let stored = run.journal().stored_pairs().unwrap();
    assert!((80..200).contains(&stored));
    let mut second = Learner::new(5, 0, 200);
    let mut executor = Unruly::new(3, 3);
    assert_eq!(run.go(&mut second, &mut executor).unwrap(), Finish::Verdict(Verdict::Complete));
    assert_eq!(second.log, whole.log);
    assert_eq!(second.digest.to_bits(), whole.digest.to_bits());
    assert_eq!(executor.played.len() as u64 + stored, 200, "nothing is played twice");

    let mut third = Learner::new(5, 0, 200);
    assert_eq!(replay(&mut third, &run.journal()).unwrap().pairs, 200);
    assert_eq!(third.digest.to_bits(), whole.digest.to_bits());
}

#[test]
fn gaps_in_a_journal_are_played() {
    let run = Run::new();
    run.go(&mut Learner::new(3, 0, 60), &mut Unruly::new(1, 2)).unwrap();
    let file = rusqlite::Connection::open(run.folder.path().join("j")).unwrap();
    for table in ["pair", "games", "times"] {
        file.execute(&format!("DELETE FROM {table} WHERE pair IN (10, 11, 40)"), []).unwrap();
    }
    drop(file);
    let mut learner = Learner::new(3, 0, 60);
    let mut executor = Unruly::new(9, 2);
    run.go(&mut learner, &mut executor).unwrap();
    executor.played.sort_unstable();
    assert_eq!(executor.played, [10, 11, 40]);
}

#[test]
fn another_configuration_stops_at_the_pair_that_differs() {
    let run = Run::new();
    run.go(&mut Learner::new(3, 0, 30), &mut Unruly::new(1, 2)).unwrap();
    let error = run.go(&mut Learner::new(4, 0, 30), &mut Unruly::new(1, 2)).unwrap_err();
    assert!(matches!(error, RunError::OtherProposal { pair: 4 }), "{error}");
}

/// Plays pair 0 twice, with different results.
struct Fickle(u64);

impl Executor for Fickle {
    fn workers(&self) -> usize {
        1
    }

    fn capacity(&self) -> usize {
        1
    }

    fn submit(&mut self, _spec: PairSpec) {}

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        self.0 += 1;
        (self.0 <= 2).then(|| Event::done(result(0, self.0)))
    }

    fn revoke_from(&mut self, _pair: PairIndex) {}
}

#[test]
fn a_second_result_that_differs_is_an_error() {
    let run = Run::new();
    let control = Control::new();
    let mut executor = Fickle(0);
    let finish = drive(
        &config(),
        &openings(),
        &mut Learner::new(1, 0, 3),
        &mut run.journal(),
        &mut executor,
        &control,
        &mut |_| (),
    );
    assert!(matches!(finish.unwrap_err(), RunError::NotReproducible { pair: 0 }));
}

/// Loses every pair.
struct Hopeless(Vec<PairIndex>);

impl Executor for Hopeless {
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
        self.0.pop().map(|pair| Event::Lost { pair, why: "no openings".into() })
    }

    fn revoke_from(&mut self, _pair: PairIndex) {}
}

#[test]
fn a_pair_that_is_always_lost_ends_the_run_with_its_reason() {
    let run = Run::new();
    let control = Control::new();
    let finish = drive(
        &config(),
        &openings(),
        &mut Learner::new(1, 0, 3),
        &mut run.journal(),
        &mut Hopeless(Vec::new()),
        &control,
        &mut |_| (),
    );
    assert_eq!(finish.unwrap_err().to_string(), "pair 1 could not be played: no openings");
}

#[test]
fn faults_are_counted_by_seat() {
    let mut with_fault = result(3, 0);
    with_fault.games[1].ending = Ending::Forfeit { loser: Side::First, fault: Fault::Crash("x".into()) };
    assert_eq!(with_fault.faults_by_seat(), [0, 1], "the second seat moves first in game 1");
}
