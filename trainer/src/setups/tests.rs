//! Tests that a book does not depend on the number of threads or on interruptions.

use super::*;
use engine::{EvaluationKind, Evaluator, Move, Position};
use std::sync::atomic::AtomicUsize;
use tempfile::TempDir;

fn settings() -> Settings {
    let Evaluator::Network(network) = EvaluationKind::Network.into() else { unreachable!("it is a network") };
    Settings { nodes: 400_000, seed: 3, entries: 300, network }
}

/// Makes a book without interruption.
fn made(settings: &Settings, threads: usize, folder: &Path) -> Result<Option<Made>, SetupsError> {
    let threads = NonZeroUsize::new(threads).expect("some");
    make(settings, threads, folder, &AtomicBool::new(false), &mut |_| ())
}

fn whole(settings: &Settings, threads: usize) -> Made {
    let folder = TempDir::new().expect("a folder");
    made(settings, threads, folder.path()).expect("no error").expect("no stop was requested")
}

/// A book and its statistics without the time.
fn found(made: &Made) -> (&SetupBook, u64, &[Stage], u64) {
    (&made.book, made.valued, &made.stages, made.nodes)
}

#[test]
#[ignore = "slow"]
fn a_book_does_not_depend_on_threads_or_interruptions() {
    let settings = settings();
    let (one, three) = (whole(&settings, 1), whole(&settings, 3));
    assert!(found(&one) == found(&three));

    let folder = TempDir::new().expect("a folder");
    let mut sittings = 0;
    let interrupted = loop {
        sittings += 1;
        let (stop, reports) = (AtomicBool::new(false), AtomicUsize::new(0));
        // Stops later each time, so that the work advances although a stopped round starts over.
        let mut watch = |_: &Progress| {
            if reports.fetch_add(1, Ordering::SeqCst) >= 9 * sittings {
                stop.store(true, Ordering::SeqCst);
            }
        };
        let threads = NonZeroUsize::new(2).expect("some");
        if let Some(made) = make(&settings, threads, folder.path(), &stop, &mut watch).expect("no error") {
            break made;
        }
    };
    assert!(sittings > 2, "{sittings}");
    assert!(found(&interrupted) == found(&one));
    // A finished book is returned at once.
    let again = made(&settings, 1, folder.path()).expect("no error").expect("no stop was requested");
    assert!(found(&again) == found(&one));
}

#[test]
fn a_stop_is_seen_before_the_first_batch_is_valued() {
    let folder = TempDir::new().expect("a folder");
    let mut reports = 0;
    let made = make(&settings(), NonZeroUsize::MIN, folder.path(), &AtomicBool::new(true), &mut |_| reports += 1);
    assert!(made.expect("no error").is_none());
    assert_eq!(reports, 0);
}

#[test]
fn a_stop_within_a_batch_keeps_the_finished_searches_and_leaves_the_book_the_same() {
    let settings = Settings { nodes: 100_000, ..settings() };
    let folder = TempDir::new().expect("a folder");
    let mut sittings = 0;
    let interrupted = loop {
        sittings += 1;
        let (stop, mut reached) = (AtomicBool::new(false), 0);
        let mut watch = |progress: &Progress| {
            if let BookPhase::Stage { setups, .. } = progress.phase
                && setups.is_multiple_of(13)
            {
                reached = setups;
                stop.store(true, Ordering::SeqCst);
            }
        };
        if let Some(made) = make(&settings, NonZeroUsize::MIN, folder.path(), &stop, &mut watch).expect("no error") {
            break made;
        }
        let state = State::read(folder.path()).expect("no error").expect("a checkpoint");
        assert_eq!(state.stages.last().map(|stage| stage.searched.len()), Some(reached));
    };
    assert!(sittings > 2, "{sittings}");
    assert!(found(&interrupted) == found(&whole(&settings, 2)));
}

/// A book whose making is killed in its longest part loses little.
#[test]
#[ignore = "slow"]
fn a_checkpoint_is_written_from_time_to_time() {
    let folder = TempDir::new().expect("a folder");
    let (mut first, mut is_newer) = (None, false);
    let mut watch = |progress: &Progress| {
        if matches!(progress.phase, BookPhase::Stage { .. }) {
            let checkpoint = fs_err::read(State::path(folder.path())).expect("one from the rounds");
            if let Some(first) = &first {
                is_newer |= checkpoint != *first;
            } else {
                first = Some(checkpoint);
                // The next one is due after this batch.
                std::thread::sleep(CHECKPOINT_EVERY);
            }
        }
    };
    let never = AtomicBool::new(false);
    let made = make(&settings(), NonZeroUsize::MIN, folder.path(), &never, &mut watch);
    assert!(made.expect("no error").is_some());
    assert!(is_newer, "nothing was kept in the stages");
}

#[test]
fn a_book_has_what_was_searched_and_costs_what_was_asked_for() {
    let settings = settings();
    let made = whole(&settings, 2);
    assert!(made.stages.len() >= 3, "{}", made.stages.len());
    assert!((settings.nodes / 2..settings.nodes * 3 / 2).contains(&made.nodes), "{}", made.nodes);
    assert!(made.stages.windows(2).all(|pair| pair[1].depth == pair[0].depth + 1));
    assert!(made.stages.windows(2).all(|pair| pair[1].searched.len() <= pair[0].searched.len()));
    assert!(!made.book.entries().is_empty() && made.book.entries().len() <= settings.entries);
    for stage in &made.stages {
        for searched in &stage.searched {
            let red = Setup::from_rank(searched.red).expect("a setup");
            assert!(searched.red <= red.mirrored().rank(), "one of two reflections");
        }
    }
    // Blue's replies suit red's setups: shuffled replies are worse for blue.
    let value = |red: &Setup, reply: &Setup| {
        let mut position = Position::new();
        position.play(Move::setup(red));
        position.play(Move::setup(reply));
        engine::evaluate(EvaluationKind::Network, &position).units()
    };
    let entries = made.book.entries();
    let suited: i32 = entries.iter().map(|entry| value(&entry.red, &entry.reply)).sum();
    let exchanged: i32 = entries.iter().zip(entries.iter().cycle().skip(7)).map(|(a, b)| value(&a.red, &b.reply)).sum();
    assert!(suited < exchanged, "{suited} {exchanged}");
}

#[test]
fn other_seeds_are_other_books() {
    // With more nodes, different seeds find the same setups.
    let of = |seed| whole(&Settings { seed, nodes: 20_000, ..settings() }, 2).book;
    assert!(of(3) == of(3) && of(3) != of(4));
}

#[test]
fn a_checkpoint_of_another_book_and_a_damaged_one_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let small = Settings { nodes: 100_000, ..settings() };
    made(&small, 2, folder.path()).expect("no error");
    let refused = made(&settings(), 2, folder.path()).expect_err("it is another one");
    assert!(matches!(refused, SetupsError::Other { .. }), "{refused}");
    // The number of kept entries does not affect the work.
    let fewer = made(&Settings { entries: 5, ..small.clone() }, 2, folder.path()).expect("no error").expect("a book");
    assert_eq!(fewer.book.entries().len(), 5);
    let path = folder.path().join("checkpoint.json");
    std::fs::write(&path, "{\"identity\":").expect("a file");
    let refused = made(&small, 2, folder.path()).expect_err("it is damaged").to_string();
    assert!(refused.contains("checkpoint.json is not a checkpoint of a book of setups"), "{refused}");
}
