//! Fuzz targets for the untrusted input that this crate reads: one file for each target, with inputs in `tests/corpus`.

mod labelled;
mod positions;
mod weights;

use fuzz::Target;

/// Returns the target with this name.
fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}
