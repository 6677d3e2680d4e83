//! Labelled positions of chess: what evaluations of chess engines are fitted to.
//!
//! [`Record`] is a position with a score and a result, as compact data. [`extract`] makes positions of the games of
//! runs, [`export`](export()) writes those of a whole run, [`formats`] owns the files that other programs read and
//! write, [`read`] takes labelled positions out of everything that authors have, [`statistics`] counts what they hold,
//! and [`quiet`] says what is a quiet position. Positions of 0.1 have files of their own, in [`data`](crate::data).

pub(crate) mod export;
pub mod extract;
pub mod formats;
pub(crate) mod labelled;
pub mod quiet;
pub mod read;
pub mod record;
pub mod statistics;
#[cfg(test)]
mod tests;

pub use export::{Exported, export, export_to};
pub use labelled::Labelled;
pub use record::{Labels, Record, View};
pub use statistics::Statistics;
