//! Labelled positions of chess, to which evaluations of chess engines are fitted.
//!
//! [`Record`] stores a position with a score and a result compactly. [`extract`] makes positions from the games of
//! runs, [`export`](export()) writes the positions of a whole run, and [`formats`] owns the files that other programs
//! read and write. [`read`] reads labelled positions from every kind of file that authors have, [`statistics`] counts
//! them, and [`quiet`] decides whether a position is quiet. Positions of 0.1 have their own files, in
//! [`data`](crate::data).

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
