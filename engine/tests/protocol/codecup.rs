//! The `CodeCup` protocol.

use crate::games::{any_game, game};
use engine::protocol::codecup::{parse_answer, Command, Duty, Seat, DEFAULT_TIME};
use engine::{format_move, Move, Position};
use proptest::prelude::*;
use std::time::Duration;

const RED: &str = "AWNAADADAFFAADDA";
const BLUE: &str = "awnaadadaffaadda";

fn assert_read_back(position: &Position, command: &Command) {
    let line = command.display(position).to_string();
    assert_eq!(Command::parse(position, &line).as_ref(), Ok(command), "{line}");
    assert_eq!(Command::parse(position, &format!(" {line}\r\n")).as_ref(), Ok(command), "blanks around {line}");
}

fn refusal(position: &Position, line: &str) -> String {
    Command::parse(position, line).unwrap_err().to_string()
}

fn after(lines: &[&str]) -> Seat {
    let mut seat = Seat::new();
    for line in lines {
        seat.take(line).unwrap();
    }
    seat
}

#[test]
fn keywords_are_read_back_in_every_position() {
    for (position, _) in game(1) {
        assert_read_back(&position, &Command::Start);
        assert_read_back(&position, &Command::Quit);
        for milliseconds in [1, 1_500, 30_000, u64::MAX] {
            assert_read_back(&position, &Command::Time(Duration::from_millis(milliseconds)));
        }
    }
}

#[test]
fn exactly_the_legal_moves_are_read() {
    for (position, _) in (2..5).flat_map(game).skip(2).step_by(7) {
        for mv in (0..4352).filter_map(Move::from_code) {
            let text = format_move(&position, mv);
            let legal = position.is_legal(mv);
            assert_eq!(
                Command::parse(&position, &text).ok(),
                legal.then_some(Command::Move(mv)),
                "{text} in {position}"
            );
            assert_eq!(parse_answer(&position, &text).ok(), legal.then_some(mv), "{text} in {position}");
        }
    }
}

#[test]
fn refusals_say_what_was_expected() {
    let start = Position::new();
    assert_eq!(refusal(&start, "b5d3"), "expected red's setup of 16 letters: a setup has 16 letters, not 4");
    assert_eq!(
        refusal(&start, "Time 1.5"),
        "expected a whole number of milliseconds above 0 after Time, found \"1.5\""
    );
    for time in ["Time", "Time 0", "Time -1", "Time +1", "Time 99999999999999999999", "Time 5 s"] {
        assert!(refusal(&start, time).starts_with("expected a whole number"), "{time}");
    }
    assert_eq!(refusal(&start, "Opening"), "expected long moves (setups as 16 letters, Fb3-c4, A@a1) after Opening");
    let seat = after(&[RED]);
    let placed = seat.record().position();
    assert_eq!(refusal(placed, "start"), "expected blue's setup of 16 letters: a setup has 16 letters, not 5");
    let opening = |rest: &str| refusal(&start, &format!("Opening {RED} {BLUE} {rest}"));
    assert!(opening("Aa1-c4").starts_with("Opening, move 3: expected a legal move: a1c4 is not one in "));
    assert!(opening("Db1-d3").starts_with("Opening, move 3: expected red's move like Fb3-c4 or A@a1: "));
}

#[test]
fn lines_have_their_time() {
    let order = |lines: &[&str], line: &str| {
        let mut seat = after(lines);
        let before = format!("{seat:?}");
        let error = seat.take(line).unwrap_err().to_string();
        assert_eq!(format!("{seat:?}"), before, "a refused line changes nothing");
        error
    };
    let opening = format!("Opening {RED} {BLUE}");
    assert!(order(&["Start"], "Start").starts_with("expected nothing but Quit"));
    assert!(order(&["Time 5"], "Time 6").starts_with("expected Start or the opponent's move"));
    assert!(order(&[&opening], &opening).starts_with("expected Start or the opponent's move"));
    assert!(order(&["Start"], "Time 5").starts_with("expected nothing but Quit"));
    assert!(order(&[&opening, "a1c3"], "g1e3").starts_with("expected nothing but Quit"));
}

#[test]
fn a_seat_knows_when_it_is_to_move_and_what_time_is_left() {
    let mut seat = Seat::new();
    assert_eq!(seat.time_left().remaining, DEFAULT_TIME);
    assert_eq!(seat.time_left().reserve, Duration::from_millis(500));
    assert_eq!(seat.take("Time 2000"), Ok(Duty::Wait));
    assert_eq!(seat.take(&format!("Opening {RED} {BLUE}")), Ok(Duty::Wait));
    assert_eq!(seat.take("a1c3"), Ok(Duty::Move), "the opponent moves first here");
    let mv = parse_answer(seat.record().position(), "g1e3").unwrap();
    seat.made(mv, Duration::from_millis(300)).unwrap();
    assert_eq!(seat.time_left().remaining, Duration::from_millis(1_700));
    assert_eq!(seat.time_left().reserve, Duration::from_millis(250));
    assert_eq!(seat.record().history().len(), 4);
    assert_eq!(seat.take("c3e1"), Ok(Duty::Move));
    assert_eq!(seat.take("Quit"), Ok(Duty::Leave));
}

#[test]
fn the_move_that_ends_a_game_asks_for_nothing() {
    let played = (0..1_000).map(game).find(|game| game.len() < 100).unwrap();
    let (&(last, end), before) = played.split_last().unwrap();
    let mut seat = Seat::new();
    let mut due = Duty::Wait;
    for (ply, (position, mv)) in before.iter().enumerate() {
        // The opponent makes the last move.
        if ply % 2 == before.len() % 2 {
            due = seat.take(&format_move(position, *mv)).unwrap();
        } else {
            if ply == 0 {
                due = seat.take("Start").unwrap();
            }
            assert_eq!(due, Duty::Move);
            seat.made(*mv, Duration::ZERO).unwrap();
        }
    }
    assert_eq!(seat.take(&format_move(&last, end)), Ok(Duty::Wait));
    assert!(seat.take("a1c3").unwrap_err().to_string().contains("the game being over"));
    assert_eq!(seat.take("Quit"), Ok(Duty::Leave));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_move_and_every_opening_of_a_game_is_read_back(game in any_game(), plies in 1..102_usize) {
        for (position, mv) in &game {
            assert_read_back(position, &Command::Move(*mv));
            prop_assert_eq!(parse_answer(position, &format_move(position, *mv)), Ok(*mv));
        }
        let moves = game.iter().take(plies).map(|(_, mv)| *mv).collect();
        assert_read_back(&Position::new(), &Command::Opening(moves));
    }

    #[test]
    fn no_line_whatever_panics(game in any_game(), ply in 0..102_usize, line in "\\PC{0,40}|(Time|Opening|Start|Quit)[ \\PC]{0,40}") {
        let position = game[ply % game.len()].0;
        if let Ok(command) = Command::parse(&position, &line) {
            assert_read_back(&position, &command);
        }
        let _either = Seat::new().take(&line);
    }
}
