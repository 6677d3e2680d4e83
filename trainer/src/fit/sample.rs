//! A random sample of a stream of unknown length: bounded memory, no duplicates, and independent of the order of files.
//!
//! Every item has a key, a hash of the position and the seed; the sample keeps the items with the smallest keys
//! (bottom-k sampling: Broder, "On the resemblance and containment of documents", 1997). Equal positions have equal
//! keys, so a position counts once, at its first occurrence. The key of a line of features is a hash of its place.

/// Draws a limited number of distinct items.
pub(super) struct Sampler<T> {
    most: usize,
    /// The candidates in order of arrival: at most about twice the size of the sample.
    kept: Vec<(u64, T)>,
    /// Items with this key or a larger one cannot be in the sample.
    limit: u64,
    duplicates: u64,
}

impl<T> Sampler<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.max(1), kept: Vec::new(), limit: u64::MAX, duplicates: 0 }
    }

    pub(super) fn add(&mut self, key: u64, item: T) {
        if key >= self.limit {
            return;
        }
        self.kept.push((key, item));
        if self.kept.len() >= 2 * self.most + 1_024 {
            self.shrink();
        }
    }

    /// Drops duplicates, and items beyond the size of the sample.
    fn shrink(&mut self) {
        self.kept.sort_by_key(|(key, _)| *key);
        let before = self.kept.len();
        self.kept.dedup_by_key(|(key, _)| *key);
        self.duplicates += (before - self.kept.len()) as u64;
        if self.kept.len() > self.most {
            self.limit = self.kept[self.most].0;
            self.kept.truncate(self.most);
        }
    }

    /// Returns the sample in the order of its keys, which is random, and the number of duplicates among the candidates.
    pub(super) fn finish(mut self) -> (Vec<T>, u64) {
        self.shrink();
        (self.kept.into_iter().map(|(_, item)| item).collect(), self.duplicates)
    }
}

/// The key of an item with these identifying bytes.
pub(super) fn key(bytes: &[u8], seed: u64) -> u64 {
    let mut key = stats::random::mix(seed);
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        key = stats::random::mix(key ^ u64::from_le_bytes(padded));
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(items: impl Iterator<Item = u32>, most: usize) -> (Vec<u32>, u64) {
        let mut sampler = Sampler::new(most);
        items.for_each(|item| sampler.add(key(&item.to_le_bytes(), 7), item));
        sampler.finish()
    }

    #[test]
    fn a_sample_has_no_duplicates_and_does_not_depend_on_order() {
        let (forward, none) = sample(0..50_000, 1_000);
        let (backward, _) = sample((0..50_000).rev().chain(0..50_000), 1_000);
        assert_eq!((forward.len(), none), (1_000, 0));
        assert_eq!(forward, backward);
        let mean = forward.iter().map(|&item| f64::from(item)).sum::<f64>() / 1_000.0;
        // The mean of 1,000 of 50,000 has a standard deviation of 456.
        assert!((mean - 25_000.0).abs() < 2_000.0, "{mean}");
        assert_eq!(sample([5, 5, 6, 5].into_iter(), 10).1, 2);
    }
}
