//! Where one pairing of a run stands.

use stats::Counts;

/// Where one pairing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairingStanding {
    /// The entrant from whose view the outcomes are counted.
    pub entrant: u32,
    /// Its opponent.
    pub opponent: u32,
    /// Outcomes: pairs six-way, or games.
    pub counts: Counts,
}

impl PairingStanding {
    /// Pairs played, or single games where each is one game.
    pub(super) fn pairs_played(&self, games_each: u64) -> u64 {
        self.counts.wdl().total() / games_each.max(1)
    }

    /// Half points of games of the two entrants.
    pub(super) fn half_points(&self) -> [u64; 2] {
        let wdl = self.counts.wdl();
        [2 * wdl.wins + wdl.draws, 2 * wdl.losses + wdl.draws]
    }
}
