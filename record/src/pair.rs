//! Pairs: the unit of work, of randomness and of storage.
//!
//! A pair is two games with the seats swapped, unless its [`Sides`] say otherwise: then it is two games without a swap,
//! or a single game, and nothing counts it as a pair.

use crate::{BySide, Ending, MoveTimes, Side, TrackPly};
use serde::{Deserialize, Serialize};
use stats::{Outcome, Score};
use std::time::Duration;

/// A pair's number in its run, from 0.
pub type PairIndex = u64;

/// The side that the proposal's first seat has in each game of a pair, and so how many games there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// Two games: it moves first, then second.
    #[default]
    Swapped,
    /// Two games: it moves second, then first.
    Reversed,
    /// Two games in which it has this side.
    Same(Side),
    /// A single game in which it has this side.
    Single(Side),
}

impl Sides {
    /// By game.
    pub fn of_first_seat(self) -> &'static [Side] {
        match self {
            Self::Swapped => &[Side::First, Side::Second],
            Self::Reversed => &[Side::Second, Side::First],
            Self::Same(Side::First) => &[Side::First; 2],
            Self::Same(Side::Second) => &[Side::Second; 2],
            Self::Single(Side::First) => &[Side::First],
            Self::Single(Side::Second) => &[Side::Second],
        }
    }

    /// How many games there are: 1 or 2.
    pub fn games(self) -> usize {
        self.of_first_seat().len()
    }

    /// The seat, 0 or 1, that has a side in a game.
    pub fn seat(self, game: usize, side: Side) -> usize {
        usize::from(self.of_first_seat().get(game).is_some_and(|&of_first| of_first != side))
    }
}

/// The sides of a pair, as the experiment proposed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The one whose score is counted, then its opponent.
    pub seats: [ProposedSeat; 2],
    /// Number of the opening in the run's source of openings.
    pub opening: u64,
    /// The first mover of each game.
    pub sides: Sides,
    /// By which of the experiment's limits both seats play; none: by the entrants' own.
    pub limit: Option<u32>,
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
        Self { seats, opening, sides: Sides::Swapped, limit: None }
    }
}

/// One game as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The plies after the opening, each by the number that the game's rules give it.
    pub moves: Vec<u32>,
    /// How it ended.
    pub ending: Ending,
    /// Work done by each side.
    pub nodes: BySide<u64>,
    /// What the players reported at each ply, if asked for.
    pub track: Vec<TrackPly>,
    /// What is not reproducible.
    pub circumstances: Circumstances,
}

/// The data of a game that are not reproducible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Circumstances {
    /// How long it and its moves took.
    pub times: GameTimes,
    /// The last lines of a player that made a fault, for people to read.
    pub evidence: Option<String>,
    /// How long the moves of each side took. A game that is read back has none: a journal sums them over each session.
    pub move_times: BySide<MoveTimes>,
    /// The lines that were kept of each ply; empty if none are to be kept. A game that is read back has none: a journal
    /// reads them apart.
    pub lines: Vec<Vec<String>>,
}

/// Wall times of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTimes {
    /// When it began, in milliseconds since 1970.
    pub began_unix_ms: u64,
    /// How long it lasted.
    pub lasted: Duration,
    /// Thinking time of each side.
    pub thinking: BySide<Duration>,
    /// The longest that the host kept each side waiting for a processor within one move. Measured for players whose
    /// time the wall clock measures; zero for all others.
    pub delayed: BySide<Duration>,
    /// The longest of those waits that could decide a loss on time: the answer came within the wait's own length of the
    /// deadline (margin included), before it or after it.
    pub decisive: BySide<Duration>,
}

/// One pair as played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    /// Its number.
    pub pair: PairIndex,
    /// The text of the position the games start from, if it is not the game's usual start.
    pub start: Option<String>,
    /// The plies from there that the games start with.
    pub opening: Vec<u32>,
    /// Which side the proposal's first seat had in each game.
    pub sides: Sides,
    /// The games, as many as [`sides`](Self::sides) has.
    pub games: Vec<GameRecord>,
    /// How long all of it took, from being taken up to being done.
    pub took: Duration,
}

impl PairResult {
    /// The games, each with the side that the proposal's first seat had in it.
    pub fn seated_games(&self) -> impl Iterator<Item = (&GameRecord, Side)> {
        self.games.iter().zip(self.sides.of_first_seat().iter().copied())
    }

    /// The scores of the games for the proposal's first seat.
    pub fn scores(&self) -> Vec<Score> {
        self.seated_games().map(|(game, side)| game.ending.score(side)).collect()
    }

    /// What the pair counts as. A single game is not a pair.
    pub fn outcome(&self) -> Outcome {
        match self.scores()[..] {
            [one, two, ..] => Outcome::of_two(one, two),
            [only] => Outcome::Game(only),
            // Results without games were refused on input.
            [] => Outcome::Game(Score::Draw),
        }
    }

    /// Games lost by a fault of the first seat's and of the second seat's.
    pub fn faults_by_seat(&self) -> [u64; 2] {
        let mut faults = [0; 2];
        for (game, side_of_first) in self.seated_games() {
            if let Some((side, _)) = game.ending.fault() {
                faults[usize::from(side != side_of_first)] += 1;
            }
        }
        faults
    }

    /// The same without what is not reproducible: wall times, circumstances of games.
    #[must_use]
    pub fn reproducible(&self) -> Self {
        let mut bare = Self { took: Duration::ZERO, ..self.clone() };
        for game in &mut bare.games {
            game.circumstances = Circumstances::default();
            for ply in &mut game.track {
                (ply.wall, ply.left, ply.info.time) = (Duration::ZERO, Duration::ZERO, None);
            }
        }
        bare
    }

    /// Whether a second result of the same pair says the same.
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.reproducible() == other.reproducible()
    }
}
