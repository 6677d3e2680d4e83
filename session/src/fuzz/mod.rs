//! Fuzz targets for the untrusted input of this crate: one file for each target, inputs in `tests/corpus`.

mod damage;
mod journal;
mod params;

use fuzz::Target;

/// Returns the target of this name.
fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}
