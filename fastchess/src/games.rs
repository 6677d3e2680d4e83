//! The files of games written during a run: in pair order, each pair when it is absorbed.

use super::request::{EpdFile, PgnFile, Request};
use crate::error::FastchessError;
use arena::config::RunConfig;
use arena::run::{
    Format, Heading, JournalError, PgnComments, StoredResult, Timings, UnnamedEpd, pair_number, pair_text,
};
use play::players::process::Introduction;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// PGN's default `Event`.
const USUAL_EVENT: &str = "Fastchess Tournament";

/// One file.
struct GameFile {
    path: PathBuf,
    format: Box<dyn Format>,
    out: BufWriter<File>,
    /// The checksum of the whole file, if requested.
    checksum: Option<crc32fast::Hasher>,
}

/// The files of one run.
pub(super) struct GameFiles<'a> {
    config: &'a RunConfig,
    heading: Heading,
    files: Vec<GameFile>,
}

impl<'a> GameFiles<'a> {
    /// Opens the files of a command line.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(super) fn open(config: &'a RunConfig, request: &Request) -> Result<Self, FastchessError> {
        let mut files = Vec::new();
        if let Some(PgnFile { path, form, append }) = &request.pgn {
            files.push(GameFile::open(path, Box::new(form.clone()), *append, request.crc)?);
        }
        if let Some(EpdFile { path, append }) = &request.epd {
            files.push(GameFile::open(path, Box::new(UnnamedEpd), *append, false)?);
        }
        let (event, site) = (request.event.clone(), request.site.clone());
        let heading = Heading { event: event.or_else(|| Some(USUAL_EVENT.to_owned())), site, engines: Vec::new() };
        Ok(Self { config, heading, files })
    }

    /// Writes a pair, with these remarks in the comments of its games, and returns the text to print. `introduced`
    /// returns the introductions of engines; it is called until all have arrived.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(super) fn write(
        &mut self,
        stored: &StoredResult,
        remarks: &PgnComments,
        introduced: impl FnOnce() -> Result<Vec<(usize, Introduction)>, JournalError>,
    ) -> Result<String, FastchessError> {
        let mut checksums = String::new();
        if !self.files.is_empty() && self.heading.engines.len() < self.config.entrants.len() {
            self.heading.engines = introduced()?;
        }
        for file in &mut self.files {
            let text = pair_text(self.config, stored, &self.heading, remarks, file.format.as_ref(), Timings::Include);
            let pair = stored.result.pair;
            let text = text.ok_or_else(|| FastchessError::Moves { pair: pair_number(pair) })?;
            let written = file.out.write_all(text.as_bytes());
            written.map_err(|cause| FastchessError::file(cannot_write(&file.path), &cause))?;
            if let Some(checksum) = &mut file.checksum {
                checksum.update(text.as_bytes());
                let (path, checksum) = (file.path.display(), checksum.clone().finalize());
                let _a_string_takes_all = writeln!(checksums, "File {path} has CRC32: {checksum:#x}");
            }
        }
        Ok(checksums)
    }

    /// Flushes the files to the system.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(super) fn flush(&mut self) -> Result<(), FastchessError> {
        let mut files = self.files.iter_mut();
        files.try_for_each(|file| {
            file.out.flush().map_err(|cause| FastchessError::file(cannot_write(&file.path), &cause))
        })
    }
}

impl GameFile {
    fn open(path: &Path, format: Box<dyn Format>, append: bool, has_checksum: bool) -> Result<Self, FastchessError> {
        let cannot_read = || format!("cannot read {}, whose checksum is wanted", path.display());
        let checksum = has_checksum.then(|| checksum_of(path, append)).transpose();
        let checksum = checksum.map_err(|cause| FastchessError::file(cannot_read(), &cause))?;
        let file = File::options().create(true).write(true).append(append).truncate(!append).open(path);
        let cannot_write = || format!("cannot write games to {}", path.display());
        let file = file.map_err(|cause| FastchessError::file(cannot_write(), &cause))?;
        Ok(Self { path: path.to_owned(), format, out: BufWriter::new(file), checksum })
    }
}

/// The checksum of the content of a file that is kept.
fn checksum_of(path: &Path, stays: bool) -> std::io::Result<crc32fast::Hasher> {
    let mut checksum = crc32fast::Hasher::new();
    if stays && path.is_file() {
        let mut reader = BufReader::new(File::open(path)?);
        loop {
            let part = reader.fill_buf()?;
            if part.is_empty() {
                break;
            }
            checksum.update(part);
            let read = part.len();
            reader.consume(read);
        }
    }
    Ok(checksum)
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write the games to {}; they are in the run's journal, too: `spar export`", path.display())
}
