//! The request of one move from a process: its deadlines, how long the host kept the process waiting, and how an
//! answer, a late answer or none is judged. All protocols use it.

use super::failure;
use crate::child::{Child, ChildError};
use crate::clock::{Limit, TimeAllowed};
use crate::entrant::ProcessSpec;
use crate::game::Game;
use crate::platform::own_run_delay;
use crate::player::{Failure, MoveFailure, Reply, Turn};
use record::{Fault, MoveInfo};
use std::time::{Duration, Instant};

/// A pending request for a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveRequest {
    deadline: Deadline,
    meter: DelayMeter,
}

impl MoveRequest {
    /// Starts the process's time: the caller must send the request at once.
    pub(crate) fn start<G: Game>(child: &Child, turn: &Turn<'_, G>, process: &ProcessSpec) -> Self {
        let meter = DelayMeter::start(child, process.limit);
        Self { deadline: Deadline::of(turn, process, Instant::now()), meter }
    }

    /// The time at which to give up.
    pub(crate) fn until(&self) -> Instant {
        self.deadline.at
    }

    /// Judges an answer that was read at `answered`, possibly too late; `read` interprets it.
    ///
    /// # Errors
    /// The overrun, or the fault that `read` finds.
    pub(crate) fn answered<M>(
        &self,
        child: &Child,
        info: MoveInfo,
        answered: Instant,
        read: impl FnOnce() -> Result<M, MoveFailure>,
    ) -> Result<Reply<M>, Failure> {
        let delayed = self.meter.read(child);
        let late = self.deadline.overrun(answered).map(MoveFailure::Fault);
        let mv = late.map_or_else(read, Err);
        let refuse = |why| Failure { why, delayed, evidence: Some(child.tail().to_string()) };
        let spent = Some(answered - self.deadline.asked);
        Ok(Reply { spent, delayed, ..Reply::new(mv.map_err(refuse)?, info) })
    }

    /// The failure without an answer in time; `answered` is when one came after all, if it did.
    pub(crate) fn missed(&self, child: &Child, answered: Option<Instant>) -> Failure {
        // Waits after the deadline count too: they have made the overrun longer.
        let delayed = self.meter.read(child);
        Failure { delayed, evidence: Some(child.tail().to_string()), ..self.deadline.missed(answered).into() }
    }

    /// The failure of a process that has ended, or cannot be talked to.
    pub(crate) fn broken(&self, child: &mut Child, error: &ChildError) -> Failure {
        let delayed = self.meter.read(child);
        Failure { delayed, ..failure(child, error, self.deadline.asked) }
    }
}

/// The deadlines of one move.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    /// The time of the request.
    asked: Instant,
    /// The time for the move, without the margin; `None` where no clock runs.
    time: Option<Duration>,
    /// The time at which to give up.
    at: Instant,
}

impl Deadline {
    fn of<G: Game>(turn: &Turn<'_, G>, process: &ProcessSpec, asked: Instant) -> Self {
        let time = turn.allowance.time.map(TimeAllowed::most);
        let timeouts = time.map_or(process.timeouts.answer, |time| time.saturating_add(turn.margin));
        // Far beyond any game, and within the range of the clock.
        let timeouts = timeouts.min(Duration::from_hours(24 * 365));
        Self { asked, time, at: asked + timeouts }
    }

    /// The fault of an answer that came at `answered`, if that was too late.
    fn overrun(&self, answered: Instant) -> Option<Fault> {
        (self.time.is_some() && answered > self.at).then(|| self.missed(Some(answered)))
    }

    /// The fault of a process that answered after the deadline, at `answered`, or not at all.
    fn missed(&self, answered: Option<Instant>) -> Fault {
        match (self.time, answered) {
            (Some(time), Some(at)) => Fault::Time { over: (at - self.asked).saturating_sub(time) },
            _ => Fault::Silence { after: self.at - self.asked },
        }
    }
}

/// Measures how long the host keeps a process waiting within one move, where time decides anything.
#[derive(Clone, Copy, Debug)]
struct DelayMeter {
    before: Option<Duration>,
}

impl DelayMeter {
    fn start(child: &Child, limit: Limit) -> Self {
        Self { before: limit.reads_time().then(|| delays(child)).flatten() }
    }

    fn read(self, child: &Child) -> Duration {
        let Some(before) = self.before else { return Duration::ZERO };
        delays(child).map_or(Duration::ZERO, |now| now.saturating_sub(before))
    }
}

/// How long the engine, and this thread that waits for it, have waited for a processor so far.
fn delays(child: &Child) -> Option<Duration> {
    Some(child.run_delay()? + own_run_delay()?)
}
