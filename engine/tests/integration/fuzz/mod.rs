//! What the engine reads from strangers, on inputs that are changed at random; inputs are in `tests/corpus`.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

mod fuzz_files;
mod fuzz_lines;

use fuzz::Target;

/// The target of this name.
fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}
