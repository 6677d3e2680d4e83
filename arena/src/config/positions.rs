//! Which positions of a run's games are worth keeping for training, and how they are written.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What is kept of the positions of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own that a file switches on")]
pub struct PositionFilter {
    /// Keep those in check.
    pub in_check: bool,
    /// Keep those whose played move is a capture, or in chess a promotion.
    pub captures: bool,
    /// Keep those whose search proved a win or a loss.
    pub proven: bool,
    /// Keep those that came up before, in another game or in the same.
    pub duplicates: bool,
    /// Keep those that score less than this, either way, in logit x 10,000; in chess in pawns x 10,000.
    pub score: u32,
    /// Keep games whose first score is within this, either way, in the same unit.
    pub first_score: u32,
    /// Leave out this many plies after the opening. Of games of chess alone.
    pub skip_plies: u32,
    /// Which of those that could be kept are. Of games of chess alone.
    pub sampling: Sampling,
    /// Put the quiet end of a variation of two plies in the place of each. Of games of chess alone.
    pub quiet: bool,
}

impl Default for PositionFilter {
    fn default() -> Self {
        Self {
            in_check: false,
            captures: false,
            proven: false,
            duplicates: false,
            score: 80_000,
            first_score: 20_000,
            skip_plies: 0,
            sampling: Sampling::All,
            quiet: false,
        }
    }
}

impl PositionFilter {
    /// Keeps all that there is.
    pub const ALL: Self = Self {
        in_check: true,
        captures: true,
        proven: true,
        duplicates: true,
        score: u32::MAX,
        first_score: u32::MAX,
        skip_plies: 0,
        sampling: Sampling::All,
        quiet: false,
    };
}

/// Which of the positions that a filter lets through are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// All of them.
    #[default]
    All,
    /// Each with this probability, in parts of 1,000,000.
    Share(u32),
    /// This many of each game, drawn at random; all of a game that has fewer.
    PerGame(NonZeroU32),
}

impl Sampling {
    /// The parts of [`Share`](Self::Share) that are all.
    pub const WHOLE: u32 = 1_000_000;

    /// A share of the positions: more than 0, at most 1.
    pub fn of_share(share: f64) -> Option<Self> {
        let parts = (share * f64::from(Self::WHOLE)).round();
        let some = parts >= 1.0 && share <= 1.0;
        some.then(|| if parts < f64::from(Self::WHOLE) { Self::Share(parts as u32) } else { Self::All })
    }
}

/// How positions of chess are written. Those of 0.1 have a format of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PositionFormat {
    /// `FEN | score | result`, one a line, from White's view.
    #[default]
    Text,
    /// The 32 bytes that bullet calls a `ChessBoard`.
    Bullet,
    /// Stockfish's blocks of lines, with the move that was played.
    Plain,
}

impl PositionFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Bullet, Self::Plain];

    /// Its name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bullet => "bullet",
            Self::Plain => "plain",
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Bullet | Self::Plain => self.name(),
        }
    }

    /// Whether each of its positions has the move that was played in it, so that none can be replaced.
    pub fn needs_moves(self) -> bool {
        self == Self::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_more_than_nothing_and_at_most_all() {
        let cases = [
            (0.0, None),
            (1e-9, None),
            (-0.5, None),
            (f64::NAN, None),
            (1.01, None),
            (0.25, Some(Sampling::Share(250_000))),
            (1.0, Some(Sampling::All)),
        ];
        for (share, expected) in cases {
            assert_eq!(Sampling::of_share(share), expected, "{share}");
        }
    }
}
