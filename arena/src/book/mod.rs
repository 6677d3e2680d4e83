//! Where a run's openings come from: its settings, which are part of the run's identity, and the lines read from files.
//!
//! Playing an opening's moves is left to [`crate::play`].

use crate::play::{OpeningLine, PairOpening, RandomOpenings};
use serde::{Deserialize, Serialize};

/// Where a run's openings come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSource {
    /// Every game starts from the game's start.
    Start,
    /// Random legal plies.
    Random(RandomOpenings),
}

/// The openings of a run, ready to be handed out.
#[derive(Clone, Debug)]
pub struct Openings {
    source: OpeningSource,
}

impl Openings {
    /// Reads what the source needs.
    pub fn load(source: &OpeningSource) -> Self {
        Self { source: source.clone() }
    }

    /// Opening `number` of the run.
    pub fn opening(&self, number: u64) -> PairOpening {
        match &self.source {
            OpeningSource::Start => PairOpening::Line(OpeningLine::default()),
            OpeningSource::Random(source) => PairOpening::Random { source: *source, number },
        }
    }
}
