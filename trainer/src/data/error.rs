//! Errors in a file of positions, with the file and the place in it.

use super::record::RecordError;
use std::io;
use std::path::PathBuf;

/// A file of positions that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A block is not what it should be.
    #[error("{}, byte {offset}: {fault}", .path.display())]
    Block {
        /// The file.
        path: PathBuf,
        /// Where the block begins, in bytes from the file's start.
        offset: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// The system refused. The message names the file.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not begin as a block does.
    #[error("this is not a block of positions: the file is of another kind, or damaged")]
    Foreign,
    /// A later version of the format.
    #[error("a block of version {found}: this spar reads version {reads}")]
    Version {
        /// Its version.
        found: u8,
        /// The version that is read.
        reads: u8,
    },
    /// The header says what no header says.
    #[error("the block's header is damaged")]
    Header,
    /// The file ends within the block.
    #[error("the file ends within this block: {missing} bytes are missing")]
    Truncated {
        /// How many bytes are missing, at least.
        missing: u64,
    },
    /// The checksum is another.
    #[error("the block's checksum is {found:08x}, and it says {expected:08x}: it is damaged")]
    Checksum {
        /// That of the bytes.
        found: u32,
        /// The one in the header.
        expected: u32,
    },
    /// A record is none.
    #[error("record {index} of the block: {error}")]
    Record {
        /// Its number within the block, from 0.
        index: usize,
        /// What is wrong with it.
        error: RecordError,
    },
    /// Provenance that is not JSON.
    #[error("the block's provenance is not a JSON object: {0}")]
    Provenance(String),
}
