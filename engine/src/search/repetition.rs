//! Repetition detection.
//!
//! Owns the stack of keys from the first position of the game to the current node, and a counting filter that answers
//! "no repetition" for nearly all new positions with one load. The search decides the score of a repetition.

/// Slots of the filter. A game has about a hundred keys, so nine in ten new positions miss all of them.
const FILTER: usize = 1024;

/// The keys of the positions of the game and of the line being searched, oldest first.
#[derive(Clone, Debug)]
pub(crate) struct RepetitionHistory {
    keys: Vec<u64>,
    /// The number of `keys` in each slot, saturating: a full slot stays full until `reset`.
    filter: Box<[u8; FILTER]>,
}

impl RepetitionHistory {
    pub(crate) fn new() -> Self {
        Self { keys: Vec::with_capacity(512), filter: Box::new([0; FILTER]) }
    }

    /// Restarts with the positions of a game.
    pub(crate) fn reset(&mut self, history: &[u64]) {
        self.keys.clear();
        self.filter.fill(0);
        for &key in history {
            self.push(key);
        }
    }

    /// Adds a position, which later ones may repeat.
    #[inline]
    pub(crate) fn push(&mut self, key: u64) {
        self.keys.push(key);
        let count = &mut self.filter[slot(key)];
        *count = count.saturating_add(1);
    }

    /// Removes the position added last.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            let count = &mut self.filter[slot(key)];
            if *count < u8::MAX {
                *count -= 1;
            }
        }
    }

    /// Whether a position with this key would be a repetition.
    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        self.filter[slot(key)] != 0 && self.keys.contains(&key)
    }
}

const fn slot(key: u64) -> usize {
    key as usize % FILTER
}

#[cfg(test)]
mod tests {
    use super::{RepetitionHistory, FILTER};

    #[test]
    fn keys_are_found_until_popped() {
        let mut history = RepetitionHistory::new();
        history.reset(&[7, 11]);
        assert!(history.contains(7) && history.contains(11) && !history.contains(13));
        // The same slot of the filter, but another key.
        assert!(!history.contains(7 + FILTER as u64));
        history.push(7);
        history.pop();
        assert!(history.contains(7));
        history.pop();
        assert!(!history.contains(11));
        history.reset(&[]);
        assert!(!history.contains(7));
        history.pop();
    }

    #[test]
    fn keys_in_a_full_slot_are_found() {
        let mut history = RepetitionHistory::new();
        for _ in 0..600 {
            history.push(5);
        }
        for _ in 0..599 {
            history.pop();
            assert!(history.contains(5));
        }
        history.pop();
        assert!(!history.contains(5));
    }
}
