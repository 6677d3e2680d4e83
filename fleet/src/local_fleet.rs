//! A whole fleet on one machine, to try it out: a server, its keys, and workers. All of them end with the process that
//! started them, however that process ends.

use crate::error::FleetError;
use crate::keys::{Keys, make};
use crate::names::WorkerName;
use play::child::{Child, ChildSpec, Launcher, ReservedPort, Spawner};
use rustix::process::{Pid, Signal, kill_process};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The server's deadline to start.
const START: Duration = Duration::from_mins(1);

/// How long workers may take to exit after a request.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);

/// A NATS server of our own. It ends when this is dropped.
pub struct Server {
    child: Option<Child>,
    port: ReservedPort,
}

impl Server {
    /// Starts `nats-server` with a configuration, which names the port, and waits until it listens.
    ///
    /// # Errors
    /// [`FleetError`] if there is no such program, or it does not start.
    pub fn start(spawner: &Spawner, configuration: &Path, port: ReservedPort, log: &Path) -> Result<Self, FleetError> {
        let words = ["-c".into(), text(configuration), "-a".into(), "127.0.0.1".into(), "-l".into(), text(log)];
        let child = spawn(spawner, &server_program()?, words.to_vec())?;
        wait(&child, port.number(), log)?;
        Ok(Self { child: Some(child), port })
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port.number()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(self.child.take());
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn spawn(spawner: &Spawner, program: &Path, arguments: Vec<String>) -> Result<Child, FleetError> {
    let spec = ChildSpec { arguments, ..ChildSpec::new(program) };
    spawner.spawn(&spec).map_err(|error| FleetError::Missing(error.to_string()))
}

/// Waits until a server listens.
fn wait(server: &Child, port: u16, log: &Path) -> Result<(), FleetError> {
    let until = Instant::now() + START;
    while Instant::now() < until {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        if !server.is_alive() {
            let output = std::fs::read_to_string(log).unwrap_or_default();
            let last = output.lines().last().unwrap_or("nothing").to_owned();
            return Err(FleetError::Missing(format!("nats-server has ended; its last line: {last}")));
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    Err(FleetError::Missing(format!("nats-server does not listen on port {port}")))
}

/// Asks all processes to exit; kills those that do not exit in time.
fn end(children: impl IntoIterator<Item = Child>) {
    let children: Vec<Child> = children.into_iter().collect();
    for child in &children {
        let asked = i32::try_from(child.pid()).ok().and_then(Pid::from_raw);
        let _gone = asked.map(|process| kill_process(process, Signal::TERM));
    }
    let until = Instant::now() + QUIT_TIMEOUT;
    for mut child in children {
        let _ended_or_is_killed_when_dropped = child.wait_for_exit(until);
    }
}

/// Finds the server's program, in `PATH` and where systems keep servers.
///
/// # Errors
/// [`FleetError`] if it is not installed.
pub fn server_program() -> Result<PathBuf, FleetError> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&paths).chain(["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map(PathBuf::from));
    let mut places = folders.map(|folder| folder.join("nats-server"));
    places.find(|place| place.is_file()).ok_or_else(|| {
        FleetError::Missing(
            "there is no nats-server in PATH: `apt install nats-server`, or \
                https://github.com/nats-io/nats-server/releases"
                .to_owned(),
        )
    })
}

/// A fleet on this machine.
pub struct LocalFleet {
    workers: Vec<Child>,
    server: Option<Server>,
    spawner: Spawner,
    folder: TempDir,
    /// The server's address.
    pub url: String,
}

impl LocalFleet {
    /// Starts a server with its own keys and `workers` workers, each with `cores` cores.
    ///
    /// # Errors
    /// [`FleetError`] if one of them does not start.
    pub fn start(workers: usize, cores: usize) -> Result<Self, FleetError> {
        let folder = TempDir::new().map_err(|cause| FleetError::io("cannot make a folder for a while", cause))?;
        let port = ReservedPort::new().map_err(|cause| FleetError::io("cannot reserve a port", cause))?;
        let named = |number: usize| format!("worker-{number}").parse::<WorkerName>();
        let names = (1..=workers).map(named).collect::<Result<Vec<_>, _>>().map_err(FleetError::Missing)?;
        let (path, workers) = (folder.path().to_owned(), names.clone());
        make(&Keys { folder: path, hosts: Vec::new(), port: Some(port.number()), tls: true, workers })?;
        let spawner = Spawner::start(Some(Launcher::this_program()));
        let spawner = spawner.map_err(|cause| FleetError::io("cannot watch over processes", cause))?;
        let server = Server::start(&spawner, &folder.path().join("nats.conf"), port, &folder.path().join("nats.log"))?;
        let url = format!("tls://localhost:{}", server.port());
        let mut up = Self { workers: Vec::new(), server: Some(server), spawner, folder, url };
        for name in &names {
            let worker = up.worker(name, cores)?;
            up.workers.push(worker);
        }
        Ok(up)
    }

    fn worker(&self, name: &WorkerName, cores: usize) -> Result<Child, FleetError> {
        let program = std::env::current_exe().map_err(|cause| FleetError::io("cannot find this program", cause))?;
        let path = |name: &str| text(&self.folder.path().join(name));
        let (creds, cache, cores) = (path(&format!("{name}.creds")), path("cache"), cores.to_string());
        let words = ["worker", "--nats", &self.url, "--creds", &creds, "--cores", &cores, "--cache", &cache];
        spawn(&self.spawner, &program, words.map(str::to_owned).to_vec())
    }

    /// Returns the coordinators' credentials file.
    pub fn coordinator(&self) -> PathBuf {
        self.folder.path().join("coordinator.creds")
    }
}

impl Drop for LocalFleet {
    fn drop(&mut self) {
        end(std::mem::take(&mut self.workers));
        self.server = None;
    }
}
