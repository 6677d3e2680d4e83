//! Releases of engines against each other: what many runs of one ladder say together.

mod history;
pub(crate) mod table;

pub(crate) use history::History;
