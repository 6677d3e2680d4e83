//! Waits for a process to end, without reaping it.
//!
//! An ended process keeps its number until it is reaped. As long as spar delays that, signals to its group cannot reach
//! another process.

use super::Exit;
use super::wait::timeout_until;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;

/// The end of a child process, which may be yet to come. Needs Linux 5.3.
#[derive(Debug)]
pub(super) struct Death {
    pid: Pid,
    /// Becomes readable when the process ends.
    pidfd: OwnedFd,
}

impl Death {
    /// Watches a child that has not been reaped yet.
    pub(super) fn of(pid: Pid) -> io::Result<Self> {
        Ok(Self { pid, pidfd: pidfd_open(pid, PidfdFlags::empty())? })
    }

    /// The process.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// The descriptor for `poll`: readable means dead.
    pub(super) fn watch(&self, flags: PollFlags) -> PollFd<'_> {
        PollFd::new(&self.pidfd, flags)
    }

    /// How the process ended; `None` while it lives, and after it was reaped.
    pub(super) fn exit(&self) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.pid), options).ok()??;
        status.exit_status().map(Exit::Status).or_else(|| status.terminating_signal().map(Exit::Signal))
    }

    /// Waits until the process has ended; returns false if it has not by the deadline.
    pub(super) fn wait(&self, deadline: Instant) -> bool {
        loop {
            match poll(&mut [self.watch(PollFlags::IN)], Some(&timeout_until(deadline))) {
                Ok(0) => return false,
                Ok(_) => return true,
                Err(Errno::INTR) => {}
                Err(_) => return self.exit().is_some(),
            }
        }
    }
}
