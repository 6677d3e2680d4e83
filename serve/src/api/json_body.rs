//! Requests of clients: JSON, read within a deadline, with errors that name the place.

use super::Refused;
use crate::places::Exchange;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The deadline for a request's body.
const WITHIN: Duration = Duration::from_secs(15);
/// `access` has checked the length that it announces.
const LARGEST: usize = 256 << 10;

/// What a client sent.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Refused> {
        let exchange = request.extensions().get::<Arc<Exchange>>().map(Arc::clone);
        let bytes = read(request.into_body(), WITHIN).await?;
        if let Some(exchange) = exchange {
            exchange.on_request();
        }
        serde_json::from_slice(&bytes).map(Self).map_err(|wrong| Refused::bad(format!("this cannot be read: {wrong}")))
    }
}

/// All of a body, or that it did not come.
async fn read(body: Body, within: Duration) -> Result<Bytes, Refused> {
    let late = || Refused(StatusCode::REQUEST_TIMEOUT, "what was announced did not come".to_owned());
    timeout(within, to_bytes(body, LARGEST)).await.map_err(|_late| late())?.map_err(|_broken| late())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream::{once, pending};
    use futures_util::{StreamExt, future};
    use std::convert::Infallible;

    #[tokio::test]
    async fn who_sends_a_part_and_waits_is_not_waited_for() {
        let part = once(future::ready(Ok::<_, Infallible>(Bytes::from_static(b"{\"toml\":"))));
        let read = read(Body::from_stream(part.chain(pending())), Duration::from_millis(50)).await;
        assert_eq!(read.err().map(|refused| refused.0), Some(StatusCode::REQUEST_TIMEOUT));
    }

    #[tokio::test]
    async fn who_sends_more_than_was_announced_is_cut_off() {
        let parts = futures_util::stream::iter(std::iter::repeat_with(|| {
            Ok::<_, Infallible>(Bytes::from(vec![b' '; 1 << 12]))
        }));
        let read = read(Body::from_stream(parts), Duration::from_mins(1)).await;
        assert_eq!(read.err().map(|refused| refused.0), Some(StatusCode::REQUEST_TIMEOUT));
    }

    #[tokio::test]
    async fn what_comes_is_read() {
        let body = read(Body::from("{}"), Duration::from_mins(1)).await;
        assert_eq!(body.ok().as_deref(), Some(b"{}".as_slice()));
    }
}
