//! Tests of the whole program: its pages and their prose, its messages, and the identities of runs.

mod pages;
#[cfg(feature = "fastchess")]
mod pinned;
mod prose;
mod reference;
