//! The UCI protocol.

use super::games::{any_game, game, Game};
use engine::protocol::uci::{option_text, option_value, EngineOption, Go, Info, UciCommand, UciMessage};
use engine::{Budget, Engine, EngineConfig, EvaluationKind, ParamKind, Position, SearchKind, Side, TimeLeft, PARAMS};
use engine::{NeverStop, NoClock};
use proptest::prelude::*;
use std::time::Duration;

fn assert_round_trip(command: &UciCommand) {
    let line = command.to_string();
    assert_eq!(UciCommand::parse(&line).as_ref(), Ok(command), "{line}");
    assert_eq!(UciCommand::parse(&format!("\t{line} \r")).as_ref(), Ok(command), "blanks around {line}");
}

fn error_text(line: &str) -> String {
    UciCommand::parse(line).unwrap_err().to_string()
}

fn go(line: &str) -> Go {
    match UciCommand::parse(line) {
        Ok(UciCommand::Go(go)) => go,
        other => panic!("{line}: {other:?}"),
    }
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The game after some plies as a `position` command that starts at one of its positions.
fn position_command(game: &Game, from: usize, plies: usize) -> UciCommand {
    let moves = game.iter().skip(from).take(plies).map(|(_, mv)| *mv).collect();
    UciCommand::Position { start: Box::new(game[from].0), moves }
}

#[test]
fn commands_round_trip() {
    for command in [
        UciCommand::Uci,
        UciCommand::IsReady,
        UciCommand::NewGame,
        UciCommand::Stop,
        UciCommand::Quit,
        UciCommand::Bench,
    ] {
        assert_round_trip(&command);
    }
    for option in EngineOption::all() {
        assert_round_trip(&UciCommand::SetOption {
            name: option.name().to_owned(),
            value: option.text(&EngineConfig::default()),
        });
    }
    let named = UciCommand::SetOption { name: "Clear all of it".into(), value: String::new() };
    assert_round_trip(&named);
    assert_eq!(UciCommand::parse("setoption  name Clear all  of it  value"), Ok(named));
}

#[test]
fn errors_say_what_was_expected() {
    assert!(error_text("joho").starts_with("unknown command \"joho\": expected uci, isready"));
    assert_eq!(error_text("setoption Hash 16"), "setoption: expected name <name> value <value>");
    assert_eq!(error_text("setoption name value 3"), "setoption: expected name <name> value <value>");
    assert_eq!(
        error_text("position start"),
        "position: expected startpos or fen <position text>, then moves, found \"start\""
    );
    assert!(error_text("position startpos a1c3").ends_with("found \"a1c3\""));
    assert!(error_text("position").ends_with("found \"\""));
    assert_eq!(
        error_text("position fen 8/8 w"),
        "position fen: a position has 4 fields (board, hands or -, r or b, plies made), not 2"
    );
    assert_eq!(
        error_text("position startpos moves a1c3"),
        "position, move 1: expected red's setup of 16 letters: a setup has 16 letters, not 4"
    );
    let game = game(3);
    let legal = UciCommand::Position { start: Box::default(), moves: game.iter().take(2).map(|(_, mv)| *mv).collect() };
    assert!(error_text(&format!("{legal} a1a1")).starts_with("position, move 3: expected a legal move: a1a1 is not"));
    assert_eq!(error_text("go depth"), "go depth: expected a whole number, found \"\"");
    assert_eq!(error_text("go wtime soon btime 5"), "go wtime: expected a whole number, found \"soon\"");
    for number in ["+5", "--5", "-", "5.5", "99999999999999999999"] {
        assert!(error_text(&format!("go nodes {number}")).contains("expected a whole number"), "{number}");
    }
}

#[test]
fn limits_become_budgets_of_the_side_to_move() {
    assert_eq!(go("go").budgets(Side::Red), []);
    assert_eq!(go("go infinite depth 3").budgets(Side::Red), []);
    assert_eq!(go("go depth 300 ponder").budgets(Side::Red), [Budget::Depth(255)]);
    assert_eq!(go("go depth 3 nodes 500").budgets(Side::Blue), [Budget::Nodes(500), Budget::Depth(3)]);
    assert_eq!(go("go movetime 50").budgets(Side::Red), [Budget::MoveTime(ms(40))]);
    assert_eq!(go("go movetime 1000").budgets(Side::Red), [Budget::MoveTime(ms(980))]);
    let clock = |remaining, reserve, increment| {
        [Budget::Clock(TimeLeft { remaining: ms(remaining), reserve: ms(reserve), increment: ms(increment) })]
    };
    let both = go("go wtime 9000 btime 60 winc 10 binc 7 movestogo 40");
    assert_eq!(both.budgets(Side::Red), clock(9_000, 100, 10));
    assert_eq!(both.budgets(Side::Blue), clock(60, 30, 7));
    assert_eq!(go("go wtime 9000").budgets(Side::Blue), clock(9_000, 100, 0), "better than without end");
    assert_eq!(go("go btime -20").budgets(Side::Blue), clock(0, 0, 0));
}

#[test]
fn every_parameter_is_an_option_and_its_default_changes_nothing() {
    let mut config = EngineConfig::default();
    for option in EngineOption::all() {
        let text = option.text(&EngineConfig::default());
        assert_eq!(option.set(&mut config, &text), Ok(()), "{}", option.name());
        assert_eq!(EngineOption::find(&option.name().to_uppercase()), Ok(option));
    }
    assert_eq!(config, EngineConfig::default());
    assert_eq!(EngineOption::all().count(), PARAMS.len() + 7);
}

#[test]
fn values_out_of_range_or_of_another_kind_change_nothing() {
    let mut config = EngineConfig::default();
    let mut refused = |name: &str, text: &str| {
        let error = EngineOption::find(name).and_then(|option| option.set(&mut config, text)).unwrap_err();
        error.to_string()
    };
    assert_eq!(refused("Hash", "0"), "option Hash: expected a whole number of MiB from 1 to 4096, found \"0\"");
    assert_eq!(refused("Hash", "4097"), "option Hash: expected a whole number of MiB from 1 to 4096, found \"4097\"");
    for text in ["0", "257", "two"] {
        let why = format!("option Threads: expected a whole number from 1 to 256, found \"{text}\"");
        assert_eq!(refused("Threads", text), why);
    }
    assert_eq!(
        refused("evaluation", "nnue"),
        "option Evaluation: expected material or piece-square or wps or network, found \"nnue\""
    );
    assert_eq!(refused("lmr", "1"), "option lmr: expected true or false, found \"1\"");
    assert_eq!(
        refused("null_move_margin", "20001"),
        "option null_move_margin: expected a whole number of ten-thousandths from 0 to 20000, found \"20001\""
    );
    for text in ["0.1", "", "1e3", "-1", "99999999999", "NaN"] {
        assert!(refused("null_move_margin", text).contains("ten-thousandths"), "{text}");
        assert!(refused("lmr_min_depth", text).contains("a whole number from 1 to 20"), "{text}");
    }
    assert!(refused("contempt", "1").starts_with("unknown option \"contempt\""));
    assert_eq!(config, EngineConfig::default());
}

#[test]
fn options_are_declared_with_kind_default_and_range() {
    let config = EngineConfig { evaluation: EvaluationKind::Material.into(), ..EngineConfig::default() };
    let declared = |name: &str| UciMessage::Option(EngineOption::find(name).unwrap(), &config).to_string();
    assert_eq!(declared("Hash"), "option name Hash type spin default 16 min 1 max 4096");
    assert_eq!(declared("threads"), "option name Threads type spin default 1 min 1 max 256");
    let searches = SearchKind::all().map(SearchKind::name).collect::<Vec<_>>().join(" var ");
    assert_eq!(declared("search"), format!("option name Search type combo default alpha-beta var {searches}"));
    assert_eq!(
        declared("Evaluation"),
        "option name Evaluation type combo default material var material var piece-square var wps var network"
    );
    assert_eq!(declared("EvalFile"), "option name EvalFile type string default <empty>");
    assert_eq!(declared("killers"), "option name killers type check default true");
    assert_eq!(declared("late_time_ply"), "option name late_time_ply type spin default 95 min 2 max 102");
    assert_eq!(declared("time_decay"), "option name time_decay type spin default 600 min 0 max 9900");
}

#[test]
fn messages_have_the_form_of_the_protocol() {
    let game = game(4);
    let position = game[20].0;
    let report =
        Engine::new(&EngineConfig::default()).search(&position, &[], &Budget::Depth(3), &NeverStop, &NoClock).unwrap();
    let info = Info { position: &position, result: &report, time: ms(2) }.to_string();
    let (numbers, line) = info.split_once(" pv ").unwrap();
    let nodes = report.nodes;
    let score = if let Some(plies) = report.score.plies_to_end() { panic!("{plies}") } else { report.score.units() };
    let rounded = (f64::from(score) / 100.0).round();
    assert_eq!(numbers, format!("info depth 3 score cp {rounded} nodes {nodes} nps {} time 2", nodes * 500));
    // The principal variation continues from that position.
    let played = UciCommand::parse(&format!("position fen {position} moves {line}"));
    assert_eq!(played, Ok(UciCommand::Position { start: Box::new(position), moves: report.pv.moves().collect() }));
    let at_once = Info { position: &position, result: &report, time: Duration::ZERO }.to_string();
    assert!(!at_once.contains("nps") && at_once.contains(" time 0 pv "));
    let best = UciMessage::BestMove(&position, Some(report.best)).to_string();
    assert_eq!(best, format!("bestmove {}", line.split(' ').next().unwrap()));
    assert_eq!(UciMessage::BestMove(&position, None).to_string(), "bestmove 0000");
    assert_eq!(UciMessage::InfoString(&"so").to_string(), "info string so");
}

/// Any limits, in whole milliseconds.
fn any_go() -> impl Strategy<Value = Go> {
    let time = || (0..u64::MAX).prop_map(Duration::from_millis);
    let clock = || proptest::option::of(time());
    (
        proptest::option::of(any::<u64>()),
        proptest::option::of(any::<u8>()),
        clock(),
        [clock(), clock()],
        [time(), time()],
        any::<bool>(),
    )
        .prop_map(|(nodes, depth, movetime, clocks, increments, infinite)| Go {
            nodes,
            depth,
            movetime,
            clocks,
            increments,
            infinite,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positions_and_limits_round_trip(
        game in any_game(), from in 0..102_usize, plies in 0..102_usize, go in any_go(),
    ) {
        assert_round_trip(&position_command(&game, from % game.len(), plies));
        assert_round_trip(&UciCommand::Go(go));
    }

    #[test]
    fn parameter_values_round_trip(row in 0..PARAMS.len(), at in 0.0..=1.0_f64) {
        let info = &PARAMS[row];
        let per_unit = if info.kind == ParamKind::Real { 10_000.0 } else { 1.0 };
        let steps = ((info.max - info.min) * per_unit * at).round();
        let value = ((info.min * per_unit).round() + steps) / per_unit;
        let text = option_text(info, value);
        let read = option_value(info, &text).unwrap();
        // The default's text means the default, which may have more digits than an option can express.
        let expected = if text == option_text(info, info.default) { info.default } else { value };
        prop_assert_eq!(read.to_bits(), expected.to_bits(), "{} = {}", info.name, text);
        prop_assert_eq!(option_text(info, read), text);
    }

    #[test]
    fn no_line_panics(line in "\\PC{0,60}|(position (startpos|fen)|setoption name|go)[ \\PC]{0,60}") {
        if let Ok(command) = UciCommand::parse(&line) {
            if let UciCommand::Position { start, .. } = &command {
                prop_assert!(start.plies() <= engine::PLY_LIMIT && **start == Position::new());
            } else {
                assert_round_trip(&command);
            }
        }
    }
}
