//! The book of setups: red's first setups, and blue's replies.
//!
//! Owns the entries, their file, and look-ups, which also find reflections. `trainer` makes books; the search decides
//! when to probe one.
//!
//! The file has the form of weights files (see `eval::weights`) with the name `spar-set`; its sizes are the numbers of
//! replies and of entries. It holds, in this order: the ranks of all replies, ascending, as differences; the ranks of
//! the entries' red setups, likewise; for each entry the index of its reply, doubled, plus 1 if the reply is mirrored;
//! for each entry its value; for each entry its depth.

mod params;
mod shipped;

pub use params::BookParams;

use crate::eval::weights::{self, Reader, WeightsError, Writer};
use crate::{Piece, Position, Score, Setup, Side};
use std::fmt;
use std::sync::Arc;

const MAGIC: &str = "spar-set";
/// The maximum number of entries: sizes in the file have 16 bits.
pub const MAX_ENTRIES: usize = u16::MAX as usize;

/// The book's entry for one setup of red.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// Red's setup.
    pub red: Setup,
    /// Blue's reply.
    pub reply: Setup,
    /// The value for red of the position after both setups; in a book that was prepared against an opponent, the first
    /// choices have the value after that opponent's reply, or that of games against it.
    pub value: Score,
    /// The depth of the search that found the value, counting blue's setup as a ply; 0 without a search.
    pub depth: u8,
}

impl BookEntry {
    /// The mirrored entry.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { red: self.red.mirrored(), reply: self.reply.mirrored(), ..*self }
    }

    /// Of an entry and its reflection, the one whose red setup has the lower rank.
    fn folded(&self) -> Self {
        let mirrored = self.mirrored();
        if mirrored.red.rank() < self.red.rank() {
            mirrored
        } else {
            *self
        }
    }
}

/// Setups of red with blue's replies; each also stands for its reflection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetupBook {
    /// Folded entries, by rank of the red setup.
    entries: Vec<BookEntry>,
    /// All replies, by rank: of two reflections, the one with the lower rank.
    replies: Vec<Setup>,
}

impl SetupBook {
    /// Makes a book of these entries, in any order.
    ///
    /// # Errors
    /// [`BookError`] if there are too many entries, or two for the same setup of red.
    pub fn new(entries: &[BookEntry]) -> Result<Self, BookError> {
        let mut entries: Vec<BookEntry> = entries.iter().map(BookEntry::folded).collect();
        entries.sort_unstable_by_key(|entry| entry.red.rank());
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].red == pair[1].red) {
            return Err(BookError::Twice { red: pair[0].red });
        }
        let replies = folded(entries.iter().map(|entry| entry.reply));
        Self { entries, replies }.of_sizes_that_fit()
    }

    /// Makes a book without entries, whose replies blue may give to any setup.
    ///
    /// # Errors
    /// [`BookError::TooLarge`]
    pub fn of_replies(replies: &[Setup]) -> Result<Self, BookError> {
        Self { entries: Vec::new(), replies: folded(replies.iter().copied()) }.of_sizes_that_fit()
    }

    fn of_sizes_that_fit(self) -> Result<Self, BookError> {
        match self.entries.len().max(self.replies.len()) {
            found if found > MAX_ENTRIES => Err(BookError::TooLarge { found }),
            _ => Ok(self),
        }
    }

    /// The shipped book.
    pub fn shipped() -> Arc<Self> {
        shipped::book()
    }

    /// Checks that the shipped book can be read. In a bundle it may be damaged.
    ///
    /// # Errors
    /// [`BookError`] if not; an empty book is then used instead.
    pub fn check_shipped() -> Result<(), BookError> {
        shipped::read().map(drop)
    }

    /// Reads a book from the bytes of its file.
    ///
    /// # Errors
    /// [`BookError`] for bytes that are not a book of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let (mut reader, [replies, entries]) = Reader::new(bytes, MAGIC)?;
        let (replies, entries) = (usize::from(replies), usize::from(entries));
        let replies = setups(&mut reader, replies)?;
        let reds = setups(&mut reader, entries)?;
        let mut numbers = || (0..entries).map(|_| reader.number()).collect::<Result<Vec<_>, _>>();
        let (places, values, depths) = (numbers()?, numbers()?, numbers()?);
        reader.finish()?;
        let entry = |(n, &red): (usize, &Setup)| -> Result<BookEntry, BookError> {
            let reply = usize::try_from(places[n] >> 1).ok().and_then(|place| replies.get(place));
            let reply = *reply.ok_or(BookError::Damaged)?;
            Ok(BookEntry {
                red,
                reply: if places[n] & 1 == 0 { reply } else { reply.mirrored() },
                value: value_of(values[n])?,
                depth: u8::try_from(depths[n]).map_err(|_| BookError::Damaged)?,
            })
        };
        let entries = reds.iter().enumerate().map(entry).collect::<Result<_, _>>()?;
        Ok(Self { entries, replies })
    }

    /// The bytes of the book's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC, &[self.replies.len() as u16, self.entries.len() as u16]);
        let mut ranks = |setups: &mut dyn Iterator<Item = Setup>| {
            setups.fold(0, |last, setup| {
                let rank = setup.rank() as i32;
                writer.number(rank - last);
                rank
            });
        };
        ranks(&mut self.replies.iter().copied());
        ranks(&mut self.entries.iter().map(|entry| entry.red));
        for entry in &self.entries {
            let (rank, mirrored) = (entry.reply.rank(), entry.reply.mirrored().rank());
            let place = self.replies.partition_point(|reply| reply.rank() < rank.min(mirrored));
            writer.number((place as i32) << 1 | i32::from(mirrored < rank));
        }
        self.entries.iter().for_each(|entry| writer.number(entry.value.units()));
        self.entries.iter().for_each(|entry| writer.number(entry.depth.into()));
        writer.finish()
    }

    /// A hash of the book's file: the same for the same book, on every machine.
    pub fn hash(&self) -> u64 {
        weights::hash(&self.to_bytes())
    }

    /// The entries, by rank of the red setup; each also stands for its reflection.
    pub fn entries(&self) -> &[BookEntry] {
        &self.entries
    }

    /// Blue's replies to an unknown setup; each also stands for its reflection.
    pub fn replies(&self) -> &[Setup] {
        &self.replies
    }

    /// Returns the entry for a setup of red, mirrored if necessary.
    pub fn find(&self, red: &Setup) -> Option<BookEntry> {
        let (rank, mirrored) = (red.rank(), red.mirrored().rank());
        let found = self.entries.binary_search_by_key(&rank.min(mirrored), |entry| entry.red.rank()).ok()?;
        let entry = self.entries[found];
        Some(if rank <= mirrored { entry } else { entry.mirrored() })
    }

    /// The entries that red may play: among those with the deepest search, all whose value is at most `margin` below
    /// the best.
    pub fn choices(&self, margin: Score) -> impl Iterator<Item = &BookEntry> {
        let depth = self.entries.iter().map(|entry| entry.depth).max();
        let deepest = move |entry: &&BookEntry| Some(entry.depth) == depth;
        let best = self.entries.iter().filter(deepest).map(|entry| entry.value).max().unwrap_or(Score::DRAW);
        self.entries.iter().filter(deepest).filter(move |entry| entry.value >= best - margin)
    }

    /// Draws one of the [choices](Self::choices), or its reflection, by `seed`. `None` if the book is empty.
    pub fn draw(&self, margin: Score, seed: u64) -> Option<BookEntry> {
        let count = self.choices(margin).count() as u64;
        let drawn = mix(seed) % (2 * count).max(1);
        let entry = self.choices(margin).nth((drawn / 2) as usize)?;
        Some(if drawn % 2 == 0 { *entry } else { entry.mirrored() })
    }
}

/// Folds setups: of two reflections the one with the lower rank, without duplicates, by rank.
fn folded(setups: impl Iterator<Item = Setup>) -> Vec<Setup> {
    let mut ranks: Vec<u32> = setups.map(|setup| setup.rank().min(setup.mirrored().rank())).collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks.into_iter().filter_map(Setup::from_rank).collect()
}

/// Reads setups in ascending order of rank; of two reflections only the one with the lower rank, which is the key for
/// look-ups.
fn setups(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Setup>, BookError> {
    let (mut setups, mut last) = (Vec::with_capacity(count), 0_i32);
    for n in 0..count {
        let step = reader.number()?;
        let rank = last.checked_add(step).filter(|_| step > 0 || n == 0 && step == 0).ok_or(BookError::Damaged)?;
        let setup = u32::try_from(rank).ok().and_then(Setup::from_rank).ok_or(BookError::NoSetup { rank })?;
        if setup.rank() > setup.mirrored().rank() {
            return Err(BookError::Damaged);
        }
        setups.push(setup);
        last = rank;
    }
    Ok(setups)
}

/// Makes a score of units, if they are valid.
fn value_of(units: i32) -> Result<Score, BookError> {
    let limit = Score::INFINITE.units();
    if (-limit..=limit).contains(&units) {
        Ok(Score::from_units(units))
    } else {
        Err(BookError::Damaged)
    }
}

/// The increment of `SplitMix64`.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// `SplitMix64`: makes the values of neighbouring seeds unrelated.
pub(crate) fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(STEP);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The setup of a side, as long as all its pieces are still in place.
pub(crate) fn setup_of(position: &Position, side: Side) -> Option<Setup> {
    let mut pieces = [Piece::Alfil; 16];
    for (place, square) in pieces.iter_mut().zip(side.home()) {
        if !position.side_pieces(side).contains(square) {
            return None;
        }
        *place = position.kind_on(square);
    }
    Setup::new(pieces).ok()
}

/// Why a book cannot be made or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookError {
    /// The bytes do not start like a book.
    Foreign,
    /// The format has another version.
    Version {
        /// The version found.
        found: u16,
    },
    /// The bytes are truncated or corrupt.
    Damaged,
    /// No setup has this rank.
    NoSetup {
        /// The rank.
        rank: i32,
    },
    /// A setup has two entries.
    Twice {
        /// Red's setup.
        red: Setup,
    },
    /// There are more than [`MAX_ENTRIES`] entries or replies.
    TooLarge {
        /// The number of entries or replies.
        found: usize,
    },
}

impl From<WeightsError> for BookError {
    fn from(error: WeightsError) -> Self {
        match error {
            WeightsError::Foreign { .. } | WeightsError::Unknown => Self::Foreign,
            WeightsError::Version { found } => Self::Version { found },
            WeightsError::Damaged | WeightsError::Architecture { .. } => Self::Damaged,
        }
    }
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => write!(f, "not a book of setups: it does not begin with `{MAGIC}`"),
            Self::Version { found } => write!(f, "a book of format version {found}, which this build does not read"),
            Self::Damaged => f.write_str("the book is cut short or damaged: its check sum is wrong"),
            Self::NoSetup { rank } => {
                write!(f, "the book holds a setup of rank {rank}, and there are {} setups", Setup::COUNT)
            }
            Self::Twice { red } => write!(f, "the book has two entries for the setup {}", red.text(Side::Red)),
            Self::TooLarge { found } => write!(f, "a book has room for {MAX_ENTRIES} entries, not for {found}"),
        }
    }
}

impl std::error::Error for BookError {}

#[cfg(test)]
mod tests;
