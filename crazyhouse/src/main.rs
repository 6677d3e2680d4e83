//! The program: a UCI engine for crazyhouse.
//!
//! `crazyhouse [--network FILE] [bench]`. Without a file it plays with the built-in network.

mod input;
mod uci;

use clap::Parser;
use input::Input;
use std::path::PathBuf;
use std::process::ExitCode;
use uci::Uci;

/// A UCI engine of crazyhouse that searches by Monte Carlo tree search with a learned policy.
#[derive(Parser)]
struct Arguments {
    /// The network to play by
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// `bench`: search fixed positions and print the number of simulations, a signature
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let mut uci = Uci::new()?;
    if let Some(path) = &arguments.network {
        uci.set_network(path)?;
    }
    if arguments.command.is_empty() {
        uci.run(&mut Input::standard());
        return Ok(());
    }
    uci.command(&arguments.command.join(" "))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
