//! Tests of reports of whole runs.

mod follow;
mod golden;
