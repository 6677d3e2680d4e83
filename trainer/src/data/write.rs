//! Writing blocks.

use super::block::{BLOCK_RECORDS, Header, Kind, PROVENANCE_BYTES, provenance};
use super::record::Record;
use super::visits::VisitRecord;
use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Gathers records into blocks and writes each full block. The bytes depend only on the records and the provenance.
///
/// [`finish`](Self::finish) writes the gathered records; without it, they are lost.
pub struct PositionsWriter<W> {
    to: W,
    /// Records of `kind`.
    gathered: Vec<u8>,
    kind: Kind,
    written: u64,
}

impl<W: Write> PositionsWriter<W> {
    /// Makes a writer to `to` that starts with `provenance`, a JSON object that states the source of the positions.
    ///
    /// # Errors
    /// If `to` cannot be written; [`io::ErrorKind::InvalidInput`] if `provenance` is not a JSON object or is longer
    /// than 1 MiB.
    pub fn new(to: W, provenance: Option<&str>) -> io::Result<Self> {
        let gathered = Vec::with_capacity(BLOCK_RECORDS * Record::BYTES);
        let mut writer = Self { to, gathered, kind: Kind::Positions, written: 0 };
        if let Some(text) = provenance {
            writer.provenance(text)?;
        }
        Ok(writer)
    }

    /// Writes the gathered records, then the provenance of the positions that follow, a JSON object.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn provenance(&mut self, text: &str) -> io::Result<()> {
        provenance(text.as_bytes()).map_err(|fault| io::Error::new(io::ErrorKind::InvalidInput, fault))?;
        if text.len() > PROVENANCE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the provenance is longer than 1 MiB"));
        }
        self.flush_block()?;
        self.to.write_all(&Header::of(Kind::Provenance, text.as_bytes()))?;
        self.to.write_all(text.as_bytes())
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a full block cannot be written.
    pub fn push(&mut self, record: &Record) -> io::Result<()> {
        self.gather(Kind::Positions, record.as_bytes())
    }

    /// Adds a record with visit shares.
    ///
    /// # Errors
    /// If a full block cannot be written.
    pub fn push_visits(&mut self, record: &VisitRecord) -> io::Result<()> {
        self.gather(Kind::Visits, record.as_bytes())
    }

    fn gather(&mut self, kind: Kind, record: &[u8]) -> io::Result<()> {
        if self.kind != kind {
            self.flush_block()?;
            self.kind = kind;
        }
        self.gathered.extend_from_slice(record);
        self.written += 1;
        if self.gathered.len() == BLOCK_RECORDS * kind.width() { self.flush_block() } else { Ok(()) }
    }

    /// The number of records added.
    pub fn records(&self) -> u64 {
        self.written
    }

    /// Writes the remaining records and returns the underlying writer.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush_block()?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn flush_block(&mut self) -> io::Result<()> {
        if !self.gathered.is_empty() {
            self.to.write_all(&Header::of(self.kind, &self.gathered))?;
            self.to.write_all(&self.gathered)?;
            self.gathered.clear();
        }
        Ok(())
    }
}

/// Writes a temporary file and moves it to `path`: readers see the old file or the new one, never a part.
///
/// # Errors
/// Those of `write`, and I/O errors with the name of the file; the old file stays, and no temporary file is left.
pub(crate) fn replace<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let named = |cause: io::Error| io::Error::new(cause.kind(), format!("cannot write {}: {cause}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The umask applies, as for any new file.
    let everybody = Permissions::from_mode(0o666);
    let new = tempfile::Builder::new().suffix(".new").permissions(everybody).tempfile_in(folder).map_err(named)?;
    let mut out = BufWriter::with_capacity(1 << 18, new);
    let written = write(&mut out)?;
    let new = out.into_inner().map_err(|error| named(error.into_error()))?;
    new.persist(path).map_err(|refused| named(refused.error))?;
    Ok(written)
}
