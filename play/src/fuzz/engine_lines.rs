//! Lines of engines, UCI and XBoard: each is parsed or ignored.

use super::target;
use crate::game::Game;
use crate::games::{Chess, GameKind};
use crate::protocol::uci::{Message, UciCommand};
use crate::protocol::xboard::{self, Feature, Features, XboardCommand};
use crate::protocol::{OptionDeclaration, OptionKind};
use crate::variation::illegal_move;
use fuzz::ReadOutcome;
use std::collections::BTreeSet;

/// The lines of an input, as the reader of a pipe returns them.
fn lines(input: &[u8]) -> Vec<String> {
    input.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

#[test]
fn uci_lines() {
    let start = Chess::of(GameKind::Chess).expect("chess").start();
    target("uci").run(|input| {
        let (mut kinds, mut declared) = (BTreeSet::new(), Vec::new());
        for line in &lines(input) {
            kinds.insert(kind(&Message::parse(line)));
            match Message::parse(line) {
                Message::Option(option) => declared.push(option),
                Message::Info(info) => {
                    let _info = info.to_move_info();
                    if let Some(pv) = info.pv {
                        let illegal = illegal_move::<Chess>(&start, pv);
                        assert!(illegal.is_none_or(|mv| pv.contains(mv)), "{illegal:?} is not a word of {pv:?}");
                    }
                }
                Message::BestMove { mv, .. } => drop(Chess::read_move(&start, mv)),
                _ => {}
            }
        }
        check_options(&declared, |option, value| {
            let value = (option.kind != OptionKind::Button).then_some(value);
            UciCommand::SetOption { name: &option.name, value }.to_string()
        });
        ReadOutcome::Read(kinds.into_iter().collect())
    });
}

/// A letter for each kind of message.
fn kind(message: &Message<'_>) -> &'static str {
    match message {
        Message::Name(_) => "n",
        Message::Author(_) => "a",
        Message::Option(option) => match option.kind {
            OptionKind::Check { .. } => "c",
            OptionKind::Spin { .. } => "s",
            OptionKind::Combo { .. } => "o",
            OptionKind::Button => "b",
            OptionKind::Text { .. } => "t",
        },
        Message::UciOk => "k",
        Message::ReadyOk => "r",
        Message::BestMove { .. } => "m",
        Message::Info(info) if info.evaluation.is_some() => "e",
        Message::Info(info) if info.pv.is_some() => "p",
        Message::Info(_) => "i",
        Message::Unknown(_) => "u",
    }
}

/// Checks values against the declared options: each accepted value must be sent as one line.
fn check_options(declared: &[OptionDeclaration], written: impl Fn(&OptionDeclaration, &str) -> String) {
    for option in declared.iter().take(20) {
        assert!(!option.name.is_empty(), "an option without a name");
        let found = OptionDeclaration::find(declared, &option.name).expect("it is declared");
        for value in ["", "true", "off", "1", "-9223372036854775808", "x y", "a\nb"] {
            let value = found.spelled(value);
            match found.check(value) {
                Ok(()) => assert!(!written(found, value).contains('\n'), "more than a line"),
                Err(error) => assert!(error.to_string().contains(&found.name), "{error} does not name the option"),
            }
        }
    }
    if let Err(error) = OptionDeclaration::find(declared, "no such option") {
        assert!(error.to_string().len() < 4_096, "a long message");
    }
}

#[test]
fn xboard_lines() {
    let start = Chess::of(GameKind::Chess).expect("chess").start();
    target("xboard").run(|input| {
        let (mut features, mut kinds) = (Features::default(), BTreeSet::new());
        for line in &lines(input) {
            let message = xboard::Message::parse(line);
            let shown = format!("{message:?}");
            kinds.insert(shown.split([' ', '(']).next().unwrap_or_default().to_owned());
            if let Some(rest) = line.trim_start().strip_prefix("feature") {
                for feature in Feature::read_all(rest).take(100) {
                    let answer = features.apply(feature).to_string();
                    assert!(!answer.contains('\n'), "more than a line: {answer:?}");
                }
            }
            if let xboard::Message::Move(mv) = message {
                let _played = Chess::parse_record(&start, mv);
            }
        }
        check_options(&features.options, |option, value| XboardCommand::option(option, value).to_string());
        ReadOutcome::Read(format!("{kinds:?} {:?} {}", features.handshake, features.options.len()))
    });
}
