//! The settings of a server, and the errors before it listens.

use crate::control::Leave;
use crate::workers::Workers;
use reports::plots::PngRenderer;
use sha2::{Digest, Sha256};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Fewer characters are too easily guessed.
const LEAST_TOKEN: usize = 16;

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Every host in the network could read the runs.
    #[error(
        "{listen} can be reached from other machines, and there is no token: give one with --token-file FILE, or \
            listen on \
         127.0.0.1 and reach it through `ssh -L`"
    )]
    Open {
        /// The address.
        listen: SocketAddr,
    },
    /// Every page that this machine's browsers show could start runs, which start programs.
    #[error(
        "runs are started and steered with a token alone: give one with --token-file FILE, e.g. \
         `(umask 077; openssl rand -hex 16 > token)`"
    )]
    Uncontrolled,
    /// The token's file cannot be read.
    #[error("cannot read the token in {path}: {cause}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The token is too short.
    #[error(
        "the token in {path} is too short: {LEAST_TOKEN} characters or more on one line, e.g. from `openssl rand -hex \
        16`"
    )]
    Short {
        /// The file.
        path: PathBuf,
    },
    /// Others can read the token.
    #[error("others can read the token in {path}: chmod 600 {path}")]
    Shared {
        /// The file.
        path: PathBuf,
    },
}

/// What must be known to read runs. Only its hash is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// This word.
    pub fn new(word: &str) -> Self {
        Self(Sha256::digest(word.as_bytes()).into())
    }

    /// The token in a file that only the owner can read.
    ///
    /// # Errors
    /// [`SettingsError`] if it cannot be read, is too short or others can read it.
    pub fn read(path: &Path) -> Result<Self, SettingsError> {
        let unreadable = |cause| SettingsError::Unreadable { path: path.to_owned(), cause };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        if is_shared(path).map_err(unreadable)? {
            return Err(SettingsError::Shared { path: path.to_owned() });
        }
        let word = text.trim();
        if word.len() < LEAST_TOKEN || word.contains(char::is_whitespace) {
            return Err(SettingsError::Short { path: path.to_owned() });
        }
        Ok(Self::new(word))
    }

    /// Whether this is the word. Takes as long whatever is wrong with it: hashes are compared, all of them.
    pub(crate) fn admits(&self, word: &str) -> bool {
        let given = Self::new(word);
        self.0.iter().zip(given.0).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

fn is_shared(path: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// What a client may take of the server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time; further ones take the places of silent ones, or are closed as they come.
    pub connections: usize,
    /// Connections of one address that have not asked for anything yet, or have their answer.
    pub silent_each: usize,
    /// The deadline for the head of a request, and for the next one of a connection.
    pub head_within: Duration,
    /// The deadline for the peer to read something.
    pub taken_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            silent_each: 64,
            head_within: Duration::from_secs(5),
            taken_within: Duration::from_mins(2),
        }
    }
}

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the runs; one that is not there holds none.
    pub runs: PathBuf,
    /// Where to listen; port 0 is any that is free.
    pub listen: SocketAddr,
    /// Names that the server may be called by in browsers, beside addresses and `localhost`.
    pub hosts: Vec<String>,
    /// What must be known to read runs; nothing if there is none.
    pub token: Option<Token>,
    /// Permission to start and control runs, for clients with the token; without it the server only shows.
    pub control: Option<Leave>,
    /// A command for `sh` that is run when a run has ended: `SPAR_RUN`, `SPAR_VERDICT` and `SPAR_SAYS` tell of it, and
    /// the run's row as JSON on standard input.
    pub notify: Option<String>,
    /// The workers of a fleet, to be shown beside the runs.
    pub workers: Option<Workers>,
    /// Draws the plots of reports as PNG; without it a report has none.
    pub png: Option<PngRenderer>,
    /// What a client may take of it.
    pub limits: Limits,
}

impl Settings {
    /// The runs in a folder, for this machine alone.
    pub fn local(runs: &Path) -> Self {
        Self {
            runs: runs.to_owned(),
            listen: ([127, 0, 0, 1], 8099).into(),
            hosts: Vec::new(),
            token: None,
            control: None,
            notify: None,
            workers: None,
            png: None,
            limits: Limits::default(),
        }
    }

    /// # Errors
    /// [`SettingsError::Open`] if others could read the runs without a token, [`SettingsError::Uncontrolled`] if they
    /// could start some.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if self.control.is_some() && self.token.is_none() {
            return Err(SettingsError::Uncontrolled);
        }
        let is_open = !self.listen.ip().is_loopback() && self.token.is_none();
        if is_open { Err(SettingsError::Open { listen: self.listen }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_admits_itself_alone() {
        let token = Token::new("correct horse battery");
        assert!(token.admits("correct horse battery"));
        for word in ["", "correct horse batterz", "correct horse batter", "correct horse battery "] {
            assert!(!token.admits(word), "{word:?}");
        }
    }
}
