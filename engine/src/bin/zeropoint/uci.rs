//! A session in UCI.
//!
//! Owns what is remembered between commands: options, the game at hand, and an engine that is rebuilt only when options
//! have changed. A command that cannot be followed is answered by an `info string` and otherwise passed over.

use crate::input::{Heard, Input, Line, Listener};
use crate::output::Output;
use crate::timer::{self, WallTimer};
use engine::protocol::uci::{Command, EngineOption, Go, Info, Message, OptionError};
use engine::protocol::Record;
use engine::{Budget, Engine, EngineConfig, Move, Position, Report, Request, Search, Stop};

const NAME: &str = concat!("Zeropoint ", env!("CARGO_PKG_VERSION"));
const AUTHOR: &str = env!("CARGO_PKG_AUTHORS");

/// Whether to read another command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Command,
    End,
}

struct Session<'a> {
    input: &'a Input,
    output: &'a Output,
    engine: Engine,
    config: EngineConfig,
    /// The engine does not have this configuration yet.
    reconfigured: bool,
    record: Record,
}

/// Follows commands until `quit` or the end of input. The engine is of the default configuration.
pub(crate) fn run(engine: Engine, input: &Input, output: &Output, first: Line) {
    let (config, record) = (EngineConfig::default(), Record::new(Position::new()));
    let mut session = Session { input, output, engine, config, reconfigured: false, record };
    let mut next = Some(first);
    while let Some(line) = next {
        if session.follow(&line) == Next::End || output.is_closed() {
            break;
        }
        next = input.next();
    }
}

impl Session<'_> {
    fn follow(&mut self, line: &Line) -> Next {
        if line.text.trim().is_empty() {
            return Next::Command;
        }
        match Command::parse(&line.text) {
            Ok(Command::Uci) => self.introduce(),
            Ok(Command::IsReady) => {
                self.settle();
                self.output.say(Message::ReadyOk);
            }
            Ok(Command::NewGame) => self.engine.new_game(),
            Ok(Command::SetOption { name, value }) => {
                if let Err(error) = self.set_option(&name, &value) {
                    self.output.say(Message::Note(&error));
                }
            }
            Ok(Command::Position { start, moves }) => self.set_position(*start, &moves),
            Ok(Command::Go(go)) => return self.go(&go, line),
            // The search it was meant for is over.
            Ok(Command::Stop) => {}
            Ok(Command::Quit) => return Next::End,
            Ok(Command::Bench) => self.output.say(timer::bench()),
            Err(error) => self.output.say(Message::Note(&error)),
        }
        Next::Command
    }

    fn introduce(&self) {
        self.output.say(Message::Name(NAME));
        self.output.say(Message::Author(AUTHOR));
        for option in EngineOption::all() {
            self.output.say(Message::Option(option, &EngineConfig::default()));
        }
        self.output.say(Message::UciOk);
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        EngineOption::find(name)?.set(&mut self.config, value)?;
        self.reconfigured = true;
        Ok(())
    }

    /// Gives the engine its options, if they have changed.
    fn settle(&mut self) {
        if std::mem::take(&mut self.reconfigured) {
            self.engine.configure(&self.config);
        }
    }

    fn set_position(&mut self, start: Position, moves: &[Move]) {
        let mut record = Record::new(start);
        if let Err(error) = moves.iter().try_for_each(|&mv| record.play(mv)) {
            return self.output.say(Message::Note(&error));
        }
        self.record = record;
    }

    /// Searches and answers, unless the session ends before.
    fn go(&mut self, go: &Go, line: &Line) -> Next {
        self.settle();
        let (output, position) = (self.output, *self.record.position());
        let listener = Listener::new(self.input, |line| hear(output, line));
        let budgets = go.budgets(position.side_to_move());
        let best = self.search(&budgets, &listener, line);
        if best.is_none() {
            output.say(Message::Note(&"the game is over: there is no move"));
        }
        // A search without end is answered when it is stopped, and not before.
        if budgets.is_empty() {
            listener.wait();
        }
        if listener.has_quit() {
            return Next::End;
        }
        output.say(Message::BestMove(&position, best));
        Next::Command
    }

    /// The best move, each iteration and the result being shown on the way. Time counts from when `line` had been read.
    fn search(&mut self, budgets: &[Budget], stop: &dyn Stop, line: &Line) -> Option<Move> {
        let (output, position) = (self.output, *self.record.position());
        let timer = WallTimer { since: line.at };
        let say = |report: &Report| {
            output.say(Message::Info(Info { position: &position, report, time: timer.since.elapsed() }));
        };
        let request = Request { position: &position, history: self.record.history(), budgets, stop, timer: &timer };
        let mut shown = None;
        let report = self.engine.search_watched(&request, &mut |report| {
            say(report);
            shown = Some(*report);
        })?;
        if shown != Some(report) {
            say(&report);
        }
        Some(report.best)
    }
}

/// What a command does that arrives during a search.
fn hear(output: &Output, line: &Line) -> Heard {
    match Command::parse(&line.text) {
        Ok(Command::Stop) => Heard::Stop,
        Ok(Command::Quit) => Heard::Quit,
        Ok(Command::IsReady) => {
            output.say(Message::ReadyOk);
            Heard::Done
        }
        _ => Heard::Later,
    }
}
