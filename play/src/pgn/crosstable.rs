//! Joins games into pairs and counts them by pairing.
//!
//! Two games are a pair if the same two entrants played them with the seats swapped, from the same opening, in the same
//! round. Of several candidates the one that has waited longest is taken. Then, in files that mark openings (by a `FEN`
//! tag, or moves marked `{book}`), the remaining single games of the same two entrants and the same opening are joined
//! regardless of their rounds, by rising round: some runners number the games of a pair as two rounds. In files that do
//! not mark openings, the first eight plies must agree; if there are no moves, the round must be given.
//!
//! Only the part of a `Round` tag before the first dot counts: `7.1` and `7.2` are the two games of round 7. All rounds
//! that are missing or empty count as equal.

use super::game::Game;
use super::movetext::{Fingerprint, Opening};
use stats::rating::{PairTable, RatingError, Results};
use stats::{CountsError, Score, Wdl};
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// The maximum number of entrants. More could be read, but not be rated in reasonable time, which grows with the cube
/// of their number.
const MOST_ENTRANTS: usize = 1000;

/// Why games cannot be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CrosstableError {
    /// There are too many names.
    #[error("there are more than {MOST_ENTRANTS} entrants: expected the games of fewer")]
    TooManyEntrants,
}

/// All games read so far.
#[derive(Debug, Default)]
pub struct Crosstable {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    pairs: BTreeMap<Seats, PairTable>,
    singles: BTreeMap<Seats, Wdl>,
    waiting: BTreeMap<Key, Waiting>,
    games: u64,
    joined: u64,
}

/// The entrants by seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seats {
    first: usize,
    second: usize,
}

/// The common features of the two games of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Hash of the entrants and the opening.
    opening: u64,
    round: Round,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Round {
    Unknown,
    Numbered(u64),
    Named(u64),
}

/// Games of one key that have no twin yet. All have the same seats, since a game with swapped seats is joined with the
/// first of them.
#[derive(Debug)]
struct Waiting {
    seats: Seats,
    marked: bool,
    scores: VecDeque<Score>,
}

impl Seats {
    fn swapped(self) -> Self {
        Self { first: self.second, second: self.first }
    }

    /// The seats in an order that is the same for both games of a pair.
    fn sorted(self) -> Self {
        if self.first < self.second { self } else { self.swapped() }
    }
}

impl Round {
    fn new(tag: Option<&str>) -> Self {
        let Some(tag) = tag else { return Self::Unknown };
        let name = tag.split('.').next().unwrap_or_default().trim();
        name.parse().map_or_else(
            |_| {
                let mut hash = Fingerprint::default();
                hash.add(name.as_bytes());
                Self::Named(hash.finish())
            },
            Self::Numbered,
        )
    }
}

impl Key {
    /// The key of a game; `None` if nothing identifies the game's twin.
    fn new(seats: Seats, game: &Game) -> Option<Self> {
        let round = Round::new(game.round.as_deref());
        let (kind, opening) = match game.opening {
            Opening::Marked(opening) => (b"m", opening),
            Opening::FirstPlies(opening) => (b"p", opening),
            Opening::Unknown if round == Round::Unknown => return None,
            Opening::Unknown => (b"u", 0),
        };
        let mut hash = Fingerprint::default();
        let Seats { first, second } = seats.sorted();
        hash.add(kind);
        for number in [first as u64, second as u64, opening] {
            hash.add(&number.to_le_bytes());
        }
        Some(Self { opening: hash.finish(), round })
    }
}

impl Crosstable {
    /// A crosstable without games.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names of the entrants, in the order in which they appeared; their numbers in [`Self::finish`] are the indices.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of games added.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game, and joins it with the other game of its pair if that was added before.
    ///
    /// # Errors
    /// [`CrosstableError`] if there are too many entrants.
    pub fn add(&mut self, game: &Game) -> Result<(), CrosstableError> {
        let seats = Seats { first: self.number(&game.white)?, second: self.number(&game.black)? };
        self.games = self.games.saturating_add(1);
        let Some(key) = Key::new(seats, game) else {
            self.singles.entry(seats).or_default().add(game.score);
            return Ok(());
        };
        let marked = matches!(game.opening, Opening::Marked(_));
        let new = || Waiting { seats, marked, scores: VecDeque::new() };
        let waiting = self.waiting.entry(key).or_insert_with(new);
        if waiting.seats == seats {
            waiting.scores.push_back(game.score);
            return Ok(());
        }
        let twin = waiting.scores.pop_front();
        if waiting.scores.is_empty() {
            self.waiting.remove(&key);
        }
        match twin {
            Some(twin) => self.join(seats, game.score, twin),
            None => self.singles.entry(seats).or_default().add(game.score),
        }
        Ok(())
    }

    fn number(&mut self, name: &str) -> Result<usize, CrosstableError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if self.names.len() >= MOST_ENTRANTS {
            return Err(CrosstableError::TooManyEntrants);
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        Ok(self.names.len() - 1)
    }

    /// Counts a pair: `score` in these seats, `twin` in the swapped ones, each from the view of its own first seat.
    fn join(&mut self, seats: Seats, score: Score, twin: Score) {
        let one = seats.sorted();
        let (first, second) = if one == seats { (score, twin.mirror()) } else { (twin, score.mirror()) };
        let cell = &mut self.pairs.entry(one).or_default()[first as usize][second as usize];
        *cell = cell.saturating_add(1);
        self.joined += 1;
    }

    /// Joins the remaining games by marked opening, regardless of the round; the rest are single games.
    fn join_across_rounds(&mut self) {
        let mut alone: [VecDeque<Score>; 2] = Default::default();
        let mut at = None;
        let mut entrants = Seats { first: 0, second: 0 };
        // Keys of one opening are neighbours.
        for (key, waiting) in std::mem::take(&mut self.waiting) {
            if at != Some(key.opening) {
                self.leave(entrants, &mut alone);
                at = Some(key.opening);
                entrants = waiting.seats.sorted();
            }
            let side = usize::from(waiting.seats != entrants);
            for score in waiting.scores {
                match if waiting.marked { alone[1 - side].pop_front() } else { None } {
                    Some(twin) => self.join(waiting.seats, score, twin),
                    None => alone[side].push_back(score),
                }
            }
        }
        self.leave(entrants, &mut alone);
    }

    /// Counts games as single ones.
    fn leave(&mut self, entrants: Seats, alone: &mut [VecDeque<Score>; 2]) {
        for (seats, scores) in [entrants, entrants.swapped()].into_iter().zip(alone) {
            for score in scores.drain(..) {
                self.singles.entry(seats).or_default().add(score);
            }
        }
    }

    /// Ends the reading; returns the names, the results by number of the entrant, and the number of pairs among the
    /// games.
    ///
    /// # Errors
    /// [`RatingError`] if the counts are too large.
    pub fn finish(mut self) -> Result<(Vec<String>, Results, u64), RatingError> {
        self.join_across_rounds();
        if self.games == u64::MAX {
            return Err(CountsError::Overflow.into());
        }
        let mut results = Results::new(self.names.len());
        for (seats, table) in &self.pairs {
            results.add_pairs(seats.first, seats.second, table)?;
        }
        for (seats, games) in &self.singles {
            results.add_games(seats.first, seats.second, games)?;
        }
        Ok((self.names, results, self.joined))
    }
}
