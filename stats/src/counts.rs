//! Outcomes of games and pairs, and how often each of them occurred.
//!
//! This module owns the counting: from two scores to a pair outcome, from outcomes to tallies, merging with an overflow
//! check, and the view from the other side of the board. Other modules compute all numbers from the counts.

use crate::law::{Law, Unit};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The score of one game for the first entrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Score {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl Score {
    /// All scores, worst first.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// 0, 1/2 or 1.
    pub fn points(self) -> f64 {
        f64::from(self.half_points()) / 2.0
    }

    /// The game from the opponent's view.
    #[must_use]
    pub const fn mirror(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// The score of this many half points; `None` if no game has it.
    pub fn from_half_points(half_points: u8) -> Option<Self> {
        match half_points {
            0 => Some(Self::Loss),
            1 => Some(Self::Draw),
            2 => Some(Self::Win),
            _ => None,
        }
    }

    /// The points times two: 0, 1 or 2.
    pub fn half_points(self) -> u8 {
        self as u8
    }
}

/// The result of one pair (two games from one opening, seats swapped) for the first entrant; the order of the two games
/// does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairOutcome {
    /// Two losses: 0 points.
    LL,
    /// A loss and a draw: half a point.
    LD,
    /// A win and a loss: 1 point.
    WL,
    /// Two draws: 1 point.
    DD,
    /// A win and a draw: one point and a half.
    WD,
    /// Two wins: 2 points.
    WW,
}

impl PairOutcome {
    /// All six outcomes, in the order of [`PairCounts`].
    pub const ALL: [Self; 6] = [Self::LL, Self::LD, Self::WL, Self::DD, Self::WD, Self::WW];

    /// The outcome of a pair whose games scored `one` and `two`.
    pub fn new(one: Score, two: Score) -> Self {
        match (one.min(two), one.max(two)) {
            (Score::Loss, Score::Loss) => Self::LL,
            (Score::Loss, Score::Draw) => Self::LD,
            (Score::Loss, _) => Self::WL,
            (_, Score::Draw) => Self::DD,
            (Score::Draw, _) => Self::WD,
            (Score::Win, _) => Self::WW,
        }
    }

    /// Games won minus games lost: -2, -1, 0, 1 or 2.
    pub fn net(self) -> f64 {
        match self {
            Self::LL => -2.0,
            Self::LD => -1.0,
            Self::WL | Self::DD => 0.0,
            Self::WD => 1.0,
            Self::WW => 2.0,
        }
    }

    /// The scores of the two games, the worse first.
    pub fn scores(self) -> (Score, Score) {
        match self {
            Self::LL => (Score::Loss, Score::Loss),
            Self::LD => (Score::Loss, Score::Draw),
            Self::WL => (Score::Loss, Score::Win),
            Self::DD => (Score::Draw, Score::Draw),
            Self::WD => (Score::Draw, Score::Win),
            Self::WW => (Score::Win, Score::Win),
        }
    }

    /// The index among the five pentanomial outcomes: points times two, 0 to 4.
    pub fn index(self) -> usize {
        match self {
            Self::LL => 0,
            Self::LD => 1,
            Self::WL | Self::DD => 2,
            Self::WD => 3,
            Self::WW => 4,
        }
    }

    /// The pair from the second entrant's view.
    #[must_use]
    pub fn mirror(self) -> Self {
        match self {
            Self::LL => Self::WW,
            Self::LD => Self::WD,
            Self::WL => Self::WL,
            Self::DD => Self::DD,
            Self::WD => Self::LD,
            Self::WW => Self::LL,
        }
    }
}

/// The reason why counts cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CountsError {
    /// A count, or the total number of games, would not fit 64 bits.
    #[error("the counts add up to more than 2^64 - 1 games")]
    Overflow,
}

/// A type that counts outcomes and yields the sampled law of one pair or one game.
pub trait Tally: Clone + Default {
    /// The type of one observation.
    type Outcome: Copy;

    /// Counts one more observation. A count that has reached `u64::MAX` stays there.
    fn add(&mut self, outcome: Self::Outcome);

    /// The law of one observation, in which an empty bin counts as [`EMPTY_BIN`](crate::law::EMPTY_BIN).
    fn law(&self) -> Law;

    /// The games as wins, draws and losses, if the tally determines them: five pentanomial counts do not.
    fn games(&self) -> Option<Wdl>;
}

fn total(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum, &n| sum.saturating_add(n))
}

fn merged<const K: usize>(one: &[u64; K], two: &[u64; K], games_each: u64) -> Result<[u64; K], CountsError> {
    let mut sum = [0; K];
    let mut all = 0_u64;
    for (out, (&a, &b)) in sum.iter_mut().zip(one.iter().zip(two)) {
        *out = a.checked_add(b).ok_or(CountsError::Overflow)?;
        all = all.checked_add(*out).ok_or(CountsError::Overflow)?;
    }
    all.checked_mul(games_each).ok_or(CountsError::Overflow)?;
    Ok(sum)
}

/// Counts of the five pair outcomes LL, LD, WL+DD, WD, WW, from the first entrant's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// The total number of pairs; saturates at `u64::MAX`.
    pub fn total(&self) -> u64 {
        total(&self.0)
    }

    /// Counts one more pair.
    pub fn add(&mut self, outcome: PairOutcome) {
        Tally::add(self, outcome);
    }

    /// Adds the pairs of `other`.
    ///
    /// # Errors
    /// [`CountsError::Overflow`] if the total number of games does not fit 64 bits.
    pub fn merge(&self, other: &Self) -> Result<Self, CountsError> {
        merged(&self.0, &other.0, 2).map(Self)
    }

    /// The pairs from the second entrant's view.
    #[must_use]
    pub fn mirror(&self) -> Self {
        let [ll, ld, even, wd, ww] = self.0;
        Self([ww, wd, even, ld, ll])
    }
}

impl Tally for Pentanomial {
    type Outcome = PairOutcome;

    fn add(&mut self, outcome: PairOutcome) {
        let count = &mut self.0[outcome.index()];
        *count = count.saturating_add(1);
    }

    fn law(&self) -> Law {
        Law::regularised(&self.0, Unit::Pair)
    }

    fn games(&self) -> Option<Wdl> {
        None
    }
}

/// Counts of the six pair outcomes LL, LD, WL, DD, WD, WW, from the first entrant's view: a pentanomial that separates
/// a win and a loss from two draws, and therefore also determines the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PairCounts(pub [u64; 6]);

impl PairCounts {
    /// The total number of pairs; saturates at `u64::MAX`.
    pub fn total(&self) -> u64 {
        total(&self.0)
    }

    /// The number of pairs with this outcome.
    pub fn count(&self, outcome: PairOutcome) -> u64 {
        self.0[outcome as usize]
    }

    /// Counts one more pair.
    pub fn add(&mut self, outcome: PairOutcome) {
        Tally::add(self, outcome);
    }

    /// Adds the pairs of `other`.
    ///
    /// # Errors
    /// [`CountsError::Overflow`] if the total number of games does not fit 64 bits.
    pub fn merge(&self, other: &Self) -> Result<Self, CountsError> {
        merged(&self.0, &other.0, 2).map(Self)
    }

    /// The pairs from the second entrant's view.
    #[must_use]
    pub fn mirror(&self) -> Self {
        let [ll, ld, wl, dd, wd, ww] = self.0;
        Self([ww, wd, wl, dd, ld, ll])
    }

    /// The five pentanomial counts, with WL and DD added up.
    pub fn pentanomial(&self) -> Pentanomial {
        let [ll, ld, wl, dd, wd, ww] = self.0;
        Pentanomial([ll, ld, wl.saturating_add(dd), wd, ww])
    }

    /// The games of the pairs; each count saturates at `u64::MAX`.
    pub fn wdl(&self) -> Wdl {
        let mut games = Wdl::default();
        for outcome in PairOutcome::ALL {
            let (one, two) = outcome.scores();
            for score in [one, two] {
                let game = games.slot(score);
                *game = game.saturating_add(self.count(outcome));
            }
        }
        games
    }
}

impl Tally for PairCounts {
    type Outcome = PairOutcome;

    fn add(&mut self, outcome: PairOutcome) {
        let count = &mut self.0[outcome as usize];
        *count = count.saturating_add(1);
    }

    fn law(&self) -> Law {
        self.pentanomial().law()
    }

    fn games(&self) -> Option<Wdl> {
        Some(self.wdl())
    }
}

/// Counts of games: wins, draws and losses of the first entrant (a trinomial).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// The total number of games; saturates at `u64::MAX`.
    pub fn total(&self) -> u64 {
        total(&self.ascending())
    }

    /// Counts one more game.
    pub fn add(&mut self, score: Score) {
        Tally::add(self, score);
    }

    /// Losses, draws and wins, by rising score.
    pub fn ascending(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// Adds the games of `other`.
    ///
    /// # Errors
    /// [`CountsError::Overflow`] if the total number of games does not fit 64 bits.
    pub fn merge(&self, other: &Self) -> Result<Self, CountsError> {
        let [losses, draws, wins] = merged(&self.ascending(), &other.ascending(), 1)?;
        Ok(Self { wins, draws, losses })
    }

    /// The games from the second entrant's view.
    #[must_use]
    pub fn mirror(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    fn slot(&mut self, score: Score) -> &mut u64 {
        match score {
            Score::Loss => &mut self.losses,
            Score::Draw => &mut self.draws,
            Score::Win => &mut self.wins,
        }
    }
}

impl Tally for Wdl {
    type Outcome = Score;

    fn add(&mut self, outcome: Score) {
        let count = self.slot(outcome);
        *count = count.saturating_add(1);
    }

    fn law(&self) -> Law {
        Law::regularised(&self.ascending(), Unit::Game)
    }

    fn games(&self) -> Option<Wdl> {
        Some(*self)
    }
}
