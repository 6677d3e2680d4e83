//! The shipped weights: files beside this one, part of the program.

use super::{Network, WazirPieceSquare};
use std::sync::{Arc, OnceLock};

/// The linear model.
pub(super) fn wazir_piece_square() -> Arc<WazirPieceSquare> {
    static MODEL: OnceLock<Arc<WazirPieceSquare>> = OnceLock::new();
    let read = || WazirPieceSquare::from_bytes(include_bytes!("wps.bin"));
    // The fallback is never used: a test reads the file.
    Arc::clone(MODEL.get_or_init(|| Arc::new(read().unwrap_or_default())))
}

/// The network.
pub(super) fn network() -> Arc<Network> {
    static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
    let read = || Network::from_bytes(include_bytes!("network.bin"));
    // The fallback is never used: a test reads the file, and a bundle does not play with a network without a hash.
    Arc::clone(NETWORK.get_or_init(|| Arc::new(read().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use crate::{Network, WazirPieceSquare};

    #[test]
    fn the_files_are_whole() {
        assert!(WazirPieceSquare::from_bytes(include_bytes!("wps.bin")).is_ok());
        assert!(Network::from_bytes(include_bytes!("network.bin")).is_ok());
    }
}
