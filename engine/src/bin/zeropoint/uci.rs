//! A UCI session.
//!
//! Owns the state between commands: options, the weights files and the book file, the game, and an engine that is
//! reconfigured only when options have changed. An invalid command is answered with an `info string` and otherwise
//! ignored.

use crate::input::{Input, Line, LineEffect, Listener};
use crate::named_file::{NamedFile, UnusableFile};
use crate::output::Output;
use crate::seed;
use crate::timer::{self, WallClock};
use engine::protocol::uci::{EngineOption, Go, Info, OptionError, UciCommand, UciMessage, Visits};
use engine::protocol::GameRecord;
use engine::{
    Budget, Engine, EngineConfig, Evaluator, Move, Policy, Position, SearchRequest, SearchResult, SetupBook, Stop,
};
use std::ops::ControlFlow;
use std::sync::Arc;

const NAME: &str = concat!("Zeropoint ", env!("CARGO_PKG_VERSION"));
const AUTHOR: &str = env!("CARGO_PKG_AUTHORS");

struct Session<'a> {
    input: &'a Input,
    output: &'a Output,
    engine: Engine,
    config: EngineConfig,
    weights: NamedFile<Evaluator>,
    policy: NamedFile<Arc<Policy>>,
    book: NamedFile<Arc<SetupBook>>,
    /// Whether `config` or the files have changes that the engine has not received yet.
    options_changed: bool,
    record: GameRecord,
}

/// Executes commands until `quit` or the end of input. `config` is the engine's configuration.
pub(crate) fn run(engine: Engine, config: EngineConfig, input: &Input, output: &Output, first: Line) {
    let record = GameRecord::new(Position::new());
    let (weights, book) = (NamedFile::new(EngineOption::EvalFile), NamedFile::new(EngineOption::BookFile));
    let policy = NamedFile::new(EngineOption::PolicyFile);
    let mut session = Session { input, output, engine, config, weights, policy, book, options_changed: false, record };
    let mut next = Some(first);
    while let Some(line) = next {
        if session.execute(&line).is_break() || output.is_closed() {
            break;
        }
        next = input.next();
    }
}

impl Session<'_> {
    fn execute(&mut self, line: &Line) -> ControlFlow<()> {
        if line.text.trim().is_empty() {
            return ControlFlow::Continue(());
        }
        match UciCommand::parse(&line.text) {
            Ok(UciCommand::Uci) => self.identify(),
            Ok(UciCommand::IsReady) => {
                self.apply_options();
                self.output.send(UciMessage::ReadyOk);
            }
            Ok(UciCommand::NewGame) => {
                self.engine.new_game();
                self.engine.set_seed(seed::of_system());
            }
            Ok(UciCommand::SetOption { name, value }) => {
                if let Err(error) = self.set_option(&name, &value) {
                    self.output.send(UciMessage::InfoString(&error));
                }
            }
            Ok(UciCommand::Position { start, moves }) => self.set_position(*start, &moves),
            Ok(UciCommand::Go(go)) => return self.go(&go, line),
            // The search to be stopped is already over.
            Ok(UciCommand::Stop) => {}
            Ok(UciCommand::Quit) => return ControlFlow::Break(()),
            Ok(UciCommand::Bench) => self.output.send(timer::measured(self.config.search)),
            Err(error) => self.output.send(UciMessage::InfoString(&error)),
        }
        ControlFlow::Continue(())
    }

    fn identify(&self) {
        self.output.send(UciMessage::Name(NAME));
        self.output.send(UciMessage::Author(AUTHOR));
        for option in EngineOption::all() {
            self.output.send(UciMessage::Option(option, &self.config));
        }
        self.output.send(UciMessage::UciOk);
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match EngineOption::find(name)? {
            EngineOption::EvalFile => self.weights.set(value),
            EngineOption::PolicyFile => self.policy.set(value),
            EngineOption::BookFile => self.book.set(value),
            option => option.set(&mut self.config, value)?,
        }
        self.options_changed = true;
        Ok(())
    }

    /// Reports an unusable file, which will be tried again.
    fn refuse<T>(&mut self, error: &UnusableFile) -> Option<T> {
        self.output.send(UciMessage::InfoString(error));
        self.options_changed = true;
        None
    }

    /// Passes changed options to the engine. Unusable files are reported and tried again each time; the engine plays
    /// without them.
    fn apply_options(&mut self) {
        if !std::mem::take(&mut self.options_changed) {
            return;
        }
        let mut config = self.config.clone();
        if let Some(evaluation) = self.weights.read(Evaluator::from_bytes).unwrap_or_else(|error| self.refuse(&error)) {
            config.evaluation = evaluation;
        }
        let book = |bytes: &[u8]| SetupBook::from_bytes(bytes).map(Arc::new);
        if let Some(book) = self.book.read(book).unwrap_or_else(|error| self.refuse(&error)) {
            config.book = book;
        }
        let policy = |bytes: &[u8]| Policy::from_bytes(bytes).map(Arc::new);
        config.policy = self.policy.read(policy).unwrap_or_else(|error| self.refuse(&error));
        if let Some(Err(why)) = config.policy.as_ref().map(|policy| policy.check_fits(&config.evaluation)) {
            self.output.send(UciMessage::InfoString(&format_args!("PolicyFile: {why}")));
        }
        self.engine.configure(&config);
    }

    fn set_position(&mut self, start: Position, moves: &[Move]) {
        let mut record = GameRecord::new(start);
        if let Err(error) = moves.iter().try_for_each(|&mv| record.play(mv)) {
            return self.output.send(UciMessage::InfoString(&error));
        }
        self.record = record;
    }

    /// Searches and answers, unless the session ends first.
    fn go(&mut self, go: &Go, line: &Line) -> ControlFlow<()> {
        self.apply_options();
        let (output, position) = (self.output, *self.record.position());
        let listener = Listener::new(self.input, |line| on_line(output, line));
        let budgets = go.budgets(position.side_to_move());
        let best = self.search(&budgets, &listener, line);
        if best.is_none() {
            output.send(UciMessage::InfoString(&"the game is over: there is no move"));
        }
        // An infinite search is answered only after `stop`.
        if budgets.is_empty() {
            listener.wait();
        }
        if listener.has_quit() {
            return ControlFlow::Break(());
        }
        output.send(UciMessage::BestMove(&position, best));
        ControlFlow::Continue(())
    }

    /// Returns the best move. Sends an `info` line for each iteration and the result, and the visits of a tree search;
    /// time counts from the arrival of `line`.
    fn search(&mut self, budgets: &[Budget], stop: &dyn Stop, line: &Line) -> Option<Move> {
        let (output, position) = (self.output, *self.record.position());
        let timer = WallClock { since: line.at };
        let send_info = |result: &SearchResult| {
            output.send(UciMessage::Info(Info { position: &position, result, time: timer.since.elapsed() }));
        };
        let request =
            SearchRequest { position: &position, history: self.record.history(), budgets, stop, timer: &timer };
        let (mut sent, mut moves) = (None, Vec::new());
        let keeps_visits = self.config.search.has_visits();
        let result = self.engine.search_with_progress(&request, &mut |progress| {
            send_info(progress.result);
            sent = Some(*progress.result);
            if keeps_visits {
                progress.moves.clone_into(&mut moves);
            }
        })?;
        if sent != Some(result) {
            send_info(&result);
        }
        if let Some(visits) = Visits::new(&position, &moves) {
            output.send(UciMessage::InfoString(&visits));
        }
        Some(result.best)
    }
}

/// What to do with a command received during a search.
fn on_line(output: &Output, line: &Line) -> LineEffect {
    match UciCommand::parse(&line.text) {
        Ok(UciCommand::Stop) => LineEffect::Stop,
        Ok(UciCommand::Quit) => LineEffect::Quit,
        Ok(UciCommand::IsReady) => {
            output.send(UciMessage::ReadyOk);
            LineEffect::Handled
        }
        _ => LineEffect::Defer,
    }
}
