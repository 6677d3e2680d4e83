//! One game in the `CodeCup` protocol.
//!
//! Owns the engine's clock: it runs from the arrival of a line until the answer is written; the first answer is also
//! charged with the program's start-up time.

use crate::input::{Input, Line, LineEffect, Listener};
use crate::output::Output;
use crate::seed;
use crate::timer::WallClock;
use engine::protocol::codecup::{Action, CodecupParams, Session, SessionError};
use engine::{format_move, Budget, Engine, EngineConfig, SearchRequest};
use std::time::{Duration, Instant};

/// An engine and its game.
pub(crate) struct Game {
    engine: Engine,
    params: CodecupParams,
    session: Session,
    ready: Instant,
    /// Start-up time, not yet charged to a move.
    start_up: Duration,
}

impl Game {
    /// Prepares for a game, in a program that started at `started`.
    pub(crate) fn new(started: Instant, config: &EngineConfig) -> Self {
        let mut engine = Engine::new(config);
        engine.set_seed(seed::of_system());
        let ready = Instant::now();
        Self {
            engine,
            params: config.params.codecup,
            session: Session::new(),
            ready,
            start_up: ready.saturating_duration_since(started),
        }
    }

    /// The engine, for use with another protocol.
    pub(crate) fn into_engine(self) -> Engine {
        self.engine
    }

    /// Plays until `Quit` or the end of input.
    ///
    /// # Errors
    /// A line cannot be parsed or is not expected now.
    pub(crate) fn run(mut self, input: &Input, output: &Output, first: Line) -> Result<(), SessionError> {
        let mut next = Some(first);
        while let Some(line) = next {
            let read_on = match self.session.handle_line(&line.text)? {
                Action::Quit => false,
                Action::Wait => true,
                Action::Move => self.answer(input, output, &line)?,
            };
            next = if read_on { input.next() } else { None };
        }
        Ok(())
    }

    /// Makes a move, unless the program is to exit first. Returns whether to read on.
    fn answer(&mut self, input: &Input, output: &Output, line: &Line) -> Result<bool, SessionError> {
        let asked = line.at.max(self.ready);
        let timer = WallClock { since: asked.checked_sub(self.start_up).unwrap_or(asked) };
        self.start_up = Duration::ZERO;
        let quit = |line: &Line| if line.text.trim() == "Quit" { LineEffect::Quit } else { LineEffect::Defer };
        let listener = Listener::new(input, quit);
        let position = *self.session.record().position();
        let request = SearchRequest {
            position: &position,
            history: self.session.record().history(),
            budgets: &[Budget::Clock(self.session.time_left(&self.params))],
            stop: &listener,
            timer: &timer,
        };
        let result = self.engine.search_with_progress(&request, &mut |_| ());
        if let Some(result) = result.filter(|_| !listener.has_quit()) {
            output.send(format_move(&position, result.best));
            self.session.record_move(result.best, timer.since.elapsed())?;
        }
        Ok(!listener.has_quit() && !output.is_closed())
    }
}
