//! Files of weights for the 0.1 engine: read whole, checked, and identified by the SHA-256 of their content.
//!
//! `engine::eval` interprets the weights, and detects damaged files. The file may change or be removed after it was
//! read: players share the weights in memory.

use crate::child::ContentHash;
use engine::{Evaluator, OtherNetwork, Policy, WeightsError};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The maximum size of a file that is read, in bytes. The largest network has well under 10 MiB; a larger file is not a
/// network.
const MOST_BYTES: u64 = 16 << 20;

/// Why a file of weights cannot be used.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The path is a folder, a pipe or a device.
    #[error("{} is not a file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than any network.
    #[error("{} is larger than any network", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The content cannot be used.
    #[error("{}: {source}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: WeightsError,
    },
}

/// The content of a file of weights when it was read.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    content: ContentHash,
    evaluator: Evaluator,
}

impl NetworkFile {
    /// Reads the file at a path.
    ///
    /// # Errors
    /// [`NetworkError`]
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        Self::of_bytes(path, &read_weights(path)?)
    }

    /// Takes these bytes as the file's content; errors name the path.
    ///
    /// # Errors
    /// [`NetworkError::Weights`]
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Result<Self, NetworkError> {
        let (content, evaluator) = parsed(path, bytes, Evaluator::from_bytes)?;
        Ok(Self { content, evaluator })
    }

    /// The hash of the content.
    pub fn content(&self) -> ContentHash {
        self.content
    }

    /// The evaluation with these weights. Clones share them.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }
}

/// The content of a file with a tree search's policy when it was read.
#[derive(Clone, Debug)]
pub struct PolicyFile {
    content: ContentHash,
    policy: Arc<Policy>,
}

impl PolicyFile {
    /// Reads the file at a path.
    ///
    /// # Errors
    /// [`NetworkError`]
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        Self::of_bytes(path, &read_weights(path)?)
    }

    /// Takes these bytes as the file's content; errors name the path.
    ///
    /// # Errors
    /// [`NetworkError::Weights`]
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Result<Self, NetworkError> {
        let (content, policy) = parsed(path, bytes, Policy::from_bytes)?;
        Ok(Self { content, policy: Arc::new(policy) })
    }

    /// The hash of the content.
    pub fn content(&self) -> ContentHash {
        self.content
    }

    /// The policy. Clones share its weights.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }
}

/// The weights that the engine in process evaluates and searches with.
#[derive(Clone, Debug)]
pub struct Weights {
    pub(crate) evaluation: Evaluator,
    pub(crate) policy: Option<Arc<Policy>>,
}

impl Weights {
    /// Combines an evaluation and a policy that fits it.
    ///
    /// # Errors
    /// [`OtherNetwork`] if the policy does not fit.
    pub fn new(evaluation: Evaluator, policy: Option<Arc<Policy>>) -> Result<Self, OtherNetwork> {
        policy.as_ref().map_or(Ok(()), |policy| policy.check_fits(&evaluation))?;
        Ok(Self { evaluation, policy })
    }

    /// The evaluation.
    pub fn evaluation(&self) -> &Evaluator {
        &self.evaluation
    }

    /// The policy, if there is one.
    pub fn policy(&self) -> Option<&Arc<Policy>> {
        self.policy.as_ref()
    }
}

/// Reads the bytes of a file of weights.
///
/// # Errors
/// [`NetworkError`] if the file cannot be read, or is larger than any network.
pub fn read_weights(path: &Path) -> Result<Vec<u8>, NetworkError> {
    let unreadable = |source| NetworkError::Unreadable { path: path.to_owned(), source };
    // Opening a pipe would wait for its other end.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(NetworkError::NoFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if read as u64 > MOST_BYTES {
        return Err(NetworkError::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

/// The hash of a file's content, and the weights in it.
fn parsed<T>(
    path: &Path,
    bytes: &[u8],
    parse: impl FnOnce(&[u8]) -> Result<T, WeightsError>,
) -> Result<(ContentHash, T), NetworkError> {
    let unreadable = |source| NetworkError::Unreadable { path: path.to_owned(), source };
    let content = ContentHash::of(bytes).map_err(unreadable)?;
    let parsed = parse(bytes).map_err(|source| NetworkError::Weights { path: path.to_owned(), source })?;
    Ok((content, parsed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EvaluationKind, WazirPieceSquare};
    use tempfile::TempDir;

    #[test]
    fn what_is_read_is_known_by_its_content() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("weights");
        let bytes = WazirPieceSquare::new(vec![3; 6360], 5).unwrap().to_bytes();
        std::fs::write(&path, &bytes).unwrap();
        let file = NetworkFile::read(&path).unwrap();
        assert_eq!(file.evaluator().kind(), EvaluationKind::WazirPieceSquare);
        assert_eq!(file.content(), ContentHash::of(&bytes[..]).unwrap());
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let folder = TempDir::new().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let error = |path: &Path| NetworkFile::read(path).unwrap_err();
        let good = WazirPieceSquare::new(vec![3; 6360], 5).unwrap().to_bytes();
        let missing = error(&folder.path().join("none"));
        assert!(matches!(missing, NetworkError::Unreadable { .. }), "{missing}");
        assert!(missing.to_string().contains("none: No such file"), "{missing}");
        assert!(matches!(error(folder.path()), NetworkError::NoFile { .. }));
        let damaged = error(&write("cut", &good[..good.len() - 1]));
        assert!(matches!(damaged, NetworkError::Weights { source: WeightsError::Damaged, .. }), "{damaged}");
        let foreign = error(&write("text", b"# a file of another kind"));
        assert!(matches!(foreign, NetworkError::Weights { source: WeightsError::Unknown, .. }), "{foreign}");
        let large = folder.path().join("large");
        File::create(&large).and_then(|file| file.set_len(MOST_BYTES + 1)).unwrap();
        assert!(matches!(error(&large), NetworkError::TooLarge { .. }));
    }
}
