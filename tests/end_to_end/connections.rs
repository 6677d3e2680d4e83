//! Engines over TCP, on the loopback interface, and other ways to connect to engines.

use crate::support::{Sandbox, example};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

/// Serves every connection by `serve`, each on a separate thread; returns the address.
fn listen(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// A match of this many pairs between the engine at an address and random moves.
fn match_with(address: &str, pairs: u32) -> String {
    format!(
        "name = 't'\ngame = 'chess'\n[match]\npairs = {pairs}\n[openings]\nplies = 4\n\
         [[entrant]]\nname = 'far'\ncmd = 'tcp://{address}'\nlimit = 'depth 1'\nmargin = '1s'\n\
         [[entrant]]\nname = 'random'\nplayer = 'random'\n"
    )
}

#[test]
fn an_engine_over_tcp_plays_and_is_known_by_its_address() {
    let address = listen(|stream| {
        let output: OwnedFd = stream.try_clone().expect("a clone").into();
        let mut mover = Command::new(example("random_mover"));
        mover.stdin(Stdio::from(OwnedFd::from(stream))).stdout(Stdio::from(output));
        let _status = mover.status().expect("it starts");
    });
    let sandbox = Sandbox::new();
    sandbox.write("t.toml", &match_with(&address, 3));
    let outcome = sandbox.spar(&["match", "t.toml", "--concurrency", "2"]).exits(0);
    assert!(outcome.stdout.contains("3 pairs"), "{outcome:?}");
    let faults = sandbox.spar(&["show", "runs/match-t-1", "--faults"]).exits(0);
    assert!(!faults.stdout.contains("crash"), "{faults:?}");
    let page = std::fs::read_to_string(sandbox.path("runs/match-t-1/report.html")).expect("a page");
    assert!(page.contains(&format!("not known: it plays over TCP at {address}")));
    sandbox.is_deserted();
}

#[test]
fn a_peer_that_vanishes_loses_the_game_and_the_run_continues() {
    let address = listen(|mut stream| {
        let lines = BufReader::new(stream.try_clone().expect("a clone")).lines();
        for line in lines.map_while(Result::ok) {
            let answer = match line.as_str() {
                "uci" => "id name brief\nuciok\n",
                "isready" => "readyok\n",
                go if go.starts_with("go") => return,
                _ => "",
            };
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    let sandbox = Sandbox::new();
    sandbox.write("t.toml", &match_with(&address, 2));
    let outcome = sandbox.spar(&["match", "t.toml", "--concurrency", "1"]).exits(0);
    assert!(outcome.stdout.contains("far lost 4 games by fault"), "{outcome:?}");
    let faults = sandbox.spar(&["show", "runs/match-t-1", "--faults"]).exits(0);
    assert!(faults.stdout.contains(&format!("{address} closed the connection")), "{faults:?}");
    sandbox.is_deserted();
}

#[test]
fn without_a_listener_no_run_is_made() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let sandbox = Sandbox::new();
    sandbox.write("t.toml", &match_with(&free.to_string(), 2));
    let outcome = sandbox.spar(&["match", "t.toml"]).exits(2);
    assert!(outcome.stderr.contains(&format!("cannot connect to {free}: Connection refused")), "{outcome:?}");
    assert!(!sandbox.path("runs/match-t-1").exists());
}

#[test]
fn options_that_an_engine_does_not_have_are_passed_over_with_a_warning_if_that_is_asked_for() {
    let sandbox = Sandbox::new();
    let mover = format!("cmd={}", example("random_mover").display());
    let engines =
        ["match", "--engine", &mover, "option.Contempt=2", "--engine", &mover, "--depth", "1", "--pairs", "1"];
    let refused = sandbox.spar(&engines).exits(2);
    assert!(refused.stderr.contains("unknown option `Contempt`"), "{refused:?}");
    let outcome = sandbox.spar(&[&engines[..], &["--each", "unknown_options=warn"]].concat()).exits(0);
    let warning = "warning: entrant \"random_mover\": unknown option `Contempt`; ignored";
    assert_eq!(outcome.stderr.matches(warning).count(), 1, "{outcome:?}");
}
