//! The standing of one pairing of a run.

use stats::Counts;

/// The standing of one pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairingStanding {
    /// The entrant from whose view the outcomes are counted.
    pub entrant: u32,
    /// Its opponent.
    pub opponent: u32,
    /// The outcomes: six-way counts of pairs, or counts of games.
    pub counts: Counts,
}

impl PairingStanding {
    /// Returns the number of pairs played, or of games where rounds are single games.
    pub(super) fn pairs_played(&self, games_each: u64) -> u64 {
        self.counts.wdl().total() / games_each.max(1)
    }

    /// Returns the half points that each of the two entrants scored in games.
    pub(super) fn half_points(&self) -> [u64; 2] {
        let wdl = self.counts.wdl();
        [2 * wdl.wins + wdl.draws, 2 * wdl.losses + wdl.draws]
    }
}
