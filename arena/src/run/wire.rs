//! The wire format of pairs: specs and results as bytes, to and from other machines.
//!
//! The bytes begin with the version, which is checked before anything else. Executors choose the transport.

use super::pair::PairSpec;
use record::PairResult;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the wire format.
pub const PAIR_VERSION: u16 = 1;

/// The bytes are not a pair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The bytes have another version of the format, so their fields may mean something else.
    #[error(
        "it is a pair of version {found}, and this spar plays version {PAIR_VERSION}: use the same version of spar on \
            all machines"
    )]
    Version {
        /// The version of the bytes.
        found: u16,
    },
    /// The bytes are truncated or not a pair.
    #[error("these {bytes} bytes are not a pair: {why}")]
    Malformed {
        /// The number of bytes.
        bytes: usize,
        /// The decoding error.
        why: postcard::Error,
    },
}

/// A type with a wire format: [`PairSpec`] or [`PairResult`].
pub trait Wire: Serialize + DeserializeOwned + private::Sealed {}

impl Wire for PairSpec {}
impl Wire for PairResult {}

mod private {
    pub trait Sealed {}
    impl Sealed for super::PairSpec {}
    impl Sealed for super::PairResult {}
}

/// Encodes a value.
///
/// # Errors
/// [`WireError::Malformed`] if the value cannot be encoded; this is not known to happen for any spec or result.
pub fn to_bytes<T: Wire>(value: &T) -> Result<Vec<u8>, WireError> {
    postcard::to_allocvec(&(PAIR_VERSION, value)).map_err(|why| WireError::Malformed { bytes: 0, why })
}

/// Decodes a value.
///
/// # Errors
/// [`WireError`]
pub fn from_bytes<T: Wire>(bytes: &[u8]) -> Result<T, WireError> {
    let malformed = |why| WireError::Malformed { bytes: bytes.len(), why };
    match postcard::take_from_bytes(bytes).map_err(malformed)? {
        (PAIR_VERSION, rest) => postcard::from_bytes(rest).map_err(malformed),
        (found, _) => Err(WireError::Version { found }),
    }
}
