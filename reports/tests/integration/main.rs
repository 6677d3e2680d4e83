//! Tests of reports on complete runs.

mod follow;
mod golden;
