//! What can be done to a run.

use super::Refusal;
use crate::listing::Listing;
use reports::text::{counted, grouped};
use serde::Deserialize;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};

/// Something that is to be done to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", content = "to", rename_all = "lowercase")]
pub(crate) enum Order {
    /// Begin no further pair until it continues.
    Pause,
    /// Begin pairs again.
    Continue,
    /// End it where it is: it can be resumed.
    Stop,
    /// Go on with it.
    Resume,
    /// Play so many pairs at a time.
    Concurrency(NonZeroUsize),
    /// Play so many pairs at most.
    Limit(Limit),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pause => f.write_str("paused"),
            Self::Continue => f.write_str("continued"),
            Self::Stop => f.write_str("stopped"),
            Self::Resume => f.write_str("resumed"),
            Self::Concurrency(workers) => write!(f, "{} at a time", counted(workers.get() as u64, "pair")),
            Self::Limit(Limit(most)) => write!(f, "{} at most", grouped(most.get())),
        }
    }
}

/// How many pairs a run may have, or games of self-play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Limit(NonZeroU64);

impl Limit {
    /// The same as a setting of the run's configuration.
    pub(super) fn setting(self, listing: &Listing, run: &str) -> Result<String, Refusal> {
        let known = listing.get(run).ok_or_else(|| Refusal::Missing("there is no such run".to_owned()))?;
        let kind = known.known(|known| known.glance.header().config.experiment.kind()).map_err(Refusal::Now)?;
        let key = match kind {
            "sprt" => "sprt.max_pairs",
            "match" => "match.pairs",
            "ladder" => "ladder.pairs",
            "selfplay" => "selfplay.games",
            other => {
                let why =
                    format!("how long it plays is part of what a run of the kind `{other}` is: start another one");
                return Err(Refusal::Bad(why));
            }
        };
        Ok(format!("{key}={}", self.0))
    }
}
