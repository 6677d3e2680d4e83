//! The transposition table: what earlier searches of this game found out about a position.
//!
//! Owns buckets of four 16-byte slots, their replacement, and the generations that make a new game see an empty table
//! without clearing it: a slot of an older game is treated exactly as an empty one, so that a game's moves never depend
//! on which games were played before. Which scores may be believed, and converting proven results between root and
//! node, is left to the search.

use crate::score::Score;

/// What a stored score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true score is at most the stored one.
    Upper,
    /// The true score is at least the stored one.
    Lower,
    /// The stored score is the result of a full search.
    Exact,
}

/// What is remembered of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Code of the best or refuting move, if one is known.
    pub(crate) best: Option<u16>,
    /// Counted from the position itself: a win in `n` is `n` plies away from here.
    pub(crate) score: Score,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
}

/// No jump or drop has this code.
const NO_MOVE: u16 = u16::MAX;
const SLOTS: usize = 4;
/// Searches of one game are told apart up to this many, then the count starts again.
const AGES: u8 = 64;
/// Plies of depth that a result is worth less for each search it is old.
const AGE_COST: i32 = 4;

#[derive(Clone, Copy, Debug)]
struct Slot {
    check: u32,
    score: i32,
    more_check: u16,
    best: u16,
    /// The game that stored it; 0 in a slot never used.
    game: u16,
    depth: u8,
    /// Search of the game in the upper six bits, bound in the lower two.
    age_bound: u8,
}

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

const EMPTY: Slot = Slot { check: 0, score: 0, more_check: 0, best: NO_MOVE, game: 0, depth: 0, age_bound: 0 };

impl Slot {
    fn holds(&self, key: u64, game: u16) -> bool {
        self.check == key as u32 && self.more_check == (key >> 32) as u16 && self.game == game
    }

    fn entry(&self) -> Entry {
        Entry {
            best: (self.best != NO_MOVE).then_some(self.best),
            score: Score::from_units(self.score),
            depth: self.depth,
            bound: match self.age_bound & 3 {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }
}

/// The table. Never resized after creation, never cleared but when 65,535 games have been counted.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    game: u16,
    age: u8,
}

impl Table {
    /// A table of at most `bytes` bytes, and of one bucket at least.
    pub(crate) fn new(bytes: usize) -> Self {
        let buckets = bytes / std::mem::size_of::<Bucket>();
        Self { buckets: vec![Bucket([EMPTY; SLOTS]); buckets.clamp(1, u32::MAX as usize)], game: 1, age: 0 }
    }

    /// Whether a new table of `bytes` bytes would be of this size.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        (bytes / std::mem::size_of::<Bucket>()).clamp(1, u32::MAX as usize) == self.buckets.len()
    }

    /// Forgets everything, at the cost of counting.
    pub(crate) fn new_game(&mut self) {
        self.age = 0;
        self.game = self.game.wrapping_add(1);
        if self.game == 0 {
            self.buckets.fill(Bucket([EMPTY; SLOTS]));
            self.game = 1;
        }
    }

    /// Makes what is stored so far older than what follows.
    pub(crate) fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// What is known of a position.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let bucket = &self.buckets[self.index(key)].0;
        bucket.iter().find(|slot| slot.holds(key, self.game)).map(Slot::entry)
    }

    /// Remembers a result in the place of an older one of the same position, of nothing, or of the least valuable
    /// result of the bucket. A known best move survives a result that has none.
    #[inline]
    pub(crate) fn store(&mut self, key: u64, entry: Entry) {
        let (index, game) = (self.index(key), self.game);
        let bucket = &self.buckets[index].0;
        let same = bucket.iter().position(|slot| slot.holds(key, game));
        let chosen = same.unwrap_or_else(|| self.least_valuable(index));
        let known = if same.is_some() { bucket[chosen].best } else { NO_MOVE };
        self.buckets[index].0[chosen] = Slot {
            check: key as u32,
            more_check: (key >> 32) as u16,
            score: entry.score.units(),
            best: entry.best.unwrap_or(known),
            game,
            depth: entry.depth,
            age_bound: self.age << 2 | entry.bound as u8,
        };
    }

    fn least_valuable(&self, index: usize) -> usize {
        let value = |slot: &Slot| {
            if slot.game != self.game {
                return i32::MIN;
            }
            let age = (AGES + self.age - (slot.age_bound >> 2)) % AGES;
            i32::from(slot.depth) - AGE_COST * i32::from(age)
        };
        let bucket = &self.buckets[index].0;
        (1..SLOTS).fold(0, |least, i| if value(&bucket[i]) < value(&bucket[least]) { i } else { least })
    }

    /// The upper half of the key, scaled to the number of buckets; the lower bits are left to tell positions apart.
    #[inline]
    fn index(&self, key: u64) -> usize {
        (((key >> 32) * self.buckets.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Entry, Table, NO_MOVE};
    use crate::score::Score;

    /// `SplitMix64`, for keys and entries.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn entry(random: u64) -> Entry {
        let bound = [Bound::Upper, Bound::Lower, Bound::Exact][(random % 3) as usize];
        let best = (random >> 2) as u16 % 4352;
        let depth = (random >> 20) as u8 % 12;
        Entry {
            best: (best % 5 != 0).then_some(best),
            score: Score::estimate((random >> 32) as i16 as i32),
            depth,
            bound,
        }
    }

    /// Stores and probes pseudo-random positions of a small set; the trace is all that a search could see.
    fn trace(table: &mut Table, seed: u64) -> Vec<Option<Entry>> {
        let mut state = seed;
        let keys: Vec<u64> = (0..400).map(|_| next(&mut state)).collect();
        let mut seen = Vec::new();
        for step in 0..2_000 {
            if step % 100 == 0 {
                table.new_search();
            }
            let key = keys[next(&mut state) as usize % keys.len()];
            seen.push(table.probe(key));
            table.store(key, entry(next(&mut state)));
        }
        seen
    }

    #[test]
    fn what_was_stored_is_found() {
        let mut table = Table::new(1 << 12);
        let stored = Entry { best: Some(77), score: Score::loss_in(4), depth: 9, bound: Bound::Exact };
        assert_eq!(table.probe(42), None);
        table.store(42, stored);
        assert_eq!(table.probe(42), Some(stored));
        assert_eq!(table.probe(42 + (1 << 40)), None);
        table.store(42, Entry { best: None, bound: Bound::Upper, ..stored });
        assert_eq!(table.probe(42).and_then(|entry| entry.best), Some(77));
    }

    #[test]
    fn an_older_game_is_an_empty_table() {
        for bytes in [64, 640, 1 << 14] {
            let mut used = Table::new(bytes);
            for game in 0..50 {
                trace(&mut used, game);
                used.new_game();
            }
            assert_eq!(trace(&mut used, 1_000), trace(&mut Table::new(bytes), 1_000), "{bytes} bytes");
        }
    }

    #[test]
    fn the_generation_counter_wraps_to_an_empty_table() {
        let mut table = Table::new(640);
        let stored = entry(12_345);
        table.store(9, stored);
        for _ in 0..u16::MAX - 1 {
            table.new_game();
        }
        assert_eq!(table.game, u16::MAX);
        trace(&mut table, 3);
        table.new_game();
        assert_eq!(table.game, 1);
        assert_eq!(table.probe(9), None);
        assert_eq!(trace(&mut table, 4), trace(&mut Table::new(640), 4));
    }

    #[test]
    fn shallow_and_old_results_make_room() {
        let mut table = Table::new(64);
        let at = |depth| Entry { best: None, score: Score::DRAW, depth, bound: Bound::Lower };
        for (key, depth) in [(1, 5), (2, 3), (3, 9), (4, 7)] {
            table.store(key, at(depth));
        }
        table.store(5, at(1));
        assert_eq!([1, 2, 3, 4, 5].map(|key| table.probe(key).is_some()), [true, false, true, true, true]);
        // Two searches later a depth of 7 is worth less than a new 1, one of 9 just as much.
        table.new_search();
        table.new_search();
        for key in [6, 7, 8, 9] {
            table.store(key, at(2));
        }
        assert_eq!([1, 3, 4, 5].map(|key| table.probe(key).is_some()), [false; 4]);
    }

    #[test]
    fn sizes_are_compared_in_buckets() {
        let table = Table::new(1_000);
        assert!(table.fits(960) && table.fits(1_023) && !table.fits(1_024) && !table.fits(0));
        assert!(Table::new(0).fits(127));
        assert_eq!(Table::new(0).probe(0), None);
        assert!(entry(0).best != Some(NO_MOVE));
    }
}
