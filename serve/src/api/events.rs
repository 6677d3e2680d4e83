//! Server-sent events: the state of runs, as it changes. Each event has an id, with which a client that lost its
//! connection continues. A client that was away for too long, or has an id of an earlier server, gets `reset`.

use super::{App, Refused};
use crate::hub::{EventKind, Since};
use axum::extract::{Path, Query, State};
use axum::http::header::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// The interval at which something is sent, so that both ends know that the connection is alive.
const ALIVE: Duration = Duration::from_secs(10);

/// The event to continue from.
#[derive(Deserialize)]
pub(super) struct After {
    /// The id of the last event that the client has seen, for clients that cannot set a header.
    after: Option<String>,
}

/// The state of a watcher.
struct Watching {
    app: App,
    run: Option<Arc<str>>,
    seen: u64,
    waiting: VecDeque<Event>,
}

/// Returns the events of all runs.
pub(super) async fn all(State(app): State<App>, Query(after): Query<After>, headers: HeaderMap) -> Response {
    watch(app, None, after, &headers)
}

/// Returns the events of one run, with all its numbers.
pub(super) async fn one(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(after): Query<After>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = Arc::clone(&app.run(&name)?.name);
    Ok(watch(app, Some(run), after, &headers))
}

fn watch(app: App, run: Option<Arc<str>>, after: After, headers: &HeaderMap) -> Response {
    let hub = &app.listing.hub;
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let newest = *hub.newest().borrow();
    let mut waiting = VecDeque::new();
    let seen = match header.or(after.after).map(|id| hub.known(&id)) {
        // A new client starts with the next event.
        None => newest,
        Some(Some(seen)) => seen,
        Some(None) => {
            waiting.push_back(reset(&hub.id_of(newest)));
            newest
        }
    };
    let events = unfold(Watching { app, run, seen, waiting }, async |mut watching| {
        let event = watching.next().await?;
        Some((Ok::<_, Infallible>(event), watching))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

fn reset(id: &str) -> Event {
    Event::default().event("reset").id(id).data("{}")
}

impl Watching {
    /// Waits for the next event; `None` when the server ends.
    async fn next(&mut self) -> Option<Event> {
        let mut newest = self.app.listing.hub.newest();
        let mut stop = self.app.stop.clone();
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            self.take_in();
            if self.waiting.is_empty() {
                let seen = self.seen;
                tokio::select! {
                    news = newest.wait_for(|newest| *newest > seen) => drop(news.ok()?),
                    _stopped = stop.wait_for(|stop| *stop) => return None,
                }
            }
        }
    }

    /// Queues the events since the last one seen.
    fn take_in(&mut self) {
        let hub = &self.app.listing.hub;
        let newest = *hub.newest().borrow();
        match hub.since(self.seen, self.run.as_deref()) {
            Since::Reset => {
                self.waiting.push_back(reset(&hub.id_of(newest)));
                self.seen = newest;
            }
            Since::Events(events) => {
                self.waiting.extend(events.into_iter().map(|event| {
                    let detail = self.run.as_ref().filter(|_| event.kind == EventKind::Run);
                    let detail = detail.and_then(|run| self.app.listing.get(run)?.to_json().ok());
                    let data = detail.unwrap_or(event.data);
                    Event::default().event(event.kind.name()).id(hub.id_of(event.id)).data(data)
                }));
            }
        }
        // Events between the two calls are sent twice, which does no harm.
        self.seen = self.seen.max(newest);
    }
}
