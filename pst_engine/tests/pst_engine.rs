//! The engine with tables or a network from a file: that it is sound, and that it has the formats which are
//! described, by sums made here in another way.

use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Role, Setup};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pst_engine");

/// A folder of a test.
struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// One with a file.
    fn with(name: &str, text: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write(name, text);
        sandbox
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a writable folder");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// What a program printed before it ended.
#[derive(Debug)]
struct Printed {
    stdout: String,
    stderr: String,
}

/// What a program printed that ends with this code.
fn printed(output: &Output, code: i32) -> Printed {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
    Printed { stdout, stderr }
}

/// Both sides to move, kings on all sorts of files and ranks, all phases.
const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 b - - 0 10",
    "2r3k1/1p3pp1/p2p3p/3Pp3/1P2P3/P4N1P/5PP1/1KR5 b - - 0 25",
    "8/5p2/4p1p1/1k1pP2p/1P1P3P/5KP1/8/2Q5 w - - 0 40",
    "3qk3/8/8/8/8/2K5/8/QR5R b - - 0 1",
    "8/8/8/4k3/8/8/P7/K7 w - - 0 1",
];

const ROLES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// Numbers without a pattern, from -range to range.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, range: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % (2 * range + 1) - range
    }
}

/// What it prints when it is started with these words, and ends with this code.
fn engine(sandbox: &Sandbox, words: &[&str], code: i32) -> Printed {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(sandbox.path(".")).stdin(Stdio::null());
    printed(&command.output().expect("it starts"), code)
}

/// What it says to these lines.
fn talk(sandbox: &Sandbox, lines: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    command.current_dir(sandbox.path(".")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all((lines.join("\n") + "\n").as_bytes()).expect("it reads");
    drop(input);
    printed(&child.wait_with_output().expect("it ends"), 0).stdout
}

/// Its evaluation of each position, in white's centipawns.
fn evaluations(sandbox: &Sandbox, option: &str, positions: &[String]) -> Vec<i64> {
    let commands: Vec<String> = positions.iter().map(|fen| format!("eval fen {fen}")).collect();
    let lines: Vec<&str> = std::iter::once(option).chain(commands.iter().map(String::as_str)).collect();
    let output = talk(sandbox, &lines);
    output.lines().map(|line| line.strip_prefix("eval ").unwrap_or(line).parse().expect("a number")).collect()
}

fn positions() -> Vec<String> {
    POSITIONS.map(str::to_owned).to_vec()
}

fn setup(fen: &str) -> Setup {
    fen.parse::<Fen>().expect("a FEN").into_setup()
}

fn phase(board: &Board) -> i64 {
    let count = |role| board.by_role(role).count() as i64;
    (count(Role::Knight) + count(Role::Bishop) + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(24)
}

/// Two sets of tables: a file, and the same as numbers.
fn tables() -> (String, [[[i64; 64]; 6]; 2]) {
    let (mut text, mut numbers, mut values) = (String::new(), Numbers(1), [[[0; 64]; 6]; 2]);
    for (name, set) in ["middlegame", "endgame"].into_iter().zip(&mut values) {
        let _ = writeln!(text, "[{name}]");
        for (role, squares) in ROLES.into_iter().zip(set) {
            squares.fill_with(|| numbers.next(900));
            let _ = writeln!(text, "{role} = {squares:?}");
        }
    }
    (text, values)
}

/// The score by tables, as a diagram is read: rank 8 first.
fn by_tables(values: &[[[i64; 64]; 6]; 2], fen: &str) -> i64 {
    let board = setup(fen).board;
    let sum = |set: &[[i64; 64]; 6]| -> i64 {
        let value = |(square, piece): (shakmaty::Square, shakmaty::Piece)| {
            let (file, rank) = (usize::from(square.file()), usize::from(square.rank()));
            let row = if piece.color == Color::White { 7 - rank } else { rank };
            set[usize::from(piece.role) - 1][8 * row + file] * piece.color.fold_wb(1, -1)
        };
        board.iter().map(value).sum()
    };
    let phase = phase(&board);
    (sum(&values[0]) * phase + sum(&values[1]) * (24 - phase)) / 24
}

#[test]
fn the_same_search_is_the_same_twice() {
    let sandbox = Sandbox::with("tables.toml", &tables().0);
    let bench = |words: &[&str]| {
        let output = engine(&sandbox, &[words, &["bench", "4"]].concat(), 0).stdout;
        let nodes = output.strip_prefix("bench ").and_then(|rest| rest.split_once(" nodes"));
        nodes.unwrap_or_else(|| panic!("{output}")).0.to_owned()
    };
    assert_eq!(bench(&[]), bench(&[]));
    assert_ne!(bench(&[]), bench(&["--tables", "tables.toml"]));

    let search = || {
        let position = "position startpos moves e2e4 e7e5 g1f3";
        let output = talk(&sandbox, &["setoption name Tables value tables.toml", position, "go nodes 3000"]);
        // All but the time and what is computed from it.
        let words = output.split_whitespace().scan("", |last, word| Some((std::mem::replace(last, word), word)));
        words
            .filter(|(before, _)| !["nps", "time"].contains(before))
            .map(|(_, word)| word.to_owned())
            .collect::<Vec<_>>()
    };
    let searched = search();
    assert_eq!(searched, search());
    assert!(searched.windows(2).any(|pair| pair == ["nodes", "3000"]), "{searched:?}");
}

#[test]
fn tables_are_read_as_a_diagram_and_blacks_are_mirrored() {
    let (text, values) = tables();
    let sandbox = Sandbox::with("tables.toml", &text);
    let expected: Vec<i64> = positions().iter().map(|fen| by_tables(&values, fen)).collect();
    assert_eq!(evaluations(&sandbox, "setoption name Tables value tables.toml", &positions()), expected);
    let verified = engine(&sandbox, &["--tables", "tables.toml", "verify", "5"], 0).stdout;
    assert!(verified.ends_with("agree\n"), "{verified}");

    let _written = engine(&sandbox, &["--write-start", "start.toml"], 0);
    let material = evaluations(&sandbox, "setoption name Tables value start.toml", &positions());
    assert_eq!(material, [0, 0, 300, 900, 1_000, 100]);
    assert_eq!(material, evaluations(&sandbox, "setoption name Tables value <empty>", &positions()));
}

#[test]
fn an_evaluation_is_the_same_from_the_other_side() {
    let sandbox = Sandbox::with("tables.toml", &tables().0);
    write_network(&sandbox, &Described::new(16));
    let mirrored = |fen: &String| {
        let mut setup = setup(fen);
        setup.mirror();
        let position = Chess::from_setup(setup, CastlingMode::Standard).expect("a position");
        Fen::from_position(&position, shakmaty::EnPassantMode::Legal).to_string()
    };
    let mirrored: Vec<String> = positions().iter().map(mirrored).collect();
    for option in ["setoption name Tables value tables.toml", "setoption name Network value network.bin"] {
        let evaluated = evaluations(&sandbox, option, &positions());
        let negative: Vec<i64> = evaluations(&sandbox, option, &mirrored).iter().map(|score| -score).collect();
        assert_eq!(evaluated, negative, "{option}");
    }
}

#[test]
fn broken_tables_are_refused_in_one_line() {
    let (good, _) = tables();
    let row = |role: &str, count: usize| format!("{role} = {:?}\n", vec![0; count]);
    let all = |count: usize| ROLES.map(|role| row(role, count)).concat();
    let cases = [
        (format!("[tables]\n{}", all(63)), "`tables.pawn`: expected 64 integers, found 63 values"),
        (format!("[tables]\n{}{}", all(64), row("bishops", 64)), "`tables.bishops`: expected one of pawn, knight"),
        (format!("[tables]\n{}", row("pawn", 64)), "`tables.knight` is missing"),
        (format!("[tables]\n{}", all(64).replacen('0', "0.5", 1)), "`tables.pawn`: expected 64 integers, found `0.5`"),
        (format!("[tables]\n{}", all(64).replacen('0', "99999", 1)), "found 99999, beyond 10000"),
        (format!("{good}\n[tables]\n{}", all(64)), "expected no `[middlegame]` or `[endgame]` beside it"),
        (good.split("[endgame]").next().unwrap_or_default().to_owned(), "`endgame` is missing"),
        (format!("scale = 3\n{good}"), "`scale`: expected `[tables]`, or"),
        ("[tables".to_owned(), "not TOML"),
        (String::new(), "empty: expected `[tables]`"),
    ];
    for (text, message) in cases {
        let sandbox = Sandbox::with("broken.toml", &text);
        let refused = engine(&sandbox, &["--tables", "broken.toml", "eval"], 1);
        assert!(refused.stderr.starts_with("error: broken.toml: "), "{refused:?}");
        assert!(refused.stderr.contains(message) && refused.stderr.lines().count() == 1, "{message}: {refused:?}");

        sandbox.write("good.toml", &good);
        let [take, fail] = ["good.toml", "broken.toml"].map(|name| format!("setoption name Tables value {name}"));
        let eval = format!("eval fen {}", POSITIONS[3]);
        let output = talk(&sandbox, &[&take, &eval, &fail, &eval]);
        let lines: Vec<&str> = output.lines().collect();
        assert!(lines[1].starts_with("info string broken.toml: ") && lines[1].contains(message), "{output}");
        assert!(lines.len() == 3 && lines[0] == lines[2], "the old tables stay: {output}");
    }
}

#[test]
fn nothing_that_is_typed_confuses_it() {
    let sandbox = Sandbox::new();
    let lines = [
        "go",
        "stop",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "go depth 3",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e4 e7e6 e1e8",
        "position",
        "go depth x movetime",
        "stop",
        "setoption",
        "setoption name Hash value -1",
        "setoption name Hash value 1",
        "setoption name Network value nowhere",
        "go wtime -50 btime -50",
        "\u{0}\u{7f}",
        "eval fen",
        "go nodes 1",
    ];
    let output = talk(&sandbox, &lines);
    let moves: Vec<&str> = output.lines().filter(|line| line.starts_with("bestmove ")).collect();
    assert!(moves.len() == 5 && moves[1] == "bestmove 0000", "{output}");
}

/// The weights of a network, in the order of its file.
struct Described {
    hidden: usize,
    input_biases: Vec<i64>,
    input_weights: Vec<i64>,
    output_weights: Vec<i64>,
    output_biases: Vec<i64>,
}

/// What stands for 1.0: in activations, in output weights, in the output.
const SCALES: [i64; 3] = [255, 64, 400];

impl Described {
    fn new(hidden: usize) -> Self {
        let mut numbers = Numbers(2);
        let mut some = |count: usize, range: i64| (0..count).map(|_| numbers.next(range)).collect();
        Self {
            hidden,
            input_biases: some(hidden, 200),
            input_weights: some(2 * 768 * hidden, 60),
            output_weights: some(5 * 2 * hidden, 40),
            output_biases: some(5, 9_999),
        }
    }

    /// The bytes of the file.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"PST-NET\n".to_vec();
        let header = [1, self.hidden as i64, 2, 5].into_iter().chain(SCALES);
        bytes.extend(header.flat_map(|number| (number as i32).to_le_bytes()));
        let weights = [&self.input_biases, &self.input_weights, &self.output_weights].into_iter().flatten();
        bytes.extend(weights.flat_map(|weight| (*weight as i16).to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|bias| (*bias as i32).to_le_bytes()));
        bytes
    }

    /// The activations of a side's half.
    fn half(&self, us: Color, board: &Board) -> Vec<i64> {
        let king = usize::from(board.king_of(us).expect("a king"));
        let flip = us.fold_wb(0, 56);
        let mirror = if king % 8 >= 4 { 7 } else { 0 };
        let set = usize::from((king ^ flip) >= 16);
        let input = |(square, piece): (shakmaty::Square, shakmaty::Piece)| {
            let side = if piece.color == us { 0 } else { 384 };
            768 * set + side + 64 * (usize::from(piece.role) - 1) + (usize::from(square) ^ flip ^ mirror)
        };
        let inputs: Vec<usize> = board.iter().map(input).collect();
        let unit = |unit: usize| {
            let weights = inputs.iter().map(|input| self.input_weights[input * self.hidden + unit]);
            (self.input_biases[unit] + weights.sum::<i64>()).clamp(0, SCALES[0])
        };
        (0..self.hidden).map(unit).collect()
    }

    /// White's centipawns.
    fn output(&self, fen: &str) -> i64 {
        let setup = setup(fen);
        let bucket = phase(&setup.board) as usize / 5;
        let halves = [self.half(setup.turn, &setup.board), self.half(!setup.turn, &setup.board)].concat();
        let weights = &self.output_weights[bucket * 2 * self.hidden..][..2 * self.hidden];
        let sum: i64 = weights.iter().zip(halves).map(|(weight, unit)| weight * unit).sum();
        let score = (self.output_biases[bucket] + sum) * SCALES[2] / (SCALES[0] * SCALES[1]);
        score.clamp(-20_000, 20_000) * setup.turn.fold_wb(1, -1)
    }
}

fn write_network(sandbox: &Sandbox, weights: &Described) {
    std::fs::write(sandbox.path("network.bin"), weights.bytes()).expect("a writable folder");
}

#[test]
fn a_network_is_what_its_format_says() {
    let sandbox = Sandbox::new();
    let weights = Described::new(32);
    write_network(&sandbox, &weights);
    let expected: Vec<i64> = positions().iter().map(|fen| weights.output(fen)).collect();
    assert_eq!(evaluations(&sandbox, "setoption name Network value network.bin", &positions()), expected);
    let verified = engine(&sandbox, &["--network", "network.bin", "verify", "20"], 0).stdout;
    assert!(verified.ends_with("agree\n"), "{verified}");

    let mut short = weights.bytes();
    short.truncate(short.len() - 1);
    std::fs::write(sandbox.path("network.bin"), short).expect("a writable folder");
    let refused = engine(&sandbox, &["--network", "network.bin", "eval"], 1);
    assert!(refused.stderr.contains("network.bin: ") && refused.stderr.contains("expected"), "{refused:?}");
}
