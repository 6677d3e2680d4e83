//! Lines of both protocols, and texts of positions.

use super::target;
use engine::protocol::codecup::{Action, CodecupParams, Session};
use engine::protocol::uci::{EngineOption, UciCommand};
use engine::{format_long, format_move, parse_long, parse_move, EngineConfig, Position};
use fuzz::ReadOutcome;
use std::time::Duration;

/// The lines of an input.
fn lines(input: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(input).split('\n').map(str::to_owned).collect()
}

#[test]
fn uci() {
    target("uci").run(|input| {
        let (mut config, mut refused, mut read) = (EngineConfig::default(), String::new(), 0);
        for line in lines(input) {
            match UciCommand::parse(&line) {
                Ok(command) => {
                    let written = command.to_string();
                    assert_eq!(UciCommand::parse(&written).map(|again| again.to_string()), Ok(written));
                    read += 1;
                    if let UciCommand::SetOption { name, value } = command {
                        let set = EngineOption::find(&name).and_then(|option| option.set(&mut config, &value));
                        refused = set.err().map_or(refused, |error| error.to_string());
                    }
                }
                Err(error) => refused = error.to_string(),
            }
        }
        if refused.is_empty() {
            ReadOutcome::Read(read.to_string())
        } else {
            ReadOutcome::Refused(refused)
        }
    });
}

#[test]
fn codecup() {
    target("codecup").run(|input| {
        let (mut session, mut refused) = (Session::new(), String::new());
        for line in lines(input) {
            match session.handle_line(&line) {
                Ok(Action::Quit) => break,
                Ok(Action::Wait) => {}
                Ok(Action::Move) => {
                    let left = session.time_left(&CodecupParams::default());
                    assert!(left.reserve <= Duration::MAX / 8);
                    let position = *session.record().position();
                    let mv = position.nth_legal(0).expect("the game is not over");
                    session.record_move(mv, Duration::from_secs(1)).expect("it is legal");
                }
                Err(error) => refused = error.to_string(),
            }
        }
        let plies = session.record().history().len();
        if refused.is_empty() {
            ReadOutcome::Read(format!("{plies} plies"))
        } else {
            ReadOutcome::Refused(refused)
        }
    });
}

#[test]
fn positions() {
    target("position").run(|input| {
        let text = String::from_utf8_lossy(input);
        let position: Position = match text.trim().parse() {
            Ok(position) => position,
            Err(error) => return ReadOutcome::Refused(format!("{error}")),
        };
        assert_eq!(position.to_string().parse(), Ok(position));
        let count = position.legal_count();
        for n in (0..count.min(40)).chain(count.checked_sub(1)) {
            let mv = position.nth_legal(n).expect("a legal move");
            assert_eq!(parse_move(&position, &format_move(&position, mv)), Ok(mv));
            assert_eq!(parse_long(&position, &format_long(&position, mv)), Ok(mv));
            let mut next = position;
            let _delta = next.play(mv);
            assert_eq!(next.to_string().parse(), Ok(next), "{position} {mv:?}");
        }
        ReadOutcome::Read(format!("{count} {:?}", position.outcome()))
    });
}
