//! The compact file of a fit's positions, and the fingerprint that shows whether it is still valid.

use super::gather::{Gathered, Quiet};
use super::{FitError, Input, Settings};
use crate::chess::Record;
use crate::data::Run;
use arena::run::replace_file;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const POSITIONS: &str = "positions.bin";
const ORIGIN: &str = "positions.json";

/// The identity of a fit's positions: equal for equal positions.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Origin {
    version: u32,
    /// Path, size and modification time of each file, journals included, and how the file is read.
    inputs: Vec<(PathBuf, u64, SystemTime, String)>,
    most: usize,
    quiet: Quiet,
    max_score: f64,
    seed: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    origin: Origin,
    gathered: Gathered,
    checksum: u32,
}

/// The place of a fit's positions.
pub(super) struct Store<'a> {
    folder: &'a Path,
    origin: Origin,
}

impl<'a> Store<'a> {
    pub(super) fn of(folder: &'a Path, settings: &Settings, inputs: &[Input]) -> Result<Self, FitError> {
        let of_input = |input: &Input| {
            let (path, how) = match input {
                Input::File { path, reading } => (path, format!("{reading:?}")),
                Input::Run(Run { journal, pairs, filter }) => (journal, format!("{pairs} pairs, {filter:?}")),
            };
            let about = fs_err::metadata(path)?;
            Ok((path.clone(), about.len(), about.modified()?, how))
        };
        let inputs: Result<_, io::Error> = inputs.iter().map(of_input).collect();
        let Settings { positions, quiet, max_score, seed, .. } = *settings;
        let origin = Origin { version: 3, inputs: inputs?, most: positions, quiet, max_score, seed };
        Ok(Self { folder, origin })
    }

    /// Returns the stored positions if they are intact and have the same origin.
    pub(super) fn read(&self) -> Result<Option<(Vec<Record>, Gathered)>, FitError> {
        let Some(text) = found(fs_err::read(self.folder.join(ORIGIN)))? else { return Ok(None) };
        let Ok(stored) = serde_json::from_slice::<Stored>(&text) else { return Ok(None) };
        let Some(bytes) = found(fs_err::read(self.folder.join(POSITIONS)))? else { return Ok(None) };
        if stored.origin != self.origin || crc32fast::hash(&bytes) != stored.checksum {
            return Ok(None);
        }
        let records = bytes.as_chunks().0.iter().map(|bytes| Record::from_bytes(*bytes)).collect();
        Ok(Some((records, stored.gathered)))
    }

    pub(super) fn write(self, records: &[Record], gathered: &Gathered) -> Result<(), FitError> {
        let bytes: Vec<u8> = records.iter().flat_map(|record| *record.as_bytes()).collect();
        let stored = Stored { origin: self.origin, gathered: gathered.clone(), checksum: crc32fast::hash(&bytes) };
        replace_file(&self.folder.join(POSITIONS), &bytes)?;
        let text = serde_json::to_vec_pretty(&stored).map_err(io::Error::from)?;
        Ok(replace_file(&self.folder.join(ORIGIN), &text)?)
    }
}

fn found(read: io::Result<Vec<u8>>) -> Result<Option<Vec<u8>>, FitError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
