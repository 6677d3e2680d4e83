//! The three pipes of a process, never blocking: bytes in and out, and which of them is ready.

use super::death::Death;
use super::lines::LineBuffer;
use super::log::Log;
use super::tail::Direction;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

/// The maximum number of successive reads from one pipe that is being emptied: 2 MiB in all.
pub(super) const MOST_READS: usize = 16;

/// This process's ends of the pipes. A closed one is `None`.
#[derive(Debug)]
pub(super) struct Pipes {
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    errors: Option<OwnedFd>,
    /// The bytes read from `output`.
    pub(super) lines: LineBuffer,
    complaints: LineBuffer,
    /// The time of the last read from `output`.
    pub(super) read_at: Instant,
}

/// The result of a wait.
struct Ready {
    /// Whether the awaited pipe is ready.
    pipe: bool,
    errors: bool,
    died: bool,
}

impl Pipes {
    /// Takes the pipes of a process that was started with all three, and makes this process's ends non-blocking.
    pub(super) fn of(process: &mut std::process::Child) -> io::Result<Self> {
        let input = process.stdin.take().map(OwnedFd::from);
        let output = process.stdout.take().map(OwnedFd::from);
        let errors = process.stderr.take().map(OwnedFd::from);
        for pipe in [&input, &output, &errors].into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        let (lines, complaints) = (LineBuffer::new(), LineBuffer::new());
        Ok(Self { input, output, errors, lines, complaints, read_at: Instant::now() })
    }

    /// Whether the output has ended.
    pub(super) fn output_ended(&self) -> bool {
        self.output.is_none()
    }

    /// Closes the input: the process will read the end of it.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Writes as many bytes as fit. `AGAIN`: the pipe is full; `PIPE`: its reader is closed.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<usize, Errno> {
        rustix::io::write(self.input.as_ref().ok_or(Errno::PIPE)?, bytes)
    }

    /// Waits until a pipe has output or the process died, and reads one portion of each pipe.
    pub(super) fn wait_for_output(&mut self, death: &Death, timeout: Timespec, log: &mut Log) -> Result<(), Errno> {
        let ready = self.wait(self.output.as_ref(), PollFlags::IN, death, timeout)?;
        if ready.pipe {
            self.read_output()?;
        } else if ready.died {
            // All output of the process has been read. Processes that it left behind may hold the pipe open for ever.
            self.output = None;
        }
        if self.output.is_none() {
            self.use_up_errors(log);
        } else if ready.errors {
            self.read_errors(log);
        }
        Ok(())
    }

    /// Waits until the input has room or the process died; returns true if it died.
    pub(super) fn wait_for_room(&mut self, death: &Death, timeout: Timespec, log: &mut Log) -> Result<bool, Errno> {
        let ready = self.wait(self.input.as_ref(), PollFlags::OUT, death, timeout)?;
        if ready.errors {
            self.read_errors(log);
        }
        Ok(ready.died)
    }

    /// Waits for a pipe, for standard error and for death. A pipe that is closed is never ready.
    fn wait(&self, pipe: Option<&OwnedFd>, flags: PollFlags, death: &Death, timeout: Timespec) -> Result<Ready, Errno> {
        let nothing = || death.watch(PollFlags::empty());
        let first = pipe.map_or_else(nothing, |pipe| PollFd::from_borrowed_fd(pipe.as_fd(), flags));
        let errors = self.errors.as_ref();
        let second = errors.map_or_else(nothing, |pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
        let mut watched = [first, second, death.watch(PollFlags::IN)];
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        let [on_pipe, errors, died] = watched.map(|one| !one.revents().is_empty());
        Ok(Ready { pipe: on_pipe && pipe.is_some(), errors: errors && self.errors.is_some(), died })
    }

    /// Reads a portion of the output; returns false if there was none.
    pub(super) fn read_output(&mut self) -> Result<bool, Errno> {
        let Some(pipe) = &self.output else { return Ok(false) };
        match rustix::io::read(pipe, self.lines.room()) {
            Ok(0) => self.output = None,
            Ok(count) => {
                self.read_at = Instant::now();
                self.lines.filled(count);
                return Ok(true);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        Ok(false)
    }

    /// Reads a portion of standard error into the log; returns false if there was none.
    fn read_errors(&mut self, log: &mut Log) -> bool {
        let Some(pipe) = &self.errors else { return false };
        match rustix::io::read(pipe, self.complaints.room()) {
            Ok(count) if count > 0 => self.complaints.filled(count),
            Err(Errno::AGAIN | Errno::INTR) => return false,
            // Ended, or broken: neither affects the game.
            _ => self.errors = None,
        }
        let now = Instant::now();
        while let Some(line) = self.complaints.take() {
            log.note_bytes(Direction::Complaint, now, self.complaints.get(line));
        }
        if self.errors.is_none()
            && let Some(line) = self.complaints.take_rest()
        {
            log.note_bytes(Direction::Complaint, now, self.complaints.get(line));
        }
        self.errors.is_some()
    }

    /// Reads the available part of standard error, within bounds.
    pub(super) fn use_up_errors(&mut self, log: &mut Log) {
        for _ in 0..MOST_READS {
            if !self.read_errors(log) {
                break;
            }
        }
    }

    /// Takes a line that is available, reading at most one portion.
    pub(super) fn take_pending(&mut self) -> Result<Option<Range<usize>>, Errno> {
        let mut line = self.lines.take();
        if line.is_none() && self.read_output()? {
            line = self.lines.take();
        }
        Ok(line)
    }
}
