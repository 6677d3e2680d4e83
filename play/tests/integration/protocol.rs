//! The codecs of external engines' protocols: output of real engines, and properties of every line.
//!
//! `data/protocol/` holds the answers of Stockfish 15.1, Fairy-Stockfish 11.1, Sjeng 11.2, GNU Chess and Fairy-Max 5.0b
//! to a short dialogue: greeting, one move after e2e4, an illegal move, an unknown command, in some a mate. Shortened,
//! otherwise as captured.

use play::Evaluation;
use play::protocol::{Bound, OptionDeclaration, OptionKind, uci, xboard};
use proptest::prelude::*;
use stats::Score;
use std::time::Duration;
use xboard::{Features, Flag, Handshake};

const STOCKFISH: &str = include_str!("../data/protocol/stockfish.txt");
const FAIRY_STOCKFISH: &str = include_str!("../data/protocol/fairy-stockfish.txt");
const FAIRY_STOCKFISH_XBOARD: &str = include_str!("../data/protocol/fairy-stockfish-xboard.txt");
const SJENG: &str = include_str!("../data/protocol/sjeng.txt");
const GNU_CHESS: &str = include_str!("../data/protocol/gnuchess.txt");
const FAIRY_MAX: &str = include_str!("../data/protocol/fairymax.txt");

fn uci_messages(text: &str) -> Vec<uci::Message<'_>> {
    text.lines().map(uci::Message::parse).collect()
}

fn xboard_messages(text: &str) -> Vec<xboard::Message<'_>> {
    text.lines().map(xboard::Message::parse).collect()
}

/// The lines that no codec understands, except empty ones.
fn uci_unknown(text: &str) -> Vec<&str> {
    let unknown = |message| if let uci::Message::Unknown(line) = message { Some(line) } else { None };
    uci_messages(text).into_iter().filter_map(unknown).filter(|line| !line.is_empty()).collect()
}

fn xboard_unknown(text: &str) -> Vec<&str> {
    let unknown = |message| if let xboard::Message::Unknown(line) = message { Some(line) } else { None };
    xboard_messages(text).into_iter().filter_map(unknown).filter(|line| !line.is_empty()).collect()
}

fn options(text: &str) -> Vec<OptionDeclaration> {
    let option = |message| if let uci::Message::Option(option) = message { Some(option) } else { None };
    uci_messages(text).into_iter().filter_map(option).collect()
}

fn best_moves(text: &str) -> Vec<(&str, Option<&str>)> {
    let best = |message| if let uci::Message::BestMove { mv, ponder } = message { Some((mv, ponder)) } else { None };
    uci_messages(text).into_iter().filter_map(best).collect()
}

fn infos(text: &str) -> Vec<uci::Info<'_>> {
    let info = |message| if let uci::Message::Info(info) = message { Some(info) } else { None };
    uci_messages(text).into_iter().filter_map(info).collect()
}

/// The features declared by the lines, and the rejected ones.
fn features(text: &str) -> (Features, Vec<String>) {
    let mut features = Features::default();
    let mut rejected = Vec::new();
    for message in xboard_messages(text) {
        let xboard::Message::Features(line) = message else { continue };
        for feature in xboard::Feature::read_all(line) {
            if let xboard::XboardCommand::Rejected(name) = features.apply(feature) {
                rejected.push(name.to_owned());
            }
        }
    }
    (features, rejected)
}

fn flags(features: &Features) -> Vec<Flag> {
    [Flag::Ping, Flag::SetBoard, Flag::UserMove, Flag::Time, Flag::Memory, Flag::Smp]
        .into_iter()
        .filter(|flag| features.has(*flag))
        .collect()
}

fn moves(text: &str) -> Vec<&str> {
    let mv = |message| if let xboard::Message::Move(mv) = message { Some(mv) } else { None };
    xboard_messages(text).into_iter().filter_map(mv).collect()
}

fn thoughts(text: &str) -> Vec<xboard::Thinking<'_>> {
    let thinking = |message| if let xboard::Message::Thinking(thinking) = message { Some(thinking) } else { None };
    xboard_messages(text).into_iter().filter_map(thinking).collect()
}

#[test]
fn stockfish() {
    let greeting = "Stockfish 15.1 by the Stockfish developers (see AUTHORS file)";
    assert_eq!(uci_unknown(STOCKFISH), [greeting, "Unknown command: 'foo'. Type help for more information."]);
    assert!(uci_messages(STOCKFISH).contains(&uci::Message::Name("Stockfish 15.1")));
    let options = options(STOCKFISH);
    assert_eq!(options.len(), 21);
    let hash = OptionDeclaration::find(&options, "hash").expect("declared");
    assert_eq!(hash.kind, OptionKind::Spin { default: Some(16), min: Some(1), max: Some(33_554_432) });
    assert_eq!(best_moves(STOCKFISH), [("d7d5", Some("d2d3")), ("(none)", None), ("f7g7", None)]);
    let infos = infos(STOCKFISH);
    let deepest = infos.iter().find(|info| info.depth == Some(6)).expect("searched to depth 6");
    assert_eq!((deepest.nodes, deepest.pv), (Some(1024), Some("d7d5 d2d3 d5e4")));
    assert_eq!(deepest.evaluation, Some(Evaluation::Centipawns(19)));
    assert_eq!(deepest.time, Some(Duration::from_millis(29)));
    let last = infos.last().expect("at least one");
    assert_eq!((last.depth, last.evaluation), (Some(8), Some(Evaluation::Mate(1))));
}

#[test]
fn fairy_stockfish() {
    assert_eq!(uci_unknown(FAIRY_STOCKFISH), ["Fairy-Stockfish 11.1 LB 64 by Fabian Fichter"]);
    let options = options(FAIRY_STOCKFISH);
    let variant = OptionDeclaration::find(&options, "UCI_Variant").expect("declared");
    assert_eq!(variant.check("crazyhouse"), Ok(()));
    assert!(variant.check("crazy").is_err());
    assert_eq!(best_moves(FAIRY_STOCKFISH), [("e7e5", Some("d2d4"))]);
}

#[test]
fn fairy_stockfish_by_xboard() {
    let (features, rejected) = features(FAIRY_STOCKFISH_XBOARD);
    assert_eq!(xboard_unknown(FAIRY_STOCKFISH_XBOARD), ["Fairy-Stockfish 11.1 LB 64 by Fabian Fichter"]);
    assert_eq!(features.name.as_deref(), Some("Fairy-Stockfish"));
    assert_eq!(flags(&features), [Flag::Ping, Flag::SetBoard, Flag::UserMove, Flag::Time, Flag::Memory, Flag::Smp]);
    assert_eq!(rejected, ["highlight"]);
    assert!(features.variants.iter().any(|name| name == "crazyhouse"));
    assert_eq!((features.options.len(), features.handshake), (21, Handshake::Done));
    assert_eq!(moves(FAIRY_STOCKFISH_XBOARD), ["d7d5"]);
    let error = xboard::Message::Error { command: "e1e8", reason: Some("unkown command") };
    assert!(xboard_messages(FAIRY_STOCKFISH_XBOARD).contains(&error));
    let last = thoughts(FAIRY_STOCKFISH_XBOARD).pop().expect("at least one");
    assert_eq!((last.depth, last.seldepth, last.pv), (6, Some(6), "d7d5 b1c3 d5d4 c3d5 c7c6"));
    assert_eq!((last.time, last.nodes), (Duration::from_millis(10), 1278));
}

#[test]
fn sjeng() {
    let (features, rejected) = features(SJENG);
    assert_eq!(flags(&features), [Flag::Ping, Flag::SetBoard, Flag::Time]);
    assert!(!features.has(Flag::SigInt) && features.has(Flag::Reuse));
    assert_eq!((features.name.as_deref(), features.variants.len()), (Some("Sjeng 11.2"), 6));
    assert_eq!(rejected, ["colors"]);
    assert_eq!(moves(SJENG), ["e7e6"]);
    assert_eq!(thoughts(SJENG).len(), 7);
    assert_eq!((thoughts(SJENG)[0].bound, thoughts(SJENG)[0].pv), (Bound::Lower, "Nf6"));
    let result = xboard::Message::Result { white: Some(Score::Loss), comment: "Black Mates" };
    assert_eq!(xboard_messages(SJENG).last(), Some(&result));
    // Greeting, board and statistics.
    let unknown = xboard_unknown(SJENG);
    assert_eq!(unknown.len(), 31);
    let expected =
        ["Allocated ", "No ", "Sjeng", "This is free", "under certain", "+--", "8 |", "a    b", "Opening phase"];
    let statistics = [
        "Time for",
        "Used time",
        "Learning",
        "Nodes:",
        "NPS:",
        "ECache",
        "TTStores",
        "NTries",
        "Check ",
        "EGTB",
        "Move ordering",
        "Material",
        "Hash",
    ];
    for line in unknown {
        assert!(expected.iter().chain(&statistics).any(|start| line.starts_with(start)), "{line:?}");
    }
}

#[test]
fn gnu_chess() {
    let (features, rejected) = features(GNU_CHESS);
    assert_eq!(flags(&features), [Flag::Ping, Flag::SetBoard, Flag::UserMove, Flag::Time]);
    assert_eq!(rejected, ["ics", "name", "playother"]);
    assert_eq!(xboard_unknown(GNU_CHESS), ["Chess", "1. e2e4"], "the greeting, and an echo of our move");
    assert_eq!(moves(GNU_CHESS), ["d7d5", "d7d5"], "the same move in both old forms");
    assert!(xboard_messages(GNU_CHESS).contains(&xboard::Message::Illegal { mv: "e1e8", reason: None }));
    assert_eq!(thoughts(GNU_CHESS)[2].evaluation, Evaluation::Centipawns(8));
}

#[test]
fn fairy_max() {
    let (features, rejected) = features(FAIRY_MAX);
    assert_eq!(flags(&features), [Flag::Ping, Flag::Time, Flag::Memory]);
    assert_eq!(rejected, ["exclude", "xedit"]);
    assert_eq!(xboard_unknown(FAIRY_MAX), [""; 0]);
    assert_eq!((features.options.len(), features.handshake), (14, Handshake::Done));
    assert_eq!(moves(FAIRY_MAX), ["b8c6", "d8h4"]);
    assert_eq!(thoughts(FAIRY_MAX).last().map(|last| last.evaluation), Some(Evaluation::Mate(1)));
    let result = xboard::Message::Result { white: Some(Score::Loss), comment: "Black mates" };
    assert_eq!(xboard_messages(FAIRY_MAX).last(), Some(&result));
}

/// Fields of an `info` line, plain and damaged.
fn info_fields() -> Vec<String> {
    ["depth 9", "seldepth 12", "multipv 2", "score cp -7 lowerbound", "wdl 5 990 5", "nodes 77", "nps 1000", "time 8"]
        .into_iter()
        .chain(["tbhits 1", "hashfull 30", "currmove e2e4", "currmovenumber 3", "cpuload 500", "pv e2e4 e7e5 g1f3"])
        .map(str::to_owned)
        .collect()
}

/// Lines made of the words that the protocols use, in any order: more likely to cause trouble than random ones.
fn almost_a_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "info",
        "depth",
        "score",
        "cp",
        "mate",
        "pv",
        "string",
        "option",
        "name",
        "type",
        "spin",
        "default",
        "min",
        "max",
        "var",
        "bestmove",
        "ponder",
        "id",
        "position",
        "fen",
        "moves",
        "go",
        "wtime",
        "setoption",
        "value",
        "feature",
        "done=1",
        "option=\"",
        "a -spin",
        "\"",
        "=",
        "move",
        "1.",
        "...",
        "My",
        "is:",
        "Illegal",
        "(",
        ")",
        ":",
        "{",
        "}",
        "level",
        "5:",
        ":5",
        "time",
        "-1",
        "99999999999999999999",
        "0.",
        "é",
        "\t",
        "\u{a0}",
        "Error",
        "#",
        "1-0",
        "st",
    ]);
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

/// Reads a line with every reader.
fn read_everywhere(line: &str) {
    let _ = (uci::Message::parse(line), xboard::Message::parse(line));
    let mut features = Features::default();
    for feature in xboard::Feature::read_all(line) {
        features.apply(feature);
    }
    for option in &features.options {
        let _ = (option.check(line), OptionDeclaration::find(&features.options, line));
    }
}

proptest! {
    #[test]
    fn info_fields_may_come_in_any_order(fields in Just(info_fields()).prop_shuffle()) {
        let line = format!("info {}", fields.join(" "));
        let expected = uci::Info {
            depth: Some(9),
            seldepth: Some(12),
            multipv: Some(2),
            evaluation: Some(Evaluation::Centipawns(-7)),
            bound: Bound::Lower,
            nodes: Some(77),
            time: Some(Duration::from_millis(8)),
            tbhits: Some(1),
            hashfull: Some(30),
            pv: Some("e2e4 e7e5 g1f3"),
        };
        prop_assert_eq!(uci::Message::parse(&line), uci::Message::Info(expected));
    }

    #[test]
    fn no_bytes_make_a_codec_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_everywhere(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_line_makes_a_codec_panic(line in almost_a_line()) {
        read_everywhere(&line);
        let starts = ["info ", "option \
            name ", "feature option=\"", "1 2 3 4 ", "level 0 ", "Illegal move (", "1. ... "];
        for start in starts {
            read_everywhere(&format!("{start}{line}"));
        }
    }
}
