//! What this crate reads from strangers, on inputs that are changed at random: one file for each target, inputs in
//! `tests/corpus`.

mod labelled;
mod positions;
mod weights;

use fuzz::Target;

/// The target of this name.
fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}
