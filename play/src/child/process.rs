//! One engine process: lines in and out with deadlines, evidence of its behaviour, and its end.
//!
//! Every wait here has a deadline from the caller. A thread that plays a game waits in one `poll` for all possible
//! events: a line, a line on standard error, the process's death, a request to stop (checked every 50 ms).

use super::death::Death;
use super::fair_deadline::HostDelay;
use super::log::{Log, Trace};
use super::pipes::{MOST_READS, Pipes};
use super::tail::{Direction, Tail};
use super::wait::nap_until;
use super::{Exit, FairDeadline, Spawner};
use crate::platform;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long a killed process may take to die before it is left to the system.
const LAST_WAIT: Duration = Duration::from_secs(1);
/// The maximum sleep within a fair wait before it checks whether it woke up in time.
const FAIR_NAP: Duration = Duration::from_secs(1);

/// Why a line was not sent or received.
#[derive(Debug, Error)]
pub enum ChildError {
    /// The deadline has passed.
    #[error("no answer in time")]
    Deadline,
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// The process has closed its end of the pipe, most likely by dying.
    #[error("the engine has closed its end")]
    Closed,
    /// The system returned an error that is not the engine's fault.
    #[error("cannot talk to the engine: {0}")]
    Io(#[from] io::Error),
}

impl From<Errno> for ChildError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::PIPE => Self::Closed,
            other => Self::Io(other.into()),
        }
    }
}

/// A child process in a process group of its own. Dropping it kills the group and reaps the process; this takes as long
/// as the system needs to end the process, at most a second.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    death: Death,
    pipes: Pipes,
    log: Log,
    /// The last line, if it was not UTF-8.
    lossy: String,
    /// The total time by which fair waits woke up too late.
    overslept: Duration,
    /// Dropped last: the thread that started the process must not end before it.
    spawner: Spawner,
}

impl Child {
    /// Takes over a process that was just started as the leader of its group. Kills it on failure.
    pub(super) fn adopt(mut process: std::process::Child, spawner: Spawner) -> io::Result<Self> {
        let parts = Pipes::of(&mut process).and_then(|pipes| Ok((pipes, Death::of(Pid::from_child(&process))?)));
        match parts {
            Ok((pipes, death)) => {
                let log = Log::new(Instant::now());
                Ok(Self { process, death, pipes, log, lossy: String::new(), overslept: Duration::ZERO, spawner })
            }
            Err(error) => {
                let group = Pid::from_child(&process);
                let _killed = kill_process_group(group, Signal::KILL);
                spawner.unregister(group);
                let _reaped = process.wait();
                Err(error)
            }
        }
    }

    /// Passes every further line to `trace`, too.
    pub fn set_trace(&mut self, trace: Trace) {
        self.log.set_trace(trace);
    }

    /// Sends text, which should be whole lines with their ends.
    ///
    /// # Errors
    ///
    /// [`ChildError::Deadline`] if the engine does not read in time (part of the text may have been sent),
    /// [`ChildError::Closed`] if it never will.
    pub fn send(&mut self, text: &str, deadline: Instant) -> Result<(), ChildError> {
        let outcome = self.write_all(text.as_bytes(), deadline);
        let now = Instant::now();
        for line in text.lines() {
            self.log.note(Direction::Sent, now, line);
        }
        outcome
    }

    fn write_all(&mut self, mut rest: &[u8], deadline: Instant) -> Result<(), ChildError> {
        while !rest.is_empty() {
            match self.pipes.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait_for_room(deadline)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for room in the input. Does not read the engine's output meanwhile, so the engine must not wait for spar
    /// to read it.
    fn wait_for_room(&mut self, deadline: Instant) -> Result<(), ChildError> {
        let timeout = nap_until(deadline).ok_or(ChildError::Deadline)?;
        let died = self.pipes.wait_for_room(&self.death, timeout, &mut self.log)?;
        if died { Err(ChildError::Closed) } else { Ok(()) }
    }

    /// The next line, without its end. An unfinished line counts when the output ends. Bytes that are not UTF-8 are
    /// replaced; a line over [`LONGEST_LINE`](super::LONGEST_LINE) is cut.
    ///
    /// # Errors
    ///
    /// [`ChildError::Deadline`] if there is no further line by then (lines that have been read are still returned, so
    /// that a flood ends, too); [`ChildError::Stopped`] at most 50 ms after `stop` was set; [`ChildError::Closed`] if
    /// there will be no further line.
    pub fn receive(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<&str, ChildError> {
        let line = self.next_line(deadline, stop)?;
        Ok(self.received(line))
    }

    /// A deadline that does not count the time for which the host keeps the process waiting for a processor from now
    /// on, up to ten times the time until `at`.
    pub fn fair_deadline(&self, at: Instant) -> FairDeadline {
        FairDeadline::new(at, at.saturating_duration_since(Instant::now()), self.delay_by_host())
    }

    /// When the answer is due, given how long the host has kept the process waiting so far.
    pub fn due(&self, deadline: FairDeadline) -> Instant {
        deadline.after(self.delay_by_host())
    }

    /// Like [`receive`](Self::receive), but does not count time that is the host's fault. A process that is ready to
    /// run but gets no processor is not late, and neither is one that waits for another process that it has started.
    /// The host is also to blame if this thread wakes up too late, for instance because a virtual machine was paused.
    ///
    /// # Errors
    ///
    /// [`ChildError`], as for [`receive`](Self::receive).
    pub fn receive_fairly(&mut self, deadline: FairDeadline, stop: &AtomicBool) -> Result<&str, ChildError> {
        let mut until = deadline.at();
        let line = loop {
            let asleep = Instant::now();
            let wake = until.min(asleep + FAIR_NAP);
            let line = self.next_line(wake, stop);
            if wake > asleep {
                self.overslept += wake.elapsed();
            }
            match line {
                Err(ChildError::Deadline) => {
                    until = self.due(deadline);
                    if until <= Instant::now() {
                        return Err(ChildError::Deadline);
                    }
                }
                line => break line?,
            }
        };
        Ok(self.received(line))
    }

    /// The range of the next line.
    fn next_line(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<Range<usize>, ChildError> {
        loop {
            if let Some(line) = self.line_at_hand()? {
                return Ok(line);
            }
            self.wait_for_line(deadline, stop)?;
        }
    }

    /// The range of the next line among those that were read; `None` if there may be more to read.
    fn line_at_hand(&mut self) -> Result<Option<Range<usize>>, ChildError> {
        match self.pipes.lines.take() {
            None if self.pipes.output_ended() => self.pipes.lines.take_rest().ok_or(ChildError::Closed).map(Some),
            line => Ok(line),
        }
    }

    /// Waits once for something to read, and reads it.
    fn wait_for_line(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<(), ChildError> {
        if stop.load(Ordering::Relaxed) {
            return Err(ChildError::Stopped);
        }
        let timeout = nap_until(deadline).ok_or(ChildError::Deadline)?;
        Ok(self.pipes.wait_for_output(&self.death, timeout, &mut self.log)?)
    }

    /// Like [`receive`](Self::receive), but also returns an unfinished line that `is_whole` accepts, when nothing more
    /// has come for about `quiet`.
    ///
    /// # Errors
    ///
    /// [`ChildError`], as for [`receive`](Self::receive).
    pub fn receive_unended(
        &mut self,
        deadline: Instant,
        stop: &AtomicBool,
        quiet: Duration,
        is_whole: impl Fn(&[u8]) -> bool,
    ) -> Result<&str, ChildError> {
        let line = loop {
            if let Some(line) = self.line_at_hand()? {
                break line;
            }
            // Read the clock only for an unfinished line, not for each finished one.
            if self.pipes.lines.unfinished().is_empty() {
                self.wait_for_line(deadline, stop)?;
                continue;
            }
            match self.next_line(deadline.min(Instant::now() + quiet), stop) {
                Err(ChildError::Deadline) if is_whole(self.pipes.lines.unfinished()) => {
                    if let Some(line) = self.pipes.lines.take_rest() {
                        break line;
                    }
                }
                Err(ChildError::Deadline) if Instant::now() < deadline => {}
                line => break line?,
            }
        };
        Ok(self.received(line))
    }

    /// The time of the last read of a line, taken right after it.
    pub fn received_at(&self) -> Instant {
        self.pipes.read_at
    }

    /// The next line that is already available; `None` if there is none, now or ever.
    ///
    /// # Errors
    ///
    /// [`ChildError::Io`]
    pub fn pending(&mut self) -> Result<Option<&str>, ChildError> {
        match self.pipes.take_pending()? {
            Some(line) => Ok(Some(self.received(line))),
            None => Ok(None),
        }
    }

    /// Discards the available lines, up to 2 MiB; only the tail and the trace see them. Returns their number.
    ///
    /// # Errors
    ///
    /// [`ChildError::Io`]
    pub fn drain(&mut self) -> Result<usize, ChildError> {
        let mut count = 0;
        for _ in 0..MOST_READS {
            while let Some(line) = self.pipes.lines.take() {
                self.received(line);
                count += 1;
            }
            if !self.pipes.read_output()? {
                break;
            }
        }
        self.pipes.use_up_errors(&mut self.log);
        Ok(count)
    }

    fn received(&mut self, line: Range<usize>) -> &str {
        let bytes = self.pipes.lines.get(line);
        let text = if let Ok(text) = std::str::from_utf8(bytes) {
            text
        } else {
            self.lossy.clear();
            self.lossy.push_str(&String::from_utf8_lossy(bytes));
            &self.lossy
        };
        self.log.note(Direction::Received, self.pipes.read_at, text);
        text
    }

    /// Whether the process is still running.
    pub fn is_alive(&self) -> bool {
        self.exit().is_none()
    }

    /// How the process ended; `None` while it lives.
    pub fn exit(&self) -> Option<Exit> {
        self.death.exit()
    }

    /// Waits for the end of the process, while it logs standard error and discards the rest of the output. After
    /// [`ChildError::Closed`] this tells the reason: a crashing process closes its pipes before it is dead.
    pub fn wait_for_exit(&mut self, deadline: Instant) -> Option<Exit> {
        loop {
            if let Some(exit) = self.exit() {
                let _lines = self.drain();
                return Some(exit);
            }
            let timeout = nap_until(deadline)?;
            let _lines = self.drain();
            self.pipes.wait_for_output(&self.death, timeout, &mut self.log).ok()?;
        }
    }

    /// The last lines to and from the process.
    pub fn tail(&self) -> Tail {
        self.log.tail()
    }

    /// The process number, which is also its group's.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How long the process's threads have waited for a CPU while they were ready to run, which is the host's fault.
    /// `None` where the kernel does not count it. Threads that ended no longer count, so the value can fall.
    pub fn run_delay(&self) -> Option<Duration> {
        platform::run_delay(self.pid())
    }

    /// How long the host has kept the process waiting so far.
    fn delay_by_host(&self) -> HostDelay {
        let queued = platform::run_delay_of_family(self.pid()).unwrap_or_default();
        HostDelay { queued, overslept: self.overslept }
    }

    /// Sends the closing line (such as `quit`; it may be empty), closes the engine's input, gives the engine time to
    /// exit, and kills what is left of its process group. Returns its exit status; `None` if it had to be killed.
    #[expect(clippy::must_use_candidate, reason = "most callers do not care how it ended")]
    pub fn shut_down(mut self, farewell: &str, grace: Duration) -> Option<Exit> {
        let deadline = Instant::now() + grace;
        let _does_not_listen = self.send(farewell, deadline);
        self.pipes.close_input();
        self.wait_for_exit(deadline)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let group = self.death.pid();
        // The leader is not reaped, so the number is still the group's.
        let _already_gone = kill_process_group(group, Signal::KILL);
        // A process that the system cannot end now (a dead disk) stays registered and keeps its number until spar ends.
        if self.death.wait(Instant::now() + LAST_WAIT) {
            self.spawner.unregister(group);
            let _reaped = self.process.wait();
        }
    }
}
