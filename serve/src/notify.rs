//! Executes a command when a run has ended, whichever process played it. The command gets the run through its
//! environment and its input.

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// The deadline for the command.
const WITHIN: Duration = Duration::from_mins(1);
/// How often the command is polled.
const TICK: Duration = Duration::from_millis(50);
/// The maximum number of ended runs that wait for the command.
const MOST_WAITING: usize = 100;

/// Accepts ended runs; a separate thread executes the command for them, one after the other.
#[derive(Debug)]
pub(crate) struct Notifier(SyncSender<Arc<str>>);

impl Notifier {
    /// Starts the thread, which ends with the notifier.
    ///
    /// # Errors
    /// The system grants no thread.
    pub(crate) fn start(command: String) -> std::io::Result<Self> {
        let (sender, ends) = sync_channel(MOST_WAITING);
        let _ends_by_itself =
            std::thread::Builder::new().name("notify".to_owned()).spawn(move || run_for_each(&command, &ends))?;
        Ok(Self(sender))
    }

    /// Passes the row of a run that has ended to the command.
    pub(crate) fn ended(&self, row: Arc<str>) {
        if self.0.try_send(row).is_err() {
            eprintln!("spar serve: the command of --notify is too slow: the end of a run was not passed to it");
        }
    }
}

fn run_for_each(command: &str, ends: &Receiver<Arc<str>>) {
    for row in ends {
        if let Err(why) = run(command, &row, WITHIN) {
            eprintln!("spar serve: --notify: {why}");
        }
    }
}

/// Runs the command to its end.
///
/// # Errors
/// Why the command failed, in a sentence.
fn run(command: &str, row: &str, within: Duration) -> Result<(), String> {
    let value: Value = serde_json::from_str(row).unwrap_or_default();
    let of = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    // A job has no verdict: its state says how it ended.
    let verdict = if value["verdict"].is_null() { of("state") } else { of("verdict") };
    let mut shell = Command::new("sh");
    // A pipe would block if the row is longer than its buffer and the command does not read.
    let input = input_of(row).map_err(|cause| format!("a temporary file cannot be written: {cause}"))?;
    shell.arg("-c").arg(command).process_group(0).stdin(input).stdout(Stdio::null());
    shell.env("SPAR_RUN", of("name")).env("SPAR_VERDICT", verdict).env("SPAR_SAYS", of("says"));
    let mut child = shell.spawn().map_err(|cause| format!("cannot start `{command}`: {cause}"))?;
    wait(&mut child, within).map_err(|why| format!("`{command}` {why}"))
}

fn input_of(row: &str) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(row.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

fn wait(child: &mut Child, within: Duration) -> Result<(), String> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("failed ({status})")),
            Ok(None) if started.elapsed() < within => std::thread::sleep(TICK),
            Ok(None) => {
                end(child);
                return Err(format!("took longer than {} s and was ended", within.as_secs()));
            }
            Err(cause) => return Err(format!("cannot be waited for: {cause}")),
        }
    }
}

/// Kills the command with all processes that it has started.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _nobody_left = kill_process_group(group, Signal::KILL);
    }
    let _status = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_hears_of_the_run_by_environment_and_input() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("passed");
        let command = format!("(echo $SPAR_RUN $SPAR_VERDICT; cat) > '{}'", file.display());
        let row = r#"{"name":"a b; c","verdict":"accepted-h1","says":"x"}"#;
        run(&command, row, WITHIN).expect("it runs");
        assert_eq!(std::fs::read_to_string(file).expect("a file"), format!("a b; c accepted-h1\n{row}"));
    }

    #[test]
    fn a_command_that_fails_or_hangs_is_reported_and_leaves_no_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pid");
        assert!(run("exit 3", "{}", WITHIN).is_err_and(|why| why.contains("failed")));
        let command = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
        // It never reads its input, which may be long.
        let row = format!("{{\"entrants\":\"{}\"}}", "a".repeat(1 << 20));
        let mut within = Duration::from_millis(500);
        let pid: i32 = loop {
            let why = run(&command, &row, within).expect_err("it takes too long");
            assert!(why.contains("was ended"), "{why}");
            if let Some(pid) = std::fs::read_to_string(&file).unwrap_or_default().strip_suffix('\n') {
                break pid.parse().expect("a number");
            }
            // On a busy host it needs more time before it has started its child.
            within *= 2;
            assert!(within < 4 * WITHIN, "it starts no child");
        };
        let pid = Pid::from_raw(pid).expect("a process");
        let deadline = Instant::now() + WITHIN;
        while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(pid) {
            assert!(Instant::now() < deadline, "its child lives on");
            std::thread::yield_now();
        }
    }

    /// The process that adopts it may take a while to notice that it has ended.
    fn is_zombie(pid: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
    }
}
