//! `spar data`: making files of positions, and looking at them. Files of positions of chess, wherever they come from,
//! are looked at here, too.

mod check;
mod chess;
mod copy;
mod export;
mod info;

pub(super) use chess::write_page;
pub(super) use export::text;

use crate::args::data::Data;
use crate::failure::{Exit, Failure};
use std::path::Path;
use trainer::data::DataError;

pub(crate) fn data(data: &Data, runs: &Path) -> Result<Exit, Failure> {
    match data {
        Data::Export(export) => export::export(export, runs),
        Data::Info(info) => info::info(info),
        Data::Check(check) => check::check(check),
        Data::Merge(merge) => copy::merge(merge),
        Data::Sample(sample) => copy::sample(sample),
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Io(error) => error.into(),
            error @ DataError::Block { .. } => Self::Environment(error.into()),
        }
    }
}
