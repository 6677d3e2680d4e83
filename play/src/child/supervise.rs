//! The supervisor: a small process of ours that outlives us by a moment and kills what we could not.
//!
//! The kernel kills an engine whose parent died, but not what that engine started. So `spar __supervise` reads from a
//! pipe which process groups live, `+PGID` and `-PGID` a line. The pipe ends when we end, in whatever way, and then it
//! kills the groups that are left. What an engine moved to another process group is out of its reach.
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

/// How long we wait for the supervisor to exit. If it takes longer, it was suspended (SIGSTOP), and exits once it is
/// resumed.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// The running supervisor, as seen from us. Dropped, it ends, and kills what is still registered.
#[derive(Debug)]
pub(super) struct Supervisor {
    process: Child,
    death: Death,
    /// `None` only while it is dropped.
    pipe: Option<ChildStdin>,
}

impl Supervisor {
    /// Starts one.
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        // A group of its own, so that Ctrl-C at the terminal does not reach it.
        command.arg(SUPERVISE).current_dir("/").process_group(0);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let death = Death::of(Pid::from_child(&process))?;
        let pipe = process.stdin.take();
        Ok(Self { process, death, pipe })
    }

    /// From now on the group dies with us.
    pub(super) fn register(&self, group: Pid) {
        self.tell(&format!("+{}\n", group.as_raw_pid()));
    }

    /// The group is dead. Its leader must not be reaped before this: the number could then mean another group.
    pub(super) fn unregister(&self, group: Pid) {
        self.tell(&format!("-{}\n", group.as_raw_pid()));
    }

    /// One line is one write, so lines of several threads do not mix.
    fn tell(&self, line: &str) {
        if let Some(mut pipe) = self.pipe.as_ref() {
            // If the supervisor was killed, the message has no reader; engines still die with us.
            let _supervisor_is_gone = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // It is only exiting now. Killing it would let the processes survive that it still has to kill.
        if self.death.wait(Instant::now() + LAST_WAIT) {
            let _reaped = self.process.wait();
        }
    }
}

/// Reads registrations until the pipe ends, then kills the registered groups. The caller must have seen to it that
/// the process ignores SIGINT, SIGTERM and SIGHUP.
///
/// # Errors
///
/// If the pipe cannot be read; the groups registered so far are killed all the same.
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

/// Obeys one line. A line that is none of ours, or half a line, is ignored.
fn note(groups: &mut BTreeSet<i32>, line: &[u8]) {
    let Some(line) = line.strip_suffix(b"\n") else { return };
    let Some((&sign, number)) = line.split_first() else { return };
    let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
    // Group 1 would be init's, and stand for "everybody" in a signal.
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
