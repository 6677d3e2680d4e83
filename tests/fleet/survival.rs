//! Deaths, stalls and duplicates: every pair is in the journal once, and the journal equals that of a run in one
//! process.

use crate::support::{
    MATCH, Running, Sandbox, Server, comes_out_as, coordinator, ends_well, expected_match, export, output_of,
    wait_for_pairs, wait_until, worker, workers,
};
use stats::random::Stream;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(crate) fn workers_that_are_killed_again_and_again() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let server = Server::open(&sandbox);
    let mut workers = workers(&sandbox, &server.url(), 3);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    let mut luck = Stream::from_seed(3);
    for (death, least) in (50..560).step_by(60).enumerate() {
        wait_for_pairs(&sandbox, least);
        let victim = luck.below(3) as usize;
        workers[victim].kill();
        // Some workers return under their names, and others replace them.
        let number = if luck.below(2) == 0 { victim + 1 } else { (death + 1) * 10 + victim };
        workers[victim] = Running::start(&mut worker(&sandbox, &server.url(), &format!("w{number}"), 1));
    }
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
}

pub(crate) fn a_killed_server() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let mut server = Server::open(&sandbox);
    let _workers = workers(&sandbox, &server.url(), 3);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    for least in [50, 200, 400] {
        wait_for_pairs(&sandbox, least);
        server.kill();
        server.start();
    }
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
}

pub(crate) fn a_killed_coordinator() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let server = Server::open(&sandbox);
    let _workers = workers(&sandbox, &server.url(), 3);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    for least in [50, 250] {
        wait_for_pairs(&sandbox, least);
        session.kill();
        session = coordinator(&sandbox, &["resume", "match-m-1"], &server.url());
    }
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
}

/// A connection to the server that stalls, drops and delays by a seed.
struct Proxy {
    port: u16,
    is_over: Arc<AtomicBool>,
    /// The number of cuts, stalls and delays so far.
    hitches: Arc<AtomicU64>,
}

impl Proxy {
    fn start(to: u16, seed: u64) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (is_over, hitches) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let proxy = Self { port, is_over: Arc::clone(&is_over), hitches: Arc::clone(&hitches) };
        std::thread::spawn(move || {
            for (number, client) in (0..).zip(listener.incoming()) {
                let (Ok(client), false) = (client, is_over.load(Ordering::SeqCst)) else { return };
                // While the server is away, there is nothing to connect to.
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, to)) else { continue };
                let ways = [(&client, &server), (&server, &client)];
                for (way, (from, to)) in (0..).zip(ways) {
                    let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                    let (is_over, hitches) = (Arc::clone(&is_over), Arc::clone(&hitches));
                    let luck = seed.wrapping_mul(1000).wrapping_add(number * 2 + way);
                    std::thread::spawn(move || pass_on(from, to, luck, &is_over, &hitches));
                }
            }
        });
        proxy
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _wakes_it = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, mut luck: u64, is_over: &AtomicBool, hitches: &AtomicU64) {
    let mut buffer = [0; 4096];
    while let Ok(bytes @ 1..) = from.read(&mut buffer) {
        // Marsaglia's generator is random enough.
        luck ^= luck << 13 | 1;
        luck ^= luck >> 7;
        luck ^= luck << 17;
        hitches.fetch_add(u64::from(luck % 1000 < 100), Ordering::SeqCst);
        match luck % 1000 {
            0 => {
                // Cut in the middle of a message.
                let _half = to.write_all(&buffer[..bytes / 2]);
                break;
            }
            1..10 => std::thread::park_timeout(Duration::from_millis(100)),
            10..100 => std::thread::park_timeout(Duration::from_millis(2)),
            _ => {}
        }
        if is_over.load(Ordering::SeqCst) || to.write_all(&buffer[..bytes]).is_err() {
            break;
        }
    }
    let _closed = (from.shutdown(std::net::Shutdown::Both), to.shutdown(std::net::Shutdown::Both));
}

pub(crate) fn a_bad_line() {
    for seed in 1..=2 {
        let sandbox = Sandbox::with("m.toml", MATCH);
        let server = Server::open(&sandbox);
        let proxy = Proxy::start(server.port.number(), seed);
        let _workers = workers(&sandbox, &proxy.url(), 3);
        let mut session = coordinator(&sandbox, &["match", "m.toml"], &proxy.url());
        ends_well(&sandbox, &mut session);
        comes_out_as(&sandbox, "match-m-1", expected_match());
        assert!(proxy.hitches.load(Ordering::SeqCst) > 10, "the line was good");
    }
}

pub(crate) fn a_server_that_is_away_for_long_costs_nothing_but_time() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let mut server = Server::open(&sandbox);
    let mut workers = workers(&sandbox, &server.url(), 2);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    wait_for_pairs(&sandbox, 100);
    server.kill();
    let since = Instant::now();
    wait_until("a while has gone by", || since.elapsed() > Duration::from_secs(12));
    assert!(
        !session.is_over() && workers.iter_mut().all(|worker| !worker.is_over()),
        "{}",
        output_of(&sandbox, "session")
    );
    server.start();
    ends_well(&sandbox, &mut session);
    comes_out_as(&sandbox, "match-m-1", expected_match());
    let output = output_of(&sandbox, "session");
    assert!(output.contains("is lost; trying again") && output.contains("is there again"), "{output}");
}

/// An engine with one move, which does not start if BROKEN is set.
const FRAIL: &str = r#"#!/bin/sh
[ -n "$BROKEN" ] && exit 1
while read -r line; do
    case "$line" in
        uci) echo uciok;;
        isready) echo readyok;;
        go*) echo "bestmove e2e4";;
        quit) exit;;
    esac
done
"#;

const PROCESSES: &str = r#"
name = "m"
max_fault_share = 1.0
game = "chess"
[match]
pairs = 12
[openings]
source = "start"
[each]
limit = "10min"
cmd = "./frail"
[[entrant]]
name = "a"
[[entrant]]
name = "b"
"#;

pub(crate) fn a_machine_on_which_an_engine_does_not_start_is_set_aside_and_the_others_play() {
    let sandbox = Sandbox::with("m.toml", PROCESSES);
    sandbox.write_program("frail", FRAIL);
    let server = Server::open(&sandbox);
    let _broken = Running::start(worker(&sandbox, &server.url(), "broken", 1).env("BROKEN", "1"));
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &server.url());
    wait_until("the broken one is found out", || {
        output_of(&sandbox, "session").contains("worker broken is given no pairs")
    });
    let _sound = Running::start(&mut worker(&sandbox, &server.url(), "sound", 1));
    ends_well(&sandbox, &mut session);
    let played = export(&sandbox, "match-m-1");
    assert_eq!(played.lines().count(), 12);
    assert!(!played.contains("startup"), "{played}");
}
