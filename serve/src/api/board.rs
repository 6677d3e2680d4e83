//! A board of 0.1: the state of a game, and the engine's search.

use super::json_body::JsonBody;
use super::streamed::streamed;
use super::{App, Refused, aside, json};
use crate::board::{Effort, Line, think};
use axum::extract::State;
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::Deserialize;

/// Returns the state of a game.
pub(super) async fn state(headers: HeaderMap, JsonBody(line): JsonBody<Line>) -> Result<Response, Refused> {
    let game = aside(move || line.follow().map_err(Refused::bad)).await?;
    Ok(json(&game.to_json(), &headers))
}

#[derive(Deserialize)]
pub(super) struct Question {
    game: Line,
    #[serde(default)]
    effort: Effort,
}

/// Returns the engine's findings: a line of JSON after each depth, the last with the move.
pub(super) async fn thoughts(
    State(app): State<App>,
    JsonBody(question): JsonBody<Question>,
) -> Result<Response, Refused> {
    let game = question.game.follow().map_err(Refused::bad)?;
    let place = app.thinker()?;
    let (engine, budgets) = question.effort.engine().map_err(Refused::bad)?;
    Ok(streamed(place, move |stop, found| think(&game, engine, &budgets, stop, &mut |one| found(one))))
}
