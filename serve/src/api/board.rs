//! A board of 0.1: what a game stands at, and what the engine thinks of it.

use super::told::Told;
use super::{App, Refused, aside, json};
use crate::board::{Effort, Line, think};
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc::unbounded_channel;

/// Where a game stands.
pub(super) async fn state(headers: HeaderMap, Told(line): Told<Line>) -> Result<Response, Refused> {
    let game = aside(move || line.follow().map_err(Refused::bad)).await?;
    Ok(json(&game.told(), &headers))
}

#[derive(Deserialize)]
pub(super) struct Question {
    game: Line,
    #[serde(default)]
    effort: Effort,
}

/// Ends a search when nobody listens any more.
struct Listens(Arc<AtomicBool>);

impl Drop for Listens {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the engine thinks: a line of JSON after each depth, the last of them with the move.
pub(super) async fn thoughts(State(app): State<App>, Told(question): Told<Question>) -> Result<Response, Refused> {
    let game = question.game.follow().map_err(Refused::bad)?;
    let busy =
        || Refused(StatusCode::SERVICE_UNAVAILABLE, "the engine thinks for others already: try again soon".to_owned());
    let place = Arc::clone(&app.thinkers).try_acquire_owned().map_err(|_none_left| busy())?;
    let (engine, budgets) = question.effort.engine().map_err(Refused::bad)?;
    // A search has some dozens of depths, so that what waits is bounded.
    let (sender, receiver) = unbounded_channel();
    let stop = Arc::new(AtomicBool::new(false));
    let listens = Listens(Arc::clone(&stop));
    tokio::task::spawn_blocking(move || {
        think(&game, engine, &budgets, &stop, &mut |found| {
            let _nobody_listens = sender.send(Bytes::from(format!("{found}\n")));
        });
        drop(place);
    });
    let lines = unfold((receiver, listens), async |(mut receiver, listens)| {
        let line = receiver.recv().await?;
        Some((Ok::<_, Infallible>(line), (receiver, listens)))
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}
