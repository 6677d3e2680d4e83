//! Helpers for the tests of this crate.

pub(crate) mod memory;
