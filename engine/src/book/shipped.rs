//! The book that the engine is shipped with: a file beside this one, part of the program.

use super::SetupBook;
use std::sync::{Arc, OnceLock};

pub(super) fn book() -> Arc<SetupBook> {
    static BOOK: OnceLock<Arc<SetupBook>> = OnceLock::new();
    let read = || SetupBook::from_bytes(include_bytes!("book.bin"));
    // The fallback is never used: a test reads the file.
    Arc::clone(BOOK.get_or_init(|| Arc::new(read().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::SetupBook;

    #[test]
    fn the_file_is_whole() {
        assert!(SetupBook::from_bytes(include_bytes!("book.bin")).is_ok());
    }
}
