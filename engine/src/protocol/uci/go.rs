//! The limits of a `go` command, and the resulting search budgets for the side to move.

use super::ParseUciError;
use crate::time::TimeLeft;
use crate::{Budget, Side};
use std::fmt;
use std::time::Duration;

/// The limits of one search. The search keeps within all given limits; without any, or with `infinite`, it runs until
/// `stop`.
///
/// Times are whole milliseconds on the wire. Unsupported words (`ponder`, `movestogo 40`) are ignored, as the protocol
/// requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The maximum number of nodes.
    pub nodes: Option<u64>,
    /// The maximum depth in plies.
    pub depth: Option<u8>,
    /// The time for this move.
    pub movetime: Option<Duration>,
    /// The time left on the clocks, by [`Side::index`]: `wtime` is red's, `btime` blue's.
    pub clocks: [Option<Duration>; 2],
    /// The increments after each move, by [`Side::index`]: `winc` and `binc`.
    pub increments: [Duration; 2],
    /// Search until `stop`, ignoring the other limits.
    pub infinite: bool,
}

impl Go {
    /// Parses the text after `go`.
    pub(super) fn parse(text: &str) -> Result<Self, ParseUciError> {
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

    /// The budgets of a search for `side`; none means an infinite search. If only the opponent's clock is given, it is
    /// used instead. Part of the time is kept in reserve for delays in the pipes: a fifth of a time per move, at most
    /// 20 ms; half of a clock, which has to last for many moves, at most 100 ms.
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

/// Parses a whole number. A negative one, which some programs send when a clock has run out, counts as 0.
fn parse_number(limit: &str, found: &str) -> Result<u64, ParseUciError> {
    let digits = found.strip_prefix('-').unwrap_or(found);
    match digits.parse() {
        Ok(number) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(if digits.len() == found.len() { number } else { 0 })
        }
        _ => Err(ParseUciError::Number { limit: limit.to_owned(), found: found.to_owned() }),
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
