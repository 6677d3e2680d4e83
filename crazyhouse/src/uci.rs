//! UCI: options, positions, searches and their reports.
//!
//! Real parameters are sent as whole numbers of ten-thousandths, as in the engine of 0.1. Nodes are simulations.

use crate::input::Input;
use crazyhouse::moves::{decode, write_move};
use crazyhouse::network::Network;
use crazyhouse::player::{Answer, Player, Record, params};
use engine::mcts::math::logit;
use engine::mcts::{Limits, Proof, centipawns};
use engine::protocol::uci::{EMPTY, Go, UciCommand, option_text, option_value};
use engine::{NeverStop, ParamKind, Stop, Timer};
use shakmaty::Position as _;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Size of the tree in mebibytes: default, and maximum.
const USUAL_HASH: usize = 64;
const LARGEST_HASH: usize = 4_096;
const MEBIBYTE: usize = 1 << 20;
/// The maximum number of search threads.
const MOST_THREADS: usize = 256;

/// The number of centipawns reported for 1 logit: the default of `spar train` for crazyhouse.
const LOGIT: f64 = 250.0;

/// The positions of `bench`: openings, and middlegames with pieces in hand.
const BENCH: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R[] w KQkq - 6 5",
    "r2q1rk1/ppp2ppp/2n1bn2/3p4/3P4/2N1PN2/PPQ2PPP/R3KB1R[Pbp] w KQ - 0 10",
    "r1b2rk1/pp3p1p/2p2np1/3pq3/8/2PBP3/PP3PPP/R2Q1RK1[NNBPbnp] b - - 0 16",
    "2kr3r/ppp2ppp/2n5/4P3/3P1Bb1/2P2N2/P4PPP/R2QR1K1[BNnbpp] b - - 0 14",
    "r4rk1/1pp1qp1p/p1np2p1/2b1p1B1/4P3/2NP4/PPP2PPP/R2Q1RK1[NBbn] w - - 0 18",
];
/// The mean length of lines at which `bench` ends a search.
const BENCH_DEPTH: u8 = 6;

/// The state of the engine behind UCI.
pub(crate) struct Uci {
    /// The network to play with.
    network: Network,
    player: Player,
    record: Record,
}

/// Prints a line at once. Ignores a closed reader: the input then ends, too.
pub(crate) fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(format!("{line}\n").as_bytes());
    let _ = output.flush();
}

/// The wall-clock time since an instant.
struct WallClock(Instant);

impl Timer for WallClock {
    fn elapsed(&self, _nodes: u64) -> Duration {
        self.0.elapsed()
    }
}

/// Ends a search when a line requests it.
struct Polled<'a> {
    input: RefCell<&'a mut Input>,
    is_endless: bool,
    has_stopped: Cell<bool>,
}

impl Stop for Polled<'_> {
    fn stopped(&self) -> bool {
        if !self.has_stopped.get() && self.input.borrow_mut().ends_search(self.is_endless) {
            self.has_stopped.set(true);
        }
        self.has_stopped.get()
    }
}

impl Uci {
    /// An engine at the start of a game.
    ///
    /// # Errors
    /// If the built-in network is damaged.
    pub(crate) fn new() -> Result<Self, String> {
        let network = shipped()?;
        Ok(Self { network, player: Player::new(USUAL_HASH * MEBIBYTE), record: Record::default() })
    }

    /// Loads the network of a file.
    ///
    /// # Errors
    /// Why the network cannot be used, in words.
    pub(crate) fn set_network(&mut self, path: &Path) -> Result<(), String> {
        let named = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        // Opening a pipe would wait for its other end, and a device might never end.
        if !std::fs::metadata(path).map_err(|error| named(&error))?.is_file() {
            return Err(named(&"it is not a file"));
        }
        let bytes = std::fs::read(path).map_err(|error| named(&error))?;
        self.network = Network::from_bytes(&bytes).map_err(|error| named(&error))?;
        self.player.new_game();
        Ok(())
    }

    /// Executes lines until the end of input, or `quit`.
    pub(crate) fn run(&mut self, input: &mut Input) {
        while let Some(line) = input.next_line() {
            let line = line.trim();
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match word {
                "position" => self.set_position(rest),
                "go" => self.go(line, input),
                "quit" => break,
                _ => self.obey(line),
            }
        }
    }

    /// Executes a command from the command line.
    ///
    /// # Errors
    /// If the text is not a command.
    pub(crate) fn command(&mut self, command: &str) -> Result<(), String> {
        if command.trim() == "bench" {
            self.bench()
        } else {
            Err(format!("`{command}` is not a command: expected `bench`"))
        }
    }

    fn obey(&mut self, line: &str) {
        match UciCommand::parse(line) {
            Ok(UciCommand::Uci) => introduce(),
            Ok(UciCommand::IsReady) => say("readyok"),
            Ok(UciCommand::NewGame) => self.player.new_game(),
            Ok(UciCommand::SetOption { name, value }) => {
                if let Err(why) = self.set_option(&name, &value) {
                    say(&format!("info string {why}"));
                }
            }
            Ok(UciCommand::Bench) => {
                if let Err(why) = self.bench() {
                    say(&format!("info string {why}"));
                }
            }
            // Unknown lines are ignored, as the protocol demands.
            _ => {}
        }
    }

    fn set_position(&mut self, text: &str) {
        match Record::read(text) {
            Ok(record) => self.record = record,
            Err(why) => say(&format!("info string position: {why}")),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let expected = |what: &str| format!("{name} cannot be `{value}`: expected {what}");
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                let size = value.parse().ok().filter(|size| (1..=LARGEST_HASH).contains(size));
                let size = size.ok_or_else(|| expected(&format!("1 to {LARGEST_HASH} MiB")))?;
                self.player.set_bytes(size * MEBIBYTE);
            }
            "threads" => {
                let threads = value.parse().ok().filter(|threads| (1..=MOST_THREADS).contains(threads));
                self.player.set_threads(threads.ok_or_else(|| expected(&format!("1 to {MOST_THREADS}")))?);
            }
            "evalfile" if value.is_empty() || value == EMPTY => {
                self.network = shipped()?;
                self.player.new_game();
            }
            "evalfile" => self.set_network(Path::new(value)).map_err(|why| format!("{why}; nothing has changed"))?,
            "uci_variant" if value == "crazyhouse" => {}
            "uci_variant" => return Err(expected("crazyhouse")),
            "mate in one" => {
                self.player.mate_in_one = value.parse().map_err(|_| expected("true or false"))?;
                self.player.new_game();
            }
            lower => {
                let info = params().find(|info| info.name == lower);
                let info = info.ok_or_else(|| format!("there is no option `{name}`"))?;
                let value = option_value(info, value).map_err(|error| error.to_string())?;
                self.player.params.set(info.name, value).map_err(|error| error.to_string())?;
                self.player.new_game();
            }
        }
        Ok(())
    }

    fn go(&mut self, line: &str, input: &mut Input) {
        let go = match UciCommand::parse(line) {
            Ok(UciCommand::Go(go)) => go,
            Ok(_) => Go::default(),
            Err(why) => return say(&format!("info string {why}")),
        };
        let is_endless = is_endless(&go);
        let limits = self.player.limits(&go, self.record.position().turn(), moves_left(line));
        let stop = Polled { input: RefCell::new(input), is_endless, has_stopped: Cell::new(false) };
        let clock = WallClock(Instant::now());
        let record = &self.record;
        let params = self.player.params.mcts;
        let answer = self.player.search(&self.network, record, limits, &stop, &clock, &mut |answer| {
            say(&info(answer, record, clock.elapsed(0), |value| {
                if params.mcts_centipawns {
                    centipawns(value, params.mcts_centipawn_base)
                } else {
                    LOGIT * logit(value)
                }
            }));
        });
        if is_endless && !stop.has_stopped.get() {
            stop.input.into_inner().wait_for_stop();
        }
        let best = answer.and_then(|answer| decode(record.position(), *answer.variation.first()?));
        say(&format!("bestmove {}", best.map_or_else(|| "0000".to_owned(), write_move)));
    }

    /// Searches some positions until lines reach a mean length: the number of simulations for that depends on
    /// everything in the search, and is the same on every machine.
    fn bench(&mut self) -> Result<(), String> {
        let mut player = Player::new(USUAL_HASH * MEBIBYTE);
        let begun = Instant::now();
        let mut nodes = 0;
        for fen in BENCH {
            player.new_game();
            let record = Record::read(&format!("fen {fen}"))?;
            let limits = Limits { depth: BENCH_DEPTH, ..Limits::NONE };
            let answer = player.search(&self.network, &record, limits, &NeverStop, &engine::NoClock, &mut |_| {});
            nodes += answer.map_or(0, |answer| answer.simulations);
        }
        let speed = u128::from(nodes) * 1_000_000_000 / begun.elapsed().as_nanos().max(1);
        say(&format!("{nodes} nodes {speed} nps"));
        Ok(())
    }
}

/// The built-in network.
fn shipped() -> Result<Network, String> {
    crazyhouse::network::shipped().map_err(|error| error.to_string())
}

/// Prints the engine's name and options.
fn introduce() {
    say(concat!("id name spar crazyhouse ", env!("CARGO_PKG_VERSION")));
    say("id author the spar authors");
    say(&format!("option name Hash type spin default {USUAL_HASH} min 1 max {LARGEST_HASH}"));
    say(&format!("option name Threads type spin default 1 min 1 max {MOST_THREADS}"));
    say(&format!("option name EvalFile type string default {EMPTY}"));
    say("option name UCI_Variant type combo default crazyhouse var crazyhouse");
    say("option name Mate In One type check default true");
    let usual = Player::new(MEBIBYTE).params;
    for info in params() {
        let text = |value| option_text(info, value);
        let (name, default) = (info.name, text(usual.get(info.name).unwrap_or(info.default)));
        match info.kind {
            ParamKind::Switch => say(&format!("option name {name} type check default {default}")),
            ParamKind::Integer | ParamKind::Real => {
                let (min, max) = (text(info.min), text(info.max));
                say(&format!("option name {name} type spin default {default} min {min} max {max}"));
            }
        }
    }
    say("uciok");
}

/// Whether only `stop` ends a search.
fn is_endless(go: &Go) -> bool {
    let clocks = go.clocks.iter().all(Option::is_none);
    go.infinite || go.nodes.is_none() && go.depth.is_none() && go.movetime.is_none() && clocks
}

/// The number of moves until more time is added to the clock.
fn moves_left(line: &str) -> Option<u32> {
    let mut words = line.split_ascii_whitespace().skip_while(|word| *word != "movestogo");
    words.nth(1)?.parse().ok()
}

/// The `info` line about a search.
fn info(answer: &Answer, record: &Record, time: Duration, centipawns: impl Fn(f64) -> f64) -> String {
    let score = match answer.proof {
        Proof::Win(plies) => format!("mate {}", plies.div_ceil(2)),
        Proof::Loss(plies) => format!("mate -{}", plies / 2),
        Proof::Draw => "cp 0".to_owned(),
        Proof::Open | Proof::Repeated => format!("cp {}", centipawns(answer.choice.value).round() as i64),
    };
    let mut position = record.position().clone();
    let mut line = String::new();
    for &mv in &answer.variation {
        let Some(mv) = decode(&position, mv) else { break };
        line.push(' ');
        line.push_str(&write_move(mv));
        position.play_unchecked(mv);
    }
    let milliseconds = time.as_millis();
    let speed = u128::from(answer.simulations) * 1_000_000_000 / time.as_nanos().max(1);
    let (depth, nodes) = (answer.depth.max(1), answer.simulations);
    format!("info depth {depth} score {score} nodes {nodes} nps {speed} time {milliseconds} pv{line}")
}
