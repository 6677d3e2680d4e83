//! `spar data`: makes and inspects files of positions, including files of chess positions of any origin.

mod check;
mod chess;
mod copy;
mod export;
mod info;

pub(super) use chess::write_page;
pub(super) use export::text;

use crate::args::data::Data;
use crate::failure::{Exit, Failure};
use reports::plots::Bars;
use std::path::Path;
use trainer::data::DataError;

/// Bars of positions, one for each number from 0.
fn panel<'a>(title: &'a str, x_label: &'a str, counts: &[u64]) -> Bars<'a> {
    let counts = counts.iter().map(|count| vec![*count]).collect();
    Bars { title, x_label, y_label: "positions", low: -0.5, width: 1.0, counts, names: Vec::new() }
}

/// Bars of positions by the result of their games.
fn results<'a>(title: &'a str, counts: &[u64]) -> Bars<'a> {
    Bars { names: ["lost", "drawn", "won"].map(str::to_owned).to_vec(), ..panel(title, "", counts) }
}

/// Bars of positions by score, from `low` in steps of `width`. Each bin has a count and a mean result, which divides
/// the bar into points won and lost.
fn by_score(x_label: &str, low: f64, width: f64, bins: impl Iterator<Item = (u64, f64)>) -> Bars<'_> {
    let part = |positions: u64, share: f64| (positions as f64 * share).round() as u64;
    let counts = bins.map(|(positions, result)| vec![part(positions, result), part(positions, 1.0 - result)]).collect();
    Bars { low, width, counts, ..panel("", x_label, &[]) }
}

/// The mean of numbers that are counted from 0.
fn mean(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>().max(1) as f64;
    counts.iter().enumerate().map(|(value, count)| value as f64 * *count as f64).sum::<f64>() / total
}

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
