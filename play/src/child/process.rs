//! One engine process: lines in and out with deadlines, evidence of what it did, and its end.
//!
//! Every wait here has a deadline that the caller gives. A thread that plays a game waits in one `poll` for all that
//! can happen: a line, a complaint on standard error, the process's death, a request to stop (seen every 50 ms).

use super::death::Death;
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
/// How long a fair wait sleeps at most before it looks whether it woke up in time.
const FAIR_NAP: Duration = Duration::from_secs(1);

/// Why a line was not sent or received.
#[derive(Debug, Error)]
pub enum ChildError {
    /// The deadline has passed.
    #[error("no answer in time")]
    Deadline,
    /// We were asked to stop.
    #[error("stopped")]
    Stopped,
    /// It has closed its end of the pipe, most likely by dying.
    #[error("the engine has closed its end")]
    Closed,
    /// The system refused, for a reason that is not the engine's.
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

/// A process of ours in a process group of its own. Dropped, the group is killed and the process reaped, which takes
/// as long as the system takes to end it, at most a second.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    death: Death,
    pipes: Pipes,
    log: Log,
    /// The last line, if it was not UTF-8.
    lossy: String,
    /// By how much fair waits woke up too late, in all.
    overslept: Duration,
    /// Dropped last: the thread that started the process must not end before it.
    spawner: Spawner,
}

impl Child {
    /// Takes over a process just started, the leader of its group. On failure it is killed.
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

    /// Hands every line from now on to `trace`, too.
    pub fn set_trace(&mut self, trace: Trace) {
        self.log.set_trace(trace);
    }

    /// Sends text, which should be whole lines with their ends.
    ///
    /// # Errors
    ///
    /// [`ChildError::Deadline`] if the engine does not read (part of the text may be sent), [`ChildError::Closed`] if
    /// it never will.
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

    /// The input is full. What the engine prints meanwhile is not read: it may wait for us no more than we for it.
    fn wait_for_room(&mut self, deadline: Instant) -> Result<(), ChildError> {
        let timeout = nap_until(deadline).ok_or(ChildError::Deadline)?;
        let died = self.pipes.wait_for_room(&self.death, timeout, &mut self.log)?;
        if died { Err(ChildError::Closed) } else { Ok(()) }
    }

    /// The next line, without its end. An unfinished line counts when the output ends. What is not UTF-8 is replaced;
    /// a line over [`LONGEST_LINE`](super::LONGEST_LINE) is cut.
    ///
    /// # Errors
    ///
    /// [`ChildError::Deadline`] if there is no further line by then (lines read before are still handed out, so that
    /// a flood ends, too); [`ChildError::Stopped`] at most 50 ms after `stop` was set; [`ChildError::Closed`] if there
    /// will be none.
    pub fn receive(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<&str, ChildError> {
        let line = self.next_line(deadline, stop)?;
        Ok(self.received(line))
    }

    /// A deadline that does not count how long the host keeps the process waiting for a processor from now on.
    pub fn fair_deadline(&self, at: Instant) -> FairDeadline {
        FairDeadline::new(at, self.delay_by_host())
    }

    /// When the answer is due, by how long the host has kept the process waiting so far.
    pub fn due(&self, deadline: FairDeadline) -> Instant {
        deadline.after(self.delay_by_host())
    }

    /// The next line, as [`receive`](Self::receive) has it. A process that is ready to run but gets no processor is not
    /// late, and neither is one that waits for another that it has started. The host is also to blame for what this
    /// thread wakes up too late, for instance because a virtual machine was paused.
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

    /// Where the next line is.
    fn next_line(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<Range<usize>, ChildError> {
        loop {
            if let Some(line) = self.line_at_hand()? {
                return Ok(line);
            }
            self.wait_for_line(deadline, stop)?;
        }
    }

    /// Where the next line is of those that were read; `None` if there may be more to read.
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

    /// The next line, as [`receive`](Self::receive) has it; or one that is not ended and that `is_whole` takes for
    /// whole, when nothing more has come for about `quiet`.
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
            // The clock is read for a line that is not ended, and not for each that is.
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

    /// When the last line was read, taken right after it was.
    pub fn received_at(&self) -> Instant {
        self.pipes.read_at
    }

    /// The next line that is there already; `None` if there is none, now or ever.
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

    /// Throws away the lines that are there, up to 2 MiB; only the tail and the trace see them. Returns how many.
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

    /// Whether it has not ended yet.
    pub fn is_alive(&self) -> bool {
        self.exit().is_none()
    }

    /// How it ended; `None` while it lives.
    pub fn exit(&self) -> Option<Exit> {
        self.death.exit()
    }

    /// Waits for its end, reading what it still prints on standard error, and throwing away the rest of its output.
    /// After [`ChildError::Closed`] this tells why: a crashing process closes its pipes before it is dead.
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

    /// The last lines between us.
    pub fn tail(&self) -> Tail {
        self.log.tail()
    }

    /// Its process number, which is its group's, too.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How long its threads have waited for a CPU while they were ready to run: the host's fault, not theirs. `None`
    /// where the kernel does not count it. Threads that ended no longer count, so it can fall.
    pub fn run_delay(&self) -> Option<Duration> {
        platform::run_delay(self.pid())
    }

    /// How long the host has kept it waiting so far.
    fn delay_by_host(&self) -> Duration {
        platform::run_delay_of_family(self.pid()).unwrap_or_default() + self.overslept
    }

    /// Sends the closing line (such as `quit`; it may be empty), closes the engine's input, gives it time to exit, and
    /// kills what is left of its process group. Returns its exit status; `None` if it had to be killed.
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
        // Its leader is not reaped, so the number is still the group's.
        let _already_gone = kill_process_group(group, Signal::KILL);
        // One that the system cannot end now (a dead disk) stays registered, and its number taken, until we end.
        if self.death.wait(Instant::now() + LAST_WAIT) {
            self.spawner.unregister(group);
            let _reaped = self.process.wait();
        }
    }
}
