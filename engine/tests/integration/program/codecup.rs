//! The program as a `CodeCup` player.

use super::process::{Program, MARGIN};
use engine::protocol::codecup::{parse_answer, CodeCupCommand};
use engine::protocol::GameRecord;
use engine::{
    format_long, format_move, parse_move, Budget, Engine, EngineConfig, Move, NeverStop, NoClock, Position, Side,
};
use std::time::Duration;

const DIALOGUES: [&str; 2] =
    [include_str!("../../data/codecup-dialogue-red.txt"), include_str!("../../data/codecup-dialogue-blue.txt")];

/// The lines of a recorded dialogue: `>` marks those of the referee, `<` those of the recorded program.
fn lines(dialogue: &str) -> impl Iterator<Item = (char, &str)> {
    dialogue.lines().filter_map(|line| line.split_once(' ')).filter_map(|(mark, text)| match mark {
        ">" => Some(('>', text)),
        "<" => Some(('<', text)),
        _ => None,
    })
}

/// The recorded move if it is legal in this game, otherwise the move of an engine.
fn opponent_move(engine: &mut Engine, record: &GameRecord, recorded: &str) -> Move {
    let position = record.position();
    let recorded = parse_move(position, recorded).ok().filter(|&mv| position.is_legal(mv));
    recorded.unwrap_or_else(|| {
        let budget = Budget::Nodes(100_000);
        let report = engine.search(position, record.history(), &budget, &NeverStop, &NoClock);
        report.expect("an unfinished game has a move").best
    })
}

#[test]
fn recorded_dialogues_are_answered_line_by_line() {
    let mut answers = 0;
    for dialogue in DIALOGUES {
        let (mut program, mut record) = (Program::start(&[]), GameRecord::new(Position::new()));
        let mut opponent = Engine::new(&EngineConfig::default());
        for (mark, text) in lines(dialogue) {
            if record.position().outcome().is_some() {
                break;
            }
            let position = *record.position();
            if mark == '<' {
                record.play(parse_answer(&position, &program.receive()).unwrap()).unwrap();
                answers += 1;
                continue;
            }
            let command = match CodeCupCommand::parse(&position, text) {
                Ok(CodeCupCommand::Quit) => break,
                Ok(command @ (CodeCupCommand::Start | CodeCupCommand::Time(_) | CodeCupCommand::Opening(_))) => command,
                _ => CodeCupCommand::Move(opponent_move(&mut opponent, &record, text)),
            };
            program.send(&command.display(&position).to_string());
            match command {
                CodeCupCommand::Move(mv) => record.play(mv).unwrap(),
                CodeCupCommand::Opening(moves) => moves.into_iter().try_for_each(|mv| record.play(mv)).unwrap(),
                _ => {}
            }
        }
        program.send("Quit");
        let end = program.end();
        assert_eq!((end.code, end.stdout.len(), end.stderr.as_str()), (Some(0), 0, ""));
    }
    assert!(answers >= 8, "{answers} answers are too few to say anything");
}

#[test]
fn play_can_start_from_every_position_of_a_dialogue() {
    for dialogue in DIALOGUES {
        let (mut record, mut moves) = (GameRecord::new(Position::new()), Vec::new());
        for (n, (mark, text)) in lines(dialogue).enumerate() {
            let position = *record.position();
            // Every eighth line, so that the other colour is asked too.
            if n % 8 == 0 && !moves.is_empty() {
                let mut program = Program::start(&[]);
                program.send("Time 50");
                program.send(&format!("Opening {}", moves.join(" ")));
                let lines = program.ask("Start", "");
                assert!(parse_answer(&position, &lines[0]).is_ok(), "{} in {position}", lines[0]);
            }
            let known = match CodeCupCommand::parse(&position, text) {
                Ok(CodeCupCommand::Move(mv)) => vec![mv],
                Ok(CodeCupCommand::Opening(moves)) => moves,
                other => {
                    assert!(mark == '>' && other.is_ok(), "{text}: {other:?}");
                    continue;
                }
            };
            for mv in known {
                moves.push(format_long(record.position(), mv));
                record.play(mv).unwrap();
            }
        }
        assert!(moves.len() > 40);
    }
}

#[test]
#[ignore = "slow"]
fn a_game_against_itself_is_played_within_its_time() {
    const TIME: Duration = Duration::from_secs(2);
    let mut players = [Program::start(&[]), Program::start(&[])];
    let mut record = GameRecord::new(Position::new());
    for player in &mut players {
        player.send(&format!("Time {}", TIME.as_millis()));
    }
    let mut line = "Start".to_owned();
    while record.position().outcome().is_none() {
        let position = *record.position();
        let side = position.side_to_move().index();
        players[side].send(&line);
        line = players[side].receive();
        let mv = parse_answer(&position, &line).unwrap();
        assert_eq!(line, format_move(&position, mv));
        record.play(mv).unwrap();
    }
    assert!(record.position().plies() > 10, "{}", record.position());
    for (side, mut player) in Side::ALL.into_iter().zip(players) {
        assert!(player.used() <= TIME + MARGIN, "{side} used {:?}", player.used());
        player.send("Quit");
        let end = player.end();
        assert_eq!((end.code, end.stdout.len(), end.stderr.as_str()), (Some(0), 0, ""), "{side}");
    }
}

#[test]
fn a_game_with_very_little_time_is_completed() {
    for search in engine::SearchKind::all() {
        let (mut program, mut record) =
            (Program::start(&["--search", search.name()]), GameRecord::new(Position::new()));
        program.send("Time 1");
        let mut line = "Start".to_owned();
        while record.position().outcome().is_none() {
            let answer = program.ask(&line, "").remove(0);
            record.play(parse_answer(record.position(), &answer).unwrap()).unwrap();
            if record.position().outcome().is_none() {
                let position = *record.position();
                let mv = position.nth_legal(position.legal_count() / 2).unwrap();
                line = format_move(&position, mv);
                record.play(mv).unwrap();
            }
        }
        program.send("Quit");
        assert_eq!(program.end().code, Some(0), "{}", search.name());
    }
}

#[test]
fn a_search_ends_at_once_on_quit() {
    for farewell in [Some("Quit"), None] {
        let mut program = Program::start(&[]);
        // Enough time for a first move of minutes.
        program.send("Time 36000000");
        program.send("AWNAADADAFFAADDA");
        match farewell {
            Some(line) => program.send(line),
            None => program.close(),
        }
        let end = program.end();
        assert_eq!((end.code, end.stdout.len(), end.stderr.as_str()), (Some(0), 0, ""));
    }
}

#[test]
fn invalid_lines_end_the_program_with_a_reason() {
    let opening = "Opening AWNAADADAFFAADDA awnaadadaffaadda";
    for (lines, reason) in [
        (vec!["hello"], "expected red's setup of 16 letters"),
        (vec!["Time"], "expected a whole number of milliseconds above 0"),
        (vec!["Time 1000", "Time 1000"], "expected Start or the opponent's move"),
        (vec![opening, "a1a2"], "expected a legal move: a1a2 is not legal in"),
        (vec![opening, "Opening A@a1"], "Opening, move 1: expected red's setup of 16 letters"),
        (vec!["Time 100", opening, "Ww1"], "expected red's move like b5d3 or Df8"),
    ] {
        let mut program = Program::start(&[]);
        for line in &lines {
            program.send(line);
        }
        let end = program.end();
        assert_eq!((end.code, end.stdout.len()), (Some(1), 0), "{lines:?}");
        assert!(end.stderr.contains(reason) && end.stderr.lines().count() == 1, "{lines:?}: {}", end.stderr);
    }
}

#[test]
fn invalid_utf8_is_rejected() {
    for bytes in [vec![0xff; 200_000], b"\0\n".to_vec(), vec![b'A'; 100_000], b"\xc3\x28 Start\n".to_vec()] {
        let mut program = Program::start(&[]);
        program.send_bytes(&bytes);
        program.close();
        let end = program.end();
        assert_eq!(end.code, Some(1));
        assert!(end.stderr.starts_with("zeropoint: expected red's setup"), "{}", end.stderr);
    }
}
