//! Shared parts of the end-to-end tests: a separate folder for each test, in which the built binary runs.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The timeout of a command: only one that hangs takes this long.
const LONGEST: Duration = Duration::from_mins(10);

/// The environment variable that marks the processes started from a sandbox.
const MARK: &str = "SPAR_SANDBOX";

/// The engine against random moves, as a test that ends soon.
pub(crate) const SPRT: &str = r#"
name = "t"
[sprt]
elo0 = 0
elo1 = 100
[[entrant]]
name = "engine"
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "random"
player = "random"
"#;

/// A match of fitted tables against material, with the example engine in place of `ENGINE`.
pub(crate) const FITTED_MATCH: &str = r#"
name = "m"
game = "chess"
[match]
pairs = 40
[openings]
plies = "8..9"
[adjudication]
max_moves = 150
resign = { moves = 3, score = 1500 }
[each]
cmd = "ENGINE"
limit = "1000 nodes"
[[entrant]]
name = "fitted"
options = { Tables = "fits/proof/lbfgs/weights.toml" }
[[entrant]]
name = "material"
"#;

/// The engine against itself, to make positions.
pub(crate) const SELFPLAY: &str = r#"
name = "s"
[selfplay]
games = 24
[openings]
plies = "2..6"
[each]
limit = "60 nodes"
table = "64 KiB"
[[entrant]]
name = "a"
"#;

/// A separate folder with configurations and runs.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// An engine with two moves.
const SCRIPT: &str = r#"#!/bin/sh
while read -r line; do
    case "$line" in
        uci) echo "id name two moves"; echo "option name Hash type spin default 16 min 1 max 64"; echo uciok;;
        isready) echo readyok;;
        position*moves*) move=LATER;;
        position*) move=FIRST;;
        go*) echo "info depth 1 score cp 20 nodes 7"; echo "bestmove $move";;
        quit) exit;;
    esac
done
"#;

/// An engine that reads its moves from its arguments, such as `g1f3,20`, one per ply.
const READER: &str = r#"#!/bin/sh
game="$*"
while read -r line; do
    case "$line" in
        uci) echo "option name Press Me type button"; echo uciok;;
        isready) echo readyok;;
        position*)
            ply=1; played=${line#*moves }
            [ "$played" = "$line" ] || for move in $played; do ply=$((ply + 1)); done;;
        go*)
            at=0
            for word in $game; do at=$((at + 1)); [ $at = $ply ] && break; done
            echo "info depth 1 score cp ${word#*,} pv ${word%,*}"; echo "bestmove ${word%,*}";;
        quit) exit;;
    esac
done
"#;

/// The output of a command, and how it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Outcome {
    /// The reasons in fastchess's format for the ends of games, one per game.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        let finished = self.stdout.lines().filter(|line| line.starts_with("Finished game "));
        finished.filter_map(|line| line.split_once('{')?.1.strip_suffix('}')).collect()
    }

    /// The reasons of games that were all lost on time, and the overrun of each in milliseconds.
    pub(crate) fn losses_on_time(&self) -> (Vec<&str>, Vec<u64>) {
        let mut found = (Vec::new(), Vec::new());
        for reason in self.reasons() {
            let split = reason.strip_suffix("ms overrun)").and_then(|reason| reason.split_once(" ("));
            let (reason, overrun) = split.unwrap_or_else(|| panic!("{reason}: {self:?}"));
            found.0.push(reason);
            found.1.push(overrun.parse().unwrap_or_else(|_| panic!("{overrun}: {self:?}")));
        }
        found
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks the exit code.
    #[must_use]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

impl Sandbox {
    /// Makes an empty sandbox.
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    /// Makes a sandbox with this file.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write(name, text);
        sandbox
    }

    /// A path in the sandbox.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file into the sandbox.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a writable folder");
    }

    /// Writes a program that speaks UCI and knows two moves: one for the given position, one for all later ones.
    pub(crate) fn write_engine(&self, name: &str, first: &str, later: &str) {
        self.write_program(name, &SCRIPT.replace("FIRST", first).replace("LATER", later));
    }

    /// Writes a program that speaks UCI and plays both sides of the game in its arguments, each a move and a score.
    pub(crate) fn write_reader(&self, name: &str) {
        self.write_program(name, READER);
    }

    /// Writes a program.
    pub(crate) fn write_program(&self, name: &str, script: &str) {
        self.write(name, script);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(name), mode).expect("a file of ours");
    }

    /// A `spar` command with these arguments, in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spar"));
        command.args(arguments).current_dir(self.folder.path()).env_remove("SPAR_RUNS").env("NO_COLOR", "1");
        command.env(MARK, self.folder.path());
        command
    }

    /// The live processes that were started from this folder, including engines and everything that they started, by
    /// their command lines.
    pub(crate) fn processes(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.folder.path().display());
        let is_ours = |folder: &Path| {
            let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let folders = Path::new("/proc").read_dir().expect("a list of processes").flatten().map(|entry| entry.path());
        let command = |folder: PathBuf| std::fs::read_to_string(folder.join("cmdline")).unwrap_or_default();
        folders.filter(|folder| is_ours(folder)).map(command).collect()
    }

    /// Checks that all processes started from this folder end soon.
    pub(crate) fn is_deserted(&self) {
        let deadline = Instant::now() + Duration::from_mins(10);
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "left behind: {left:?}");
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    /// Runs `spar` to its end.
    pub(crate) fn spar(&self, arguments: &[&str]) -> Outcome {
        wait(self.start(arguments))
    }

    /// Runs `spar fastchess` with the words of a line to its end.
    pub(crate) fn fastchess(&self, line: &str) -> Outcome {
        self.spar(&std::iter::once("fastchess").chain(line.split_whitespace()).collect::<Vec<_>>())
    }

    /// The text of a file in the sandbox.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Starts `spar` in the background.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("spar starts")
    }

    /// Starts a command that would work for hours, interrupts it as soon as a file is there, and waits for its end in
    /// order.
    pub(crate) fn interrupt(&self, arguments: &[&str], file: &str) -> Outcome {
        let child = self.start(arguments);
        wait_until(file, || self.path(file).exists());
        signal(&child, "INT");
        wait(child).exits(130)
    }

    /// Waits until a run's journal has at least this many pairs without a gap. A busy machine is slow; only a hang adds
    /// no pair for minutes. The journal is read in this process: a new process would be too late for short runs.
    pub(crate) fn wait_for_pairs(&self, run: &str, pairs: u64) {
        let journal = self.path("runs").join(run).join("journal.sqlite");
        let (mut last, mut grown) = (0, Instant::now());
        while last < pairs {
            let now = gapless(&journal).unwrap_or(0);
            if now > last {
                (last, grown) = (now, Instant::now());
            }
            assert!(grown.elapsed() < Duration::from_mins(10), "{run} stays at {last} of {pairs} pairs");
            std::thread::park_timeout(Duration::from_millis(4));
        }
    }
}

/// A pseudo-terminal, from the reader's side.
pub(crate) struct Terminal {
    ours: File,
    /// The other side, until a process takes it.
    theirs: Option<OwnedFd>,
}

impl Terminal {
    /// Opens a pseudo-terminal.
    pub(crate) fn open() -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags).expect("a terminal");
        grantpt(&ours).expect("a terminal of ours");
        unlockpt(&ours).expect("a terminal of ours");
        let theirs = Some(ioctl_tiocgptpeer(&ours, flags).expect("its other side"));
        Self { ours: File::from(ours), theirs }
    }

    /// Resizes the terminal.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let mut stty = Command::new("stty");
        stty.args(["cols", &columns.to_string(), "rows", &rows.to_string()]);
        let status = stty.stdin(self.ours.try_clone().expect("a descriptor")).status();
        assert!(status.expect("stty starts").success());
    }

    /// Starts a command with its standard error in the terminal, which ends with the process.
    pub(crate) fn start(&mut self, command: &mut Command) -> Child {
        command.stderr(self.theirs.take().expect("one process"));
        let child = command.spawn().expect("it starts");
        // Closes the copy of the other side, so that reading ends with the child.
        command.stderr(Stdio::null());
        child
    }

    /// The next output; `None` at the end, or if there is none before the deadline.
    pub(crate) fn read(&mut self, deadline: Instant) -> Option<String> {
        let mut piece = [0; 8_192];
        while Instant::now() < deadline {
            let second = Timespec { tv_sec: 1, tv_nsec: 0 };
            if poll(&mut [PollFd::new(&self.ours, PollFlags::IN)], Some(&second)).expect("a wait") > 0 {
                let read = self.ours.read(&mut piece).ok().filter(|read| *read > 0)?;
                return Some(String::from_utf8_lossy(&piece[..read]).into_owned());
            }
        }
        None
    }
}

/// The number of pairs at the start of a journal without a gap; an error while the journal is not readable.
fn gapless(journal: &Path) -> rusqlite::Result<u64> {
    let file = rusqlite::Connection::open_with_flags(journal, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut query = file.prepare("SELECT pair FROM pair ORDER BY pair")?;
    let numbers = query.query_map([], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<i64>, _>>()?;
    Ok((0..).zip(numbers).take_while(|(place, number)| place == number).count() as u64)
}

/// Waits for a process started by [`Sandbox::start`].
pub(crate) fn wait(child: Child) -> Outcome {
    let pid = Pid::from_child(&child);
    let (ended, end) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hangs = end.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout);
        // The process has not been waited for, so its id is still valid.
        hangs.then(|| kill_process(pid, Signal::KILL))
    });
    let output = child.wait_with_output().expect("spar ends");
    drop(ended);
    let killed = watch.join().expect("a watch");
    assert!(killed.is_none(), "it did not end within {LONGEST:?}: {output:?}");
    output.into()
}

/// Sends a signal, e.g. `INT`.
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
    assert!(status.expect("kill starts").success());
}

/// One of our examples, built.
#[allow(unused_imports, reason = "not each test needs both")]
pub(crate) use crate::tools::{example, pst_engine};

/// Whether a process with this id exists and is not a zombie.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// Waits until a condition holds.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(10);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Checks all cases at the same time: they wait for engines that do not answer, and should not wait for each other.
pub(crate) fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, look: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        let look = &look;
        for case in cases {
            let _joined_at_the_end = scope.spawn(move || look(case));
        }
    });
}
