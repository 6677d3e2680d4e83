//! Clients of `spar serve` other than browsers: the terminal, a Python client generated from the description of the
//! interface, a tester of interfaces, and a receiver of webhooks.

mod python;
mod terminal;
#[path = "../tools/mod.rs"]
mod tools;
#[path = "../tools/trials.rs"]
mod trials;
mod webhook;

use python::{has_openssl, has_packages, has_python};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::time::Duration;
use trials::{Test, When, run, tests, trials};

/// Longer than any step takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(10);

const OF_THE_TERMINAL: &[Test] = tests![
    terminal::a_run_is_started_watched_and_listed_over_http,
    terminal::all_runs_are_watched_and_a_server_that_comes_again_is_found,
    terminal::mistakes_and_servers_that_are_away_are_named,
];

const OF_WEBHOOKS: &[Test] = tests![webhook::the_next_server_delivers_what_the_last_one_could_not];

/// Tests that need only git.
const OF_GIT: &[Test] = tests![webhook::a_job_is_reported_once_at_its_end_and_its_parts_are_not];

/// Tests that need only Python.
const OF_PYTHON: &[Test] = tests![python::a_webhook_is_verified_as_the_guide_says];

/// Tests that need Python and certificates.
const BEHIND_TLS: &[Test] = tests![python::a_server_behind_tls_is_asked_if_its_certificate_is_trusted];

/// Tests that need Python packages.
const OF_PACKAGES: &[Test] = tests![
    python::a_generated_client_reads_checks_starts_and_stops_runs,
    python::a_server_that_shows_gives_only_described_answers,
    python::a_server_that_starts_runs_gives_only_described_answers,
];

fn main() -> ExitCode {
    let if_there = |is_there: bool| if is_there { When::SecondTier } else { When::Never };
    let all = trials(OF_THE_TERMINAL, When::SecondTier);
    let all = all.chain(trials(OF_WEBHOOKS, When::SecondTier));
    let all = all.chain(trials(OF_GIT, if_there(tools::installed("git"))));
    let all = all.chain(trials(OF_PYTHON, if_there(has_python())));
    let all = all.chain(trials(BEHIND_TLS, if_there(has_python() && has_openssl())));
    run(all.chain(trials(OF_PACKAGES, if_there(has_packages()))))
}

const MATCH: &str = r#"
name = "done"
[match]
pairs = 12
[[entrant]]
name = "a"
player = "random"
[[entrant]]
name = "b"
player = "random"
"#;

fn spar(runs: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(tools::SPAR);
    command.arg("--runs").arg(runs).args(words);
    command
}

/// Runs a command to its end and returns its exit code and output.
fn ended(runs: &Path, words: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = spar(runs, words).output().expect("spar starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().expect("an exit"), text(stdout), text(stderr))
}

/// Plays the match into a folder of runs.
fn played(runs: &Path) {
    let config = private(runs, "match.toml", MATCH).display().to_string();
    let played = spar(runs, &["match", &config]).output().expect("spar starts");
    assert!(played.status.success(), "{played:?}");
}

/// A server of a folder of runs, until it is dropped.
struct Served {
    child: Child,
    /// The address, without a trailing slash.
    address: String,
}

impl Served {
    fn of(runs: &Path, words: &[&str]) -> Self {
        Self::at("127.0.0.1:0", runs, words)
    }

    fn at(listen: &str, runs: &Path, words: &[&str]) -> Self {
        let words = [&["serve", "--listen", listen], words].concat();
        let mut child = spar(runs, &words).stderr(Stdio::piped()).spawn().expect("spar serve");
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let rest = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = format!("http://{}", rest.unwrap_or_else(|| panic!("{line}")));
        Self { child, address }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A file that only its owner can read.
fn private(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("its owner");
    path
}

/// Makes a token for a new person in the file `tokens`, and returns the file with the token.
fn token(folder: &Path, person: &str) -> PathBuf {
    let tokens = folder.join("tokens").display().to_string();
    let (code, token, said) = ended(folder, &["serve", "--token-file", &tokens, "--new-token", person]);
    assert_eq!(code, 0, "{said}");
    private(folder, person.split(':').next().expect("a name"), &token)
}
