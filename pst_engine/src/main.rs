//! A small UCI chess engine whose evaluation comes from a file: piece-square tables, or a small network.
//!
//! It is there to show what such a file is worth: give two of them to two entrants of a match or a ladder. The search
//! is plain and has no margins in centipawns, so that it favours no scale of the tables.
//!
//! `pst_engine [--tables FILE] [--network FILE] [COMMAND ...]`; the options `Tables` and `Network` do the same as the
//! arguments. A command on the command line, such as `bench` or `eval`, is obeyed as if it were typed, and the engine
//! ends. `--write-start FILE` writes the built-in tables, where a fit begins. The formats are described in
//! `tables_file` and `network`.

mod accumulators;
mod clock;
mod engine;
mod evaluation;
mod game;
mod input;
mod network;
mod order;
mod search;
mod tables;
mod tables_file;
mod transpositions;

use clap::Parser;
use engine::Engine;
use evaluation::Evaluator;
use input::Input;
use network::Network;
use std::path::PathBuf;
use std::process::ExitCode;

/// A UCI chess engine that evaluates by piece-square tables, or by a small network, from a file.
#[derive(Parser)]
struct Arguments {
    /// Tables to evaluate by [default: material alone]
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
    /// A network to evaluate by in place of tables
    #[arg(long, value_name = "FILE", conflicts_with = "tables")]
    network: Option<PathBuf>,
    /// Write the built-in tables into a file, and end
    #[arg(long, value_name = "FILE")]
    write_start: Option<PathBuf>,
    /// A command to obey in place of those of standard input: `bench [DEPTH]`, `eval [fen FEN]`, `verify [GAMES]`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<(), String> {
    if let Some(path) = arguments.write_start {
        return tables_file::write_start(&path);
    }
    let mut evaluator = Evaluator::default();
    if let Some(path) = arguments.tables {
        evaluator.set_tables(tables_file::read(&path)?);
    }
    if let Some(path) = arguments.network {
        evaluator.set_network(Some(Network::read(&path)?));
    }
    let mut engine = Engine::new(evaluator);
    if !arguments.command.is_empty() {
        let _ends = engine.obey(&arguments.command.join(" "), &mut Input::closed());
        return Ok(());
    }
    let mut input = Input::standard();
    while let Some(line) = input.next_line() {
        if !engine.obey(&line, &mut input) {
            break;
        }
    }
    Ok(())
}
