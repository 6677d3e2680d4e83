//! The player behind XBoard, version 2 of the protocol. Openings are played in as moves while the engine plays neither
//! side; from its first own move on, the opponent's move is what makes it think.

use super::following::Following;
use super::inquiry::Inquiry;
use super::{FAREWELL, GRACE, Starter, as_startup, failure, with_attempts};
use crate::child::{Child, ChildError};
use crate::entrant::{ProcessSpec, Restart};
use crate::play::clock::Limit;
use crate::play::game::{Game, Side};
use crate::play::player::{Failure, Fault, GameStart, Player, Reply, Said, Turn, Unmoved};
use crate::play::protocol::OptionDeclaration;
use crate::play::protocol::xboard::{Command, Feature, Features, Flag, Handshake, Message};
use crate::play::referee::Ending;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// An engine that declares no features is of the protocol's first version, and is waited for so long.
const UNSAID: Duration = Duration::from_secs(2);

/// A running engine.
struct Engine {
    child: Child,
    features: Features,
    pings: u32,
    /// Its last move in this game, as it wrote it.
    last: String,
}

/// What the engine said instead of, or with, its move.
enum Answer {
    Move(String),
    Resigned,
    /// It claims something that is not so, or refuses something that is.
    Nonsense(String),
}

impl Engine {
    fn start(starter: &Starter, process: &ProcessSpec, stop: &AtomicBool) -> Result<Self, Failure> {
        with_attempts(stop, || Self::start_once(starter, process, stop)).map_err(as_startup)
    }

    fn start_once(starter: &Starter, process: &ProcessSpec, stop: &AtomicBool) -> Result<Self, Failure> {
        let asked = Instant::now();
        let deadline = asked + process.patience.start;
        let mut engine =
            Self { child: starter.start(process)?, features: Features::default(), pings: 0, last: String::new() };
        let greeted = engine.greet(deadline, stop);
        greeted.map_err(|error| failure(&mut engine.child, &error, asked))?;
        starter.introduce(process, engine.features.name.as_deref(), None);
        let mut lines = engine.options(process)?;
        for line in &process.init {
            lines.push_str(line);
            lines.push('\n');
        }
        let sent = engine.child.send(&lines, deadline);
        sent.map_err(|error| failure(&mut engine.child, &error, asked))?;
        Ok(engine)
    }

    /// `xboard` up to the last feature.
    fn greet(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<(), ChildError> {
        self.child.send("xboard\nprotover 2\n", deadline)?;
        let unsaid = deadline.min(Instant::now() + UNSAID);
        loop {
            let until = if self.features.handshake == Handshake::Unsaid { unsaid } else { deadline };
            let line = match self.child.receive(until, stop) {
                Err(ChildError::Deadline) if self.features.handshake == Handshake::Unsaid => return Ok(()),
                line => line?,
            };
            let mut answers = String::new();
            if let Message::Features(text) = Message::parse(line) {
                for feature in Feature::read_all(text) {
                    self.features.apply(feature).write_line(&mut answers);
                }
            }
            if !answers.is_empty() {
                self.child.send(&answers, deadline)?;
            }
            if self.features.handshake == Handshake::Done {
                return Ok(());
            }
        }
    }

    /// Commands that set the engine's options: its own, and the protocol's `memory` and `cores`.
    fn options(&self, process: &ProcessSpec) -> Result<String, Failure> {
        let mut lines = String::new();
        for (name, value) in &process.options {
            let number = || value.parse().ok();
            let command = match name.as_str() {
                "memory" if self.features.has(Flag::Memory) => number().map(Command::Memory),
                "cores" if self.features.has(Flag::Smp) => number().map(Command::Cores),
                _ => {
                    let declared = OptionDeclaration::find(&self.features.options, name);
                    let checked = declared.and_then(|option| option.check(value).map(|()| option));
                    Some(Command::option(checked.map_err(|error| Fault::Startup(error.to_string()))?, value))
                }
            };
            let refused = || Fault::Startup(format!("option `{name}` takes a whole number, not `{value}`"));
            command.ok_or_else(refused)?.write_line(&mut lines);
        }
        Ok(lines)
    }

    /// Sends lines, and waits until the engine has read them if it can tell.
    fn tell(&mut self, mut lines: String, deadline: Instant, stop: &AtomicBool) -> Result<(), ChildError> {
        if !self.features.has(Flag::Ping) {
            return self.child.send(&lines, deadline);
        }
        self.pings += 1;
        Command::Ping(self.pings).write_line(&mut lines);
        self.child.send(&lines, deadline)?;
        while Message::parse(self.child.receive(deadline, stop)?) != Message::Pong(self.pings) {}
        Ok(())
    }

    /// Waits for its move.
    fn answer(&mut self, mut deadline: Instant, stop: &AtomicBool) -> Result<(Answer, Said), ChildError> {
        let mut said = Said::default();
        let mut claim = None;
        loop {
            let line = match (self.child.receive(deadline, stop), claim.take()) {
                (Err(ChildError::Deadline), Some(claim)) => return Ok((Answer::Nonsense(claim), said)),
                (line, kept) => {
                    claim = kept;
                    line?
                }
            };
            let answer = match Message::parse(line) {
                Message::Thinking(thinking) => {
                    said = Said {
                        score: Some(thinking.evaluation),
                        depth: thinking.depth,
                        seldepth: thinking.seldepth.unwrap_or(0),
                        nodes: thinking.nodes,
                        time: Some(thinking.time),
                        ..Said::default()
                    };
                    continue;
                }
                // Some engines say each move in two forms. Nobody can make the same move twice on end.
                Message::Move(text) if text == self.last => continue,
                Message::Move(text) => {
                    text.clone_into(&mut self.last);
                    Answer::Move(text.to_owned())
                }
                Message::Resign => Answer::Resigned,
                // Some say the result before the move that brings it about. Without a move it is a false claim.
                Message::Result { .. } => {
                    claim = Some(line.trim().to_owned());
                    deadline = deadline.min(Instant::now() + GRACE);
                    continue;
                }
                Message::Illegal { .. } | Message::UserError(_) => Answer::Nonsense(line.trim().to_owned()),
                _ => continue,
            };
            return Ok((answer, said));
        }
    }
}

/// Seats an XBoard engine at a board.
pub struct XboardPlayer<G: Game> {
    process: ProcessSpec,
    starter: Starter,
    /// The game's name among the protocol's variants.
    variant: &'static str,
    engine: Option<Engine>,
    game: Option<Following<G>>,
    side: Side,
    /// Whether it has made a move in this game: until then it plays neither side.
    playing: bool,
    buffer: String,
}

/// The protocol's name of chess itself, which needs no `variant`.
const NORMAL: &str = "normal";

impl<G: Game> XboardPlayer<G> {
    /// A player whose process is started when its first game begins.
    pub fn new(process: ProcessSpec, starter: Starter, variant: &'static str) -> Self {
        let (engine, game, side, buffer) = (None, None, Side::First, String::new());
        Self { process, starter, variant, engine, game, side, playing: false, buffer }
    }

    fn dismiss(&mut self) {
        if let Some(engine) = self.engine.take() {
            let _how_it_ended = engine.child.shut_down("force\nquit\n", FAREWELL);
        }
    }

    /// The engine, with a fresh process where one is needed.
    fn engine(&mut self, stop: &AtomicBool) -> Result<&mut Engine, Failure> {
        let spent = |engine: &Engine| !engine.features.has(Flag::Reuse) || !engine.child.is_alive();
        if self.process.restart == Restart::EachGame || self.engine.as_ref().is_some_and(spent) {
            self.dismiss();
        }
        match &mut self.engine {
            Some(engine) => Ok(engine),
            none => Ok(none.insert(Engine::start(&self.starter, &self.process, stop)?)),
        }
    }

    /// Commands that begin a game: rules, position, time control.
    fn opening_lines(&self, features: &Features, start: &GameStart<'_, G>) -> Result<String, Failure> {
        let mut lines = String::new();
        Command::New.write_line(&mut lines);
        if self.variant != NORMAL {
            if !features.variants.iter().any(|known| known == self.variant) {
                return Err(Fault::Startup(format!("it does not play the variant `{}`", self.variant)).into());
            }
            Command::Variant(self.variant).write_line(&mut lines);
        }
        for command in [Command::Force, Command::Post, Command::Easy] {
            command.write_line(&mut lines);
        }
        if let Some(position) = start.start {
            if !features.has(Flag::SetBoard) {
                let why = "it cannot set up positions: use openings that begin at the game's start";
                return Err(Fault::Startup(why.to_owned()).into());
            }
            Command::SetBoard(position).write_line(&mut lines);
        }
        match start.limit {
            Limit::Clock { base, increment, moves } => {
                Command::Level { moves: moves.map_or(0, Into::into), base, increment }.write_line(&mut lines);
            }
            Limit::Movetime(time) => Command::MoveTime(time).write_line(&mut lines),
            Limit::Depth(depth) => Command::Depth(depth.into()).write_line(&mut lines),
            // The configuration refuses it: the protocol has no such limit.
            Limit::Nodes(_) => return Err(Fault::Startup("XBoard knows no limit in nodes".to_owned()).into()),
        }
        Ok(lines)
    }

    /// Writes what it must be told to make it think.
    fn write_turn(&mut self, turn: &Turn<'_, G>) {
        let Self { engine, game, buffer, side, playing, .. } = self;
        let (Some(engine), Some(game)) = (engine, game) else { return };
        buffer.clear();
        let mut moves = Vec::new();
        game.follow(turn.moves, |position, mv| moves.push(G::format_move(position, mv)));
        let timed = matches!(turn.allowance, crate::play::Allowance::Clock { .. }) && engine.features.has(Flag::Time);
        let clocks = [Command::Time(turn.remaining[*side]), Command::OpponentTime(turn.remaining[!*side])];
        let write_clocks = |buffer: &mut String| clocks.iter().filter(|_| timed).for_each(|c| c.write_line(buffer));
        if *playing {
            // The first of the two is its own move, which it knows.
            write_clocks(buffer);
            for mv in moves.iter().skip(1) {
                engine.features.move_command(mv).write_line(buffer);
            }
        } else {
            for mv in &moves {
                engine.features.move_command(mv).write_line(buffer);
            }
            write_clocks(buffer);
            Command::Go.write_line(buffer);
        }
        *playing = true;
    }

    /// Takes its answer for a move, or for what else it is.
    fn judge(turn: &Turn<'_, G>, answer: Answer) -> Result<G::Move, Unmoved> {
        match answer {
            Answer::Resigned => Err(Unmoved::Resigned),
            Answer::Nonsense(text) => Err(Unmoved::Fault(Fault::IllegalMove(text))),
            Answer::Move(text) => {
                // Some write the piece of a promotion as a capital.
                let read = |text: &str| G::parse_move(turn.position, text);
                let mv = read(&text).or_else(|| read(&text.to_ascii_lowercase()));
                mv.ok_or(Unmoved::Fault(Fault::IllegalMove(text)))
            }
        }
    }

    /// After the deadline: it is told to move, and what it is guilty of depends on whether it does so then.
    fn overrun(&mut self, inquiry: &Inquiry, stop: &AtomicBool) -> Failure {
        let Some(mut engine) = self.engine.take() else { return Fault::Crash("it has gone".to_owned()).into() };
        let last = Instant::now() + GRACE;
        let answered = engine.child.send("?\n", last).and_then(|()| engine.answer(last, stop).map(drop));
        let answered = answered.is_ok().then(|| engine.child.received_at());
        let failure = inquiry.missed(&engine.child, answered);
        self.engine = answered.is_some().then_some(engine);
        failure
    }
}

impl<G: Game> Player<G> for XboardPlayer<G> {
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        let asked = Instant::now();
        let patience = self.process.patience.start;
        let features = self.engine(start.stop)?.features.clone();
        let lines = self.opening_lines(&features, start)?;
        let engine = self.engine(start.stop)?;
        let _stale_lines = engine.child.drain();
        engine.last.clear();
        if let Err(error) = engine.tell(lines, asked + patience, start.stop) {
            let failure = failure(&mut engine.child, &error, asked);
            self.engine = None;
            return Err(as_startup(failure));
        }
        self.game = Some(Following::new(start)?);
        (self.side, self.playing) = (start.side, false);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure> {
        self.write_turn(turn);
        let Some(engine) = &mut self.engine else { return Err(Fault::Crash("it has gone".to_owned()).into()) };
        let inquiry = Inquiry::start(&engine.child, turn, &self.process);
        let sent = engine.child.send(&self.buffer, inquiry.until());
        match sent.and_then(|()| engine.answer(inquiry.until(), turn.stop)) {
            Ok((answer, said)) => inquiry.answered(&engine.child, said, || Self::judge(turn, answer)),
            Err(ChildError::Deadline) => Err(self.overrun(&inquiry, turn.stop)),
            Err(error) => {
                let failure = inquiry.broken(&mut engine.child, &error);
                self.engine = None;
                Err(failure)
            }
        }
    }

    fn end(&mut self, ending: Option<&Ending>) {
        self.game = None;
        let (Some(engine), Some(ending)) = (&mut self.engine, ending) else {
            self.engine = None;
            return;
        };
        let mut lines = String::new();
        Command::Result { white: Some(ending.score(Side::First)), comment: "" }.write_line(&mut lines);
        Command::Force.write_line(&mut lines);
        // If it does not listen, the next game's start will tell.
        let _sent = engine.child.send(&lines, Instant::now() + GRACE);
    }
}

impl<G: Game> Drop for XboardPlayer<G> {
    fn drop(&mut self) {
        self.dismiss();
    }
}
