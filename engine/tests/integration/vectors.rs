//! The golden positions of `data/perft.json`: texts, move lists, checks, and the games that led to the positions.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::{format_move, parse_move, MoveList, Position};
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let json: Value = serde_json::from_str(include_str!("../data/perft.json")).unwrap();
    json["positions"].as_array().unwrap().clone()
}

fn position(vector: &Value) -> Position {
    vector["fen"].as_str().unwrap().parse().unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn position_texts_round_trip() {
    for vector in vectors() {
        assert_eq!(position(&vector).to_string(), vector["fen"].as_str().unwrap());
    }
}

fn assert_moves(vector: &Value, list: &str, generate: fn(&Position, &mut MoveList)) {
    let position = position(vector);
    let mut moves = MoveList::new();
    generate(&position, &mut moves);
    let mut found: Vec<String> = moves.iter().map(|&mv| format_move(&position, mv)).collect();
    found.sort_unstable();
    let mut expected = texts(&vector[list]);
    expected.sort_unstable();
    assert_eq!(found, expected, "{list} of {}", vector["id"]);
}

#[test]
fn legal_moves_are_those_of_the_vectors() {
    for vector in vectors() {
        assert_moves(&vector, "legal_moves", Position::legal_moves);
    }
}

#[test]
fn safe_moves_are_the_filtered_ones_of_the_vectors() {
    for vector in vectors() {
        assert_moves(&vector, "filtered_moves", Position::safe_moves);
    }
}

#[test]
fn checks_are_those_of_the_vectors() {
    for vector in vectors() {
        let position = position(&vector);
        assert_eq!(Some(position.in_check()), vector["side_in_check"].as_bool(), "{}", vector["id"]);
        assert_eq!(Some(position.can_capture_wazir()), vector["opponent_capturable"].as_bool(), "{}", vector["id"]);
    }
}

#[test]
fn the_games_of_the_vectors_lead_to_their_positions() {
    let mut games = 0;
    for vector in vectors().iter().filter(|vector| vector["moves"].is_array()) {
        let mut reached = Position::new();
        for text in texts(&vector["moves"]) {
            assert_eq!(reached.outcome(), None);
            let mv = parse_move(&reached, text).unwrap();
            assert!(reached.is_legal(mv), "{text} in {reached}");
            reached.play(mv);
        }
        assert_eq!(reached, position(vector), "key and board of {}", vector["id"]);
        games += 1;
    }
    assert!(games >= 20);
}
