//! Tests of checks, and results for the coordinator's other tests.

#![expect(clippy::unnecessary_box_returns, reason = "results are kept in boxes")]

use super::*;
use arena::run::{Circumstances, Sides};

fn result(moves: u32) -> Box<PairResult> {
    let ending = play::Ending::Draw { by: play::DrawRule::PlyLimit };
    let game = arena::run::GameRecord {
        moves: vec![moves],
        ending,
        nodes: play::BySide::default(),
        track: Vec::new(),
        circumstances: Circumstances::default(),
    };
    Box::new(PairResult {
        pair: 7,
        start: None,
        opening: Vec::new(),
        sides: Sides::Swapped,
        games: vec![game.clone(), game],
        took: Duration::default(),
    })
}

/// Returns a result of this pair.
pub(in crate::coordinator) fn of_pair(pair: PairIndex) -> PairResult {
    PairResult { pair, ..*result(1) }
}

/// Returns a result in which a process died.
fn broken() -> Box<PairResult> {
    let mut broken = result(1);
    let fault = play::Fault::Crash("killed".to_owned());
    broken.games[0].ending = play::Ending::Forfeit { loser: play::Side::First, fault };
    broken
}

fn name(name: &str) -> WorkerName {
    name.parse().unwrap()
}

/// Returns checks with one pair, which `a` has played with result 1.
fn checks(sure: Sure) -> Checks {
    let mut checks = Checks::new(sure, Sample::new(3, 1.0));
    assert!(checks.wants(&result(1), &name("a")));
    checks.begin(7, Check::new(name("a"), 5, Arc::from([1]), result(1), Instant::now()));
    assert!(!checks.wants(&result(1), &name("b")), "once is enough");
    checks
}

fn here(times: usize) -> Finding {
    Finding::PlayHere { spec: Arc::from([1]), times }
}

#[test]
fn a_pair_that_comes_out_the_same_is_checked() {
    let mut checks = checks(Sure::All);
    assert_eq!(
        checks.second(7, 5, &name("a"), result(1), Instant::now()),
        None,
        "the same worker again is not evidence"
    );
    assert_eq!(checks.second(7, 6, &name("b"), result(1), Instant::now()), None, "another pair");
    assert_eq!(checks.second(7, 5, &name("b"), result(1), Instant::now()), Some(Finding::Same));
    assert_eq!((checks.open(), checks.second(7, 5, &name("c"), result(2), Instant::now())), (0, None));
}

#[test]
fn a_worker_that_differs_from_the_coordinator_is_not_trusted() {
    for (truth, liars) in [(1, vec!["b"]), (2, vec!["a"]), (3, vec!["a", "b"])] {
        let mut checks = checks(Sure::All);
        assert_eq!(checks.second(7, 5, &name("b"), result(2), Instant::now()), Some(here(2)));
        let found = checks.here(7, 5, &[*result(truth), *result(truth)]);
        assert_eq!(found, Some(Finding::Liars(liars.into_iter().map(name).collect())));
        assert_eq!(checks.open(), 0);
    }
}

#[test]
fn an_unsteady_engine_discredits_no_worker() {
    let mut twice = checks(Sure::Games);
    assert_eq!(twice.second(7, 5, &name("b"), result(2), Instant::now()), Some(here(2)));
    assert_eq!(twice.here(7, 5, &[*result(1), *result(3)]), Some(Finding::Unsteady));
    assert!(!twice.wants(&of_pair(8), &name("c")), "nothing is checked any more");
    let mut three_ways = checks(Sure::Games);
    assert_eq!(three_ways.second(7, 5, &name("b"), result(2), Instant::now()), Some(here(2)));
    let found = three_ways.here(7, 5, &[*result(3), *result(3)]);
    assert_eq!(found, Some(Finding::ThreeWays(vec![name("a"), name("b")])));
    assert!(three_ways.wants(&of_pair(8), &name("c")), "that is not a reason to trust all");
}

#[test]
fn a_process_that_dies_says_nothing_of_anybody() {
    let mut checks = checks(Sure::Games);
    assert!(!checks.wants(&PairResult { pair: 8, ..*broken() }, &name("c")));
    assert_eq!(checks.second(7, 5, &name("b"), broken(), Instant::now()), Some(here(2)));
    assert_eq!(checks.here(7, 4, &[*result(2), *result(2)]), None, "what was asked for before");
    assert_eq!(checks.here(7, 5, &[*result(1), *result(1)]), Some(Finding::Same));
}

#[test]
fn an_unanswered_check_is_made_here() {
    let mut checks = checks(Sure::All);
    assert!(checks.alone(Instant::now() + LATE / 2, |_| true).is_empty());
    checks.excuse(Instant::now() + LATE);
    assert!(checks.alone(Instant::now() + LATE, |_| true).is_empty(), "the run was paused");
    assert_eq!(checks.alone(Instant::now() + 2 * LATE, |_| true).len(), 1);
}

#[test]
fn late_answers_cannot_delay_checks_for_ever() {
    let mut checks = checks(Sure::All);
    let began = Instant::now();
    assert_eq!(checks.second(7, 5, &name("b"), result(1), began + 40 * LATE), Some(Finding::Same));
    checks.begin(8, Check::new(name("a"), 5, Arc::from([1]), result(1), began));
    assert!(checks.alone(began + LATEST / 2, |_| true).is_empty());
    assert_eq!(checks.alone(began + LATEST, |_| true).len(), 1);
}

#[test]
fn one_worker_alone_is_checked_here() {
    let mut checks = checks(Sure::All);
    let soon = Instant::now() + ALONE;
    assert!(checks.alone(soon, |_| true).is_empty(), "another worker is there");
    assert_eq!(checks.alone(soon, |_| false).len(), 1);
    assert!(checks.alone(soon, |_| false).is_empty(), "it is being played");
    assert_eq!(checks.here(7, 5, &[*result(2)]), Some(here(2)));
    assert_eq!(checks.here(7, 5, &[*result(2), *result(2)]), Some(Finding::Liars(vec![name("a")])));
}

#[test]
fn the_first_pair_of_each_worker_is_checked_and_then_a_share() {
    let mut checks = Checks::new(Sure::All, Sample::new(3, 0.02));
    assert!(checks.wants(&of_pair(0), &name("a")) && checks.wants(&of_pair(0), &name("b")));
    let wanted = (1..=10_000).filter(|&pair| checks.wants(&of_pair(pair), &name("a"))).count();
    assert!((120..280).contains(&wanted), "{wanted} of 10,000");
    let mut none = Checks::new(Sure::All, Sample::new(3, 0.0));
    assert!(!none.wants(&of_pair(0), &name("a")));
    assert!(!Checks::new(Sure::Nothing, Sample::new(3, 1.0)).wants(&of_pair(0), &name("a")));
}
