//! Starvation: the host took the processor away from a player that needed it. What then happens to the pair depends on
//! the host's evidence alone, never on the result: on how long a player waited, beside the time that it took and beside
//! the time that was left when it answered. A player that was only just in time in spite of a wait is starved as much
//! as one that was only just late because of it, so that voiding takes away wins as well as losses.

use crate::{BySide, Fault, GameTimes, PairResult, Side};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often a pair is played again at most because the host starved it.
pub const MOST_REPLAYS: u32 = 2;

/// A wait is negligible beside a time that is more than this many times as long.
const NEGLIGIBLE: u32 = 20;

/// When a game counts as starved, and what is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starvation {
    /// The least time that the host kept a player waiting for a processor within one move to count. Shorter waits are
    /// never looked at, and longer ones only if they matter: see [`of`](Self::of).
    pub threshold: Duration,
    /// What becomes of the pair.
    pub action: OnStarvation,
}

impl Default for Starvation {
    fn default() -> Self {
        Self { threshold: Duration::from_millis(5), action: OnStarvation::Mark }
    }
}

/// What the host's starving of players has left in the pairs that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StarvedCount {
    /// Games in which a player was starved.
    pub games: u64,
    /// Pairs with such a game.
    pub pairs: u64,
}

impl StarvedCount {
    /// Whether more than one in a hundred of `pairs` pairs were starved, so that their result is not trustworthy.
    pub fn spoils(&self, pairs: u64) -> bool {
        self.pairs.saturating_mul(100) > pairs
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
    /// What is done unless a configuration says otherwise: pairs are played again where the wall clock decides
    /// anything.
    pub fn usual(is_timed_by_the_wall: bool) -> Self {
        let action = if is_timed_by_the_wall { OnStarvation::Replay } else { OnStarvation::Mark };
        Self { action, ..Self::default() }
    }

    /// By side, whether the host starved the player in a game of these times: a wait within one move was as long as
    /// what then lay between its answer and its deadline, or a twentieth of all the time that it took in the game. On a
    /// machine that plays on all its processors some move waits for 5 ms in any long game; that changes nothing.
    pub fn of(&self, times: &GameTimes) -> BySide<bool> {
        let is_starved = |side: Side| {
            let (waited, took) = (times.delayed[side], times.thinking[side]);
            let is_felt = self.is_reached(waited) && waited.saturating_mul(NEGLIGIBLE) >= took;
            is_felt || self.is_reached(times.decisive[side])
        };
        BySide { first: is_starved(Side::First), second: is_starved(Side::Second) }
    }

    fn is_reached(&self, waited: Duration) -> bool {
        !waited.is_zero() && waited >= self.threshold
    }

    /// Whether the host is to blame for a fault of a player whose longest [decisive](GameTimes::decisive) wait in that
    /// game was `decisive`: without it the player could have been in time, `margin` included. After that time it had
    /// `overrun` to answer. Such a game is [starved](Self::of).
    pub fn is_host_caused(&self, fault: &Fault, decisive: Duration, margin: Duration, overrun: Duration) -> bool {
        fault.is_explained_by(decisive, margin, overrun) && self.is_reached(decisive)
    }

    /// How many games of a pair were starved.
    pub fn games(&self, result: &PairResult) -> u64 {
        let starved = result.games.iter().map(|game| self.of(&game.circumstances.times));
        starved.filter(|starved| starved.first || starved.second).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Circumstances, DrawRule, Ending, GameRecord, LATE_ANSWER, Sides, WinRule};

    #[test]
    fn one_starved_pair_in_a_hundred_is_borne() {
        let starved = |pairs| StarvedCount { games: pairs, pairs };
        assert!(!starved(0).spoils(0) && !starved(1).spoils(100) && !starved(10).spoils(1_000));
        assert!(starved(1).spoils(99) && starved(11).spoils(1_000));
    }

    fn played(ending: &Ending, times: [GameTimes; 2]) -> PairResult {
        let game = |times| GameRecord {
            moves: Vec::new(),
            ending: ending.clone(),
            nodes: BySide::default(),
            track: Vec::new(),
            circumstances: Circumstances { times, ..Circumstances::default() },
        };
        PairResult {
            pair: 0,
            start: None,
            opening: Vec::new(),
            sides: Sides::Swapped,
            games: times.map(game).to_vec(),
            took: Duration::ZERO,
        }
    }

    fn drawn() -> Ending {
        Ending::Draw { by: DrawRule::Repetition }
    }

    #[test]
    fn a_game_is_starved_by_its_longest_wait() {
        let ms = Duration::from_millis;
        let starvation = Starvation { threshold: ms(5), action: OnStarvation::Mark };
        let delayed = |first, second| GameTimes {
            delayed: BySide { first: ms(first), second: ms(second) },
            ..GameTimes::default()
        };
        let games = [delayed(4, 5), delayed(0, 1)];
        let [one, two] = games.map(|times| starvation.of(&times));
        assert_eq!((one.first, one.second, two.first, two.second), (false, true, false, false));
        assert_eq!(starvation.games(&played(&drawn(), games)), 1);
        let never_measured = Starvation { threshold: Duration::ZERO, action: OnStarvation::Mark };
        assert_eq!(never_measured.games(&played(&drawn(), [GameTimes::default(); 2])), 0);
    }

    /// Endings of all kinds.
    fn endings() -> Vec<Ending> {
        let mut endings = vec![Ending::Draw { by: DrawRule::Repetition }];
        for side in [Side::First, Side::Second] {
            endings.push(Ending::Win { winner: side, by: WinRule::Checkmate });
            for over in [1, 11, 2_000].map(Duration::from_millis) {
                endings.push(Ending::Forfeit { loser: side, fault: Fault::Time { over } });
                endings.push(Ending::Forfeit { loser: side, fault: Fault::Silence { after: over } });
            }
            endings.push(Ending::Forfeit { loser: side, fault: Fault::Crash(String::new()) });
        }
        endings
    }

    /// How many games of a pair with this ending are starved, when the first mover has waited and thought for these
    /// milliseconds.
    fn starved(ending: &Ending, [waited, decisive, took]: [u64; 3]) -> u64 {
        let [delayed, decisive, thinking] =
            [waited, decisive, took].map(|time| BySide { first: Duration::from_millis(time), ..BySide::default() });
        let times = GameTimes { thinking, delayed, decisive, ..GameTimes::default() };
        Starvation::default().games(&played(ending, [times; 2]))
    }

    #[test]
    fn a_wait_starves_by_the_game_s_time_or_by_the_time_left_whatever_the_result() {
        for ending in endings() {
            let starved = |times| starved(&ending, times);
            assert_eq!((starved([99, 0, 2_000]), starved([100, 0, 2_000])), (0, 2), "{ending:?}");
            assert_eq!((starved([5, 0, 30]), starved([500, 0, 60_000])), (2, 0), "{ending:?}");
            assert_eq!((starved([6, 6, 2_000]), starved([50, 6, 2_000])), (2, 2), "{ending:?}");
            assert_eq!((starved([6, 4, 2_000]), starved([4, 4, 2_000])), (0, 0), "below the threshold: {ending:?}");
        }
    }

    #[test]
    fn a_game_whose_loss_is_excused_is_starved() {
        for ending in endings() {
            let Some((loser, fault)) = ending.fault() else { continue };
            for decisive in [0, 4, 5, 40, 1_000, 5_000] {
                let times = [decisive, decisive, 1_000_000];
                let (waited, margin) = (Duration::from_millis(decisive), Duration::ZERO);
                let excused = Starvation::default().is_host_caused(fault, waited, margin, LATE_ANSWER);
                assert!(!excused || loser != Side::First || starved(&ending, times) == 2, "{ending:?} {decisive}");
            }
        }
    }

    #[test]
    fn the_host_is_blamed_for_what_it_explains() {
        let ms = Duration::from_millis;
        let starvation = Starvation::default();
        let is_blamed = |fault: &Fault, waited, overrun| starvation.is_host_caused(fault, waited, ms(10), ms(overrun));
        let late = |over| Fault::Time { over: ms(over) };
        assert!(is_blamed(&late(30), ms(20), 1_000));
        assert!(!is_blamed(&late(31), ms(20), 1_000), "it would have been late without the wait");
        assert!(!is_blamed(&late(12), ms(4), 1_000), "below the threshold");
        for overrun in [100, 1_000, 10_000] {
            let silent = Fault::Silence { after: ms(1_000) };
            assert!(!is_blamed(&silent, ms(overrun - 1), overrun) && is_blamed(&silent, ms(overrun), overrun));
        }
        assert!(!is_blamed(&Fault::Crash(String::new()), ms(5_000), 1_000));
    }
}
