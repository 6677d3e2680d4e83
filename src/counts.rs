//! The typed counts of a match: five or six numbers of pairs, or three of games.

use crate::args::calculators::Counts;
use crate::failure::Failure;
use stats::sprt::llr_of_counts;
use stats::{PairCounts, Pentanomial, SprtConfig, Summary, Wdl};

/// Counts of a match that fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// LL, LD, WL+DD, WD, WW.
    Five(Pentanomial),
    /// LL, LD, WL, DD, WD, WW.
    Six(PairCounts),
    /// Unpaired games.
    Games(Wdl),
}

impl TryFrom<&Counts> for Match {
    type Error = Failure;

    fn try_from(typed: &Counts) -> Result<Self, Failure> {
        let unusable = || Failure::usage("expected five or six counts of pairs, or three of games after --wdl");
        // Adding nothing checks whether the sum of all games fits.
        let counted = if let Some(wdl) = &typed.wdl {
            let [wins, draws, losses] = wdl.as_slice().try_into().map_err(|_| unusable())?;
            Wdl { wins, draws, losses }.merge(&Wdl::default()).map(Self::Games)
        } else if let Ok(five) = typed.pairs.as_slice().try_into() {
            Pentanomial(five).merge(&Pentanomial::default()).map(Self::Five)
        } else {
            let six = typed.pairs.as_slice().try_into().map_err(|_| unusable())?;
            PairCounts(six).merge(&PairCounts::default()).map(Self::Six)
        };
        counted.map_err(|error| Failure::usage(error.to_string()))
    }
}

impl Match {
    /// The statistics of the match.
    pub(crate) fn summary(&self) -> Summary {
        match self {
            Self::Five(counts) => Summary::of_pentanomial(counts),
            Self::Six(counts) => Summary::of_pairs(counts),
            Self::Games(games) => Summary::of_games(games),
        }
    }

    /// Log-likelihood ratio of H1 against H0.
    pub(crate) fn llr(&self, config: &SprtConfig) -> Result<f64, Failure> {
        let llr = match self {
            Self::Five(counts) => llr_of_counts(config, counts),
            Self::Six(counts) => llr_of_counts(config, counts),
            Self::Games(games) => llr_of_counts(config, games),
        };
        llr.map_err(|error| Failure::usage(error.to_string()))
    }

    /// The counts of pairs, unless games were counted.
    pub(crate) fn pairs(&self) -> Option<&[u64]> {
        match self {
            Self::Five(counts) => Some(&counts.0),
            Self::Six(counts) => Some(&counts.0),
            Self::Games(_) => None,
        }
    }

    /// The games, if the counts determine them.
    pub(crate) fn games(&self) -> Option<Wdl> {
        match self {
            Self::Five(_) => None,
            Self::Six(counts) => Some(counts.wdl()),
            Self::Games(games) => Some(*games),
        }
    }
}
