//! The overhead of the runner: matches through the arena against a bare loop that sends the same positions to the same
//! engines and reads their answers. Measures wall time and the processor time of this process alone, per ply, with one
//! and two games at a time; then how late 64 concurrent games receive their engines' moves.
//!
//! A case whose name ends in `-bound` gives each game a processor of its own.
//!
//! Needs the example engine: `cargo build --release --examples`, then `cargo bench --bench runner`. Stockfish is
//! measured where it is found. Words after `--` choose cases by a part of their names.

use arena::config::{Job, Schedule};
use arena::run::{
    Control, Driven, Executables, Finish, Journal, Local, Match, Processes, RunFolder, StoredResult, drive, run_header,
};
use plan::{Disk, Loaded, load};
use play::Game;
use play::child::{Affinity, Cpus, LAUNCH, Launcher, SUPERVISE, Spawner, launch, resolve, supervise};
use play::games::{Chess, GameKind};
use rustix::time::{ClockId, clock_gettime};
use std::io::{BufRead, BufReader, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROUNDS: usize = 3;

/// What is played.
struct Case {
    name: &'static str,
    engine: PathBuf,
    args: &'static str,
    /// What engines are sent of a game. The bare loop sends all moves.
    moves: &'static str,
    limit: u64,
    pairs: u64,
    /// Whether each game has a processor of its own.
    is_bound: bool,
}

fn main() {
    // Engines that are bound to processors are started through this program.
    let mut words = std::env::args_os().skip(1);
    match words.next().and_then(|word| word.into_string().ok()).as_deref() {
        Some(LAUNCH) => {
            let _why = launch(words);
            return;
        }
        Some(SUPERVISE) => return supervise(std::io::stdin().lock()).expect("a pipe"),
        _ => {}
    }
    let mover = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/examples/random_mover");
    if !mover.exists() {
        println!("{} is missing: cargo build --release --examples", mover.display());
        return;
    }
    let case =
        |name, engine, limit, pairs| Case { name, engine, args: "", moves: "all", limit, pairs, is_bound: false };
    let mut cases = vec![case("instant", mover.clone(), 1, 500)];
    if let Ok(stockfish) = resolve("stockfish", Path::new("/")) {
        cases.push(case("stockfish-1", stockfish.clone(), 1, 100));
        cases.push(Case { moves: "since-irreversible", ..case("stockfish-1-since", stockfish.clone(), 1, 100) });
        cases.push(Case { is_bound: true, ..case("stockfish-1-bound", stockfish.clone(), 1, 100) });
        cases.push(case("stockfish-1000", stockfish.clone(), 1000, 40));
        cases.push(Case { is_bound: true, ..case("stockfish-1000-bound", stockfish.clone(), 1000, 40) });
        cases.push(Case { moves: "since-irreversible", ..case("stockfish-1000-since", stockfish, 1000, 40) });
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    println!(
        "{:<18}{:>7}{:>8}{:>12}{:>16}{:>16}",
        "at most 60 moves", "games", "plies", "games/s", "wall a ply", "own CPU a ply"
    );
    for case in cases.iter().filter(|case| wanted(case.name)) {
        for at_a_time in [1, 2] {
            for _ in 0..ROUNDS {
                compare(case, at_a_time);
            }
        }
    }
    if wanted("latency") {
        let pairs = 64;
        latency(&Case { args: "'--think', '20'", pairs, ..case("latency", mover, 1, pairs) });
    }
}

/// Plays a case both ways, in turn.
fn compare(case: &Case, at_a_time: usize) {
    let folder = TempDir::new().expect("a folder");
    let (arena, journal) = measured(|| play(case, at_a_time, &folder));
    let games = games(&journal, case);
    let plies: usize = games.iter().map(|game| game.len() - 1).sum();
    let (bare, ()) = measured(|| ping_pong(case, at_a_time, &games));
    for (name, cost) in [("arena", &arena), ("bare", &bare)] {
        let each = |time: Duration, count: usize| 1e6 * time.as_secs_f64() / count as f64;
        println!(
            "{:<18}{:>7}{plies:>8}{:>12.1}{:>13.1} us{:>13.2} us",
            format!("{} x{at_a_time} {name}", case.name),
            games.len(),
            games.len() as f64 / cost.wall.as_secs_f64(),
            each(cost.wall, plies),
            each(cost.cpu, plies),
        );
    }
    let ratio = |of: fn(&Cost) -> Duration| of(&arena).as_secs_f64() / of(&bare).as_secs_f64();
    println!("{:<18}wall {:.3}, CPU {:.2}", "  arena / bare", ratio(|cost| cost.wall), ratio(|cost| cost.cpu));
}

/// How much later than they are made 64 concurrent games receive moves. The engines sleep 20 ms for each.
fn latency(case: &Case) {
    const THINK: Duration = Duration::from_millis(20);
    let folder = TempDir::new().expect("a folder");
    let journal = play(case, 64, &folder);
    let mut late = Vec::new();
    let read = journal.results::<arena::run::JournalError>(0..case.pairs, |stored| {
        let plies = stored.result.games.iter().flat_map(|game| &game.track);
        late.extend(plies.map(|ply| ply.wall.saturating_sub(THINK)));
        Ok(())
    });
    read.expect("a journal");
    late.sort_unstable();
    let at = |share: f64| late[(share * (late.len() - 1) as f64) as usize];
    println!(
        "64 games at a time, engines that sleep 20 ms: {} moves, {:?} median, {:?} p99, {:?} p99.9 beyond these",
        late.len(),
        at(0.5),
        at(0.99),
        at(0.999)
    );
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

/// Processor time of all threads of this process, living and dead.
fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

fn config(case: &Case) -> Loaded {
    let text = format!(
        "game = 'chess'\n[match]\npairs = {}\n[adjudication]\nmax_moves = 60\n[each]\ncmd = '{}'\nargs = [{}]\n\
         moves = '{}'\nlimit = '{} nodes'\n[[entrant]]\nname = 'a'\n[[entrant]]\nname = 'b'\n",
        case.pairs,
        case.engine.display(),
        case.args,
        case.moves,
        case.limit,
    );
    load(&text, "bench", "bench", &[], Job::Match, Disk).expect("valid")
}

/// The whole match: proposals, processes, rules, records, journal.
fn play(case: &Case, at_a_time: usize, folder: &TempDir) -> Journal {
    let Loaded { run, openings, text, .. } = config(case);
    let executables = Executables::of(&run, Path::new("/")).expect("the engine");
    let header = run_header(&run, &executables);
    let (_folder, mut journal) = RunFolder::create(folder.path(), "bench", &text, &header).expect("a folder");
    let spawner = Spawner::start(case.is_bound.then(Launcher::this_program)).expect("a thread");
    let workers = NonZeroUsize::new(at_a_time).expect("not 0");
    let affinity = if case.is_bound { Affinity::Auto } else { Affinity::Off };
    let cpus = affinity.plan(&Cpus::of_this_process().expect("processors"), workers, NonZeroUsize::MIN);
    let cpus = cpus.expect("a processor for each game");
    let processes = Processes { cpus, ..Processes::new(spawner, Arc::new(executables)) };
    let mut executor = Local::start(workers, Some(&processes)).expect("workers");
    let mut experiment = Match::new(NonZeroU64::new(case.pairs).expect("not 0"), Schedule::Gauntlet, 2);
    let control = Control::new();
    let finish = drive(&run, &openings, &mut experiment, &mut journal, &mut executor, &control, &mut |_| ());
    assert!(matches!(finish, Ok(Driven::Finished(Finish::Verdict(_)))), "{finish:?}");
    journal
}

/// What was asked in each game: the commands of all its plies.
fn games(journal: &Journal, case: &Case) -> Vec<Vec<String>> {
    let mut games = Vec::new();
    let read = journal.results::<arena::run::JournalError>(0..case.pairs, |stored| {
        games.extend([0, 1].map(|game| commands(&stored, game, case.limit)));
        Ok(())
    });
    read.expect("a journal");
    games
}

fn commands(stored: &StoredResult, game: usize, limit: u64) -> Vec<String> {
    let chess = Chess::of(GameKind::Chess).expect("chess");
    let mut position = chess.start();
    let mut line = "position startpos moves".to_owned();
    let mut commands = vec!["ucinewgame\nisready\n".to_owned()];
    let opening = stored.result.opening.len();
    for (ply, &code) in stored.result.opening.iter().chain(&stored.result.games[game].moves).enumerate() {
        if ply >= opening {
            commands.push(format!("{line}\ngo nodes {limit}\n"));
        }
        let mv = Chess::from_code(&position, code).expect("a move");
        line.push(' ');
        Chess::write_move(&position, mv, &mut line);
        Chess::play(&mut position, mv);
    }
    commands
}

/// The floor: two engines for each game at a time, asked in turn.
fn ping_pong(case: &Case, at_a_time: usize, games: &[Vec<String>]) {
    std::thread::scope(|scope| {
        for share in games.chunks(games.len().div_ceil(at_a_time)) {
            let _joined_at_the_end = scope.spawn(move || {
                let mut engines = [Bare::start(&case.engine), Bare::start(&case.engine)];
                for game in share {
                    replay(&mut engines, game);
                }
            });
        }
    });
}

fn replay(engines: &mut [Bare; 2], game: &[String]) {
    for engine in engines.iter_mut() {
        engine.ask(&game[0], "readyok");
    }
    for (ply, command) in game[1..].iter().enumerate() {
        engines[ply % 2].ask(command, "bestmove");
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
