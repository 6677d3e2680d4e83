//! The steps of a check for UCI engines.

use super::super::option::OptionDeclaration;
use super::command::{Start, UciCommand};
use super::message::Message;
use crate::Evaluation;
use crate::check::examine::{self, CheckedEngine, ENDS, GENEROUS, Outcome, POSITIONS, Step, failed, pass, warned};
use crate::check::finding::{Check, Finding, Grade};
use crate::child::{Child, ChildError, FairDeadline};
use crate::games::Rules;
use crate::players::process::STOP_TIMEOUT;
use crate::variation::is_last_word;
use std::time::{Duration, Instant};

/// The engine's reports up to its move.
#[derive(Default)]
struct SearchOutput {
    mv: String,
    pv: Option<String>,
    /// The last line, if it has a variation.
    last: Option<String>,
    score: Option<Evaluation>,
    depth: Option<u32>,
    nodes: Option<u64>,
    took: Duration,
}

/// The state of an engine in the check.
struct UciEngine {
    child: Child,
    declared: Vec<OptionDeclaration>,
}

type EngineUnderTest<'a> = examine::EngineUnderTest<'a, UciEngine>;

/// Returns whether whole games should be played next.
pub(super) fn run(check: &Check<'_>, tell: &mut dyn FnMut(Finding)) -> bool {
    let step = "starts, and answers `uci` with `uciok`";
    let subject = match EngineUnderTest::start(check) {
        Ok((subject, names)) => {
            tell(Finding::new(step, Grade::Pass, ""));
            let grade = if names == 2 { Grade::Pass } else { Grade::Warning };
            tell(Finding::new(
                "says its name and author",
                grade,
                if names == 2 { "" } else { "`id` lines are missing" },
            ));
            subject
        }
        Err(why) => {
            tell(Finding::new(step, Grade::Failure, why));
            return false;
        }
    };
    let Some(engine) = examine::all(subject, &steps(), tell) else { return false };
    tell(examine::farewell(engine.child, "quit\n", "ends within a second of `quit`"));
    true
}

impl CheckedEngine for UciEngine {
    fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    fn start<'a>(check: &'a Check<'a>) -> Result<EngineUnderTest<'a>, String> {
        EngineUnderTest::start(check).map(|(subject, _)| subject)
    }
}

fn steps<'a>() -> [Step<EngineUnderTest<'a>>; 15] {
    [
        ("declares options whose defaults suit their types", |subject| {
            examine::defaults_are_sound(&subject.engine.declared)
        }),
        ("takes the default of each of its options", |subject| subject.takes_defaults()),
        ("is ready for a new game", |subject| subject.outcome_of_ready("ucinewgame\n")),
        ("moves at `go depth 1`", |subject| subject.moves(Start::Initial, "", "depth 1", GENEROUS)),
        ("moves at `go nodes 100`, and searches few more", |subject| subject.keeps_to_nodes()),
        ("moves at `go movetime 100`, in time", |subject| subject.moves(Start::Initial, "", "movetime 100", IN_TIME)),
        ("moves with a second on its clock, in time", |subject| {
            subject.moves(Start::Initial, "", "wtime 1000 btime 1000 winc 10 binc 10", Duration::from_secs(1))
        }),
        ("answers each `go` with one `bestmove`", |subject| subject.moves_once()),
        ("says depth, score and nodes", |subject| subject.says_enough()),
        ("shows principal variations of legal moves", |subject| subject.has_legal_variation()),
        ("moves in positions it is given", |subject| subject.moves_in_positions()),
        ("survives positions without a legal move", |subject| subject.survives_the_end()),
        ("answers `isready` while it searches", |subject| subject.is_ready_while_searching()),
        ("stops an infinite search within a second of `stop`", |subject| subject.stops()),
        ("ignores an unknown command", |subject| subject.outcome_of_ready("no such command\n")),
    ]
}

/// Many engines check the limit only at intervals.
const MANY_NODES: u64 = 10_000;
/// The time limit for a search of 100 ms, with a generous share for the host.
const IN_TIME: Duration = Duration::from_millis(150);

impl<'a> EngineUnderTest<'a> {
    /// Starts the engine; also returns how many of its names it reports.
    fn start(check: &'a Check<'a>) -> Result<(Self, usize), String> {
        let child = check.starter.spawn(check.process)?;
        let mut subject = Self::new(check, UciEngine { child, declared: Vec::new() });
        let names = subject.greet().map_err(|error| subject.why(&error))?;
        let mut lines = String::new();
        if let Rules::Chess(chess) = check.game.rules() {
            for (name, value) in chess.uci_options() {
                UciCommand::SetOption { name, value: Some(value) }.write_line(&mut lines);
            }
        }
        for (name, value) in check.process.options.iter() {
            UciCommand::SetOption { name, value: Some(value) }.write_line(&mut lines);
        }
        subject.ready(&lines).map_err(|error| subject.why(&error))?;
        Ok((subject, names))
    }

    fn greet(&mut self) -> Result<usize, ChildError> {
        let deadline = self.deadline();
        self.engine.child.send("uci\n", deadline.at())?;
        let mut names = 0;
        loop {
            match Message::parse(self.engine.child.receive_fairly(deadline, self.check.stop)?) {
                Message::Name(_) | Message::Author(_) => names += 1,
                Message::Option(option) => self.engine.declared.push(option),
                Message::UciOk => return Ok(names),
                _ => {}
            }
        }
    }

    fn ready(&mut self, lines: &str) -> Result<(), ChildError> {
        let deadline = self.deadline();
        self.engine.child.send(&format!("{lines}isready\n"), deadline.at())?;
        while Message::parse(self.engine.child.receive_fairly(deadline, self.check.stop)?) != Message::ReadyOk {}
        Ok(())
    }

    /// The deadline for requests that need no search.
    fn deadline(&self) -> FairDeadline {
        self.engine.child.fair_deadline(Instant::now() + self.check.process.timeouts.start)
    }

    fn outcome_of_ready(&mut self, lines: &str) -> Outcome {
        match self.ready(lines) {
            Ok(()) => pass(),
            Err(error) => self.broken(&error),
        }
    }

    fn takes_defaults(&mut self) -> Outcome {
        let set: String = self
            .engine
            .declared
            .iter()
            .filter(|option| self.check.process.options.get(&option.name).is_none() && !option.name.starts_with("UCI_"))
            .filter_map(|option| {
                let value = examine::default_of(option).filter(|value| !value.is_empty())?;
                Some(format!("setoption name {} value {value}\n", option.name))
            })
            .collect();
        self.outcome_of_ready(&set)
    }

    /// Runs a search, and returns the engine's reports.
    fn search(&mut self, start: Start<'_>, moves: &str, limit: &str) -> Result<SearchOutput, ChildError> {
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
        // Late lines of an earlier search must not count as a fault of this one.
        self.ready("")?;
        let asked = Instant::now();
        self.engine.child.send(&format!("position {start}{moves}\ngo {limit}\n"), asked + GENEROUS)?;
        self.receive_search(asked)
    }

    fn receive_search(&mut self, asked: Instant) -> Result<SearchOutput, ChildError> {
        let mut found = SearchOutput::default();
        loop {
            let line = self.engine.child.receive(asked + GENEROUS, self.check.stop)?;
            match Message::parse(line) {
                Message::Info(info) => {
                    if is_last_word(&info) {
                        found.last = info.pv.map(|_pv| line.trim().to_owned());
                    }
                    found.pv = info.pv.map(str::to_owned).or(found.pv);
                    found.score = info.evaluation.or(found.score);
                    found.depth = info.depth.or(found.depth);
                    found.nodes = info.nodes.or(found.nodes);
                }
                Message::BestMove { mv, .. } => {
                    mv.clone_into(&mut found.mv);
                    found.took = self.engine.child.received_at() - asked;
                    return Ok(found);
                }
                _ => {}
            }
        }
    }

    fn moves(&mut self, start: Start<'_>, moves: &str, limit: &str, within: Duration) -> Outcome {
        match self.search(start, moves, limit) {
            Err(error) => self.broken(&error),
            Ok(found) => match examine::legality(self.check, start, moves, &found.mv) {
                Err(why) => failed(why),
                Ok(()) => examine::outcome(self.in_time(found.took, within, 0)),
            },
        }
    }

    fn keeps_to_nodes(&mut self) -> Outcome {
        match self.search(Start::Initial, "", "nodes 100") {
            Err(error) => self.broken(&error),
            Ok(SearchOutput { nodes: Some(nodes), .. }) if nodes > MANY_NODES => {
                (Grade::Warning, format!("it says that it searched {nodes} nodes"))
            }
            Ok(_) => pass(),
        }
    }

    fn moves_once(&mut self) -> Outcome {
        let found = self.search(Start::Initial, "", "depth 1").and_then(|_| {
            self.engine.child.send("isready\n", Instant::now() + GENEROUS)?;
            self.receive_until_ready()
        });
        match found {
            Err(error) => self.broken(&error),
            Ok(None) => pass(),
            Ok(Some(line)) => {
                warned(format!("it says `{line}` after its move: late lines may be taken for the next one"))
            }
        }
    }

    /// Waits for `readyok`; returns a move sent before it, if there is one.
    fn receive_until_ready(&mut self) -> Result<Option<String>, ChildError> {
        let deadline = Instant::now() + GENEROUS;
        let mut moved = None;
        loop {
            let line = self.engine.child.receive(deadline, self.check.stop)?;
            match Message::parse(line) {
                Message::BestMove { .. } => moved = Some(line.trim().to_owned()),
                Message::ReadyOk => return Ok(moved),
                _ => {}
            }
        }
    }

    fn says_enough(&mut self) -> Outcome {
        let found = match self.search(Start::Initial, "", "depth 2") {
            Err(error) => return self.broken(&error),
            Ok(found) => found,
        };
        let reported =
            [("depth", found.depth.is_some()), ("score", found.score.is_some()), ("nodes", found.nodes.is_some())];
        let missing: Vec<&str> = reported.iter().filter(|(_, reported)| !reported).map(|(what, _)| *what).collect();
        match missing.as_slice() {
            [] => pass(),
            missing => (Grade::Warning, format!("it says no {}: adjudication and reports need it", missing.join(", "))),
        }
    }

    fn has_legal_variation(&mut self) -> Outcome {
        match self.search(Start::Initial, "", "depth 3") {
            Err(error) => self.broken(&error),
            Ok(SearchOutput { pv: Some(pv), mv, last, .. }) => match examine::illegal_in_line(self.check, &pv) {
                Some(mv) => (Grade::Warning, format!("`{mv}` in `{pv}` is not a legal move")),
                None if last.is_some_and(|line| examine::begins_otherwise(self.check, &line, &mv)) => (
                    Grade::Warning,
                    format!("it plays `{mv}`, and the last line that it shows begins with another move: `{pv}`"),
                ),
                None => pass(),
            },
            Ok(_) => (Grade::Warning, "it shows none".to_owned()),
        }
    }

    fn moves_in_positions(&mut self) -> Outcome {
        if !examine::is_plain_chess(self.check) {
            return examine::left_out();
        }
        for (fen, moves) in POSITIONS {
            if !examine::goes_on(self.check, fen, moves) {
                continue;
            }
            let (grade, note) = self.moves(Start::Fen(fen), moves, "depth 2", GENEROUS);
            if grade != Grade::Pass {
                return (grade, format!("in {fen}: {note}"));
            }
        }
        pass()
    }

    fn survives_the_end(&mut self) -> Outcome {
        if !examine::is_plain_chess(self.check) {
            return examine::left_out();
        }
        for fen in ENDS {
            match self.search(Start::Fen(fen), "", "depth 1") {
                Ok(_) => {}
                Err(ChildError::Deadline) => return warned(format!("it says nothing in {fen}")),
                Err(error) => return warned(format!("in {fen}: {}", self.why(&error))),
            }
        }
        pass()
    }

    fn is_ready_while_searching(&mut self) -> Outcome {
        match self.endless_search() {
            Err(error) => self.broken(&error),
            Ok(true) => pass(),
            Ok(false) => warned("it answers `go infinite` at once: UCI wants it to search until `stop`"),
        }
    }

    /// Starts a search without limit, sends `isready` meanwhile, and stops the search. Returns false if the search had
    /// stopped by itself.
    fn endless_search(&mut self) -> Result<bool, ChildError> {
        let asked = Instant::now();
        self.engine.child.send("position startpos\ngo infinite\nisready\n", asked + GENEROUS)?;
        let mut searches = true;
        loop {
            match Message::parse(self.engine.child.receive(asked + GENEROUS, self.check.stop)?) {
                Message::BestMove { .. } => searches = false,
                Message::ReadyOk => break,
                _ => {}
            }
        }
        self.engine.child.send("stop\n", Instant::now() + STOP_TIMEOUT)?;
        if searches {
            let _heard = self.receive_search(Instant::now())?;
        }
        // Some engines send another move on `stop`.
        self.ready("").map(|()| searches)
    }

    fn stops(&mut self) -> Outcome {
        let asked = Instant::now();
        let sent = self.engine.child.send("position startpos\ngo infinite\nstop\n", asked + GENEROUS);
        let found = sent.and_then(|()| self.receive_search(asked));
        match found.and_then(|found| self.ready("").map(|()| found)) {
            Ok(found) => examine::outcome(self.in_time(found.took, STOP_TIMEOUT, 1)),
            Err(error) => self.broken(&error),
        }
    }
}
