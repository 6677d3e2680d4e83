//! Pairs on their way to another machine and back: specs and results as bytes.
//!
//! The bytes begin with the version, which is looked at before anything else. How they travel is left to executors.

use super::pair::PairSpec;
use record::PairResult;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of specs and results as bytes.
pub const PAIR_VERSION: u16 = 1;

/// Bytes that are not a pair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// They are of another version of spar's: their fields may mean something else.
    #[error(
        "it is a pair of version {found}, and this spar plays version {PAIR_VERSION}: use the same version of spar on \
            all machines"
    )]
    Version {
        /// Their version.
        found: u16,
    },
    /// They were cut short, or are something else.
    #[error("these {bytes} bytes are not a pair: {why}")]
    Malformed {
        /// How many there are.
        bytes: usize,
        /// What is wrong with them.
        why: postcard::Error,
    },
}

/// What travels: [`PairSpec`] and [`PairResult`].
pub trait Wire: Serialize + DeserializeOwned + private::Sealed {}

impl Wire for PairSpec {}
impl Wire for PairResult {}

mod private {
    pub trait Sealed {}
    impl Sealed for super::PairSpec {}
    impl Sealed for super::PairResult {}
}

/// As bytes.
///
/// # Errors
/// [`WireError::Malformed`] for what has no bytes; no spec and no result is known that has none.
pub fn to_bytes<T: Wire>(value: &T) -> Result<Vec<u8>, WireError> {
    postcard::to_allocvec(&(PAIR_VERSION, value)).map_err(|why| WireError::Malformed { bytes: 0, why })
}

/// From bytes.
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
