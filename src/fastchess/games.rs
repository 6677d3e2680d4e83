//! The files that games are written to while a run goes on: in pair order, each pair once it is absorbed.

use super::request::{PgnFile, Request};
use crate::failure::Failure;
use anyhow::Context;
use arena::config::RunConfig;
use arena::run::{EpdOf, Format, Heading, StoredResult, Timings, pair_number, pair_text};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// One file.
struct GameFile {
    path: PathBuf,
    format: Format,
    out: BufWriter<File>,
}

/// The files of one run.
pub(super) struct GameFiles<'a> {
    config: &'a RunConfig,
    heading: Heading,
    files: Vec<GameFile>,
}

impl<'a> GameFiles<'a> {
    /// Opens the files that a command line asks for.
    ///
    /// # Errors
    /// The first that cannot be written.
    pub(super) fn open(config: &'a RunConfig, request: &Request) -> Result<Self, Failure> {
        let mut files = Vec::new();
        if let Some(PgnFile { path, fields, append }) = &request.pgn {
            files.push(GameFile::open(path, Format::Pgn(fields.clone()), *append)?);
        }
        if let Some(path) = &request.epd {
            files.push(GameFile::open(path, Format::Epd(EpdOf::Final), true)?);
        }
        let heading = Heading { event: request.event.clone(), site: request.site.clone() };
        Ok(Self { config, heading, files })
    }

    /// Writes a pair.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(super) fn write(&mut self, stored: &StoredResult) -> Result<(), Failure> {
        for file in &mut self.files {
            let text = pair_text(self.config, stored, &self.heading, &file.format, Timings::Include);
            let pair = stored.result.pair;
            let text =
                text.with_context(|| format!("the moves of pair {} are no moves of the game", pair_number(pair)));
            let text = text.map_err(Failure::Environment)?;
            let written = file.out.write_all(text.as_bytes());
            written.with_context(|| cannot_write(&file.path)).map_err(Failure::Environment)?;
        }
        Ok(())
    }

    /// Hands over to the system what was written.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let mut files = self.files.iter_mut();
        files.try_for_each(|file| {
            file.out.flush().with_context(|| cannot_write(&file.path)).map_err(Failure::Environment)
        })
    }
}

impl GameFile {
    fn open(path: &Path, format: Format, append: bool) -> Result<Self, Failure> {
        let file = File::options().create(true).write(true).append(append).truncate(!append).open(path);
        let file = file.with_context(|| cannot_write(path)).map_err(Failure::Environment)?;
        Ok(Self { path: path.to_owned(), format, out: BufWriter::new(file) })
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write the games to {}; they are in the run's journal, too: `spar export`", path.display())
}
