//! The player for XBoard engines, version 2 of the protocol. Opening moves are sent while the engine plays neither
//! side; from its first own move on, the opponent's move starts its search.
//!
//! [`Engine`] keeps the process and interprets its lines in a game.

use super::command::XboardCommand;
use super::engine::{Answer, Claim, Engine, Question};
use super::feature::{Features, Flag};
use crate::child::ChildError;
use crate::clock::{Limit, Timing};
use crate::entrant::{ProcessSpec, Restart};
use crate::game::Game;
use crate::player::{Failure, GameStart, MoveFailure, Player, Reply, Turn};
use crate::players::process::move_request::MoveRequest;
use crate::players::process::ongoing_game::OngoingGame;
use crate::players::process::{QUIT_TIMEOUT, STOP_TIMEOUT, Starter, as_startup, failure};
use crate::seated_game::ReusablePlayer;
use record::{Ending, Fault, MoveInfo, Side};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A player that runs an XBoard engine.
pub struct XboardPlayer<G: Game> {
    process: ProcessSpec,
    starter: Starter,
    /// The game's name among the protocol's variants.
    variant: &'static str,
    engine: Option<Engine>,
    game: Option<OngoingGame<G>>,
    side: Side,
    /// The engine's last move, in this game or one before.
    last: Option<Made<G>>,
    /// Whether the engine has made a move in this game: until then it plays neither side.
    playing: bool,
    /// Whether only a fresh process can separate the engine's games.
    is_mute: bool,
    buffer: String,
}

/// A move that was made, and where.
struct Made<G: Game> {
    position: G::Position,
    mv: G::Move,
}

impl<G: Game> Made<G> {
    /// Whether a text is this move, in any spelling.
    fn is(&self, text: &str) -> bool {
        G::read_move(&self.position, text) == Some(self.mv)
    }
}

/// The protocol's name of chess itself, which needs no `variant`.
const NORMAL: &str = "normal";

impl<G: Game> XboardPlayer<G> {
    /// A player whose process is started when its first game begins.
    pub fn new(process: ProcessSpec, starter: Starter, variant: &'static str) -> Self {
        let (engine, game, side, last, buffer) = (None, None, Side::First, None, String::new());
        Self { process, starter, variant, engine, game, side, last, playing: false, is_mute: false, buffer }
    }

    fn dismiss(&mut self) {
        if let Some(engine) = self.engine.take() {
            let _how_it_ended = engine.child.shut_down("force\nquit\n", QUIT_TIMEOUT);
        }
    }

    /// Makes sure that there is an engine which will not send lines of an earlier game.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        let is_new = match &mut self.engine {
            Some(engine) if self.process.restart == Restart::WhenNeeded && !self.is_mute => {
                let is_usable = engine.features.has(Flag::Reuse) && engine.child.is_alive() && !engine.may_move_late();
                let is_mute = is_usable && !engine.features.has(Flag::Ping) && !engine.is_quiet(stop);
                self.is_mute = is_mute;
                !is_usable || is_mute
            }
            _ => true,
        };
        if is_new {
            self.dismiss();
            self.engine = Some(Engine::start(&self.starter, &self.process, stop)?);
        }
        Ok(())
    }

    /// Commands that begin a game: rules, position, time control.
    fn opening_lines(&self, features: &Features, start: &GameStart<'_, G>) -> Result<String, Failure> {
        let variant = self.variant;
        let pondering = if self.process.handling.ponder { XboardCommand::Hard } else { XboardCommand::Easy };
        let mut lines = String::new();
        XboardCommand::New.write_line(&mut lines);
        if variant != NORMAL {
            if !features.variants.iter().any(|known| known == variant) {
                return Err(Fault::Startup(format!("it does not play the variant `{variant}`")).into());
            }
            XboardCommand::Variant(variant).write_line(&mut lines);
        }
        for command in [XboardCommand::Force, XboardCommand::Post, pondering] {
            command.write_line(&mut lines);
        }
        if let Some(position) = start.start {
            if !features.has(Flag::SetBoard) {
                let why = "it cannot set up positions: use openings that begin at the game's start";
                return Err(Fault::Startup(why.to_owned()).into());
            }
            XboardCommand::SetBoard(position).write_line(&mut lines);
        }
        if start.limit.nodes().is_some() {
            // The configuration refuses it: the protocol has no such limit.
            return Err(Fault::Startup("XBoard knows no limit in nodes".to_owned()).into());
        }
        Self::write_limit(start.limit, features, &mut lines)?;
        Ok(lines)
    }

    /// Appends the commands that set the engine's clock and depth.
    fn write_limit(limit: Limit, features: &Features, lines: &mut String) -> Result<(), Failure> {
        match limit.timing() {
            Some(Timing::Clock { base, increment, moves }) => {
                XboardCommand::Level { moves: moves.map_or(0, Into::into), base, increment }.write_line(lines);
            }
            Some(Timing::Hourglass(base)) => {
                if !features.has(Flag::Time) {
                    let why = "it does not accept the time (`feature time=0`), which an hourglass changes";
                    return Err(Fault::Startup(why.to_owned()).into());
                }
                XboardCommand::Level { moves: 0, base, increment: Duration::ZERO }.write_line(lines);
            }
            Some(Timing::Movetime(time)) => XboardCommand::MoveTime(time).write_line(lines),
            None => {}
        }
        if let Some(depth) = limit.depth() {
            XboardCommand::Depth(depth.into()).write_line(lines);
        }
        Ok(())
    }

    /// Writes the commands that start the engine's search.
    fn write_turn(&mut self, turn: &Turn<'_, G>) {
        let Self { engine, game, buffer, side, playing, .. } = self;
        let (Some(engine), Some(game)) = (engine, game) else { return };
        buffer.clear();
        let mut moves = Vec::new();
        game.follow(turn.moves, |position, mv| moves.push(written::<G>(position, mv, &engine.features)));
        for mv in &moves {
            engine.sent_moves.push_str(mv);
            engine.sent_moves.push(' ');
        }
        let write_clocks = |buffer: &mut String| {
            let clocks = engine.features.has(Flag::Time).then_some(turn.clocks);
            let own = clocks.and_then(|clocks| clocks[*side]).map(|clock| XboardCommand::Time(clock.remaining));
            let other =
                clocks.and_then(|clocks| clocks[!*side]).map(|clock| XboardCommand::OpponentTime(clock.remaining));
            [own, other].iter().flatten().for_each(|command| command.write_line(buffer));
        };
        if turn.is_draw_offered && engine.features.has(Flag::Draw) {
            XboardCommand::Draw.write_line(buffer);
        }
        if *playing {
            // The first of the two is the engine's own move, which it knows.
            write_clocks(buffer);
            for mv in moves.iter().skip(1) {
                engine.features.move_command(mv).write_line(buffer);
            }
        } else {
            for mv in &moves {
                engine.features.move_command(mv).write_line(buffer);
            }
            write_clocks(buffer);
            XboardCommand::Go.write_line(buffer);
        }
    }

    /// Interprets the engine's answer: a move, or something else.
    fn judge(turn: &Turn<'_, G>, answer: Answer) -> Result<G::Move, MoveFailure> {
        let false_claim = |line| Err(MoveFailure::Fault(Fault::FalseClaim(line)));
        match answer {
            Answer::Resigned => Err(MoveFailure::Resigned),
            Answer::AgreedToDraw => Err(MoveFailure::AgreedToDraw),
            Answer::FalseClaim(line) => false_claim(line),
            Answer::Move(text, claim) => {
                let mv = G::read_move(turn.position, &text);
                let mv = mv.ok_or(MoveFailure::Fault(Fault::IllegalMove(text)))?;
                match claim.filter(|claim| !Self::holds(turn.position, mv, claim)) {
                    Some(claim) => false_claim(claim.line),
                    None => Ok(mv),
                }
            }
        }
    }

    /// Whether a move leads to the result that was claimed with it.
    fn holds(position: &G::Position, mv: G::Move, claim: &Claim) -> bool {
        let mut after = position.clone();
        G::play(&mut after, mv);
        let score = G::ending(&after).map(|ending| Ending::from(ending).score(Side::First));
        claim.white.is_none() || claim.white == score
    }

    /// Asks the engine, if there is one, for an answer: `lines` make it think, none make it move at once.
    fn ask(
        engine: &mut Engine,
        (side, last): (Side, Option<&Made<G>>),
        turn: &Turn<'_, G>,
        lines: Option<&str>,
        deadline: Instant,
    ) -> Result<(Answer, MoveInfo), ChildError> {
        let is_legal = |text: &str| G::read_move(turn.position, text).is_some();
        let is_last = |text: &str| last.is_some_and(|last| last.is(text));
        let Turn { is_draw_offered, stop, .. } = *turn;
        let question = Question { side, is_legal: &is_legal, is_last: &is_last, is_draw_offered, deadline, stop };
        match lines {
            Some(lines) => engine.ask(lines, question),
            None => engine.child.send("?\n", deadline).and_then(|()| engine.answer(question)),
        }
    }

    /// Handles a move after the deadline: sends `?` (move now), and determines the fault by whether the engine moves
    /// then.
    fn overrun(&mut self, move_request: &MoveRequest, turn: &Turn<'_, G>) -> Failure {
        let Some(mut engine) = self.engine.take() else { return Fault::Crash("it has gone".to_owned()).into() };
        let (own, deadline) = ((self.side, self.last.as_ref()), Instant::now() + self.process.timeouts.overrun);
        let answered = Self::ask(&mut engine, own, turn, None, deadline);
        let answered = answered.is_ok().then(|| engine.child.received_at());
        let failure = move_request.missed(&engine.child, answered);
        self.engine = answered.is_some().then_some(engine);
        failure
    }
}

/// A move in the engine's notation: in coordinates, or in standard algebraic notation if the engine has requested that.
/// A dropped piece is written with its letter in both.
pub(crate) fn written<G: Game>(position: &G::Position, mv: G::Move, features: &Features) -> String {
    let san = features.has(Flag::San).then(|| G::record_move(position, mv)).filter(|san| !san.contains('@'));
    san.unwrap_or_else(|| G::format_move(position, mv))
}

impl<G: Game> Player<G> for XboardPlayer<G> {
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.prepare(start.stop)?;
        let features = self.engine.as_ref().map(|engine| &engine.features);
        let lines = features.map(|features| self.opening_lines(features, start)).transpose()?.unwrap_or_default();
        let Some(engine) = &mut self.engine else { return Err(Fault::Crash("it has gone".to_owned()).into()) };
        let asked = Instant::now();
        if let Err(error) = engine.begin(lines, asked + self.process.timeouts.start, start.stop) {
            let failure = failure(&mut engine.child, &error, asked);
            self.engine = None;
            return Err(as_startup(failure));
        }
        self.game = Some(OngoingGame::new(start)?);
        (self.side, self.playing) = (start.side, false);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure> {
        self.write_turn(turn);
        let Some(engine) = &mut self.engine else { return Err(Fault::Crash("it has gone".to_owned()).into()) };
        let move_request = MoveRequest::start(&engine.child, turn, &self.process);
        let own = (self.side, self.last.as_ref());
        match Self::ask(engine, own, turn, Some(&self.buffer), move_request.until()) {
            Ok((answer, info)) => {
                let offers_draw = engine.take_draw_offer();
                let reply =
                    move_request.answered(&engine.child, info, engine.answered_at(), || Self::judge(turn, answer));
                let reply = reply.map(|reply| Reply { offers_draw, ..reply })?;
                (self.last, self.playing) = (Some(Made { position: turn.position.clone(), mv: reply.mv }), true);
                Ok(reply)
            }
            Err(ChildError::Deadline) => Err(self.overrun(&move_request, turn)),
            Err(error) => {
                let failure = move_request.broken(&mut engine.child, &error);
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
        XboardCommand::Result { white: Some(ending.score(Side::First)), comment: "" }.write_line(&mut lines);
        XboardCommand::Force.write_line(&mut lines);
        // If the engine does not read, the next game's start reveals it.
        let _sent = engine.child.send(&lines, Instant::now() + STOP_TIMEOUT);
    }
}

impl<G: Game> ReusablePlayer<G> for XboardPlayer<G> {
    fn rehearse(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.begin(start)
    }
}

impl<G: Game> Drop for XboardPlayer<G> {
    fn drop(&mut self) {
        self.dismiss();
    }
}
