//! Runs whose pair limit was lowered below what they had played: what is left out of their result.

use crate::text::grouped;
use arena::config::ExperimentConfig;
use arena::run::Verdict;
use std::fmt;

/// A result that leaves out pairs that were played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// How many pairs count.
    pub counted: u64,
    /// How many were played.
    pub played: u64,
}

impl Cut {
    /// Whether the limit has cut off the result of an experiment: `counted` pairs count, and `end` is one more than the
    /// highest that the journal holds.
    pub fn of(experiment: &ExperimentConfig, verdict: Option<Verdict>, counted: u64, end: u64) -> Option<Self> {
        let is_at_limit = match (experiment, verdict?) {
            // Pairs in flight come in after a decision, and so they do once a ladder is precise enough.
            (_, Verdict::AcceptedH1 | Verdict::AcceptedH0) | (ExperimentConfig::Tune(_), _) => false,
            (ExperimentConfig::Ladder(ladder), _) => ladder.pairs.get() == counted,
            (ExperimentConfig::Match { schedule, .. }, _) => !schedule.is_adaptive(),
            (ExperimentConfig::Sprt { .. } | ExperimentConfig::Selfplay { .. }, _) => true,
        };
        (is_at_limit && end > counted).then_some(Self { counted, played: end })
    }

    /// In a sentence.
    pub fn in_words(self) -> String {
        format!("The result is {self}: the limit was lowered below what was played.")
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cut at {} of {}", grouped(self.counted), grouped(self.played))
    }
}
