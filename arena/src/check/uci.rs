//! The steps for UCI engines.

use super::{Check, Finding, Grade};
use crate::child::{Child, ChildError};
use crate::play::games::{Chess, Rules};
use crate::play::players::process::GRACE;
use crate::play::protocol::uci::{Command, Message, Start};
use crate::play::protocol::{OptionDeclaration, OptionKind};
use crate::play::{Evaluation, Game};
use std::time::{Duration, Instant};

/// What a step comes to: a grade and a note.
type Outcome = (Grade, String);

const fn pass() -> Outcome {
    (Grade::Pass, String::new())
}

fn failed(note: impl Into<String>) -> Outcome {
    (Grade::Failure, note.into())
}

/// What an engine said on the way to its move.
#[derive(Default)]
struct Heard {
    mv: String,
    pv: Option<String>,
    score: Option<Evaluation>,
    depth: Option<u32>,
    nodes: Option<u64>,
    took: Duration,
}

/// An engine under examination.
struct Subject<'a> {
    check: &'a Check<'a>,
    child: Child,
    declared: Vec<OptionDeclaration>,
}

pub(super) fn run(check: &Check<'_>, tell: &mut dyn FnMut(Finding)) {
    let step = "starts, and answers `uci` with `uciok`";
    let mut subject = match Subject::start(check) {
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
        Err(why) => return tell(Finding::new(step, Grade::Failure, why)),
    };
    for (step, examine) in STEPS {
        let (grade, note) = examine(&mut subject);
        tell(Finding::new(step, grade, note));
        if !subject.child.is_alive() {
            tell(Finding::new(
                "stays alive",
                Grade::Failure,
                format!("it ended after the step before: {}", subject.end()),
            ));
            match Subject::start(check) {
                Ok((fresh, _)) => subject = fresh,
                Err(why) => return tell(Finding::new("starts again", Grade::Failure, why)),
            }
        }
    }
    let ended = subject.child.shut_down("quit\n", GRACE);
    let (grade, note) = if ended.is_some() { pass() } else { (Grade::Warning, "it had to be killed".to_owned()) };
    tell(Finding::new("ends within a second of `quit`", grade, note));
}

/// A step: what is tried, and how.
type Step = (&'static str, fn(&mut Subject<'_>) -> Outcome);

const STEPS: [Step; 14] = [
    ("declares options whose defaults suit their types", |subject| subject.options_are_sound()),
    ("takes the default of each of its options", |subject| subject.takes_defaults()),
    ("is ready for a new game", |subject| subject.outcome_of_ready("ucinewgame\n")),
    ("moves at `go depth 1`", |subject| subject.moves(Start::Initial, "", "depth 1", GENEROUS)),
    ("moves at `go nodes 100`, and searches not many more", |subject| subject.keeps_to_nodes()),
    ("moves at `go movetime 100`, in time", |subject| subject.moves(Start::Initial, "", "movetime 100", IN_TIME)),
    ("moves with a second on its clock, in time", |subject| {
        subject.moves(Start::Initial, "", "wtime 1000 btime 1000 winc 10 binc 10", Duration::from_secs(1))
    }),
    ("says depth, score and nodes", |subject| subject.says_enough()),
    ("shows principal variations of legal moves", |subject| subject.has_legal_variation()),
    ("moves in positions it is given", |subject| subject.moves_in_positions()),
    ("survives positions without a legal move", |subject| subject.survives_the_end()),
    ("answers `isready` while it searches", |subject| subject.is_ready_while_searching()),
    ("stops an infinite search within a second of `stop`", |subject| subject.stops()),
    ("passes over a command that it does not know", |subject| subject.outcome_of_ready("no such command\n")),
];

/// Many engines look at the limit only now and then.
const MANY_NODES: u64 = 10_000;
/// For what has no time limit of its own.
const GENEROUS: Duration = Duration::from_secs(10);
/// For 100 ms, with all that a host may need for itself.
const IN_TIME: Duration = Duration::from_millis(150);

impl<'a> Subject<'a> {
    /// Starts the engine; also how many of its names it says.
    fn start(check: &'a Check<'a>) -> Result<(Self, usize), String> {
        let child = check.starter.spawn(check.process)?;
        let mut subject = Self { check, child, declared: Vec::new() };
        let names = subject.greet().map_err(|error| subject.why(&error))?;
        let mut lines = String::new();
        if let Rules::Chess(chess) = check.game.rules() {
            for (name, value) in chess.uci_options() {
                Command::SetOption { name, value: Some(value) }.write_line(&mut lines);
            }
        }
        for (name, value) in check.process.options.iter() {
            Command::SetOption { name, value: Some(value) }.write_line(&mut lines);
        }
        subject.ready(&lines).map_err(|error| subject.why(&error))?;
        Ok((subject, names))
    }

    fn greet(&mut self) -> Result<usize, ChildError> {
        let deadline = Instant::now() + self.check.process.patience.start;
        self.child.send("uci\n", deadline)?;
        let mut names = 0;
        loop {
            match Message::parse(self.child.receive(deadline, self.check.stop)?) {
                Message::Name(_) | Message::Author(_) => names += 1,
                Message::Option(option) => self.declared.push(option),
                Message::UciOk => return Ok(names),
                _ => {}
            }
        }
    }

    fn ready(&mut self, lines: &str) -> Result<(), ChildError> {
        let deadline = Instant::now() + self.check.process.patience.start;
        self.child.send(&format!("{lines}isready\n"), deadline)?;
        while Message::parse(self.child.receive(deadline, self.check.stop)?) != Message::ReadyOk {}
        Ok(())
    }

    fn outcome_of_ready(&mut self, lines: &str) -> Outcome {
        match self.ready(lines) {
            Ok(()) => pass(),
            Err(error) => failed(self.why(&error)),
        }
    }

    /// What went wrong, in words.
    fn why(&mut self, error: &ChildError) -> String {
        match error {
            ChildError::Closed => self.end(),
            other => other.to_string(),
        }
    }

    fn end(&mut self) -> String {
        let exit = self.child.wait_for_exit(Instant::now() + GRACE);
        exit.map_or_else(|| "it closed its output".to_owned(), |exit| exit.to_string())
    }

    fn options_are_sound(&mut self) -> Outcome {
        let unsound = self.declared.iter().filter_map(|option| {
            let default = default_of(option)?;
            option.check(&default).err().map(|error| error.to_string())
        });
        let unsound: Vec<String> = unsound.collect();
        if unsound.is_empty() { pass() } else { (Grade::Warning, unsound.join("; ")) }
    }

    fn takes_defaults(&mut self) -> Outcome {
        let set: String = self
            .declared
            .iter()
            .filter(|option| self.check.process.options.get(&option.name).is_none() && !option.name.starts_with("UCI_"))
            .filter_map(|option| {
                let value = default_of(option).filter(|value| !value.is_empty())?;
                Some(format!("setoption name {} value {value}\n", option.name))
            })
            .collect();
        self.outcome_of_ready(&set)
    }

    /// Has it search, and tells all that was heard.
    fn search(&mut self, start: Start<'_>, moves: &str, limit: &str) -> Result<Heard, ChildError> {
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
        let asked = Instant::now();
        self.child.send(&format!("position {start}{moves}\ngo {limit}\n"), asked + GENEROUS)?;
        self.hear(asked)
    }

    fn hear(&mut self, asked: Instant) -> Result<Heard, ChildError> {
        let mut heard = Heard::default();
        loop {
            let message = Message::parse(self.child.receive(asked + GENEROUS, self.check.stop)?);
            match message {
                Message::Info(info) => {
                    heard.pv = info.pv.map(str::to_owned).or(heard.pv);
                    heard.score = info.evaluation.or(heard.score);
                    heard.depth = info.depth.or(heard.depth);
                    heard.nodes = info.nodes.or(heard.nodes);
                }
                Message::BestMove { mv, .. } => {
                    mv.clone_into(&mut heard.mv);
                    heard.took = self.child.received_at() - asked;
                    return Ok(heard);
                }
                _ => {}
            }
        }
    }

    fn moves(&mut self, start: Start<'_>, moves: &str, limit: &str, within: Duration) -> Outcome {
        match self.search(start, moves, limit) {
            Err(error) => failed(self.why(&error)),
            Ok(heard) => match legality(self.check, start, moves, &heard.mv) {
                Err(why) => failed(why),
                Ok(()) if heard.took > within => failed(format!("it took {:.0?}", heard.took)),
                Ok(()) => pass(),
            },
        }
    }

    fn keeps_to_nodes(&mut self) -> Outcome {
        match self.search(Start::Initial, "", "nodes 100") {
            Err(error) => failed(self.why(&error)),
            Ok(Heard { nodes: Some(nodes), .. }) if nodes > MANY_NODES => {
                (Grade::Warning, format!("it says that it searched {nodes} nodes"))
            }
            Ok(_) => pass(),
        }
    }

    fn says_enough(&mut self) -> Outcome {
        let heard = match self.search(Start::Initial, "", "depth 2") {
            Err(error) => return failed(self.why(&error)),
            Ok(heard) => heard,
        };
        let said =
            [("depth", heard.depth.is_some()), ("score", heard.score.is_some()), ("nodes", heard.nodes.is_some())];
        let missing: Vec<&str> = said.iter().filter(|(_, said)| !said).map(|(what, _)| *what).collect();
        match missing.as_slice() {
            [] => pass(),
            missing => (Grade::Warning, format!("it says no {}: adjudication and reports need it", missing.join(", "))),
        }
    }

    fn has_legal_variation(&mut self) -> Outcome {
        match self.search(Start::Initial, "", "depth 3") {
            Err(error) => failed(self.why(&error)),
            Ok(Heard { pv: Some(pv), .. }) => match illegal_in_line(self.check, &pv) {
                None => pass(),
                Some(mv) => (Grade::Warning, format!("`{mv}` in `{pv}` is no legal move")),
            },
            Ok(_) => (Grade::Warning, "it shows none".to_owned()),
        }
    }

    /// Positions with castling, a pawn about to promote, a capture en passant and a single legal move.
    fn moves_in_positions(&mut self) -> Outcome {
        if !is_plain_chess(self.check) {
            return (Grade::Pass, "left out: the positions are of chess".to_owned());
        }
        let positions = [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ""),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", ""),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6"),
            ("7k/8/8/8/8/8/r7/1r5K w - - 0 1", ""),
            ("4k3/8/8/8/8/8/8/4K2R b K - 10 60", ""),
        ];
        for (fen, moves) in positions {
            if !goes_on(self.check, fen, moves) {
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
        if !is_plain_chess(self.check) {
            return (Grade::Pass, "left out: the positions are of chess".to_owned());
        }
        for fen in ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"] {
            match self.search(Start::Fen(fen), "", "depth 1") {
                Ok(_) => {}
                Err(ChildError::Deadline) => return (Grade::Warning, format!("it says nothing in {fen}")),
                Err(error) => return (Grade::Warning, format!("in {fen}: {}", self.why(&error))),
            }
        }
        pass()
    }

    fn is_ready_while_searching(&mut self) -> Outcome {
        let asked = Instant::now();
        let sent = self.child.send("position startpos\ngo infinite\n", asked + GENEROUS);
        let ready = sent.and_then(|()| self.ready(""));
        let stopped = self.child.send("stop\n", Instant::now() + GRACE).and_then(|()| self.hear(asked));
        match ready.and(stopped) {
            Ok(_) => pass(),
            Err(error) => failed(self.why(&error)),
        }
    }

    fn stops(&mut self) -> Outcome {
        let asked = Instant::now();
        let sent = self.child.send("position startpos\ngo infinite\nstop\n", asked + GENEROUS);
        match sent.and_then(|()| self.hear(asked)) {
            Ok(heard) if heard.took <= GRACE => pass(),
            Ok(heard) => failed(format!("it took {:.1?}", heard.took)),
            Err(error) => failed(self.why(&error)),
        }
    }
}

/// The default of an option as a value to set; `None` if it has none.
fn default_of(option: &OptionDeclaration) -> Option<String> {
    match &option.kind {
        OptionKind::Check { default } => default.map(|on| on.to_string()),
        OptionKind::Spin { default, .. } => default.map(|number| number.to_string()),
        OptionKind::Combo { default, .. } | OptionKind::Text { default } => default.clone(),
        OptionKind::Button => None,
    }
}

fn is_plain_chess(check: &Check<'_>) -> bool {
    matches!(check.game.rules(), Rules::Chess(chess) if chess.uci_options().is_empty())
}

/// Whether the moves of a step can be played at all, and the game goes on after them.
fn goes_on(check: &Check<'_>, fen: &str, moves: &str) -> bool {
    match check.game.rules() {
        Rules::Chess(chess) => {
            played::<Chess>(&chess, Start::Fen(fen), moves).is_ok_and(|p| Chess::ending(&p).is_none())
        }
        Rules::ZeroPointOne(_) => false,
    }
}

fn legality(check: &Check<'_>, start: Start<'_>, moves: &str, answer: &str) -> Result<(), String> {
    match check.game.rules() {
        Rules::Chess(game) => legal_after(&game, start, moves, answer),
        Rules::ZeroPointOne(game) => legal_after(&game, start, moves, answer),
    }
}

fn legal_after<G: Game>(game: &G, start: Start<'_>, moves: &str, answer: &str) -> Result<(), String> {
    let position = played(game, start, moves)?;
    let legal = G::parse_move(&position, answer).is_some_and(|mv| G::is_legal(&position, mv));
    if legal { Ok(()) } else { Err(format!("`{answer}` is no legal move in {position}")) }
}

fn played<G: Game>(game: &G, start: Start<'_>, moves: &str) -> Result<G::Position, String> {
    let mut position = match start {
        Start::Initial => game.start(),
        Start::Fen(fen) => game.setup(fen)?,
    };
    for text in moves.split_whitespace() {
        let mv = G::parse_move(&position, text).ok_or_else(|| format!("`{text}` is no move"))?;
        G::play(&mut position, mv);
    }
    Ok(position)
}

/// The first move of a variation from the start that is not legal.
fn illegal_in_line(check: &Check<'_>, pv: &str) -> Option<String> {
    fn first<G: Game>(game: &G, pv: &str) -> Option<String> {
        let mut position = game.start();
        pv.split_whitespace().find_map(|text| match G::parse_move(&position, text) {
            Some(mv) if G::is_legal(&position, mv) => {
                G::play(&mut position, mv);
                None
            }
            _ => Some(text.to_owned()),
        })
    }
    match check.game.rules() {
        Rules::Chess(game) => first(&game, pv),
        Rules::ZeroPointOne(game) => first(&game, pv),
    }
}
