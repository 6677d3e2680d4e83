//! Scores: logit times 10,000, as an integer, in the view of the side to move.
//!
//! Owns how proven wins and losses are distinguished from estimates, and how a score is printed. `eval` and `search`
//! compute scores; the win probability is `1 / (1 + exp(-logit))`, which callers compute with their own portable
//! mathematics, since this crate uses no transcendental functions.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// A score in units of 1/10,000 logit, positive when its side is better.
///
/// Estimates lie from [`Score::WORST_ESTIMATE`] to [`Score::BEST_ESTIMATE`]; scores beyond are proven wins and losses
/// and encode the number of plies to the end of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// The score of a win in 0 plies; a win in `n` plies scores `n` less.
const WIN: i32 = 1_000_000;
/// More plies than any game has.
const LONGEST: i32 = 1_000;

impl Score {
    /// A drawn or even position.
    pub const DRAW: Self = Self(0);
    /// The largest estimate, smaller than any proven win.
    pub const BEST_ESTIMATE: Self = Self(WIN - LONGEST - 1);
    /// The smallest estimate, larger than any proven loss.
    pub const WORST_ESTIMATE: Self = Self(-(WIN - LONGEST - 1));
    /// Above the score of any position.
    pub const INFINITE: Self = Self(WIN + 1);

    /// An estimate of `units` / 10,000 logit, clamped to the range of estimates.
    pub const fn estimate(units: i32) -> Self {
        let limit = Self::BEST_ESTIMATE.0;
        if units > limit {
            Self(limit)
        } else if units < -limit {
            Self(-limit)
        } else {
            Self(units)
        }
    }

    /// A score or margin from logits, rounded to the nearest unit and clamped to the range of estimates.
    pub fn from_logit(logit: f64) -> Self {
        let units = logit * 10_000.0;
        Self::estimate(if units < 0.0 { units - 0.5 } else { units + 0.5 } as i32)
    }

    /// The side to move wins with the ply number `plies` from here (1: it captures the wazir now).
    pub const fn win_in(plies: i32) -> Self {
        Self(WIN - plies)
    }

    /// The side to move loses in `plies` plies.
    pub const fn loss_in(plies: i32) -> Self {
        Self(plies - WIN)
    }

    /// The score in units of 1/10,000 logit.
    pub const fn units(self) -> i32 {
        self.0
    }

    /// Makes a score of units, proven results included.
    pub(crate) const fn from_units(units: i32) -> Self {
        Self(units)
    }

    /// The score in logits. For an estimate, its sigmoid is the win probability; a proven result is about +-100.
    pub fn logit(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }

    /// The score in logit x 1,000, rounded half away from zero: the unit in which evaluations are printed.
    pub const fn millilogits(self) -> i32 {
        (self.0 + if self.0 < 0 { -5 } else { 5 }) / 10
    }

    /// Whether this is a proven win.
    pub const fn is_win(self) -> bool {
        self.0 > Self::BEST_ESTIMATE.0
    }

    /// Whether this is a proven loss.
    pub const fn is_loss(self) -> bool {
        self.0 < Self::WORST_ESTIMATE.0
    }

    /// Plies to the end of the game, for a proven win or loss.
    pub const fn plies_to_end(self) -> Option<i32> {
        if self.is_win() {
            Some(WIN - self.0)
        } else if self.is_loss() {
            Some(WIN + self.0)
        } else {
            None
        }
    }

    /// Converts a score counted from a node to one counted from the root, `ply` plies above: a win is that many plies
    /// further away.
    pub(crate) const fn value_from_tt(self, ply: i32) -> Self {
        if self.is_win() {
            Self(self.0 - ply)
        } else if self.is_loss() {
            Self(self.0 + ply)
        } else {
            self
        }
    }

    /// Converts a score counted from the root to one counted from a node `ply` plies below: the inverse of
    /// [`Score::value_from_tt`].
    pub(crate) const fn value_to_tt(self, ply: i32) -> Self {
        self.value_from_tt(-ply)
    }
}

impl Neg for Score {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add for Score {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<i32> for Score {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

/// Estimates as signed logits (`+0.351`), proven results as plies to the end (`win in 3`, `loss in 2`).
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies_to_end() {
            Some(plies) if self.is_win() => write!(f, "win in {plies}"),
            Some(plies) => write!(f, "loss in {plies}"),
            None => write!(f, "{:+.3}", self.logit()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn proven_results_are_beyond_all_estimates() {
        assert!(Score::win_in(102) > Score::BEST_ESTIMATE);
        assert!(Score::loss_in(102) < Score::WORST_ESTIMATE);
        assert!(Score::win_in(1) > Score::win_in(3));
        assert!(Score::INFINITE > Score::win_in(0));
        assert_eq!(Score::estimate(i32::MAX), Score::BEST_ESTIMATE);
        assert_eq!(Score::estimate(i32::MIN), Score::WORST_ESTIMATE);
        assert_eq!(Score::win_in(5).plies_to_end(), Some(5));
        assert_eq!(Score::loss_in(4).plies_to_end(), Some(4));
        assert_eq!(Score::estimate(123).plies_to_end(), None);
    }

    #[test]
    fn conversion_for_the_table_changes_proven_results_only() {
        assert_eq!(Score::win_in(3).value_from_tt(2), Score::win_in(5));
        assert_eq!(Score::loss_in(4).value_from_tt(1), Score::loss_in(5));
        assert_eq!(Score::win_in(9).value_from_tt(6).value_to_tt(6), Score::win_in(9));
        assert_eq!(Score::estimate(-70).value_from_tt(6), Score::estimate(-70));
    }

    #[test]
    fn units_round_to_nearest() {
        assert_eq!(Score::from_logit(0.109_828).units(), 1098);
        assert_eq!(Score::from_logit(-0.000_05).units(), -1);
        assert_eq!(Score::estimate(12_125).millilogits(), 1213);
        assert_eq!(Score::estimate(-12_125).millilogits(), -1213);
        assert_eq!(Score::estimate(3_510).to_string(), "+0.351");
        assert_eq!(Score::win_in(3).to_string(), "win in 3");
        assert_eq!(Score::loss_in(2).to_string(), "loss in 2");
    }
}
