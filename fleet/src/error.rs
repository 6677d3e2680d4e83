//! Errors between spar and a server, with their remedies.

use session::{Blame, SessionError};
use std::path::PathBuf;

/// An error that prevents playing on other machines.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The text is not a server address.
    #[error(
        "`{url}` is not an address of a NATS server: {why}; one is written as `nats://HOST:4222`, or `tls://HOST:4222`"
    )]
    Url {
        /// The text.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// No server answers at the address.
    #[error("no NATS server answers at {url}: {why}. `spar fleet up` starts one on this machine")]
    Unreachable {
        /// The address.
        url: String,
        /// What happened instead.
        why: String,
    },
    /// The server rejects the credentials.
    #[error("the NATS server at {url} refuses {who}: {advice}")]
    Refused {
        /// The address.
        url: String,
        /// The owner of the credentials, in words.
        who: String,
        /// The remedy.
        advice: &'static str,
    },
    /// No secure connection can be made.
    #[error("no secure connection to the NATS server at {url}: {why}")]
    Tls {
        /// The address.
        url: String,
        /// The reason.
        why: String,
    },
    /// The server does not keep messages.
    #[error(
        "the NATS server at {url} has no JetStream, which keeps results: start it with `-js`, or with `jetstream {{}}` \
            in its configuration"
    )]
    NoJetStream {
        /// The address.
        url: String,
    },
    /// The server is too old.
    #[error("the NATS server at {url} is version {found}, and spar needs {} or later", OLDEST)]
    OldServer {
        /// The address.
        url: String,
        /// The server's version.
        found: String,
    },
    /// The server does not permit an action with these credentials.
    #[error(
        "the NATS server does not let {who} do this: {what}. Use the credentials that `spar fleet keys` made for it"
    )]
    NotAllowed {
        /// The owner of the credentials, in words.
        who: String,
        /// The server's message.
        what: String,
    },
    /// A credentials file cannot be used.
    #[error("the credentials {}: {why}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        why: String,
    },
    /// The server failed to do something.
    #[error("the NATS server cannot {what}: {why}")]
    Server {
        /// The action.
        what: &'static str,
        /// The reason.
        why: String,
    },
    /// The coordinator of a run rejects a request.
    #[error("run {run}: {why}")]
    Request {
        /// The run, as the user gave it.
        run: String,
        /// The reason.
        why: String,
    },
    /// An order about a worker makes no sense after the last one.
    #[error("{0}")]
    Order(String),
    /// A file cannot be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// The action.
        what: String,
        /// The reason.
        cause: std::io::Error,
    },
    /// A required program is missing.
    #[error("{0}")]
    Missing(String),
}

/// The oldest server version that is known to work.
pub(crate) const OLDEST: &str = "2.9";

impl FleetError {
    pub(crate) fn io(what: impl Into<String>, cause: std::io::Error) -> Self {
        Self::Io { what: what.into(), cause }
    }

    /// Returns who can fix the error.
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
