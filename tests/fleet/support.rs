//! Shared parts of the fleet tests: separate NATS servers, workers, and runs that can be compared.

#[path = "../end_to_end/support.rs"]
#[expect(dead_code, reason = "the other end-to-end tests need more of it")]
mod end_to_end;

pub(crate) use end_to_end::{Sandbox, example};
use play::child::ReservedPort;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A match that is long enough to be disturbed.
pub(crate) const MATCH: &str = r#"
name = "m"
[match]
pairs = 600
[openings]
plies = "2..6"
[each]
table = "64 KiB"
evaluation = "material"
[[entrant]]
name = "more"
limit = "200 nodes"
[[entrant]]
name = "less"
limit = "100 nodes"
"#;

/// Only a hang takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

/// Waits until a condition holds.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "still not so: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// A process that is killed when it is dropped.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().expect("it starts"))
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("a process");
    }

    /// Kills the process at once, as a power cut would.
    pub(crate) fn kill(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }

    /// Sends SIGTERM, as a launcher does that wants its machine back.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        self.signal(Signal::TERM);
        self.0.wait().expect("it ends").code()
    }

    /// The processor time that the process has used, to 10 ms.
    pub(crate) fn used(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).expect("a process");
        // User and system time come 12th and 13th after the name, in hundredths of a second.
        let (_, fields) = stat.rsplit_once(')').expect("a name");
        let ticks = fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().expect("a number"));
        Duration::from_millis(10 * ticks.sum::<u64>())
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.0.try_wait().expect("a process").is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A NATS server with a separate folder, which survives restarts.
pub(crate) struct Server {
    process: Option<Running>,
    configuration: PathBuf,
    log: PathBuf,
    /// The prefix of its command line.
    before: Vec<String>,
    pub(crate) port: ReservedPort,
}

impl Server {
    /// Starts a server without authentication.
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        let port = configure(sandbox, "");
        Self::of(sandbox, "nats.conf", port)
    }

    /// Starts a server with a configuration of a sandbox.
    pub(crate) fn of(sandbox: &Sandbox, configuration: &str, port: ReservedPort) -> Self {
        Self::inside(sandbox, Vec::new(), configuration, port)
    }

    /// Starts a server with this prefix of the command line, such as `nsenter`.
    pub(crate) fn inside(sandbox: &Sandbox, before: Vec<String>, configuration: &str, port: ReservedPort) -> Self {
        let (configuration, log) = (sandbox.path(configuration), sandbox.path("nats.log"));
        let mut server = Self { process: None, configuration, log, before, port };
        server.start();
        server
    }

    pub(crate) fn start(&mut self) {
        let mut words =
            self.before.iter().map(OsString::from).chain([program().expect("the test is ignored without it").into()]);
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words).arg("-c").arg(&self.configuration).args(["-a", "127.0.0.1"]).arg("-l").arg(&self.log);
        self.process = Some(Running::start(command.stdout(Stdio::null()).stderr(Stdio::null())));
        let port = self.port.number();
        wait_until("the server listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
    }

    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    /// Makes the server reload its configuration.
    pub(crate) fn reads_again(&self) {
        let process = self.process.as_ref().expect("it runs");
        kill_process(Pid::from_child(&process.0), Signal::HUP).expect("a process");
    }

    /// The processor time that the server has used, while it lives.
    pub(crate) fn used(&self) -> Duration {
        self.process.as_ref().map_or(Duration::ZERO, Running::used)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port.number())
    }
}

/// Writes `nats.conf` for a server without authentication that stores its data in `jetstream`, with more settings of
/// that. Returns the port.
pub(crate) fn configure(sandbox: &Sandbox, more: &str) -> ReservedPort {
    let port = ReservedPort::new().expect("a port");
    configure_at(sandbox, port.number(), more);
    port
}

/// Writes the same file for this port, which must be free.
pub(crate) fn configure_at(sandbox: &Sandbox, port: u16, more: &str) {
    let store = sandbox.path("jetstream").display().to_string();
    sandbox.write("nats.conf", &format!("port: {port}\njetstream {{ store_dir: {store:?}, {more} }}\n"));
}

/// The server's program, if it is installed.
pub(crate) fn program() -> Option<PathBuf> {
    fleet::server_program().ok()
}

/// A worker's command line.
pub(crate) fn worker(sandbox: &Sandbox, url: &str, name: &str, cores: usize) -> Command {
    let (cores, cache) = (cores.to_string(), sandbox.path("cache").display().to_string());
    let mut command = sandbox.command(&["worker", "--nats", url, "--name", name, "--cores", &cores, "--cache", &cache]);
    command.stderr(log(sandbox, name));
    command
}

/// The file for the output of a test's process.
pub(crate) fn log(sandbox: &Sandbox, name: &str) -> std::fs::File {
    let path = sandbox.path(format!("{name}.log"));
    std::fs::File::options().create(true).append(true).open(path).expect("a writable folder")
}

/// The output of a process so far.
pub(crate) fn output_of(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path(format!("{name}.log"))).unwrap_or_default()
}

/// Starts this many workers with a core each.
pub(crate) fn workers(sandbox: &Sandbox, url: &str, number: usize) -> Vec<Running> {
    let start = |number: usize| Running::start(&mut worker(sandbox, url, &format!("w{number}"), 1));
    (1..=number).map(start).collect()
}

/// The export of a run.
pub(crate) fn export(sandbox: &Sandbox, run: &str) -> String {
    sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout
}

/// The export of [`MATCH`] played by one process, made once for all tests.
pub(crate) fn expected_match() -> &'static str {
    static PLAYED: OnceLock<String> = OnceLock::new();
    PLAYED.get_or_init(|| expected(&Sandbox::with("m.toml", MATCH)))
}

/// The export of the run of `m.toml` played by one process.
pub(crate) fn expected(sandbox: &Sandbox) -> String {
    let _played = sandbox.spar(&["--runs", "here", "match", "m.toml"]).exits(0);
    export(sandbox, "here/match-m-1")
}

/// Starts a coordinator.
pub(crate) fn coordinator(sandbox: &Sandbox, words: &[&str], url: &str) -> Running {
    let mut command = sandbox.command(words);
    command.args(["--fleet", url]).stdout(Stdio::null()).stderr(log(sandbox, "session"));
    Running::start(&mut command)
}

/// The number of pairs in a run's journal.
pub(crate) fn pairs(sandbox: &Sandbox) -> u64 {
    let path = sandbox.path("runs/match-m-1/journal.sqlite");
    let Ok(journal) = rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE) else {
        return 0;
    };
    journal.query_row("SELECT count(*) FROM pair", [], |row| row.get::<_, i64>(0)).unwrap_or(0).unsigned_abs()
}

pub(crate) fn wait_for_pairs(sandbox: &Sandbox, least: u64) {
    wait_while_it_plays(sandbox, || pairs(sandbox) >= least);
}

/// Waits until a condition holds, while the coordinator's number of pairs changes: a busy machine is slow, but only a
/// hang leaves it unchanged for minutes.
fn wait_while_it_plays(sandbox: &Sandbox, mut is_so: impl FnMut() -> bool) {
    // The number of pairs, and the number of starved ones.
    let played = |text: &str| {
        text.lines().rev().find_map(|line| {
            let (pairs, rest) = line.split_once(" pairs ")?;
            Some((pairs.to_owned(), rest.rsplit("  ").next().unwrap_or_default().to_owned()))
        })
    };
    let (mut last, mut changed) = (None, Instant::now());
    while !is_so() {
        let output = output_of(sandbox, "session");
        let now = (output.lines().filter(|line| line.starts_with("warning")).count(), played(&output));
        if last.as_ref() != Some(&now) {
            (last, changed) = (Some(now), Instant::now());
        }
        assert!(changed.elapsed() < PATIENCE, "no pair for minutes: {output}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// Waits for a coordinator to end, and checks that it succeeds.
pub(crate) fn ends_well(sandbox: &Sandbox, session: &mut Running) {
    wait_while_it_plays(sandbox, || session.is_over());
    let code = session.0.wait().expect("it has ended").code();
    assert_eq!(code, Some(0), "{}", output_of(sandbox, "session"));
}

/// Checks that a run's export is as expected, and shows only the differences: the whole would fill pages.
pub(crate) fn comes_out_as(sandbox: &Sandbox, run: &str, expected: &str) {
    let found = export(sandbox, run);
    for (line, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        assert_eq!(found, expected, "line {line}");
    }
    assert_eq!(found.len(), expected.len(), "{} lines and {}", found.lines().count(), expected.lines().count());
}

/// Starts a server with keys for these workers (`east,west`), and writes the keys to the folder `keys`.
pub(crate) fn locked(sandbox: &Sandbox, workers: &str, tls: bool) -> Server {
    let port = ReservedPort::new().expect("a port");
    let port_text = port.number().to_string();
    let mut words = vec!["fleet", "keys", "keys", "--port", &port_text, "--workers", workers];
    if !tls {
        words.push("--no-tls");
    }
    let _files = sandbox.spar(&words).exits(0);
    Server::of(sandbox, "keys/nats.conf", port)
}

/// The file of a member's credentials.
pub(crate) fn creds(sandbox: &Sandbox, name: &str) -> String {
    sandbox.path(format!("keys/{name}.creds")).display().to_string()
}

/// The number of a run's pairs that a worker has played.
pub(crate) fn played_by(sandbox: &Sandbox, worker: &str) -> u64 {
    let path = sandbox.path("runs/match-m-1/journal.sqlite");
    let count = |journal: rusqlite::Connection| {
        journal.query_row("SELECT count(*) FROM worker WHERE name = ?1", [worker], |row| row.get::<_, i64>(0))
    };
    // Before the first pair there is no such table, or no file, and the test must not create the file.
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    rusqlite::Connection::open_with_flags(path, flags).and_then(count).unwrap_or(0).unsigned_abs()
}
