//! What players report about their moves.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A player's own evaluation of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// The logit of the expected score, times 10,000: the 0.1 engine's unit.
    Logit(i32),
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// A forced mate in this many own moves; negative: it is mated in this many.
    Mate(i32),
}

/// What a player reports about its move; all of it is optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveInfo {
    /// Its evaluation.
    pub score: Option<Evaluation>,
    /// Depth reached, in plies; 0 if not reported.
    pub depth: u32,
    /// Greatest depth of any line, in plies; 0 if not reported.
    pub seldepth: u32,
    /// Work done, in its own unit (the 0.1 engine: nodes, quiescence included); 0 if not reported.
    pub nodes: u64,
    /// Hits in endgame tables; 0 if not reported.
    pub tbhits: u64,
    /// How full its hash table is, in thousandths; 0 if not reported.
    pub hashfull: u32,
    /// The time that it reports, by its own clock.
    pub time: Option<Duration>,
}

impl MoveInfo {
    /// The maximum of credible nodes of one move: an overflown counter reports more.
    pub const MOST_NODES: u64 = 1 << 44;
    /// The longest credible time of one move: a hundred days.
    pub const LONGEST: Duration = Duration::from_hours(100 * 24);

    /// The same, limited to credible values, so that sums over a game do not overflow.
    #[must_use]
    pub fn bounded(self) -> Self {
        let time = self.time.map(|time| time.min(Self::LONGEST));
        Self { nodes: self.nodes.min(Self::MOST_NODES), tbhits: self.tbhits.min(Self::MOST_NODES), time, ..self }
    }
}

/// One ply as recorded: what the player reported, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackPly {
    /// What the mover reported.
    pub info: MoveInfo,
    /// Wall time.
    pub wall: Duration,
    /// Time left on the mover's clock after the ply; zero where nothing is timed.
    pub left: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_has_run_over_is_not_believed() {
        let info = MoveInfo { nodes: u64::MAX, time: Some(Duration::MAX), depth: 7, ..MoveInfo::default() };
        let bounded = info.bounded();
        assert_eq!((bounded.nodes, bounded.time, bounded.depth), (MoveInfo::MOST_NODES, Some(MoveInfo::LONGEST), 7));
        assert!(bounded.nodes.checked_mul(10_000).is_some(), "a game's sum is a number");
        let usual = MoveInfo { nodes: 1_000, time: Some(Duration::from_secs(1)), ..MoveInfo::default() };
        assert_eq!(usual.bounded(), usual);
    }
}
