//! How long to search: the limits of a `go` command, and the budgets they make for the side to move.

use super::ParseCommandError;
use crate::time::TimeLeft;
use crate::{Budget, Side};
use std::fmt;
use std::time::Duration;

/// The limits of one search; all that are given are kept. Without any, or with `infinite`, it goes on until `stop`.
///
/// Times are whole milliseconds on the wire. Words that are no limit of this dialect (`ponder`, `movestogo 40`) are passed
/// over, as the protocol asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// At most so many nodes.
    pub nodes: Option<u64>,
    /// At most so many plies deep.
    pub depth: Option<u8>,
    /// The whole of this time.
    pub movetime: Option<Duration>,
    /// What is left on the clocks, by [`Side::index`]: `wtime` is red's, `btime` blue's.
    pub clocks: [Option<Duration>; 2],
    /// What each side gets after each of its moves: `winc` and `binc`.
    pub increments: [Duration; 2],
    /// Until `stop`, whatever else is said.
    pub infinite: bool,
}

impl Go {
    /// Reads what follows `go`.
    pub(super) fn parse(text: &str) -> Result<Self, ParseCommandError> {
        let mut go = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || parse_number(word, words.next().unwrap_or_default());
            match word {
                "infinite" => go.infinite = true,
                "nodes" => go.nodes = Some(number()?),
                "depth" => go.depth = Some(u8::try_from(number()?).unwrap_or(u8::MAX)),
                "movetime" => go.movetime = Some(Duration::from_millis(number()?)),
                "wtime" => go.clocks[0] = Some(Duration::from_millis(number()?)),
                "btime" => go.clocks[1] = Some(Duration::from_millis(number()?)),
                "winc" => go.increments[0] = Duration::from_millis(number()?),
                "binc" => go.increments[1] = Duration::from_millis(number()?),
                _ => {}
            }
        }
        Ok(go)
    }

    /// What a search for `side` may use; nothing means without end. A clock that is told for the opponent alone is taken
    /// for one's own. Some of a time stays in reserve for the way through the pipes: a fifth, 20 ms at most, of a time for
    /// one move; half, 100 ms at most, of a clock, which must last for many.
    pub fn budgets(&self, side: Side) -> Vec<Budget> {
        if self.infinite {
            return Vec::new();
        }
        let reserve = |time: Duration| (time / 5).min(Duration::from_millis(20));
        let clock = self.clocks[side.index()].or(self.clocks[(!side).index()]).map(|remaining| TimeLeft {
            remaining,
            reserve: (remaining / 2).min(Duration::from_millis(100)),
            increment: self.increments[side.index()],
        });
        [
            self.nodes.map(Budget::Nodes),
            self.depth.map(Budget::Depth),
            self.movetime.map(|time| Budget::MoveTime(time.saturating_sub(reserve(time)))),
            clock.map(Budget::Clock),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A whole number; one below 0, as some programs say of a clock that has run out, counts as 0.
fn parse_number(limit: &str, found: &str) -> Result<u64, ParseCommandError> {
    let digits = found.strip_prefix('-').unwrap_or(found);
    match digits.parse() {
        Ok(number) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(if digits.len() == found.len() { number } else { 0 })
        }
        _ => Err(ParseCommandError::Number { limit: limit.to_owned(), found: found.to_owned() }),
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let increment = |side: usize| Some(self.increments[side]).filter(|time| !time.is_zero());
        f.write_str("go")?;
        for (name, number) in [
            ("wtime", self.clocks[0].map(millis)),
            ("btime", self.clocks[1].map(millis)),
            ("winc", increment(0).map(millis)),
            ("binc", increment(1).map(millis)),
            ("movetime", self.movetime.map(millis)),
            ("nodes", self.nodes),
            ("depth", self.depth.map(u64::from)),
        ] {
            if let Some(number) = number {
                write!(f, " {name} {number}")?;
            }
        }
        f.write_str(if self.infinite { " infinite" } else { "" })
    }
}
