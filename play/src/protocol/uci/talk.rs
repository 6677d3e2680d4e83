//! Decides which `bestmove` answers which `go`. UCI numbers neither, and engines make errors: they print a move twice,
//! or keep printing after it, even some milliseconds later, when the next search has been requested.
//!
//! An engine's output is in order, and it answers `isready` in its turn. So nothing that came before a `readyok`
//! requested before a `go` is an answer to that `go`. Such a barrier costs a line each way, so it is put up only
//!
//! * between games,
//! * before a `go`, in one write, once the engine has printed something unrequested.
//!
//! The first time there is no barrier yet, and the text alone decides nothing: in Chess960 a king on g1 with a rook on
//! h1 castles by `g1h1` and may go to h1 by `g1h1` after it. So an answer without a barrier is *suspicious* if it is
//! illegal, if it repeats the previous answer, or if no search output came with it; an answer behind a barrier only if
//! it is illegal. A suspicious answer is [settled](Talk::settle) by an `isready` sent after it. An engine that reads
//! its input between searches then still has to make its real move, and prints that before `readyok`; if it has made it
//! already, only `readyok` comes, at once. An engine that prints and searches in two threads answers `readyok` at once
//! in both cases. A legal answer of such an engine is accepted; after an illegal one, which would lose the game, the
//! engine gets some more time to show that it is still searching.

use super::super::evaluation::Bound;
use super::command::UciCommand;
use super::info::Info;
use super::message::Message;
use crate::child::{Child, ChildError, FairDeadline};
use crate::player::LinesKept;
use crate::players::process::STOP_TIMEOUT;
use crate::variation::is_best;
use record::MoveInfo;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The maximum number of bytes kept of the lines of one search.
const MOST_KEPT: usize = 1 << 16;

/// How long an unfinished line with a move may stay silent before it is accepted as it stands.
const QUIET: Duration = Duration::from_millis(250);

/// A `bestmove`, and the data that came with it.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The move as written.
    pub(super) text: String,
    /// The opponent's move that the engine expects, as written, if it names one.
    pub(super) expected: Option<String>,
    /// The search data up to the answer.
    pub(super) info: MoveInfo,
    /// When the answer was read.
    pub(super) at: Instant,
    /// Whether search lines came before the answer.
    has_search: bool,
    /// Whether all output from before `go` is known to have been read before the answer.
    behind_barrier: bool,
    /// Whether the answer repeats the previous one.
    is_repeated: bool,
}

impl Answer {
    /// Whether the answer may belong to an earlier `go`; `is_legal` tells whether it can be played.
    pub(super) fn is_suspicious(&self, is_legal: bool) -> bool {
        !is_legal || !self.behind_barrier && (self.is_repeated || !self.has_search)
    }

    /// Whether the answer came from a search and is new, unlike a late copy.
    fn is_of_its_own(&self) -> bool {
        self.has_search && !self.is_repeated
    }
}

/// Lines to and from an engine.
pub(super) struct Talk {
    /// The engine's process.
    pub(super) child: Child,
    /// The number of `readyok` still to come.
    owed: u32,
    /// Whether a `readyok` has come since the last answer.
    ready: bool,
    /// Whether the engine has printed something unrequested.
    is_doubtful: bool,
    /// The last answer.
    last: String,
    /// The kept lines of the current search.
    pub(super) kept: Kept,
}

/// The lines kept of one search.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Which lines to keep.
    pub(super) what: LinesKept,
    lines: Vec<String>,
    bytes: usize,
}

impl Kept {
    /// Takes the lines out.
    pub(super) fn take(&mut self) -> Vec<String> {
        self.bytes = 0;
        std::mem::take(&mut self.lines)
    }

    /// Keeps a line if it is wanted. If an engine floods, only the beginning and the last line are kept.
    fn note(&mut self, line: &str, info: &Info<'_>) {
        let is_wanted = match self.what {
            LinesKept::None => false,
            LinesKept::Last => is_best(info),
            LinesKept::All => true,
            // After the search spar finds out whether the line can be played, and whether it begins with the move.
            LinesKept::Illegal | LinesKept::LastAndIllegal => info.pv.is_some() || info.evaluation.is_some(),
        };
        if !is_wanted {
            return;
        }
        if self.what == LinesKept::Last {
            let _one_before = self.take();
        }
        if self.bytes.saturating_add(line.len()) > MOST_KEPT {
            let _one_before = self.lines.pop();
        } else {
            self.bytes += line.len();
        }
        self.lines.push(line.trim_end().to_owned());
    }
}

impl Talk {
    pub(super) fn new(child: Child) -> Self {
        let kept = Kept::default();
        Self { child, owed: 0, ready: false, is_doubtful: false, last: String::new(), kept }
    }

    /// Sends lines and `isready`, and waits for `readyok`.
    ///
    /// # Errors
    /// [`ChildError`].
    pub(super) fn synchronise(
        &mut self,
        mut lines: String,
        deadline: FairDeadline,
        stop: &AtomicBool,
    ) -> Result<(), ChildError> {
        UciCommand::IsReady.write_line(&mut lines);
        self.owed += 1;
        self.child.send(&lines, deadline.at())?;
        while self.owed > 0 {
            let is_ready = Message::parse(self.child.receive_fairly(deadline, stop)?) == Message::ReadyOk;
            self.owed -= u32::from(is_ready);
        }
        self.ready = true;
        Ok(())
    }

    /// Sends `lines`, which end with `go`, and waits for the answer.
    ///
    /// # Errors
    /// [`ChildError`], [`ChildError::Deadline`] among them.
    pub(super) fn ask(&mut self, lines: &str, deadline: Instant, stop: &AtomicBool) -> Result<Answer, ChildError> {
        self.begin(lines, deadline)?;
        self.answer(deadline, stop)
    }

    /// Sends `lines`, which end with `go`.
    ///
    /// # Errors
    /// [`ChildError`].
    pub(super) fn begin(&mut self, lines: &str, deadline: Instant) -> Result<(), ChildError> {
        let _of_the_last_search = self.kept.take();
        while let Some(line) = self.child.pending()? {
            if self.owed > 0 && Message::parse(line) == Message::ReadyOk {
                // It came after the last answer was accepted.
                self.owed -= 1;
                self.ready = self.owed == 0;
            } else {
                (self.is_doubtful, self.ready) = (true, false);
                break;
            }
        }
        if self.is_doubtful && !self.ready {
            self.owed += 1;
            self.child.send(&format!("{}\n{lines}", UciCommand::IsReady), deadline)
        } else {
            self.child.send(lines, deadline)
        }
    }

    /// Sends a command about a running search, and waits for the search's answer.
    ///
    /// # Errors
    /// [`ChildError`], [`ChildError::Deadline`] among them.
    pub(super) fn end_search(
        &mut self,
        command: UciCommand<'_>,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<Answer, ChildError> {
        self.child.send(&format!("{command}\n"), deadline)?;
        self.answer(deadline, stop)
    }

    /// Waits for `bestmove`, behind the barrier if there is one.
    ///
    /// # Errors
    /// [`ChildError`].
    pub(super) fn answer(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<Answer, ChildError> {
        let behind_barrier = self.ready || self.owed > 0;
        self.ready = false;
        let mut search = SearchState::default();
        loop {
            let line = self.child.receive_unended(deadline, stop, QUIET, is_move)?;
            match Message::parse(line) {
                Message::ReadyOk => self.owed = self.owed.saturating_sub(1),
                _ if self.owed > 0 => {}
                Message::Info(info) => {
                    search.note(&info);
                    self.kept.note(line, &info);
                }
                Message::BestMove { mv, ponder } => {
                    let (is_repeated, expected) = (mv == self.last, ponder.map(str::to_owned));
                    mv.clone_into(&mut self.last);
                    let answer = search.answer(&self.last, self.child.received_at());
                    return Ok(Answer { expected, behind_barrier, is_repeated, ..answer });
                }
                _ => {}
            }
        }
    }

    /// Finds out by a round trip whether a suspicious answer belongs to the last `go`; returns the answer that does.
    ///
    /// # Errors
    /// Only [`ChildError::Stopped`]: if anything else happens to the engine, it has still answered.
    pub(super) fn settle(
        &mut self,
        suspicious: Answer,
        is_legal: &dyn Fn(&str) -> bool,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<Answer, ChildError> {
        let mut doubt = SuspectAnswer::new(suspicious, is_legal, deadline);
        self.owed += 1;
        let is_deaf = self.child.send(&format!("{}\n", UciCommand::IsReady), deadline).is_err();
        while !is_deaf && !doubt.is_settled(self.owed == 0) {
            let line = self.child.receive_unended(doubt.until, stop, QUIET, is_move).map(Message::parse);
            match line {
                Err(ChildError::Stopped) => return Err(ChildError::Stopped),
                Err(_) => break,
                Ok(Message::ReadyOk) => self.owed = self.owed.saturating_sub(1),
                Ok(Message::Info(info)) => doubt.note(&info),
                Ok(Message::BestMove { mv, .. }) => doubt.hear(mv, Instant::now()),
                Ok(_) => continue,
            }
            self.ready = self.owed == 0;
            doubt.wait_on(self.ready, deadline);
        }
        self.is_doubtful |= doubt.later.is_some();
        let answer = doubt.later.unwrap_or(doubt.first);
        answer.text.clone_into(&mut self.last);
        Ok(answer)
    }
}

/// A suspicious answer, and the output since.
struct SuspectAnswer<'a> {
    first: Answer,
    is_legal: &'a dyn Fn(&str) -> bool,
    later: Option<Answer>,
    /// The search output since the first answer, and since the last one.
    search: SearchState,
    since: SearchState,
    /// When to give up; the first answer then counts.
    until: Instant,
}

impl<'a> SuspectAnswer<'a> {
    fn new(first: Answer, is_legal: &'a dyn Fn(&str) -> bool, deadline: Instant) -> Self {
        Self {
            first,
            is_legal,
            later: None,
            search: SearchState::default(),
            since: SearchState::default(),
            until: deadline,
        }
    }

    fn note(&mut self, info: &Info<'_>) {
        self.search.note(info);
        self.since.note(info);
    }

    /// Notes a further move. If there are several, the first legal one from a search counts, otherwise the first legal
    /// one.
    fn hear(&mut self, mv: &str, at: Instant) {
        let answer = std::mem::take(&mut self.since).answer(mv, at);
        let is_better = |later: &Answer| {
            !(self.is_legal)(&later.text) || answer.has_search && !later.has_search && (self.is_legal)(&answer.text)
        };
        if self.later.as_ref().is_none_or(is_better) {
            self.later = Some(answer);
        }
    }

    /// Whether the wait is over; `is_ready` tells whether `readyok` has come.
    fn is_settled(&self, is_ready: bool) -> bool {
        let is_clear = !self.search.has_search && ((self.is_legal)(&self.first.text) || self.first.is_of_its_own());
        is_ready && (self.later.is_some() || is_clear)
    }

    /// Sets the deadline after a line from the engine: after `readyok` an engine must show soon that it is still
    /// searching. An engine whose answer cannot be played has all its time once it has shown that.
    fn wait_on(&mut self, is_ready: bool, deadline: Instant) {
        let is_patient = !is_ready || self.search.has_search && !(self.is_legal)(&self.first.text);
        self.until = if is_patient { deadline } else { deadline.min(Instant::now() + STOP_TIMEOUT) };
    }
}

/// The data that an engine has reported about a search.
#[derive(Clone, Copy, Default)]
struct SearchState {
    info: MoveInfo,
    has_search: bool,
}

impl SearchState {
    /// Notes one `info` line. Of several variations only the first counts; a bound never replaces a score.
    fn note(&mut self, info: &Info<'_>) {
        self.has_search |=
            info.depth.is_some() || info.nodes.is_some() || info.evaluation.is_some() || info.pv.is_some();
        if info.multipv.is_some_and(|number| number > 1) {
            return;
        }
        let known = &mut self.info;
        known.nodes = info.nodes.unwrap_or(known.nodes);
        known.tbhits = info.tbhits.unwrap_or(known.tbhits);
        known.hashfull = info.hashfull.unwrap_or(known.hashfull);
        known.time = info.time.or(known.time);
        let is_exact = info.bound == Bound::Exact;
        if let Some(score) = info.evaluation.filter(|_| is_exact || known.score.is_none()) {
            known.score = Some(score);
            known.depth = info.depth.unwrap_or(known.depth);
            known.seldepth = info.seldepth.unwrap_or(known.seldepth);
        }
    }

    /// The answer that ends the search. The caller corrects `behind_barrier`.
    fn answer(&self, mv: &str, at: Instant) -> Answer {
        let Self { info, has_search } = *self;
        let (text, expected) = (mv.to_owned(), None);
        Answer { text, expected, info, at, has_search, behind_barrier: true, is_repeated: false }
    }
}

fn is_move(line: &[u8]) -> bool {
    line.starts_with(b"bestmove ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::{ChildSpec, Spawner};

    /// Answers `isready` and `go`.
    const ENGINE: &str = r"
        printf 'hello\nreadyok\n'
        while read -r line; do
            case $line in
                isready) echo readyok;;
                go) echo bestmove e7e5;;
            esac
        done";

    /// The engine answers a doubt only after its move was accepted.
    #[test]
    fn a_late_readyok_leaves_no_debt() {
        let arguments = ["-c", ENGINE].map(str::to_owned).to_vec();
        let spawner = Spawner::start(None).unwrap();
        let child = spawner.spawn(&ChildSpec { arguments, ..ChildSpec::new("/bin/sh") }).unwrap();
        let (deadline, stop) = (Instant::now() + Duration::from_mins(1), AtomicBool::new(false));
        let mut talk = Talk::new(child);
        talk.owed = 1;
        assert_eq!(talk.child.receive(deadline, &stop).unwrap(), "hello", "`readyok` was written with it");
        for _ in 0..2 {
            let answer = talk.ask("go\n", deadline, &stop).unwrap();
            assert_eq!((answer.text.as_str(), talk.owed), ("e7e5", 0));
        }
    }
}
