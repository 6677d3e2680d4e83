//! Choosing a move.

pub(crate) mod repetition;
pub(crate) mod table;
