//! The evaluations against golden values, and incremental updates against a refresh.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::eval::{piece_square, Material, PieceSquare};
use engine::{evaluate, Evaluation, EvaluationKind, Outcome, Position, Setup, Side};
use proptest::prelude::*;
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/evaluation.json")).unwrap();
    all["positions"].as_array().unwrap().clone()
}

fn features(position: &Position, side: Side) -> Vec<u64> {
    let mut features = Vec::new();
    piece_square::for_each_feature(position, side, |feature| features.push(feature as u64));
    features.sort_unstable();
    features
}

#[test]
fn piece_square_matches_every_golden_value() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 18);
    for vector in vectors {
        let position: Position = vector["fen"].as_str().unwrap().parse().unwrap();
        let score = evaluate(EvaluationKind::PieceSquare, &position);
        assert_eq!(i64::from(score.millilogits()), vector["ps_eval"].as_i64().unwrap(), "{}", vector["id"]);
        assert_eq!(score.units(), 10 * score.millilogits());
    }
}

#[test]
fn piece_square_features_are_the_golden_ones() {
    for vector in vectors() {
        let position: Position = vector["fen"].as_str().unwrap().parse().unwrap();
        let mover = position.side_to_move();
        for (side, name) in [(mover, "ps_features_mover"), (!mover, "ps_features_opponent")] {
            let mut golden: Vec<u64> = vector[name].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
            golden.sort_unstable();
            assert_eq!(features(&position, side), golden, "{} {name}", vector["id"]);
        }
    }
}

#[test]
fn material_counts_board_and_hand_alike() {
    let position: Position =
        "AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90".parse().unwrap();
    // Red has 31 pieces, blue its wazir.
    assert_eq!(evaluate(EvaluationKind::Material, &position).units(), 30_000);
}

/// Plays `choices` from the start and compares, after each ply, the updated accumulator with a refreshed one.
fn check_incremental_update<E: Evaluation>(evaluation: &E, choices: &[u32]) -> Result<(), TestCaseError>
where
    E::Accumulator: PartialEq + std::fmt::Debug,
{
    let mut position = Position::new();
    let mut state = evaluation.refresh(&position);
    for &choice in choices {
        let count = position.legal_count();
        let Some(mv) = position.nth_legal(choice % count.max(1)) else { break };
        let played = position.play(mv);
        state = evaluation.update(state, &played, &position);
        prop_assert_eq!(state, evaluation.refresh(&position), "after {:?} in {}", mv, position);
        if matches!(position.outcome(), Some(Outcome::Win(_))) {
            break;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_updates_equal_a_refresh(choices in prop::collection::vec(any::<u32>(), 102)) {
        check_incremental_update(&PieceSquare, &choices)?;
        check_incremental_update(&Material, &choices)?;
    }

    /// Reflecting a game top to bottom and swapping the sides leaves the mover's score as it was.
    #[test]
    fn evaluation_is_symmetric_between_the_sides(red in 0..Setup::COUNT, blue in 0..Setup::COUNT) {
        let (red, blue) = (Setup::from_rank(red).unwrap(), Setup::from_rank(blue).unwrap());
        let board = |top: &Setup, bottom: &Setup| {
            let (top, bottom) = (top.text(Side::Red), bottom.text(Side::Blue));
            let empty = ["........"; 4].join("/");
            format!("{}/{}/{empty}/{}/{} - ", &top[..8], &top[8..], &bottom[..8], &bottom[8..])
        };
        let flip = |setup: &Setup| {
            let mut pieces = *setup.pieces();
            pieces.rotate_left(8);
            Setup::new(pieces).unwrap()
        };
        let position: Position = format!("{}r 2", board(&red, &blue)).parse().unwrap();
        let mirrored: Position = format!("{}b 3", board(&flip(&blue), &flip(&red))).parse().unwrap();
        for kind in EvaluationKind::ALL {
            prop_assert_eq!(evaluate(kind, &position), evaluate(kind, &mirrored));
        }
    }
}
