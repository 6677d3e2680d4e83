//! Starvation: the host took the processor away from a player that needed it. What then happens to the pair depends on
//! the host's evidence alone, never on the result.

use super::pair::PairTimes;
use crate::play::{BySide, Side};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often a pair is played again at most because the host starved it.
pub const MOST_REPLAYS: u32 = 2;

/// When a game counts as starved, and what is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starvation {
    /// The host kept a player waiting for a processor for at least so long within one move.
    pub threshold: Duration,
    /// What becomes of the pair.
    pub action: OnStarvation,
}

impl Default for Starvation {
    fn default() -> Self {
        Self { threshold: Duration::from_millis(5), action: OnStarvation::Mark }
    }
}

/// What becomes of a pair with a starved game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnStarvation {
    /// It counts, and is marked.
    #[default]
    Mark,
    /// It is void, kept as an attempt, and played again, [`MOST_REPLAYS`] times at most.
    Replay,
}

impl Starvation {
    /// By game and side, whether the host starved the player.
    pub fn of(&self, times: &PairTimes) -> [BySide<bool>; 2] {
        let starved = |delay: Duration| !delay.is_zero() && delay >= self.threshold;
        times.delayed.map(|delayed| BySide { first: starved(delayed.first), second: starved(delayed.second) })
    }

    /// How many games of a pair were starved.
    pub fn games(&self, times: &PairTimes) -> u64 {
        let any = |game: &&BySide<bool>| game[Side::First] || game[Side::Second];
        self.of(times).iter().filter(any).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_starved_by_its_longest_wait() {
        let ms = Duration::from_millis;
        let starvation = Starvation { threshold: ms(5), action: OnStarvation::Mark };
        let delayed = [BySide { first: ms(4), second: ms(5) }, BySide { first: ms(0), second: ms(1) }];
        let times = PairTimes { delayed, ..PairTimes::default() };
        let [first, second] = starvation.of(&times);
        assert_eq!((first.first, first.second, second.first, second.second), (false, true, false, false));
        assert_eq!(starvation.games(&times), 1);
        let never_measured = Starvation { threshold: Duration::ZERO, action: OnStarvation::Mark };
        assert_eq!(never_measured.games(&PairTimes::default()), 0);
    }
}
