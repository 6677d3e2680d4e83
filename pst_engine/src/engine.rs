//! The engine as UCI sees it: its options, its game, and what it says.

use crate::clock::Limits;
use crate::evaluation::Evaluator;
use crate::game::{Game, write_move};
use crate::input::Input;
use crate::network::Network;
use crate::order::Order;
use crate::search::{Found, Memory, Search};
use crate::tables::Tables;
use crate::tables_file;
use crate::transpositions::Transpositions;
use play::random::Stream;
use shakmaty::Position;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The value of an option for "no file".
const EMPTY: &str = "<empty>";
/// Default size of the table in mebibytes.
const USUAL_HASH: usize = 16;
const LARGEST_HASH: usize = 16_384;
/// Default depth of `bench`.
const USUAL_BENCH: i32 = 9;
/// Default number of games of `verify`.
const USUAL_GAMES: u64 = 20;
/// Random games end at this.
const LONGEST_GAME: usize = 300;

/// The positions of `bench`: an opening, middlegames, endgames, a promotion and a mate to find.
const BENCH: [&str; 8] = [
    "startpos",
    "startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6 e1g1 e8g8",
    "startpos moves d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8 g1f3 b8d7 a1c1 c7c6",
    "fen r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 10",
    "fen 2r3k1/1p3pp1/p2p3p/3Pp3/1P2P3/P4N1P/5PP1/2R3K1 b - - 0 25",
    "fen 8/5pk1/4p1p1/3pP2p/1P1P3P/5KP1/8/8 w - - 0 40",
    "fen 8/P4k2/8/6p1/4r1P1/5K2/8/R7 w - - 0 50",
    "fen 6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",
];

/// The engine.
pub(crate) struct Engine {
    game: Game,
    evaluator: Evaluator,
    memory: Memory,
    /// How much of the clock is reserved for the transmission of the move.
    overhead: Duration,
}

/// Prints a line at once. A closed reader is not an error: the input ends then, too.
pub(crate) fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(format!("{line}\n").as_bytes());
    let _ = output.flush();
}

impl Engine {
    /// An engine at the start of a game.
    pub(crate) fn new(evaluator: Evaluator) -> Self {
        let memory = Memory { table: Transpositions::new(USUAL_HASH), order: Order::new() };
        Self { game: Game::default(), evaluator, memory, overhead: Duration::from_millis(10) }
    }

    /// Obeys a command; false if it was the last. What it does not know it passes over.
    pub(crate) fn obey(&mut self, line: &str, input: &mut Input) -> bool {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match command {
            "uci" => introduce(),
            "isready" => say("readyok"),
            "ucinewgame" => self.forget(),
            "setoption" => self.set_option(rest),
            "position" => self.set_position(rest),
            "go" => self.go(rest, input),
            "eval" => self.tell_evaluation(rest),
            "bench" => self.bench(rest, input),
            "verify" => self.verify(rest),
            "quit" => return false,
            _ => {}
        }
        true
    }

    fn forget(&mut self) {
        self.memory.table.clear();
        self.memory.order = Order::new();
    }

    fn set_position(&mut self, words: &str) {
        match Game::read(words) {
            Ok(game) => self.game = game,
            Err(message) => say(&format!("info string position: {message}")),
        }
    }

    fn set_option(&mut self, words: &str) {
        let words = words.trim().strip_prefix("name").unwrap_or("").trim();
        let (name, value) = words.split_once(" value").map_or((words, ""), |(name, value)| (name, value));
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "hash" => {
                if let Ok(mebibytes) = value.parse::<usize>() {
                    self.memory.table = Transpositions::new(mebibytes.clamp(1, LARGEST_HASH));
                }
            }
            "clear hash" => self.forget(),
            "move overhead" => {
                let milliseconds =
                    value.parse().map_or(self.overhead.as_millis() as u64, |given: u64| given.min(5_000));
                self.overhead = Duration::from_millis(milliseconds);
            }
            "tables" => self.set_tables(value),
            "network" => self.set_network(value),
            _ => {}
        }
    }

    /// What was searched by another evaluation is worth nothing.
    fn set_tables(&mut self, value: &str) {
        match file(value).map_or_else(|| Ok(Tables::default()), tables_file::read) {
            Ok(tables) => {
                self.evaluator.set_tables(tables);
                self.forget();
            }
            Err(message) => say(&format!("info string {message}; the tables stay as they were")),
        }
    }

    fn set_network(&mut self, value: &str) {
        match file(value).map(Network::read).transpose() {
            Ok(network) => {
                self.evaluator.set_network(network);
                self.forget();
            }
            Err(message) => say(&format!("info string {message}; the evaluation stays as it was")),
        }
    }

    fn go(&mut self, words: &str, input: &mut Input) {
        let limits = Limits::read(words, &self.game.node.position, self.overhead);
        let found = Search::new(&mut self.memory, &mut self.evaluator, input, &limits).run(&self.game);
        if limits.is_endless() && !found.was_stopped {
            input.wait_for_stop();
        }
        let best = found.line.first().map_or_else(|| "0000".to_owned(), |mv| write_move(*mv));
        say(&format!("bestmove {best}"));
    }

    /// `eval`, of the current position or of one given as for `position`.
    fn tell_evaluation(&mut self, words: &str) {
        if !words.trim().is_empty() {
            match Game::read(words) {
                Ok(game) => self.game = game,
                Err(message) => return say(&format!("info string eval: {message}")),
            }
        }
        self.evaluator.reset(&self.game.node.position);
        say(&format!("eval {}", self.evaluator.of_white(&self.game.node.position)));
    }

    /// Searches some positions to a fixed depth: the count of nodes is the same wherever the engine is the same.
    fn bench(&mut self, words: &str, input: &mut Input) {
        let depth = Some(words.trim().parse().unwrap_or(USUAL_BENCH));
        let begun = Instant::now();
        let mut nodes = 0;
        for position in BENCH {
            self.forget();
            let Ok(game) = Game::read(position) else { continue };
            let limits = Limits { depth, ..Limits::default() };
            let search = Search::new(&mut self.memory, &mut self.evaluator, input, &limits).silent();
            let found: Found = search.run(&game);
            nodes += found.nodes;
        }
        self.forget();
        let per_second = u128::from(nodes) * 1_000_000 / begun.elapsed().as_micros().max(1);
        say(&format!("bench {nodes} nodes {per_second} nps"));
    }

    /// Plays random games and compares the evaluation that followed the moves with one from scratch.
    fn verify(&mut self, words: &str) {
        let mut random = Stream::from_seed(1);
        let mut positions = 0;
        for _ in 0..words.trim().parse().unwrap_or(USUAL_GAMES) {
            let mut game = Game::default();
            self.evaluator.reset(&game.node.position);
            for _ in 0..LONGEST_GAME {
                let moves = game.node.position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len() as u32) as usize];
                let after = game.node.after(mv);
                self.evaluator.push(mv, &game.node.position, &after.position);
                game.node = after;
                positions += 1;
                if !self.evaluator.is_from_scratch(&game.node.position) {
                    return say(&format!("verify failed after {positions} positions"));
                }
            }
        }
        say(&format!("verify {positions} positions agree"));
    }
}

/// The file that an option of text names, if any.
fn file(value: &str) -> Option<&Path> {
    (!value.is_empty() && value != EMPTY).then(|| Path::new(value))
}

fn introduce() {
    say("id name spar piece-square\nid author the spar authors");
    say(&format!("option name Hash type spin default {USUAL_HASH} min 1 max {LARGEST_HASH}"));
    say("option name Clear Hash type button");
    say("option name Move Overhead type spin default 10 min 0 max 5000");
    say(&format!("option name Tables type string default {EMPTY}"));
    say(&format!("option name Network type string default {EMPTY}"));
    say("uciok");
}
