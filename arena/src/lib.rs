//! The arena: runs of many pairs, from the configuration to the journal, with the experiments that propose the pairs.
//!
//! The crate `play` plays the single game; the two meet only in the executor's worker. The arena owns the threads and
//! files of a run. It prints and draws nothing: it publishes snapshots and series.

pub mod config;
pub mod run;
mod schedules;
