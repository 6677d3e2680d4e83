//! Files of positions: what evaluations are trained on.
//!
//! A file is a plain sequence of [blocks](block), each with its own header and checksum. So files are concatenated with `cat`, read as
//! a stream ([`Blocks`]), or mapped into memory, where any record is at hand ([`Positions`]). A [`Record`] is a position with what a
//! search and the game said of it, in 38 bytes. `docs/data.md` has the format to the byte.

pub mod block;
mod error;
mod positions;
pub mod record;
#[cfg(test)]
mod tests;
mod write;

pub use block::{BLOCK_RECORDS, Block, Blocks, Payload};
pub use error::{DataError, Fault};
pub use positions::Positions;
pub use record::{GameResult, Labels, Record, RecordError};
pub use write::PositionsWriter;

/// The usual extension of a file of positions.
pub const EXTENSION: &str = "positions";
