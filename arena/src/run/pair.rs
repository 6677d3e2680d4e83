//! Pairs: the unit of work, of randomness and of storage. Owned, serialisable and self-contained, so that a pair can be
//! played by a thread here or, later, by a machine elsewhere.

use super::journal::BuildId;
use play::entrant::Entrant;
use play::games::GameKind;
use play::{BySide, Ending, PairOpening, Side, TableRules, TrackPly};
use serde::{Deserialize, Deserializer, Serialize, de};
use stats::{PairOutcome, Score};
use std::sync::Arc;
use std::time::Duration;

/// The version of [`PairSpec`] and [`PairResult`] as serialised.
pub const PAIR_VERSION: u16 = 4;

/// A spec or a result of another version of spar's: its fields may mean something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is a pair of version {found}, and this spar plays version {PAIR_VERSION}: use the same version of spar on all machines"
)]
pub struct UnknownPairVersion {
    /// Its version.
    pub found: u16,
}

/// Refuses a version of [`PairSpec`] and [`PairResult`] that is not [`PAIR_VERSION`].
///
/// # Errors
/// [`UnknownPairVersion`]
pub(super) fn check_pair_version(found: u16) -> Result<(), UnknownPairVersion> {
    if found == PAIR_VERSION { Ok(()) } else { Err(UnknownPairVersion { found }) }
}

/// Reads a version. It is the first field, so that nothing of another version is taken for one of this.
fn known_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let found = u16::deserialize(deserializer)?;
    check_pair_version(found).map_err(de::Error::custom)?;
    Ok(found)
}

/// A pair's number in its run, from 0.
pub type PairIndex = u64;

/// Who plays a pair, as the experiment proposed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The one whose score is counted, then its opponent. The first one moves first in game 0, second in game 1.
    pub seats: [ProposedSeat; 2],
    /// Number of the opening in the run's source of openings.
    pub opening: u64,
}

/// One seat of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedSeat {
    /// Index into the run's entrants.
    pub entrant: u32,
    /// Values of the parameters that the experiment varies, in its own fixed order; empty if it varies none.
    pub values: Vec<f64>,
}

impl Proposal {
    /// Two entrants exactly as configured.
    pub fn of(first: u32, second: u32, opening: u64) -> Self {
        let seats = [first, second].map(|entrant| ProposedSeat { entrant, values: Vec::new() });
        Self { seats, opening }
    }
}

/// One pair to be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairSpec {
    /// [`PAIR_VERSION`].
    #[serde(deserialize_with = "known_version")]
    pub version: u16,
    /// Its number.
    pub pair: PairIndex,
    /// The run's seed.
    pub run_seed: u64,
    /// The game.
    pub game: GameKind,
    /// Who plays, fully resolved; see [`Proposal::seats`]. The command of an engine process is the
    /// [name of its program's content](super::content_name): whoever plays the pair knows where it has that program.
    pub seats: [Arc<Entrant>; 2],
    /// The builds of those who play.
    pub builds: [Arc<BuildId>; 2],
    /// What both games start with.
    pub opening: PairOpening,
    /// How its games are played beside the rules of the game.
    pub rules: TableRules,
}

/// One game as journaled: moves are [`Game::code`](play::Game::code)s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The plies after the opening.
    pub moves: Vec<u32>,
    /// How it ended.
    pub ending: Ending,
    /// Work done by each side.
    pub nodes: BySide<u64>,
    /// What was said at each ply, if asked for.
    pub track: Vec<TrackPly>,
}

/// Wall times of a pair: kept apart, since they are not reproducible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairTimes {
    /// Thinking time by game and side.
    pub thinking: [BySide<Duration>; 2],
    /// The whole pair, from being taken up to being done.
    pub total: Duration,
    /// By game and side, the longest that the host kept the mover waiting for a processor within one move. Measured for
    /// players whose time the wall clock measures; zero for all others.
    pub delayed: [BySide<Duration>; 2],
    /// By game and side, the longest of those waits that could decide a loss on time: the answer came within the wait's own
    /// length of the deadline (margin included), before it or after it. A result that was stored before this was kept has
    /// here the longest wait of a player that lost by being late or silent.
    pub decisive: [BySide<Duration>; 2],
    /// When each game began, in milliseconds since 1970; 0 where that was not kept.
    pub began_unix_ms: [u64; 2],
    /// How long each game lasted; zero where that was not kept.
    pub lasted: [Duration; 2],
}

/// One pair as played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    /// [`PAIR_VERSION`].
    #[serde(deserialize_with = "known_version")]
    pub version: u16,
    /// Its number.
    pub pair: PairIndex,
    /// The text of the position both games start from, if it is not the game's usual start.
    pub start: Option<String>,
    /// The plies from there that both games start with.
    pub opening: Vec<u32>,
    /// The two games; the proposal's first seat is the first mover of game 0 and the second mover of game 1.
    pub games: [GameRecord; 2],
    /// What was heard last of a player that made a fault, by game, for people to read. No part of the result.
    pub evidence: [Option<String>; 2],
    /// How long it took.
    pub times: PairTimes,
}

/// The side that the proposal's first seat has in game 0 and in game 1.
pub const SIDES_OF_FIRST_SEAT: [Side; 2] = [Side::First, Side::Second];

impl PairResult {
    /// The scores of the two games for the proposal's first seat.
    pub fn scores(&self) -> [Score; 2] {
        [0, 1].map(|game| self.games[game].ending.score(SIDES_OF_FIRST_SEAT[game]))
    }

    /// What the pair counts as.
    pub fn outcome(&self) -> PairOutcome {
        let [a, b] = self.scores();
        PairOutcome::new(a, b)
    }

    /// Games lost by a fault of the first seat's and of the second seat's.
    pub fn faults_by_seat(&self) -> [u64; 2] {
        let mut faults = [0; 2];
        for (game, side_of_first) in self.games.iter().zip(SIDES_OF_FIRST_SEAT) {
            if let Some((side, _)) = game.ending.fault() {
                faults[usize::from(side != side_of_first)] += 1;
            }
        }
        faults
    }

    /// Whether a second result of the same pair says the same, wall times aside.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let bare = |result: &Self| {
            let mut bare = result.clone();
            bare.times = PairTimes::default();
            bare.evidence = Default::default();
            bare.games.iter_mut().flat_map(|game| &mut game.track).for_each(|ply| {
                ply.wall = Duration::ZERO;
                ply.left = Duration::ZERO;
                ply.said.time = None;
            });
            bare
        };
        bare(self) == bare(other)
    }
}
