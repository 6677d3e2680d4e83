//! Every number of `data/perft.json`, one test per position: legal and safe moves at each depth, with leaves counted in
//! bulk and made.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use super::walks::{perft_played, perft_safe};
use engine::{perft, PerftCounts, Position, Setup};
use serde_json::Value;

/// The maximum number of nodes for a perft that makes every leaf, to limit its time.
const PLAYED_NODES: u64 = 20_000_000;

fn vectors() -> Vec<Value> {
    let json: Value = serde_json::from_str(include_str!("../data/perft.json")).unwrap();
    json["positions"].as_array().unwrap().clone()
}

fn counts(value: &Value) -> PerftCounts {
    let field = |name: &str| value[name].as_u64().unwrap();
    PerftCounts {
        nodes: field("nodes"),
        captures: field("captures"),
        drops: field("drops"),
        wins: field("wins"),
        draws: field("draws"),
    }
}

fn check(id: &str) {
    let vector = vectors().into_iter().find(|vector| vector["id"] == id).unwrap();
    let position: Position = vector["fen"].as_str().unwrap().parse().unwrap();
    for expected in vector["perft"].as_array().unwrap() {
        let depth = expected["depth"].as_u64().unwrap() as u32;
        assert_eq!(perft(&position, depth), counts(expected), "{id} at depth {depth}");
        if counts(expected).nodes <= PLAYED_NODES {
            assert_eq!(perft_played(&position, depth), counts(expected), "{id} at depth {depth}, played");
        }
    }
    for expected in vector["perft_filtered"].as_array().unwrap() {
        let depth = expected["depth"].as_u64().unwrap() as u32;
        assert_eq!(perft_safe(&position, depth), counts(expected), "{id} at depth {depth}, safe");
    }
}

macro_rules! perft_tests {
    ($($id:ident,)*) => {
        $(#[test] fn $id() { check(stringify!($id)); })*

        #[test]
        fn every_position_has_its_test() {
            let tested = [$(stringify!($id)),*];
            for vector in vectors() {
                assert!(tested.contains(&vector["id"].as_str().unwrap()), "{} is not tested", vector["id"]);
            }
        }
    };
}

perft_tests! {
    rand01_uniform,
    rand03_eval,
    rand05_uniform,
    rand07_eval,
    rand09_uniform,
    rand11_eval,
    rand13_uniform,
    rand15_eval,
    rand17_uniform,
    rand19_eval,
    rand21_uniform,
    rand23_eval,
    both_many_pocket_1,
    both_wazirs_capturable_1,
    checkmated_1,
    double_check_1,
    in_check_single_1,
    many_pocket_1,
    one_sided_material_1,
    ply101_can_win_1,
    ply101_no_win_1,
    ply98_1,
    wazir_capturable_3ways_1,
    wazirs_adjacent_1,
    zugzwang_no_safe_move_1,
    constructed_no_legal_move,
    constructed_split_hands_ply100,
}

#[test]
fn setups_are_counted_by_number() {
    let start = Position::new();
    assert_eq!(perft(&start, 0).nodes, 1);
    assert_eq!(perft(&start, 1).nodes, u64::from(Setup::COUNT));
    let placed: Position =
        "AAAAAAAA/DDDDFFNW/......../......../......../......../......../........ - b 1".parse().unwrap();
    assert_eq!(perft(&placed, 1).nodes, u64::from(Setup::COUNT));
}
