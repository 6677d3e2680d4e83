//! UCI commands, as written to an engine.

use std::fmt::{self, Display, Write};
use std::time::Duration;

/// A command to an engine. Texts are single lines; their white space at the ends is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UciCommand<'a> {
    /// `uci`: asks for name, options and `uciok`.
    Uci,
    /// `isready`: asks for `readyok`.
    IsReady,
    /// `ucinewgame`: a new game follows.
    NewGame,
    /// `setoption`.
    SetOption {
        /// The option's name; must not contain the word `value`.
        name: &'a str,
        /// The value; none for a button.
        value: Option<&'a str>,
    },
    /// `position`: the position for the next search.
    Position {
        /// The position that the moves start from.
        start: Start<'a>,
        /// The moves played since, separated by spaces.
        moves: &'a str,
    },
    /// `go`: starts to think.
    Go(Go),
    /// `ponderhit`: the move that the engine ponders on was played.
    PonderHit,
    /// `stop`: answer now.
    Stop,
    /// `quit`: end the process.
    Quit,
}

/// The position that the moves of a `position` start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// `startpos`: the game's own start.
    Initial,
    /// `fen`: the position given by this text.
    Fen(&'a str),
}

/// How long to think. Times are written in whole milliseconds, rounded down, but only zero is written as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Time left to White, which moves first.
    pub wtime: Option<Duration>,
    /// Time left to Black.
    pub btime: Option<Duration>,
    /// White's increment a move.
    pub winc: Option<Duration>,
    /// Black's increment a move.
    pub binc: Option<Duration>,
    /// Number of moves up to the next time control.
    pub movestogo: Option<u32>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Nodes for this move.
    pub nodes: Option<u64>,
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Think until `stop`.
    pub infinite: bool,
    /// Think on the opponent's time: until `stop`, or until `ponderhit`, from which on the limits apply.
    pub ponder: bool,
}

impl UciCommand<'_> {
    /// Appends the command and a line break. Allocates only if `line` has too little room.
    pub fn write_line(&self, line: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(line, "{self}");
    }
}

impl Display for UciCommand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci => f.write_str("uci"),
            Self::IsReady => f.write_str("isready"),
            Self::NewGame => f.write_str("ucinewgame"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => write!(f, "setoption name {name} value {value}"),
            Self::Position { start, moves } => {
                write!(f, "position {start}")?;
                if moves.is_empty() { Ok(()) } else { write!(f, " moves {moves}") }
            }
            Self::Go(go) => write!(f, "go{go}"),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

impl Display for Start<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial => f.write_str("startpos"),
            Self::Fen(fen) => write!(f, "fen {fen}"),
        }
    }
}

impl Display for Go {
    /// Writes the limits, each with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Option<Duration>| time.map(whole_milliseconds);
        f.write_str(if self.ponder { " ponder" } else { "" })?;
        field(f, "wtime", ms(self.wtime))?;
        field(f, "btime", ms(self.btime))?;
        field(f, "winc", ms(self.winc))?;
        field(f, "binc", ms(self.binc))?;
        field(f, "movestogo", self.movestogo)?;
        field(f, "movetime", ms(self.movetime))?;
        field(f, "nodes", self.nodes)?;
        field(f, "depth", self.depth)?;
        f.write_str(if self.infinite { " infinite" } else { "" })
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<impl Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

/// Rounds down, so that an engine never believes to have more time than it has; but not to 0, which means "no time" to
/// many engines.
fn whole_milliseconds(time: Duration) -> u128 {
    if time.is_zero() { 0 } else { time.as_millis().max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_down_but_not_to_nothing() {
        let go =
            |micros| UciCommand::Go(Go { wtime: Some(Duration::from_micros(micros)), ..Go::default() }).to_string();
        assert_eq!(go(0), "go wtime 0");
        assert_eq!(go(1), "go wtime 1");
        assert_eq!(go(1_999), "go wtime 1");
        assert_eq!(go(60_000_000), "go wtime 60000");
    }

    #[test]
    fn lines_as_engines_know_them() {
        let second = Some(Duration::from_secs(1));
        let clock =
            Go { wtime: second, btime: second, winc: Some(Duration::ZERO), movestogo: Some(40), ..Go::default() };
        for (command, line) in [
            (UciCommand::Position { start: Start::Initial, moves: "" }, "position startpos"),
            (UciCommand::Position { start: Start::Initial, moves: "e2e4 e7e5" }, "position startpos moves e2e4 e7e5"),
            (
                UciCommand::Position { start: Start::Fen("8/8 w - -"), moves: "a1a2" },
                "position fen 8/8 w - - moves a1a2",
            ),
            (UciCommand::SetOption { name: "Clear Hash", value: None }, "setoption name Clear Hash"),
            (UciCommand::SetOption { name: "A B", value: Some("c d") }, "setoption name A B value c d"),
            (UciCommand::SetOption { name: "A", value: Some("") }, "setoption name A value "),
            (UciCommand::Go(clock), "go wtime 1000 btime 1000 winc 0 movestogo 40"),
            (UciCommand::Go(Go { infinite: true, ..Go::default() }), "go infinite"),
            (UciCommand::Go(Go { nodes: Some(5), depth: Some(3), ..Go::default() }), "go nodes 5 depth 3"),
            (UciCommand::Go(Go { ponder: true, wtime: second, ..Go::default() }), "go ponder wtime 1000"),
            (UciCommand::PonderHit, "ponderhit"),
        ] {
            assert_eq!(command.to_string(), line);
        }
    }

    #[test]
    fn a_line_with_room_is_not_moved() {
        let mut line = String::with_capacity(200);
        let before = (line.as_ptr(), line.capacity());
        for moves in ["", "e2e4", "e2e4 e7e5"] {
            line.clear();
            UciCommand::Position { start: Start::Initial, moves }.write_line(&mut line);
            UciCommand::Go(Go { movetime: Some(Duration::from_millis(7)), ..Go::default() }).write_line(&mut line);
            assert!(line.ends_with("\ngo movetime 7\n"));
        }
        assert_eq!((line.as_ptr(), line.capacity()), before);
    }
}
