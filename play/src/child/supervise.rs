//! The supervisor: a small process of spar's own that outlives spar by a moment and kills what spar could not.
//!
//! The kernel kills an engine whose parent died, but not the processes that the engine started. So `spar __supervise`
//! reads from a pipe which process groups live, as lines `+PGID` and `-PGID`. The pipe ends when spar ends, however it
//! ends, and the supervisor then kills the groups that are left. It cannot reach processes that an engine moved to
//! another process group.
//!
//! Both ends of the pipe are here: [`Supervisor`] writes, [`supervise`] reads.

use super::death::Death;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The hidden subcommand's name.
pub const SUPERVISE: &str = "__supervise";

/// How long to wait for the supervisor's exit. If it takes longer, it was suspended (SIGSTOP), and exits once it is
/// resumed.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Controls the running supervisor. Dropping it ends the supervisor, which kills all groups that are still registered.
#[derive(Debug)]
pub(super) struct Supervisor {
    process: Child,
    death: Death,
    /// `None` only during the drop.
    pipe: Option<ChildStdin>,
}

impl Supervisor {
    /// Starts a supervisor.
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        // Give it a group of its own, so that Ctrl-C at the terminal does not reach it.
        command.arg(SUPERVISE).current_dir("/").process_group(0);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let death = Death::of(Pid::from_child(&process))?;
        let pipe = process.stdin.take();
        Ok(Self { process, death, pipe })
    }

    /// Registers a group that has to die with spar.
    pub(super) fn register(&self, group: Pid) {
        self.tell(&format!("+{}\n", group.as_raw_pid()));
    }

    /// Unregisters a dead group. Its leader must not be reaped before this: the number could then mean another group.
    pub(super) fn unregister(&self, group: Pid) {
        self.tell(&format!("-{}\n", group.as_raw_pid()));
    }

    /// Writes each line in one call, so that lines of several threads do not mix.
    fn tell(&self, line: &str) {
        if let Some(mut pipe) = self.pipe.as_ref() {
            // If the supervisor was killed, the message has no reader; engines still die with spar.
            let _supervisor_is_gone = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // The supervisor is still exiting. Killing it would let the processes survive that it still has to kill.
        if self.death.wait(Instant::now() + LAST_WAIT) {
            let _reaped = self.process.wait();
        }
    }
}

/// Reads registrations until the pipe ends, then kills the registered groups. The caller must make the process ignore
/// SIGINT, SIGTERM and SIGHUP.
///
/// # Errors
///
/// If the pipe cannot be read; the groups registered so far are still killed.
pub fn supervise(mut pipe: impl BufRead) -> io::Result<()> {
    let mut groups = BTreeSet::new();
    let mut line = Vec::new();
    let end = loop {
        line.clear();
        match pipe.read_until(b'\n', &mut line) {
            Ok(0) => break Ok(()),
            Ok(_) => note(&mut groups, &line),
            Err(error) => break Err(error),
        }
    };
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _already_gone = kill_process_group(group, Signal::KILL);
    }
    end
}

/// Applies one line. Ignores unknown lines and half a line.
fn note(groups: &mut BTreeSet<i32>, line: &[u8]) {
    let Some(line) = line.strip_suffix(b"\n") else { return };
    let Some((&sign, number)) = line.split_first() else { return };
    let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
    // Group 1 would be init's, and means every process in a signal.
    let Some(group) = number.filter(|number| *number > 1) else { return };
    match sign {
        b'+' => groups.insert(group),
        b'-' => groups.remove(&group),
        _ => false,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_registered_and_not_taken_back_remains() {
        let mut groups = BTreeSet::new();
        for line in
            ["+20\n", "+30\n", "-20\n", "+1\n", "+0\n", "+-5\n", "+x\n", "\n", "40\n", "+50\n", "-50\n", "+50\n", "+6"]
        {
            note(&mut groups, line.as_bytes());
        }
        assert_eq!(groups.into_iter().collect::<Vec<_>>(), [30, 50]);
    }
}
