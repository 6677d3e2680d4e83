//! The player for UCI engines: one round trip a move, deadlines everywhere, the process kept from game to game.

use super::super::option::{OptionDeclaration, OptionKind};
use super::command::{Go, Start, UciCommand};
use super::message::Message;
use super::talk::{Answer, Talk};
use crate::child::{ChildError, FairDeadline};
use crate::clock::{Allowance, Clock, ClockFace, Limit, TimeAllowed};
use crate::entrant::{Options, PlayerSpec, ProcessSpec, Protocol, Restart};
use crate::game::Game;
use crate::games::Chess;
use crate::player::{Failure, GameStart, LinesKept, MoveFailure, Player, Reply, Turn};
use crate::players::process::move_request::MoveRequest;
use crate::players::process::ongoing_game::OngoingGame;
use crate::players::process::{QUIT_TIMEOUT, STOP_TIMEOUT, Starter, as_startup, failure, with_attempts};
use crate::seated_game::{ReusablePlayer, SeatedGame};
use record::{BySide, Fault, MoveInfo};
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A running UCI engine that is ready for commands.
pub struct Engine {
    talk: Talk,
    /// The engine's own name.
    pub name: Option<String>,
    /// The authors that the engine names.
    pub author: Option<String>,
    /// The options that the engine declares.
    pub declared: Vec<OptionDeclaration>,
    /// The values to which options have been set.
    set: BTreeMap<String, String>,
}

impl Engine {
    /// Starts a process and sets its options, including those that the game needs.
    ///
    /// # Errors
    /// Why the engine is not ready in time.
    pub fn start(
        starter: &Starter,
        process: &ProcessSpec,
        needed: &[(&str, &str)],
        stop: &AtomicBool,
    ) -> Result<Self, Failure> {
        with_attempts(stop, || Self::start_once(starter, process, needed, stop)).map_err(as_startup)
    }

    fn start_once(
        starter: &Starter,
        process: &ProcessSpec,
        needed: &[(&str, &str)],
        stop: &AtomicBool,
    ) -> Result<Self, Failure> {
        let talk = Talk::new(starter.start(process)?);
        // The time that the host takes to start a process is not the engine's fault.
        let asked = Instant::now();
        let deadline = talk.child.fair_deadline(asked + process.timeouts.start);
        let mut engine = Self { talk, name: None, author: None, declared: Vec::new(), set: BTreeMap::new() };
        let greeted = engine.greet(deadline, stop);
        greeted.map_err(|error| failure(&mut engine.talk.child, &error, asked))?;
        starter.introduce(process, engine.name.as_deref(), engine.author.as_deref());
        for (name, value) in needed {
            if !engine.declares(name, value) {
                let why = format!("it does not play this game: it has no option `{name}` with the value `{value}`");
                return Err(Fault::Startup(why).into());
            }
            engine.set.insert((*name).to_owned(), (*value).to_owned());
        }
        if process.handling.ponder {
            if !engine.declares(PONDER, "true") {
                return Err(Fault::Startup(format!("it does not ponder: it has no option `{PONDER}`")).into());
            }
            engine.set.insert(PONDER.to_owned(), "true".to_owned());
        }
        let mut lines = String::new();
        for (name, value) in &engine.set {
            UciCommand::SetOption { name, value: Some(value) }.write_line(&mut lines);
        }
        engine.write_options(starter, process, &mut lines)?;
        for line in &process.init {
            lines.push_str(line);
            lines.push('\n');
        }
        let ready = engine.talk.synchronise(lines, deadline, stop);
        ready.map_err(|error| failure(&mut engine.talk.child, &error, asked))?;
        Ok(engine)
    }

    /// Sends `uci`, and reads up to `uciok`.
    fn greet(&mut self, deadline: FairDeadline, stop: &AtomicBool) -> Result<(), ChildError> {
        self.talk.child.send("uci\n", deadline.at())?;
        loop {
            match Message::parse(self.talk.child.receive_fairly(deadline, stop)?) {
                Message::Name(name) => self.name = Some(name.to_owned()),
                Message::Author(author) => self.author = Some(author.to_owned()),
                Message::Option(option) => self.declared.push(option),
                Message::UciOk => return Ok(()),
                _ => {}
            }
        }
    }

    fn declares(&self, name: &str, value: &str) -> bool {
        OptionDeclaration::find(&self.declared, name).is_ok_and(|option| option.check(value).is_ok())
    }

    /// Appends commands for the options whose values differ from what the engine has.
    fn write_options(&mut self, starter: &Starter, process: &ProcessSpec, lines: &mut String) -> Result<(), Failure> {
        for (name, value) in process.options.iter() {
            if self.set.get(name).is_some_and(|set| set == value) {
                continue;
            }
            let spelled = |option: &OptionDeclaration| option.spelled(value);
            let declared = OptionDeclaration::find(&self.declared, name);
            match declared.and_then(|option| option.check(spelled(option)).map(|()| option)) {
                Ok(option) if option.is_left_alone(value) => {}
                Ok(option) => {
                    // An empty text is a value, too; a button has none.
                    let value_of_kind = (option.kind != OptionKind::Button).then(|| spelled(option));
                    UciCommand::SetOption { name, value: value_of_kind }.write_line(lines);
                }
                Err(error) => starter.refuse_option(process, &error)?,
            }
            self.set.insert(name.to_owned(), value.to_owned());
        }
        Ok(())
    }

    /// Whether the process for `had` can also serve `wanted`: they differ only in options that can be set now.
    fn serves(had: &ProcessSpec, wanted: &ProcessSpec) -> bool {
        let bare = |process: &ProcessSpec| ProcessSpec {
            options: Options::default(),
            limit: wanted.limit,
            margin: wanted.margin,
            restart: wanted.restart,
            timeouts: wanted.timeouts,
            ..process.clone()
        };
        bare(had) == bare(wanted) && had.options.iter().all(|(name, _)| wanted.options.get(name).is_some())
    }

    /// Lets the engine search a position and returns its evaluation, for callers that play no game.
    ///
    /// # Errors
    /// Why there is no evaluation.
    pub fn judge(
        &mut self,
        start: Option<&str>,
        moves: &str,
        limit: Limit,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<MoveInfo, Failure> {
        let asked = Instant::now();
        let start = start.map_or(Start::Initial, Start::Fen);
        let mut lines = String::new();
        UciCommand::NewGame.write_line(&mut lines);
        let ready = self.talk.synchronise(lines, self.talk.child.fair_deadline(deadline), stop);
        ready.map_err(|error| failure(&mut self.talk.child, &error, asked))?;
        let mut lines = String::new();
        UciCommand::Position { start, moves }.write_line(&mut lines);
        let movetime = Clock::new(limit, Duration::ZERO).due();
        let go = Go { movetime, ..work(limit.nodes(), limit.depth()) };
        UciCommand::Go(go).write_line(&mut lines);
        let info = self.talk.ask(&lines, deadline, stop).map(|answer| answer.info);
        info.map_err(|error| failure(&mut self.talk.child, &error, asked))
    }

    /// The engine's answer, and the legal move in it, if there is one. Sends `lines`, which end with `go`, and makes
    /// sure that the answer belongs to them. If the engine ponders on this position, waits for that search instead;
    /// ends any other search first.
    fn move_for<G: Game>(
        &mut self,
        turn: &Turn<'_, G>,
        lines: &str,
        pondering: Option<Pondering<G>>,
        deadline: Instant,
    ) -> Result<(Answer, Option<G::Move>), ChildError> {
        let read = |text: &str| G::read_move(turn.position, text);
        let hit = pondering.map(|Pondering { on }| turn.moves.last() == Some(&on));
        if hit == Some(false) {
            self.talk.end_search(UciCommand::Stop, deadline, turn.stop)?;
        }
        let answer = match hit {
            Some(true) => self.talk.end_search(UciCommand::PonderHit, deadline, turn.stop)?,
            Some(false) | None => self.talk.ask(lines, deadline, turn.stop)?,
        };
        let mv = read(&answer.text);
        if !answer.is_suspicious(mv.is_some()) {
            return Ok((answer, mv));
        }
        let answer = self.talk.settle(answer, &|text| read(text).is_some(), deadline, turn.stop)?;
        let mv = read(&answer.text);
        Ok((answer, mv))
    }

    /// Asks the engine to end, and kills it if it does not.
    pub fn quit(self) {
        let _how_it_ended = self.talk.child.shut_down("quit\n", QUIT_TIMEOUT);
    }
}

/// A search on the opponent's time.
struct Pondering<G: Game> {
    /// The expected move of the opponent.
    on: G::Move,
}

/// The option of engines that can ponder.
const PONDER: &str = "Ponder";

/// The `go` of a search limited by its work.
fn work(nodes: Option<NonZeroU64>, depth: Option<u8>) -> Go {
    Go { nodes: nodes.map(NonZeroU64::get), depth: depth.map(u32::from), ..Go::default() }
}

/// A player that runs a UCI engine.
pub struct UciPlayer<G: Game> {
    process: ProcessSpec,
    starter: Starter,
    /// Options that the game itself needs, such as its variant's name.
    needed: Vec<(&'static str, &'static str)>,
    engine: Option<Engine>,
    game: Option<OngoingGame<G>>,
    pondering: Option<Pondering<G>>,
    /// The game's moves since the position that they start from, in the form in which they are sent.
    moves: String,
    buffer: String,
    lines_kept: LinesKept,
    /// The kept lines of the last move's search.
    lines: Vec<String>,
    /// The last move.
    played: Option<G::Move>,
    /// Explains an illegal move if it belongs to another game.
    other_game: Option<fn(&str) -> Option<String>>,
}

impl<G: Game> UciPlayer<G> {
    /// A player whose process is started when its first game begins. `needed` are the options that the game itself
    /// needs.
    pub fn new(process: ProcessSpec, starter: Starter, needed: Vec<(&'static str, &'static str)>) -> Self {
        let (engine, game, pondering) = (None, None, None);
        let (moves, buffer, lines_kept, lines) = (String::new(), String::new(), LinesKept::None, Vec::new());
        Self {
            process,
            starter,
            needed,
            engine,
            game,
            pondering,
            moves,
            buffer,
            lines_kept,
            lines,
            played: None,
            other_game: None,
        }
    }

    /// Makes the player refuse an engine whose illegal move turns out to belong to another game: such an engine would
    /// lose every game, so it counts as not started. `what` names the game that it plays.
    #[must_use]
    pub fn refusing(mut self, what: fn(&str) -> Option<String>) -> Self {
        self.other_game = Some(what);
        self
    }

    /// Turns the player into another entrant's, keeping the process if only its options differ.
    pub fn configure(&mut self, process: &ProcessSpec) {
        if self.engine.as_ref().is_some() && !Engine::serves(&self.process, process) {
            self.dismiss();
        }
        self.process = process.clone();
    }

    fn dismiss(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }

    /// Asks the engine, which is ready, for a first move, and refuses an engine that plays chess instead of `game`.
    ///
    /// # Errors
    /// That the engine plays chess.
    pub(crate) fn refuse_engine_of(&mut self, game: &G, chess: Chess, stop: &AtomicBool) -> Result<(), Failure> {
        let Some(engine) = &mut self.engine else { return Ok(()) };
        let mut lines = String::new();
        UciCommand::Position { start: Start::Initial, moves: "" }.write_line(&mut lines);
        UciCommand::Go(Go { depth: Some(1), ..Go::default() }).write_line(&mut lines);
        let Ok(answer) = engine.talk.ask(&lines, Instant::now() + self.process.timeouts.start, stop) else {
            // Games will show the error.
            self.engine = None;
            return Ok(());
        };
        let text = answer.text;
        if G::read_move(&game.start(), &text).is_some() || Chess::read_move(&chess.start(), &text).is_none() {
            return Ok(());
        }
        let why = format!(
            "it plays chess: its first move is `{text}`. Say which game is meant, by `game = \"chess\"` for instance; \
                where spar's own \
             engine plays it is 0.1"
        );
        Err(Failure { evidence: Some(engine.talk.child.tail().to_string()), ..Fault::Startup(why).into() })
    }

    /// The engine, ready for a new game.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        if self.process.restart == Restart::EachGame {
            self.dismiss();
        }
        // An engine that died between games must not lose the next one: it is restarted.
        if self.engine.as_ref().is_some_and(|engine| !engine.talk.child.is_alive()) {
            self.engine = None;
        }
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(Engine::start(&self.starter, &self.process, &self.needed, stop)?),
        };
        let asked = Instant::now();
        let mut lines = String::new();
        engine.write_options(&self.starter, &self.process, &mut lines)?;
        UciCommand::NewGame.write_line(&mut lines);
        let deadline = engine.talk.child.fair_deadline(asked + self.process.timeouts.start);
        let ready = engine.talk.synchronise(lines, deadline, stop);
        if let Err(error) = ready {
            let failure = failure(&mut engine.talk.child, &error, asked);
            self.engine = None;
            return Err(as_startup(failure));
        }
        Ok(())
    }

    fn go(allowance: Allowance, clocks: BySide<Option<ClockFace>>) -> Go {
        let Allowance { time, nodes, depth } = allowance;
        let mut go = work(nodes, depth);
        match time {
            None => {}
            Some(TimeAllowed::Move(time)) => go.movetime = Some(time),
            Some(TimeAllowed::Clock { moves_to_go, .. }) => {
                let BySide { first, second } = clocks;
                (go.wtime, go.btime) = (first.map(|clock| clock.remaining), second.map(|clock| clock.remaining));
                if [first, second].into_iter().flatten().any(|clock| !clock.increment.is_zero()) {
                    (go.winc, go.binc) = (first.map(|clock| clock.increment), second.map(|clock| clock.increment));
                }
                go.movestogo = moves_to_go;
            }
        }
        go
    }

    /// Lets the engine think on its opponent's time, about the answer that it expects to its own move `mv`, which took
    /// `spent`.
    fn ponder(&mut self, turn: &Turn<'_, G>, mv: G::Move, expected: &str, spent: Duration) {
        let (Some(engine), Some(game)) = (&mut self.engine, &self.game) else { return };
        let mut position = turn.position.clone();
        let own = G::side_to_move(&position);
        let mut moves = self.moves.clone();
        let mut tell = |position: &mut G::Position, mv: G::Move| {
            moves.push_str(if moves.is_empty() { "" } else { " " });
            G::write_move(position, mv, &mut moves);
            G::play(position, mv);
        };
        tell(&mut position, mv);
        let expected = G::read_move(&position, expected).filter(|_| G::ending(&position).is_none());
        let Some(on) = expected else { return };
        tell(&mut position, on);
        // After a move that ends the game there is nothing to ponder.
        if G::ending(&position).is_some() {
            return;
        }
        let (mut allowance, mut clocks) = (turn.allowance, turn.clocks);
        allowance.time = allowance.time.map(|time| time.after(spent, self.process.limit.timing()));
        if let (Some(face), Some(time)) = (&mut clocks[own], allowance.time) {
            face.remaining = time.most();
        }
        self.buffer.clear();
        let start = game.start.as_deref().map_or(Start::Initial, Start::Fen);
        UciCommand::Position { start, moves: &moves }.write_line(&mut self.buffer);
        UciCommand::Go(Go { ponder: true, ..Self::go(allowance, clocks) }).write_line(&mut self.buffer);
        // If the engine does not read, its next turn reveals it.
        if engine.talk.begin(&self.buffer, Instant::now() + STOP_TIMEOUT).is_ok() {
            self.pondering = Some(Pondering { on });
        }
    }

    /// Handles a move after the deadline: sends `stop`, and determines the fault by whether the engine answers then.
    fn overrun(&mut self, move_request: &MoveRequest, stop: &AtomicBool) -> Failure {
        let Some(engine) = &mut self.engine else { return Fault::Crash("it has gone".to_owned()).into() };
        let last = Instant::now() + self.process.timeouts.overrun;
        let answered = engine.talk.child.send("stop\n", last).and_then(|()| engine.talk.answer(last, stop).map(drop));
        let answered = answered.is_ok().then(|| engine.talk.child.received_at());
        let failure = move_request.missed(&engine.talk.child, answered);
        if answered.is_none() {
            self.engine = None;
        }
        failure
    }
}

impl<G: Game> Player<G> for UciPlayer<G> {
    fn keep_lines(&mut self, kept: LinesKept) {
        self.lines_kept = kept;
    }

    fn lines(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        match &self.game {
            Some(game) if self.lines_kept.are_illegal() => game.odd_lines(lines, self.lines_kept, self.played),
            _ => lines,
        }
    }

    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.prepare(start.stop)?;
        if let Some(engine) = &mut self.engine {
            engine.talk.kept.what = self.lines_kept;
        }
        self.game = Some(OngoingGame::new(start)?);
        self.moves.clear();
        self.pondering = None;
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure> {
        let (Some(engine), Some(game)) = (&mut self.engine, &mut self.game) else {
            return Err(Fault::Crash("it has gone".to_owned()).into());
        };
        game.follow_in_text(turn.moves, self.process.handling.moves, &mut self.moves);
        self.buffer.clear();
        let start = game.start.as_deref().map_or(Start::Initial, Start::Fen);
        UciCommand::Position { start, moves: &self.moves }.write_line(&mut self.buffer);
        UciCommand::Go(Self::go(turn.allowance, turn.clocks)).write_line(&mut self.buffer);
        let move_request = MoveRequest::start(&engine.talk.child, turn, &self.process);
        match engine.move_for(turn, &self.buffer, self.pondering.take(), move_request.until()) {
            Ok((Answer { text, expected, info, at, .. }, mv)) => {
                let other_game = || self.other_game.and_then(|what| what(&text)).map(Fault::Startup);
                let illegal = || MoveFailure::Fault(other_game().unwrap_or_else(|| Fault::IllegalMove(text.clone())));
                let reply = move_request.answered(&engine.talk.child, info, at, || mv.ok_or_else(illegal))?;
                (self.lines, self.played) = (engine.talk.kept.take(), Some(reply.mv));
                if let Some(expected) = expected.filter(|_| self.process.handling.ponder) {
                    self.ponder(turn, reply.mv, &expected, reply.spent.unwrap_or_default());
                }
                Ok(reply)
            }
            Err(ChildError::Deadline) => Err(self.overrun(&move_request, turn.stop)),
            Err(error) => {
                let failure = move_request.broken(&mut engine.talk.child, &error);
                self.engine = None;
                Err(failure)
            }
        }
    }

    fn end(&mut self, ending: Option<&record::Ending>) {
        self.game = None;
        let pondered = self.pondering.take().filter(|_| ending.is_some()).and(self.engine.as_mut());
        let is_busy = pondered.is_some_and(|engine| {
            let (last, never) = (Instant::now() + STOP_TIMEOUT, AtomicBool::new(false));
            engine.talk.end_search(UciCommand::Stop, last, &never).is_err()
        });
        if ending.is_none() || is_busy {
            // The engine may still be thinking about an abandoned game.
            self.engine = None;
        }
    }
}

impl<G: SeatedGame> ReusablePlayer<G> for UciPlayer<G> {
    fn reuse(&mut self, spec: &PlayerSpec, _starter: Option<&Starter>) -> bool {
        let Some(process) = spec.process().filter(|process| process.protocol == Protocol::Uci) else { return false };
        self.configure(process);
        true
    }

    fn rehearse(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.begin(start)?;
        G::taken_for().map_or(Ok(()), |other| self.refuse_engine_of(start.game, other, start.stop))
    }
}

impl<G: Game> Drop for UciPlayer<G> {
    fn drop(&mut self) {
        self.dismiss();
    }
}
