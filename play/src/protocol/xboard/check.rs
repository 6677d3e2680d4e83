//! The steps of a check for XBoard engines.

use super::command::XboardCommand;
use super::engine::Engine;
use super::feature::{Flag, Handshake};
use super::message::Message;
use super::player::written;
use crate::Game;
use crate::check::examine::{
    self, CheckedEngine, ENDS, GENEROUS, Outcome, POSITIONS, Step, failed, outcome, pass, warned,
};
use crate::check::finding::{Check, Finding, Grade};
use crate::child::{Child, ChildError};
use crate::games::{Chess, Rules};
use crate::players::process::STOP_TIMEOUT;
use crate::protocol::uci::command::Start;
use crate::random::Stream;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// A command that the engine should ignore. Also, the complaint of an engine without `ping` about it shows that the
/// engine has read everything before.
const UNKNOWN: &str = "nosuchcommand";

/// The time limit for a move of one second, with a generous share for the host.
const IN_TIME: Duration = Duration::from_millis(1_500);

/// The engine's reports up to its move.
struct SearchOutput {
    /// The move as written; in coordinates once it has been read.
    mv: String,
    has_thoughts: bool,
    took: Duration,
}

/// The state of an engine in the check.
struct XboardEngine {
    talk: Engine,
    pings: u32,
    /// The last command that the engine refused.
    refused: Option<String>,
}

type EngineUnderTest<'a> = examine::EngineUnderTest<'a, XboardEngine>;

/// Returns whether whole games should be played next.
pub(super) fn run(check: &Check<'_>, tell: &mut dyn FnMut(Finding)) -> bool {
    let step = "starts, and answers `protover 2` with its features up to `done=1`";
    let subject = match EngineUnderTest::start(check) {
        Ok(subject) => {
            let is_done = subject.engine.talk.features.handshake == Handshake::Done;
            let note = if is_done { "" } else { "it declares none: it is taken for one of version 1" };
            tell(Finding::new(step, if is_done { Grade::Pass } else { Grade::Warning }, note));
            subject
        }
        Err(why) => {
            tell(Finding::new(step, Grade::Failure, why));
            return false;
        }
    };
    let Some(engine) = examine::all(subject, &steps(), tell) else { return false };
    tell(examine::farewell(engine.talk.child, "force\nquit\n", "ends within a second of `quit`"));
    true
}

fn steps<'a>() -> [Step<EngineUnderTest<'a>>; 17] {
    [
        ("says its name", |subject| subject.has_name()),
        ("says what matches need: `ping`, and a second game in one process", |subject| subject.is_able()),
        ("declares options whose defaults suit their types", |s| {
            examine::defaults_are_sound(&s.engine.talk.features.options)
        }),
        ("takes the default of each of its options", |subject| subject.takes_defaults()),
        ("is ready for a new game", |subject| outcome(subject.new_game())),
        ("moves with 5 seconds on its clock, in time", |subject| outcome(subject.moves_at("level 0 0:05 0", GENEROUS))),
        ("moves at `st 1`, in time", |subject| outcome(subject.moves_at("st 1", IN_TIME))),
        ("moves at `sd 2`", |subject| outcome(subject.moves_at("sd 2", GENEROUS))),
        ("says depth and score", |subject| outcome(subject.thinks_aloud())),
        ("takes moves played for both sides", |subject| outcome(subject.takes_moves())),
        ("answers its opponent's moves", |subject| outcome(subject.goes_on())),
        ("plays a second game", |subject| outcome(subject.plays_again())),
        ("moves in positions it is given", |subject| outcome(subject.moves_in_positions())),
        ("survives positions without a legal move", |subject| outcome(subject.survives_the_end())),
        ("moves within a second of `?`", |subject| outcome(subject.moves_now())),
        ("refuses a move that is not legal", |subject| outcome(subject.refuses_an_illegal_move())),
        ("ignores an unknown command", |subject| outcome(subject.passes_over_nonsense())),
    ]
}

impl CheckedEngine for XboardEngine {
    fn child(&mut self) -> &mut Child {
        &mut self.talk.child
    }

    fn start<'a>(check: &'a Check<'a>) -> Result<EngineUnderTest<'a>, String> {
        EngineUnderTest::start(check)
    }
}

impl<'a> EngineUnderTest<'a> {
    fn start(check: &'a Check<'a>) -> Result<Self, String> {
        let talk = Engine::new(check.starter.spawn(check.process)?);
        let deadline = talk.child.fair_deadline(Instant::now() + check.process.timeouts.start);
        let mut subject = Self::new(check, XboardEngine { talk, pings: 0, refused: None });
        subject.engine.talk.greet(deadline, check.stop).map_err(|error| subject.why(&error))?;
        let options =
            subject.engine.talk.options(check.starter, check.process).map_err(|failure| failure.why.to_string())?;
        subject.settle(&options).map_err(|(_, why)| why)?;
        Ok(subject)
    }

    fn send(&mut self, lines: &str) -> Result<(), Outcome> {
        let sent = self.engine.talk.child.send(lines, Instant::now() + GENEROUS);
        sent.map_err(|error| self.broken(&error))
    }

    /// Sends lines, and waits until the engine has read them, as far as that can be told. Returns the engine's lines in
    /// the meantime.
    fn settle(&mut self, lines: &str) -> Result<Vec<String>, Outcome> {
        self.engine.pings += 1;
        let has_ping = self.engine.talk.features.has(Flag::Ping);
        let last = if has_ping {
            XboardCommand::Ping(self.engine.pings).to_string()
        } else {
            format!("{UNKNOWN}{}", self.engine.pings)
        };
        self.send(&format!("{lines}{last}\n"))?;
        let timeouts = if has_ping { self.check.process.timeouts.start.min(GENEROUS) } else { STOP_TIMEOUT / 2 };
        let deadline = self.engine.talk.child.fair_deadline(Instant::now() + timeouts);
        let mut output = Vec::new();
        loop {
            match self.engine.talk.child.receive_fairly(deadline, self.check.stop) {
                Ok(line) if Message::parse(line) == Message::Pong(self.engine.pings) || line.contains(&last) => {
                    return Ok(output);
                }
                Ok(line) => output.push(line.to_owned()),
                Err(ChildError::Deadline) if !has_ping => return Ok(output),
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    fn rules(&self) -> Option<Chess> {
        match self.check.game.rules() {
            Rules::Chess(chess) => Some(chess),
            Rules::ZeroPointOne(_) | Rules::Custom => None,
        }
    }

    fn new_game(&mut self) -> Result<(), Outcome> {
        let variant = self.rules().map_or("normal", Chess::xboard_variant);
        if !self.engine.talk.features.variants.iter().any(|known| known == variant) {
            return Err(failed(format!("it does not play the variant `{variant}`")));
        }
        let variant = if variant == "normal" { String::new() } else { format!("variant {variant}\n") };
        let output = self.settle(&format!("new\n{variant}force\npost\neasy\n"))?;
        let refused = output
            .iter()
            .find(|line| is_refusal(line) && ["new", "force", "variant"].iter().any(|word| line.contains(word)));
        refused.map_or(Ok(()), |line| Err(failed(format!("it says `{}`", line.trim()))))
    }

    fn has_name(&mut self) -> Outcome {
        if self.engine.talk.features.name.is_some() { pass() } else { warned("`myname` is missing") }
    }

    fn is_able(&mut self) -> Outcome {
        let has = |flag| self.engine.talk.features.has(flag);
        let mut missing = String::new();
        for (flag, lack) in [
            (Flag::Ping, "no `ping`: what it says late of one game may be taken for a move of the next; "),
            (Flag::SetBoard, "no `setboard`: its games begin at the start; "),
            (Flag::Reuse, "`reuse=0`: it is started for each game; "),
        ] {
            missing.push_str(if has(flag) { "" } else { lack });
        }
        if missing.is_empty() { pass() } else { warned(missing.trim_end_matches("; ")) }
    }

    fn takes_defaults(&mut self) -> Outcome {
        let mut lines = String::new();
        for option in &self.engine.talk.features.options {
            let is_free = self.check.process.options.get(&option.name).is_none();
            if let Some(value) = examine::default_of(option).filter(|value| is_free && !value.is_empty()) {
                XboardCommand::option(option, &value).write_line(&mut lines);
            }
        }
        match self.settle(&lines) {
            Err(outcome) => outcome,
            Ok(output) => match output.iter().find(|line| is_refusal(line)) {
                Some(line) => warned(format!("it says `{}`", line.trim())),
                None => pass(),
            },
        }
    }

    /// Sends lines that make the engine move, and returns its reports up to its move.
    fn think(&mut self, lines: &str) -> Result<SearchOutput, Outcome> {
        let asked = Instant::now();
        self.send(lines)?;
        let mut found = SearchOutput { mv: String::new(), has_thoughts: false, took: Duration::ZERO };
        loop {
            let line = match self.engine.talk.child.receive(asked + GENEROUS, self.check.stop) {
                Ok(line) => line,
                Err(error) => return Err(self.broken(&error)),
            };
            match Message::parse(line) {
                Message::Thinking(_) => found.has_thoughts = true,
                Message::Move(mv) => {
                    mv.clone_into(&mut found.mv);
                    found.took = self.engine.talk.child.received_at() - asked;
                    return Ok(found);
                }
                _ if is_refusal(line) => self.engine.refused = Some(line.trim().to_owned()),
                _ => {}
            }
        }
    }

    /// Asks the engine for a move after these moves of a new game or position.
    fn moves(&mut self, start: Start<'_>, moves: &str, limit: &str, within: Duration) -> Result<SearchOutput, Outcome> {
        self.new_game()?;
        let mut lines = String::new();
        if let Start::Fen(fen) = start {
            XboardCommand::SetBoard(fen).write_line(&mut lines);
        }
        self.write_moves(start, moves, &mut lines)?;
        let clocks = if self.engine.talk.features.has(Flag::Time) { "time 500\notim 500\n" } else { "" };
        let _ = write!(lines, "{limit}\n{clocks}go\n");
        let found = self.think(&lines)?;
        let mv = examine::read(self.check, start, moves, &found.mv).map_err(failed)?;
        let found = SearchOutput { mv, ..found };
        self.in_time(found.took, within, 1).map(|()| found)
    }

    /// Appends the commands that send these moves, in the notation that the engine has requested.
    fn write_moves(&self, start: Start<'_>, moves: &str, lines: &mut String) -> Result<(), Outcome> {
        let features = &self.engine.talk.features;
        let Some(chess) = self.rules() else { return Ok(()) };
        let mut position = examine::played(&chess, start, "").map_err(failed)?;
        for text in moves.split_whitespace() {
            let Some(mv) = Chess::parse_move(&position, text) else { return Ok(()) };
            features.move_command(&written::<Chess>(&position, mv, features)).write_line(lines);
            Chess::play(&mut position, mv);
        }
        Ok(())
    }

    fn moves_at(&mut self, limit: &str, within: Duration) -> Result<(), Outcome> {
        self.engine.refused = None;
        let _found = self.moves(Start::Initial, "", limit, within)?;
        let word = limit.split(' ').next().unwrap_or_default();
        match self.engine.refused.take().filter(|line| line.contains(word)) {
            Some(line) => Err(warned(format!("it does not know this limit, and says `{line}`"))),
            None => Ok(()),
        }
    }

    fn thinks_aloud(&mut self) -> Result<(), Outcome> {
        let found = self.moves(Start::Initial, "", "sd 4", GENEROUS)?;
        let silent = || warned("it says nothing after `post`: adjudication and reports need it");
        found.has_thoughts.then_some(()).ok_or_else(silent)
    }

    fn takes_moves(&mut self) -> Result<(), Outcome> {
        let Some(chess) = self.rules() else { return Ok(()) };
        let mut moves = String::new();
        for plies in 1..=4 {
            let position = examine::played(&chess, Start::Initial, &moves).map_err(failed)?;
            let mv = Chess::random_move(&position, &mut Stream::from_seed(plies));
            let Some(mv) = mv else { break };
            let _ = write!(moves, "{} ", Chess::format_move(&position, mv));
            let _found = self.moves(Start::Initial, &moves, "level 0 0:05 0", GENEROUS)?;
        }
        Ok(())
    }

    fn goes_on(&mut self) -> Result<(), Outcome> {
        let Some(chess) = self.rules() else { return Ok(()) };
        let mut game = self.moves(Start::Initial, "", "level 0 0:05 0", GENEROUS)?.mv;
        for seed in 1..=5 {
            let position = examine::played(&chess, Start::Initial, &game).map_err(failed)?;
            let Some(mv) = Chess::random_move(&position, &mut Stream::from_seed(seed)) else { return Ok(()) };
            let sent = written::<Chess>(&position, mv, &self.engine.talk.features);
            let (before, own) = game.rsplit_once(' ').map_or(("", game.as_str()), |(before, own)| (before, own));
            let (before, own) = (before.to_owned(), own.to_owned());
            let _ = write!(game, " {}", Chess::format_move(&position, mv));
            let position = examine::played(&chess, Start::Initial, &game).map_err(failed)?;
            if Chess::ending(&position).is_some() {
                return Ok(());
            }
            let mut line = String::new();
            self.engine.talk.features.move_command(&sent).write_line(&mut line);
            let answer = self.think(&line)?.mv;
            let mv = examine::read(self.check, Start::Initial, &game, &answer);
            // The previous move in another form.
            let is_repeated = mv.is_err() && examine::read(self.check, Start::Initial, &before, &answer) == Ok(own);
            let mv = if is_repeated {
                let answer = self.think("")?.mv;
                examine::read(self.check, Start::Initial, &game, &answer)
            } else {
                mv
            };
            let _ = write!(game, " {}", mv.map_err(failed)?);
        }
        Ok(())
    }

    fn plays_again(&mut self) -> Result<(), Outcome> {
        let _left_behind = self.settle("result 1/2-1/2 {}\nforce\n")?;
        self.moves(Start::Initial, "", "level 0 0:05 0", GENEROUS).map(drop)
    }

    fn moves_in_positions(&mut self) -> Result<(), Outcome> {
        if !examine::is_plain_chess(self.check) || !self.engine.talk.features.has(Flag::SetBoard) {
            return Err((Grade::Pass, "left out: it needs chess and `setboard`".to_owned()));
        }
        for (fen, moves) in POSITIONS {
            if !examine::goes_on(self.check, fen, moves) {
                continue;
            }
            let moved = self.moves(Start::Fen(fen), moves, "level 0 0:05 0", GENEROUS);
            moved.map_err(|(grade, note)| (grade, format!("in {fen}: {note}")))?;
        }
        Ok(())
    }

    fn survives_the_end(&mut self) -> Result<(), Outcome> {
        if !examine::is_plain_chess(self.check) || !self.engine.talk.features.has(Flag::SetBoard) {
            return Err((Grade::Pass, "left out: it needs chess and `setboard`".to_owned()));
        }
        for fen in ENDS {
            self.new_game()?;
            let output = self.settle(&format!("setboard {fen}\nlevel 0 0:05 0\ngo\n"));
            output.map_err(|(_, note)| warned(format!("in {fen}: {note}")))?;
            let _left_behind = self.settle("force\n")?;
        }
        Ok(())
    }

    fn moves_now(&mut self) -> Result<(), Outcome> {
        self.new_game()?;
        self.send("level 0 60 0\ntime 360000\notim 360000\ngo\n")?;
        let found = self.think("?\n")?;
        self.in_time(found.took, STOP_TIMEOUT, 1)
    }

    fn refuses_an_illegal_move(&mut self) -> Result<(), Outcome> {
        self.new_game()?;
        let mut line = String::new();
        let illegal = if self.engine.talk.features.has(Flag::San) { "Qh8" } else { "a1h8" };
        self.engine.talk.features.move_command(illegal).write_line(&mut line);
        let output = self.settle(&line)?;
        let silent = || warned(format!("it does not say `Illegal move: {illegal}`"));
        output.iter().any(|line| is_refusal(line)).then_some(()).ok_or_else(silent)
    }

    fn passes_over_nonsense(&mut self) -> Result<(), Outcome> {
        let _complaint = self.settle(&format!("{UNKNOWN}\n"))?;
        self.moves(Start::Initial, "", "level 0 0:05 0", GENEROUS).map(drop)
    }
}

/// Whether a line refuses a command.
fn is_refusal(line: &str) -> bool {
    matches!(Message::parse(line), Message::Illegal { .. } | Message::Error { .. } | Message::UserError(_))
}
