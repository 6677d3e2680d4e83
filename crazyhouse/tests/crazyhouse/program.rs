//! The program over UCI: scripted dialogues, invalid network files, games against random moves.

use super::{Numbers, network};
use crazyhouse::Position;
use crazyhouse::moves::{read_move, write_move};
use shakmaty::Position as _;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_crazyhouse");
/// Only a program that hangs takes longer to answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder with a network in `network.bin`.
struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        sandbox.write("network.bin", &network(32, 3).to_bytes());
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(self.0.path());
        command
    }

    /// The program's output for these lines.
    fn talk(&self, words: &[&str], lines: &str) -> Output {
        let mut command = self.command(words);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The program may end before it has read all.
        let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn says(&self, lines: &str) -> String {
        let output = self.talk(&["--network", "network.bin"], lines);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A program driven line by line.
struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(&["--network", "network.bin"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { input: child.stdin.take().unwrap(), child, lines }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The next line that begins with `start`.
    fn wait(&self, start: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("an answer");
            if line.starts_with(start) {
                return line;
            }
        }
    }

    /// The move after `bestmove`.
    fn best(&self) -> String {
        self.wait("bestmove ").split(' ').nth(1).unwrap_or_default().to_owned()
    }

    fn quit(mut self) {
        self.send("quit");
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn it_introduces_itself_with_all_options() {
    let said = Sandbox::new().says("uci\nisready\nquit\n");
    for line in [
        "option name Hash type spin default 64 min 1 max 4096",
        "option name Threads type spin default 1 min 1 max 256",
        "option name EvalFile type string default <empty>",
        "option name UCI_Variant type combo default crazyhouse var crazyhouse",
        "option name Mate In One type check default true",
        "option name mcts_growth type check default true",
        "uciok",
        "readyok",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    let of_0_1 = ["mcts_quiescence", "mcts_evasions", "mcts_mates", "mcts_exchange_prior"];
    for name in of_0_1.into_iter().chain(["setup_time_decay", "null_move"]) {
        assert!(!said.contains(name), "{name}: {said}");
    }
    assert!(said.contains("option name mcts_cpuct type spin default"), "{said}");
}

#[test]
fn nodes_decide_the_move_and_nothing_else_does() {
    let sandbox = Sandbox::new();
    let script = "position startpos moves e2e4 d7d5 e4d5 d8d5\ngo nodes 300\nucinewgame\ngo nodes 300\n";
    let answers = |said: &str| -> Vec<String> {
        said.lines().filter(|line| line.starts_with("bestmove")).map(str::to_owned).collect()
    };
    let said = sandbox.says(script);
    let moves = answers(&said);
    assert_eq!(moves.len(), 2);
    assert_eq!(moves[0], moves[1]);
    assert_eq!(answers(&sandbox.says(script)), moves);
    assert!(said.lines().any(|line| line.starts_with("info depth ") && line.contains(" nodes 300 ")), "{said}");
}

#[test]
fn options_change_the_search_or_say_why_not() {
    let sandbox = Sandbox::new();
    let said = sandbox.says(
        "setoption name mcts_cpuct value 25000\nsetoption name MCTS_Reuse value false\nsetoption name Hash value 2\n\
         setoption name mcts_cpuct value much\nsetoption name Hash value 0\nsetoption name Nonsense value 1\n\
         setoption name UCI_Variant value atomic\nsetoption name UCI_Variant value crazyhouse\n\
         setoption name Mate In One value maybe\nsetoption name EvalFile value missing.bin\ngo nodes 20\n",
    );
    let strings: Vec<&str> = said.lines().filter(|line| line.starts_with("info string")).collect();
    let expected =
        ["mcts_cpuct", "Hash cannot be `0`", "`Nonsense`", "UCI_Variant cannot be `atomic`", "maybe", "missing.bin"];
    assert_eq!(strings.len(), expected.len(), "{said}");
    for (string, expected) in strings.iter().zip(expected) {
        assert!(string.contains(expected), "{string}: {expected}");
    }
    assert!(said.contains("bestmove "), "{said}");
}

#[test]
fn several_threads_find_a_mate_and_keep_the_limit_in_nodes() {
    let sandbox = Sandbox::new();
    let mut engine = Engine::start(&sandbox);
    engine.send("setoption name Threads value 0");
    assert!(engine.wait("info string").contains("Threads cannot be `0`: expected 1 to 256"));
    engine.send("setoption name Threads value 3");
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3[] w - - 0 1");
    engine.send("go nodes 50");
    assert_eq!(engine.best(), "a1a8");
    engine.send("position startpos moves e2e4");
    engine.send("go nodes 2000");
    let nodes = loop {
        let line = engine.wait("");
        match line.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok()) {
            Some(nodes) if nodes >= 2000 => break nodes,
            _ => assert!(!line.starts_with("bestmove"), "too few simulations"),
        }
    };
    assert!(nodes < 2100, "{nodes}: more than the lines that the others have under way");
    engine.best();
    engine.quit();
}

#[test]
fn positions_that_are_none_change_nothing() {
    let said = Sandbox::new().says(
        "position fen 6rk/6pp/8/8/8/8/8/K7[N] w - - 0 1\nposition startpos moves e2e5\nposition nonsense\n\
         position fen 8/8 w\nposition startpos mov e2e4\nhello\n\ngo nodes 50\n",
    );
    assert_eq!(said.lines().filter(|line| line.starts_with("info string position: ")).count(), 4, "{said}");
    assert!(said.contains("score mate 1") && said.contains("bestmove N@f7"), "{said}");
}

#[test]
fn searches_with_bad_limits_are_refused() {
    let said = Sandbox::new().says("go movetime x\ngo wtime 300000.5 btime 300000\ngo nodes\ngo nodes 5\n");
    assert_eq!(said.lines().filter(|line| line.starts_with("info string ")).count(), 3, "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 1, "{said}");
}

#[test]
fn finished_games_have_no_move() {
    let said = Sandbox::new().says("position fen 6rk/5Npp/8/8/8/8/8/K7[] b - - 0 1\ngo nodes 50\ngo movetime 5\n");
    assert_eq!(said.lines().filter(|line| *line == "bestmove 0000").count(), 2, "{said}");
}

#[test]
fn a_search_ends_by_time_and_by_stop() {
    let sandbox = Sandbox::new();
    let mut engine = Engine::start(&sandbox);
    for go in ["go movetime 30", "go wtime 300 btime 300 winc 10 binc 10", "go wtime 100 movestogo 1", "go wtime -5"] {
        engine.send(go);
        assert!(read_move(&engine.best(), &Position::default()).is_some(), "{go}");
    }
    for go in ["go infinite", "go", "go infinite nodes 5"] {
        engine.send(go);
        engine.send("isready");
        engine.wait("readyok");
        engine.send("stop");
        assert!(read_move(&engine.best(), &Position::default()).is_some(), "{go}");
    }
    // A finished search still waits for `stop`; commands in the meantime are executed later.
    engine.send("position fen 6rk/6pp/8/8/8/8/8/K7[N] w - - 0 1");
    engine.send("go infinite");
    engine.wait("info depth");
    engine.send("position startpos");
    engine.send("stop");
    assert_eq!(engine.best(), "N@f7");
    engine.send("go nodes 10");
    assert!(read_move(&engine.best(), &Position::default()).is_some());
    engine.quit();
}

#[test]
fn the_end_of_input_ends_it() {
    let said = Sandbox::new().says("go nodes 100\n");
    assert!(said.contains("bestmove "), "a search in nodes is answered: {said}");
    assert!(Sandbox::new().says("go infinite\n").contains("bestmove "));
}

#[test]
fn files_that_are_no_networks_are_refused_in_a_line() {
    let sandbox = Sandbox::new();
    let good = network(32, 3).to_bytes();
    sandbox.write("short.bin", &good[..1_000]);
    sandbox.write("foreign.bin", b"PST-NET\n and more");
    sandbox.write("empty.bin", b"");
    let mut damaged = good.clone();
    damaged[5_000] ^= 1;
    sandbox.write("damaged.bin", &damaged);
    for (name, why) in [
        ("short.bin", "cut short"),
        ("foreign.bin", "not a network for crazyhouse"),
        ("empty.bin", "not a network for crazyhouse"),
        ("damaged.bin", "checksum"),
        ("missing.bin", "No such file"),
        (".", "it is not a file"),
        ("/dev/zero", "it is not a file"),
    ] {
        let output = sandbox.talk(&["--network", name], "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(error.starts_with(&format!("error: {name}: ")) && error.contains(why), "{name}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        let said = sandbox.says(&format!("setoption name EvalFile value {name}\ngo nodes 5\n"));
        assert!(said.contains("info string") && said.contains(why) && said.contains("bestmove "), "{said}");
    }
}

#[test]
fn the_bench_has_a_signature() {
    let sandbox = Sandbox::new();
    let bench = || {
        let output = sandbox.talk(&["--network", "network.bin", "bench"], "");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().split(" nodes ").next().unwrap_or_default().to_owned()
    };
    let nodes = bench();
    assert!(nodes.parse::<u64>().unwrap() > 1_000, "{nodes}");
    assert_eq!(bench(), nodes);
    let output = sandbox.talk(&["nonsense"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`nonsense` is not a command: expected `bench`"));
}

#[test]
fn the_shipped_network_is_whole_and_plays_as_it_did() {
    let output = Sandbox::new().talk(&["bench"], "");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    // A different network or search has a different number.
    assert!(said.starts_with("13300 nodes "), "{said}");
}

/// Plays a game against random moves; returns its plies.
fn game(engine: &mut Engine, numbers: &mut Numbers, plays_white: bool) -> usize {
    let (mut position, mut moves) = (Position::default(), String::new());
    engine.send("ucinewgame");
    for ply in 0..160 {
        let legal = position.legal_moves();
        if legal.is_empty() || position.halfmoves() >= 100 {
            return ply;
        }
        let mv = if (ply % 2 == 0) == plays_white {
            engine.send(&format!("position startpos{moves}"));
            engine.send("go nodes 40");
            let text = engine.best();
            read_move(&text, &position).unwrap_or_else(|| panic!("`{text}` is not legal after{moves}"))
        } else {
            legal[numbers.below(legal.len() as u64) as usize]
        };
        if moves.is_empty() {
            moves.push_str(" moves");
        }
        moves.push(' ');
        moves.push_str(&write_move(mv));
        position.play_unchecked(mv);
    }
    160
}

#[test]
fn games_against_random_moves_are_without_a_fault() {
    let sandbox = Sandbox::new();
    let (mut engine, mut numbers) = (Engine::start(&sandbox), Numbers(77));
    let plies: usize = (0..6).map(|number| game(&mut engine, &mut numbers, number % 2 == 0)).sum();
    assert!(plies > 60, "{plies}");
    engine.quit();
}
