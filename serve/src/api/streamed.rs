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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};
    use tokio::sync::{Semaphore, oneshot};

    #[tokio::test]
    async fn work_is_stopped_when_its_answer_is_dropped_and_then_gives_its_place_back() {
        let places = Arc::new(Semaphore::new(1));
        let place = Arc::clone(&places).try_acquire_owned().expect("a place");
        let (sender, is_told) = oneshot::channel();
        let answer = streamed(place, |stop, _found| {
            let started = Instant::now();
            while !stop.load(Ordering::Relaxed) && started.elapsed() < Duration::from_mins(1) {
                std::thread::yield_now();
            }
            sender.send(stop.load(Ordering::Relaxed)).expect("a test that waits");
        });
        assert_eq!(places.available_permits(), 0);
        drop(answer);
        assert!(is_told.await.expect("an end of the work"), "nobody stops the work");
        let _place = places.acquire().await.expect("a place");
    }
}
