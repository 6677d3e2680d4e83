//! Tests of the whole program: its pages and their prose, what it says of itself, and the identities of runs.

mod pages;
#[cfg(feature = "fastchess")]
mod pinned;
mod prose;
mod reference;
