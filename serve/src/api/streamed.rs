//! Streamed answers: a line of JSON for each finding, until the client disconnects.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::unbounded_channel;

/// Receives the findings.
pub(super) type Found = Arc<dyn Fn(Value) + Send + Sync>;

/// Stops the work when the client has disconnected.
struct Listens(Arc<AtomicBool>);

impl Drop for Listens {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does `work` on a thread that may block, and sends its findings. The work ends by itself, or soon after its flag is
/// set. It finds so little that all of it may wait for a slow client. Holds `place` until the work ends.
pub(super) fn streamed(
    place: OwnedSemaphorePermit,
    work: impl FnOnce(&AtomicBool, Found) + Send + 'static,
) -> Response {
    let (sender, receiver) = unbounded_channel();
    let stop = Arc::new(AtomicBool::new(false));
    let listens = Listens(Arc::clone(&stop));
    tokio::task::spawn_blocking(move || {
        let found = move |found: Value| {
            let _nobody_listens = sender.send(Bytes::from(format!("{found}\n")));
        };
        work(&stop, Arc::new(found));
        drop(place);
    });
    let lines = unfold((receiver, listens), async |(mut receiver, listens)| {
        let line = receiver.recv().await?;
        Some((Ok::<_, Infallible>(line), (receiver, listens)))
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}
