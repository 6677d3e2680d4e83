//! A UCI engine that instantly plays random legal moves: for tests, and to measure a runner.
//!
//! `random_mover [--seed N]`; the option `Seed` does the same.

mod mover;

use clap::Parser;
use mover::RandomMover;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

/// A UCI engine that instantly plays random legal moves of chess and its variants.
#[derive(Parser)]
struct Arguments {
    /// Seed of its choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> io::Result<()> {
    let mut engine = RandomMover::new(Arguments::parse().seed);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout());
    let (mut line, mut answer) = (String::new(), String::new());
    while input.read_line(&mut line)? > 0 && line.trim_end() != "quit" {
        if line.trim_end() == "go" || line.starts_with("go ") {
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
