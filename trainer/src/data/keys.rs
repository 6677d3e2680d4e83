//! A set of position keys that only grows, to find duplicates.
//!
//! The table takes eight bytes per slot and is at most three quarters full: 11 to 22 bytes per position. Keys are
//! Zobrist keys, which are already evenly distributed.

/// The keys seen so far.
pub(crate) struct KeySet {
    /// The slots, a power of two in number; 0 marks an empty one.
    slots: Vec<u64>,
    filled: usize,
    /// Whether the set has the key 0, which has no slot.
    zero: bool,
}

impl Default for KeySet {
    fn default() -> Self {
        Self { slots: vec![0; 1 << 10], filled: 0, zero: false }
    }
}

impl KeySet {
    /// Adds a key and returns whether it is new.
    pub(crate) fn insert(&mut self, key: u64) -> bool {
        if key == 0 {
            return !std::mem::replace(&mut self.zero, true);
        }
        if (self.filled + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(key);
        let is_new = self.slots[slot] == 0;
        self.slots[slot] = key;
        self.filled += usize::from(is_new);
        is_new
    }

    /// The slot that holds a key or is free for it.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = key as usize & mask;
        while self.slots[slot] != 0 && self.slots[slot] != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let larger = vec![0; self.slots.len() * 2];
        for key in std::mem::replace(&mut self.slots, larger) {
            if key != 0 {
                let slot = self.slot(key);
                self.slots[slot] = key;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        #[ignore = "slow"]
        fn a_key_is_new_once(keys in prop::collection::vec(prop_oneof![0_u64..200, any::<u64>()], 0..4_000)) {
            let (mut set, mut model) = (KeySet::default(), BTreeSet::new());
            for key in keys {
                prop_assert_eq!(set.insert(key), model.insert(key));
            }
        }
    }
}
