//! The engine program: UCI if the first line is `uci`, otherwise the `CodeCup` protocol.
//!
//! Owns the command line and the choice of protocol. All input, output, clocks and the reading thread are in this
//! program; the protocols themselves are in `engine::protocol`.

mod codecup;
mod input;
mod named_file;
mod output;
mod seed;
mod timer;
mod uci;

use engine::{EngineConfig, ParseSearchError, SearchKind, SetupBook};
use input::{Input, Line};
use output::Output;
use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const HELP: &str = "\
An engine for the board game 0.1 (Zero Point One).

Usage: zeropoint [--search NAME] [--book FILE] [--set NAME=VALUE]...
                          play over UCI if the first input line is `uci`, otherwise over CodeCup,
                          with this search, this book of setups and these values of parameters
       zeropoint bench [--search NAME]
                          print the node count of a fixed search (the signature) and the speed
       zeropoint --help | --version
";

/// Exit codes: 0 success, 1 an invalid line of input, 2 an invalid command line.
fn main() -> ExitCode {
    let started = Instant::now();
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(|argument| argument.to_str().unwrap_or("\u{fffd}")).collect();
    let output = Output::new();
    match arguments[..] {
        [] => return play(started, &output, &EngineConfig::default()),
        ["--set" | "--search" | "--book", ..] => match config_with(&arguments) {
            Ok(config) => return play(started, &output, &config),
            Err(why) => {
                print_error(why);
                return ExitCode::from(2);
            }
        },
        ["bench"] => output.send(timer::measured(SearchKind::default())),
        ["bench", "--search", name] => match name.parse() {
            Ok(search) => output.send(timer::measured(search)),
            Err(why) => {
                let why: ParseSearchError = why;
                print_error(why);
                return ExitCode::from(2);
            }
        },
        ["--help" | "-h"] => output.send(HELP.trim_end()),
        ["--version" | "-V"] => output.send(format_args!("zeropoint {}", env!("CARGO_PKG_VERSION"))),
        _ => {
            print_error(format_args!(
                "expected no argument, --search, --book, --set, bench, --help or --version; found {arguments:?}"
            ));
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The default configuration with the search of `--search NAME`, the book of `--book FILE` and the values of `--set
/// NAME=VALUE`.
fn config_with(arguments: &[&str]) -> Result<EngineConfig, String> {
    let mut config = EngineConfig::default();
    for pair in arguments.chunks(2) {
        let expected = || format!("expected --search NAME, --book FILE or --set NAME=VALUE, found {pair:?}");
        match *pair {
            ["--search", name] => config.search = name.parse().map_err(|error: ParseSearchError| error.to_string())?,
            ["--book", path] => {
                let refused = |why: &dyn fmt::Display| format!("{}: {why}", path.escape_debug());
                let bytes = named_file::bytes_of(path).map_err(|error| refused(&error))?;
                config.book = Arc::new(SetupBook::from_bytes(&bytes).map_err(|error| refused(&error))?);
            }
            ["--set", change] => {
                let (name, value) = change.split_once('=').ok_or_else(expected)?;
                let number = value.parse();
                let number =
                    number.map_err(|_| format!("{name}: expected a number, found \"{}\"", value.escape_debug()))?;
                config.params.set(name, number).map_err(|error| error.to_string())?;
            }
            _ => return Err(expected()),
        }
    }
    Ok(config)
}

/// Plays until the end of input or a command to quit.
fn play(started: Instant, output: &Output, config: &EngineConfig) -> ExitCode {
    let input = match Input::start() {
        Ok(input) => input,
        Err(error) => {
            print_error(format_args!("cannot start the input thread: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // Built while waiting for the first line.
    let game = codecup::Game::new(started, config);
    let Some(first) = first_line(&input) else { return ExitCode::SUCCESS };
    if first.text.trim() == "uci" {
        uci::run(game.into_engine(), config.clone(), &input, output, first);
        return ExitCode::SUCCESS;
    }
    match game.run(&input, output, first) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(error);
            ExitCode::FAILURE
        }
    }
}

/// The first line that is not blank.
fn first_line(input: &Input) -> Option<Line> {
    std::iter::from_fn(|| input.next()).find(|line| !line.text.trim().is_empty())
}

/// Prints an error to standard error, if possible.
fn print_error(message: impl std::fmt::Display) {
    use std::io::Write;
    let _closed = writeln!(std::io::stderr(), "zeropoint: {message}");
}
