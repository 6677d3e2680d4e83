//! A UCI engine with one fault: what a runner must survive, one mode for each. Else it plays random legal moves.
//!
//! `misbehaving MODE [--after N] [--delay MS] [--seed N]`: the first N moves are played well. On the way up it says
//! `info string pid PID` (and of what it started `info string grandchild PID`), so that tests can look for what is
//! left.

mod mover;

use clap::{Parser, ValueEnum};
use mover::RandomMover;
use rustix::process::{Signal, getpid, kill_process};
use shakmaty::uci::UciMove;
use shakmaty::{Color, Position};
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::process::{Command, Stdio, exit};
use std::time::Duration;

/// What it does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Nothing
    None,
    /// Exits with status 3 instead of moving
    Crash,
    /// Is killed by SIGSEGV instead of moving
    Segfault,
    /// Plays an illegal move
    Illegal,
    /// Plays the null move `0000`
    Null,
    /// Plays something that is not a move
    Garbage,
    /// Moves the delay after its move time (or its clock) is over
    Late,
    /// Never answers again
    Hang,
    /// Prints `info` lines for ever instead of moving
    Flood,
    /// Never says `uciok`
    NoUciok,
    /// Exits with status 1 before it reads anything
    DiesAtStart,
    /// Ignores `quit`, until its input ends
    IgnoresQuit,
    /// Ignores `quit`, the end of its input, and SIGTERM
    IgnoresEof,
    /// Prints its move without a line end and exits
    NoNewline,
    /// Prints its move without a line end and waits
    NoNewlineStays,
    /// Prints a line of 5 MB before its move
    HugeLine,
    /// Prints each move twice
    TwoBestmoves,
    /// Prints no `info` before its move
    NoInfo,
    /// Says `uciok` only after the delay
    SlowStart,
    /// Keeps printing after its move, the delay later: an `info`, and another move
    LateOutput,
    /// Prints 1 MB on standard error before its move
    StderrFlood,
    /// Never reads its input
    Deaf,
    /// Starts a process that would live on for 1000 seconds, with its pipes
    SpawnsGrandchild,
}

/// A UCI engine with one fault.
#[derive(Parser)]
struct Arguments {
    /// The fault
    mode: Mode,
    /// Moves that it plays well before
    #[arg(long, default_value_t = 0)]
    after: u32,
    /// Milliseconds, for the modes that are late with something
    #[arg(long, default_value = "500", value_parser = milliseconds)]
    delay: Duration,
    /// Seed of its choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn milliseconds(text: &str) -> Result<Duration, std::num::ParseIntError> {
    text.parse().map(Duration::from_millis)
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    begin(&arguments)?;
    let engine = RandomMover::new(arguments.seed);
    let mut misbehaving = Misbehaving { engine, arguments, well_played: 0 };
    for line in io::stdin().lock().lines() {
        if misbehaving.obey(line?.trim_end())?.is_break() {
            return Ok(());
        }
    }
    if misbehaving.arguments.mode == Mode::IgnoresEof {
        sleep_for_ever();
    }
    Ok(())
}

/// What goes wrong before a line is read.
fn begin(arguments: &Arguments) -> io::Result<()> {
    match arguments.mode {
        Mode::DiesAtStart => {
            eprintln!("misbehaving: dies at start");
            exit(1);
        }
        Mode::Deaf => sleep_for_ever(),
        Mode::IgnoresEof => ctrlc::set_handler(|| {}).map_err(io::Error::other)?,
        Mode::SpawnsGrandchild => {
            let grandchild = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn()?;
            print(&format!("info string grandchild {}\n", grandchild.id()))?;
        }
        _ => {}
    }
    print(&format!("info string pid {}\n", std::process::id()))
}

struct Misbehaving {
    engine: RandomMover,
    arguments: Arguments,
    well_played: u32,
}

impl Misbehaving {
    fn obey(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        let mode = self.arguments.mode;
        match line.split_ascii_whitespace().next() {
            Some("quit") if matches!(mode, Mode::IgnoresQuit | Mode::IgnoresEof) => {}
            Some("quit") => return Ok(ControlFlow::Break(())),
            Some("uci") if mode == Mode::NoUciok => {}
            Some("go") => self.go(line)?,
            command => {
                if command == Some("uci") && mode == Mode::SlowStart {
                    std::thread::sleep(self.arguments.delay);
                }
                let mut answer = String::new();
                self.engine.obey(line, &mut answer);
                print(&answer)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn go(&mut self, line: &str) -> io::Result<()> {
        let Some(chosen) = self.engine.choose() else { return print("bestmove (none)\n") };
        if self.well_played < self.arguments.after {
            self.well_played += 1;
            return print(&well(chosen));
        }
        self.misplay(line, chosen)
    }

    fn misplay(&self, line: &str, chosen: UciMove) -> io::Result<()> {
        match self.arguments.mode {
            Mode::Crash => {
                eprintln!("misbehaving: crash");
                exit(3);
            }
            // Rust's own handler takes the first for a false alarm and steps aside.
            Mode::Segfault => loop {
                kill_process(getpid(), Signal::SEGV)?;
            },
            // No piece goes from a1 to b8.
            Mode::Illegal => print("info depth 1 score cp 0\nbestmove a1b8\n")?,
            Mode::Null => print("bestmove 0000\n")?,
            Mode::Garbage => print("bestmove xyzzy\n")?,
            Mode::Hang => sleep_for_ever(),
            Mode::Flood => flood()?,
            Mode::NoNewline => {
                print(&format!("bestmove {chosen}"))?;
                exit(0);
            }
            Mode::NoNewlineStays => print(&format!("bestmove {chosen}"))?,
            Mode::TwoBestmoves => print(&format!("{0}bestmove {chosen}\n", well(chosen)))?,
            Mode::NoInfo => print(&format!("bestmove {chosen}\n"))?,
            Mode::LateOutput => self.print_after_the_move(chosen)?,
            _ => self.move_after_a_burden(line, chosen)?,
        }
        Ok(())
    }

    /// The modes that make a proper move, if the runner bears what comes before it.
    fn move_after_a_burden(&self, line: &str, chosen: UciMove) -> io::Result<()> {
        match self.arguments.mode {
            Mode::Late => std::thread::sleep(time_allowed(line, self.engine.position.turn()) + self.arguments.delay),
            Mode::HugeLine => print(&format!("info string {}\n", "x".repeat(5_000_000)))?,
            Mode::StderrFlood => io::stderr().write_all("a complaint\n".repeat(90_000).as_bytes())?,
            _ => {}
        }
        print(&well(chosen))
    }

    fn print_after_the_move(&self, chosen: UciMove) -> io::Result<()> {
        print(&well(chosen))?;
        let delay = self.arguments.delay;
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            print(&format!("info string still here\nbestmove {chosen}\n"))
        });
        Ok(())
    }
}

/// The answer of an engine that does nothing wrong.
fn well(chosen: UciMove) -> String {
    format!("info depth 1 nodes 1 score cp 0 pv {chosen}\nbestmove {chosen}\n")
}

/// The time that a `go` allows a side: its move time, or its clock.
fn time_allowed(line: &str, mover: Color) -> Duration {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let clock = mover.fold_wb("wtime", "btime");
    let timed = words.windows(2).find(|pair| pair[0] == "movetime" || pair[0] == clock);
    timed.and_then(|pair| milliseconds(pair[1]).ok()).unwrap_or_default()
}

fn flood() -> io::Result<()> {
    let mut portion = String::new();
    for depth in 1..1_000 {
        let _ = writeln!(portion, "info depth {depth} nodes 1 score cp 0");
    }
    loop {
        print(&portion)?;
    }
}

fn sleep_for_ever() {
    loop {
        std::thread::park();
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}
