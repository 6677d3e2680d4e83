//! Starting and controlling runs, for users with the token. A refusal is answered with its reason; actions are in the
//! log.

use super::json_body::JsonBody;
use super::{App, Refused, aside, json};
use crate::control::{Asked, Control, Kind, Order, Refusal, Wrong};
use crate::peer::Peer;
use crate::workers::WorkerOrder;
use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// The maximum of log entries in one answer.
const MOST_DONE: usize = 500;
/// Characters of a key.
const LONGEST_KEY: usize = 100;

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal {
            Refusal::Now(_) => StatusCode::CONFLICT,
            Refusal::Missing(_) => StatusCode::NOT_FOUND,
            Refusal::Bad(_) => StatusCode::BAD_REQUEST,
            Refusal::Away(_) => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Storage(_) => StatusCode::INSUFFICIENT_STORAGE,
        };
        Self(status, refusal.to_string())
    }
}

impl App {
    pub(super) fn control(&self) -> Result<Arc<Control>, Refused> {
        let read_only =
            "this server only shows: `spar serve --control --token-file FILE` is one that starts and steers runs";
        self.control.clone().ok_or_else(|| Refused(StatusCode::FORBIDDEN, read_only.to_owned()))
    }
}

/// The playing run and the queue.
pub(super) async fn state(State(app): State<App>, headers: HeaderMap) -> Response {
    let value = app.control.as_ref().map_or_else(|| json!({ "control": false }), |control| control.to_json());
    json(&value, &headers)
}

/// All that a configuration can say.
pub(super) async fn schema(headers: HeaderMap) -> Result<Response, Refused> {
    let schema = serde_json::to_value(plan::schema()).map_err(Refused::unreadable)?;
    Ok(json(&json!({ "keys": schema }), &headers))
}

#[derive(Deserialize)]
pub(super) struct Many {
    count: Option<usize>,
}

/// What was done, the newest first.
pub(super) async fn done(
    State(app): State<App>,
    Query(Many { count }): Query<Many>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let control = app.control()?;
    let most = count.unwrap_or(100).min(MOST_DONE);
    let done = aside(move || control.done(most).map_err(Refused::unreadable)).await?;
    Ok(json(&json!({ "done": done }), &headers))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    toml: String,
}

/// What a configuration asks for, or its error with the place.
pub(super) async fn check(
    State(app): State<App>,
    headers: HeaderMap,
    JsonBody(text): JsonBody<Text>,
) -> Result<Response, Refused> {
    let control = app.control()?;
    let checked = aside(move || Ok(control.check(&text.toml))).await?;
    Ok(checked.map_or_else(|wrong| refused(&wrong), |(value, _)| json(&value, &headers)))
}

/// The answer to a configuration that cannot be used.
fn refused(wrong: &Wrong) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, kind, wrong.to_json().to_string()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    toml: String,
    #[serde(default)]
    priority: i32,
    /// A request with a known key does nothing again.
    key: Option<String>,
}

/// Puts a new run into the queue.
pub(super) async fn start(
    State(app): State<App>,
    Extension(Peer(from)): Extension<Peer>,
    headers: HeaderMap,
    JsonBody(start): JsonBody<Start>,
) -> Result<Response, Refused> {
    let control = app.control()?;
    if start.key.as_ref().is_some_and(|key| key.len() > LONGEST_KEY) {
        return Err(Refused::bad("the key is too long"));
    }
    aside(move || {
        let (value, is_job) = match control.check(&start.toml) {
            Ok(checked) => checked,
            Err(wrong) => return Ok(refused(&wrong)),
        };
        let name = value["name"].as_str().unwrap_or_default().to_owned();
        let asked = Asked { kind: Kind::Start { name, toml: start.toml }, is_job };
        let id = control.add(&from.to_string(), asked, start.priority, start.key.as_deref())?;
        Ok(json(&json!({ "id": id, "run": value }), &headers))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hold {
    hold: bool,
}

/// Has nothing further begin, or again.
pub(super) async fn hold(
    State(app): State<App>,
    Extension(Peer(from)): Extension<Peer>,
    headers: HeaderMap,
    JsonBody(Hold { hold }): JsonBody<Hold>,
) -> Result<Response, Refused> {
    act(&app, headers, move |control| control.hold(&from.to_string(), hold)).await
}

/// What is done to something that waits.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Change {
    /// It is taken out of the queue.
    Withdraw,
    /// Its priority is this.
    Priority { to: i32 },
    /// It comes before this one, or last.
    Move {
        #[serde(default)]
        before: Option<u64>,
    },
}

/// Changes something that waits.
pub(super) async fn change(
    State(app): State<App>,
    Extension(Peer(from)): Extension<Peer>,
    Path(id): Path<u64>,
    headers: HeaderMap,
    JsonBody(change): JsonBody<Change>,
) -> Result<Response, Refused> {
    let from = from.to_string();
    act(&app, headers, move |control| match change {
        Change::Withdraw => control.withdraw(&from, id),
        Change::Priority { to } => control.prefer(&from, id, to),
        Change::Move { before } => control.advance(&from, id, before),
    })
    .await
}

/// Does something to a run.
pub(super) async fn order(
    State(app): State<App>,
    Extension(Peer(from)): Extension<Peer>,
    Path(name): Path<String>,
    headers: HeaderMap,
    JsonBody(order): JsonBody<Order>,
) -> Result<Response, Refused> {
    act(&app, headers, move |control| control.order(&from.to_string(), &name, &order)).await
}

/// Does something to a worker of the fleet.
pub(super) async fn worker(
    State(app): State<App>,
    Extension(Peer(from)): Extension<Peer>,
    Path(name): Path<String>,
    headers: HeaderMap,
    JsonBody(order): JsonBody<WorkerOrder>,
) -> Result<Response, Refused> {
    let (control, listing, from) = (app.control()?, Arc::clone(&app.listing), from.to_string());
    let crew = app.crew.clone().ok_or_else(|| Refused::missing("this server shows no fleet: start it with --fleet"))?;
    let value = aside(move || {
        let did = crew.steer(&listing, &from, &name, order)?;
        control.note(&from, &did)?;
        Ok(crew.to_json())
    })
    .await?;
    Ok(json(&value, &headers))
}

/// Does something, and tells how things stand then.
async fn act(
    app: &App,
    headers: HeaderMap,
    act: impl FnOnce(&Control) -> Result<(), Refusal> + Send + 'static,
) -> Result<Response, Refused> {
    let control = app.control()?;
    let value = aside(move || {
        act(&control)?;
        Ok(control.to_json())
    })
    .await?;
    Ok(json(&value, &headers))
}
