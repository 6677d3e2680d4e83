//! A UCI engine that instantly plays random legal moves: for tests, and to measure a runner.
//!
//! `random_mover [--seed N]`; the option `Seed` does the same. With `--xboard` it speaks XBoard instead,
//! with `--codecup` it plays 0.1 over CodeCup.

mod mover;

use clap::Parser;
use engine::protocol::codecup::{Action, Session};
use mover::RandomMover;
use play::Game;
use play::games::ZeroPointOne;
use play::random::Stream;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// A UCI engine that instantly plays random legal moves of chess and its variants.
#[derive(Parser)]
struct Arguments {
    /// Seed of its choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sleep this long before each move over UCI, in milliseconds
    #[arg(long, default_value_t = 0)]
    think: u64,
    /// Speak XBoard
    #[arg(long)]
    xboard: bool,
    /// Play 0.1 over CodeCup
    #[arg(long, conflicts_with = "xboard")]
    codecup: bool,
}

fn main() -> io::Result<()> {
    let Arguments { seed, think, xboard, codecup } = Arguments::parse();
    if codecup {
        return play_codecup(seed);
    }
    let mut engine = RandomMover::new(seed);
    let mut table = Table::new();
    let (mut input, mut output) = (io::stdin().lock(), io::stdout());
    let (mut line, mut answer) = (String::new(), String::new());
    while input.read_line(&mut line)? > 0 && line.trim_end() != "quit" {
        if xboard {
            table.obey(&mut engine, line.trim_end(), &mut answer);
        } else if line.trim_end() == "go" || line.starts_with("go ") {
            std::thread::sleep(Duration::from_millis(think));
            go(&mut engine, &mut answer);
        } else {
            engine.obey(line.trim_end(), &mut answer);
        }
        // One write an answer: it is read at once.
        output.write_all(answer.as_bytes())?;
        output.flush()?;
        line.clear();
        answer.clear();
    }
    Ok(())
}

fn go(engine: &mut RandomMover, answer: &mut String) {
    let _ = match engine.choose() {
        Some(chosen) => write!(answer, "info depth 1 nodes 1 score cp 0 pv {chosen}\nbestmove {chosen}\n"),
        None => writeln!(answer, "bestmove (none)"),
    };
}

/// One game of 0.1.
fn play_codecup(seed: u64) -> io::Result<()> {
    let (mut session, mut random) = (Session::new(), Stream::from_seed(seed));
    for line in io::stdin().lock().lines() {
        match session.handle_line(&line?).map_err(io::Error::other)? {
            Action::Wait => {}
            Action::Quit => break,
            Action::Move => {
                let position = *session.record().position();
                let Some(chosen) = ZeroPointOne::random_move(&position, &mut random) else { continue };
                println!("{}", engine::format_move(&position, chosen));
                session.record_move(chosen, Duration::ZERO).map_err(io::Error::other)?;
            }
        }
    }
    Ok(())
}

/// A game over XBoard, as commands of UCI's for the engine.
struct Table {
    /// `position` up to its moves.
    start: String,
    /// The moves since, each after a blank.
    moves: String,
    /// Whether it plays neither side.
    is_forced: bool,
}

/// Commands that change nothing here.
const PASSED_OVER: [&str; 15] = [
    "xboard", "accepted", "rejected", "post", "nopost", "easy", "hard", "level", "st", "sd", "time", "otim", "result",
    "?", "computer",
];

impl Table {
    fn new() -> Self {
        Self { start: "position startpos".to_owned(), moves: String::new(), is_forced: false }
    }

    fn obey(&mut self, engine: &mut RandomMover, line: &str, answer: &mut String) {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "protover" => answer.push_str(
                "feature ping=1 setboard=1 usermove=1 myname=\"random mover\" variants=\"normal,crazyhouse\" done=1\n",
            ),
            "ping" => answer.extend(["pong ", rest, "\n"]),
            "new" => {
                *self = Self::new();
                engine.obey("setoption name UCI_Variant value chess", answer);
            }
            "variant" => engine.obey(&format!("setoption name UCI_Variant value {rest}"), answer),
            "setboard" => self.start = format!("position fen {rest}"),
            "force" => self.is_forced = true,
            "go" => self.go(engine, answer),
            "usermove" if !self.takes(engine, rest) => answer.extend(["Illegal move: ", rest, "\n"]),
            "usermove" if !self.is_forced => self.go(engine, answer),
            "usermove" => {}
            known if PASSED_OVER.contains(&known) => {}
            _ => answer.extend(["Error (unknown command): ", line, "\n"]),
        }
    }

    /// Makes the opponent's move; false if it is not legal.
    fn takes(&mut self, engine: &mut RandomMover, mv: &str) -> bool {
        let mut complaint = String::new();
        let moves = format!("{} {mv}", self.moves);
        engine.obey(&format!("{} moves{moves}", self.start), &mut complaint);
        let is_legal = complaint.is_empty();
        if is_legal {
            self.moves = moves;
        }
        is_legal
    }

    fn go(&mut self, engine: &mut RandomMover, answer: &mut String) {
        self.is_forced = false;
        let moves = if self.moves.is_empty() { "" } else { " moves" };
        engine.obey(&format!("{}{moves}{}", self.start, self.moves), &mut String::new());
        let Some(chosen) = engine.choose() else { return };
        self.moves.extend([" ", &chosen.to_string()]);
        let _ = write!(answer, "1 0 0 1 {chosen}\nmove {chosen}\n");
    }
}
