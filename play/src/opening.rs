//! Openings: the plies both games of a pair start with. They are drawn here as random legal plies, or set up from the
//! text in a book; [`crate::book`] reads the books.

use super::game::Game;
use crate::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;

/// The draw fails after this many rejected openings: the settings leave too few.
const MOST_DRAWS: u32 = 10_000;

/// The plies with which both games of a pair start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<G: Game> {
    /// The text of the position the plies start from, if it is not [`Game::start`].
    pub start: Option<String>,
    /// The plies from that position on.
    pub moves: Vec<G::Move>,
    /// The position after the plies.
    pub position: G::Position,
}

/// An opening as text: a line of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningLine {
    /// The position the opening starts from; the game's usual start if none is given.
    pub start: Option<String>,
    /// The moves from there, in the notation of the game's players.
    pub moves: Vec<String>,
}

/// Openings of random legal plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomOpenings {
    /// The number of random legal plies after those that the game requires (0.1: after random setups).
    pub plies: PlyRange,
    /// Rejects openings that a depth-4 search by the 0.1 engine scores beyond this, in logit x 10,000 for either side.
    pub balance: Option<NonZeroU32>,
}

/// Openings of good setups from the book of the game's own engine (0.1), followed by random legal plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupOpenings {
    /// The plies after the setups, and what is rejected.
    pub after: RandomOpenings,
    /// The hash of the book. Another book would give other openings.
    pub book: u64,
}

/// A number of plies, or a range of them from which each opening draws its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[u32; 2]", into = "[u32; 2]")]
pub struct PlyRange {
    least: u32,
    most: u32,
}

impl PlyRange {
    /// From `least` to `most` plies, both included; `None` if the range is empty.
    pub fn new(least: u32, most: u32) -> Option<Self> {
        (least <= most).then_some(Self { least, most })
    }

    /// The maximum number of plies.
    pub fn most(self) -> u32 {
        self.most
    }

    /// Draws a number of plies, each with the same probability. Draws nothing if there is only one.
    fn draw(self, stream: &mut Stream) -> u32 {
        let Self { least, most } = self;
        if least == most { least } else { least + stream.below(most - least + 1) }
    }
}

impl From<u32> for PlyRange {
    fn from(plies: u32) -> Self {
        Self { least: plies, most: plies }
    }
}

impl fmt::Display for PlyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most } = self;
        if least == most { write!(f, "{least}") } else { write!(f, "{least} to {most}") }
    }
}

impl TryFrom<[u32; 2]> for PlyRange {
    type Error = &'static str;

    fn try_from([least, most]: [u32; 2]) -> Result<Self, &'static str> {
        Self::new(least, most).ok_or("a range of plies that ends before it begins")
    }
}

impl From<PlyRange> for [u32; 2] {
    fn from(PlyRange { least, most }: PlyRange) -> Self {
        [least, most]
    }
}

/// The self-contained opening of one pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairOpening {
    /// An opening to draw from the run's seed.
    Random {
        /// The settings of the draw.
        source: RandomOpenings,
        /// The number of the opening in the run.
        number: u64,
    },
    /// A given opening.
    Line(OpeningLine),
    /// An opening to draw from the run's seed, with setups from a book.
    Setups {
        /// The settings of the draw.
        source: SetupOpenings,
        /// The number of the opening in the run.
        number: u64,
    },
}

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoOpening {
    /// The settings of [`RandomOpenings`] rejected every draw.
    #[error("opening {number} was not found in {MOST_DRAWS} draws: ask for fewer random plies or a wider balance")]
    AllRejected {
        /// The number of the opening in the run.
        number: u64,
    },
    /// The book of setups is not that of the run.
    #[error("the openings come from another book of setups than this build of spar has: use the build of the run")]
    OtherSetups,
    /// A line of a book cannot be played.
    #[error("an opening of the book cannot be played: {why}")]
    Unplayable {
        /// What is wrong with the line.
        why: String,
    },
}

impl PairOpening {
    /// Makes the opening: a pure function of the run's seed and these fields.
    ///
    /// # Errors
    /// [`NoOpening`].
    pub fn make<G: Game>(
        &self,
        game: &G,
        run_seed: u64,
        judge: &mut dyn FnMut(&G::Position) -> i32,
    ) -> Result<Opening<G>, NoOpening> {
        match self {
            Self::Random { source, number } => source.draw(game, run_seed, *number, judge),
            Self::Setups { source, number } => source.draw(game, run_seed, *number, judge),
            Self::Line(line) => line.play(game).map_err(|why| NoOpening::Unplayable { why }),
        }
    }
}

impl OpeningLine {
    /// Plays the line.
    ///
    /// # Errors
    /// What is wrong with the line, in words: no position, an illegal move, or the game is over after it.
    pub fn play<G: Game>(&self, game: &G) -> Result<Opening<G>, String> {
        let mut position = match &self.start {
            Some(text) => game.setup(text)?,
            None => game.start(),
        };
        let mut moves = Vec::with_capacity(self.moves.len());
        for text in &self.moves {
            let mv = G::parse_move(&position, text).filter(|&mv| G::is_legal(&position, mv));
            let mv = mv.ok_or_else(|| format!("`{text}` is not a legal move in {position}"))?;
            G::play(&mut position, mv);
            moves.push(mv);
        }
        if G::ending(&position).is_some() {
            return Err(format!("the game is over in {position}"));
        }
        Ok(Opening { start: self.start.clone(), moves, position })
    }
}

impl RandomOpenings {
    /// Draws opening `number` of a run: a pure function of the run's seed and that number.
    ///
    /// Rejects openings that are already decided (the game is over, or the side to move wins at once) and those that
    /// `judge` scores beyond the balance.
    ///
    /// # Errors
    /// [`NoOpening`] if all openings drawn were rejected.
    pub fn draw<G: Game>(
        self,
        game: &G,
        run_seed: u64,
        number: u64,
        judge: &mut dyn FnMut(&G::Position) -> i32,
    ) -> Result<Opening<G>, NoOpening> {
        self.draw_after(|_| Some(Vec::new()), game, run_seed, number, judge)
    }

    /// Does the same with first plies that `first` draws.
    fn draw_after<G: Game>(
        self,
        first: impl Fn(&mut Stream) -> Option<Vec<G::Move>>,
        game: &G,
        run_seed: u64,
        number: u64,
        judge: &mut dyn FnMut(&G::Position) -> i32,
    ) -> Result<Opening<G>, NoOpening> {
        let mut stream = Stream::new(run_seed, Purpose::Opening, number);
        // Draw the number once: otherwise there would be fewer long openings, which are rejected more often.
        let plies = self.plies.draw(&mut stream);
        (0..MOST_DRAWS)
            .filter_map(|_| random_plies(game, &first(&mut stream)?, plies, &mut stream))
            .find(|opening| self.is_balanced(judge, &opening.position))
            .ok_or(NoOpening::AllRejected { number })
    }

    fn is_balanced<P>(self, judge: &mut dyn FnMut(&P) -> i32, position: &P) -> bool {
        self.balance.is_none_or(|most| judge(position).unsigned_abs() <= most.get())
    }
}

impl SetupOpenings {
    /// Draws opening `number` of a run: a pure function of the run's seed, that number and the book.
    ///
    /// # Errors
    /// [`NoOpening`] if all openings drawn were rejected, or if the game has another book of setups.
    pub fn draw<G: Game>(
        self,
        game: &G,
        run_seed: u64,
        number: u64,
        judge: &mut dyn FnMut(&G::Position) -> i32,
    ) -> Result<Opening<G>, NoOpening> {
        if G::setups_hash() != Some(self.book) {
            return Err(NoOpening::OtherSetups);
        }
        self.after.draw_after(G::book_setups, game, run_seed, number, judge)
    }
}

/// The plies `first`, and random ones up to the least that the game requires and `plies` more.
fn random_plies<G: Game>(game: &G, first: &[G::Move], plies: u32, stream: &mut Stream) -> Option<Opening<G>> {
    let plies = (G::least_opening() + plies) as usize;
    let start = game.random_start(stream);
    let position = start.as_ref().map_or_else(|| Some(game.start()), |text| game.setup(text).ok())?;
    let mut opening = Opening { start, moves: Vec::with_capacity(plies), position };
    for ply in 0..plies {
        let given = first.get(ply).copied();
        let mv = given.or_else(|| G::random_move(&opening.position, stream))?;
        G::play(&mut opening.position, mv);
        opening.moves.push(mv);
        if G::ending(&opening.position).is_some() {
            return None;
        }
    }
    (!G::wins_at_once(&opening.position)).then_some(opening)
}
