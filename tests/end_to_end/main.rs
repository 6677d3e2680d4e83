//! End-to-end tests: the built binary, as a user runs it.

mod calculator;
mod rate;
mod report;
mod runs;
mod support;
mod tune;
