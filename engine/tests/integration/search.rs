//! What a search must get right with any parameters: legal moves, forced wins, the end of the game, repetitions,
//! budgets, reproducible results.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::params::{AlphaBetaParams, BookParams};
use engine::{
    BookEntry, Budget, Engine, EngineConfig, EvaluationKind, Move, MoveKind, MoveList, NeverStop, NoClock, NodeClock,
    Outcome, Params, Position, Score, SearchRequest, SearchResult, Setup, SetupBook, Side, Stop, TimeLeft, PLY_LIMIT,
};
use proptest::prelude::*;
use std::num::NonZeroU64;
use std::time::Duration;

fn searching(alpha_beta: AlphaBetaParams) -> Params {
    Params { alpha_beta, ..Params::default() }
}

fn config() -> EngineConfig {
    EngineConfig { table_bytes: 1 << 18, ..EngineConfig::default() }
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

fn search(engine: &mut Engine, position: &Position, history: &[u64], budget: Budget) -> SearchResult {
    engine.search(position, history, &budget, &NeverStop, &NoClock).unwrap()
}

fn fresh(position: &Position, budget: Budget) -> SearchResult {
    search(&mut Engine::new(&config()), position, &[], budget)
}

/// `SplitMix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A position after `plies` random plies of an unfinished game, and the keys of those before it.
pub(super) fn random_position(seed: u64, plies: u16) -> (Position, Vec<u64>) {
    let mut state = seed;
    loop {
        let (mut position, mut keys) = (Position::new(), Vec::new());
        while position.plies() < plies && position.outcome().is_none() {
            let count = u64::from(position.legal_count());
            let mv = position.nth_legal((next(&mut state) % count) as u32).unwrap();
            keys.push(position.key());
            position.play(mv);
        }
        if position.outcome().is_none() {
            return (position, keys);
        }
    }
}

/// The result with best play within `plies` more plies, by exhaustive search: 1 a win, -1 a loss, 0 neither.
pub(super) fn solve(position: &Position, plies: u16) -> i32 {
    match position.outcome() {
        Some(Outcome::Win(side)) => return if side == position.side_to_move() { 1 } else { -1 },
        Some(Outcome::Draw(_)) => return 0,
        None if plies == 0 => return 0,
        None => {}
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut best = -1;
    for &mv in &moves {
        let mut after = *position;
        after.play(mv);
        best = best.max(-solve(&after, plies - 1));
        if best == 1 {
            break;
        }
    }
    best
}

#[test]
fn a_possible_wazir_capture_is_played() {
    for text in [
        "d..dd..A/Ana..A../...W...a/......D./.a.aa.../..aa..f./df.aad.n/waf....d aaadf b 77",
        ".d..a.F./.......d/a...N..D/Da.faA../...A.awW/.f.D.d../a.aa.nfa/adaaa.d. A r 86",
        "DF...AA./AdNWADA./..AD..AA/af..a.../A.....A./...f.Df./...d...D/w.a...d. AAan b 101",
    ] {
        let mut position = position(text);
        let mover = position.side_to_move();
        let report = fresh(&position, Budget::Nodes(0));
        assert_eq!(report.score, Score::win_in(1));
        position.play(report.best);
        assert_eq!(position.outcome(), Some(Outcome::Win(mover)), "{text}");
    }
}

#[test]
fn exactly_the_forced_wins_within_three_plies_are_found() {
    let mut wins = 0;
    for seed in 0..400 {
        let (position, history) = random_position(seed, 10 + (seed % 60) as u16);
        let solved = solve(&position, 3);
        let report = search(&mut Engine::new(&config()), &position, &history, Budget::Depth(2));
        match report.score.plies_to_end() {
            Some(plies) if plies <= 3 => assert_eq!(solved, report.score.units().signum(), "{position}"),
            _ => assert_eq!(solved, 0, "{position}: {}", report.score),
        }
        wins += i32::from(report.score == Score::win_in(3));
    }
    assert!(wins >= 10, "{wins} wins are too few to say anything");
}

#[test]
fn the_last_plies_are_solved_exactly() {
    let params = searching(AlphaBetaParams {
        null_move: false,
        lmr: false,
        futility: false,
        repetition: false,
        ..AlphaBetaParams::default()
    });
    let mut results = [0; 3];
    for seed in 0..150 {
        let (position, history) = random_position(seed, PLY_LIMIT - 1 - (seed % 3) as u16);
        let left = PLY_LIMIT - position.plies();
        let solved = solve(&position, left);
        let mut engine = Engine::new(&EngineConfig { params, ..config() });
        let report = search(&mut engine, &position, &history, Budget::Depth(20));
        assert_eq!(report.score.units().signum(), solved, "{position}: {}", report.score);
        assert_eq!(report.score.plies_to_end().is_some(), solved != 0, "{position}: {}", report.score);
        assert!(u16::from(report.depth) <= left);
        results[(solved + 1) as usize] += 1;
    }
    assert!(results.iter().all(|&count| count > 0), "{results:?}");
}

#[test]
fn a_side_that_can_no_longer_win_scores_at_most_a_draw() {
    // After 99 plies the side to move has two moves left and the opponent one, with which it can no longer win.
    for seed in 0..200 {
        let (position, history) = random_position(seed, PLY_LIMIT - 3);
        let report = search(&mut Engine::new(&config()), &position, &history, Budget::Depth(1));
        assert!(report.score.is_loss() || report.score >= Score::DRAW, "{position}: {}", report.score);
    }
}

#[test]
fn without_a_safe_move_a_legal_one_is_played() {
    let zugzwang = position(".FN...AW/DDDAAD.F/..A..A../..D.A.../..A..A../.AAN...w/D..FDA../...A..DF AAAA b 77");
    let report = fresh(&zugzwang, Budget::Depth(3));
    assert!(zugzwang.is_legal(report.best));
    assert_eq!(report.score, Score::loss_in(2));
    let mated = position("..DF.ADA/aD....../N.FAA.A./....W.A./......../.a...da./fwa.d.aa/ad..dd.. Faaan r 52");
    let report = fresh(&mated, Budget::Depth(3));
    assert!(mated.is_legal(report.best));
    assert_eq!(report.score, Score::loss_in(2));
}

#[test]
fn a_finished_game_has_no_move() {
    let stuck = position("WAdd.A../Add.A.../dd.A...A/d.Ad..A./.Aff.Aff/A...Ann./...A...A/..A...Aw - r 80");
    let finished = |position: &Position| {
        Engine::new(&config()).search(position, &[], &Budget::Depth(3), &NeverStop, &NoClock).is_none()
    };
    assert_eq!(finished(&stuck), stuck.outcome().is_some());
    let (mut last, _) = random_position(5, PLY_LIMIT - 1);
    last.play(fresh(&last, Budget::Depth(1)).best);
    assert!(last.outcome().is_some());
    assert!(finished(&last));
}

#[test]
fn a_repetition_scores_as_a_draw() {
    // Blue is lost, but every position after one of its moves has occurred before.
    let behind = position("DAA.WAAA/..D..AFA/..A.F..F/.A.D.DA./..N...NA/D......./w.....a./...A...f AAADDD b 69");
    let mut moves = MoveList::new();
    behind.safe_moves(&mut moves);
    let history: Vec<u64> = moves
        .iter()
        .map(|&mv| {
            let mut after = behind;
            after.play(mv);
            after.key()
        })
        .collect();
    let with = search(&mut Engine::new(&config()), &behind, &history, Budget::Depth(3));
    assert_eq!(with.score, Score::DRAW);
    let without = search(&mut Engine::new(&config()), &behind, &[], Budget::Depth(3));
    assert_eq!(without.score, Score::loss_in(4));
    let params = searching(AlphaBetaParams { repetition: false, ..AlphaBetaParams::default() });
    let off = search(&mut Engine::new(&EngineConfig { params, ..config() }), &behind, &history, Budget::Depth(3));
    assert_eq!(off.score, without.score);
}

#[test]
fn a_return_to_the_root_position_is_a_repetition() {
    for position in engine::bench_positions() {
        let report = fresh(&position, Budget::Depth(6));
        let with_history = search(&mut Engine::new(&config()), &position, &[position.key()], Budget::Depth(6));
        assert_eq!(with_history, report, "{position}");
    }
}

#[test]
fn chosen_setups_are_legal_and_good() {
    for nodes in [0, 1, 1_000] {
        let mut position = Position::new();
        for _ in Side::ALL {
            let report = fresh(&position, Budget::Nodes(nodes));
            assert!(position.is_legal(report.best) && report.nodes <= nodes);
            position.play(report.best);
        }
        assert_eq!((position.plies(), position.outcome()), (2, None));
    }
    // Better than nearly all random setups by static evaluation.
    let value = |mv| {
        let mut after = Position::new();
        after.play(mv);
        -engine::evaluate(EvaluationKind::PieceSquare, &after)
    };
    let chosen = value(fresh(&Position::new(), Budget::Nodes(0)).best);
    let better = (0..500).filter(|n| {
        let rank = (n * 21_611) % Setup::COUNT;
        value(engine::Move::setup_of_rank(rank).unwrap()) > chosen
    });
    assert!(better.count() <= 10);
}

struct Stopped;

impl Stop for Stopped {
    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn a_stopped_search_still_has_a_move() {
    let (position, history) = random_position(3, 20);
    let mut engine = Engine::new(&config());
    let report = engine.search(&position, &history, &Budget::Depth(30), &Stopped, &NoClock).unwrap();
    assert!(position.is_legal(report.best));
    assert_eq!((report.nodes, report.depth), (0, 0));
}

#[test]
fn the_node_clock_is_kept() {
    let rate = NonZeroU64::new(1_000_000).unwrap();
    let clock = NodeClock { nodes_per_second: rate };
    let (mut position, mut keys) = random_position(8, 2);
    let mut engine = Engine::new(&config());
    let mut remaining = [Duration::from_millis(100); 2];
    while position.outcome().is_none() {
        let own = &mut remaining[position.side_to_move().index()];
        let budget =
            Budget::Clock(TimeLeft { remaining: *own, reserve: Duration::from_millis(5), increment: Duration::ZERO });
        let report = engine.search(&position, &keys, &budget, &NeverStop, &clock).unwrap();
        *own = own.checked_sub(Duration::from_micros(report.nodes)).unwrap();
        keys.push(position.key());
        position.play(report.best);
    }
    // The clock is checked every 256 nodes, so a large part of the reserve may be used, once.
    assert!(remaining.iter().all(|left| *left >= Duration::from_micros(4_700)), "{remaining:?}");
    let middle = engine::bench_positions().nth(4).unwrap();
    let report = engine.search(&middle, &[], &Budget::MoveTime(Duration::from_millis(2)), &NeverStop, &clock).unwrap();
    assert!((2_000..=2_256).contains(&report.nodes), "{}", report.nodes);
}

#[test]
fn several_budgets_are_all_kept_and_each_iteration_is_reported() {
    let clock = NodeClock { nodes_per_second: NonZeroU64::new(1_000_000).unwrap() };
    let middle = engine::bench_positions().nth(4).unwrap();
    let search = |budgets: &[Budget]| {
        let mut shown = Vec::new();
        let request = SearchRequest { position: &middle, history: &[], budgets, stop: &NeverStop, timer: &clock };
        let report = Engine::new(&config())
            .search_with_progress(&request, &mut |progress| shown.push(*progress.result))
            .unwrap();
        (report, shown)
    };
    let time = |millis| Budget::MoveTime(Duration::from_millis(millis));
    let (deep, shown) = search(&[Budget::Depth(5), Budget::Nodes(1_000_000), time(900)]);
    assert_eq!(deep, fresh(&middle, Budget::Depth(5)));
    assert_eq!(shown.iter().map(|report| report.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(shown.windows(2).all(|pair| pair[0].nodes < pair[1].nodes));
    assert_eq!(shown.last(), Some(&deep));
    assert_eq!(search(&[Budget::Depth(30), Budget::Nodes(777), time(900)]).0.nodes, 777);
    assert_eq!(search(&[time(900), Budget::Depth(30), time(2)]).0, search(&[time(2)]).0);
}

#[test]
fn a_game_with_increments_keeps_the_node_clock() {
    let clock = NodeClock { nodes_per_second: NonZeroU64::new(1_000_000).unwrap() };
    let (mut position, mut keys) = random_position(9, 2);
    let mut engine = Engine::new(&config());
    let increment = Duration::from_millis(2);
    let mut remaining = [Duration::from_millis(10); 2];
    let mut spent = Duration::ZERO;
    while position.outcome().is_none() {
        let own = &mut remaining[position.side_to_move().index()];
        let left = TimeLeft { remaining: *own, reserve: Duration::ZERO, increment };
        let report = engine.search(&position, &keys, &Budget::Clock(left), &NeverStop, &clock).unwrap();
        let took = Duration::from_micros(report.nodes);
        *own = own.checked_sub(took).unwrap() + increment;
        spent += took;
        keys.push(position.key());
        position.play(report.best);
    }
    // Far more than both clocks had at the start.
    assert!(spent > Duration::from_millis(30), "{spent:?} in {} plies", position.plies());
}

/// One game of an engine against itself: the results of all searches.
fn game(engine: &mut Engine, seed: u64, nodes: u64) -> Vec<SearchResult> {
    let (mut position, mut keys) = random_position(seed, 2);
    engine.new_game();
    let mut reports = Vec::new();
    while position.outcome().is_none() {
        let report = search(engine, &position, &keys, Budget::Nodes(nodes));
        keys.push(position.key());
        position.play(report.best);
        reports.push(report);
    }
    reports
}

#[test]
fn a_game_does_not_depend_on_the_games_before_it() {
    let small = EngineConfig { table_bytes: 1 << 14, ..config() };
    let mut used = Engine::new(&small);
    for seed in 0..1_000 {
        game(&mut used, seed, 40);
    }
    assert_eq!(game(&mut used, 5_000, 2_000), game(&mut Engine::new(&small), 5_000, 2_000));
    // The result does not depend on an earlier configuration of the engine either.
    let other = EngineConfig {
        evaluation: EvaluationKind::Material.into(),
        params: searching(AlphaBetaParams { lmr: false, ..small.params.alpha_beta }),
        ..small.clone()
    };
    used.configure(&other);
    assert_eq!(game(&mut used, 5_001, 1_000), game(&mut Engine::new(&other), 5_001, 1_000));
    used.configure(&config());
    assert_eq!(game(&mut used, 5_002, 1_000), game(&mut Engine::new(&config()), 5_002, 1_000));
}

#[test]
fn a_forced_win_is_converted() {
    // Red has all the pieces and twelve plies left.
    let mut position =
        position("AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90");
    let mut engine = Engine::new(&config());
    let mut keys = Vec::new();
    while position.outcome().is_none() {
        let report = search(&mut engine, &position, &keys, Budget::Nodes(5_000));
        keys.push(position.key());
        position.play(report.best);
    }
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::Red)));
}

/// Parameters with random switches.
pub(super) fn any_params() -> impl Strategy<Value = Params> {
    any::<u64>().prop_map(|bits| {
        let mut params = Params::default();
        let switches = engine::PARAMS.iter().filter(|info| info.kind == engine::ParamKind::Switch);
        for (i, info) in switches.enumerate() {
            params.set(info.name, f64::from((bits >> i) as u8 & 1)).unwrap();
        }
        params
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_budget_and_parameters_give_a_reproducible_legal_move(
        seed in any::<u64>(), plies in 0..PLY_LIMIT, nodes in 0..3_000_u64, params in any_params(),
        material in any::<bool>(),
    ) {
        let (position, history) = random_position(seed, plies);
        let evaluation = if material { EvaluationKind::Material } else { EvaluationKind::PieceSquare };
        let config = EngineConfig { evaluation: evaluation.into(), params, table_bytes: 1 << 12, ..config() };
        let report = search(&mut Engine::new(&config), &position, &history, Budget::Nodes(nodes));
        prop_assert!(position.is_legal(report.best));
        prop_assert!(report.nodes <= nodes);
        prop_assert_eq!(report.pv.moves().next(), Some(report.best));
        let mut along = position;
        for mv in report.pv.moves() {
            prop_assert!(along.is_legal(mv), "{:?} in {}", mv, along);
            along.play(mv);
        }
        prop_assert_eq!(search(&mut Engine::new(&config), &position, &history, Budget::Nodes(nodes)), report);
    }
}

/// An engine with a book of one entry, which it plays regardless of the evaluation.
fn with_book() -> (Engine, BookEntry) {
    let setup = |rank| Setup::from_rank(rank).unwrap();
    let entry = BookEntry { red: setup(5), reply: setup(4_321_000), value: Score::from_logit(-0.3), depth: 9 };
    let book = std::sync::Arc::new(SetupBook::new(&[entry]).unwrap());
    (Engine::new(&EngineConfig { book, ..config() }), entry)
}

#[test]
fn setups_are_played_by_the_book() {
    let (mut engine, entry) = with_book();
    let mut played = std::collections::BTreeSet::new();
    for seed in 0..20 {
        engine.set_seed(seed);
        let red = search(&mut engine, &Position::new(), &[], Budget::Nodes(1_000));
        assert_eq!((red.score, red.depth, red.nodes), (entry.value, entry.depth, 0));
        let mut after = Position::new();
        after.play(red.best);
        let blue = search(&mut engine, &after, &[Position::new().key()], Budget::Nodes(1_000));
        assert_eq!((blue.score, blue.nodes), (-entry.value, 0));
        assert_eq!(red.pv.moves().collect::<Vec<_>>(), [red.best, blue.best]);
        played.insert((red.best.code(), blue.best.code()));
    }
    let both = [entry, entry.mirrored()];
    let expected = both.map(|entry| (Move::setup(&entry.red).code(), Move::setup(&entry.reply).code()));
    assert_eq!(played, expected.into(), "both reflections are drawn");
}

#[test]
fn a_setup_that_the_book_does_not_know_is_answered_by_search() {
    let (mut engine, entry) = with_book();
    let mut position = Position::new();
    position.play(Move::setup_of_rank(10_000_000).unwrap());
    let known = static_value(&position, &entry.reply);
    let found = search(&mut engine, &position, &[Position::new().key()], Budget::Depth(2));
    assert!(found.nodes > 0 && position.is_legal(found.best));
    let MoveKind::Setup(setup) = found.best.kind() else { panic!("a setup") };
    // The book's reply is far from optimal, but swaps of two pieces improve it.
    assert!(static_value(&position, &setup) > known, "{setup:?}");
}

/// The value of a setup for blue.
fn static_value(position: &Position, setup: &Setup) -> Score {
    let mut after = *position;
    after.play(Move::setup(setup));
    -engine::evaluate(EvaluationKind::Network, &after)
}

#[test]
fn without_a_book_red_draws_from_a_sample_of_the_games_own() {
    let params = Params { book: BookParams { setup_book: false, ..BookParams::default() }, ..Params::default() };
    let mut engine = Engine::new(&EngineConfig { params, ..config() });
    let mut red = |seed| {
        engine.set_seed(seed);
        search(&mut engine, &Position::new(), &[], Budget::Nodes(100)).best
    };
    assert_eq!(red(3), red(3));
    assert!((0..10).any(|seed| red(seed) != red(3)));
}
