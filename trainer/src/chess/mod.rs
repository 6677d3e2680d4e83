//! Labelled positions of chess: what evaluations of chess engines are fitted to.
//!
//! [`Record`](record::Record) is a position with a score and a result, as compact data. Which files such positions come from or go to is for the
//! modules beside it. Positions of 0.1 have files of their own, in [`data`](crate::data).

pub mod quiet;
pub mod record;

pub use record::{Labels, Record, RecordError, View};
