//! The arena: games, players, the referee, clocks, openings, executors, the journal and the experiments that use them.
//!
//! It owns all threads, clocks and files. It prints nothing and draws nothing: it publishes snapshots and series.
//!
//! Two wings: [`play`] knows one game, [`run`] many pairs. They meet in the executor's worker alone. [`child`] keeps
//! engine processes and knows neither. [`pgn`] stands apart: it reads the games that others played.

pub mod book;
pub mod check;
pub mod child;
pub mod config;
pub mod entrant;
pub mod pgn;
pub mod play;
pub mod random;
pub mod run;
mod spelling;
