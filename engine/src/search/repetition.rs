//! Which positions the game and the current line have already seen.
//!
//! Owns the stack of keys from the first position of the game to the node being searched, and a counting filter that
//! answers "never seen" for nearly all new positions with one load. What a repetition is worth is left to the search.

/// Slots of the filter. A game holds some hundred keys, so nine of ten new positions miss it.
const FILTER: usize = 1024;

/// The keys of the game and of the line, oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    keys: Vec<u64>,
    /// How many of `keys` fall into each slot, saturating: a slot once at the top stays there until `reset`.
    filter: Box<[u8; FILTER]>,
}

impl Seen {
    pub(crate) fn new() -> Self {
        Self { keys: Vec::with_capacity(512), filter: Box::new([0; FILTER]) }
    }

    /// Forgets everything and starts from the positions of a game.
    pub(crate) fn reset(&mut self, history: &[u64]) {
        self.keys.clear();
        self.filter.fill(0);
        for &key in history {
            self.push(key);
        }
    }

    /// Enters a position: those that follow may repeat it.
    #[inline]
    pub(crate) fn push(&mut self, key: u64) {
        self.keys.push(key);
        let count = &mut self.filter[slot(key)];
        *count = count.saturating_add(1);
    }

    /// Leaves the position entered last.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            let count = &mut self.filter[slot(key)];
            if *count < u8::MAX {
                *count -= 1;
            }
        }
    }

    /// Whether the game or the line has already been in a position with this key.
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
    use super::{Seen, FILTER};

    #[test]
    fn what_was_pushed_and_not_popped_is_seen() {
        let mut seen = Seen::new();
        seen.reset(&[7, 11]);
        assert!(seen.contains(7) && seen.contains(11) && !seen.contains(13));
        // Same slot of the filter, other key.
        assert!(!seen.contains(7 + FILTER as u64));
        seen.push(7);
        seen.pop();
        assert!(seen.contains(7));
        seen.pop();
        assert!(!seen.contains(11));
        seen.reset(&[]);
        assert!(!seen.contains(7));
        seen.pop();
    }

    #[test]
    fn a_full_slot_never_hides_a_key() {
        let mut seen = Seen::new();
        for _ in 0..600 {
            seen.push(5);
        }
        for _ in 0..599 {
            seen.pop();
            assert!(seen.contains(5));
        }
        seen.pop();
        assert!(!seen.contains(5));
    }
}
