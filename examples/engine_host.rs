//! Starts engines as spar does, without playing: for tests of what happens to them, and to measure what a start costs.
//!
//! `engine_host [--spar PROGRAM] [--times N] -- ENGINE ARGUMENTS...` starts the engine N times, one after the other,
//! and ends each; with `--moves M` each of them moves M times before. With `--hold` it repeats the engine's output
//! instead, until one of the two is ended.

use clap::Parser;
use play::child::{ChildSpec, Launcher, Spawner};
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Starts engines as spar does.
#[derive(Parser)]
struct Arguments {
    /// The spar binary, for launcher and supervisor; without it engines are started directly
    #[arg(long)]
    spar: Option<PathBuf>,
    /// How often to start the engine
    #[arg(long, default_value_t = 1)]
    times: u32,
    /// How many moves to ask of each
    #[arg(long, default_value_t = 0)]
    moves: u32,
    /// Repeat what the engine says, for ever
    #[arg(long)]
    hold: bool,
    /// The engine
    program: PathBuf,
    /// The engine's arguments
    #[arg(trailing_var_arg = true, value_name = "ARGUMENTS")]
    words: Vec<String>,
}

const PATIENCE: Duration = Duration::from_mins(1);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let spawner = Spawner::start(arguments.spar.as_deref().map(Launcher::at))?;
    let spec = ChildSpec { arguments: arguments.words, ..ChildSpec::new(arguments.program) };
    if arguments.hold {
        return hold(&spawner, &spec);
    }
    once(&spawner, &spec, arguments.moves)?;
    let before = traces()?;
    let begun = Instant::now();
    for _ in 0..arguments.times {
        once(&spawner, &spec, arguments.moves)?;
    }
    println!("descriptors and processes before {before:?}");
    println!("descriptors and processes after {:?}", traces()?);
    println!("microseconds each {}", begun.elapsed().as_micros() / u128::from(arguments.times.max(1)));
    Ok(())
}

/// One life: the engine is started, answers `uci`, moves, and quits.
fn once(spawner: &Spawner, spec: &ChildSpec, moves: u32) -> Result<(), Box<dyn Error>> {
    let mut engine = spawner.spawn(spec)?;
    let (deadline, never) = (Instant::now() + PATIENCE, AtomicBool::new(false));
    engine.send("uci\n", deadline)?;
    while engine.receive(deadline, &never)? != "uciok" {}
    for _ in 0..moves {
        engine.send("position startpos\ngo\n", deadline)?;
        while !engine.receive(deadline, &never)?.starts_with("bestmove ") {}
    }
    engine.shut_down("quit\n", PATIENCE).map(drop).ok_or_else(|| "the engine did not quit".into())
}

fn hold(spawner: &Spawner, spec: &ChildSpec) -> Result<(), Box<dyn Error>> {
    let mut engine = spawner.spawn(spec)?;
    let never = AtomicBool::new(false);
    loop {
        println!("{}", engine.receive(Instant::now() + PATIENCE, &never)?);
    }
}

/// How many open descriptors and how many children, zombies included, this process has.
fn traces() -> Result<(usize, usize), Box<dyn Error>> {
    let mut children = 0;
    for task in std::fs::read_dir("/proc/self/task")? {
        children += std::fs::read_to_string(task?.path().join("children"))?.split_ascii_whitespace().count();
    }
    Ok((std::fs::read_dir("/proc/self/fd")?.count(), children))
}
