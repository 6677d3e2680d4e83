//! A receiver of webhooks.

use crate::tools::example;
use crate::{PATIENCE, Served, ended, played, private};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Writes a file with the secret of the standard's own example.
pub(crate) fn secret(runs: &Path) -> String {
    private(runs, "secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").display().to_string()
}

/// Receives one request, and returns its head and its body.
pub(crate) fn received(listener: &TcpListener) -> (String, Vec<u8>) {
    let (stream, _) = listener.accept().expect("a client");
    stream.set_read_timeout(Some(PATIENCE)).expect("a deadline");
    let (mut reader, mut head, mut length) = (BufReader::new(&stream), String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).expect("a line");
        let line = head.lines().last().unwrap_or_default();
        length = line.strip_prefix("content-length: ").map_or(length, |text| text.parse().expect("a number"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let _sent: () = (&stream as &TcpStream).write_all(b"HTTP/1.1 204 Taken\r\n\r\n").expect("an answer");
    (head, body)
}

/// The undelivered messages in a folder of runs.
fn waiting(runs: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(runs.join(".serve/webhook")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

/// Waits until there are this many undelivered messages.
fn until(runs: &Path, count: usize) -> Vec<PathBuf> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = waiting(runs);
        if found.len() == count {
            return found;
        }
        assert!(Instant::now() < deadline, "{found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn the_next_server_delivers_what_the_last_one_could_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let (runs, secret) = (folder.path(), secret(folder.path()));
    // A receiver that never answers.
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let hook = format!("http://{}/hook", silent.local_addr().expect("an address"));
    let server = Served::of(runs, &["--webhook", &hook, "--webhook-secret", &secret]);
    played(runs);
    let message = until(runs, 1).remove(0);
    // The server is killed.
    drop(server);
    let body = std::fs::read(&message).expect("it still waits");
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let hook = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let _server = Served::of(runs, &["--webhook", &hook, "--webhook-secret", &secret]);
    let (head, got) = received(&listener);
    let id = message.file_stem().and_then(|stem| stem.to_str()).expect("an id");
    assert!(head.to_lowercase().contains(&format!("webhook-id: {id}\r\n")), "{head}");
    assert_eq!(got, body);
    until(runs, 0);
}

/// A campaign of one patch of a script that starts a program.
const CAMPAIGN: &str = r#"
game = "chess"
[build]
command = "cp engine.sh engine"
binary = "engine"
[each]
limit = "depth 1"
[adjudication]
max_moves = 5
[campaign]
base = "main"
[[campaign.patch]]
name = "last"
revision = "last"
"#;

/// Makes a repository in `folder/repo` with an engine, and a branch `last` that only changes a comment.
fn repository(folder: &Path) {
    let repo = folder.join("repo");
    std::fs::create_dir(&repo).expect("a folder");
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
        let made = Command::new("git").args(identity).args(words).current_dir(&repo).output().expect("git");
        assert!(made.status.success(), "{made:?}");
    };
    let commit = |comment: &str| {
        let script = format!("#!/bin/sh\n# {comment}\nexec '{}'\n", example("random_mover").display());
        std::fs::write(repo.join("engine.sh"), script).expect("a file");
        std::fs::set_permissions(repo.join("engine.sh"), PermissionsExt::from_mode(0o755)).expect("its owner");
        git(&["add", "engine.sh"]);
        git(&["commit", "--quiet", "--message", comment]);
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    commit("first");
    git(&["checkout", "--quiet", "-b", "last"]);
    commit("last");
}

pub(crate) fn a_job_is_reported_once_at_its_end_and_its_parts_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path());
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).expect("a folder");
    let secret = secret(folder.path());
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let hook = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let _server = Served::of(&runs, &["--webhook", &hook, "--webhook-secret", &secret]);
    let config = private(folder.path(), "campaign.toml", CAMPAIGN).display().to_string();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let words = ["--repo", &path("repo"), "--cache", &path("cache"), "--max-pairs", "1"];
    let (code, _, said) = ended(&runs, &[&["campaign", &config], &words[..]].concat());
    assert_eq!(code, 4, "the limit decides nothing: {said}");
    let next = || {
        let (_, body) = received(&listener);
        let message: Value = serde_json::from_slice(&body).expect("JSON");
        (message["type"].clone(), message["data"]["name"].clone())
    };
    assert_eq!(next(), (json!("job.ended"), json!("campaign-campaign-1")));
    played(&runs);
    assert_eq!(next(), (json!("run.ended"), json!("match-done-1")));
}
