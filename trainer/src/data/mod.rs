//! Files of positions, on which evaluations are trained.
//!
//! A file is a plain sequence of [blocks](block), each with its own header and checksum. So `cat` concatenates files,
//! [`Blocks`] reads one as a stream, and [`Positions`] maps files into memory for random access. A [`Record`] holds a
//! position with the labels from a search and from the game, in 38 bytes. `docs/reference/position-files.md` defines
//! the format to the byte.

pub mod block;
mod error;
pub(crate) mod export;
pub(crate) mod extract;
mod files;
pub(crate) mod keys;
mod positions;
pub mod record;
mod run;
pub(crate) mod sieve;
mod statistics;
#[cfg(test)]
pub(crate) mod tests;
mod visits;
pub(crate) mod write;

pub use block::{BLOCK_RECORDS, Block, Blocks, Payload};
pub use error::{DataError, Fault};
pub use export::{ExportError, export, export_to};
pub use files::{Checked, Copied, Share, blocks, check, merge, sample};
pub use positions::Positions;
pub use record::{Labels, Record, RecordError};
pub use run::{NoPositions, Run};
pub use sieve::Extracted;
pub use statistics::{ScoreBin, Statistics};
pub use visits::VisitRecord;
pub use write::PositionsWriter;

/// The usual extension of a file of positions.
pub const EXTENSION: &str = "positions";
