//! Following runs while they are played: for any content of the journal at each step, a page that grew step by step is
//! identical, byte for byte, to the page made at once.

#![expect(clippy::unwrap_used, reason = "a test's helpers may panic")]

use arena::config::{ExperimentConfig, Job, RunConfig, Tuned};
use arena::run::{
    ByHost, Check, Control, Driven, Executables, Experiment, Finish, Header, Journal, Ladder, Local, Match, Played,
    RunFolder, Selfplay, Session, Sprt, Tune, TuneBudget, drive, run_header,
};
use plan::{Disk, Loaded, load};
use play::openings::Openings;
use play::random::Stream;
use play::{Ending, Fault, Side};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use reports::{Captions, Follow, ReportError};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use tuner::quadratic::{self, Quadratic};
use tuner::{Layout, Space};

const MATCH: &str = r#"
name = "m"
track = true
[match]
pairs = 25
schedule = "round-robin"
[openings]
plies = 2
[[entrant]]
name = "a"
player = "random"
[[entrant]]
name = "b"
player = "random"
[[entrant]]
name = "c"
limit = "30 nodes"
table = "64 KiB"
"#;

const TEST: &str = r#"
name = "t"
[sprt]
elo0 = 0
elo1 = 90
[[entrant]]
name = "dev"
player = "random"
[[entrant]]
name = "base"
player = "random"
"#;

const LADDER: &str = r#"
name = "l"
[ladder]
pairs = 60
lookahead = 8
anchor = "a"
[[entrant]]
name = "a"
player = "random"
[[entrant]]
name = "b"
player = "random"
[[entrant]]
name = "c"
player = "random"
"#;

const TUNE: &str = r#"
name = "t"
[tune]
method = "quadratic"
pairs = 60
[[tune.parameter]]
name = "null_move_margin"
step = 0.1
[each]
limit = "30 nodes"
table = "64 KiB"
[[entrant]]
name = "engine"
"#;

fn experiment(config: &RunConfig) -> Box<dyn Experiment> {
    match &config.experiment {
        ExperimentConfig::Sprt { test, max_pairs, rounds } => Box::new(Sprt::new(*test, *max_pairs, *rounds).unwrap()),
        ExperimentConfig::Match { pairs, schedule, entrants, rounds } => {
            Box::new(Match::new(*pairs, *schedule, *entrants).of_rounds(*rounds))
        }
        ExperimentConfig::Ladder(ladder) => Box::new(Ladder::new(ladder.clone()).unwrap()),
        ExperimentConfig::Selfplay { games, entrants, .. } => Box::new(Selfplay::new(*games, *entrants)),
        ExperimentConfig::Tune(tune) => {
            let Tuned::Parameters(parameters) = &tune.tuned else { panic!("no lines here") };
            let tuned = &parameters[0];
            let (name, range) = (tuned.name.clone(), (tuned.min, tuned.max));
            let parameter = tuner::Parameter::new(name, tuner::Kind::Real, tuned.start, range, tuned.step).unwrap();
            let space = Space::new(vec![parameter]).unwrap();
            let settings = quadratic::Config::default();
            let method = Quadratic::new(space.clone(), settings, config.seed, tune.pairs.get()).unwrap();
            let budget = TuneBudget { pairs: tune.pairs, stop_regret: tune.stop_regret };
            Box::new(Tune::new(Box::new(method), Layout::plain(space), budget, tune.lookahead))
        }
    }
}

/// A run that was played once: its pairs are committed again to other journals, in other orders.
struct Recorded {
    loaded: Loaded,
    header: Header,
    /// The content of the journal, by number: includes some pairs played after the verdict.
    pairs: Vec<Played>,
    /// The number of pairs that count.
    counted: u64,
}

fn play(text: &str, job: Job) -> Recorded {
    let loaded = load(text, "test", "test", &[], job, Disk).unwrap();
    let header = run_header(&loaded.run, &Executables::default());
    let folder = TempDir::new().unwrap();
    let (_run, mut journal) = RunFolder::create(folder.path(), "run", &loaded.text, &header).unwrap();
    let mut experiment = experiment(&loaded.run);
    let mut executor = Local::start(NonZeroUsize::new(2).unwrap(), None).unwrap();
    let openings = Openings::load(&loaded.run.openings, loaded.run.game).unwrap();
    let control = Control::new();
    let finish =
        drive(&loaded.run, &openings, experiment.as_mut(), &mut journal, &mut executor, &control, &mut |_| {}).unwrap();
    assert!(matches!(finish, Driven::Finished(Finish::Verdict(_))));
    let counted = experiment.standing().pairs;
    let mut pairs = Vec::new();
    journal
        .results(0..counted + 10, |stored| {
            let by_host = ByHost::of(&loaded.run.starvation, &loaded.run.entrants, &stored.proposal, &stored.result);
            pairs.push(Played { proposal: stored.proposal, result: stored.result, by_host, by: None });
            Ok::<_, ReportError>(())
        })
        .unwrap();
    assert!(pairs.len() >= 20, "{}", pairs.len());
    if job == Job::Match {
        pairs.iter_mut().step_by(7).for_each(lose_by_a_fault);
    }
    Recorded { loaded, header, pairs, counted }
}

/// Only in matches: they accept any outcome in any pair.
fn lose_by_a_fault(played: &mut Played) {
    played.result.games[0].ending = Ending::Forfeit { loser: Side::First, fault: Fault::Crash("gone".to_owned()) };
    played.result.games[0].circumstances.evidence = Some("> go\n! out of memory".to_owned());
}

static RUNS: LazyLock<[Recorded; 4]> = LazyLock::new(|| {
    [(MATCH, Job::Match), (TEST, Job::Sprt), (LADDER, Job::Ladder), (TUNE, Job::Tune)]
        .map(|(text, job)| play(text, job))
});

fn follow(path: &Path, check: Check) -> Follow {
    Follow::open(path, check, |config| Ok::<_, ReportError>(experiment(config))).unwrap()
}

fn page(run: &Follow) -> String {
    run.report(&Captions { headline: "who", says: "So it stands.", test: None }, Vec::new()).unwrap().page()
}

/// The numbers below `n`, each moved by at most this many places: results arrive out of order, but not by far.
fn disordered(n: usize, by: u32, stream: &mut Stream) -> Vec<usize> {
    let mut keyed: Vec<(u32, usize)> = (0..n).map(|i| (i as u32 + stream.below(by + 1), i)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 16, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    #[ignore = "slow"]
    fn a_page_that_grew_is_the_page_of_all_at_once(which in 0..4_usize, by in 0..20_u32, seed: u64, most in 1..40_u32) {
        let Recorded { loaded, header, pairs, counted } = &RUNS[which];
        let folder = TempDir::new().unwrap();
        let (run, mut journal) = RunFolder::create(folder.path(), "run", &loaded.text, header).unwrap();
        let mut stream = Stream::from_seed(seed);
        let order = disordered(pairs.len(), by, &mut stream);
        let mut followed = follow(run.path(), Check::Audit);
        let (mut committed, mut taken_in) = (0, 0);
        while committed < order.len() {
            let end = order.len().min(committed + 1 + stream.below(most) as usize);
            let batch: Vec<Played> = order[committed..end].iter().map(|&i| pairs[i].clone()).collect();
            journal.commit(&batch).unwrap();
            committed = end;
            taken_in += followed.refresh().unwrap();
            prop_assert_eq!(taken_in, gapless(&order[..committed]).min(*counted));
            prop_assert_eq!(followed.refresh().unwrap(), 0, "nothing is new");
        }
        let mut at_once = follow(run.path(), Check::Audit);
        prop_assert_eq!(at_once.refresh().unwrap(), taken_in);
        prop_assert_eq!(taken_in, *counted);
        prop_assert!(page(&followed) == page(&at_once), "the pages differ");
        prop_assert_eq!(followed.fault_counts(), at_once.fault_counts());
        prop_assert_eq!(followed.starved(), at_once.starved());
    }
}

/// The number of pairs before the first gap.
fn gapless(committed: &[usize]) -> u64 {
    (0..committed.len()).take_while(|i| committed.contains(i)).count() as u64
}

fn journal_of(played: &Recorded, folder: &TempDir) -> (RunFolder, Journal) {
    RunFolder::create(folder.path(), "run", &played.loaded.text, &played.header).unwrap()
}

#[test]
fn a_damaged_pair_is_met_when_it_comes_and_again() {
    let folder = TempDir::new().unwrap();
    let (run, mut journal) = journal_of(&RUNS[1], &folder);
    journal.commit(&RUNS[1].pairs[..5]).unwrap();
    let mut followed = follow(run.path(), Check::Audit);
    assert_eq!(followed.refresh().unwrap(), 5);
    let mut damaged = RUNS[1].pairs[5].clone();
    damaged.result.games[1].moves[0] = u32::MAX;
    journal.commit(&[damaged]).unwrap();
    for _ in 0..2 {
        let error = followed.refresh().unwrap_err().to_string();
        assert!(error.contains("is damaged at pair 6: its moves are not moves of the game"), "{error}");
        assert_eq!(followed.pairs(), 5);
    }
    let mut trusting = follow(run.path(), Check::Trust);
    assert_eq!(trusting.refresh().unwrap(), 6, "what this process wrote it need not play over");
}

#[test]
fn pairs_of_another_experiment_are_refused() {
    let folder = TempDir::new().unwrap();
    let (run, mut journal) = journal_of(&RUNS[1], &folder);
    let mut foreign = RUNS[1].pairs[0].clone();
    foreign.proposal.opening += 1;
    journal.commit(&[foreign]).unwrap();
    let mut followed = follow(run.path(), Check::Audit);
    for _ in 0..2 {
        let error = followed.refresh().unwrap_err();
        assert!(error.to_string().starts_with("pair 1 of the journal was not played"), "{error}");
    }
}

#[test]
fn a_run_with_another_pair_limit_is_to_be_opened_again() {
    let folder = TempDir::new().unwrap();
    let (run, mut journal) = journal_of(&RUNS[0], &folder);
    journal.commit(&RUNS[0].pairs).unwrap();
    let mut followed = follow(run.path(), Check::Audit);
    assert_eq!(followed.refresh().unwrap(), RUNS[0].pairs.len() as u64);
    let longer = MATCH.replace("pairs = 25", "pairs = 30");
    let longer = load(&longer, "test", "test", &[], Job::Match, Disk).unwrap();
    journal.set_pair_limit(&run_header(&longer.run, &Executables::default())).unwrap();
    assert!(matches!(followed.refresh(), Err(ReportError::Changed { .. })));
    let mut again = follow(run.path(), Check::Audit);
    assert_eq!(again.refresh().unwrap(), RUNS[0].pairs.len() as u64);
    assert_eq!(again.experiment().verdict(), None, "more is to be played now");
}

/// Puts another run of the same name, configuration and length into the folder of a run.
fn replaced(folder: &TempDir, began: i64, pairs: &[Played]) {
    std::fs::remove_dir_all(folder.path().join("run-1")).unwrap();
    let (_run, mut journal) = journal_of(&RUNS[1], folder);
    begin(&mut journal, began);
    journal.commit(pairs).unwrap();
}

fn begin(journal: &mut Journal, started_unix_ms: i64) {
    let (host, version) = ("here".to_owned(), "1".to_owned());
    journal.begin_session(&Session { started_unix_ms, host, concurrency: 1, version }).unwrap();
}

#[test]
fn another_run_of_the_same_name_and_length_is_to_be_opened_again() {
    let folder = TempDir::new().unwrap();
    // Before the run's verdict.
    let pairs = &RUNS[1].pairs[..20];
    let (run, mut journal) = journal_of(&RUNS[1], &folder);
    begin(&mut journal, 1);
    journal.commit(pairs).unwrap();
    drop(journal);
    let path = run.path().to_owned();
    drop(run);
    let read = || {
        let mut followed = follow(&path, Check::Audit);
        assert_eq!(followed.refresh().unwrap(), pairs.len() as u64);
        followed
    };
    // The same run is resumed in a further session, and is recognised in the folder to which it was copied.
    let mut followed = read();
    begin(&mut Journal::open(&path.join("journal.sqlite")).unwrap(), 2);
    assert!(followed.is_the_same().unwrap() && followed.refresh().is_ok());
    // Played again at another time; restored from a copy and played on to a different end; restored from an older copy.
    let mut other = pairs.to_vec();
    other.last_mut().unwrap().result.games[0].moves.pop();
    for (began, now) in [(4, pairs), (3, &other[..]), (3, &pairs[..pairs.len() - 1])] {
        replaced(&folder, 3, pairs);
        let mut followed = read();
        replaced(&folder, began, now);
        assert!(!followed.is_the_same().unwrap());
        assert!(matches!(followed.refresh(), Err(ReportError::Changed { .. })));
    }
}

#[test]
fn the_journal_is_let_go_between_looks() {
    let folder = TempDir::new().unwrap();
    let (run, mut journal) = journal_of(&RUNS[1], &folder);
    journal.commit(&RUNS[1].pairs).unwrap();
    let mut followed = follow(run.path(), Check::Audit);
    assert!(followed.refresh().unwrap() > 0);
    journal.fold();
    let files = std::fs::read_dir(run.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = files.filter(|name| name.to_string_lossy().contains("-wal")).collect();
    assert!(left.is_empty(), "the side files are folded: {left:?}");
    assert_eq!(followed.refresh().unwrap(), 0, "and it is read on");
}

#[test]
#[ignore = "slow"]
fn a_run_that_is_listed_can_be_read() {
    let loaded = load(MATCH, "test", "test", &[], Job::Match, Disk).unwrap();
    let header = run_header(&loaded.run, &Executables::default());
    let folder = TempDir::new().unwrap();
    let seen = std::thread::scope(|scope| {
        let maker = scope.spawn(|| {
            for _ in 0..40 {
                drop(RunFolder::create(folder.path(), "run", &loaded.text, &header).unwrap());
            }
        });
        let mut seen = 0;
        loop {
            // Check whether all are made before reading them, so that the last ones are read in any case.
            let are_all_made = maker.is_finished();
            for path in RunFolder::list(folder.path()).unwrap() {
                assert_eq!(RunFolder::open_journal(&path).unwrap().header().unwrap(), header);
                seen += 1;
            }
            if are_all_made {
                return seen;
            }
        }
    });
    assert!(seen >= 40);
}
