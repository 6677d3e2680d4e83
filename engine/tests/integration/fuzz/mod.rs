//! Fuzz targets for the untrusted input that the engine reads; the inputs are in `tests/corpus`.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

mod fuzz_files;
mod fuzz_lines;

use fuzz::Target;

/// Returns the target with this name.
fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}
