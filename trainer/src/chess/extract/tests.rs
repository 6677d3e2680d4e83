//! Tests of which positions of games are kept, and why others are not.

use super::super::quiet::is_quiet;
use super::super::tests::{extraction, game, uci};
use super::*;
use crate::data::Extracted;
use crate::data::sieve::Sieve;
use play::{DrawRule, Ending, Fault, WinRule};
use shakmaty::Chess;
use std::num::NonZeroU32;

/// A short game: White sets a trap, Black takes a knight and is mated.
const LEGAL: &[&str] =
    &["e2e4", "e7e5", "g1f3", "d7d6", "f1c4", "c8g4", "b1c3", "g7g6", "f3e5", "g4d1", "c4f7", "e8e7", "c3d5"];

fn scores(cps: &[i32]) -> Vec<Evaluation> {
    cps.iter().map(|&cp| Evaluation::Centipawns(cp)).collect()
}

fn won(moves: &[&str], scores: &[Evaluation]) -> PairResult {
    game(moves, scores, Ending::Win { winner: Side::First, by: WinRule::Checkmate })
}

#[test]
fn every_ply_is_a_position_from_whites_view() {
    let result = won(LEGAL, &scores(&[20, -15]));
    let found = extraction(PositionFilter::ALL).positions::<Chess>(&result).unwrap();
    assert_eq!(found.counts.plies, 13);
    let moves: Vec<String> = found.positions.iter().map(|(_, of)| uci(of.played.unwrap())).collect();
    assert_eq!(moves, LEGAL);
    for (at, (_, of)) in found.positions.iter().enumerate() {
        let (mover, result) = of.for_mover();
        assert_eq!((of.ply(), of.score, of.result), (at as u32, if at % 2 == 0 { 20 } else { 15 }, Score::Win));
        let expected = if at % 2 == 0 { (20, Score::Win) } else { (-15, Score::Loss) };
        assert_eq!((mover, result), expected);
    }
}

#[test]
fn what_is_left_out_is_counted_once_and_for_a_reason() {
    let mut all_scores = scores(&[20, -15, 30, -10, 900, 10, 799, -800]);
    all_scores.extend([Evaluation::Mate(3), Evaluation::Mate(-2)]);
    let result = won(LEGAL, &all_scores);
    let filter = PositionFilter { skip_plies: 2, ..PositionFilter::default() };
    let found = extraction(filter).positions::<Chess>(&result).unwrap();
    let Extracted { plies, early, decided, proven, captures, in_check, .. } = found.counts;
    // 900 and 800; a mate for each side; 10. ... Bxd1 and 11. Bxf7 are the captures after those, and 11. ... Ke7
    // answers a check.
    assert_eq!((plies, early, decided, proven, captures, in_check), (13, 2, 2, 2, 1, 1), "{:?}", found.counts);
    assert_eq!(found.positions.len(), 5);
    let unequal = PositionFilter { first_score: 1_999, ..filter };
    assert_eq!(extraction(unequal).positions::<Chess>(&result).unwrap().counts.unequal_games, 1);
    let forfeit = Ending::Forfeit { loser: Side::First, fault: Fault::Crash(String::new()) };
    let faulty = extraction(filter).positions::<Chess>(&game(LEGAL, &all_scores, forfeit)).unwrap();
    assert_eq!((faulty.counts.faulty_games, faulty.positions.len()), (1, 0));
    let mut damaged = result;
    damaged.games[0].moves[3] = 0;
    assert_eq!(extraction(filter).positions::<Chess>(&damaged).err(), Some(NoGame));
}

#[test]
fn mates_are_the_largest_scores() {
    let found =
        extraction(PositionFilter::ALL).positions::<Chess>(&won(LEGAL, &[Evaluation::Mate(3), Evaluation::Mate(-2)]));
    let scores: Vec<i16> = found.unwrap().positions.iter().map(|(_, of)| of.score).take(2).collect();
    assert_eq!(scores, [31_997, 31_998]);
}

#[test]
fn chance_keeps_so_many_of_a_game_the_same_ones_each_time() {
    let result = won(LEGAL, &scores(&[5]));
    let of = |sampling, seed| {
        let made = Extraction { seed, ..extraction(PositionFilter { sampling, ..PositionFilter::ALL }) };
        made.positions::<Chess>(&result).unwrap()
    };
    let four = Sampling::PerGame(NonZeroU32::new(4).unwrap());
    let kept = of(four, 1);
    assert_eq!((kept.positions.len(), kept.counts.unsampled), (4, 9));
    assert!(kept.positions.is_sorted_by_key(|(_, of)| of.ply()));
    assert_eq!(of(four, 1).positions, kept.positions);
    assert!((2..20).any(|seed| of(four, seed).positions != kept.positions));
    assert_eq!(of(Sampling::PerGame(NonZeroU32::new(99).unwrap()), 1).positions.len(), 13);
    let counts: usize = (0..1_000).map(|seed| of(Sampling::Share(300_000), seed).positions.len()).sum();
    assert!((3_700..4_100).contains(&counts), "{counts} of 13,000, where 3,900 are expected");
}

#[test]
fn quiet_ends_keep_the_labels_of_what_they_replace() {
    let result = won(LEGAL, &scores(&[20]));
    let found = extraction(PositionFilter { quiet: true, ..PositionFilter::ALL }).positions::<Chess>(&result).unwrap();
    assert_eq!(found.counts.finished + found.positions.len() as u64, 13, "{:?}", found.counts);
    for (_, of) in &found.positions {
        assert!(is_quiet(&of.position) && of.played.is_none());
        assert_eq!((of.score.abs(), of.result), (20, Score::Win));
    }
}

#[test]
fn positions_that_came_before_pass_once() {
    let back = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];
    let result = game(&back, &scores(&[0]), Ending::Draw { by: DrawRule::Repetition });
    let found = extraction(PositionFilter::default()).positions::<Chess>(&result).unwrap();
    let mut sieve = Sieve::default();
    assert_eq!(sieve.pass(&found, &PositionFilter::default()).count(), 4);
    assert_eq!((sieve.counts.kept, sieve.counts.duplicates), (4, 4));
}
