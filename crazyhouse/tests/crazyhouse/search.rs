//! The search: mates, draws, the same answer on every machine, the tree that is kept.

use super::{network, positions};
use crazyhouse::board::{Board, Line};
use crazyhouse::moves::{code, decode, key, read_move, write_move};
use crazyhouse::network::Network;
use crazyhouse::player::{Answer, Player, Record};
use engine::mcts::{Evaluation, Game as _, Limits, MctsParams, Proof, Task, Tree};
use engine::protocol::uci::Go;
use engine::time::TimeParams;
use engine::{NeverStop, NoClock};
use shakmaty::{Color, Position as _};
use std::time::Duration;

fn search(player: &mut Player, network: &Network, record: &Record, nodes: u64) -> Option<Answer> {
    let limits = Limits { nodes, ..Limits::NONE };
    player.search(network, record, limits, &NeverStop, &NoClock, &mut |_| {})
}

fn record(fen: &str) -> Record {
    Record::read(&format!("fen {fen}")).unwrap()
}

fn best(record: &Record, answer: &Answer) -> String {
    write_move(decode(record.position(), answer.variation[0]).unwrap())
}

#[test]
fn a_mate_in_one_by_a_drop_is_played_and_proven() {
    let record = record("6rk/6pp/8/8/8/8/8/K7[N] w - - 0 1");
    let mut player = Player::new(1 << 20);
    let answer = search(&mut player, &network(16, 1), &record, 2_000).unwrap();
    assert_eq!((best(&record, &answer).as_str(), answer.proof), ("N@f7", Proof::Win(1)));
    assert!(answer.simulations <= 2, "the mate is the only move that is looked at: {answer:?}");
}

#[test]
fn a_mate_in_two_is_found_sooner_by_looking_for_mates_in_one() {
    // A rook drop on the back rank, and another after the only interposition is taken.
    let record = record("k7/8/1K6/8/8/8/8/8[RP] w - - 0 1");
    let simulations = |mate_in_one| {
        let mut player = Player::new(1 << 22);
        player.mate_in_one = mate_in_one;
        let answer = search(&mut player, &network(16, 1), &record, 50_000).unwrap();
        assert!(matches!(answer.proof, Proof::Win(_)), "{answer:?}");
        answer.simulations
    };
    assert!(simulations(true) <= simulations(false));
}

#[test]
fn the_same_search_gives_the_same_answer() {
    let network = network(64, 5);
    for position in positions(4, 21).iter().step_by(40) {
        let record = Record::new(position.clone());
        let mut answers = (0..2).map(|_| search(&mut Player::new(1 << 20), &network, &record, 700));
        assert_eq!(answers.next(), answers.next());
    }
}

/// The signature must be the same on every platform and at every optimisation level. An intended change of the search,
/// of the network's inputs, or of parameters changes it.
#[test]
fn a_signature_has_not_changed() {
    let network = network(64, 5);
    let mut player = Player::new(1 << 22);
    let mut all = Vec::new();
    for position in positions(3, 22).iter().step_by(25) {
        player.new_game();
        let answer = search(&mut player, &network, &Record::new(position.clone()), 500).unwrap();
        all.extend(answer.variation.iter().flat_map(|mv| mv.to_le_bytes()));
    }
    assert_eq!(hash(&all), 3_822_383_173_858_393_347);
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn whole_games_are_played_with_a_tree_that_is_kept() {
    let network = network(16, 9);
    let (mut player, mut other) = (Player::new(1 << 18), Player::new(1 << 18));
    other.params.set("mcts_reuse", 0.0).unwrap();
    let mut game = Record::default();
    for ply in 0..200 {
        let side = if ply % 2 == 0 { &mut player } else { &mut other };
        let Some(answer) = search(side, &network, &game, 60) else {
            assert!(game.position().legal_moves().is_empty());
            return;
        };
        let mv = decode(game.position(), answer.variation[0]).unwrap();
        assert!(game.position().is_legal(mv), "{}", write_move(mv));
        assert!((0.0..=1.0).contains(&answer.choice.value) && (0.0..=1.0).contains(&answer.choice.share));
        // The whole variation is legal.
        let mut after = game.position().clone();
        for &code in &answer.variation {
            let mv = decode(&after, code).filter(|&mv| after.is_legal(mv)).expect("a legal move");
            after.play_unchecked(mv);
        }
        game.play(mv);
    }
}

#[test]
fn finished_games_have_no_answer() {
    let mut player = Player::new(1 << 18);
    for fen in ["6rk/5Npp/8/8/8/8/8/K7[] b - - 0 1", "k7/2Q5/8/8/8/8/8/1K6[] b - - 0 1"] {
        assert_eq!(search(&mut player, &network(16, 1), &record(fen), 100), None, "{fen}");
    }
}

#[test]
fn a_repetition_is_recognised_in_the_line_and_in_the_game() {
    // The second cycle has captures and drops: the knights are exchanged and dropped where they stood, and Black's king
    // loses a move on its way.
    let quiet = "b1a1 f3f8 a1b1 f8f3";
    let exchange = "c3d5 d8d5 N@c3 d5d8 e1e2 N@d5 e2e1 e8f8 e1e2 f8f7 e2e1 f7e8";
    let cycles = [("7k/8/8/8/8/5q2/8/1K6[] w - - 10 30", quiet), ("3rk3/8/8/3n4/8/2N5/8/4K3[] w - - 0 1", exchange)];
    for (fen, cycle) in cycles {
        let moves: Vec<&str> = cycle.split(' ').collect();
        // The first moves are the game's, the others are the line's.
        for of_game in 0..moves.len() {
            for is_seen in [true, false] {
                let mut position = record(fen).position().clone();
                let (mut line, mut history) = (Line::default(), Vec::new());
                let params = MctsParams { mcts_repetition: is_seen, ..MctsParams::default() };
                let network = network(16, 4);
                for text in &moves[..of_game] {
                    history.push(key(&position));
                    position.play_unchecked(read_move(text, &position).unwrap());
                }
                line.start(&position, &history);
                let mut board = Board { network: &network, line: &mut line, params: &params, mate_in_one: false };
                for (ply, text) in moves[of_game..].iter().enumerate() {
                    assert_ne!(board.evaluate(ply), Evaluation::Repeated, "{cycle}: {of_game}, {ply}");
                    let mv = read_move(text, &position).unwrap();
                    board.play(ply, code(mv));
                    position.play_unchecked(mv);
                }
                let last = board.evaluate(moves.len() - of_game);
                assert_eq!(last == Evaluation::Repeated, is_seen, "{cycle}: {of_game}");
            }
        }
    }
}

#[test]
fn a_root_that_repeats_is_searched() {
    let record = Record::read("startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8").unwrap();
    assert!(search(&mut Player::new(1 << 20), &network(16, 4), &record, 50).is_some());
}

#[test]
fn memory_stays_within_bounds_and_the_search_goes_on() {
    let mut player = Player::new(1 << 16);
    let answer = search(&mut player, &network(16, 2), &Record::default(), 20_000).unwrap();
    assert_eq!(answer.simulations, 20_000);
}

#[test]
fn a_clock_lasts_for_fifty_moves_or_as_many_as_are_left() {
    let player = Player::new(1 << 16);
    let second = Duration::from_secs(1);
    let go = Go { clocks: [Some(100 * second), None], ..Go::default() };
    let hard = |go: &Go, turn, left| player.limits(go, turn, left).time.map(|time| time.hard_limit());
    let share = hard(&go, Color::White, None).unwrap();
    // A fiftieth, and twice that for an urgent move.
    assert!(share > 3 * second && share < 5 * second, "{share:?}");
    assert_eq!(hard(&go, Color::Black, None), Some(share), "the other clock, if there is no own one");
    assert!(hard(&go, Color::White, Some(1)).unwrap() > 99 * second);
    assert!(hard(&go, Color::White, Some(1)).unwrap() < 100 * second);
    let fixed = Go { movetime: Some(second), ..Go::default() };
    assert_eq!(hard(&fixed, Color::White, None), Some(Duration::from_millis(980)));
    assert_eq!(hard(&Go { infinite: true, ..go }, Color::White, None), None);
    let empty = Go { clocks: [Some(Duration::ZERO); 2], ..Go::default() };
    assert_eq!(hard(&empty, Color::White, Some(0)), Some(Duration::ZERO));
}

#[test]
fn a_game_that_another_position_follows_is_forgotten() {
    let network = network(16, 9);
    let mut player = Player::new(1 << 18);
    search(&mut player, &network, &Record::default(), 100);
    let other = record("4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1");
    let kept = search(&mut player, &network, &other, 100);
    player.new_game();
    assert_eq!(
        kept.map(|answer| answer.variation),
        search(&mut player, &network, &other, 100).map(|answer| answer.variation)
    );
}

#[test]
fn visits_add_up_and_priors_are_shares() {
    let network = network(32, 6);
    for position in positions(3, 31).iter().step_by(30) {
        let (mut line, mut tree, params) = (Line::default(), Tree::new(1 << 22), MctsParams::default());
        line.start(position, &[]);
        let mut board = Board { network: &network, line: &mut line, params: &params, mate_in_one: true };
        let limits = Limits { nodes: 400, ..Limits::NONE };
        let (time, stop, timer) = (TimeParams::default(), &NeverStop, &NoClock);
        let task = Task { params: &params, time: &time, limits, last_value: None, stop, timer };
        let mut looks = 0;
        let found = task.search(&mut tree, &mut board, &mut |tree: &Tree, _, found| {
            let moves: Vec<_> = tree.moves().collect();
            assert!(moves.len() == position.legal_moves().len() || moves.len() == 1);
            // The root's own evaluation is a visit, too, and so are simulations that end there.
            let visits: u32 = moves.iter().map(|mv| mv.visits).sum();
            assert!(visits < tree.visits(), "{visits} {}", tree.visits());
            assert!(u64::from(visits) <= found.simulations);
            assert!((moves.iter().map(|mv| mv.prior).sum::<f64>() - 1.0).abs() < 0.01);
            assert!(moves.windows(2).all(|pair| pair[0].prior >= pair[1].prior));
            assert!(moves.iter().filter_map(|mv| mv.value).all(|value| (0.0..=1.0).contains(&value)));
            let decoded = |mv: u16| decode(position, mv).is_some_and(|mv| position.is_legal(mv));
            assert!(moves.iter().all(|mv| decoded(mv.mv)));
            looks += 1;
        });
        assert!(found.is_some() && looks > 0);
    }
}
