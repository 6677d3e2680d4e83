//! The program: a UCI engine of crazyhouse.
//!
//! `crazyhouse [--network FILE] [bench]`. Without a file it plays by the network that it is built with, if there is
//! one.

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
    /// A command to obey in place of those of standard input, such as `bench`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut uci = Uci::new();
    let done = arguments.network.as_deref().map_or(Ok(()), |path| uci.set_network(path));
    let done = done.and_then(|()| {
        if arguments.command.is_empty() {
            return uci.run(&mut Input::standard());
        }
        uci.command(&arguments.command.join(" "))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
