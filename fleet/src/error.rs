//! Errors between spar and a server, with their remedies.

use session::{Blame, SessionError};
use std::path::PathBuf;

/// What is in the way of playing on other machines.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The text is not an address of a server.
    #[error(
        "`{url}` is not an address of a NATS server: {why}; one is written as `nats://HOST:4222`, or `tls://HOST:4222`"
    )]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// Nothing answers there.
    #[error("no NATS server answers at {url}: {why}. `spar fleet up` starts one on this machine")]
    Unreachable {
        /// Where.
        url: String,
        /// What happened instead.
        why: String,
    },
    /// The server rejects the credentials.
    #[error("the NATS server at {url} refuses {who}: {advice}")]
    Refused {
        /// Where.
        url: String,
        /// Whose credentials were shown, in words.
        who: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// No secure connection can be made.
    #[error("no secure connection to the NATS server at {url}: {why}")]
    Tls {
        /// Where.
        url: String,
        /// Why not.
        why: String,
    },
    /// The server does not keep messages.
    #[error(
        "the NATS server at {url} has no JetStream, which keeps results: start it with `-js`, or with `jetstream {{}}` \
            in its configuration"
    )]
    NoJetStream {
        /// Where.
        url: String,
    },
    /// The server is too old.
    #[error("the NATS server at {url} is version {found}, and spar needs {} or later", OLDEST)]
    OldServer {
        /// Where.
        url: String,
        /// Its version.
        found: String,
    },
    /// The server does not let these credentials do what has to be done.
    #[error(
        "the NATS server does not let {who} do this: {what}. Use the credentials that `spar fleet keys` made for it"
    )]
    NotAllowed {
        /// Whose credentials were shown, in words.
        who: String,
        /// What it says.
        what: String,
    },
    /// A file of credentials cannot be used.
    #[error("the credentials {}: {why}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        why: String,
    },
    /// The server cannot do what has to be done.
    #[error("the NATS server cannot {what}: {why}")]
    Server {
        /// What.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// The coordinator of a run does not do what it is asked to.
    #[error("run {run}: {why}")]
    Request {
        /// The run, as it was given.
        run: String,
        /// Why not.
        why: String,
    },
    /// An order about a worker makes no sense after the last one.
    #[error("{0}")]
    Order(String),
    /// A file cannot be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// What was tried.
        what: String,
        /// Why not.
        cause: std::io::Error,
    },
    /// A program that is needed is not there.
    #[error("{0}")]
    Missing(String),
}

/// The oldest server that is known to do.
pub(crate) const OLDEST: &str = "2.9";

impl FleetError {
    pub(crate) fn io(what: impl Into<String>, cause: std::io::Error) -> Self {
        Self::Io { what: what.into(), cause }
    }

    /// Who can fix it.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Url { .. } | Self::Credentials { .. } | Self::Request { .. } | Self::Order(_) | Self::Missing(_) => {
                Blame::User
            }
            _ => Blame::Machine,
        }
    }
}

impl From<FleetError> for SessionError {
    fn from(error: FleetError) -> Self {
        Self::Elsewhere { why: error.to_string(), blame: error.blame() }
    }
}
