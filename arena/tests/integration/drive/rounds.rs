//! Rounds other than pairs: single games, two games without a swap, and games of pairs counted one by one.

use super::{Unruly, config, finished, openings, result};
use arena::config::{ExperimentConfig, GamesEach, Rounds, RunConfig, Schedule};
use arena::run::{
    Control, Csv, Event, Executables, Executor, Experiment, Finish, Journal, JournalReader, Match, News, PairIndex,
    PairSpec, RunError, Sides, Sprt, StoredResult, Timings, Verdict, audit, drive, export, replay, run_header,
};
use play::Side;
use stats::{Counts, Outcome, SprtConfig};
use std::num::NonZeroU64;
use std::time::Instant;
use tempfile::TempDir;

const ROUNDS: u64 = 60;

/// Returns every kind of rounds except the default.
fn kinds() -> Vec<Rounds> {
    let usual = Rounds::default();
    let single = Rounds { games: GamesEach::One, ..usual };
    let unswapped = Rounds { swap: false, ..usual };
    let all = [single, Rounds { swap: false, ..single }, unswapped, Rounds { singly: true, ..usual }];
    let reversed = all.map(|rounds| Rounds { reverse: true, ..rounds });
    [&all[..], &reversed, &[Rounds { reverse: true, ..usual }]].concat()
}

fn experiment(rounds: Rounds) -> Match {
    let pairs = NonZeroU64::new(ROUNDS).expect("some");
    Match::new(pairs, Schedule::Gauntlet, 2).of_rounds(rounds)
}

struct Run {
    config: RunConfig,
    folder: TempDir,
}

impl Run {
    fn new(rounds: Rounds) -> Self {
        let pairs = NonZeroU64::new(ROUNDS).expect("some");
        let experiment = ExperimentConfig::Match { pairs, schedule: Schedule::Gauntlet, entrants: 2, rounds };
        let (config, folder) = (RunConfig { experiment, ..config() }, TempDir::new().expect("a folder"));
        let header = run_header(&config, &Executables::default());
        drop(Journal::create(&folder.path().join("j"), &header).expect("a journal"));
        Self { config, folder }
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.folder.path().join("j")).expect("a journal")
    }

    /// Continues until this many rounds are absorbed.
    fn go(&self, experiment: &mut dyn Experiment, executor: &mut dyn Executor, until: u64) -> Result<Finish, RunError> {
        let control = Control::new();
        let (mut journal, openings) = (self.journal(), openings());
        let observe = &mut |news: News<'_>| {
            if matches!(news, News::Standing(snapshot) if snapshot.standing.pairs >= until) {
                control.stop();
            }
        };
        finished(drive(&self.config, &openings, experiment, &mut journal, executor, &control, observe))
    }

    fn exported(&self) -> String {
        let mut out = Vec::new();
        let mut experiment = experiment(self.config.experiment.rounds());
        export(&self.journal(), &mut experiment, &Csv, Timings::Omit, &mut out).expect("an export");
        String::from_utf8(out).expect("text")
    }

    fn stored(&self) -> Vec<StoredResult> {
        let mut all = Vec::new();
        let keep = |stored| {
            all.push(stored);
            Ok::<_, arena::run::JournalError>(())
        };
        self.journal().results(0..PairIndex::MAX, keep).expect("rows");
        all
    }
}

#[test]
fn neither_order_nor_interruption_changes_anything() {
    for rounds in kinds() {
        let whole = Run::new(rounds);
        let mut first = experiment(rounds);
        let finish = whole.go(&mut first, &mut Unruly::new(1, 1), u64::MAX).expect("a run");
        assert_eq!(finish, Finish::Verdict(Verdict::Complete));

        let cut = Run::new(rounds);
        let mut begun = experiment(rounds);
        assert_eq!(cut.go(&mut begun, &mut Unruly::new(2, 7), 20).expect("a run"), Finish::Stopped);
        let mut resumed = experiment(rounds);
        let finish = cut.go(&mut resumed, &mut Unruly::new(3, 4), u64::MAX).expect("a run");
        assert_eq!(finish, Finish::Verdict(Verdict::Complete));
        assert_eq!(cut.exported(), whole.exported(), "{rounds:?}");
        assert_eq!(resumed.standing(), first.standing(), "{rounds:?}");
        assert_eq!(cut.stored(), whole.stored(), "{rounds:?}");
    }
}

#[test]
fn what_is_stored_are_the_games_that_were_asked_for() {
    for rounds in kinds() {
        let run = Run::new(rounds);
        run.go(&mut experiment(rounds), &mut Unruly::new(1, 5), u64::MAX).expect("a run");
        let mut experiment = experiment(rounds);
        assert_eq!(replay(&mut experiment, &run.journal()).expect("a journal").pairs, ROUNDS);
        let (stored, counts) = (run.stored(), experiment.standing().counts);
        let mut sum = rounds.no_counts();
        for StoredResult { proposal, result, .. } in &stored {
            assert_eq!((proposal.sides, result.sides), (rounds.sides(result.pair), proposal.sides), "{rounds:?}");
            assert_eq!(result.games.len() as u64, rounds.games_each());
            assert_eq!(matches!(result.outcome(), Outcome::Game(_)), rounds.games_each() == 1);
            sum.add(result.outcome());
        }
        assert_eq!((counts, counts.pairs().is_some()), (sum, rounds.counts_pairs()), "{rounds:?}");
        assert_eq!(counts.wdl().total(), ROUNDS * rounds.games_each());
        assert_eq!(run.exported().lines().count() as u64, 1 + ROUNDS * rounds.games_each());
    }
}

#[test]
fn a_game_too_many_in_the_journal_is_damage() {
    let rounds = Rounds { games: GamesEach::One, ..Rounds::default() };
    let run = Run::new(rounds);
    run.go(&mut experiment(rounds), &mut Unruly::new(1, 5), u64::MAX).expect("a run");
    let file = rusqlite::Connection::open(run.folder.path().join("j")).expect("a file");
    file.execute("UPDATE pair SET score1 = 2 WHERE pair = 4", []).expect("a row");
    drop(file);
    let reader = JournalReader::open(&run.folder.path().join("j")).expect("a journal");
    let error = audit(&reader, &run.config).expect_err("damage").to_string();
    assert!(error.contains("pair 5: its result is not that of its games"), "{error}");
}

/// Answers a single game with a pair.
struct Generous(Option<PairSpec>);

impl Executor for Generous {
    fn workers(&self) -> usize {
        1
    }

    fn capacity(&self) -> usize {
        1
    }

    fn submit(&mut self, spec: PairSpec) {
        assert_eq!(spec.sides, Sides::Single(Side::First));
        self.0 = Some(spec);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        self.0.take().map(|spec| Event::done(result(spec.pair, 0)))
    }

    fn revoke_from(&mut self, _pair: PairIndex) {}
}

#[test]
fn a_result_with_other_games_than_were_asked_for_does_not_count() {
    let rounds = Rounds { games: GamesEach::One, ..Rounds::default() };
    let run = Run::new(rounds);
    let error = run.go(&mut experiment(rounds), &mut Generous(None), u64::MAX).expect_err("lost").to_string();
    assert_eq!(error, "pair 1 could not be played: its result has other games than it was to have");
    assert!(run.stored().is_empty());
}

#[test]
fn a_test_of_games_is_the_test_over_games() {
    let config = SprtConfig { elo0: -400.0, elo1: -300.0, ..SprtConfig::default() };
    for rounds in kinds().into_iter().filter(|rounds| !rounds.counts_pairs()) {
        let run = Run::new(rounds);
        let mut test = Sprt::new(config, NonZeroU64::new(ROUNDS), rounds).expect("a test");
        run.go(&mut test, &mut Unruly::new(1, 3), u64::MAX).expect("a run");
        let mut by_hand = stats::Sprt::over_games(config).expect("a test");
        for StoredResult { result, .. } in run.stored().iter().take(test.standing().pairs as usize) {
            by_hand.update_batch(&result.outcome().scores().collect::<Vec<_>>());
        }
        let standing = test.standing();
        assert_eq!(standing.sprt().expect("a test").llr.to_bits(), by_hand.llr().to_bits(), "{rounds:?}");
        assert_eq!(standing.counts, Counts::Games(*by_hand.tally()));
    }
}
