//! What a run is: its configuration as plain data, which its journal keeps. Its maker has checked it.
//!
//! Quantities with units are read and written here; files and command lines are read elsewhere.

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

/// Which job a configuration is to be run as.
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
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sprt, Self::Match, Self::Tune, Self::Ladder, Self::Selfplay];

    /// The section of a configuration that says what is done.
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

/// A valid configuration of a run: with the build ids, the run's whole identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The run's name, from which its folder's is made.
    pub name: String,
    /// A description by the user, for reports.
    pub title: Option<String>,
    /// The game.
    pub game: GameKind,
    /// The seed of all randomness.
    pub seed: u64,
    /// What is done with the entrants.
    pub experiment: ExperimentConfig,
    /// Where openings come from.
    pub openings: OpeningSource,
    /// How games are played beside the rules of the game.
    pub rules: TableRules,
    /// What is done about games in which the host took the processor away.
    pub starvation: Starvation,
    /// The run stops once an entrant has lost more than this share of its games by faults, from 0 to 1; see
    /// [`TooFaulty`](crate::run::TooFaulty).
    pub max_fault_share: f64,
    /// What its time controls are scaled to, if they are.
    pub scale: Option<TimeScale>,
    /// The entrants, with different names: two or more, one in a tuning session, and any number in self-play.
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
        /// Give up undecided after this many rounds, which usually are pairs.
        max_pairs: Option<NonZeroU64>,
        /// How its games come.
        rounds: Rounds,
    },
    /// This many rounds, which usually are pairs, in each pairing of the schedule.
    Match {
        /// How many in each pairing; of a knockout before tie-breaks.
        pairs: NonZeroU64,
        /// The schedule.
        schedule: Schedule,
        /// How many entrants there are, two or more.
        entrants: u32,
        /// How its games come.
        rounds: Rounds,
    },
    /// What are the best values of the one entrant's parameters?
    Tune(TuneConfig),
    /// How strong are the entrants, relative to each other?
    Ladder(LadderConfig),
    /// What do positions of games lead to?
    Selfplay {
        /// How many games, each from an opening of its own.
        games: NonZeroU64,
        /// How many entrants there are. One plays against itself; of more, each plays all others.
        entrants: u32,
        /// Which positions are kept.
        filter: PositionFilter,
        /// How they are written, if they are of chess.
        format: PositionFormat,
    },
}

impl ExperimentConfig {
    /// The test, if it is a sequential one.
    pub fn sprt(&self) -> Option<&SprtConfig> {
        match self {
            Self::Sprt { test, .. } => Some(test),
            Self::Match { .. } | Self::Tune(_) | Self::Ladder(_) | Self::Selfplay { .. } => None,
        }
    }

    /// The command that starts such a run, and the first part of its folder's name.
    pub fn kind(&self) -> &'static str {
        self.job().section()
    }

    /// The job that such a run is.
    pub fn job(&self) -> Job {
        match self {
            Self::Sprt { .. } => Job::Sprt,
            Self::Match { .. } => Job::Match,
            Self::Tune(_) => Job::Tune,
            Self::Ladder(_) => Job::Ladder,
            Self::Selfplay { .. } => Job::Selfplay,
        }
    }

    /// Limits beside the entrants' own at which pairs are played, the cheapest first; see
    /// [`Proposal::limit`](crate::run::Proposal::limit).
    pub fn limits(&self) -> &[Limit] {
        match self {
            Self::Tune(tune) => &tune.limits,
            _ => &[],
        }
    }

    /// How its games come.
    pub fn rounds(&self) -> Rounds {
        match self {
            Self::Sprt { rounds, .. } | Self::Match { rounds, .. } => *rounds,
            Self::Tune(_) | Self::Ladder(_) => Rounds::default(),
            // What is counted is how those who move first do.
            Self::Selfplay { .. } => Rounds { games: GamesEach::One, swap: false, reverse: false, singly: false },
        }
    }

    /// The most rounds that the run has, in all pairings together; `None` if there is no limit, or if results decide
    /// on that.
    pub fn most_rounds(&self) -> Option<u64> {
        match self {
            Self::Sprt { max_pairs, .. } => max_pairs.map(NonZeroU64::get),
            Self::Match { pairs, .. } => Some(pairs.get().saturating_mul(self.pairings()?)),
            Self::Tune(tune) => Some(tune.pairs.get()),
            Self::Ladder(ladder) => Some(ladder.pairs.get()),
            Self::Selfplay { games, .. } => Some(games.get()),
        }
    }

    /// The number of pairings that share its rounds evenly, each with as many as the configuration has; `None` if
    /// results decide that.
    pub fn pairings(&self) -> Option<u64> {
        match self {
            Self::Match { schedule, entrants, .. } => schedule.pairings(*entrants),
            Self::Sprt { .. } | Self::Tune(_) | Self::Ladder(_) | Self::Selfplay { .. } => Some(1),
        }
    }

    /// The same experiment with another one's pair limit, if it is of the same kind.
    #[must_use]
    pub fn with_pair_limit_of(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Sprt { test, rounds, .. }, Self::Sprt { max_pairs, .. }) => {
                Self::Sprt { test: *test, max_pairs: *max_pairs, rounds: *rounds }
            }
            // Where pairings depend on results, other pairs would have made other pairings.
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

/// More workers than any machine has cores for; beyond, threads and tables would only exhaust it.
pub const MOST_WORKERS: usize = 1024;

#[cfg(test)]
impl RunConfig {
    /// A match of two random players, one pair long.
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
