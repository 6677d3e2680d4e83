//! The engine against the reference rules, in thousands of positions of seeded random games.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use std::collections::{BTreeMap, BTreeSet};

use crate::naive::{leaps, places, random_games, Board, NaiveMove};
use engine::{
    format_move, parse_long, parse_move, Move, MoveDelta, MoveKind, MoveList, Outcome, Position, Side, Stage,
};

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts
}

fn texts(position: &Position, moves: &[Move]) -> Vec<String> {
    sorted(moves.iter().map(|&mv| format_move(position, mv)).collect())
}

#[test]
fn positions_and_outcomes_agree() {
    let mut endings = BTreeSet::new();
    random_games(0..150, |position, board| {
        assert_eq!(position.to_string(), board.text());
        assert_eq!(position.to_string().parse(), Ok(*position), "the key is that of the text");
        let wazirs = (board.wazir(true), board.wazir(false));
        let expected = match wazirs {
            (None, _) => Some(Outcome::Win(Side::Blue)),
            (_, None) => Some(Outcome::Win(Side::Red)),
            _ if board.plies == 102 => Some(Outcome::Draw(engine::DrawReason::PlyLimit)),
            _ => None,
        };
        assert_eq!(position.outcome(), expected, "{position}");
        endings.insert(format!("{expected:?}"));
        if let (Some(red), Some(blue)) = wazirs {
            let (own, enemy) = if board.red_to_move { (red, blue) } else { (blue, red) };
            assert_eq!(position.in_check(), board.is_attacked(own, !board.red_to_move));
            let can_capture = expected.is_none() && board.is_attacked(enemy, board.red_to_move);
            assert_eq!(position.can_capture_wazir(), can_capture);
        }
    });
    assert_eq!(endings.len(), 4, "{endings:?}");
}

#[test]
fn legal_moves_agree() {
    random_games(200..300, |position, board| {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let expected = sorted(board.legal_moves().iter().map(NaiveMove::text).collect());
        assert_eq!(texts(position, &moves), expected, "{position}");
        assert_eq!(position.legal_count() as usize, moves.len());
        for (n, &mv) in moves.iter().enumerate() {
            assert_eq!(position.nth_legal(n as u32), Some(mv));
        }
        assert_eq!(position.nth_legal(moves.len() as u32), None);
    });
}

#[test]
fn legality_of_every_code_agrees() {
    random_games(300..306, |position, board| {
        let legal: BTreeSet<String> = board.legal_moves().iter().map(NaiveMove::text).collect();
        for mv in (0..4352).filter_map(Move::from_code) {
            assert_eq!(position.is_legal(mv), legal.contains(&format_move(position, mv)), "{mv:?} in {position}");
        }
        assert!(!position.is_legal(Move::setup_of_rank(5).unwrap()));
    });
}

#[test]
fn both_notations_round_trip() {
    random_games(400..420, |position, _| {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for &mv in &moves {
            assert_eq!(parse_move(position, &format_move(position, mv)), Ok(mv));
            assert_eq!(parse_long(position, &engine::format_long(position, mv)), Ok(mv));
        }
    });
}

#[test]
fn keys_depend_on_board_hands_and_side_to_move() {
    let mut texts = BTreeMap::new();
    random_games(1000..1300, |position, _| {
        let text = position.to_string();
        let (key_of, _) = text.rsplit_once(' ').unwrap();
        let known = texts.entry(position.key()).or_insert_with(|| key_of.to_owned());
        assert_eq!(known, key_of, "two positions with one key");
    });
    assert!(texts.len() > 10_000);
}

#[test]
fn move_deltas_describe_the_moves() {
    random_games(1300..1310, |position, board| {
        for mv in board.legal_moves() {
            let before = *position;
            let mut after = before;
            match after.play(parse_move(position, &mv.text()).unwrap()) {
                MoveDelta::Jump { side, piece, from, to, captured } => {
                    assert_eq!(before.piece_at(from), Some((side, piece)));
                    assert_eq!(before.piece_at(to), captured.map(|captured| (!side, captured)));
                    assert_eq!((after.piece_at(from), after.piece_at(to)), (None, Some((side, piece))));
                }
                MoveDelta::Drop { side, piece, to } => {
                    assert_eq!((before.piece_at(to), after.piece_at(to)), (None, Some((side, piece))));
                    assert_eq!(after.hand(side, piece) + 1, before.hand(side, piece));
                }
                MoveDelta::Setup { .. } => panic!("no setups from ply 3 on"),
            }
        }
    });
}

#[test]
fn stages_are_disjoint_and_together_the_safe_moves() {
    let mut checks = 0;
    random_games(500..650, |position, board| {
        let mut moves = MoveList::new();
        for &stage in Stage::sequence(position.in_check()) {
            position.generate(stage, &mut moves);
        }
        let legal = board.legal_moves();
        let safe = sorted(legal.iter().filter(|mv| board.is_safe(mv)).map(NaiveMove::text).collect());
        assert_eq!(texts(position, &moves), safe, "{position}");
        checks += i32::from(position.in_check());
        for mv in legal {
            let played = parse_move(position, &mv.text()).unwrap();
            assert_eq!(position.is_safe(played), board.is_safe(&mv), "{} in {position}", mv.text());
        }
    });
    assert!(checks > 500, "only {checks} positions in check");
}

/// The stage of a safe move by its definition.
fn stage_by_definition(board: &Board, mv: &NaiveMove, in_check: bool) -> Stage {
    let red = board.red_to_move;
    let enemy_wazir = board.wazir(!red).unwrap();
    let (letter, is_drop) = match *mv {
        NaiveMove::Drop(letter, _) => (letter, true),
        NaiveMove::Jump(from, _) => (board.at(from), false),
    };
    let is_wazir = "wW".contains(letter);
    let is_capture = board.at(mv.to()) != '.';
    if mv.to() == enemy_wazir {
        return Stage::Wins;
    }
    if in_check {
        return match (is_wazir, is_capture) {
            (true, true) => Stage::WazirCaptures,
            (true, false) => Stage::WazirJumps,
            (false, _) => Stage::CheckerCaptures,
        };
    }
    let is_check = leaps(letter, mv.to(), enemy_wazir);
    let threatens_check = !is_wazir
        && places().any(|next| {
            leaps(letter, mv.to(), next) && !Board::belongs(board.at(next), red) && leaps(letter, next, enemy_wazir)
        });
    let attacks_escape = places().any(|escape| {
        leaps('w', enemy_wazir, escape) && !Board::belongs(board.at(escape), !red) && leaps(letter, mv.to(), escape)
    });
    match (is_capture, is_check, threatens_check || attacks_escape, is_drop) {
        (true, true, ..) => Stage::CheckingCaptures,
        (true, false, ..) => Stage::OtherCaptures,
        (_, true, _, true) => Stage::DropChecks,
        (_, true, _, false) => Stage::JumpChecks,
        (_, _, true, true) => Stage::DropThreats,
        (_, _, true, false) => Stage::JumpThreats,
        (_, _, _, false) => Stage::OtherJumps,
        (_, _, _, true) => Stage::OtherDrops,
    }
}

#[test]
fn each_stage_holds_what_its_definition_says() {
    let mut seen = BTreeSet::new();
    random_games(700..800, |position, board| {
        let in_check = position.in_check();
        for &stage in Stage::sequence(in_check) {
            let mut moves = MoveList::new();
            position.generate(stage, &mut moves);
            for &mv in &moves {
                let to = mv.to().unwrap();
                let to = (i32::from(to.row()), i32::from(to.column()));
                let naive = match mv.kind() {
                    MoveKind::Jump { from, .. } => NaiveMove::Jump((from.row().into(), from.column().into()), to),
                    MoveKind::Drop { .. } => NaiveMove::Drop(format_move(position, mv).chars().next().unwrap(), to),
                    MoveKind::Setup(_) => panic!("no setups from ply 3 on"),
                };
                assert_eq!(stage_by_definition(board, &naive, in_check), stage, "{} in {position}", naive.text());
                let after = board.after(&naive);
                let checks =
                    after.wazir(after.red_to_move).is_some_and(|wazir| after.is_attacked(wazir, !after.red_to_move));
                assert!(stage == Stage::Wins || position.gives_check(mv) == checks || position.can_capture_wazir());
                seen.insert(stage);
            }
        }
    });
    assert_eq!(seen.len(), 12, "{seen:?}");
}
