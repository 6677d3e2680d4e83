//! Tests on invented pairs with known sums.

use super::*;
use crate::gather::tests::{game, header, header_at, stored, won};
use play::{DrawRule, Ending, Evaluation, Fault};
use std::path::Path;
use std::time::Duration;

/// Explains entrant 0 against entrant 1.
fn explained(pairs: &[StoredResult]) -> Explanation {
    explained_in(&header(), pairs)
}

fn explained_in(header: &Header, pairs: &[StoredResult]) -> Explanation {
    let mut first = FirstLook::new(header);
    for pair in pairs {
        first.add(pair, [0, 1]);
    }
    let mut second = SecondLook::new(&first);
    for pair in pairs {
        second.add(header, pair, [0, 1]);
    }
    second.explanation(&first, ["a", "b"].map(str::to_owned))
}

fn draw() -> Ending {
    Ending::Draw { by: DrawRule::PlyLimit }
}

/// Evaluations, each from its mover's view, at the same depth.
fn scores(logits: &[i32]) -> Vec<(i32, u32)> {
    logits.iter().map(|logit| (*logit, 5)).collect()
}

fn sum(rows: &[FlowRow]) -> f64 {
    rows.iter().map(|row| row.points.value).sum()
}

#[test]
fn the_rows_of_a_table_add_up_to_the_score() {
    let long: Vec<i32> = (0..60).map(|ply| if ply % 2 == 0 { 300 * ply } else { -300 * ply }).collect();
    let pairs = [
        stored(0, 1, 7, [game(60, won(Side::First), &scores(&long)), game(4, draw(), &scores(&[0, 900, -900, 50]))]),
        stored(1, 1, 7, [game(2, won(Side::Second), &scores(&[0, 0])), game(3, draw(), &scores(&[0, 0, 0]))]),
        // Other opponents do not count, nor do games without evaluations in the tables.
        stored(2, 2, 7, [game(2, won(Side::First), &scores(&[0, 0])), game(2, draw(), &scores(&[0, 0]))]),
        stored(3, 1, 7, [game(2, won(Side::First), &[]), game(2, won(Side::Second), &[])]),
    ];
    let explained = explained(&pairs);
    assert_eq!((explained.games, explained.recorded), (6, 4));
    // One win, two draws and a loss.
    assert!(sum(&explained.by_move).abs() < 1e-9, "{:?}", explained.by_move);
    let labels: Vec<&str> = explained.by_move.iter().map(|row| row.label.as_str()).collect();
    let moves = ["moves 1 to 10", "moves 11 to 20", "moves 21 to 30", "moves 31 to 40"];
    assert_eq!(labels, [&[BEFORE], &moves[..]].concat());
    assert_eq!(explained.by_move[0].games, 4);
    assert!(explained.by_phase.is_empty() && explained.by_clock.is_empty());
    let won_alone = super::tests::explained(&pairs[3..]);
    assert_eq!((won_alone.recorded, won_alone.by_move.len()), (0, 0));
    assert!(won_alone.text("run", Path::new("runs/run")).contains("`track = true`"));
}

#[test]
fn points_count_where_the_expected_score_changes() {
    // a moves first in the first game: the position is even until ply 22, then a is winning, and wins.
    let mut logits = vec![0; 22];
    logits.extend([30_000, -30_000, 30_000, -30_000]);
    let quiet = || game(4, draw(), &scores(&[0; 4]));
    let games = |pair| stored(pair, 1, 7, [game(26, won(Side::First), &scores(&logits)), quiet()]);
    let explained = explained(&[games(0), games(1)]);
    let late = explained.by_move.iter().find(|row| row.label == "moves 11 to 20").expect("a row");
    assert!((late.points.value - 25.0).abs() < 1e-9 && late.games == 2, "{late:?}");
    assert!((late.points.low - 25.0).abs() < 1e-9, "two pairs alike have no spread");
    assert!((sum(&explained.by_move) - 25.0).abs() < 1e-9);
    assert!(
        explained.text("run", Path::new("runs/run")).contains("a won most in moves 11 to 20: +25.0"),
        "{}",
        explained.text("run", Path::new("runs/run"))
    );
}

#[test]
fn who_was_right_where_views_part_is_told_by_results() {
    // a, moving first, thinks that it is far better from its third move on; b does not, and is right.
    let logits = [0, 0, 0, 0, 20_000, 0, 20_000, 0];
    let pair = |n| stored(n, 1, 7, [game(8, draw(), &scores(&logits)), game(2, draw(), &scores(&[0, 0]))]);
    let explained = explained(&(0..24).map(pair).collect::<Vec<_>>());
    let [row] = &explained.partings[..] else { panic!("{:?}", explained.partings) };
    assert_eq!((row.more_hopeful, row.games, row.nearer), (true, 24, [0, 24]));
    // Two plies of the opening, then four.
    assert!((row.ply - 7.0).abs() < 1e-9 && (row.scored.value - 0.5).abs() < 1e-9, "{row:?}");
    assert!(row.expected[0] > 0.8 && (row.expected[1] - 0.5).abs() < 1e-9, "{row:?}");
    assert!(
        explained
            .text("run", Path::new("runs/run"))
            .contains("Where the two disagreed, b was nearer to the result in 100% of games")
    );
}

#[test]
fn a_deeper_search_of_both_judges_what_each_expected() {
    // In even pairs a moves first and thinks that it is far better from its third move on; in odd ones b thinks that a
    // is far better.
    let hopeful = [0, 0, 0, 0, 20_000, 0];
    let gloomy = [0, 0, 0, 0, 0, -20_000];
    let pair = |n: u64| {
        let logits = if n.is_multiple_of(2) { &hopeful } else { &gloomy };
        let mut pair = stored(n, 1, 7, [game(6, draw(), &scores(logits)), game(2, draw(), &scores(&[0, 0]))]);
        // The last two pairs reach the same positions as the first two.
        pair.result.start = Some((n % 48).to_string());
        pair
    };
    let mut explained = explained(&(0..50).map(pair).collect::<Vec<_>>());
    let first = &explained.parted[0];
    assert_eq!((first.game.to_string().as_str(), first.mover, first.position.moves.len()), ("1.1", 0, 6));
    assert_eq!(
        (explained.parted.len(), explained.parted[1].mover, explained.parted[1].position.moves.len()),
        (48, 1, 7)
    );
    // In deeper searches both slightly prefer a, whichever side moves; b gives no score for the last position.
    let mut said: Vec<_> = explained
        .parted
        .iter()
        .map(|parting| if parting.mover == 0 { 4_000 } else { -4_000 })
        .map(|logit| [Some(Evaluation::Logit(logit)); 2])
        .collect();
    said[47][1] = None;
    explained.judge("9,000 nodes".to_owned(), &said);
    let deeper = explained.deeper.as_ref().expect("a judgement");
    let [more, less] = &deeper.rows[..] else { panic!("{deeper:?}") };
    assert_eq!((more.more_hopeful, more.positions, more.nearer), (true, 24, [0, 24]));
    assert_eq!((less.more_hopeful, less.positions, less.nearer), (false, 23, [23, 0]));
    assert!(more.deeper[0] > 0.5 && (more.deeper[0] - more.deeper[1]).abs() < 1e-9, "{more:?}");
    assert_eq!(deeper.left_out, 1);
    let text = explained.text("run", Path::new("runs/run")).replace("\n  ", " ");
    let says = "(9,000 nodes) of 47 of 48 positions where they had disagreed does not show who had been nearer.";
    assert!(text.contains(says), "{text}");
    explained.judge("9,000 nodes".to_owned(), &[]);
    assert!(explained.text("run", Path::new("runs/run")).contains("of 0 positions"));
}

#[test]
fn draws_from_better_positions_falls_and_faults_are_counted() {
    let swung = game(6, draw(), &scores(&[40_000, -40_000, 40_000, -40_000, -40_000, 40_000]));
    let late = Ending::Forfeit { loser: Side::First, fault: Fault::Time { over: Duration::from_millis(3) } };
    let explained = explained(&[stored(4, 1, 7, [swung, game(2, late, &scores(&[0, 0]))])]);
    let [row] = &explained.draws[..] else { panic!("{:?}", explained.draws) };
    // The position was a win, and then a loss.
    assert_eq!((row.ending.as_str(), row.draws, row.stood_better), ("ply limit", 1, [1, 1]));
    // b moved first in the game that it lost on time.
    assert_eq!(explained.faults, BTreeMap::from([("time forfeit", [0, 1])]));
    let [fall] = &explained.falls[..] else { panic!("{:?}", explained.falls) };
    assert_eq!((fall.game.as_str(), fall.number), ("5.1", 3));
    assert!(fall.expected[0] > 0.9 && fall.expected[1] < 0.1, "{fall:?}");
    let text = explained.text("run", Path::new("runs/run"));
    assert!(text.ends_with("\n\nTo see a game: spar show run --game 5.1"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_faster_engine_is_named_with_a_match_at_equal_nodes() {
    let quiet = || game(4, draw(), &scores(&[0; 4]));
    let mut pair = stored(0, 1, 7, [quiet(), quiet()]);
    // a searches 400 nodes in 4 and in 6 ms, b 20 and 10.
    pair.result.games[0].nodes.first = 400;
    pair.result.games[1].nodes.second = 400;
    let text = explained(&[pair]).text("run", Path::new("runs/run"));
    assert!(text.contains("- a searched 26.67 times as many nodes a second as b."), "{text}");
    let again = "To compare at equal nodes: spar match runs/run/config.toml --nodes 104 --pairs 1";
    assert!(text.ends_with(again), "{text}");
}

#[test]
fn clocks_are_shares_of_what_a_side_had() {
    let timed = |lefts: &[u64]| {
        let mut game = game(lefts.len(), draw(), &scores(&vec![0; lefts.len()]));
        for (ply, left) in game.track.iter_mut().zip(lefts) {
            (ply.wall, ply.left) = (Duration::from_millis(10), Duration::from_millis(*left));
        }
        game
    };
    let pair = stored(0, 1, 7, [timed(&[990, 990, 400, 990, 30, 990]), timed(&[990, 990])]);
    let rows_at = |limit: &str| explained_in(&header_at(limit), std::slice::from_ref(&pair)).by_clock;
    assert!(rows_at("1s a move").is_empty(), "the time of a move is no clock");
    let rows = rows_at("1s");
    let games: Vec<(&str, u64)> = rows.iter().map(|row| (row.label.as_str(), row.games)).collect();
    let expected = [
        (BEFORE, 2),
        ("a: 50% of the clock and more", 2),
        ("a: 20% to 50%", 1),
        ("a: 0% to 5%", 1),
        ("b: 50% of the clock and more", 2),
    ];
    assert_eq!(games, expected);
}

#[test]
fn an_opening_that_is_not_like_the_others_is_found_and_others_are_not() {
    let pair = |n: u64| {
        let both = |side: [Side; 2]| [game(4, won(side[0]), &[]), game(4, won(side[1]), &[])];
        // a wins and loses in turn, but loses both games of opening 3 each time.
        let mut pair = match n % 4 {
            3 => stored(n, 1, n, both([Side::Second, Side::First])),
            _ if n % 8 < 4 => stored(n, 1, n, both([Side::First, Side::Second])),
            _ => stored(n, 1, n, both([Side::First, Side::First])),
        };
        pair.result.opening[0] = (n % 4) as u32;
        pair
    };
    let explained = explained(&(0..64).map(pair).collect::<Vec<_>>());
    assert_eq!(explained.openings_tested, 4);
    let [row] = &explained.openings[..] else { panic!("{:?}", explained.openings) };
    assert_eq!((row.opening, row.pair, row.pairs), (4, 4, 16));
    assert!(row.scored < 1e-9 && row.p < 0.01, "{row:?}");
}
