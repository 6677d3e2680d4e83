//! The program's random numbers: another one for each game, so that opponents cannot prepare for its setups.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A number from the operating system.
pub(crate) fn of_system() -> u64 {
    RandomState::new().build_hasher().finish()
}
