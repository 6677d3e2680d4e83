//! Books of setups as sessions have them: what stands in the folder of one.

use crate::error::SessionError;
use arena::run::replace_file;
use std::path::{Path, PathBuf};
use trainer::setups::Made;

/// The configuration, as it was read, in the folder of a book.
const CONFIG: &str = "config.toml";
/// The book itself, in the same folder.
const BOOK: &str = "book.bin";

/// The file of a book that is made in a folder.
pub fn file(out: &Path) -> PathBuf {
    out.join(BOOK)
}

/// Writes the configuration `text` and the book into its folder.
///
/// # Errors
/// [`SessionError`] if one of them cannot be written.
pub fn keep(out: &Path, text: &str, made: &Made) -> Result<(), SessionError> {
    let io = |cause| SessionError::io("cannot keep the book", cause);
    replace_file(&out.join(CONFIG), text.as_bytes()).map_err(io)?;
    replace_file(&file(out), &made.book.to_bytes()).map_err(io)
}
