//! What the runner costs beside its engines: a match through the arena against a bare loop that sends the same positions to
//! the same engine and reads its answers. Wall time, and the processor time of this process alone.
//!
//! Needs the example engine: `cargo build --release --examples`, then `cargo bench --bench runner`.

use arena::config::{Job, Loaded, Schedule};
use arena::run::{
    Control, Executables, Finish, Journal, Local, Match, Processes, RunFolder, StoredResult, drive, run_header,
};
use play::Game;
use play::child::Spawner;
use play::games::{Chess, GameKind};
use session::plan::load;
use std::io::{BufRead, BufReader, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PAIRS: u64 = 500;
const ROUNDS: usize = 3;

fn main() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/examples/random_mover");
    if !engine.exists() {
        println!("{} is missing: cargo build --release --examples", engine.display());
        return;
    }
    println!("{} games of an instant random mover, at most 60 moves, one at a time", 2 * PAIRS);
    println!("{:>8}{:>12}{:>14}{:>14}{:>14}", "", "games/s", "ms/game", "own CPU/game", "own CPU/ply");
    for _ in 0..ROUNDS {
        let folder = TempDir::new().expect("a folder");
        let (arena, journal) = measured(|| play(&engine, &folder));
        let games = games(&journal);
        let plies: usize = games.iter().map(|game| game.len() - 1).sum();
        let (bare, ()) = measured(|| ping_pong(&engine, &games));
        print(&arena, "arena", games.len(), plies);
        print(&bare, "bare", games.len(), plies);
        let ratio = |of: fn(&Cost) -> Duration| of(&arena).as_secs_f64() / of(&bare).as_secs_f64();
        println!("{:>8} wall {:.2}, CPU {:.2}", "ratio", ratio(|cost| cost.wall), ratio(|cost| cost.cpu));
    }
}

/// What something took.
struct Cost {
    wall: Duration,
    /// Of this process, not of its children.
    cpu: Duration,
}

fn measured<T>(work: impl FnOnce() -> T) -> (Cost, T) {
    let (started, before) = (Instant::now(), own_cpu());
    let made = work();
    (Cost { wall: started.elapsed(), cpu: own_cpu().saturating_sub(before) }, made)
}

/// Processor time of all threads of this process, living and dead, in ticks of 10 ms.
fn own_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit_once(") ").expect("a name").1.split(' ').collect();
    let ticks: u64 = [fields[11], fields[12]].iter().map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(10 * ticks)
}

fn print(cost: &Cost, name: &str, games: usize, plies: usize) {
    let each = |time: Duration, count: usize| time.as_secs_f64() / count as f64;
    println!(
        "{name:>8}{:>12.0}{:>14.2}{:>11.2} ms{:>11.1} us",
        games as f64 / cost.wall.as_secs_f64(),
        1e3 * each(cost.wall, games),
        1e3 * each(cost.cpu, games),
        1e6 * each(cost.cpu, plies),
    );
}

fn config(engine: &Path) -> Loaded {
    let text = format!(
        "game = 'chess'\n[match]\npairs = {PAIRS}\n[adjudication]\nmax_moves = 60\n[each]\ncmd = '{}'\nlimit = '1 nodes'\n\
         [[entrant]]\nname = 'a'\n[[entrant]]\nname = 'b'\n",
        engine.display()
    );
    load(&text, "bench", "bench", &[], Job::Match).expect("valid")
}

/// The whole match: proposals, processes, rules, records, journal.
fn play(engine: &Path, folder: &TempDir) -> Journal {
    let Loaded { run, openings, text, .. } = config(engine);
    let executables = Executables::of(&run, Path::new("/")).expect("the engine");
    let header = run_header(&run, &executables);
    let (_folder, mut journal) = RunFolder::create(folder.path(), "bench", &text, &header).expect("a folder");
    let spawner = Spawner::start(None).expect("a thread");
    let processes = Processes { spawner, programs: Arc::new(executables), cpus: Vec::new(), trace: None };
    let mut executor = Local::start(NonZeroUsize::MIN, Some(&processes)).expect("a worker");
    let mut experiment = Match::new(NonZeroU64::new(PAIRS).expect("not 0"), Schedule::Gauntlet, 2);
    let control = Control::new();
    let finish = drive(&run, &openings, &mut experiment, &mut journal, &mut executor, &control, &mut |_| ());
    assert!(matches!(finish, Ok(Finish::Verdict(_))), "{finish:?}");
    journal
}

/// What was asked in each game: the commands of all its plies.
fn games(journal: &Journal) -> Vec<Vec<String>> {
    let mut games = Vec::new();
    let read = journal.results::<arena::run::JournalError>(0..PAIRS, |stored| {
        games.extend([0, 1].map(|game| commands(&stored, game)));
        Ok(())
    });
    read.expect("a journal");
    games
}

fn commands(stored: &StoredResult, game: usize) -> Vec<String> {
    let chess = Chess::of(GameKind::Chess).expect("chess");
    let mut position = chess.start();
    let mut line = "position startpos moves".to_owned();
    let mut commands = vec!["ucinewgame\nisready\n".to_owned()];
    let opening = stored.result.opening.len();
    for (ply, &code) in stored.result.opening.iter().chain(&stored.result.games[game].moves).enumerate() {
        if ply >= opening {
            commands.push(format!("{line}\ngo nodes 1\n"));
        }
        let mv = Chess::from_code(&position, code).expect("a move");
        line.push(' ');
        Chess::write_move(&position, mv, &mut line);
        Chess::play(&mut position, mv);
    }
    commands
}

/// The floor: two engines, asked in turn.
fn ping_pong(engine: &Path, games: &[Vec<String>]) {
    let mut engines = [Bare::start(engine), Bare::start(engine)];
    for game in games {
        for engine in &mut engines {
            engine.ask(&game[0], "readyok");
        }
        for (ply, command) in game[1..].iter().enumerate() {
            engines[ply % 2].ask(command, "bestmove");
        }
    }
}

struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Bare {
    fn start(engine: &Path) -> Self {
        let mut child =
            Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut bare = Self { child, input, output, line: String::new() };
        bare.ask("uci\n", "uciok");
        bare
    }

    fn ask(&mut self, command: &str, answer: &str) {
        self.input.write_all(command.as_bytes()).expect("it listens");
        loop {
            self.line.clear();
            let read = self.output.read_line(&mut self.line).expect("it answers");
            assert!(read > 0, "it ended");
            if self.line.starts_with(answer) {
                return;
            }
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
