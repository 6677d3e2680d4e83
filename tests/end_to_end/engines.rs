//! The engines that other tests use: the random mover follows the rules, the misbehaving one breaks its promises.

use crate::support::example;
use play::child::{Child, ChildError, ChildSpec, Direction, Exit, Spawner};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{CastlingMode, Position};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

static GO_ON: AtomicBool = AtomicBool::new(false);
const SHORT: Duration = Duration::from_millis(200);
const AMPLE: Duration = Duration::from_mins(10);

fn start(engine: &str, arguments: &[&str]) -> Child {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let spec = ChildSpec { arguments, ..ChildSpec::new(example(engine)) };
    Spawner::start(None).expect("a thread").spawn(&spec).expect("an engine")
}

fn say(engine: &mut Child, text: &str) {
    engine.send(text, Instant::now() + AMPLE).expect("an engine that reads");
}

/// The rest of the next line with this beginning.
fn find(engine: &mut Child, start: &str, patience: Duration) -> Result<String, ChildError> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(rest) = engine.receive(deadline, &GO_ON)?.strip_prefix(start) {
            return Ok(rest.to_owned());
        }
    }
}

/// Makes a random mover play both sides of games, and checks every move by the rules.
fn keeps_the_rules(options: &str, variant: Variant, castling: CastlingMode, fen: &str) {
    let mut engine = start("random_mover", &["--seed", "7"]);
    say(&mut engine, &format!("uci\n{options}isready\n"));
    find(&mut engine, "readyok", AMPLE).expect("an engine that is ready");
    for _game in 0..20 {
        let setup = fen.parse::<Fen>().expect("a FEN").into_setup();
        let mut position = VariantPosition::from_setup(variant, setup, castling).expect("a position");
        let mut line = format!("position fen {fen} moves");
        say(&mut engine, "ucinewgame\n");
        for _ply in 0..200 {
            say(&mut engine, &format!("{}\ngo nodes 1\n", line.trim_end_matches(" moves")));
            let word = find(&mut engine, "bestmove ", AMPLE).expect("a move");
            if position.legal_moves().is_empty() {
                assert_eq!(word, "(none)");
                break;
            }
            let chosen = word.parse::<UciMove>().expect("a move in UCI").to_move(&position).expect("a legal move");
            assert_eq!(UciMove::from_move(chosen, castling).to_string(), word);
            position.play_unchecked(chosen);
            line.push(' ');
            line.push_str(&word);
        }
    }
    assert_eq!(engine.shut_down("quit\n", AMPLE), Some(Exit::Status(0)));
}

#[test]
fn the_random_mover_plays_chess() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    keeps_the_rules("", Variant::Chess, CastlingMode::Standard, fen);
}

#[test]
fn the_random_mover_plays_chess960() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let option = "setoption name UCI_Chess960 value true\n";
    keeps_the_rules(option, Variant::Chess, CastlingMode::Chess960, fen);
}

#[test]
fn the_random_mover_plays_crazyhouse() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
    let option = "setoption name UCI_Variant value crazyhouse\n";
    keeps_the_rules(option, Variant::Crazyhouse, CastlingMode::Standard, fen);
}

#[test]
fn equal_seeds_play_equal_moves() {
    let play = |seed| {
        let mut engine = start("random_mover", &["--seed", seed]);
        let moves = (0..20).map(|_| {
            say(&mut engine, "position startpos\ngo\n");
            find(&mut engine, "bestmove ", AMPLE).expect("a move")
        });
        moves.collect::<Vec<_>>()
    };
    assert_eq!(play("3"), play("3"));
    assert_ne!(play("3"), play("4"));
}

/// A misbehaving engine that has played one good move and is asked for a second.
fn at_its_worst(mode: &str) -> Child {
    let mut engine = start("misbehaving", &[mode, "--after", "1", "--delay", "100"]);
    say(&mut engine, "uci\nposition startpos\ngo movetime 100\n");
    find(&mut engine, "bestmove ", AMPLE).expect("a good move first");
    say(&mut engine, "position startpos moves e2e4\ngo movetime 100\n");
    engine
}

#[test]
fn those_that_answer_can_be_read() {
    for (mode, expected) in [("illegal", "a1b8"), ("null", "0000"), ("garbage", "xyzzy")] {
        assert_eq!(find(&mut at_its_worst(mode), "bestmove ", AMPLE).unwrap(), expected);
    }
    for mode in ["none", "huge-line", "two-bestmoves", "no-info", "stderr-flood", "late-output", "no-newline"] {
        let chosen = find(&mut at_its_worst(mode), "bestmove ", AMPLE).unwrap();
        assert!(chosen.parse::<UciMove>().is_ok(), "{mode}: {chosen}");
    }
    for mode in ["two-bestmoves", "late-output"] {
        let mut engine = at_its_worst(mode);
        let first = find(&mut engine, "bestmove ", AMPLE).unwrap();
        assert_eq!(find(&mut engine, "bestmove ", AMPLE).unwrap(), first, "{mode}");
    }
}

#[test]
fn the_late_one_is_late() {
    let begun = Instant::now();
    find(&mut at_its_worst("late"), "bestmove ", AMPLE).unwrap();
    // At least its move time plus its delay.
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[test]
fn those_that_do_not_answer_are_given_up() {
    for mode in ["hang", "flood", "no-newline-stays"] {
        let mut engine = at_its_worst(mode);
        assert!(matches!(find(&mut engine, "bestmove ", SHORT), Err(ChildError::Deadline)), "{mode}");
    }
    let mut engine = start("misbehaving", &["no-uciok"]);
    say(&mut engine, "uci\nisready\n");
    assert!(find(&mut engine, "readyok", AMPLE).is_ok());
    let mut deaf = start("misbehaving", &["deaf"]);
    say(&mut deaf, "uci\n");
    assert!(matches!(find(&mut deaf, "uciok", SHORT), Err(ChildError::Deadline)));
}

#[test]
fn those_that_die_say_how() {
    for (mode, death) in [("crash", "exited with status 3"), ("segfault", "killed by SIGSEGV")] {
        let mut engine = at_its_worst(mode);
        assert!(matches!(find(&mut engine, "bestmove ", AMPLE), Err(ChildError::Closed)), "{mode}");
        assert_eq!(engine.wait_for_exit(Instant::now() + AMPLE).unwrap().to_string(), death);
    }
    let mut engine = start("misbehaving", &["dies-at-start"]);
    assert_eq!(engine.wait_for_exit(Instant::now() + AMPLE), Some(Exit::Status(1)));
    assert_eq!(engine.tail().of(Direction::Complaint).last().unwrap().text, "misbehaving: dies at start");
}

#[test]
fn those_that_will_not_quit_are_killed() {
    for (mode, ends) in [("none", true), ("ignores-quit", true), ("ignores-eof", false), ("hang", false)] {
        let mut engine = at_its_worst(mode);
        let _answer = find(&mut engine, "bestmove ", SHORT);
        let grace = if ends { AMPLE } else { SHORT };
        assert_eq!(engine.shut_down("quit\n", grace).is_some(), ends, "{mode}");
    }
}

#[test]
fn the_slow_starter_starts() {
    let mut engine = start("misbehaving", &["slow-start", "--delay", "50"]);
    say(&mut engine, "uci\n");
    assert!(find(&mut engine, "uciok", AMPLE).is_ok());
}
