//! Runs of a server, from a terminal.

use crate::{MATCH, PATIENCE, Served, ended, played, private, spar, token};
use play::child::ReservedPort;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

pub(crate) fn a_run_is_started_watched_and_listed_over_http() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let [ann, lee] = ["ann:start:2", "lee:look"].map(|person| token(runs, person).display().to_string());
    let tokens = runs.join("tokens").display().to_string();
    let server = Served::of(runs, &["--control", "--concurrency", "2", "--token-file", &tokens]);
    let config = private(runs, "match.toml", MATCH).display().to_string();
    let start = |token: &str| ended(runs, &["start", &config, "--server", &server.address, "--token-file", token]);
    let (code, address, said) = start(&ann);
    let page = format!("{}/runs/match-done-1", server.address);
    assert_eq!((code, address.trim()), (0, page.as_str()), "{said}");
    // The watching command ends with the run.
    let (code, line, said) = ended(runs, &["watch", &page, "--token-file", &ann]);
    assert_eq!(code, 0, "{said}");
    let last = line.lines().last().expect("a line");
    assert!(last.starts_with("match-done-1  complete") && last.contains("12 pairs"), "{line}");
    let listed =
        |more: &[&str]| ended(runs, &[&["runs", "--server", &server.address, "--token-file", &lee], more].concat());
    let (code, there, _) = listed(&[]);
    let (_, here, _) = ended(runs, &["runs"]);
    assert_eq!((code, &there), (0, &here), "the same as in the folder");
    let rows: Value = serde_json::from_str(&listed(&["--json"]).1).expect("JSON");
    assert_eq!((&rows[0]["name"], &rows[0]["started_by"]), (&"match-done-1".into(), &"ann".into()), "{rows}");
    let (code, _, said) = start(&lee);
    assert!(code == 2 && said.contains("this needs the right `start`, and lee has `look`"), "{said}");
    // With a limit of two runs: one plays, one waits, and a third is refused.
    let long = private(runs, "long.toml", &MATCH.replace("12", "1000000").replace("done", "long"));
    let long = long.display().to_string();
    let start = |more: &[&str]| {
        let words = ["start", &long, "--server", &server.address, "--token-file", &ann];
        ended(runs, &[&words, more].concat())
    };
    assert_eq!(start(&[]).1.trim(), format!("{}/runs/match-long-1", server.address));
    let (code, address, said) = start(&["--priority", "-3"]);
    assert_eq!((code, address.trim()), (0, format!("{}/", server.address).as_str()));
    assert!(said.contains("It is number 1 in the queue."), "{said}");
    let (code, _, said) = start(&[]);
    assert!(code == 2 && said.contains("ann may have 2 runs in the queue"), "{said}");
}

/// Reads lines until one has this beginning.
fn until(lines: &Receiver<String>, start: &str) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = lines.recv_timeout(left).unwrap_or_else(|_| panic!("no line begins with {start}"));
        if line.starts_with(start) {
            return line;
        }
    }
}

pub(crate) fn all_runs_are_watched_and_a_server_that_comes_again_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let port = ReservedPort::new().expect("a port");
    let listen = format!("127.0.0.1:{}", port.number());
    let server = Served::at(&listen, runs, &[]);
    let mut watch = spar(runs, &["watch", &server.address]).stdout(Stdio::piped()).spawn().expect("spar starts");
    let output = BufReader::new(watch.stdout.take().expect("a pipe"));
    let (sender, lines) = channel();
    let reads = std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    played(runs);
    until(&lines, "match-done-1  complete");
    drop(server);
    played(runs);
    let _server = Served::at(&listen, runs, &[]);
    until(&lines, "match-done-2  complete");
    watch.kill().expect("it watches until it is ended");
    watch.wait().expect("it ends");
    let _nobody_listens = reads.join().expect("a reader");
}

pub(crate) fn mistakes_and_servers_that_are_away_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let ann = token(runs, "ann:start").display().to_string();
    let wrong = private(runs, "wrong", "not-a-token-of-this-server\n").display().to_string();
    let tokens = runs.join("tokens").display().to_string();
    let server = Served::of(runs, &["--control", "--token-file", &tokens]);
    let site = server.address.as_str();
    let config = private(runs, "match.toml", "[match]\npairs = \"many\"\n").display().to_string();
    let (page, pages) = (format!("{site}/runs/none"), format!("{site}/compare"));
    let silent = ReservedPort::new().expect("a port");
    let closed = format!("http://127.0.0.1:{}", silent.number());
    for (words, code, says) in [
        (vec!["runs", "--server", site], 2, "asks for a token: give the file with yours as --token-file FILE"),
        (vec!["runs", "--server", site, "--token-file", &wrong], 2, "the token in your --token-file is not one of"),
        (vec!["runs", "--server", site, "--token-file", &tokens], 2, "give a file with your own token alone"),
        (vec!["runs", "--server", site, "--token-file", "/no/such/file"], 2, "cannot read the token in /no/such/file"),
        (vec!["watch", &page, "--token-file", &ann], 2, "there is no such run"),
        (vec!["watch", &pages, "--token-file", &ann], 2, "is not a page of runs"),
        (vec!["watch", "localhost:8099"], 2, "begins with http:// or https://"),
        (vec!["runs", "--server", &closed], 3, "does not answer"),
        (vec!["start", &config, "--server", site, "--token-file", &ann], 2, "match.toml: line 2: "),
        (vec!["start", "/no/such/file", "--server", site, "--token-file", &ann], 2, "/no/such/file"),
    ] {
        let (ended_with, printed, said) = ended(runs, &words);
        assert!(ended_with == code && said.contains(says) && printed.is_empty(), "{words:?}: {ended_with} {said}");
        assert!(!said.contains("not-a-token-of-this-server"), "{said}");
    }
    let shows = Served::of(runs, &[]);
    let config = private(runs, "match.toml", MATCH).display().to_string();
    let (code, _, said) = ended(runs, &["start", &config, "--server", &shows.address]);
    assert!(code == 2 && said.contains("this server only shows"), "{said}");
    let tokens = private(runs, "bad-tokens", "ann all sha256:0\n").display().to_string();
    let (code, _, said) = ended(runs, &["serve", "--listen", "127.0.0.1:0", "--token-file", &tokens]);
    assert!(code == 2 && said.contains("bad-tokens, line 1: `all` is not a right"), "{said}");
}
