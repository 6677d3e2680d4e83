//! `[match]`: who plays whom.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// More entrants than these would make the pairing of a Swiss round slower than its games.
pub const MOST_SWISS_ENTRANTS: u32 = 200;

/// Who plays whom in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The first entrant against each of the others.
    #[default]
    Gauntlet,
    /// Each of the first so many entrants against all those after it.
    Gauntlets {
        /// How many, two or more.
        seeds: NonZeroU32,
    },
    /// Everybody against everybody.
    RoundRobin,
    /// Everybody against all those before it, whose result is counted from the view of the later one.
    Pyramid,
    /// Rounds in each of which those meet who have done equally well and have not met before.
    Swiss {
        /// How many rounds, at most as many as an entrant has opponents.
        rounds: NonZeroU32,
    },
    /// Who loses a match is out.
    Knockout {
        /// A tied match goes on by so many further pairs at most, one at a time.
        tie_breaks: u32,
    },
}

impl Schedule {
    /// Whether who plays whom depends on results.
    pub fn is_adaptive(self) -> bool {
        matches!(self, Self::Swiss { .. } | Self::Knockout { .. })
    }

    /// How many pairings so many entrants make; `None` if that depends on results.
    pub fn pairings(self, entrants: u32) -> Option<u64> {
        let n = u64::from(entrants);
        let seeds = match self {
            Self::Gauntlet => 1,
            Self::Gauntlets { seeds } => u64::from(seeds.get()).min(n),
            Self::RoundRobin | Self::Pyramid => n,
            Self::Swiss { .. } | Self::Knockout { .. } => return None,
        };
        // Each seed plays all entrants after it.
        Some((0..seeds).map(|seed| n.saturating_sub(seed + 1)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Experiment, Match};
    use std::num::NonZeroU64;

    #[test]
    fn pairings_are_those_that_are_played() {
        let seeds = NonZeroU32::new(2).expect("two");
        for schedule in [Schedule::Gauntlet, Schedule::Gauntlets { seeds }, Schedule::RoundRobin, Schedule::Pyramid] {
            for entrants in 2..7 {
                let played = Match::new(NonZeroU64::MIN, schedule, entrants).standing().pairings().len() as u64;
                assert_eq!(schedule.pairings(entrants), Some(played), "{schedule:?} of {entrants}");
            }
        }
        assert_eq!(Schedule::Knockout { tie_breaks: 1 }.pairings(4), None);
    }
}
