//! `[ladder]`: rates many entrants together, and plays the pairings that say most about the wanted differences.

use serde::{Deserialize, Serialize};
use stats::PairCounts;
use std::num::NonZeroU64;

/// Which rating differences a ladder measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Between each entrant and the one before it.
    #[default]
    Neighbours,
    /// Between each entrant and the anchor.
    Anchor,
    /// Between every two entrants.
    All,
}

/// The settings of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderConfig {
    /// The most pairs that this run plays.
    pub pairs: NonZeroU64,
    /// Stop as soon as every wanted difference is known to this many Elo: half the width of its 95% interval.
    pub precision: Option<f64>,
    /// The batch size: pairs are proposed in batches of this many, one batch ahead of the results they are based on.
    pub lookahead: NonZeroU64,
    /// Which differences to measure.
    pub compare: Compare,
    /// The entrant whose rating is fixed.
    pub anchor: u32,
    /// The anchor's rating, in Elo.
    pub anchor_elo: f64,
    /// How many entrants there are, two or more.
    pub entrants: u32,
    /// The opening of the first pair. Earlier runs of the ladder used other openings.
    pub first_opening: u64,
    /// The results of earlier runs. Entrant numbers from `entrants` on stand for the entrants in `gone`.
    pub known: Vec<KnownResult>,
    /// The names of entrants that no longer play, but whose results still inform the ratings of those that do.
    pub gone: Vec<String>,
}

/// The result of one pairing in earlier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownResult {
    /// The entrant from whose view the outcomes are counted.
    pub entrant: u32,
    /// Its opponent.
    pub opponent: u32,
    /// Pentanomial outcome counts, six-way.
    pub counts: PairCounts,
}
