//! What the tests of fleets share: a NATS server of their own, workers, and runs that can be compared.

#[path = "../end_to_end/support.rs"]
#[expect(dead_code, reason = "the other end-to-end tests need more of it")]
mod end_to_end;

pub(crate) use end_to_end::{Sandbox, example};
use rustix::process::{Pid, Signal, kill_process};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "still not so: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// A process that is killed when it is dropped.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().expect("it starts"))
    }

    /// At once, as a power cut would.
    pub(crate) fn kill(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }

    /// As a launcher does that wants its machine back.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.0), Signal::TERM).expect("a process");
        self.0.wait().expect("it ends").code()
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

/// A NATS server with a folder of its own, which outlives its deaths.
pub(crate) struct Server {
    process: Option<Running>,
    configuration: PathBuf,
    log: PathBuf,
    pub(crate) port: u16,
}

impl Server {
    /// One that lets everybody in.
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        let port = free_port();
        let store = sandbox.path("jetstream");
        sandbox.write("nats.conf", &format!("port: {port}\njetstream {{ store_dir: {:?} }}\n", store.display()));
        Self::of(sandbox, "nats.conf", port)
    }

    /// One with a configuration of a sandbox.
    pub(crate) fn of(sandbox: &Sandbox, configuration: &str, port: u16) -> Self {
        let (configuration, log) = (sandbox.path(configuration), sandbox.path("nats.log"));
        let mut server = Self { process: None, configuration, log, port };
        server.start();
        server
    }

    pub(crate) fn start(&mut self) {
        let mut command = Command::new(program());
        command.arg("-c").arg(&self.configuration).args(["-a", "127.0.0.1"]).arg("-l").arg(&self.log);
        self.process = Some(Running::start(command.stdout(Stdio::null()).stderr(Stdio::null())));
        let port = self.port;
        wait_until("the server listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
    }

    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

fn program() -> PathBuf {
    let places = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin"];
    let places = places.map(|place| Path::new(place).join("nats-server"));
    places.into_iter().find(|place| place.is_file()).expect("Debian's nats-server is installed")
}

/// A worker's command line.
pub(crate) fn worker(sandbox: &Sandbox, url: &str, name: &str, cores: usize) -> Command {
    let (cores, cache) = (cores.to_string(), sandbox.path("cache").display().to_string());
    let mut command = sandbox.command(&["worker", "--nats", url, "--name", name, "--cores", &cores, "--cache", &cache]);
    command.stderr(log(sandbox, name));
    command
}

/// Where a process of a test writes what it says.
pub(crate) fn log(sandbox: &Sandbox, name: &str) -> std::fs::File {
    let path = sandbox.path(format!("{name}.log"));
    std::fs::File::options().create(true).append(true).open(path).expect("a writable folder")
}

/// What a process said until now.
pub(crate) fn said(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path(format!("{name}.log"))).unwrap_or_default()
}

/// So many workers with a core each.
pub(crate) fn workers(sandbox: &Sandbox, url: &str, number: usize) -> Vec<Running> {
    let start = |number: usize| Running::start(&mut worker(sandbox, url, &format!("w{number}"), 1));
    (1..=number).map(start).collect()
}

/// What a run exports.
pub(crate) fn export(sandbox: &Sandbox, run: &str) -> String {
    sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout
}
