//! The names of pairs and games for people: pairs are counted from 1, and a game is PAIR.GAME, such as `12.2`.
//! Internally, both are counted from 0.

use record::PairIndex;
use std::fmt;
use std::str::FromStr;

/// Returns the number by which people know a pair.
pub fn pair_number(pair: PairIndex) -> u64 {
    pair.saturating_add(1)
}

/// A game of a run. It displays as its name, e.g. `12.2`: the second game of the pair stored as 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameName {
    /// The pair, from 0.
    pub pair: PairIndex,
    /// The game in the pair, 0 or 1.
    pub game: usize,
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", pair_number(self.pair), self.game + 1)
    }
}

/// A text that names no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected PAIR.GAME, such as 12.2: pairs are counted from 1, and a pair has the games 1 and 2")]
pub struct ParseGameNameError;

impl FromStr for GameName {
    type Err = ParseGameNameError;

    fn from_str(text: &str) -> Result<Self, ParseGameNameError> {
        let (pair, game) = text.split_once('.').ok_or(ParseGameNameError)?;
        let is_number = !pair.is_empty() && pair.bytes().all(|byte| byte.is_ascii_digit());
        let pair: u64 = if is_number { pair.parse().map_err(|_| ParseGameNameError)? } else { 0 };
        let game = match game {
            "1" => 0,
            "2" => 1,
            _ => return Err(ParseGameNameError),
        };
        Ok(Self { pair: pair.checked_sub(1).ok_or(ParseGameNameError)?, game })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (name, pair, game) in [("1.1", 0, 0), ("12.2", 11, 1), ("18446744073709551615.1", u64::MAX - 1, 0)] {
            assert_eq!(name.parse(), Ok(GameName { pair, game }));
            assert_eq!(GameName { pair, game }.to_string(), name);
        }
        for text in ["", "12", "0.1", "1.0", "1.3", "1.2.1", "+1.1", "-1.1", "a.1", ".1", "99999999999999999999.1"] {
            assert_eq!(text.parse::<GameName>(), Err(ParseGameNameError), "{text}");
        }
    }
}
