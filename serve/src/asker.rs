//! The sender of a request: the user whose token it has, and the address that it comes from.

use crate::peer::Peer;
use crate::tokens::{Person, Right, SERVER};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::num::NonZeroUsize;

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    /// The user's name; empty on a server without tokens.
    pub(crate) name: String,
    pub(crate) right: Right,
    /// The maximum number of runs that this user may have in the queue.
    pub(crate) most: Option<NonZeroUsize>,
    /// The address.
    pub(crate) from: String,
}

impl Asker {
    /// Returns the server itself as a sender.
    pub(crate) fn server() -> Self {
        Self { name: SERVER.to_owned(), right: Right::Admin, most: None, from: String::new() }
    }

    /// Whether this user has a right.
    ///
    /// # Errors
    /// The missing right, in a sentence.
    pub(crate) fn may(&self, needed: Right) -> Result<(), String> {
        if self.right >= needed {
            return Ok(());
        }
        let Self { name, right, .. } = self;
        Err(format!("this needs the right `{needed}`, and {name} has `{right}`: rights are in the server's token file"))
    }

    /// Returns the user as JSON.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "name": self.name, "right": self.right })
    }
}

impl<S: Sync> FromRequestParts<S> for Asker {
    type Rejection = Infallible;

    /// Access control has stored the user in the request. Without tokens there is none, and the sender may only look.
    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let from = parts.extensions.get::<Peer>().map_or_else(String::new, |Peer(from)| from.to_string());
        let person = parts.extensions.get::<Person>().cloned();
        let person = person.unwrap_or(Person { name: String::new(), right: Right::Look, most: None });
        let Person { name, right, most } = person;
        Ok(Self { name, right, most, from })
    }
}
