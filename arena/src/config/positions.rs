//! Which positions of a run's games are worth keeping for training.

use serde::{Deserialize, Serialize};

/// What is kept of the positions of games. A setting left as usual is left out where it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own that a file switches on")]
pub struct PositionFilter {
    /// Keep those in check.
    pub in_check: bool,
    /// Keep those whose played move is a capture.
    pub captures: bool,
    /// Keep those whose search proved a win or a loss.
    pub proven: bool,
    /// Keep those that came up before, in another game or in the same.
    pub duplicates: bool,
    /// Keep those that score less than this, either way, in logit x 10,000.
    pub score: u32,
    /// Keep games whose first score is within this, either way, in logit x 10,000.
    pub first_score: u32,
}

impl Default for PositionFilter {
    fn default() -> Self {
        Self { in_check: false, captures: false, proven: false, duplicates: false, score: 80_000, first_score: 20_000 }
    }
}

impl PositionFilter {
    /// Whether it is as in any run that does not ask for another.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Keeps all that there is.
    pub const ALL: Self =
        Self { in_check: true, captures: true, proven: true, duplicates: true, score: u32::MAX, first_score: u32::MAX };
}
