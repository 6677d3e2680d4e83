//! The server's address and the credentials to connect with.
//!
//! Secrets are in files only, never on a command line, and are never printed.

use crate::error::FleetError;
use crate::names::WorkerName;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// The permissions of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Do everything.
    Operator,
    /// Have pairs played.
    Coordinator,
    /// Play pairs.
    Worker,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Operator => "operator",
            Self::Coordinator => "coordinator",
            Self::Worker => "worker",
        })
    }
}

/// A secret: it is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub(crate) fn new(secret: String) -> Self {
        Self(secret)
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The content of a credentials file, as `spar fleet keys` writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The name of the member.
    pub name: String,
    /// The role of the member.
    pub role: Role,
    /// The server's address, if it was known when the credentials were made.
    pub url: Option<String>,
    /// The seed of an NKey.
    pub seed: Secret,
    /// The certificate of the authority that signed the server's certificate, as PEM, if there is one.
    pub ca: Option<String>,
}

impl Credentials {
    /// Reads a credentials file.
    ///
    /// # Errors
    /// [`FleetError::Credentials`]; its message shows no secret.
    pub fn read(path: &Path) -> Result<Self, FleetError> {
        let refuse = |why: String| FleetError::Credentials { path: path.to_owned(), why };
        let text = std::fs::read_to_string(path).map_err(|cause| refuse(format!("cannot be read: {cause}")))?;
        // The error of toml would show the line, which may contain the seed.
        let credentials: Self = toml::from_str(&text).map_err(|error| {
            refuse(format!("are not as `spar fleet keys` writes them: {}", hushed(error.message())))
        })?;
        nkeys::KeyPair::from_seed(credentials.seed.reveal())
            .map_err(|error| refuse(format!("hold no seed of an NKey: {error}")))?;
        if let Err(why) = credentials.name.parse::<WorkerName>() {
            return Err(refuse(why));
        }
        Ok(credentials)
    }
}

/// Returns a message without words that may be secrets: the message would quote a misplaced seed.
fn hushed(message: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let pieces = message.split_inclusive(|c| !is_part(c)).map(|piece| {
        let word = piece.trim_end_matches(|c| !is_part(c));
        if word.len() < LEAST_SECRET { piece.to_owned() } else { piece.replace(word, "...") }
    });
    pieces.collect()
}

/// The least length of a secret in bytes. Seeds are longer, and no word of a message is.
const LEAST_SECRET: usize = 40;

/// A server's address and the credentials for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The server's address.
    pub url: String,
    /// The credentials; `None` for an open server.
    pub credentials: Option<Credentials>,
}

impl Access {
    /// Builds the access from a command's options. The credentials may contain the address.
    ///
    /// # Errors
    /// [`FleetError`] if the credentials cannot be read, or the server's address is missing.
    pub fn new(url: Option<String>, credentials: Option<&Path>) -> Result<Self, FleetError> {
        let credentials = credentials.map(Credentials::read).transpose()?;
        let known = credentials.as_ref().and_then(|credentials| credentials.url.clone());
        let url =
            url.or(known).ok_or_else(|| FleetError::Missing("the address of the NATS server is missing".into()))?;
        Ok(Self { url, credentials })
    }

    /// Returns the name of a connection: the name in the credentials, or `usual` and the process id.
    pub(crate) fn name(&self, usual: &str) -> String {
        let known = self.credentials.as_ref().map(|credentials| credentials.name.clone());
        known.unwrap_or_else(|| format!("{usual}-{}", std::process::id()))
    }

    /// Returns the connecting user, in words.
    pub fn who(&self) -> String {
        match &self.credentials {
            Some(credentials) => format!("{} `{}`", credentials.role, credentials.name),
            None => "somebody without credentials".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<Credentials, FleetError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("east.creds");
        std::fs::write(&path, text).unwrap();
        Credentials::read(&path)
    }

    #[test]
    fn credentials_are_read_as_they_are_written_and_never_shown() {
        let seed = nkeys::KeyPair::new_user().seed().unwrap();
        let credentials = Credentials {
            name: "east".to_owned(),
            role: Role::Worker,
            url: Some("tls://host:4222".to_owned()),
            seed: Secret::new(seed.clone()),
            ca: None,
        };
        let text = toml::to_string(&credentials).unwrap();
        assert_eq!(written(&text).unwrap(), credentials);
        assert!(!format!("{credentials:?}").contains(&seed));
        for (other, expected) in [
            (text.replace("worker", "king"), "unknown variant"),
            (text.replace(&seed, "SUAX"), "no seed of an NKey"),
            (text.replace("east", "a.b"), "is not a name of a worker"),
            (text.replace("seed =", "sed ="), "unknown field"),
            (text.replace("seed = \"", "seed = "), ""),
        ] {
            let error = written(&other).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains(&seed), "{error}");
        }
    }

    #[test]
    fn somebody_must_say_where_the_server_is() {
        assert!(Access::new(None, None).is_err());
        let access = Access::new(Some("nats://here".to_owned()), None).unwrap();
        assert_eq!(access.who(), "somebody without credentials");
    }
}
