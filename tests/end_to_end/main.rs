//! End-to-end tests: the built binary, as a user runs it.

mod calculator;
mod described;
mod export;
mod plot;
mod rate;
mod runs;
mod support;
mod tune;
