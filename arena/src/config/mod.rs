//! The configuration of a run as plain data, as the journal stores it. Its builder has checked it.
//!
//! This module reads and writes quantities with units; other crates read files and command lines.

mod check;
mod ladder;
mod positions;
mod quantity;
mod rounds;
mod scale;
mod tune;

pub use ladder::{Compare, KnownResult, LadderConfig};
pub use positions::{PositionFilter, PositionFormat, Sampling};
pub use quantity::{
    LIMIT_FORMS, amount as limit_amount, bytes as read_bytes, count as read_count, duration as read_duration,
    duration_in_seconds as read_seconds, duration_or_zero as read_duration_or_zero, limit as read_limit,
    time_control as read_time_control, time_source as read_time_source,
};
pub use rounds::{GamesEach, Rounds};
pub use scale::{HostScale, LEAST_FACTOR, MOST_FACTOR, ReferenceSpeed, ScaleBy, TimeScale, is_factor};

pub use crate::schedules::{
    Gauntlets, Knockout, RoundsNeeded, Schedule, ScheduleError, ScheduleId, ScheduleRequest, Swiss,
};
pub use tune::{EarlierTune, LearntCategory, LearntParameter, TuneConfig, TuneNote, Tuned, VerifyConfig};

use play::entrant::Entrant;
use play::games::GameKind;
use play::openings::OpeningSource;
use play::{Limit, TableRules};
use record::Starvation;
use serde::{Deserialize, Serialize};
use stats::SprtConfig;
use std::num::NonZeroU64;

/// The kind of job that a configuration describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// `[sprt]`.
    Sprt,
    /// `[match]`.
    Match,
    /// `[tune]`.
    Tune,
    /// `[ladder]`.
    Ladder,
    /// `[selfplay]`.
    Selfplay,
}

impl Job {
    /// All jobs.
    pub const ALL: [Self; 5] = [Self::Sprt, Self::Match, Self::Tune, Self::Ladder, Self::Selfplay];

    /// Returns the section of a configuration that selects this job.
    pub fn section(self) -> &'static str {
        match self {
            Self::Sprt => "sprt",
            Self::Match => "match",
            Self::Tune => "tune",
            Self::Ladder => "ladder",
            Self::Selfplay => "selfplay",
        }
    }
}

/// A valid configuration of a run. Together with the build ids it identifies the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The run's name; the name of its folder is derived from it.
    pub name: String,
    /// The user's description, for reports.
    pub title: Option<String>,
    /// The game.
    pub game: GameKind,
    /// The seed of all randomness.
    pub seed: u64,
    /// The experiment that the entrants play.
    pub experiment: ExperimentConfig,
    /// The source of openings.
    pub openings: OpeningSource,
    /// How games are played, beyond the rules of the game.
    pub rules: TableRules,
    /// What happens to games in which the host starved a player of processor time.
    pub starvation: Starvation,
    /// The run stops once an entrant has lost more than this share of its games by faults, from 0 to 1; see
    /// [`TooFaulty`](crate::run::TooFaulty).
    pub max_fault_share: f64,
    /// The reference for scaling time controls, if they are scaled.
    pub scale: Option<TimeScale>,
    /// The entrants, with distinct names: one in a tuning session, any number in self-play, otherwise two or more.
    pub entrants: Vec<Entrant>,
}

/// The experiment and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExperimentConfig {
    /// Is the first entrant better than the second?
    Sprt {
        /// Bounds, error rates and model.
        test: SprtConfig,
        /// Give up undecided after this many rounds; a round is usually a pair.
        max_pairs: Option<NonZeroU64>,
        /// How games are grouped into rounds.
        rounds: Rounds,
    },
    /// How do the entrants score in a fixed number of rounds per pairing?
    Match {
        /// The number of rounds in each pairing; in a knockout before tie-breaks. A round is usually a pair.
        pairs: NonZeroU64,
        /// The schedule.
        schedule: Schedule,
        /// The number of entrants, two or more.
        entrants: u32,
        /// How games are grouped into rounds.
        rounds: Rounds,
    },
    /// What are the best values of the one entrant's parameters?
    Tune(TuneConfig),
    /// How strong are the entrants, relative to each other?
    Ladder(LadderConfig),
    /// Which results do the positions of games lead to?
    Selfplay {
        /// The number of games, each from its own opening.
        games: NonZeroU64,
        /// The number of entrants. A single entrant plays itself; of several, each plays all others.
        entrants: u32,
        /// Which positions to keep.
        filter: PositionFilter,
        /// The format of the kept positions, for chess.
        format: PositionFormat,
    },
}

impl ExperimentConfig {
    /// Returns the sequential test, if the experiment is one.
    pub fn sprt(&self) -> Option<&SprtConfig> {
        match self {
            Self::Sprt { test, .. } => Some(test),
            Self::Match { .. } | Self::Tune(_) | Self::Ladder(_) | Self::Selfplay { .. } => None,
        }
    }

    /// Returns the command that starts such a run, which is also the first part of its folder's name.
    pub fn kind(&self) -> &'static str {
        self.job().section()
    }

    /// Returns the job of such a run.
    pub fn job(&self) -> Job {
        match self {
            Self::Sprt { .. } => Job::Sprt,
            Self::Match { .. } => Job::Match,
            Self::Tune(_) => Job::Tune,
            Self::Ladder(_) => Job::Ladder,
            Self::Selfplay { .. } => Job::Selfplay,
        }
    }

    /// Returns the limits, besides the entrants' own, at which pairs are played, the cheapest first; see
    /// [`Proposal::limit`](crate::run::Proposal::limit).
    pub fn limits(&self) -> &[Limit] {
        match self {
            Self::Tune(tune) => &tune.limits,
            _ => &[],
        }
    }

    /// Returns how games are grouped into rounds.
    pub fn rounds(&self) -> Rounds {
        match self {
            Self::Sprt { rounds, .. } | Self::Match { rounds, .. } => *rounds,
            Self::Tune(_) | Self::Ladder(_) => Rounds::default(),
            // Self-play counts the results of the first mover.
            Self::Selfplay { .. } => Rounds { games: GamesEach::One, swap: false, reverse: false, singly: false },
        }
    }

    /// Returns the most rounds that the run plays in all pairings together; `None` if there is no limit, or if it
    /// depends on results.
    pub fn most_rounds(&self) -> Option<u64> {
        match self {
            Self::Sprt { max_pairs, .. } => max_pairs.map(NonZeroU64::get),
            Self::Match { pairs, .. } => Some(pairs.get().saturating_mul(self.pairings()?)),
            Self::Tune(tune) => Some(tune.pairs.get()),
            Self::Ladder(ladder) => Some(ladder.pairs.get()),
            Self::Selfplay { games, .. } => Some(games.get()),
        }
    }

    /// Returns the number of pairings, each of which plays the configured number of rounds; `None` if it depends on
    /// results.
    pub fn pairings(&self) -> Option<u64> {
        match self {
            Self::Match { schedule, entrants, .. } => schedule.pairings(*entrants),
            Self::Sprt { .. } | Self::Tune(_) | Self::Ladder(_) | Self::Selfplay { .. } => Some(1),
        }
    }

    /// Returns this experiment with the pair limit of `other`, if both are of the same kind.
    #[must_use]
    pub fn with_pair_limit_of(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Sprt { test, rounds, .. }, Self::Sprt { max_pairs, .. }) => {
                Self::Sprt { test: *test, max_pairs: *max_pairs, rounds: *rounds }
            }
            // Where pairings depend on results, another number of pairs would have led to other pairings.
            (Self::Match { schedule, entrants, rounds, .. }, Self::Match { pairs, .. }) if !schedule.is_adaptive() => {
                Self::Match { pairs: *pairs, schedule: *schedule, entrants: *entrants, rounds: *rounds }
            }
            (Self::Tune(tune), Self::Tune(other)) if tune.planned() == other.planned() => {
                Self::Tune(tune.with_pairs(other.pairs))
            }
            (Self::Ladder(ladder), Self::Ladder(LadderConfig { pairs, .. })) => {
                Self::Ladder(LadderConfig { pairs: *pairs, ..ladder.clone() })
            }
            (Self::Selfplay { entrants, filter, format, .. }, Self::Selfplay { games, .. }) => {
                Self::Selfplay { games: *games, entrants: *entrants, filter: *filter, format: *format }
            }
            _ => self.clone(),
        }
    }
}

/// The executor of a run. It is not part of the run's identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutorKind {
    /// Threads of this process.
    #[default]
    Threads,
    /// Workers on other machines, over NATS.
    Nats,
}

/// The most workers that can be set: more than any machine has cores. Beyond this, threads and tables would only
/// exhaust the machine.
pub const MOST_WORKERS: usize = 1024;

#[cfg(test)]
impl RunConfig {
    /// Returns a match between two random players, one pair long.
    pub(crate) fn random_match(game: GameKind) -> Self {
        let player = |name: &str| Entrant { name: name.to_owned(), player: play::entrant::PlayerSpec::Random };
        Self {
            name: "test".to_owned(),
            title: None,
            game,
            seed: 1,
            experiment: ExperimentConfig::Match {
                pairs: NonZeroU64::MIN,
                schedule: Schedule::Gauntlet,
                entrants: 2,
                rounds: Rounds::default(),
            },
            openings: OpeningSource::Start,
            rules: TableRules::default(),
            starvation: Starvation::default(),
            max_fault_share: 1.0,
            scale: None,
            entrants: vec![player("a"), player("b")],
        }
    }
}
