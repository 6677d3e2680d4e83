//! The engine as a program that speaks through pipes: UCI if the first line is `uci`, the `CodeCup` protocol if not.
//!
//! Owns the command line and the choice of protocol. All input, output, threads and clocks of the engine are in this
//! program, the meaning of lines is in `engine::protocol`.

mod codecup;
mod input;
mod output;
mod timer;
mod uci;

use input::{Input, Line};
use output::Output;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
The engine of the board game 0.1 (Zero Point One).

Usage: zeropoint          speak UCI if the first line is `uci`, else the CodeCup protocol
       zeropoint bench    print the signature of the search and its speed
       zeropoint --help | --version
";

/// Exit codes: 0 done, 1 a line that cannot be followed, 2 a wrong command line.
fn main() -> ExitCode {
    let started = Instant::now();
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(|argument| argument.to_str().unwrap_or("\u{fffd}")).collect();
    let output = Output::new();
    match arguments[..] {
        [] => return play(started, &output),
        ["bench"] => output.say(timer::bench()),
        ["--help" | "-h"] => output.say(HELP.trim_end()),
        ["--version" | "-V"] => output.say(format_args!("zeropoint {}", env!("CARGO_PKG_VERSION"))),
        _ => {
            complain(format_args!("expected no argument, bench, --help or --version, found {arguments:?}"));
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Plays until the input ends or says so.
fn play(started: Instant, output: &Output) -> ExitCode {
    let input = match Input::start() {
        Ok(input) => input,
        Err(error) => {
            complain(format_args!("cannot start a thread for reading: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // Built while the first line is still on its way.
    let game = codecup::Game::new(started);
    let Some(first) = first_line(&input) else { return ExitCode::SUCCESS };
    if first.text.trim() == "uci" {
        uci::run(game.into_engine(), &input, output, first);
        return ExitCode::SUCCESS;
    }
    match game.run(&input, output, first) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(error);
            ExitCode::FAILURE
        }
    }
}

/// The first line with anything in it.
fn first_line(input: &Input) -> Option<Line> {
    std::iter::from_fn(|| input.next()).find(|line| !line.text.trim().is_empty())
}

/// Says on standard error what is wrong. If nobody listens there, nobody can be told.
fn complain(message: impl std::fmt::Display) {
    use std::io::Write;
    let _nobody_listens = writeln!(std::io::stderr(), "zeropoint: {message}");
}
