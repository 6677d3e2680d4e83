//! Rounds: the one or two games that a pairing plays from one opening, and how their results are counted.

use play::Side;
use record::Sides;
use serde::{Deserialize, Serialize};
use stats::{Counts, PairCounts, Wdl};

/// The number of games in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GamesEach {
    /// Two from one opening.
    #[default]
    Two,
    /// One: each game has its own opening.
    One,
}

/// How the games of a run are grouped and counted. By default a round is a pair with swapped seats, counted as a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// The number of games in a round.
    pub games: GamesEach,
    /// Whether seats are swapped: between the two games of a round, or between successive single games.
    pub swap: bool,
    /// Whether the entrant whose score is counted moves second where it would otherwise move first, and vice versa.
    pub reverse: bool,
    /// Whether the games of swapped pairs are counted one by one. All other games always are.
    pub singly: bool,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { games: GamesEach::Two, swap: true, reverse: false, singly: false }
    }
}

impl Rounds {
    /// Whether these are the default rounds.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the number of games in a round: 1 or 2.
    pub fn games_each(&self) -> u64 {
        match self.games {
            GamesEach::Two => 2,
            GamesEach::One => 1,
        }
    }

    /// Whether pairs are counted, with the pentanomial model; otherwise games are counted, with the trinomial model.
    pub fn counts_pairs(&self) -> bool {
        self.games == GamesEach::Two && self.swap && !self.singly
    }

    /// Returns empty counts of the right kind.
    pub fn no_counts(&self) -> Counts {
        if self.counts_pairs() { PairCounts::default().into() } else { Wdl::default().into() }
    }

    /// Returns who moves first in the games of this round. Single games alternate, so each pairing must number its own
    /// rounds.
    pub fn sides(&self, round: u64) -> Sides {
        let first = if self.reverse { Side::Second } else { Side::First };
        match (self.games, self.swap) {
            (GamesEach::Two, true) if self.reverse => Sides::Reversed,
            (GamesEach::Two, true) => Sides::Swapped,
            (GamesEach::Two, false) => Sides::Same(first),
            (GamesEach::One, true) if !round.is_multiple_of(2) => Sides::Single(!first),
            (GamesEach::One, _) => Sides::Single(first),
        }
    }

    /// Returns the singular noun for a round.
    pub fn unit(&self) -> &'static str {
        match (self.games, self.swap) {
            (GamesEach::Two, true) => "pair",
            (GamesEach::Two, false) => "round",
            (GamesEach::One, _) => "game",
        }
    }

    /// Describes the grouping of games, unless it is the default.
    pub fn in_words(&self) -> Option<String> {
        let what = match (self.games, self.swap, self.singly) {
            (GamesEach::Two, true, false) => "pairs",
            (GamesEach::Two, true, true) => "games of swapped pairs, counted one by one",
            (GamesEach::Two, false, _) => "two games from each opening, seats not swapped",
            (GamesEach::One, true, _) => "single games, seats alternate",
            (GamesEach::One, false, _) => "single games, seats not swapped",
        };
        let reversed = if self.reverse { ", the opponent first" } else { "" };
        (!self.is_usual()).then(|| format!("{what}{reversed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_those_of_match_runners() {
        let sides = |games, swap, reverse| {
            let rounds = Rounds { games, swap, reverse, singly: false };
            let white = |side: &Side| if *side == Side::First { 'w' } else { 'b' };
            (0..3).flat_map(|round| rounds.sides(round).of_first_seat().iter().map(white)).collect::<String>()
        };
        let of = |games| [(true, false), (true, true), (false, false), (false, true)].map(|(s, r)| sides(games, s, r));
        assert_eq!(of(GamesEach::Two), ["wbwbwb", "bwbwbw", "wwwwww", "bbbbbb"]);
        assert_eq!(of(GamesEach::One), ["wbw", "bwb", "www", "bbb"]);
    }

    #[test]
    fn pairs_are_counted_only_where_games_are_swapped_pairs() {
        for games in [GamesEach::One, GamesEach::Two] {
            for swap in [true, false] {
                let rounds = Rounds { games, swap, ..Rounds::default() };
                assert_eq!(rounds.counts_pairs(), games == GamesEach::Two && swap, "{rounds:?}");
                assert!(!Rounds { singly: true, ..rounds }.counts_pairs());
                assert_eq!(rounds.no_counts().pairs().is_some(), rounds.counts_pairs());
            }
        }
    }
}
