//! The bodies of requests: JSON, read within a deadline, with errors that name the place.

use super::Refused;
use crate::places::Exchange;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The deadline for a request's body.
const WITHIN: Duration = Duration::from_secs(15);
/// The maximum size of a body in bytes.
const LARGEST: usize = 256 << 10;

/// The parsed body of a request.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Refused> {
        if let Some((status, why)) = refusal_to_read(request.headers()) {
            return Err(Refused(status, why.to_owned()));
        }
        let exchange = request.extensions().get::<Arc<Exchange>>().map(Arc::clone);
        let bytes = read(request.into_body(), WITHIN).await?;
        if let Some(exchange) = exchange {
            exchange.on_request();
        }
        serde_json::from_slice(&bytes).map(Self).map_err(|wrong| Refused::bad(format!("this cannot be read: {wrong}")))
    }
}

/// Returns why a body is not read. A page of another site can send a form's content types without a preflight request,
/// but not JSON.
fn refusal_to_read(headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Some((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "what is sent has to be JSON: Content-Type: application/json",
        ));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    match length.and_then(|length| length.parse::<usize>().ok()) {
        None => Some((StatusCode::LENGTH_REQUIRED, "Content-Length required")),
        Some(LARGEST..) => Some((StatusCode::PAYLOAD_TOO_LARGE, "that is more than can be sent here: 256 KiB")),
        Some(_) => None,
    }
}

/// Reads the whole body, or returns that it did not arrive.
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

    #[test]
    fn what_is_not_json_of_a_known_length_is_not_read() {
        let refused = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, header::HeaderValue::from_static(value));
            }
            refusal_to_read(&headers).map(|(status, _why)| status.as_u16())
        };
        let json = ("content-type", "application/json; charset=utf-8");
        assert_eq!(refused(&[json, ("content-length", "2")]), None);
        assert_eq!(refused(&[("content-type", "text/plain"), ("content-length", "2")]), Some(415));
        assert_eq!(refused(&[("content-length", "2")]), Some(415));
        assert_eq!(refused(&[json]), Some(411));
        for (length, status) in [("x", 411), ("-1", 411), ("262144", 413), ("99999999999999999999", 411)] {
            assert_eq!(refused(&[json, ("content-length", length)]), Some(status), "{length}");
        }
    }

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
