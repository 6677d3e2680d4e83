//! `spar data`: making files of positions, and looking at them.

mod export;

pub(super) use export::{text, usual_place, write};

use crate::args::data::Data;
use crate::failure::{Exit, Failure};
use std::path::Path;

pub(crate) fn data(data: &Data, runs: &Path) -> Result<Exit, Failure> {
    match data {
        Data::Export(export) => export::export(export, runs),
    }
}
