//! Runs whose pair limit was lowered below the number of pairs played: the part that their result leaves out.

use crate::text::grouped;
use arena::config::ExperimentConfig;
use arena::run::Verdict;
use std::fmt;

/// A result that leaves out pairs that were played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The number of pairs that count.
    pub counted: u64,
    /// The number of pairs played.
    pub played: u64,
}

impl Cut {
    /// Whether the limit has cut off the result of an experiment: `counted` pairs count, and `end` is one more than the
    /// highest pair in the journal.
    pub fn of(experiment: &ExperimentConfig, verdict: Option<Verdict>, counted: u64, end: u64) -> Option<Self> {
        let is_at_limit = match (experiment, verdict?) {
            // Pairs in flight still arrive after a decision, and also once a ladder is precise enough.
            (_, Verdict::AcceptedH1 | Verdict::AcceptedH0) | (ExperimentConfig::Tune(_), _) => false,
            (ExperimentConfig::Ladder(ladder), _) => ladder.pairs.get() == counted,
            (ExperimentConfig::Match { schedule, .. }, _) => !schedule.is_adaptive(),
            (ExperimentConfig::Sprt { .. } | ExperimentConfig::Selfplay { .. }, _) => true,
        };
        (is_at_limit && end > counted).then_some(Self { counted, played: end })
    }

    /// The cut in a sentence.
    pub fn in_words(self) -> String {
        format!("The result is {self}: the limit was lowered below what was played.")
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cut at {} of {}", grouped(self.counted), grouped(self.played))
    }
}
