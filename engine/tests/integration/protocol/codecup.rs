//! The `CodeCup` protocol.

use super::games::{any_game, game};
use engine::protocol::codecup::{parse_answer, Action, CodeCupCommand, CodecupParams, Session, DEFAULT_TIME};
use engine::{format_move, Move, Position};
use proptest::prelude::*;
use std::time::Duration;

const RED: &str = "AWNAADADAFFAADDA";
const BLUE: &str = "awnaadadaffaadda";

fn assert_round_trip(position: &Position, command: &CodeCupCommand) {
    let line = command.display(position).to_string();
    assert_eq!(CodeCupCommand::parse(position, &line).as_ref(), Ok(command), "{line}");
    assert_eq!(CodeCupCommand::parse(position, &format!(" {line}\r\n")).as_ref(), Ok(command), "blanks around {line}");
}

fn error_text(position: &Position, line: &str) -> String {
    CodeCupCommand::parse(position, line).unwrap_err().to_string()
}

fn after(lines: &[&str]) -> Session {
    let mut session = Session::new();
    for line in lines {
        session.handle_line(line).unwrap();
    }
    session
}

#[test]
fn keywords_round_trip_in_every_position() {
    for (position, _) in game(1) {
        assert_round_trip(&position, &CodeCupCommand::Start);
        assert_round_trip(&position, &CodeCupCommand::Quit);
        for milliseconds in [1, 1_500, 30_000, u64::MAX] {
            assert_round_trip(&position, &CodeCupCommand::Time(Duration::from_millis(milliseconds)));
        }
    }
}

#[test]
fn exactly_the_legal_moves_are_parsed() {
    for (position, _) in (2..5).flat_map(game).skip(2).step_by(7) {
        for mv in (0..4352).filter_map(Move::from_code) {
            let text = format_move(&position, mv);
            let legal = position.is_legal(mv);
            assert_eq!(
                CodeCupCommand::parse(&position, &text).ok(),
                legal.then_some(CodeCupCommand::Move(mv)),
                "{text} in {position}"
            );
            assert_eq!(parse_answer(&position, &text).ok(), legal.then_some(mv), "{text} in {position}");
        }
    }
}

#[test]
fn errors_say_what_was_expected() {
    let start = Position::new();
    assert_eq!(error_text(&start, "b5d3"), "expected red's setup of 16 letters: a setup has 16 letters, not 4");
    assert_eq!(
        error_text(&start, "Time 1.5"),
        "expected a whole number of milliseconds above 0 after Time, found \"1.5\""
    );
    for time in ["Time", "Time 0", "Time -1", "Time +1", "Time 99999999999999999999", "Time 5 s"] {
        assert!(error_text(&start, time).starts_with("expected a whole number"), "{time}");
    }
    assert_eq!(error_text(&start, "Opening"), "expected long moves (setups as 16 letters, Fb3-c4, A@a1) after Opening");
    let session = after(&[RED]);
    let placed = session.record().position();
    assert_eq!(error_text(placed, "start"), "expected blue's setup of 16 letters: a setup has 16 letters, not 5");
    let opening = |rest: &str| error_text(&start, &format!("Opening {RED} {BLUE} {rest}"));
    assert!(opening("Aa1-c4").starts_with("Opening, move 3: expected a legal move: a1c4 is not legal in "));
    assert!(opening("Db1-d3").starts_with("Opening, move 3: expected red's move like Fb3-c4 or A@a1: "));
}

#[test]
fn lines_are_accepted_only_in_their_phase() {
    let order = |lines: &[&str], line: &str| {
        let mut session = after(lines);
        let before = format!("{session:?}");
        let error = session.handle_line(line).unwrap_err().to_string();
        assert_eq!(format!("{session:?}"), before, "a refused line changes nothing");
        error
    };
    let opening = format!("Opening {RED} {BLUE}");
    assert!(order(&["Start"], "Start").starts_with("expected only Quit"));
    assert!(order(&["Time 5"], "Time 6").starts_with("expected Start or the opponent's move"));
    assert!(order(&[&opening], &opening).starts_with("expected Start or the opponent's move"));
    assert!(order(&["Start"], "Time 5").starts_with("expected only Quit"));
    assert!(order(&[&opening, "a1c3"], "g1e3").starts_with("expected only Quit"));
}

#[test]
fn a_session_knows_whose_turn_it_is_and_the_time_left() {
    let mut session = Session::new();
    assert_eq!(session.time_left(&CodecupParams::default()).remaining, DEFAULT_TIME);
    assert_eq!(session.time_left(&CodecupParams::default()).reserve, Duration::from_millis(500));
    assert_eq!(session.handle_line("Time 2000"), Ok(Action::Wait));
    assert_eq!(session.handle_line(&format!("Opening {RED} {BLUE}")), Ok(Action::Wait));
    assert_eq!(session.handle_line("a1c3"), Ok(Action::Move), "the opponent moves first here");
    let mv = parse_answer(session.record().position(), "g1e3").unwrap();
    session.record_move(mv, Duration::from_millis(300)).unwrap();
    // 2 s / 1,500 for the referee's work, and 2 s / 30 in reserve.
    let left = session.time_left(&CodecupParams::default());
    assert_eq!((left.remaining, left.reserve), (Duration::from_nanos(1_698_666_667), Duration::from_nanos(66_666_666)));
    let careless = CodecupParams { codecup_reserve: 0.0, codecup_overhead: 0.0 };
    let left = session.time_left(&careless);
    assert_eq!((left.remaining, left.reserve), (Duration::from_millis(1_700), Duration::ZERO));
    assert_eq!(session.record().history().len(), 4);
    assert_eq!(session.handle_line("c3e1"), Ok(Action::Move));
    assert_eq!(session.handle_line("Quit"), Ok(Action::Quit));
}

#[test]
fn the_move_that_ends_a_game_needs_no_answer() {
    let played = (0..1_000).map(game).find(|game| game.len() < 100).unwrap();
    let (&(last, end), before) = played.split_last().unwrap();
    let mut session = Session::new();
    let mut due = Action::Wait;
    for (ply, (position, mv)) in before.iter().enumerate() {
        // The opponent makes the last move.
        if ply % 2 == before.len() % 2 {
            due = session.handle_line(&format_move(position, *mv)).unwrap();
        } else {
            if ply == 0 {
                due = session.handle_line("Start").unwrap();
            }
            assert_eq!(due, Action::Move);
            session.record_move(*mv, Duration::ZERO).unwrap();
        }
    }
    assert_eq!(session.handle_line(&format_move(&last, end)), Ok(Action::Wait));
    assert!(session.handle_line("a1c3").unwrap_err().to_string().contains("because the game is over"));
    assert_eq!(session.handle_line("Quit"), Ok(Action::Quit));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_move_and_every_opening_of_a_game_round_trips(game in any_game(), plies in 1..102_usize) {
        for (position, mv) in &game {
            assert_round_trip(position, &CodeCupCommand::Move(*mv));
            prop_assert_eq!(parse_answer(position, &format_move(position, *mv)), Ok(*mv));
        }
        let moves = game.iter().take(plies).map(|(_, mv)| *mv).collect();
        assert_round_trip(&Position::new(), &CodeCupCommand::Opening(moves));
    }

    #[test]
    fn no_line_panics(game in any_game(), ply in 0..102_usize, line in "\\PC{0,40}|(Time|Opening|Start|Quit)[ \
        \\PC]{0,40}") {
        let position = game[ply % game.len()].0;
        if let Ok(command) = CodeCupCommand::parse(&position, &line) {
            assert_round_trip(&position, &command);
        }
        let _either = Session::new().handle_line(&line);
    }
}
