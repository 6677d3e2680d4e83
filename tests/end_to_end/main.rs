//! End-to-end tests: the built binary, as a user runs it.

mod book;
mod calculator;
mod engines;
mod export;
mod processes;
mod rate;
mod report;
mod runs;
mod support;
mod tune;
