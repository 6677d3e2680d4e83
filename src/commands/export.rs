//! `spar export`: the pairs of a run, for other programs.

use super::run_path;
use crate::args::Export;
use crate::failure::{Exit, Failure};
use arena::run::{ExportError, Format, PgnForm, RunFolder, Timings};
use session::jobs;
use std::io::BufWriter;
use std::path::Path;

pub(crate) fn export(export: &Export, runs: &Path) -> Result<Exit, Failure> {
    let journal = RunFolder::open_journal(&run_path(&export.run, runs))?;
    let timings = if export.timings { Timings::Include } else { Timings::Omit };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut experiment = jobs::experiment(&journal.header()?.config)?;
    match arena::run::export(&journal, experiment.as_mut(), &format(export), timings, &mut out) {
        Ok(_pairs) => Ok(Exit::Done),
        Err(ExportError::Run(error)) => Err(error.into()),
        Err(ExportError::Output(error)) => Err(error.into()),
        Err(error @ ExportError::UnknownRules { .. }) => Err(Failure::Usage(error.into())),
    }
}

/// The format asked for: the command line has exactly one.
fn format(export: &Export) -> Format {
    let formats = &export.format;
    match formats.epd {
        Some(of) => Format::Epd(of),
        None if formats.pgn => Format::Pgn(PgnForm { fields: export.track_fields.clone(), ..PgnForm::default() }),
        None if formats.csv => Format::Csv,
        None if formats.json => Format::Json,
        None => Format::JsonLines,
    }
}
