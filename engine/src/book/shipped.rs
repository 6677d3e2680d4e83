//! The shipped book: a file beside this one, part of the program.

use super::{BookError, SetupBook};
use std::sync::{Arc, OnceLock};

pub(super) fn read() -> Result<SetupBook, BookError> {
    SetupBook::from_bytes(include_bytes!("book.bin"))
}

/// Returns an empty book if the file is damaged.
pub(super) fn book() -> Arc<SetupBook> {
    static BOOK: OnceLock<Arc<SetupBook>> = OnceLock::new();
    Arc::clone(BOOK.get_or_init(|| Arc::new(read().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_file_is_whole() {
        assert!(super::read().is_ok());
    }
}
