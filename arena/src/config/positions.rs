//! Which positions of a run's games to keep for training, and in which format.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Which positions of games are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own that a file switches on")]
pub struct PositionFilter {
    /// Keep positions in check.
    pub in_check: bool,
    /// Keep positions whose played move is a capture, or in chess a promotion.
    pub captures: bool,
    /// Keep positions whose search proved a win or a loss.
    pub proven: bool,
    /// Keep positions that occurred before, in the same game or another.
    pub duplicates: bool,
    /// Keep positions with an absolute score below this, in logit x 10,000; in chess in pawns x 10,000.
    pub score: u32,
    /// Keep games whose first score is within this in absolute value, in the same unit.
    pub first_score: u32,
    /// Leave out this many plies after the opening. Chess only.
    pub skip_plies: u32,
    /// Which of the remaining positions are sampled. Chess only.
    pub sampling: Sampling,
    /// Replace each position by the quiet end of a two-ply variation. Chess only.
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
    /// Keeps every position.
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
    /// Each position with this probability, in parts of 1,000,000.
    Share(u32),
    /// This many positions of each game, drawn at random; all of them if the game has fewer.
    PerGame(NonZeroU32),
}

impl Sampling {
    /// The parts of [`Share`](Self::Share) that make up all positions.
    pub const WHOLE: u32 = 1_000_000;

    /// Returns the sampling of a share of the positions: more than 0, at most 1.
    pub fn of_share(share: f64) -> Option<Self> {
        let parts = (share * f64::from(Self::WHOLE)).round();
        let some = parts >= 1.0 && share <= 1.0;
        some.then(|| if parts < f64::from(Self::WHOLE) { Self::Share(parts as u32) } else { Self::All })
    }
}

/// The file format of chess positions. The game 0.1 has its own format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PositionFormat {
    /// `FEN | score | result`, one position a line, from White's view.
    #[default]
    Text,
    /// The 32-byte `ChessBoard` of bullet.
    Bullet,
    /// Stockfish's plain format: a block of lines per position, with the played move.
    Plain,
}

impl PositionFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Text, Self::Bullet, Self::Plain];

    /// Returns the format's name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bullet => "bullet",
            Self::Plain => "plain",
        }
    }

    /// Returns the extension of the format's files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Bullet | Self::Plain => self.name(),
        }
    }

    /// Whether each position carries its played move, so that no position can be replaced by another.
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
