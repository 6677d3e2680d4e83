//! `spar export`: exports the pairs of a run for other programs, and positions of chess games for training evaluations.

use super::{data, one_run_path, print};
use crate::args::{Export, ExportFormat};
use crate::failure::{Exit, Failure};
use arena::run::{ExportError, RunFolder, Timings};
use plan::jobs;
use plan::positions::Wanted;
use play::games::GameKind;
use play::pgn::unpacked_name;
use session::positions;
use std::io::BufWriter;
use std::path::Path;

pub(crate) fn export(export: &Export, runs: &Path) -> Result<Exit, Failure> {
    let format = match &export.format {
        ExportFormat::Positions(out) => return export_positions(export, out, runs),
        ExportFormat::Pairs(format) => format.as_ref(),
    };
    if !export.filter.is_empty() || !export.labelled.is_empty() {
        return Err(Failure::usage("these options choose positions: add `--positions FILE`"));
    }
    let journal = RunFolder::open_journal(&one_run_path(&export.run, runs)?)?;
    let timings = if export.timings { Timings::Include } else { Timings::Omit };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut experiment = jobs::experiment(&journal.header()?.config)?;
    match arena::run::export(&journal, experiment.as_mut(), format, timings, &mut out) {
        Ok(_pairs) => Ok(Exit::Done),
        Err(ExportError::Run(error)) => Err(error.into()),
        Err(ExportError::Output(error)) => Err(error.into()),
        Err(error @ ExportError::UnknownRules { .. }) => Err(Failure::Usage(error.into())),
    }
}

fn export_positions(export: &Export, out: &Path, runs: &Path) -> Result<Exit, Failure> {
    let run = one_run_path(&export.run, runs)?;
    let config = RunFolder::open_journal(&run)?.header()?.config;
    if config.game == GameKind::ZeroPointOne {
        let (run, out) = (export.run.display(), out.display());
        let other = format!("`spar data export {run} --out {out}` writes their positions");
        return Err(Failure::usage(format!("the games of {run} are of 0.1: {other}")));
    }
    let wanted = export.labelled.over(Wanted::of(&config), &export.filter, out);
    let other = match config.game {
        GameKind::Crazyhouse => "write `plain`, and leave `quiet` out",
        _ => "write `text` or `bullet`, or leave `quiet` out",
    };
    wanted.check(config.game).map_err(|why| Failure::usage(format!("{why}: {other}")))?;
    if unpacked_name(out) != out {
        let (out, name) = (out.display(), unpacked_name(out).display().to_string());
        return Err(Failure::usage(format!(
            "spar writes positions uncompressed, but `{out}` names a compressed file: write `{name}`, and compress that"
        )));
    }
    let written = positions::write(&run, &config, &wanted, out)?;
    if let (Some(page), Some(statistics)) = (&export.labelled.page, &written.chess) {
        data::write_page(page, statistics, Some(&written.counts))?;
    }
    print(data::text(&written.counts, out))?;
    Ok(Exit::Done)
}
