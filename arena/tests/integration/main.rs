//! Tests of runs of pairs through the arena's public interface.

mod drive;
mod error_rates;
mod impossible;
mod pair;
mod tune;
