//! The player for CodeCup engines, for 0.1: one process a game, one line a move, and both extensions of the protocol.

use crate::child::{Child, ChildError};
use crate::clock::Limit;
use crate::entrant::ProcessSpec;
use crate::games::ZeroPointOne;
use crate::player::{Failure, GameStart, MoveFailure, Player, Reply, Turn};
use crate::players::process::move_request::MoveRequest;
use crate::players::process::ongoing_game::OngoingGame;
use crate::players::process::{Starter, as_startup, failure, with_attempts};
use crate::seated_game::ReusablePlayer;
use engine::protocol::codecup::{CodeCupCommand, parse_answer};
use engine::{Move, Position};
use record::{Ending, Fault, MoveInfo};
use std::time::{Duration, Instant};

/// How long a process may take to exit after the request.
const QUIT_TIMEOUT: Duration = Duration::from_millis(200);

/// How long to wait for the first line of a process in the rehearsal.
const FIRST_WORD: Duration = Duration::from_secs(1);

/// A player that runs a CodeCup engine, in games of 0.1.
pub struct CodecupPlayer {
    process: ProcessSpec,
    starter: Starter,
    child: Option<Child>,
    game: Option<OngoingGame<ZeroPointOne>>,
    /// Whether the opening and the side to move have been sent.
    started: bool,
    buffer: String,
}

impl CodecupPlayer {
    /// A player whose process is started for each game.
    pub fn new(process: ProcessSpec, starter: Starter) -> Self {
        Self { process, starter, child: None, game: None, started: false, buffer: String::new() }
    }

    fn dismiss(&mut self) {
        if let Some(child) = self.child.take() {
            let _how_it_ended = child.shut_down("Quit\n", QUIT_TIMEOUT);
        }
    }

    /// Begins a game that will not be played, and asks for its first move: the protocol has no other way to tell
    /// whether a process has started. A silent process may be thinking; one that ends without a line has not started.
    ///
    /// # Errors
    /// Why the process has not started.
    pub fn begin_aloud(&mut self, start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.begin(start)?;
        let Some(child) = &mut self.child else { return Ok(()) };
        let asked = Instant::now();
        let line = format!("{}\n", CodeCupCommand::Start.display(&Position::new()));
        let sent = child.send(&line, asked + FIRST_WORD);
        match sent.and_then(|()| child.receive(asked + FIRST_WORD, start.stop).map(drop)) {
            Ok(()) | Err(ChildError::Deadline) => Ok(()),
            Err(error) => Err(as_startup(failure(child, &error, asked))),
        }
    }

    /// Writes the lines that make the engine think: at first the plies already made, then its opponent's moves.
    fn write_turn(&mut self, turn: &Turn<'_, ZeroPointOne>) {
        let Self { game, buffer, started, .. } = self;
        let Some(game) = game else { return };
        buffer.clear();
        let mut unseen: Vec<(Position, Move)> = Vec::new();
        game.follow(turn.moves, |position, mv| unseen.push((*position, mv)));
        let mut write = |command: &CodeCupCommand, position: &Position| {
            buffer.push_str(&command.display(position).to_string());
            buffer.push('\n');
        };
        match unseen.as_slice() {
            _ if *started => {
                unseen.iter().skip(1).for_each(|(position, mv)| write(&CodeCupCommand::Move(*mv), position));
            }
            // Red's setup is sent like any other move if no opening went before it.
            [(position, mv)] => write(&CodeCupCommand::Move(*mv), position),
            [] => write(&CodeCupCommand::Start, turn.position),
            _ => {
                write(&CodeCupCommand::Opening(turn.moves.to_vec()), turn.position);
                write(&CodeCupCommand::Start, turn.position);
            }
        }
        *started = true;
    }

    /// Handles a move after the deadline. Drops the process either way: if it played on, it would disturb the next
    /// game.
    fn overrun(&mut self, move_request: &MoveRequest, turn: &Turn<'_, ZeroPointOne>) -> Failure {
        let Some(mut child) = self.child.take() else { return Fault::Crash("it has gone".to_owned()).into() };
        let answered = child.receive(Instant::now() + self.process.timeouts.overrun, turn.stop).is_ok();
        let answered = answered.then(|| child.received_at());
        move_request.missed(&child, answered)
    }
}

impl Player<ZeroPointOne> for CodecupPlayer {
    fn begin(&mut self, start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.dismiss();
        let Limit::Clock { base, .. } = start.limit else {
            // The configuration refuses it.
            return Err(Fault::Startup("CodeCup knows no other limit than a time for the game".to_owned()).into());
        };
        if start.start.is_some() {
            let why = "it cannot set up positions: use openings that begin at the game's start";
            return Err(Fault::Startup(why.to_owned()).into());
        }
        let mut lines: String = self.process.init.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        lines.push_str(&CodeCupCommand::Time(base).display(&Position::new()).to_string());
        lines.push('\n');
        let child = with_attempts(start.stop, || {
            let mut child = self.starter.start(&self.process)?;
            let asked = Instant::now();
            child
                .send(&lines, asked + self.process.timeouts.start)
                .map_err(|error| failure(&mut child, &error, asked))?;
            Ok(child)
        });
        self.child = Some(child.map_err(as_startup)?);
        self.game = Some(OngoingGame::new(start)?);
        self.started = false;
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, ZeroPointOne>) -> Result<Reply<Move>, Failure> {
        self.write_turn(turn);
        let Some(child) = &mut self.child else { return Err(Fault::Crash("it has gone".to_owned()).into()) };
        let move_request = MoveRequest::start(child, turn, &self.process);
        let sent = child.send(&self.buffer, move_request.until());
        match sent.and_then(|()| child.receive(move_request.until(), turn.stop).map(str::to_owned)) {
            Ok(text) => move_request.answered(child, MoveInfo::default(), child.received_at(), || {
                let illegal = |_| MoveFailure::Fault(Fault::IllegalMove(text.trim().to_owned()));
                parse_answer(turn.position, &text).map_err(illegal)
            }),
            Err(ChildError::Deadline) => Err(self.overrun(&move_request, turn)),
            Err(error) => {
                let failure = move_request.broken(child, &error);
                self.child = None;
                Err(failure)
            }
        }
    }

    fn end(&mut self, _ending: Option<&Ending>) {
        self.game = None;
        self.dismiss();
    }
}

impl ReusablePlayer<ZeroPointOne> for CodecupPlayer {
    fn rehearse(&mut self, start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.begin_aloud(start)
    }
}

impl Drop for CodecupPlayer {
    fn drop(&mut self) {
        self.dismiss();
    }
}
