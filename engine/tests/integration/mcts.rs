//! What the tree search must get right with any parameters: legal moves, proven results, the end of the game,
//! repetitions, budgets, and reproducible results, also in a tree that is kept from move to move.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use super::search::{any_params, random_position, solve};
use crate::naive::Board;
use engine::eval::{policy, Evaluation};
use engine::params::MctsParams;
use engine::{
    format_move, Budget, Engine, EngineConfig, EvaluationKind, Evaluator, MoveList, NeverStop, NoClock, NodeClock,
    Outcome, Params, Policy, PolicyParts, PolicyRow, PolicyRows, Position, Progress, Score, SearchRequest,
    SearchResult, Side, TimeLeft, PLY_LIMIT,
};
use proptest::prelude::*;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn config() -> EngineConfig {
    EngineConfig {
        search: "mcts".parse().unwrap(),
        evaluation: EvaluationKind::PieceSquare.into(),
        table_bytes: 1 << 22,
        ..EngineConfig::default()
    }
}

fn with(mcts: MctsParams) -> EngineConfig {
    EngineConfig { params: Params { mcts, ..Params::default() }, ..config() }
}

fn search(engine: &mut Engine, position: &Position, history: &[u64], budget: Budget) -> SearchResult {
    engine.search(position, history, &budget, &NeverStop, &NoClock).unwrap()
}

fn fresh(position: &Position, history: &[u64], nodes: u64) -> SearchResult {
    search(&mut Engine::new(&config()), position, history, Budget::Nodes(nodes))
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

#[test]
fn logits_of_the_shipped_policy_are_near_those_of_unrounded_activations() {
    let policy = Policy::from_bytes(include_bytes!("../../src/eval/policy.bin")).unwrap();
    let Evaluator::Network(network) = EvaluationKind::Network.into() else { panic!("a network") };
    let (mut line, mut moves, mut logits) = (network.new_line(1), MoveList::new(), Vec::new());
    let parts = policy.parts();
    let mut errors: Vec<f64> = Vec::new();
    for seed in 0..300 {
        let (position, _) = random_position(seed, 10 + (seed % 60) as u16);
        network.start(&mut line, &position);
        let hidden = network.hidden(&mut line, 0, &position).unwrap();
        let activations: Vec<f64> = hidden.activations().map(|units| f64::from(units) / (255.0 * 255.0)).collect();
        let described = PolicyRows::new(&position).unwrap();
        position.safe_moves(&mut moves);
        let rows: Vec<PolicyRow> = moves.iter().map(|&mv| described.row(mv)).collect();
        policy.logits(hidden, &rows, &mut logits);
        let error = |(row, &logit): (&PolicyRow, &f32)| {
            let weights = |number: usize| &parts.weights[number * activations.len()..][..activations.len()];
            let dot = |number| weights(number).iter().zip(&activations).map(|(&w, a)| f64::from(w) * a).sum::<f64>();
            let biases: f64 = row.biases().iter().map(|&number| f64::from(parts.biases[number]) / 255.0).sum();
            let exact = (row.weights().into_iter().map(dot).sum::<f64>() + biases) / f64::from(parts.scale);
            (f64::from(logit) - exact).abs()
        };
        assert_eq!(logits.len(), moves.len());
        errors.push(rows.iter().zip(&logits).map(error).fold(0.0, f64::max));
    }
    errors.sort_by(f64::total_cmp);
    let (median, largest) = (errors[errors.len() / 2], errors[errors.len() - 1]);
    assert!(median < 0.02 && largest < 0.1, "{median} {largest}");
}

#[test]
fn forced_wins_within_three_plies_are_proven_and_no_others() {
    let mut wins = 0;
    for seed in 0..150 {
        let (position, history) = random_position(seed, 10 + (seed % 60) as u16);
        let solved = solve(&position, 3);
        let report = fresh(&position, &history, 4_000);
        match report.score.plies_to_end() {
            Some(plies) if plies <= 3 => assert_eq!(solved, report.score.units().signum(), "{position}"),
            Some(_) => assert!(solved == 0, "{position}: {} is not the shortest", report.score),
            None => assert_eq!(solved, 0, "{position}: {}", report.score),
        }
        wins += i32::from(report.score == Score::win_in(3));
    }
    assert!(wins >= 5, "{wins} wins are too few to say anything");
}

/// Whether a check wins the wazir, whatever the answer.
fn has_mate(position: &Position) -> bool {
    let (mut moves, mut answers) = (MoveList::new(), MoveList::new());
    position.safe_moves(&mut moves);
    moves.iter().any(|&mv| {
        let mut after = *position;
        after.play(mv);
        after.safe_moves(&mut answers);
        after.in_check() && answers.is_empty() && after.legal_count() > 0 && after.plies() + 2 <= PLY_LIMIT
    })
}

#[test]
fn a_mate_is_found_without_a_search_if_mates_are_looked_for() {
    let mut engine = Engine::new(&with(MctsParams { mcts_mates: true, ..MctsParams::default() }));
    let mut mates = [0; 2];
    for seed in 0..40_000 {
        let (position, history) = random_position(seed, 10 + (seed % 91) as u16);
        let mut moves = MoveList::new();
        position.safe_moves(&mut moves);
        // Mates of a side in check are rare: many more of these positions are tried.
        if position.can_capture_wazir() || moves.is_empty() || (seed >= 2_000 && !position.in_check()) {
            continue;
        }
        let mut score = |nodes| {
            engine.new_game();
            search(&mut engine, &position, &history, Budget::Nodes(nodes)).score
        };
        let is_mate = has_mate(&position);
        assert_eq!(score(1) == Score::win_in(3), is_mate, "{position}");
        if is_mate {
            assert_eq!(solve(&position, 3), 1, "{position}");
            assert!(score(0).logit() > 13.0, "the value of a win: {position}");
            mates[usize::from(position.in_check())] += 1;
        }
    }
    assert!(mates[0] >= 5 && mates[1] >= 3, "{mates:?} mates are too few to say anything");
}

#[test]
fn a_leaf_in_check_is_worth_what_its_best_evasion_is() {
    let value = |evasions, position: &Position, history: &[u64]| {
        let params = MctsParams { mcts_evasions: evasions, mcts_quiescence: 1, ..MctsParams::default() };
        let report = search(&mut Engine::new(&with(params)), position, history, Budget::Nodes(0));
        report.score.logit().clamp(-13.8, 13.8)
    };
    let (mut checks, mut differences) = (0, 0);
    for seed in 0..400 {
        let (position, history) = random_position(seed, 10 + (seed % 60) as u16);
        let mut moves = MoveList::new();
        position.safe_moves(&mut moves);
        if moves.iter().any(|&mv| position.gives_check(mv)) {
            // The other side must evade in turn.
            continue;
        }
        let best = moves.iter().map(|&mv| {
            let mut after = position;
            after.play(mv);
            -engine::evaluate(EvaluationKind::PieceSquare, &after)
        });
        let best = best.max().filter(|_| position.in_check() && !position.can_capture_wazir());
        let Some(expected) = best.map(|best| best.logit().clamp(-13.8, 13.8)) else { continue };
        let found = value(true, &position, &history);
        assert!((found - expected).abs() < 1e-3, "{found} {expected}: {position}");
        checks += 1;
        differences += i32::from((value(false, &position, &history) - expected).abs() > 1e-3);
    }
    assert!(checks >= 20 && differences >= 5, "{checks} checks, {differences} differences");
}

#[test]
fn what_is_proven_is_right_with_all_additions() {
    let params = MctsParams { mcts_corrections: true, mcts_evasions: true, mcts_mates: true, ..MctsParams::default() };
    let mut engine = Engine::new(&with(params));
    let mut proven = 0;
    for seed in 0..100 {
        let (position, history) = random_position(seed, 10 + (seed % 60) as u16);
        engine.new_game();
        let score = search(&mut engine, &position, &history, Budget::Nodes(1_000)).score;
        let solved = solve(&position, 3);
        match score.plies_to_end() {
            Some(plies) if plies <= 3 => assert_eq!(solved, score.units().signum(), "{position}: {score}"),
            Some(_) => assert!(solved == 0, "{position}: {score} is not the shortest"),
            None => {}
        }
        assert!(
            score == Score::win_in(3) || !has_mate(&position) || position.can_capture_wazir(),
            "{position}: {score}"
        );
        proven += i32::from(score.plies_to_end().is_some());
    }
    assert!(proven >= 5, "{proven}");
}

#[test]
fn the_last_plies_are_solved_exactly() {
    let engine = || Engine::new(&with(MctsParams { mcts_repetition: false, ..MctsParams::default() }));
    let mut results = [0; 3];
    for seed in 0..100 {
        let (position, history) = random_position(seed, PLY_LIMIT - 1 - (seed % 2) as u16);
        let solved = solve(&position, PLY_LIMIT - position.plies());
        let report = search(&mut engine(), &position, &history, Budget::Nodes(100_000));
        assert_eq!(report.score.units(), report.score.units().signum() * report.score.units().abs());
        assert_eq!(report.score.units().signum(), solved, "{position}: {}", report.score);
        assert!(report.nodes < 100_000, "all of it is known: {position}");
        results[(solved + 1) as usize] += 1;
    }
    assert!(results.iter().all(|&count| count > 0), "{results:?}");
}

#[test]
fn positions_that_need_no_search_get_their_move() {
    let won = position("d..dd..A/Ana..A../...W...a/......D./.a.aa.../..aa..f./df.aad.n/waf....d aaadf b 77");
    assert_eq!(fresh(&won, &[], 0).score, Score::win_in(1));
    let mated = position("..DF.ADA/aD....../N.FAA.A./....W.A./......../.a...da./fwa.d.aa/ad..dd.. Faaan r 52");
    let report = fresh(&mated, &[], 100);
    assert!(mated.is_legal(report.best));
    assert_eq!(report.score, Score::loss_in(2));
    let (mut last, _) = random_position(5, PLY_LIMIT - 1);
    last.play(fresh(&last, &[], 100).best);
    let mut engine = Engine::new(&config());
    assert!(engine.search(&last, &[], &Budget::Nodes(100), &NeverStop, &NoClock).is_none(), "the game is over");
}

#[test]
fn a_repetition_counts_as_a_draw() {
    // Blue is lost, but every position after one of its moves has occurred before.
    let behind = position("DAA.WAAA/..D..AFA/..A.F..F/.A.D.DA./..N...NA/D......./w.....a./...A...f AAADDD b 69");
    let mut moves = MoveList::new();
    behind.safe_moves(&mut moves);
    let after = |&mv| {
        let mut after = behind;
        after.play(mv);
        after.key()
    };
    let history: Vec<u64> = moves.iter().map(after).collect();
    assert_eq!(fresh(&behind, &history, 2_000).score, Score::DRAW);
    assert_eq!(fresh(&behind, &[], 2_000).score, Score::loss_in(4));
    let off = with(MctsParams { mcts_repetition: false, ..MctsParams::default() });
    let off = search(&mut Engine::new(&off), &behind, &history, Budget::Nodes(2_000));
    assert_eq!(off.score, Score::loss_in(4));
}

#[test]
fn all_budgets_are_kept() {
    let clock = NodeClock { nodes_per_second: NonZeroU64::new(1_000_000).unwrap() };
    let middle = engine::bench_positions().nth(4).unwrap();
    let search = |budgets: &[Budget]| {
        let mut shown = Vec::new();
        let request = SearchRequest { position: &middle, history: &[], budgets, stop: &NeverStop, timer: &clock };
        let report = Engine::new(&config())
            .search_with_progress(&request, &mut |progress| shown.push(*progress.result))
            .unwrap();
        assert!(shown.windows(2).all(|pair| pair[0].nodes <= pair[1].nodes));
        assert_eq!(shown.last(), Some(&report));
        report
    };
    let time = |micros| Budget::MoveTime(Duration::from_micros(micros));
    for nodes in [0, 1, 2, 777, 5_000] {
        assert_eq!(search(&[Budget::Nodes(nodes)]).nodes, nodes);
    }
    assert_eq!(search(&[Budget::Nodes(100_000), time(2_345)]).nodes, 2_345);
    let deep = search(&[Budget::Depth(2), Budget::Nodes(100_000)]);
    assert!(deep.depth == 2 && deep.nodes < 100_000, "{deep:?}");
}

#[test]
fn the_time_for_a_move_does_not_depend_on_searches_of_the_other_side() {
    let clock = NodeClock { nodes_per_second: NonZeroU64::new(1_000_000).unwrap() };
    let left = TimeLeft { remaining: Duration::from_millis(200), reserve: Duration::ZERO, increment: Duration::ZERO };
    let config = with(MctsParams { mcts_reuse: false, ..MctsParams::default() });
    let mut falls = 0;
    for seed in 0..20 {
        let (mut position, mut keys) = random_position(seed, 30);
        let mut engine = Engine::new(&config);
        let think = |engine: &mut Engine, position: &Position, keys: &[u64]| {
            engine.search(position, keys, &Budget::Clock(left), &NeverStop, &clock).unwrap()
        };
        let before = think(&mut engine, &position, &keys);
        keys.push(position.key());
        position.play(before.best);
        if position.outcome().is_some() {
            continue;
        }
        let after = think(&mut engine, &position, &keys);
        assert_eq!(after, think(&mut Engine::new(&config), &position, &keys), "{position}");
        falls += i32::from(before.score.logit() - after.score.logit() > 1.0);
    }
    assert!(falls > 3, "{falls} positions are too few to say anything");
}

#[test]
fn the_node_clock_is_kept_by_whole_games() {
    let clock = NodeClock { nodes_per_second: NonZeroU64::new(1_000_000).unwrap() };
    let (mut position, mut keys) = random_position(8, 2);
    let mut engine = Engine::new(&config());
    let mut remaining = [Duration::from_millis(60); 2];
    while position.outcome().is_none() {
        let own = &mut remaining[position.side_to_move().index()];
        let left = TimeLeft { remaining: *own, reserve: Duration::from_millis(5), increment: Duration::ZERO };
        let report = engine.search(&position, &keys, &Budget::Clock(left), &NeverStop, &clock).unwrap();
        *own = own.checked_sub(Duration::from_micros(report.nodes)).unwrap();
        keys.push(position.key());
        position.play(report.best);
    }
    assert!(remaining.iter().all(|left| *left >= Duration::from_millis(5)), "{remaining:?}");
}

/// One game of an engine against itself: the results of all searches.
fn game(engine: &mut Engine, seed: u64, nodes: u64) -> Vec<SearchResult> {
    let (mut position, mut keys) = random_position(seed, 2);
    engine.new_game();
    let mut reports = Vec::new();
    while position.outcome().is_none() {
        let report = search(engine, &position, &keys, Budget::Nodes(nodes));
        assert!(position.is_legal(report.best));
        keys.push(position.key());
        position.play(report.best);
        reports.push(report);
    }
    reports
}

/// Plays games of the shipped engine against itself from random positions, with the reference rules as the referee.
/// Returns the number of plies played.
fn referee(games: Range<u64>, nodes: u64) -> usize {
    let mut engine = Engine::new(&EngineConfig { search: "mcts".parse().unwrap(), ..EngineConfig::default() });
    let mut plies = 0;
    for seed in games {
        let (mut position, mut keys) = random_position(seed, 2 + (seed % 60) as u16);
        let mut board = Board::new(&position);
        engine.new_game();
        while !board.is_over() {
            let best = search(&mut engine, &position, &keys, Budget::Nodes(nodes)).best;
            let text = format_move(&position, best);
            let mv = board.legal_moves().into_iter().find(|mv| mv.text() == text);
            board = board.after(&mv.unwrap_or_else(|| panic!("game {seed}: {text} in {position}")));
            keys.push(position.key());
            position.play(best);
            assert_eq!(position.to_string(), board.text(), "game {seed}");
            plies += 1;
        }
        assert!(position.outcome().is_some(), "game {seed}: {position}");
    }
    plies
}

#[test]
fn games_from_random_positions_keep_to_the_reference_rules() {
    assert!(referee(0..60, 20) > 600);
}

#[test]
#[ignore = "slow"]
fn two_thousand_games_from_random_positions_keep_to_the_reference_rules() {
    assert!(referee(1_000..3_000, 30) > 20_000);
}

#[test]
fn a_game_does_not_depend_on_the_games_before_it() {
    let mut used = Engine::new(&config());
    for seed in 0..30 {
        game(&mut used, seed, 40);
    }
    let expected = game(&mut Engine::new(&config()), 5_000, 300);
    assert_eq!(game(&mut used, 5_000, 300), expected);
    let no_reuse = with(MctsParams { mcts_reuse: false, ..MctsParams::default() });
    assert_ne!(game(&mut Engine::new(&no_reuse), 5_000, 300), expected, "the tree is kept from move to move");
    used.configure(&no_reuse);
    assert_eq!(game(&mut used, 5_001, 100), game(&mut Engine::new(&no_reuse), 5_001, 100));
}

#[test]
fn a_tree_is_kept_for_the_same_game_alone() {
    let (position, history) = random_position(12, 20);
    let other: Vec<u64> = history.iter().map(|key| key ^ 1).collect();
    let mut engine = Engine::new(&config());
    let first = search(&mut engine, &position, &history, Budget::Nodes(500));
    let again = search(&mut engine, &position, &other, Budget::Nodes(500));
    assert_eq!(again, first, "another history, another tree");
    let visits = |engine: &mut Engine, history: &[u64]| {
        let mut visits = 0;
        let budgets = [Budget::Nodes(100)];
        let request =
            SearchRequest { position: &position, history, budgets: &budgets, stop: &NeverStop, timer: &NoClock };
        engine.search_with_progress(&request, &mut |progress| {
            visits = progress.moves.iter().map(|mv| mv.nodes).sum();
        });
        visits
    };
    assert_eq!(visits(&mut engine, &other), 600, "the same position of the same game");
    assert_eq!(visits(&mut engine, &history), 100);
    engine.new_game();
    assert_eq!(visits(&mut engine, &history), 100);
}

/// A useless policy for the hidden layer of 128 neurons of the network with this hash.
pub(super) fn policy(network: u64) -> Policy {
    let numbers = |count: usize| (0..count).map(|n| (n * 7_919 % 61) as i16 - 30).collect();
    let biases = (0..policy::BIASES as i32).map(|number| number % 180 * 10).collect();
    let parts = PolicyParts { network, hidden: 128, scale: 64, weights: numbers(policy::ROWS * 256), biases };
    Policy::new(parts).unwrap()
}

#[test]
fn priors_are_those_of_the_policy_if_it_fits_the_evaluation() {
    let network = EngineConfig { evaluation: EvaluationKind::Network.into(), ..config() };
    let hash = network.evaluation.hash();
    let with = |config: &EngineConfig, network| EngineConfig { policy: Some(policy(network).into()), ..config.clone() };
    let mut differences = 0;
    for position in engine::bench_positions() {
        let found = |config: &EngineConfig| search(&mut Engine::new(config), &position, &[], Budget::Nodes(300));
        let (own, other) = (found(&network), found(&with(&network, hash)));
        assert_eq!(found(&with(&network, hash)), other);
        differences += usize::from(own != other);
        assert_eq!(found(&with(&network, hash ^ 1)), own, "a policy for another network");
        assert_eq!(found(&with(&config(), hash)), found(&config()), "a policy, but no network");
    }
    assert!(differences > 6, "{differences}");
}

#[test]
fn a_forced_win_is_converted() {
    // Red has all the pieces and twelve plies left.
    let mut position =
        position("AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90");
    let (mut engine, mut keys) = (Engine::new(&config()), Vec::new());
    while position.outcome().is_none() {
        let report = search(&mut engine, &position, &keys, Budget::Nodes(3_000));
        keys.push(position.key());
        position.play(report.best);
    }
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::Red)));
}

#[test]
fn a_setup_that_the_book_does_not_know_is_answered_by_search() {
    let mut params = Params::default();
    params.set("setup_book", 0.0).unwrap();
    let mut engine = Engine::new(&EngineConfig { params, ..config() });
    let mut position = Position::new();
    for nodes in [0, 500] {
        let report = search(&mut engine, &position, &[], Budget::Nodes(nodes));
        assert!(position.is_legal(report.best));
        assert_eq!(report.nodes, nodes);
        position.play(report.best);
    }
}

fn threads(count: usize) -> EngineConfig {
    EngineConfig { threads: NonZeroUsize::new(count).unwrap(), ..config() }
}

#[test]
fn several_threads_prove_the_same_results_within_the_limit() {
    let won = position("AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 100");
    let lost = position("DAA.WAAA/..D..AFA/..A.F..F/.A.D.DA./..N...NA/D......./w.....a./...A...f AAADDD b 69");
    for count in [2, 4] {
        let mut engine = Engine::new(&threads(count));
        for position in [won, lost].into_iter().chain(engine::bench_positions()) {
            engine.new_game();
            let report = search(&mut engine, &position, &[], Budget::Nodes(3_000));
            assert!(report.nodes < 3_000 + count as u64, "{}", report.nodes);
            let mut along = position;
            for mv in report.pv.moves() {
                assert!(along.is_legal(mv), "{mv:?} in {along}");
                along.play(mv);
            }
        }
        assert_eq!(search(&mut engine, &lost, &[], Budget::Nodes(20_000)).score, Score::loss_in(4));
        let score = search(&mut engine, &won, &[], Budget::Nodes(20_000)).score;
        assert_eq!(score.units().signum(), fresh(&won, &[], 20_000).score.units().signum(), "{score}");
    }
}

#[test]
fn one_thread_is_reproducible_whatever_was_configured_before() {
    let expected = game(&mut Engine::new(&config()), 77, 200);
    let mut engine = Engine::new(&threads(3));
    assert!(!game(&mut engine, 77, 200).is_empty());
    engine.configure(&config());
    assert_eq!(game(&mut engine, 77, 200), expected);
}

#[test]
fn a_stop_and_a_panic_of_the_caller_end_all_threads() {
    let position = engine::bench_positions().nth(4).unwrap();
    let stop = AtomicBool::new(false);
    let mut engine = Engine::new(&threads(3));
    let request = SearchRequest { position: &position, history: &[], budgets: &[], stop: &stop, timer: &NoClock };
    // The call would not return if a helper continued.
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        engine.search_with_progress(&request, &mut |progress| assert!(progress.result.nodes < 200, "intended"))
    }));
    assert!(panicked.is_err());
    let mut see = |progress: &Progress<'_>| stop.store(progress.result.nodes > 500, Ordering::Relaxed);
    let report = engine.search_with_progress(&request, &mut see).unwrap();
    assert!(position.is_legal(report.best) && report.nodes > 500);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_budget_and_parameters_give_a_reproducible_legal_move(
        seed in any::<u64>(), plies in 0..PLY_LIMIT, nodes in 0..1_500_u64, params in any_params(), bytes in 0..20_u32,
    ) {
        let (position, history) = random_position(seed, plies);
        let config = EngineConfig { params, table_bytes: 1 << bytes, ..config() };
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
