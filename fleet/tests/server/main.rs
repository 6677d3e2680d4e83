//! Tests with a real NATS server: what it permits each member, what becomes of files on it, and how runs cope with
//! workers that misbehave. Each test is ignored where the server is not installed.

mod content;
mod manners;
mod permissions;
#[path = "../../../tests/tools/trials.rs"]
mod trials;

use fleet::{Keys, Server, make_keys, server_program};
use play::child::{ReservedPort, Spawner};
use std::process::ExitCode;
use std::time::Duration;
use tempfile::TempDir;
use trials::{Test, When, run_waiting, tests, trials};

/// Only a hang takes longer.
const SOON: Duration = Duration::from_mins(10);

const TESTS: &[Test] = tests![
    content::a_workers_key_removes_no_file_and_what_it_has_the_server_write_is_mended,
    manners::results_that_come_twice_late_and_in_any_order_count_once,
    manners::a_worker_that_sends_an_illegal_move_is_set_aside_and_its_pairs_are_played_by_others,
    manners::a_worker_that_sends_an_ending_that_its_moves_have_not_is_set_aside,
    manners::a_worker_that_sends_one_game_in_place_of_two_is_set_aside,
    manners::a_worker_that_loses_every_second_pair_ends_no_run,
    manners::checks_are_brought_to_their_end_by_the_next_coordinator,
    manners::a_pause_gives_out_no_further_pairs_and_says_what_is_still_played,
    permissions::without_a_key_connections_are_refused,
    permissions::a_worker_does_nothing_in_anothers_name,
    permissions::a_worker_reads_nothing_that_is_not_for_it,
    permissions::a_worker_neither_reads_nor_removes_what_the_server_keeps,
    permissions::what_a_worker_has_to_do_it_may,
];

fn main() -> ExitCode {
    let when = if server_program().is_ok() { When::SecondTier } else { When::Never };
    run_waiting(trials(TESTS, when))
}

/// A server with access control.
struct Locked {
    _server: Server,
    folder: TempDir,
    url: String,
}

/// Starts a server with keys for workers of these names.
fn locked(names: &[&str]) -> Locked {
    let folder = TempDir::new().expect("a folder");
    let reserved = ReservedPort::new().expect("a port");
    let port = reserved.number();
    let workers = names.iter().map(|name| name.parse().expect("a name")).collect();
    let (path, hosts) = (folder.path().to_owned(), Vec::new());
    make_keys(&Keys { folder: path, hosts, port: Some(port), tls: false, workers }).expect("keys");
    let path = |name: &str| folder.path().join(name);
    let spawner = Spawner::start(None).expect("a thread");
    let server = Server::start(&spawner, &path("nats.conf"), reserved, &path("nats.log")).expect("a server");
    Locked { _server: server, folder, url: format!("nats://127.0.0.1:{port}") }
}

/// Runs a test that waits for messages.
fn wait_for(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(test);
}
