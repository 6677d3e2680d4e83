//! What is known of positions that were searched before: a table of fixed size.
//!
//! Words are packed by hand: a table of plain integers is given zeroed by the system, and a large one costs nothing
//! until it is used.

use crate::search::{MATE, MAX_PLY};
use shakmaty::{Move, Role};

/// How a score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// It is the true one.
    Exact,
    /// The true one is as high or higher.
    Lower,
    /// The true one is as low or lower.
    Upper,
}

/// What is known of a position.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// The best move, packed; 0 if there is none.
    pub(crate) mv: u16,
    /// The score, mates counted from this position.
    pub(crate) score: i32,
    /// How deep was searched.
    pub(crate) depth: i32,
    /// What the score is.
    pub(crate) bound: Bound,
}

impl Known {
    /// The score, where it answers a search of this depth and window.
    pub(crate) fn answers(&self, depth: i32, alpha: i32, beta: i32) -> Option<i32> {
        let is_enough = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score <= alpha,
        };
        (is_enough && self.depth >= depth).then_some(self.score)
    }
}

/// The table.
pub(crate) struct Transpositions {
    /// A key and what is known, packed; both 0 where there is nothing.
    entries: Vec<[u64; 2]>,
    /// Grows with each search; of two entries for one place, the older is replaced.
    generation: u8,
}

impl Transpositions {
    /// An empty table of this size in mebibytes.
    pub(crate) fn new(mebibytes: usize) -> Self {
        let count = (mebibytes << 20) / size_of::<[u64; 2]>();
        Self { entries: vec![[0; 2]; count.max(1)], generation: 0 }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.entries.fill([0; 2]);
        self.generation = 0;
    }

    /// Begins a search.
    pub(crate) fn age(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }

    /// The entry of a position at this distance in plies from the root.
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<Known> {
        let [stored, word] = self.entries[self.index(key)];
        (stored == key && word != 0).then(|| unpack(word, ply))
    }

    /// Stores what was found, unless something deeper of this search is in its place.
    pub(crate) fn store(&mut self, key: u64, known: Known, ply: usize) {
        let index = self.index(key);
        let [stored, word] = self.entries[index];
        let is_worse = known.bound != Bound::Exact && known.depth < depth(word);
        if word != 0 && generation(word) == self.generation && is_worse && stored != key {
            return;
        }
        self.entries[index] = [key, pack(known, ply) | u64::from(self.generation) << 48];
    }
}

/// Mates are counted from the root in the search, and from the position in the table.
fn unpack(word: u64, ply: usize) -> Known {
    let stored = i32::from((word >> 16) as u16 as i16);
    let score = if stored >= MATE - MAX_PLY as i32 {
        stored - ply as i32
    } else if stored <= MAX_PLY as i32 - MATE {
        stored + ply as i32
    } else {
        stored
    };
    let bound = match (word >> 40) as u8 {
        1 => Bound::Exact,
        2 => Bound::Lower,
        _ => Bound::Upper,
    };
    Known { mv: word as u16, score, depth: depth(word), bound }
}

fn pack(known: Known, ply: usize) -> u64 {
    let score = if known.score >= MATE - MAX_PLY as i32 {
        known.score + ply as i32
    } else if known.score <= MAX_PLY as i32 - MATE {
        known.score - ply as i32
    } else {
        known.score
    };
    let bound = match known.bound {
        Bound::Exact => 1,
        Bound::Lower => 2,
        Bound::Upper => 3,
    };
    u64::from(known.mv) | u64::from(score as i16 as u16) << 16 | (known.depth as u8 as u64) << 32 | bound << 40
}

fn depth(word: u64) -> i32 {
    i32::from((word >> 32) as u8)
}

fn generation(word: u64) -> u8 {
    (word >> 48) as u8
}

/// A move in 15 bits; never 0.
pub(crate) fn packed(mv: Move) -> u16 {
    let from = mv.from().map_or(0, |from| u16::from(u8::from(from)));
    let to = u16::from(u8::from(mv.to()));
    let promotion = mv.promotion().map_or(0, |role: Role| u16::from(u8::from(role)));
    from | to << 6 | promotion << 12
}
