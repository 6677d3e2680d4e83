//! What a search in several threads must get right under any scheduling: legal moves, forced wins, node counts, and
//! that no thread outlives it. One thread is the same search as before.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::{
    bench_positions, signature, Budget, Engine, EngineConfig, NeverStop, NoClock, Position, Score, SearchRequest,
    SearchResult, Side, Stop,
};
use std::num::NonZeroUsize;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of nodes that a thread searches between two checks of the limits.
const UNSEEN: u64 = 256;

fn config(threads: usize) -> EngineConfig {
    EngineConfig { table_bytes: 1 << 18, threads: NonZeroUsize::new(threads).unwrap(), ..EngineConfig::default() }
}

fn search(engine: &mut Engine, position: &Position, budget: Budget) -> SearchResult {
    engine.search(position, &[], &budget, &NeverStop, &NoClock).unwrap()
}

fn assert_playable(position: &Position, result: &SearchResult) {
    assert!(position.is_legal(result.best), "{position}");
    assert_eq!(result.pv.moves().next(), Some(result.best));
    let mut along = *position;
    for mv in result.pv.moves() {
        assert!(along.is_legal(mv), "{mv:?} in {along}");
        along.play(mv);
    }
}

#[test]
fn threads_together_find_legal_moves() {
    for threads in [2, 4] {
        let mut engine = Engine::new(&config(threads));
        for position in bench_positions() {
            engine.new_game();
            let result = search(&mut engine, &position, Budget::Depth(7));
            assert_playable(&position, &result);
            assert!(result.depth == 7 || result.score.plies_to_end().is_some(), "{position}: {result:?}");
        }
    }
}

#[test]
fn setups_are_found_and_a_finished_game_has_no_move() {
    let mut engine = Engine::new(&config(4));
    let mut position = Position::new();
    for _ in Side::ALL {
        let result = search(&mut engine, &position, Budget::Nodes(2_000));
        assert_playable(&position, &result);
        position.play(result.best);
    }
    assert_eq!((position.plies(), position.outcome()), (2, None));
    let over: Position =
        "AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 102".parse().unwrap();
    assert!(engine.search(&over, &[], &Budget::Depth(3), &NeverStop, &NoClock).is_none());
}

#[test]
fn forced_wins_are_found_proven_and_converted() {
    let start: Position =
        "AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90".parse().unwrap();
    for threads in [2, 4] {
        let mut engine = Engine::new(&config(threads));
        let (mut position, mut keys) = (start, Vec::new());
        while position.outcome().is_none() {
            let budget = Budget::Depth(8);
            let result = engine.search(&position, &keys, &budget, &NeverStop, &NoClock).unwrap();
            let winning = if position.side_to_move() == Side::Red { result.score } else { -result.score };
            assert!(winning.is_win() && winning.plies_to_end().is_some(), "{position}: {}", result.score);
            keys.push(position.key());
            position.play(result.best);
        }
        assert_eq!(position.outcome(), Some(engine::Outcome::Win(Side::Red)));
    }
}

#[test]
fn forced_losses_are_proven() {
    let zugzwang: Position =
        ".FN...AW/DDDAAD.F/..A..A../..D.A.../..A..A../.AAN...w/D..FDA../...A..DF AAAA b 77".parse().unwrap();
    let lost: Position =
        "DAA.WAAA/..D..AFA/..A.F..F/.A.D.DA./..N...NA/D......./w.....a./...A...f AAADDD b 69".parse().unwrap();
    for threads in [2, 4] {
        let scores = [zugzwang, lost]
            .map(|position| search(&mut Engine::new(&config(threads)), &position, Budget::Depth(3)).score);
        assert_eq!(scores, [Score::loss_in(2), Score::loss_in(4)]);
    }
}

#[test]
fn the_nodes_of_all_threads_count_together() {
    for (threads, nodes) in [(2, 0), (2, 1), (2, 30_000), (4, 30_000)] {
        let mut engine = Engine::new(&config(threads));
        for position in bench_positions().take(4) {
            let mut shown = Vec::new();
            let budgets = [Budget::Nodes(nodes)];
            let request = SearchRequest {
                position: &position,
                history: &[],
                budgets: &budgets,
                stop: &NeverStop,
                timer: &NoClock,
            };
            let result =
                engine.search_with_progress(&request, &mut |progress| shown.push(progress.result.nodes)).unwrap();
            assert_playable(&position, &result);
            assert!((nodes..=nodes + threads as u64 * UNSEEN).contains(&result.nodes), "{} of {nodes}", result.nodes);
            shown.push(result.nodes);
            assert!(shown.windows(2).all(|pair| pair[0] <= pair[1]), "{shown:?}");
        }
    }
}

#[test]
fn a_stop_ends_all_threads() {
    let position = bench_positions().nth(4).unwrap();
    for threads in [2, 4] {
        let stop = AtomicBool::new(false);
        let request = SearchRequest { position: &position, history: &[], budgets: &[], stop: &stop, timer: &NoClock };
        let mut engine = Engine::new(&config(threads));
        let result = engine.search_with_progress(&request, &mut |progress| {
            if progress.result.depth == 5 {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let result = result.unwrap();
        assert_playable(&position, &result);
        assert!(result.depth >= 5);
        // A search that is stopped before it begins.
        assert!(stop.stopped());
        let result = engine.search_with_progress(&request, &mut |_| ()).unwrap();
        assert_playable(&position, &result);
        assert_eq!(result.depth, 0);
    }
}

#[test]
fn a_panic_of_the_caller_leaves_no_thread_behind() {
    let position = bench_positions().nth(4).unwrap();
    let mut engine = Engine::new(&config(3));
    let request = SearchRequest { position: &position, history: &[], budgets: &[], stop: &NeverStop, timer: &NoClock };
    // The call would not return if a helper continued.
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        engine.search_with_progress(&request, &mut |progress| assert!(progress.result.depth < 3, "intended"))
    }));
    assert!(panicked.is_err());
    assert_playable(&position, &search(&mut engine, &position, Budget::Depth(5)));
}

#[test]
fn one_thread_is_the_search_of_before_whatever_was_configured_earlier() {
    let position = bench_positions().nth(6).unwrap();
    let mut engine = Engine::new(&config(1));
    let alone = search(&mut engine, &position, Budget::Depth(8));
    for threads in [4, 2] {
        engine.configure(&config(threads));
        assert_playable(&position, &search(&mut engine, &position, Budget::Depth(8)));
    }
    engine.configure(&config(1));
    assert_eq!(search(&mut engine, &position, Budget::Depth(8)), alone);
    let usual = signature(&EngineConfig::default());
    let one = EngineConfig { threads: NonZeroUsize::MIN, ..EngineConfig::default() };
    assert_eq!(signature(&one), usual);
}
