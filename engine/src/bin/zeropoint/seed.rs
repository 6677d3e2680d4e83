//! The program's random numbers: each game gets a new seed, so that opponents cannot prepare for its setups.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A random number from the operating system.
pub(crate) fn of_system() -> u64 {
    RandomState::new().build_hasher().finish()
}
