//! Two recorded games in the `CodeCup` protocol, replayed: every move is legal and the games end as they did.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::{format_long, format_move, parse_long, parse_move, Move, Outcome, Position, Side};

/// Plays the opening and all moves of a dialogue, of both sides.
fn replay(dialogue: &str) -> Position {
    let mut position = Position::new();
    for line in dialogue.lines().filter(|line| !line.starts_with('#')) {
        let text = line.trim_start_matches(['>', '<', ' ']);
        if let Some(moves) = text.strip_prefix("Opening ") {
            for text in moves.split(' ') {
                let mv = parse_long(&position, text).unwrap();
                assert_eq!(format_long(&position, mv), text);
                play(&mut position, mv);
            }
        } else if !["Start", "Quit"].contains(&text) && !text.starts_with("Time ") {
            play_text(&mut position, text);
        }
    }
    position
}

fn play_text(position: &mut Position, text: &str) {
    let mv = parse_move(position, text).unwrap();
    assert_eq!(format_move(position, mv), text);
    assert_eq!(parse_long(position, &format_long(position, mv)), Ok(mv));
    play(position, mv);
}

fn play(position: &mut Position, mv: Move) {
    assert_eq!(position.outcome(), None);
    assert!(position.is_legal(mv), "{mv:?} in {position}");
    position.play(mv);
}

#[test]
fn red_wins_its_dialogue_by_capturing_the_wazir() {
    let position = replay(include_str!("../data/codecup-dialogue-red.txt"));
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::Red)));
}

#[test]
fn blue_loses_its_dialogue_to_the_move_that_was_not_sent() {
    let mut position = replay(include_str!("../data/codecup-dialogue-blue.txt"));
    play_text(&mut position, "g4g6");
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::Red)));
}
