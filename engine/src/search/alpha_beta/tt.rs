//! The transposition table: results of earlier searches of this game, by position key.
//!
//! Owns buckets of four 16-byte slots, which all threads of a search read and write without locks, their replacement,
//! and the counter of games. Through this counter, a new game sees an empty table without clearing it: a slot of an
//! older game is treated exactly like an empty one, so a game's moves never depend on earlier games. `tt_probe` decides
//! which entries cause a cutoff, and converts proven results between root and node.

use crate::eval::simd::{prefetch, vec_in_large_pages};
use crate::score::Score;
use std::sync::atomic::{AtomicU64, Ordering};

/// The relation between a stored score and the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true score is at most the stored one.
    Upper,
    /// The true score is at least the stored one.
    Lower,
    /// The stored score is the true one, to the depth stored.
    Exact,
}

/// The stored result of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The code of the best move, or of the one that caused a cutoff, if known.
    pub(crate) best_move: Option<u16>,
    /// Counted from this position, not from the root: a win in `n` is `n` plies away from here.
    pub(crate) score: Score,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
}

/// No jump or drop has this code.
const NO_MOVE: u16 = u16::MAX;
const SLOTS: usize = 4;
/// Generations (searches of one game) are counted modulo this.
const GENERATIONS: u8 = 64;
/// The number of plies of depth that an entry loses per generation, for replacement.
const PLIES_PER_GENERATION: i32 = 4;

/// The content of a slot: the entry, and a tag with bits 0 to 47 of the key above the number of the game that stored
/// it, which is 0 in a slot never used.
#[derive(Clone, Copy, Debug)]
struct Words {
    tag: u64,
    /// From the highest bit down: score (32), best move (16), depth (8), generation (6), bound (2).
    data: u64,
}

impl Words {
    fn game(self) -> u16 {
        self.tag as u16
    }

    fn best_move(self) -> u16 {
        (self.data >> 16) as u16
    }

    fn depth(self) -> u8 {
        (self.data >> 8) as u8
    }

    fn generation(self) -> u8 {
        self.data as u8 >> 2
    }

    fn entry(self) -> Entry {
        Entry {
            best_move: (self.best_move() != NO_MOVE).then_some(self.best_move()),
            score: Score::from_units((self.data >> 32) as i32),
            depth: self.depth(),
            bound: match self.data & 3 {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }
}

/// A slot in memory. Threads do not wait for each other, so one may read the two words of different stores. The slot
/// therefore keeps the exclusive or of tag and data: with other data it gives the tag of another position, and the slot
/// is skipped like any that does not match.
///
/// Source: R. Hyatt, T. Mann, A lock-less transposition-table implementation, ICGA Journal 25(1), 2002.
#[derive(Debug, Default)]
struct Slot {
    checked_tag: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    #[inline]
    fn load(&self) -> Words {
        let data = self.data.load(Ordering::Relaxed);
        Words { tag: self.checked_tag.load(Ordering::Relaxed) ^ data, data }
    }

    #[inline]
    fn store(&self, words: Words) {
        self.checked_tag.store(words.tag ^ words.data, Ordering::Relaxed);
        self.data.store(words.data, Ordering::Relaxed);
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        let copy = Self::default();
        copy.store(self.load());
        copy
    }
}

#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

/// The table. Never resized; cleared only when the counter of games wraps around.
#[derive(Clone, Debug)]
pub(crate) struct TranspositionTable {
    buckets: Vec<Bucket>,
    game: u16,
    generation: u8,
}

impl TranspositionTable {
    /// A table of at most `bytes` bytes, but at least one bucket.
    pub(crate) fn new(bytes: usize) -> Self {
        let buckets = bytes / std::mem::size_of::<Bucket>();
        let buckets = vec_in_large_pages(Bucket::default(), buckets.clamp(1, u32::MAX as usize));
        Self { buckets, game: 1, generation: 0 }
    }

    /// Whether a new table of `bytes` bytes would have as many buckets.
    pub(crate) fn has_size(&self, bytes: usize) -> bool {
        (bytes / std::mem::size_of::<Bucket>()).clamp(1, u32::MAX as usize) == self.buckets.len()
    }

    /// Makes all entries invisible. Takes constant time, except when the counter wraps around.
    pub(crate) fn new_game(&mut self) {
        self.generation = 0;
        self.game = self.game.wrapping_add(1);
        if self.game == 0 {
            self.buckets.fill(Bucket::default());
            self.game = 1;
        }
    }

    /// Starts a new generation.
    pub(crate) fn new_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// The entry of a position.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let (bucket, tag) = (&self.buckets[self.index(key)].0, self.tag(key));
        bucket.iter().map(Slot::load).find(|words| words.tag == tag).map(Words::entry)
    }

    /// Prefetches the bucket of a key.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(&self.buckets[self.index(key)]);
    }

    /// Stores an entry, replacing the one of the same position, else an empty slot or the least valuable entry of the
    /// bucket. An entry without a best move keeps the stored one.
    #[inline]
    pub(crate) fn store(&self, key: u64, entry: Entry) {
        let (bucket, tag) = (&self.buckets[self.index(key)].0, self.tag(key));
        let words: [Words; SLOTS] = std::array::from_fn(|slot| bucket[slot].load());
        let same = words.iter().position(|words| words.tag == tag);
        let known = same.map_or(NO_MOVE, |slot| words[slot].best_move());
        let chosen = same.unwrap_or_else(|| self.replacement_slot(&words));
        let data = u64::from(entry.score.units() as u32) << 32
            | u64::from(entry.best_move.unwrap_or(known)) << 16
            | u64::from(entry.depth) << 8
            | u64::from(self.generation << 2 | entry.bound as u8);
        bucket[chosen].store(Words { tag, data });
    }

    fn replacement_slot(&self, words: &[Words; SLOTS]) -> usize {
        let value = |words: Words| {
            if words.game() != self.game {
                return i32::MIN;
            }
            let age = (GENERATIONS + self.generation - words.generation()) % GENERATIONS;
            i32::from(words.depth()) - PLIES_PER_GENERATION * i32::from(age)
        };
        (1..SLOTS).fold(0, |least, slot| if value(words[slot]) < value(words[least]) { slot } else { least })
    }

    /// The tag of a position in the current game.
    #[inline]
    fn tag(&self, key: u64) -> u64 {
        key << 16 | u64::from(self.game)
    }

    /// The upper half of the key, scaled to the number of buckets; the lower bits distinguish positions.
    #[inline]
    fn index(&self, key: u64) -> usize {
        (((key >> 32) * self.buckets.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Entry, TranspositionTable, NO_MOVE};
    use crate::score::Score;
    use std::sync::atomic::Ordering;

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
            best_move: (best % 5 != 0).then_some(best),
            score: Score::estimate((random >> 32) as i16 as i32),
            depth,
            bound,
        }
    }

    /// Stores and probes pseudo-random keys of a small set; the trace is everything that a search could observe.
    fn trace(table: &mut TranspositionTable, seed: u64) -> Vec<Option<Entry>> {
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
    fn stored_entries_are_found() {
        let table = TranspositionTable::new(1 << 12);
        let stored = Entry { best_move: Some(77), score: Score::loss_in(4), depth: 9, bound: Bound::Exact };
        assert_eq!(table.probe(42), None);
        table.store(42, stored);
        assert_eq!(table.probe(42), Some(stored));
        assert_eq!(table.probe(42 + (1 << 40)), None);
        table.store(42, Entry { best_move: None, bound: Bound::Upper, ..stored });
        assert_eq!(table.probe(42).and_then(|entry| entry.best_move), Some(77));
    }

    #[test]
    fn a_new_game_sees_an_empty_table() {
        for bytes in [64, 640, 1 << 14] {
            let mut used = TranspositionTable::new(bytes);
            for game in 0..50 {
                trace(&mut used, game);
                used.new_game();
            }
            assert_eq!(trace(&mut used, 1_000), trace(&mut TranspositionTable::new(bytes), 1_000), "{bytes} bytes");
        }
    }

    #[test]
    fn the_table_is_empty_after_the_game_counter_wraps() {
        let mut table = TranspositionTable::new(640);
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
        assert_eq!(trace(&mut table, 4), trace(&mut TranspositionTable::new(640), 4));
    }

    #[test]
    fn shallow_and_old_entries_are_replaced() {
        let mut table = TranspositionTable::new(64);
        let at = |depth| Entry { best_move: None, score: Score::DRAW, depth, bound: Bound::Lower };
        for (key, depth) in [(1, 5), (2, 3), (3, 9), (4, 7)] {
            table.store(key, at(depth));
        }
        table.store(5, at(1));
        assert_eq!([1, 2, 3, 4, 5].map(|key| table.probe(key).is_some()), [true, false, true, true, true]);
        // After two searches a depth of 7 is worth less than a new 1, and a depth of 9 just as much.
        table.new_search();
        table.new_search();
        for key in [6, 7, 8, 9] {
            table.store(key, at(2));
        }
        assert_eq!([1, 3, 4, 5].map(|key| table.probe(key).is_some()), [false; 4]);
    }

    #[test]
    fn sizes_are_compared_in_buckets() {
        let table = TranspositionTable::new(1_000);
        assert!(table.has_size(960) && table.has_size(1_023) && !table.has_size(1_024) && !table.has_size(0));
        assert!(TranspositionTable::new(0).has_size(127));
        assert_eq!(TranspositionTable::new(0).probe(0), None);
        assert!(entry(0).best_move != Some(NO_MOVE));
    }

    #[test]
    fn a_clone_has_slots_of_its_own() {
        let table = TranspositionTable::new(640);
        table.store(1, entry(7));
        let clone = table.clone();
        assert_eq!(clone.probe(1), Some(entry(7)));
        clone.store(1, entry(70));
        clone.store(2, entry(8));
        assert_eq!((table.probe(1), table.probe(2)), (Some(entry(7)), None));
    }

    /// The entry for `random`; its score alone determines all its other fields.
    fn checkable(key: u64, random: u64) -> Entry {
        let score = Score::estimate(random as i16 as i32);
        let mut state = key ^ score.units() as u64;
        Entry { best_move: Some(next(&mut state) as u16 % 4352), score, ..entry(next(&mut state)) }
    }

    #[test]
    fn slots_written_by_several_threads_at_once_show_no_entry_that_was_not_stored() {
        let table = TranspositionTable::new(128);
        let hammer = |seed: u64| {
            let (mut state, mut found) = (seed, 0);
            for _ in 0..300_000 {
                let random = next(&mut state);
                // Few keys and buckets, so that threads collide.
                let key = (random % 12).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                if let Some(entry) = table.probe(key) {
                    assert_eq!(entry, checkable(key, entry.score.units() as u64), "{key:x}");
                    found += 1;
                }
                table.store(key, checkable(key, random >> 32));
            }
            found
        };
        let found = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|seed| scope.spawn(move || hammer(seed))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u32>()
        });
        assert!(found > 100_000, "{found}");
    }

    #[test]
    fn a_slot_torn_between_two_stores_holds_neither() {
        let (table, other) = (TranspositionTable::new(64), TranspositionTable::new(64));
        table.store(1, entry(7));
        other.store(1, entry(70));
        let (slot, newer) = (&table.buckets[0].0[0], &other.buckets[0].0[0]);
        slot.data.store(newer.data.load(Ordering::Relaxed), Ordering::Relaxed);
        assert_eq!(table.probe(1), None);
    }
}
