//! The program as a UCI engine.

use super::process::{Program, MARGIN};
use engine::params::AlphaBetaParams;
use engine::protocol::uci::{EngineOption, UciCommand};
use engine::protocol::{parse_legal, GameRecord};
use engine::{
    format_move, Budget, Engine, EngineConfig, EvaluationKind, Move, NeverStop, NoClock, Params, Position, SearchResult,
};
use std::time::Duration;

const BOTH: &str = "position startpos moves AWNAADADAFFAADDA awnaadadaffaadda";
/// Red, to move, wins by force.
const WON: &str = "AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90";

/// A session after the handshake.
fn session() -> Program {
    let mut program = Program::start(&[]);
    program.ask("uci", "uciok");
    program.ask("isready", "readyok");
    program
}

fn position(command: &str) -> Position {
    let Ok(UciCommand::Position { start, moves }) = UciCommand::parse(command) else { panic!("{command}") };
    let mut record = GameRecord::new(*start);
    moves.into_iter().try_for_each(|mv| record.play(mv)).unwrap();
    *record.position()
}

/// The library's result in a new game.
fn expected(config: &EngineConfig, position: &Position, budget: Budget) -> SearchResult {
    Engine::new(config).search(position, &[], &budget, &NeverStop, &NoClock).unwrap()
}

fn best_move(position: &Position, lines: &[String]) -> Move {
    let text = lines.last().and_then(|line| line.strip_prefix("bestmove ")).unwrap();
    parse_legal(position, text).unwrap()
}

/// The node count of the last `info` line.
fn nodes(lines: &[String]) -> u64 {
    let info = lines.iter().rev().find(|line| line.starts_with("info depth")).unwrap();
    info.split(' ').skip_while(|&word| word != "nodes").nth(1).unwrap().parse().unwrap()
}

fn assert_ends(program: Program) {
    let end = program.end();
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
    assert!(!end.stdout.iter().any(|line| line.starts_with("bestmove")), "{:?}", end.stdout);
}

#[test]
fn the_handshake_lists_every_option() {
    let mut program = Program::start(&[]);
    let lines = program.ask("uci", "uciok");
    assert!(lines[0].starts_with("id name Zeropoint ") && lines[1].starts_with("id author "), "{lines:?}");
    let names = lines.iter().filter_map(|line| line.strip_prefix("option name ")?.split(' ').next());
    assert!(names.eq(EngineOption::all().map(EngineOption::name)));
    assert_eq!(program.ask("isready", ""), ["readyok"]);
    program.send("quit");
    assert_ends(program);
}

#[test]
fn node_and_depth_limits_give_the_same_result_as_the_library() {
    let mut program = session();
    let placed = position(BOTH);
    for (go, budget) in [
        ("go nodes 5000", Budget::Nodes(5_000)),
        ("go depth 6", Budget::Depth(6)),
        ("go nodes 0", Budget::Nodes(0)),
        ("go depth 0", Budget::Depth(0)),
    ] {
        program.send("ucinewgame");
        program.send(BOTH);
        let lines = program.ask(go, "bestmove");
        let report = expected(&EngineConfig::default(), &placed, budget);
        assert_eq!((best_move(&placed, &lines), nodes(&lines)), (report.best, report.nodes), "{go}");
    }
    // Both limits apply.
    program.send("ucinewgame");
    assert_eq!(nodes(&program.ask("go depth 60 nodes 777", "bestmove")), 777);
    program.send("ucinewgame");
    let deep = expected(&EngineConfig::default(), &placed, Budget::Depth(3)).nodes;
    assert_eq!(nodes(&program.ask("go depth 3 nodes 500000", "bestmove")), deep);
}

#[test]
fn setups_and_position_texts_are_searched() {
    let mut program = session();
    for command in ["position startpos", "position startpos moves AWNAADADAFFAADDA", &format!("position fen {WON}")] {
        program.send(command);
        let lines = program.ask("go depth 4", "bestmove");
        let before = position(command);
        best_move(&before, &lines);
        let line = lines[lines.len() - 2].split_once(" pv ").unwrap().1;
        assert!(UciCommand::parse(&format!("position fen {before} moves {line}")).is_ok(), "{line}");
    }
}

#[test]
fn valid_options_reach_the_search_and_invalid_ones_do_not() {
    let mut program = session();
    let placed = position(BOTH);
    program.send(BOTH);
    let mut searched = |options: &[&str]| {
        for option in options {
            program.send(&format!("setoption name {option}"));
        }
        program.send("ucinewgame");
        let lines = program.ask("go depth 5", "bestmove");
        let notes = lines.iter().filter(|line| line.starts_with("info string option")).count();
        (nodes(&lines), notes)
    };
    let nodes_of = |config: &EngineConfig| expected(config, &placed, Budget::Depth(5)).nodes;
    let default = EngineConfig::default();
    assert_eq!(
        searched(&["Hash value 0", "lmr value 2", "Evaluation value nnue", "Search value minimax"]),
        (nodes_of(&default), 4)
    );
    let alpha_beta =
        AlphaBetaParams { lmr: false, null_move_margin: 0.25, late_pruning_start: 3, ..AlphaBetaParams::default() };
    let params = Params { alpha_beta, ..Params::default() };
    let other =
        EngineConfig { evaluation: EvaluationKind::Material.into(), params, table_bytes: 2 << 20, ..default.clone() };
    let options = [
        "Hash value 2",
        "Search value alpha-beta",
        "Evaluation value material",
        "lmr value false",
        "null_move_margin value 2500",
        "late_pruning_start value 3",
    ];
    assert_ne!(nodes_of(&other), nodes_of(&default));
    assert_eq!(searched(&options), (nodes_of(&other), 0));
}

#[test]
fn several_threads_search_together_and_one_alone_again() {
    let mut program = session();
    let placed = position(BOTH);
    program.send(BOTH);
    program.send("setoption name Threads value 2");
    let lines = program.ask("go nodes 50000", "bestmove");
    best_move(&placed, &lines);
    assert!((50_000..51_000).contains(&nodes(&lines)), "{lines:?}");
    program.ask("go infinite", "info depth 3");
    best_move(&placed, &program.ask("stop", "bestmove"));
    program.send("setoption name Threads value 1");
    let alone = expected(&EngineConfig::default(), &placed, Budget::Depth(5)).nodes;
    assert_eq!(nodes(&program.ask("go depth 5", "bestmove")), alone);
}

#[test]
fn weights_are_read_from_a_file() {
    let folder = std::env::temp_dir().join(format!("zeropoint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let weights = (0..6360_i32).map(|feature| (feature * 7919 % 2000) as i16).collect();
    let model = engine::WazirPieceSquare::new(weights, 5).unwrap();
    let (good, bytes) = (write("my weights", &model.to_bytes()), model.to_bytes());
    let cut = write("cut", &bytes[..bytes.len() - 1]);
    let (placed, shipped) = (position(BOTH), EngineConfig::default());
    let with_file = EngineConfig { evaluation: engine::Evaluator::from_bytes(&bytes).unwrap(), ..shipped.clone() };
    let nodes_of = |config: &EngineConfig| expected(config, &placed, Budget::Depth(5)).nodes;
    assert_ne!(nodes_of(&with_file), nodes_of(&shipped));

    let mut program = session();
    program.send(BOTH);
    let mut set = |path: &str| {
        program.send(&format!("setoption name EvalFile value {path}"));
        program.send("ucinewgame");
        let ready = program.ask("isready", "readyok");
        let lines = program.ask("go depth 5", "bestmove");
        (ready[..ready.len() - 1].to_vec(), nodes(&lines))
    };
    assert_eq!(set(&good), (Vec::new(), nodes_of(&with_file)));
    // An unreadable file is reported, and the evaluation's own weights play.
    let (reported, searched) = set(&cut);
    let why = "the weights are cut short or damaged: their check sum is wrong";
    assert_eq!((reported, searched), (vec![format!("info string option EvalFile: {cut}: {why}")], nodes_of(&shipped)));
    let (reported, searched) = set(&format!("{good}.none"));
    assert!(reported[0].contains("No such file") && searched == nodes_of(&shipped), "{reported:?}");
    assert_eq!(set(&good).1, nodes_of(&with_file));
    assert_eq!(set("<empty>"), (Vec::new(), nodes_of(&shipped)));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_policy_is_read_from_a_file() {
    let folder = std::env::temp_dir().join(format!("zeropoint-policy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let shipped = EngineConfig { search: "mcts".parse().unwrap(), ..EngineConfig::default() };
    let hash = shipped.evaluation.hash();
    let bytes = crate::mcts::policy(hash).to_bytes();
    let (good, cut) = (write("good", &bytes), write("cut", &bytes[..bytes.len() - 1]));
    let other = write("other", &crate::mcts::policy(hash ^ 1).to_bytes());
    let foreign = write("foreign", b"spar-network, or so it says");
    let with_policy = EngineConfig { policy: Some(crate::mcts::policy(hash).into()), ..shipped.clone() };
    let nodes_of = |config: &EngineConfig| expected(config, &position(BOTH), Budget::Depth(2)).nodes;
    assert_ne!(nodes_of(&with_policy), nodes_of(&shipped));

    let mut program = session();
    program.send("setoption name Search value mcts");
    program.send(BOTH);
    let mut set = |path: &str| {
        program.send(&format!("setoption name PolicyFile value {path}"));
        program.send("ucinewgame");
        let ready = program.ask("isready", "readyok");
        let lines = program.ask("go depth 2", "bestmove");
        (ready[..ready.len() - 1].to_vec(), nodes(&lines))
    };
    assert_eq!(set(&good), (Vec::new(), nodes_of(&with_policy)));
    let (reported, searched) = set(&cut);
    let why = "the weights are cut short or damaged: their check sum is wrong";
    assert_eq!(
        (reported, searched),
        (vec![format!("info string option PolicyFile: {cut}: {why}")], nodes_of(&shipped))
    );
    for (path, why) in [
        (&other, "info string PolicyFile: a policy for the network ".to_owned()),
        (&foreign, format!("info string option PolicyFile: {foreign}: not a file of weights of this kind")),
    ] {
        let (reported, searched) = set(path);
        assert!(reported.len() == 1 && reported[0].starts_with(&why), "{reported:?}");
        assert_eq!(searched, nodes_of(&shipped));
    }
    assert_eq!(set("<empty>"), (Vec::new(), nodes_of(&shipped)));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_book_is_read_from_a_file() {
    let path = std::env::temp_dir().join(format!("zeropoint-book-{}", std::process::id()));
    let setup = |rank| engine::Setup::from_rank(rank).unwrap();
    let entry = engine::BookEntry { red: setup(77), reply: setup(1_234), value: engine::Score::DRAW, depth: 3 };
    let book = engine::SetupBook::new(&[entry]).unwrap();
    std::fs::write(&path, book.to_bytes()).unwrap();

    let mut program = session();
    program.send(&format!("setoption name BookFile value {}", path.display()));
    let best = |program: &mut super::process::Program, position: &str| {
        program.send(position);
        let lines = program.ask("go depth 2", "bestmove");
        (nodes(&lines), lines.last().cloned().unwrap_or_default())
    };
    let (red, reply) = (entry.red.text(engine::Side::Red), entry.reply.text(engine::Side::Blue));
    let (searched, played) = best(&mut program, "position startpos");
    let mirrored = entry.red.mirrored().text(engine::Side::Red);
    assert!(searched == 0 && [&red, &mirrored].iter().any(|red| played == format!("bestmove {red}")), "{played}");
    let known = format!("position startpos moves {red}");
    assert_eq!(best(&mut program, &known), (0, format!("bestmove {reply}")));
    program.send("setoption name setup_book value false");
    assert_ne!(best(&mut program, &known).0, 0);

    // Over CodeCup, the book is named on the command line.
    let name = path.to_str().unwrap();
    let mut program = super::process::Program::start(&["--book", name, "--set", "book_margin=0.1"]);
    assert_eq!(program.ask(&red, ""), [reply]);
    std::fs::remove_file(&path).unwrap();
    let end = super::process::Program::start(&["--book", name]).end();
    assert_eq!((end.code, end.stderr.lines().count()), (Some(2), 1), "{}", end.stderr);
    assert!(end.stderr.starts_with(&format!("zeropoint: {name}: ")), "{}", end.stderr);
}

#[test]
fn an_infinite_search_answers_only_when_stopped() {
    let mut program = session();
    // The result is proven at once: there is nothing left to search, but `stop` has not been sent.
    program.send(&format!("position fen {WON}"));
    program.ask("go infinite", "info depth");
    for _ in 0..2 {
        let lines = program.ask("isready", "readyok");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    }
    let lines = program.ask("stop", "bestmove");
    best_move(&position(&format!("position fen {WON}")), &lines);
    // A search that would take hours.
    program.send(BOTH);
    program.ask("go", "info depth 5");
    program.ask("isready", "readyok");
    let lines = program.ask("stop", "bestmove");
    best_move(&position(BOTH), &lines);
    // Lines received during the search are handled after it.
    program.ask("go infinite", "info depth");
    program.send("position startpos");
    program.send("stop");
    program.receive_until("bestmove");
    best_move(&Position::new(), &program.ask("go depth 1", "bestmove"));
}

#[test]
fn a_search_ends_with_the_session() {
    for farewell in [Some("quit"), None] {
        let mut program = session();
        program.send(BOTH);
        program.ask("go infinite", "info depth 4");
        match farewell {
            Some(line) => program.send(line),
            None => program.close(),
        }
        assert_ends(program);
    }
}

#[test]
fn invalid_lines_are_answered_by_an_info_string_and_ignored() {
    let mut program = session();
    for line in
        ["joho", "position", "position fen 8/8 w - -", "go depth x", "setoption", "setoption name x value 1", "\u{1}"]
    {
        let lines = program.ask(line, "");
        assert!(lines[0].starts_with("info string "), "{line}: {lines:?}");
    }
    program.send_bytes(b"\xff\xfe\n\n   \n");
    program.send_bytes(&[&vec![b'z'; 300_000][..], b"\n"].concat());
    program.send("stop");
    program.send(BOTH);
    let lines = program.ask("go nodes 100", "bestmove");
    best_move(&position(BOTH), &lines);
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mut program = session();
    let over = WON.replace(" r 90", " r 102");
    program.send(&format!("position fen {over}"));
    let lines = program.ask("go depth 3", "bestmove");
    assert_eq!(lines, ["info string the game is over: there is no move", "bestmove 0000"]);
}

#[test]
#[ignore = "slow"]
fn a_game_on_the_clock_is_played_within_its_time() {
    let increment = Duration::from_millis(10);
    let mut players = [session(), session()];
    let mut clocks = [Duration::from_secs(1); 2];
    let mut record = GameRecord::new(Position::new());
    let mut game = "position startpos moves".to_owned();
    while record.position().outcome().is_none() {
        let position = *record.position();
        let side = position.side_to_move().index();
        players[side].send(&game);
        let [red, blue] = clocks.map(|time| time.as_millis());
        let before = players[side].used();
        let lines = players[side].ask(&format!("go wtime {red} btime {blue} winc 10 binc 10"), "bestmove");
        let took = players[side].used().saturating_sub(before);
        assert!(took <= clocks[side] + MARGIN, "{took:?} of {:?} after {game}", clocks[side]);
        clocks[side] = clocks[side].saturating_sub(took) + increment;
        let mv = best_move(&position, &lines);
        game = format!("{game} {}", format_move(&position, mv));
        record.play(mv).unwrap();
    }
    assert!(record.position().plies() > 10, "{}", record.position());
}
