//! What clients send to be done: JSON, read within a deadline, with an error that says what is wrong where.

use super::Refused;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::timeout;

/// What is sent has to be there within so long.
const WITHIN: Duration = Duration::from_secs(15);
/// The door has looked at how long it says it is.
const LARGEST: usize = 256 << 10;

/// What a client sent.
pub(super) struct Told<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Told<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Refused> {
        let read = timeout(WITHIN, to_bytes(request.into_body(), LARGEST)).await;
        let late = || Refused(StatusCode::REQUEST_TIMEOUT, "what was announced did not come".to_owned());
        let bytes = read.map_err(|_late| late())?.map_err(|_broken| late())?;
        serde_json::from_slice(&bytes).map(Self).map_err(|wrong| Refused::bad(format!("this cannot be read: {wrong}")))
    }
}
