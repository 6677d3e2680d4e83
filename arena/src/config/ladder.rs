//! `[ladder]`: many entrants, rated together; those pairings are played that say most about the differences asked for.

use serde::{Deserialize, Serialize};
use stats::PairCounts;
use std::num::NonZeroU64;

/// Which differences a ladder is to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Of each entrant to the one before it.
    #[default]
    Neighbours,
    /// Of each entrant to the anchor.
    Anchor,
    /// Of each entrant to every other one.
    All,
}

/// The settings of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderConfig {
    /// The most pairs that this run plays.
    pub pairs: NonZeroU64,
    /// Stop as soon as all differences are known to this many Elo: half the width of their 95% intervals.
    pub precision: Option<f64>,
    /// Pairs are proposed in batches of this many, one batch ahead of the results they are proposed from.
    pub lookahead: NonZeroU64,
    /// What is to be found.
    pub compare: Compare,
    /// Whose rating is given.
    pub anchor: u32,
    /// The anchor's rating, in Elo.
    pub anchor_elo: f64,
    /// How many entrants there are, two or more.
    pub entrants: u32,
    /// The opening of the first pair: earlier runs of the ladder have had others.
    pub first_opening: u64,
    /// The results of earlier runs. Numbers behind those of the entrants are of those that are gone.
    pub known: Vec<KnownResult>,
    /// The names of those that play no more, but whose results tell something of those that do.
    pub gone: Vec<String>,
}

/// What earlier runs found of one pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownResult {
    /// The entrant from whose view the outcomes are counted.
    pub entrant: u32,
    /// Its opponent.
    pub opponent: u32,
    /// Outcomes, six-way.
    pub counts: PairCounts,
}
