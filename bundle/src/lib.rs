//! Bundles the engine of 0.1 into one source file, the form that its tournament requires: `rustc -O --edition 2021`
//! compiles it to a program that plays over `CodeCup` like the crate.
//!
//! The crate's modules are inlined, without tests, comments and the protocols that a tournament does not use; weights
//! are compressed and encoded as text. This crate owns the making and the size of the file; [`engine`] owns the engine.

mod coded;
mod compress;
mod packed;
mod source;
mod text;

pub use coded::decompress;
pub use compress::compress;
pub use packed::unpack;
pub use text::pack;

use engine::{BookError, Network, Params, SetupBook, WeightsError};
use source::SourceError;

/// The tournament's size limit in bytes.
pub const LIMIT: usize = 1_474_560;

/// The contents of a bundle besides the engine's sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contents<'a> {
    /// The network's file in the engine's format; the shipped network by default.
    pub network: Option<&'a [u8]>,
    /// The book of setups.
    pub book: Book<'a>,
    /// The engine's parameters.
    pub params: Params,
}

/// The book of setups of a bundle.
#[derive(Clone, Copy, Debug, Default)]
pub enum Book<'a> {
    /// The shipped book.
    #[default]
    Shipped,
    /// The file of another book in the engine's format.
    File(&'a [u8]),
    /// An empty one.
    None,
}

/// A source file, and the sizes of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The file.
    pub text: String,
    /// The parts with their sizes in bytes.
    pub parts: Vec<(&'static str, usize)>,
}

/// Why a bundle cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The weights are invalid.
    #[error("the network cannot be used")]
    Weights(#[from] WeightsError),
    /// The book is invalid.
    #[error("the book cannot be used")]
    Book(#[from] BookError),
    /// The bundle would be too large.
    #[error("the bundle has {size} bytes, and the tournament takes {LIMIT}: {parts}")]
    TooLarge {
        /// The size in bytes.
        size: usize,
        /// The sizes of the parts, in words.
        parts: String,
    },
    /// The engine's sources do not have the form that this crate expects.
    #[error("the engine's sources cannot be put together")]
    Source(#[from] SourceError),
}

/// Makes the source file.
///
/// # Errors
/// [`BundleError`]
pub fn bundle(contents: &Contents<'_>) -> Result<Bundle, BundleError> {
    let program = source::program(&contents.params)?;
    let mut text = program.text;
    let mut parts = vec![("program", text.len())];
    let empty = SetupBook::default().to_bytes();
    for (name, shipped) in program.files {
        let (file, width) = match (name, contents.book) {
            ("network", _) => {
                let file = contents.network.unwrap_or(shipped);
                (file, Network::from_bytes(file)?.parts().hidden)
            }
            ("book", Book::None) => (&empty[..], 1),
            ("book", Book::File(file)) => {
                let _readable = SetupBook::from_bytes(file)?;
                (file, 1)
            }
            _ => (shipped, 1),
        };
        let packed = text::constant(name, &compress(file, width as u16));
        parts.push((name, packed.len()));
        text.push_str(&packed);
    }
    text.push_str("}\n");
    let size = text.len();
    if size > LIMIT {
        let parts: Vec<String> = parts.iter().map(|(name, size)| format!("{name} {size}")).collect();
        return Err(BundleError::TooLarge { size, parts: parts.join(", ") });
    }
    Ok(Bundle { text, parts })
}
