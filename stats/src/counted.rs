//! Counts of a match in the unit of its games: pairs if the games come in pairs with swapped seats (the pentanomial
//! model), else single games (the trinomial model). This module owns the choice; [`crate::counts`] does the counting.

use crate::counts::{CountsError, PairCounts, PairOutcome, Score, Tally, Wdl};
use crate::estimate::Summary;
use crate::law::{Law, Unit};
use serde::{Deserialize, Serialize};

/// The result of one unit of play for the first entrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Two games.
    Pair(PairOutcome),
    /// A single game.
    Game(Score),
}

impl Outcome {
    /// Makes the outcome of a pair from the scores of its games.
    pub fn of_two(one: Score, two: Score) -> Self {
        Self::Pair(PairOutcome::new(one, two))
    }

    /// The outcome from the second entrant's view.
    #[must_use]
    pub fn mirror(self) -> Self {
        match self {
            Self::Pair(pair) => Self::Pair(pair.mirror()),
            Self::Game(score) => Self::Game(score.mirror()),
        }
    }

    /// The scores of the games; of a pair the worse first.
    pub fn scores(self) -> impl Iterator<Item = Score> {
        let (one, two) = match self {
            Self::Pair(pair) => {
                let (one, two) = pair.scores();
                (one, Some(two))
            }
            Self::Game(score) => (score, None),
        };
        std::iter::once(one).chain(two)
    }
}

impl From<PairOutcome> for Outcome {
    fn from(pair: PairOutcome) -> Self {
        Self::Pair(pair)
    }
}

/// The counts of a match, from the first entrant's view. By default an empty count of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// Pairs by their points: the pentanomial model.
    Pairs(PairCounts),
    /// Games one by one: the trinomial model.
    Games(Wdl),
}

impl Default for Counts {
    fn default() -> Self {
        Self::Pairs(PairCounts::default())
    }
}

impl From<PairCounts> for Counts {
    fn from(counts: PairCounts) -> Self {
        Self::Pairs(counts)
    }
}

impl From<Wdl> for Counts {
    fn from(games: Wdl) -> Self {
        Self::Games(games)
    }
}

impl Counts {
    /// The unit that is counted.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Pairs(_) => Unit::Pair,
            Self::Games(_) => Unit::Game,
        }
    }

    /// The statistical model for these counts: `pentanomial` or `trinomial`.
    pub fn model(&self) -> &'static str {
        match self {
            Self::Pairs(_) => "pentanomial",
            Self::Games(_) => "trinomial",
        }
    }

    /// The number of counted pairs or games; saturates at `u64::MAX`.
    pub fn total(&self) -> u64 {
        match self {
            Self::Pairs(pairs) => pairs.total(),
            Self::Games(games) => games.total(),
        }
    }

    /// The games; each count saturates at `u64::MAX`.
    pub fn wdl(&self) -> Wdl {
        match self {
            Self::Pairs(pairs) => pairs.wdl(),
            Self::Games(games) => *games,
        }
    }

    /// The pairs, if pairs were counted.
    pub fn pairs(&self) -> Option<&PairCounts> {
        match self {
            Self::Pairs(pairs) => Some(pairs),
            Self::Games(_) => None,
        }
    }

    /// The statistics of the counts.
    pub fn summary(&self) -> Summary {
        match self {
            Self::Pairs(pairs) => Summary::of_pairs(pairs),
            Self::Games(games) => Summary::of_games(games),
        }
    }

    /// The counts from the second entrant's view.
    #[must_use]
    pub fn mirror(&self) -> Self {
        match self {
            Self::Pairs(pairs) => pairs.mirror().into(),
            Self::Games(games) => games.mirror().into(),
        }
    }

    /// Adds the counts of `other`: as pairs if both count pairs, else as games.
    ///
    /// # Errors
    /// [`CountsError::Overflow`] if the total number of games does not fit 64 bits.
    pub fn merge(&self, other: &Self) -> Result<Self, CountsError> {
        match (self, other) {
            (Self::Pairs(one), Self::Pairs(two)) => one.merge(two).map(Self::Pairs),
            _ => self.wdl().merge(&other.wdl()).map(Self::Games),
        }
    }

    /// Counts the outcome of one more unit. A count of games counts both games of a pair. A count of pairs becomes a
    /// count of games when a single game arrives that is not half of a pair.
    pub fn add(&mut self, outcome: Outcome) {
        Tally::add(self, outcome);
    }
}

impl Tally for Counts {
    type Outcome = Outcome;

    fn add(&mut self, outcome: Outcome) {
        match (&mut *self, outcome) {
            (Self::Pairs(pairs), Outcome::Pair(pair)) => pairs.add(pair),
            (Self::Games(games), outcome) => outcome.scores().for_each(|score| games.add(score)),
            (Self::Pairs(pairs), Outcome::Game(score)) => {
                let mut games = pairs.wdl();
                games.add(score);
                *self = Self::Games(games);
            }
        }
    }

    fn law(&self) -> Law {
        match self {
            Self::Pairs(pairs) => pairs.law(),
            Self::Games(games) => games.law(),
        }
    }

    fn games(&self) -> Option<Wdl> {
        Some(self.wdl())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::{Sprt, SprtConfig, llr_of_counts};

    #[test]
    fn a_lone_game_is_never_counted_as_a_pair_nor_as_half_of_one() {
        let mut counts = Counts::default();
        counts.add(Outcome::of_two(Score::Win, Score::Draw));
        assert_eq!((counts.total(), counts.model()), (1, "pentanomial"));
        counts.add(Outcome::Game(Score::Loss));
        assert_eq!(counts, Counts::Games(Wdl { wins: 1, draws: 1, losses: 1 }));
        assert_eq!((counts.pairs(), counts.model()), (None, "trinomial"));
    }

    #[test]
    fn two_games_of_a_pair_count_alike_together_and_one_by_one() {
        let mut together = Counts::Games(Wdl::default());
        together.add(Outcome::of_two(Score::Draw, Score::Win));
        let mut singly = Counts::Games(Wdl::default());
        for score in [Score::Win, Score::Draw] {
            singly.add(Outcome::Game(score));
        }
        assert_eq!((together, together.total()), (singly, 2));
        let pair = Counts::Pairs(PairCounts([0, 0, 0, 0, 1, 0]));
        assert_eq!(pair.merge(&singly), Ok(Counts::Games(Wdl { wins: 2, draws: 2, losses: 0 })));
        assert_eq!(pair.merge(&pair.mirror()), Ok(Counts::Pairs(PairCounts([0, 1, 0, 0, 1, 0]))));
    }

    #[test]
    fn a_test_over_either_is_the_test_over_that_kind() {
        let config = SprtConfig { elo0: 0.0, elo1: 20.0, ..SprtConfig::default() };
        let mut pairs = Sprt::counting(config, Counts::default()).expect("a test");
        let mut games = Sprt::counting(config, Counts::Games(Wdl::default())).expect("a test");
        let (mut of_pairs, mut of_games) =
            (Sprt::new(config).expect("a test"), Sprt::over_games(config).expect("a test"));
        for round in 0..60_usize {
            let outcome = PairOutcome::ALL[round * 5 % 6];
            let (one, two) = outcome.scores();
            assert_eq!(pairs.update(outcome.into()), of_pairs.update(outcome));
            assert_eq!(games.update(outcome.into()), of_games.update_batch(&[one, two]));
            assert_eq!(
                (pairs.llr().to_bits(), games.llr().to_bits()),
                (of_pairs.llr().to_bits(), of_games.llr().to_bits())
            );
        }
        assert!((pairs.llr() - games.llr()).abs() > 1e-6, "the two models differ");
        assert_eq!(llr_of_counts(&config, games.tally()), llr_of_counts(&config, of_games.tally()));
    }
}
