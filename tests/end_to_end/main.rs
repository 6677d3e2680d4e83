//! End-to-end tests: the built binary, as a user runs it.

mod runs;
mod support;
mod tune;
