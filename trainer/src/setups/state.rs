//! The state of the work, and its checkpoint file.

use super::Identity;
use super::rounds::Round;
use super::stages::{Searched, Stage};
use arena::run::replace_file_durably;
use engine::BookError;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "checkpoint.json";

/// Why a book cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SetupsError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The checkpoint cannot be read.
    #[error("{} is not a checkpoint of a book of setups: {why}. Remove it to start over", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The checkpoint belongs to another book.
    #[error("{} belongs to a book with another budget, seed or network: name another folder, or remove it to start \
        over", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// The entries found do not make a book.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// The state of the work. It alone determines the next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) identity: Identity,
    pub(super) rounds: Vec<Round>,
    pub(super) stages: Vec<Stage>,
    /// The total time, before and after interruptions.
    pub(super) seconds: f64,
}

impl State {
    pub(super) fn begin(identity: Identity) -> Self {
        Self { identity, rounds: Vec::new(), stages: Vec::new(), seconds: 0.0 }
    }

    pub(super) fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// Reads the checkpoint in a folder, if there is one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, SetupsError> {
        let path = Self::path(folder);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let state = serde_json::from_slice(&text);
        state.map(Some).map_err(|error| SetupsError::Damaged { path, why: error.to_string() })
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), SetupsError> {
        let text = serde_json::to_vec(self).map_err(io::Error::from)?;
        Ok(replace_file_durably(&Self::path(folder), &text)?)
    }

    /// The number of nodes so far.
    pub(super) fn nodes(&self) -> u64 {
        let rounds: u64 = self.rounds.iter().map(|round| round.nodes).sum();
        rounds + self.stages.iter().map(Stage::nodes).sum::<u64>()
    }

    /// Adds searches to the last stage.
    pub(super) fn add(&mut self, searched: Vec<Searched>) {
        if let Some(stage) = self.stages.last_mut() {
            stage.searched.extend(searched);
        }
    }
}
