//! The arena: runs of many pairs, from the configuration to the journal and the experiments that use it.
//!
//! How one game is played is left to the crate `play`; they meet in the executor's worker alone. The arena owns the
//! threads and files of a run. It prints nothing and draws nothing: it publishes snapshots and series.

pub mod config;
pub mod run;
mod schedules;
