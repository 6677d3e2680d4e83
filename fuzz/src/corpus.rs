//! The inputs of a target that are stored in the repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A folder of inputs.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    folder: PathBuf,
}

/// An input and its file.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Corpus {
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// All inputs, ordered by file name.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let inputs = self.read().unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
        assert!(!inputs.is_empty(), "{}: there is no input", self.folder.display());
        inputs
    }

    fn read(&self) -> io::Result<Vec<Input>> {
        let paths = fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<BTreeSet<_>>>()?;
        paths.into_iter().map(|path| Ok(Input { bytes: fs::read(&path)?, path })).collect()
    }

    /// Adds an input unless it is there already; `why` begins the name of its file.
    pub(crate) fn add(&self, why: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.join(format!("{why}-{:08x}", hash(bytes) >> 32));
        // If the folder is not writable, the test still prints the input.
        let _unwritten = fs::write(&path, bytes);
        path
    }

    /// The file for the input that is being read, in case reading it kills the process.
    pub(crate) fn in_flight(&self) -> PathBuf {
        let place = hash(self.folder.as_os_str().as_encoded_bytes());
        std::env::temp_dir().join(format!("spar-fuzz-{place:016x}"))
    }
}

/// FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
