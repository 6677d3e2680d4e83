//! Errors in a file of positions, with the file and the offset.

use super::record::RecordError;
use std::io;
use std::path::PathBuf;

/// A file of positions that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A damaged block.
    #[error("{}, byte {offset}: {fault}", .path.display())]
    Block {
        /// The file.
        path: PathBuf,
        /// The start of the block, in bytes from the start of the file.
        offset: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// An I/O error. The message names the file.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The block does not start with the magic bytes.
    #[error("this is not a block of positions: the file is of another kind, or damaged")]
    Foreign,
    /// A block of an unknown version of the format.
    #[error("a block of version {found}: this spar reads version {reads}")]
    Version {
        /// The version of the block.
        found: u8,
        /// The version that this program reads.
        reads: u8,
    },
    /// A header with invalid values.
    #[error("the block's header is damaged")]
    Header,
    /// The file ends within the block.
    #[error("the file ends within this block: {missing} bytes are missing")]
    Truncated {
        /// The minimum number of missing bytes.
        missing: u64,
    },
    /// A wrong checksum.
    #[error("the block's checksum is {found:08x}, and it says {expected:08x}: it is damaged")]
    Checksum {
        /// The checksum of the bytes.
        found: u32,
        /// The checksum in the header.
        expected: u32,
    },
    /// An invalid record.
    #[error("record {index} of the block: {error}")]
    Record {
        /// Its number within the block, from 0.
        index: usize,
        /// The error of the record.
        error: RecordError,
    },
    /// Provenance that is not JSON.
    #[error("the block's provenance is not a JSON object: {0}")]
    Provenance(String),
}
