//! The steps of a check for CodeCup engines of 0.1. A process plays one game, so each step has a process of its own.

use crate::Game;
use crate::check::examine::{self, CheckedEngine, GENEROUS, Outcome, Step, failed, outcome, warned};
use crate::check::finding::{Check, Finding, Grade};
use crate::child::{Child, ChildError};
use crate::games::ZeroPointOne;
use crate::players::process::STOP_TIMEOUT;
use crate::random::Stream;
use engine::protocol::codecup::{CodeCupCommand, parse_answer};
use engine::{Move, Position, format_move};
use std::time::{Duration, Instant};

/// The state of an engine in the check: its process, and the game that it plays.
struct CodecupEngine {
    child: Child,
    position: Position,
    /// The time of the last answer.
    took: Duration,
}

type EngineUnderTest<'a> = examine::EngineUnderTest<'a, CodecupEngine>;

/// Returns whether whole games should be played next.
pub(super) fn run(check: &Check<'_>, tell: &mut dyn FnMut(Finding)) -> bool {
    let step = "starts, and is silent until `Start`";
    let subject = match CodecupEngine::start(check) {
        Ok(subject) => subject,
        Err(why) => {
            tell(Finding::new(step, Grade::Failure, why));
            return false;
        }
    };
    let Some(engine) = examine::all(subject, &steps(), tell) else { return false };
    tell(examine::farewell(engine.child, "Quit\n", "ends within a second of `Quit`"));
    match CodecupEngine::start(check) {
        Ok(again) => tell(examine::farewell(again.engine.child, "", "ends within a second of the end of its input")),
        Err(why) => tell(Finding::new("starts again", Grade::Failure, why)),
    }
    true
}

/// The usual budget of a step.
const TIME: Duration = Duration::from_secs(5);
const SHORT: Duration = Duration::from_secs(1);
/// The wait for a line that should not come.
const SOON: Duration = Duration::from_millis(300);

fn steps<'a>() -> [Step<EngineUnderTest<'a>>; 17] {
    [
        ("starts, and is silent until `Start`", |subject| outcome(subject.is_silent(&[]))),
        ("makes red's setup at `Start`", |subject| outcome(subject.plays_as_red(1))),
        ("makes red's setup without `Time`, too", |subject| outcome(subject.plays_untimed())),
        ("moves as red when both setups are made", |subject| outcome(subject.plays_as_red(2))),
        ("makes blue's setup after red's", |subject| outcome(subject.plays_as_blue(1))),
        ("moves as blue after red's first move", |subject| outcome(subject.plays_as_blue(2))),
        ("writes moves in the protocol's form", |subject| outcome(subject.writes_well())),
        ("says one line a move", |subject| outcome(subject.says_one_line())),
        ("makes a new setup in each game", |subject| outcome(subject.plays_twice())),
        ("is silent after `Opening`, until `Start`", |subject| outcome(subject.is_silent(&[4]))),
        ("moves at `Start` after an `Opening` of setups", |subject| outcome(subject.starts_after(2))),
        ("moves at `Start` after an `Opening` of four plies", |subject| outcome(subject.starts_after(4))),
        ("answers the move that follows an `Opening`", |subject| outcome(subject.answers_after(4))),
        ("moves after an `Opening` of 30 plies", |subject| outcome(subject.starts_after(30))),
        ("plays ten moves as red", |subject| outcome(subject.plays_as_red(11))),
        ("plays ten moves as blue", |subject| outcome(subject.plays_as_blue(11))),
        ("plays eight moves within a `Time` of a second", |subject| outcome(subject.keeps_to_time())),
    ]
}

impl CheckedEngine for CodecupEngine {
    fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    fn start<'a>(check: &'a Check<'a>) -> Result<EngineUnderTest<'a>, String> {
        let child = check.starter.spawn(check.process)?;
        Ok(EngineUnderTest::new(check, Self { child, position: Position::new(), took: Duration::ZERO }))
    }
}

impl EngineUnderTest<'_> {
    /// Starts a process for a new game.
    fn begin(&mut self, time: Duration) -> Result<(), Outcome> {
        self.begin_untimed()?;
        self.send(&CodeCupCommand::Time(time))
    }

    fn begin_untimed(&mut self) -> Result<(), Outcome> {
        *self = self.fresh().map_err(failed)?;
        Ok(())
    }

    fn send(&mut self, command: &CodeCupCommand) -> Result<(), Outcome> {
        let line = format!("{}\n", command.display(&self.engine.position));
        let sent = self.engine.child.send(&line, Instant::now() + GENEROUS);
        sent.map_err(|error| self.broken(&error))
    }

    /// The engine's answer to `command`; plays both.
    fn ask(&mut self, command: &CodeCupCommand) -> Result<String, Outcome> {
        let asked = Instant::now();
        self.send(command)?;
        if let CodeCupCommand::Move(mv) = command {
            ZeroPointOne::play(&mut self.engine.position, *mv);
        }
        let text = match self.engine.child.receive(asked + GENEROUS, self.check.stop) {
            Ok(line) => line.trim().to_owned(),
            Err(error) => return Err(self.broken(&error)),
        };
        self.engine.took = self.engine.child.received_at() - asked;
        let mv = parse_answer(&self.engine.position, &text).map_err(|error| failed(error.to_string()))?;
        ZeroPointOne::play(&mut self.engine.position, mv);
        Ok(text)
    }

    /// Plays random plies and sends them to the engine.
    fn open(&mut self, plies: usize) -> Result<(), Outcome> {
        let (mut moves, mut after) = (Vec::new(), self.engine.position);
        while moves.len() < plies {
            let Some(mv) = reply(&after) else { break };
            ZeroPointOne::play(&mut after, mv);
            moves.push(mv);
        }
        self.send(&CodeCupCommand::Opening(moves))?;
        self.engine.position = after;
        Ok(())
    }

    /// Checks that the engine plays this many plies as red.
    fn plays_as_red(&mut self, plies: usize) -> Result<(), Outcome> {
        self.begin(TIME)?;
        let _setup = self.ask(&CodeCupCommand::Start)?;
        self.goes_on(plies - 1)
    }

    fn plays_as_blue(&mut self, plies: usize) -> Result<(), Outcome> {
        self.begin(TIME)?;
        self.goes_on(plies)
    }

    /// Checks that the engine answers this many moves.
    fn goes_on(&mut self, moves: usize) -> Result<(), Outcome> {
        for _ in 0..moves {
            let Some(mv) = reply(&self.engine.position) else { break };
            let _text = self.ask(&CodeCupCommand::Move(mv))?;
        }
        Ok(())
    }

    fn plays_untimed(&mut self) -> Result<(), Outcome> {
        self.begin_untimed()?;
        self.ask(&CodeCupCommand::Start).map(drop)
    }

    fn plays_twice(&mut self) -> Result<(), Outcome> {
        self.plays_as_red(1)?;
        self.plays_as_red(1)
    }

    fn writes_well(&mut self) -> Result<(), Outcome> {
        self.begin(TIME)?;
        let mut command = CodeCupCommand::Start;
        for _ in 0..3 {
            let before = self.engine.position;
            let text = self.ask(&command)?;
            let mut position = before;
            if let CodeCupCommand::Move(mv) = command {
                ZeroPointOne::play(&mut position, mv);
            }
            let usual = parse_answer(&position, &text).map(|mv| format_move(&position, mv)).unwrap_or_default();
            if usual != text {
                return Err(warned(format!("it writes `{text}` for `{usual}`")));
            }
            let Some(mv) = reply(&self.engine.position) else { break };
            command = CodeCupCommand::Move(mv);
        }
        Ok(())
    }

    fn says_one_line(&mut self) -> Result<(), Outcome> {
        self.begin(TIME)?;
        let _setup = self.ask(&CodeCupCommand::Start)?;
        self.hears_nothing()
    }

    /// Checks that no further line comes.
    fn hears_nothing(&mut self) -> Result<(), Outcome> {
        match self.engine.child.receive(Instant::now() + SOON, self.check.stop) {
            Err(ChildError::Deadline) => Ok(()),
            Ok(line) => Err(failed(format!("it says `{}`, which would be taken for its next move", line.trim()))),
            Err(error) => Err(self.broken(&error)),
        }
    }

    fn is_silent(&mut self, opening: &[usize]) -> Result<(), Outcome> {
        self.begin(TIME)?;
        for &plies in opening {
            self.open(plies)?;
        }
        self.hears_nothing()
    }

    fn starts_after(&mut self, plies: usize) -> Result<(), Outcome> {
        self.begin(TIME)?;
        self.open(plies)?;
        let _text = self.ask(&CodeCupCommand::Start)?;
        self.goes_on(1)
    }

    fn answers_after(&mut self, plies: usize) -> Result<(), Outcome> {
        self.begin(TIME)?;
        self.open(plies)?;
        self.goes_on(2)
    }

    fn keeps_to_time(&mut self) -> Result<(), Outcome> {
        self.begin(SHORT)?;
        let _setup = self.ask(&CodeCupCommand::Start)?;
        let mut took = self.engine.took;
        for _ in 0..7 {
            let Some(mv) = reply(&self.engine.position) else { break };
            let _text = self.ask(&CodeCupCommand::Move(mv))?;
            took += self.engine.took;
        }
        self.in_time(took, SHORT + STOP_TIMEOUT / 10, 1)
    }
}

/// A random move; `None` if the game is over, or would be over after each move that was drawn.
fn reply(position: &Position) -> Option<Move> {
    let goes_on = |mv: &Move| {
        let mut after = *position;
        ZeroPointOne::play(&mut after, *mv);
        ZeroPointOne::ending(&after).is_none()
    };
    let any = |seed| ZeroPointOne::random_move(position, &mut Stream::from_seed(seed));
    let is_over = ZeroPointOne::ending(position).is_some();
    (0..20).filter(|_| !is_over).find_map(|seed| any(seed).filter(goes_on))
}
