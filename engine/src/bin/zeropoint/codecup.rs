//! One game in the `CodeCup` protocol.
//!
//! Owns when the engine's clock runs: from the moment a line has been read to the moment the answer is written, and for
//! the first answer also from the program's start until it was ready.

use crate::input::{Heard, Input, Line, Listener};
use crate::output::Output;
use crate::timer::WallTimer;
use engine::protocol::codecup::{Duty, Seat, SeatError};
use engine::{format_move, Budget, Engine, EngineConfig, Request};
use std::time::{Duration, Instant};

/// An engine at its seat.
pub(crate) struct Game {
    engine: Engine,
    seat: Seat,
    ready: Instant,
    /// Not yet charged to a move.
    start_up: Duration,
}

impl Game {
    /// Gets ready for a game, in a program that started some time ago.
    pub(crate) fn new(started: Instant) -> Self {
        let engine = Engine::new(&EngineConfig::default());
        let ready = Instant::now();
        Self { engine, seat: Seat::new(), ready, start_up: ready.saturating_duration_since(started) }
    }

    /// The engine alone, for another protocol.
    pub(crate) fn into_engine(self) -> Engine {
        self.engine
    }

    /// Plays until `Quit` or the end of input.
    ///
    /// # Errors
    /// A line that cannot be read or has no place where it stands.
    pub(crate) fn run(mut self, input: &Input, output: &Output, first: Line) -> Result<(), SeatError> {
        let mut next = Some(first);
        while let Some(line) = next {
            let goes_on = match self.seat.take(&line.text)? {
                Duty::Leave => false,
                Duty::Wait => true,
                Duty::Move => self.answer(input, output, &line)?,
            };
            next = if goes_on { input.next() } else { None };
        }
        Ok(())
    }

    /// Makes a move, unless the program is to end before there is one; whether the game goes on.
    fn answer(&mut self, input: &Input, output: &Output, line: &Line) -> Result<bool, SeatError> {
        let asked = line.at.max(self.ready);
        let timer = WallTimer { since: asked.checked_sub(self.start_up).unwrap_or(asked) };
        self.start_up = Duration::ZERO;
        let quit = |line: &Line| if line.text.trim() == "Quit" { Heard::Quit } else { Heard::Later };
        let listener = Listener::new(input, quit);
        let position = *self.seat.record().position();
        let request = Request {
            position: &position,
            history: self.seat.record().history(),
            budgets: &[Budget::Clock(self.seat.time_left())],
            stop: &listener,
            timer: &timer,
        };
        let report = self.engine.search_watched(&request, &mut |_| ());
        if let Some(report) = report.filter(|_| !listener.has_quit()) {
            output.say(format_move(&position, report.best));
            self.seat.made(report.best, timer.since.elapsed())?;
        }
        Ok(!listener.has_quit() && !output.is_closed())
    }
}
