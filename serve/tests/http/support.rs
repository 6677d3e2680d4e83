//! Servers with runs, and a client that can also misbehave.

use crate::described;
use serde_json::Value;
use serve::{Leave, Limits, Players, Server, Settings, Stopper, Tokens};
use session::builds::Sources;
use session::{Place, Session, Threads};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A timeout longer than anything takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

/// A timeout longer than the end of a server takes on a busy machine, but shorter than the work of its clients.
pub(crate) const PROMPTLY: Duration = Duration::from_mins(1);

/// The token of servers that start runs, and the header line with it.
pub(crate) const TOKEN: &str = "correct horse battery";
pub(crate) const KNOWN: &str = "Authorization: Bearer correct horse battery\r\n";

pub(crate) const MATCH: &str = r#"
name = "two"
[match]
pairs = 12
[openings]
plies = 2
[[entrant]]
name = "a"
player = "random"
[[entrant]]
name = "b"
player = "random"
"#;

pub(crate) const TEST: &str = r#"
name = "quick"
[sprt]
elo0 = 0
elo1 = 400
[[entrant]]
name = "dev"
limit = "60 nodes"
table = "64 KiB"
[[entrant]]
name = "base"
player = "random"
"#;

/// Returns permission to start runs on two threads.
pub(crate) fn leave() -> Leave {
    leave_with(Sources::at("."))
}

/// Returns the same permission, with engines of these sources.
pub(crate) fn leave_with(sources: Sources) -> Leave {
    let players: Players = Arc::new(|| Box::new(Threads::new()));
    Leave { players, concurrency: NonZeroUsize::new(2), sources, launcher: None }
}

/// Plays a run into a folder, and returns its name.
pub(crate) fn play(text: &str, job: arena::config::Job, runs: &Path) -> String {
    let run = plan::load(text, "a test", "test", &[], job, plan::Disk).expect("a plan");
    let session = Session::create(run, Threads::new(), &Place::at(runs));
    let state = session.wait().expect("an end");
    state.ended[0].path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Returns a folder with a match and a test, played once for all tests.
pub(crate) fn runs() -> &'static Path {
    static RUNS: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        play(MATCH, arena::config::Job::Match, folder.path());
        play(TEST, arena::config::Job::Sprt, folder.path());
        folder
    });
    RUNS.path()
}

/// A server that runs until it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub(crate) fn of(runs: &Path) -> Self {
        Self::with(runs, None, Limits::default())
    }

    pub(crate) fn with(runs: &Path, token: Option<&str>, limits: Limits) -> Self {
        Self::by(Settings { tokens: token.map(Tokens::one), limits, ..Settings::local(runs) })
    }

    /// Starts a server that starts runs for clients with [`TOKEN`].
    pub(crate) fn controlled(runs: &Path) -> Self {
        Self::by(Settings { control: Some(leave()), tokens: Some(Tokens::one(TOKEN)), ..Settings::local(runs) })
    }

    pub(crate) fn by(settings: Settings) -> Self {
        let listen = ([127, 0, 0, 1], 0).into();
        let server = Server::bind(Settings { listen, ..settings }).expect("a server");
        let (address, stopper) = (server.address(), server.stopper());
        let thread = std::thread::spawn(move || server.run(|| ()).expect("it serves"));
        Self { address, stopper, thread: Some(thread) }
    }

    /// Stops the server, and returns how long that took.
    pub(crate) fn stop(mut self) -> Duration {
        let started = Instant::now();
        self.end();
        started.elapsed()
    }

    fn end(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends in order");
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a deadline");
        stream
    }

    /// Returns a connection that buffers little unread data.
    pub(crate) fn connect_narrowly(&self) -> TcpStream {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
        socket.set_recv_buffer_size(4096).expect("a small buffer");
        socket.connect(&self.address.into()).expect("a connection");
        socket.set_read_timeout(Some(PATIENCE)).expect("a deadline");
        socket.into()
    }

    /// Sends raw bytes, and reads the answer.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses may close the connection before everything is sent.
        let _refused = stream.write_all(request);
        let answer = Answer::read(&mut BufReader::new(stream));
        described::check(request, &answer);
        answer
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_with(path, "")
    }

    /// Gets a path. `more`: header lines, each with its line end.
    pub(crate) fn get_with(&self, path: &str, more: &str) -> Answer {
        self.raw(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{more}\r\n").as_bytes())
    }

    /// Sends JSON, with the token.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_with(path, &body.to_string(), KNOWN)
    }

    /// Posts a body. `more`: header lines, each with its line end.
    pub(crate) fn post_with(&self, path: &str, body: &str, more: &str) -> Answer {
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{more}");
        let json = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        self.raw((head + &json).as_bytes())
    }

    /// Waits until the JSON at a path satisfies a condition, and returns it.
    pub(crate) fn wait_for(&self, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        self.wait_with(path, KNOWN, is_so)
    }

    /// Does the same as the user whose token is `the token of NAME`.
    pub(crate) fn wait_as(&self, name: &str, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        self.wait_with(path, &format!("Authorization: Bearer the token of {name}\r\n"), is_so)
    }

    fn wait_with(&self, path: &str, head: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.get_with(path, head);
            if answer.status == 200 && is_so(&answer.json()) {
                return answer.json();
            }
            // The queue often shows why.
            let queue = || self.get_with("/api/control", KNOWN).text();
            assert!(Instant::now() < deadline, "{path}: {} {}; {}", answer.status, answer.text(), queue());
            std::thread::yield_now();
        }
    }

    /// Waits until all runs have been read, and returns them.
    pub(crate) fn all_read(&self, count: usize) -> Value {
        let is_read = |all: &Value| {
            let runs = all["runs"].as_array().expect("runs");
            runs.len() == count && runs.iter().all(|run| run["state"] != "reading")
        };
        self.wait_for("/api/runs", is_read)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

/// An answer. The status is 0 if the connection was closed without one.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Reads the head, and the body until the connection is closed or the announced length is reached.
    fn read(stream: &mut impl BufRead) -> Self {
        let Some(mut answer) = Self::head(stream) else { return Self::default() };
        match answer.headers.get("content-length").and_then(|length| length.parse().ok()) {
            Some(length) => {
                answer.body.resize(length, 0);
                stream.read_exact(&mut answer.body).expect("the whole body");
            }
            None if answer.headers.contains_key("transfer-encoding") => answer.body = chunks(stream),
            None => drop(stream.read_to_end(&mut answer.body)),
        }
        answer
    }

    pub(crate) fn head(stream: &mut impl BufRead) -> Option<Self> {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = BTreeMap::new();
        loop {
            line.clear();
            stream.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        Some(Self { status, headers, body: Vec::new() })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }
}

fn chunks(stream: &mut impl BufRead) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a length");
        let Ok(length) = usize::from_str_radix(line.trim(), 16) else { break };
        let mut chunk = vec![0; length + 2];
        stream.read_exact(&mut chunk).expect("a chunk");
        body.extend_from_slice(&chunk[..length]);
        if length == 0 {
            break;
        }
    }
    body
}

/// A stream of server-sent events.
pub(crate) struct Events {
    stream: BufReader<TcpStream>,
    path: String,
}

/// An event: its kind, its id and its data.
#[derive(Debug)]
pub(crate) struct ServerEvent {
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Events {
    pub(crate) fn of(server: &Served, path: &str, last: Option<&str>) -> Self {
        Self::ask(server, path, last).expect("an answer")
    }

    /// Requests events; `None` if the connection is closed without an answer.
    pub(crate) fn ask(server: &Served, path: &str, last: Option<&str>) -> Option<Self> {
        Self::as_who(server, path, last, "")
    }

    /// Requests events with further header lines.
    pub(crate) fn as_who(server: &Served, path: &str, last: Option<&str>, more: &str) -> Option<Self> {
        let mut stream = server.connect();
        let last = last.map_or_else(String::new, |last| format!("Last-Event-ID: {last}\r\n"));
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{last}{more}\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut stream = BufReader::new(stream);
        let head = Answer::head(&mut stream)?;
        assert_eq!((head.status, head.headers["content-type"].as_str()), (200, "text/event-stream"));
        Some(Self { stream, path: path.to_owned() })
    }

    /// Reads until the connection is closed. Returns whether the last chunk came before: otherwise it was cut off.
    pub(crate) fn ends_in_order(mut self) -> bool {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).is_ok() && rest.ends_with(b"0\r\n\r\n")
    }

    /// Returns the next event; `None` when the server ends.
    pub(crate) fn next(&mut self) -> Option<ServerEvent> {
        let (mut fields, deadline) = (BTreeMap::new(), Instant::now() + PATIENCE);
        loop {
            // Data arrive all the time, so a single read never takes too long.
            assert!(Instant::now() < deadline, "no event arrived");
            let mut line = String::new();
            if self.stream.read_line(&mut line).expect("within the deadline") == 0 {
                return None;
            }
            let line = line.trim_end();
            match line.split_once(": ") {
                Some((name, value)) if !name.is_empty() => drop(fields.insert(name.to_owned(), value.to_owned())),
                _ if line.is_empty() && fields.contains_key("data") => break,
                // Chunk lengths and comments.
                _ => {}
            }
        }
        let mut field = |name| fields.remove(name).unwrap_or_default();
        let data = serde_json::from_str(&field("data")).expect("JSON");
        let event = ServerEvent { kind: field("event"), id: field("id"), data };
        described::check_event(&self.path, &event.kind, &event.data);
        Some(event)
    }
}
