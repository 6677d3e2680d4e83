//! The settings of a server, and the errors before it listens.

use crate::control::Leave;
use crate::tokens::Tokens;
use crate::webhook::Webhook;
use crate::workers::Workers;
use reports::plots::PngRenderer;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// Any page in a browser on this machine could start runs, which start programs.
    #[error(
        "starting and steering runs needs a token: give one with --token-file FILE, e.g. \
         `(umask 077; openssl rand -hex 16 > token)`"
    )]
    Uncontrolled,
    /// The token file cannot be read.
    #[error("cannot read the token in {path}: {cause}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The token is too short.
    #[error("the token in {path} is too short: 16 characters or more on one line, e.g. from `openssl rand -hex 16`")]
    Short {
        /// The file.
        path: PathBuf,
    },
    /// Other users can read the token.
    #[error("others can read the token in {path}: chmod 600 {path}")]
    Shared {
        /// The file.
        path: PathBuf,
    },
    /// A line of the token file cannot be used.
    #[error("{path}, line {line}: {why}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// The reason, in a sentence.
        why: String,
    },
    /// The token file has no line.
    #[error("there is no token in {path}: `spar serve --token-file {path} --new-token NAME:RIGHT` adds one")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A client's token file has several words.
    #[error("{path} is not one token: give a file with your own token alone, and not the server's list of people")]
    Several {
        /// The file.
        path: PathBuf,
    },
    /// A person cannot be added to a file of one token.
    #[error(
        "{path} has a single token, which has all rights: choose another file, or write it as a line \
         `NAME admin sha256:HASH`"
    )]
    Alone {
        /// The file.
        path: PathBuf,
    },
    /// A person cannot be added to the token file.
    #[error("cannot add a token to {path}: {why}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason, in a sentence.
        why: String,
    },
    /// The token file cannot be written.
    #[error("cannot add a token to {path}: {cause}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// A webhook cannot be used.
    #[error("{0}")]
    Webhook(String),
}

impl SettingsError {
    /// Whether the token file has no line, or is not there.
    pub(crate) fn is_no_token(&self) -> bool {
        match self {
            Self::Empty { .. } => true,
            Self::Unreadable { cause, .. } => cause.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

/// The limits for clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of connections at a time; further ones take the places of silent ones, or are closed at once.
    pub connections: usize,
    /// The maximum number of silent connections of one address: those that have not sent a request yet, or have their
    /// answer.
    pub silent_each: usize,
    /// The deadline for the head of a request, and for the next request of a connection.
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
    /// The folder of the runs; a missing folder holds none.
    pub runs: PathBuf,
    /// The address to listen on; port 0 means any free port.
    pub listen: SocketAddr,
    /// The host names that browsers may use for the server, besides addresses and `localhost`.
    pub hosts: Vec<String>,
    /// The users that are let in; `None` lets in everyone on this machine.
    pub tokens: Option<Tokens>,
    /// Permission to start and control runs, for users with the right; without it the server is read-only.
    pub control: Option<Leave>,
    /// A command for `sh` that is executed when a run has ended: it gets `SPAR_RUN`, `SPAR_VERDICT` and `SPAR_SAYS`,
    /// and the run's row as JSON on standard input.
    pub notify: Option<String>,
    /// The address to which the ends of runs are posted, with a signature.
    pub webhook: Option<Webhook>,
    /// The workers of a fleet, to show beside the runs.
    pub workers: Option<Workers>,
    /// Draws the plots of reports as PNG; without it a report has none.
    pub png: Option<PngRenderer>,
    /// The limits for clients.
    pub limits: Limits,
}

impl Settings {
    /// Returns the default settings for a folder of runs, reachable from this machine only.
    pub fn local(runs: &Path) -> Self {
        Self {
            runs: runs.to_owned(),
            listen: ([127, 0, 0, 1], 8099).into(),
            hosts: Vec::new(),
            tokens: None,
            control: None,
            notify: None,
            webhook: None,
            workers: None,
            png: None,
            limits: Limits::default(),
        }
    }

    /// # Errors
    /// [`SettingsError::Open`] if other machines could read the runs without a token, [`SettingsError::Uncontrolled`]
    /// if they could start runs.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if self.control.is_some() && self.tokens.is_none() {
            return Err(SettingsError::Uncontrolled);
        }
        let is_open = !self.listen.ip().is_loopback() && self.tokens.is_none();
        if is_open { Err(SettingsError::Open { listen: self.listen }) } else { Ok(()) }
    }
}
