//! End-to-end tests: the built binary, as a user runs it.

mod calculator;
mod engines;
mod faults;
mod interruption;
mod plot;
mod processes;
mod rate;
mod runs;
mod support;
mod tune;
