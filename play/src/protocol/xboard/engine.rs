//! A running XBoard engine: its greeting and options, which of its lines is its move, and how its games are kept apart.
//!
//! Many engines print each move in two forms, the second at any time before their next move. A move that repeats the
//! last one, in any spelling, and is illegal is ignored; if it is legal, it counts as a move (this needs a Chess960
//! castling: after any other move its origin is empty). An engine that prints another move without a request gets a
//! `ping` before each turn from then on, and nothing before `pong` is an answer.
//!
//! Between games the barrier is `ping`. An engine without it is sent a word that is not a command, in `force`:
//! according to the protocol it must quote the word in an `Error` or `Illegal move`. An engine that does not do that
//! either is restarted for each game, and so is one that resigned when it had to move: GNU Chess keeps searching, and
//! prints the old game's move in the new game.

use super::super::option::{OptionDeclaration, OptionError};
use super::command::XboardCommand;
use super::feature::{Feature, Features, Flag, Handshake};
use super::message::Message;
use crate::child::{Child, ChildError, FairDeadline};
use crate::entrant::ProcessSpec;
use crate::player::Failure;
use crate::players::process::{STOP_TIMEOUT, Starter, as_startup, failure, with_attempts};
use record::{MoveInfo, Side};
use stats::Score;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long to wait for features: an engine that declares none uses the protocol's first version.
const UNSAID: Duration = Duration::from_secs(2);
/// How long to wait for an answer to a word that is not a command.
const ECHO: Duration = Duration::from_millis(500);

/// A process, and what is known about it.
pub(crate) struct Engine {
    pub(crate) child: Child,
    pub(crate) features: Features,
    /// The number of the last `ping`, or of the last word in its place.
    pings: u32,
    /// Whether the engine has printed an unrequested move.
    is_doubtful: bool,
    /// The moves sent to the engine in this game, each followed by a space.
    pub(super) sent_moves: String,
    /// The result that the engine has claimed since its last move, if any.
    claim: Option<Claim>,
    /// Whether the engine has offered a draw since its last move.
    offers_draw: bool,
    /// Whether the engine has been asked for a move and has not made it.
    owes_move: bool,
    /// When the last answer was read.
    answered_at: Instant,
}

/// A result of the game claimed by an engine.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// White's score; `None` for `*`.
    pub(super) white: Option<Score>,
    /// The whole line.
    pub(super) line: String,
}

/// The engine's message instead of its move, or with it.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A move, as written, and the result that the engine claims for it.
    Move(String, Option<Claim>),
    /// The engine resigns.
    Resigned,
    /// The engine accepts the opponent's draw offer.
    AgreedToDraw,
    /// The engine makes a false claim, or refuses something correct; the whole line.
    FalseClaim(String),
}

/// A request to an engine, and its deadline.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    /// The side that the engine plays.
    pub(super) side: Side,
    /// Whether a move, as written, can be played.
    pub(super) is_legal: &'a dyn Fn(&str) -> bool,
    /// Whether a text is the engine's last move, possibly of an earlier game.
    pub(super) is_last: &'a dyn Fn(&str) -> bool,
    /// Whether the opponent offers a draw.
    pub(super) is_draw_offered: bool,
    pub(super) deadline: Instant,
    pub(super) stop: &'a AtomicBool,
}

impl Engine {
    pub(super) fn start(starter: &Starter, process: &ProcessSpec, stop: &AtomicBool) -> Result<Self, Failure> {
        with_attempts(stop, || Self::start_once(starter, process, stop)).map_err(as_startup)
    }

    fn start_once(starter: &Starter, process: &ProcessSpec, stop: &AtomicBool) -> Result<Self, Failure> {
        let mut engine = Self::new(starter.start(process)?);
        // The time that the host takes to start a process is not the engine's fault.
        let asked = Instant::now();
        let deadline = engine.child.fair_deadline(asked + process.timeouts.start);
        let greeted = engine.greet(deadline, stop);
        greeted.map_err(|error| failure(&mut engine.child, &error, asked))?;
        starter.introduce(process, engine.features.name.as_deref(), None);
        let mut lines = engine.options(starter, process)?;
        for line in &process.init {
            lines.push_str(line);
            lines.push('\n');
        }
        let sent = engine.child.send(&lines, deadline.at());
        sent.map_err(|error| failure(&mut engine.child, &error, asked))?;
        Ok(engine)
    }

    pub(crate) fn new(child: Child) -> Self {
        Self {
            child,
            features: Features::default(),
            pings: 0,
            is_doubtful: false,
            sent_moves: String::new(),
            claim: None,
            offers_draw: false,
            owes_move: false,
            answered_at: Instant::now(),
        }
    }

    /// Sends `xboard`, and reads up to the last feature.
    ///
    /// # Errors
    /// [`ChildError`].
    pub(crate) fn greet(&mut self, deadline: FairDeadline, stop: &AtomicBool) -> Result<(), ChildError> {
        self.child.send("xboard\nprotover 2\n", deadline.at())?;
        if !self.read_features(UNSAID / 2, deadline, stop)? {
            // Some engines process `protover` only when more input comes (GNU Chess).
            self.child.send(&format!("{}\n", XboardCommand::Easy), deadline.at())?;
            let _is_of_version_2 = self.read_features(UNSAID / 2, deadline, stop)?;
        }
        Ok(())
    }

    /// Reads features up to the last; returns false if the engine does not say within `wait` whether there are more to
    /// come.
    fn read_features(&mut self, wait: Duration, deadline: FairDeadline, stop: &AtomicBool) -> Result<bool, ChildError> {
        let unsaid = self.child.fair_deadline(self.child.due(deadline).min(Instant::now() + wait));
        while self.features.handshake != Handshake::Done {
            let is_unsaid = self.features.handshake == Handshake::Unsaid;
            let line = match self.child.receive_fairly(if is_unsaid { unsaid } else { deadline }, stop) {
                Err(ChildError::Deadline) if is_unsaid => return Ok(false),
                line => line?,
            };
            let Message::Features(text) = Message::parse(line) else { continue };
            let mut answers = String::new();
            for feature in Feature::read_all(text) {
                self.features.apply(feature).write_line(&mut answers);
            }
            self.child.send(&answers, deadline.at())?;
        }
        Ok(true)
    }

    /// Commands that set the engine's options: its own, and the protocol's `memory` and `cores`.
    ///
    /// # Errors
    /// The option that the engine does not have, or the value that it does not accept.
    pub(crate) fn options(&self, starter: &Starter, process: &ProcessSpec) -> Result<String, Failure> {
        let mut lines = String::new();
        for (name, value) in process.options.iter() {
            match self.option(name, value) {
                Ok(Some(command)) => command.write_line(&mut lines),
                Ok(None) => {}
                Err(error) => starter.refuse_option(process, &error)?,
            }
        }
        Ok(lines)
    }

    /// The command that sets an option, if the option needs one.
    fn option<'a>(&'a self, name: &str, value: &'a str) -> Result<Option<XboardCommand<'a>>, OptionError> {
        let not_number = || OptionError::NotNumber { name: name.to_owned(), value: value.to_owned() };
        let number = || value.parse().map_err(|_| not_number());
        match name {
            "memory" if self.features.has(Flag::Memory) => number().map(XboardCommand::Memory).map(Some),
            "cores" if self.features.has(Flag::Smp) => number().map(XboardCommand::Cores).map(Some),
            _ => {
                let declared = OptionDeclaration::find(&self.features.options, name)?;
                let value = declared.spelled(value);
                declared.check(value)?;
                Ok((!declared.is_left_alone(value)).then(|| XboardCommand::option(declared, value)))
            }
        }
    }

    /// Sends the lines that begin a game, and waits until the engine has read them if that can be told.
    ///
    /// # Errors
    /// [`ChildError`].
    pub(super) fn begin(&mut self, mut lines: String, deadline: Instant, stop: &AtomicBool) -> Result<(), ChildError> {
        self.sent_moves.clear();
        if self.features.has(Flag::Ping) {
            self.pings += 1;
            XboardCommand::Ping(self.pings).write_line(&mut lines);
            let deadline = self.child.fair_deadline(deadline);
            self.child.send(&lines, deadline.at())?;
            while Message::parse(self.child.receive_fairly(deadline, stop)?) != Message::Pong(self.pings) {}
        } else {
            self.child.send(&lines, deadline)?;
        }
        (self.claim, self.offers_draw) = (None, false);
        Ok(())
    }

    /// Without `ping`: reads the lines left from a game, up to the complaint about a word that is not a command.
    /// Returns false if the engine does not complain, since lines may then still come.
    pub(super) fn is_quiet(&mut self, stop: &AtomicBool) -> bool {
        self.pings += 1;
        let word = format!("barrier{}", self.pings);
        let deadline = self.child.fair_deadline(Instant::now() + ECHO);
        if self.child.send(&format!("{word}\n"), deadline.at()).is_err() {
            return false;
        }
        while let Ok(line) = self.child.receive_fairly(deadline, stop) {
            if line.contains(&word) {
                return true;
            }
        }
        false
    }

    /// Whether a move of an earlier game may still come, after any barrier: without `ping` no barrier waits for a
    /// search.
    pub(super) fn may_move_late(&self) -> bool {
        self.owes_move && !self.features.has(Flag::Ping)
    }

    /// Sends the lines that make the engine think, and waits for its move.
    ///
    /// # Errors
    /// [`ChildError`], [`ChildError::Deadline`] among them.
    pub(super) fn ask(&mut self, lines: &str, question: Question<'_>) -> Result<(Answer, MoveInfo), ChildError> {
        self.owes_move = true;
        if let Some(answer) = self.unasked(question)? {
            self.answered_at = Instant::now();
            return Ok((answer, MoveInfo::default()));
        }
        if self.is_doubtful && self.features.has(Flag::Ping) {
            self.pings += 1;
            self.child.send(&format!("{}\n{lines}", XboardCommand::Ping(self.pings)), question.deadline)?;
            while let Some(line) = self.before_pong(question)? {
                if let Some(answer) = self.note(&line, question) {
                    self.answered_at = self.child.received_at();
                    return Ok((answer, MoveInfo::default()));
                }
            }
        } else {
            self.child.send(lines, question.deadline)?;
        }
        self.answer(question)
    }

    /// Whether a draw was offered with the last move, that is, since the move before. Resets the offer.
    pub(super) fn take_draw_offer(&mut self) -> bool {
        std::mem::take(&mut self.offers_draw)
    }

    /// When the last answer was read.
    pub(super) fn answered_at(&self) -> Instant {
        self.answered_at
    }

    /// Processes the lines since the engine's last move; returns an answer if the engine has ended the game.
    fn unasked(&mut self, question: Question<'_>) -> Result<Option<Answer>, ChildError> {
        while let Some(line) = self.child.pending()?.map(str::to_owned) {
            self.is_doubtful |= matches!(Message::parse(&line), Message::Move(text) if !(question.is_last)(text));
            if let Some(answer) = self.note(&line, question) {
                return Ok(Some(answer));
            }
            if Instant::now() >= question.deadline {
                return Err(ChildError::Deadline);
            }
        }
        Ok(None)
    }

    /// The next line before the awaited `pong`.
    fn before_pong(&mut self, question: Question<'_>) -> Result<Option<String>, ChildError> {
        let line = self.child.receive(question.deadline, question.stop)?;
        Ok((Message::parse(line) != Message::Pong(self.pings)).then(|| line.to_owned()))
    }

    /// Processes a line that is not a move; returns an answer if the line ends the game.
    fn note(&mut self, line: &str, question: Question<'_>) -> Option<Answer> {
        let Question { side, is_draw_offered, .. } = question;
        match Message::parse(line) {
            Message::Resign => Some(Answer::Resigned),
            // An engine is not expected to claim a loss falsely.
            Message::Result { white: Some(white), .. } if is_lost(white, side) => Some(Answer::Resigned),
            Message::OfferDraw | Message::Result { white: Some(Score::Draw), .. } if is_draw_offered => {
                Some(Answer::AgreedToDraw)
            }
            Message::OfferDraw => {
                self.offers_draw = true;
                None
            }
            // Some engines print the result before the move that causes it. Without a move it is a false claim.
            Message::Result { white, .. } => {
                self.claim = Some(Claim { white, line: line.trim().to_owned() });
                None
            }
            Message::Illegal { mv, .. } if self.was_told(mv) => Some(Answer::FalseClaim(line.trim().to_owned())),
            Message::UserError(text) if text.to_ascii_lowercase().contains("illegal position") => {
                Some(Answer::FalseClaim(line.trim().to_owned()))
            }
            _ => None,
        }
    }

    /// Whether a text is a move sent to the engine in this game, and not an unknown command.
    fn was_told(&self, mv: &str) -> bool {
        self.sent_moves.split(' ').any(|sent| !sent.is_empty() && sent.eq_ignore_ascii_case(mv))
    }

    /// Waits for the engine's move.
    ///
    /// # Errors
    /// [`ChildError`].
    pub(super) fn answer(&mut self, question: Question<'_>) -> Result<(Answer, MoveInfo), ChildError> {
        let mut info = MoveInfo::default();
        let mut deadline = question.deadline;
        loop {
            if self.claim.is_some() {
                deadline = deadline.min(Instant::now() + STOP_TIMEOUT);
            }
            let line = match (self.child.receive(deadline, question.stop), &self.claim) {
                (Err(ChildError::Deadline), Some(claim)) => return Ok((Answer::FalseClaim(claim.line.clone()), info)),
                (line, _) => line?.to_owned(),
            };
            self.answered_at = self.child.received_at();
            match Message::parse(&line) {
                Message::Thinking(thinking) => info = thinking.to_move_info(),
                Message::Move(text) if (question.is_last)(text) && !(question.is_legal)(text) => {}
                Message::Move(text) => {
                    self.owes_move = false;
                    return Ok((Answer::Move(text.to_owned(), self.claim.take()), info));
                }
                _ => {
                    if let Some(answer) = self.note(&line, question) {
                        return Ok((answer, info));
                    }
                }
            }
        }
    }
}

/// Whether White's score is a loss for `side`.
fn is_lost(white: Score, side: Side) -> bool {
    matches!((white, side), (Score::Loss, Side::First) | (Score::Win, Side::Second))
}
