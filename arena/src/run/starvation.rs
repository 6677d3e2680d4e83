//! Starvation: the host took the processor away from a player that needed it. What then happens to the pair depends on
//! the host's evidence, and of the result on one thing alone: whether a player that was kept waiting lost by being late or silent. A
//! wait that is otherwise too short to count then does, so voiding takes away losses of the starved player and no wins.

use super::pair::PairResult;
use play::entrant::Entrant;
use play::players::process::GRACE;
use play::{BySide, Fault, Side};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often a pair is played again at most because the host starved it.
pub const MOST_REPLAYS: u32 = 2;

/// A wait is not to be felt beside a time that is more than so many times as long.
const NEGLIGIBLE: u32 = 20;

/// When a game counts as starved, and what is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starvation {
    /// The host kept a player waiting for a processor for at least so long within one move. Shorter waits are never looked at, and
    /// longer ones only if they matter: see [`of`](Self::of).
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
    /// Whether so many of `pairs` pairs were starved, more than one in a hundred, that what they say is not to be trusted.
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
    /// What is done unless a configuration says otherwise: pairs are played again where the wall clock decides anything.
    pub fn usual(entrants: &[Entrant]) -> Self {
        let timed = entrants.iter().any(|entrant| entrant.player.is_timed_by_the_wall());
        let action = if timed { OnStarvation::Replay } else { OnStarvation::Mark };
        Self { action, ..Self::default() }
    }

    /// By game and side, whether the host starved the player: it lost by being late or silent, or waited within one move for a
    /// twentieth of all the time that it took in the game. On a machine that plays on all its processors some move waits
    /// for 5 ms in any long game; that changes nothing.
    pub fn of(&self, result: &PairResult) -> [BySide<bool>; 2] {
        [0, 1].map(|game| BySide {
            first: self.is_starved(result, game, Side::First),
            second: self.is_starved(result, game, Side::Second),
        })
    }

    fn is_starved(&self, result: &PairResult, game: usize, side: Side) -> bool {
        let (waited, took) = (result.times.delayed[game][side], result.times.thinking[game][side]);
        let fault = result.games[game].ending.fault();
        let is_late = fault
            .is_some_and(|(loser, fault)| loser == side && matches!(fault, Fault::Time { .. } | Fault::Silence { .. }));
        self.is_reached(waited) && (is_late || waited.saturating_mul(NEGLIGIBLE) >= took)
    }

    fn is_reached(&self, waited: Duration) -> bool {
        !waited.is_zero() && waited >= self.threshold
    }

    /// Whether the host is to blame for a fault of a player that it kept waiting for a processor for at most `waited`
    /// within one move: without that the player would have been in time, `margin` included.
    pub fn is_host_caused(&self, fault: &Fault, waited: Duration, margin: Duration) -> bool {
        let explained = match fault {
            Fault::Time { over } => *over <= waited.saturating_add(margin),
            // It had so long to answer after its time was over.
            Fault::Silence { .. } => waited >= GRACE,
            Fault::Crash(_) | Fault::IllegalMove(_) | Fault::Startup(_) => false,
        };
        explained && self.is_reached(waited)
    }

    /// How many games of a pair were starved.
    pub fn games(&self, result: &PairResult) -> u64 {
        let any = |game: &&BySide<bool>| game[Side::First] || game[Side::Second];
        self.of(result).iter().filter(any).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::pair::{GameRecord, PAIR_VERSION, PairTimes};
    use play::{DrawRule, Ending};

    #[test]
    fn one_starved_pair_in_a_hundred_is_borne() {
        let starved = |pairs| StarvedCount { games: pairs, pairs };
        assert!(!starved(0).spoils(0) && !starved(1).spoils(100) && !starved(10).spoils(1_000));
        assert!(starved(1).spoils(99) && starved(11).spoils(1_000));
    }

    fn played(ending: Ending, times: PairTimes) -> PairResult {
        let game = GameRecord { ending, moves: Vec::new(), nodes: BySide::default(), track: Vec::new() };
        let games = [game.clone(), game];
        PairResult {
            version: PAIR_VERSION,
            pair: 0,
            start: None,
            opening: Vec::new(),
            games,
            times,
            evidence: [None, None],
        }
    }

    fn drawn() -> Ending {
        Ending::Draw { by: DrawRule::Repetition }
    }

    #[test]
    fn a_game_is_starved_by_its_longest_wait() {
        let ms = Duration::from_millis;
        let starvation = Starvation { threshold: ms(5), action: OnStarvation::Mark };
        let delayed = [BySide { first: ms(4), second: ms(5) }, BySide { first: ms(0), second: ms(1) }];
        let result = played(drawn(), PairTimes { delayed, ..PairTimes::default() });
        let [first, second] = starvation.of(&result);
        assert_eq!((first.first, first.second, second.first, second.second), (false, true, false, false));
        assert_eq!(starvation.games(&result), 1);
        let never_measured = Starvation { threshold: Duration::ZERO, action: OnStarvation::Mark };
        assert_eq!(never_measured.games(&played(drawn(), PairTimes::default())), 0);
    }

    #[test]
    fn a_wait_that_is_nothing_beside_the_game_starves_nobody_unless_he_was_late() {
        let ms = Duration::from_millis;
        let starvation = Starvation::default();
        let starved = |ending, waited, took| {
            let [delayed, thinking] = [waited, took].map(|time| [BySide { first: ms(time), second: ms(0) }; 2]);
            starvation.games(&played(ending, PairTimes { thinking, delayed, ..PairTimes::default() }))
        };
        assert_eq!((starved(drawn(), 99, 2_000), starved(drawn(), 100, 2_000)), (0, 2));
        assert_eq!((starved(drawn(), 5, 30), starved(drawn(), 500, 60_000)), (2, 0));
        let late = |loser| Ending::Forfeit { loser, fault: Fault::Time { over: ms(1) } };
        assert_eq!((starved(late(Side::First), 6, 2_000), starved(late(Side::Second), 6, 2_000)), (2, 0));
        assert_eq!(starved(late(Side::First), 4, 2_000), 0, "below the threshold");
    }

    #[test]
    fn the_host_is_blamed_for_what_it_explains() {
        let ms = Duration::from_millis;
        let starvation = Starvation::default();
        let late = |over| Fault::Time { over: ms(over) };
        assert!(starvation.is_host_caused(&late(30), ms(20), ms(10)));
        assert!(!starvation.is_host_caused(&late(31), ms(20), ms(10)), "it would have been late without the wait");
        assert!(!starvation.is_host_caused(&late(12), ms(4), ms(10)), "below the threshold");
        let silent = Fault::Silence { after: ms(1_000) };
        assert!(
            !starvation.is_host_caused(&silent, ms(999), ms(10))
                && starvation.is_host_caused(&silent, ms(1_000), ms(10))
        );
        assert!(!starvation.is_host_caused(&Fault::Crash(String::new()), ms(5_000), ms(10)));
    }
}
