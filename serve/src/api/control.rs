//! Starts and controls runs, for users with a token. A refusal is answered with its reason; actions are logged.

use super::json_body::JsonBody;
use super::{App, Refused, aside, json};
use crate::asker::Asker;
use crate::control::{Asked, Control, Kind, Order, Refusal, Wrong};
use crate::tokens::Right;
use crate::workers::WorkerOrder;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The maximum number of log entries in an answer.
const MOST_DONE: usize = 500;
/// The maximum length of a key in characters.
const LONGEST_KEY: usize = 100;

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal {
            Refusal::Now(_) => StatusCode::CONFLICT,
            Refusal::Missing(_) => StatusCode::NOT_FOUND,
            Refusal::Bad(_) => StatusCode::BAD_REQUEST,
            Refusal::Right(_) => StatusCode::FORBIDDEN,
            Refusal::Away(_) => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Storage(_) => StatusCode::INSUFFICIENT_STORAGE,
        };
        Self(status, refusal.to_string())
    }
}

impl App {
    /// Returns the control of runs, if the user has the right.
    pub(super) fn control(&self, by: &Asker, needed: Right) -> Result<Arc<Control>, Refused> {
        let read_only =
            "this server only shows: `spar serve --control --token-file FILE` is one that starts and steers runs";
        let forbidden = |why: String| Refused(StatusCode::FORBIDDEN, why);
        let control = self.control.clone().ok_or_else(|| forbidden(read_only.to_owned()))?;
        by.may(needed).map_err(forbidden)?;
        Ok(control)
    }
}

/// Returns the playing run and the queue.
pub(super) async fn state(State(app): State<App>, by: Asker, headers: HeaderMap) -> Response {
    let value = app.control.as_ref().map_or_else(|| json!({ "control": false }), |control| seen_by(&by, control));
    json(&value, &headers)
}

/// Returns the state of the control, with the user.
fn seen_by(by: &Asker, control: &Control) -> Value {
    let mut value = control.to_json();
    value["you"] = by.to_json();
    value
}

/// Returns the schema of configurations.
pub(super) async fn schema(headers: HeaderMap) -> Result<Response, Refused> {
    let schema = serde_json::to_value(plan::schema()).map_err(Refused::unreadable)?;
    Ok(json(&json!({ "keys": schema }), &headers))
}

#[derive(Deserialize)]
pub(super) struct Many {
    count: Option<usize>,
}

/// Returns the last actions, the newest first.
pub(super) async fn done(
    State(app): State<App>,
    by: Asker,
    Query(Many { count }): Query<Many>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let control = app.control(&by, Right::Look)?;
    let most = count.unwrap_or(100).min(MOST_DONE);
    let done = aside(move || control.done(&by, most).map_err(Refused::unreadable)).await?;
    Ok(json(&json!({ "done": done }), &headers))
}

/// Returns a configuration that was started, by its hash in the log.
pub(super) async fn started_text(
    State(app): State<App>,
    by: Asker,
    Path(hash): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let control = app.control(&by, Right::Admin)?;
    let missing = "the log has no configuration with this SHA-256, or not any more";
    let toml = aside(move || control.text(&hash).ok_or_else(|| Refused::missing(missing))).await?;
    Ok(json(&json!({ "toml": toml }), &headers))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    toml: String,
}

/// Returns the content of a configuration as JSON, for a form, including invalid keys and values. Text that is not TOML
/// is refused with the place of the error.
pub(super) async fn read(
    State(app): State<App>,
    by: Asker,
    headers: HeaderMap,
    JsonBody(text): JsonBody<Text>,
) -> Result<Response, Refused> {
    let _may_start_runs = app.control(&by, Right::Start)?;
    let read = aside(move || Ok(crate::control::document(&text.toml))).await?;
    Ok(read.map_or_else(|wrong| refused(&wrong), |value| json(&json!({ "document": value }), &headers)))
}

/// Returns what a configuration asks for, or its error with the place.
pub(super) async fn check(
    State(app): State<App>,
    by: Asker,
    headers: HeaderMap,
    JsonBody(text): JsonBody<Text>,
) -> Result<Response, Refused> {
    let control = app.control(&by, Right::Start)?;
    let checked = aside(move || Ok(control.check(&text.toml))).await?;
    Ok(checked.map_or_else(|wrong| refused(&wrong), |(value, _)| json(&value, &headers)))
}

/// Returns the answer to an invalid configuration.
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
    /// A request whose key is known does nothing.
    key: Option<String>,
}

/// Adds a new run to the queue.
pub(super) async fn start(
    State(app): State<App>,
    by: Asker,
    headers: HeaderMap,
    JsonBody(start): JsonBody<Start>,
) -> Result<Response, Refused> {
    let control = app.control(&by, Right::Start)?;
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
        let id = control.add(&by, asked, start.priority, start.key.as_deref())?;
        Ok(json(&json!({ "id": id, "run": value }), &headers))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hold {
    hold: bool,
}

/// Holds or releases the queue: while it is held, no run begins.
pub(super) async fn hold(
    State(app): State<App>,
    by: Asker,
    headers: HeaderMap,
    JsonBody(Hold { hold }): JsonBody<Hold>,
) -> Result<Response, Refused> {
    act(&app, by, Right::Steer, headers, move |control, by| control.hold(by, hold)).await
}

/// A change of a waiting entry.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Change {
    /// Removes it from the queue.
    Withdraw,
    /// Sets its priority.
    Priority { to: i32 },
    /// Moves it before this entry, or to the end.
    Move {
        #[serde(default)]
        before: Option<u64>,
    },
}

/// Changes a waiting entry.
pub(super) async fn change(
    State(app): State<App>,
    by: Asker,
    Path(id): Path<u64>,
    headers: HeaderMap,
    JsonBody(change): JsonBody<Change>,
) -> Result<Response, Refused> {
    let needed = match change {
        // Withdrawing the entry of another user needs a higher right.
        Change::Withdraw => Right::Start,
        Change::Priority { .. } | Change::Move { .. } => Right::Steer,
    };
    act(&app, by, needed, headers, move |control, by| match change {
        Change::Withdraw => control.withdraw(by, id),
        Change::Priority { to } => control.prefer(by, id, to),
        Change::Move { before } => control.advance(by, id, before),
    })
    .await
}

/// Gives an order to a run.
pub(super) async fn order(
    State(app): State<App>,
    by: Asker,
    Path(name): Path<String>,
    headers: HeaderMap,
    JsonBody(order): JsonBody<Order>,
) -> Result<Response, Refused> {
    act(&app, by, Right::Steer, headers, move |control, by| control.order(by, &name, &order)).await
}

/// Gives an order to a worker of the fleet.
pub(super) async fn worker(
    State(app): State<App>,
    by: Asker,
    Path(name): Path<String>,
    headers: HeaderMap,
    JsonBody(order): JsonBody<WorkerOrder>,
) -> Result<Response, Refused> {
    let (control, listing) = (app.control(&by, Right::Steer)?, Arc::clone(&app.listing));
    let crew = app.crew.clone().ok_or_else(|| Refused::missing("this server shows no fleet: start it with --fleet"))?;
    let value = aside(move || {
        let did = crew.steer(&listing, &by.name, &name, order)?;
        control.note(&by, &did)?;
        Ok(crew.to_json())
    })
    .await?;
    Ok(json(&value, &headers))
}

/// Performs an action that needs a right, and returns the state after it.
async fn act(
    app: &App,
    by: Asker,
    needed: Right,
    headers: HeaderMap,
    act: impl FnOnce(&Control, &Asker) -> Result<(), Refusal> + Send + 'static,
) -> Result<Response, Refused> {
    let control = app.control(&by, needed)?;
    let value = aside(move || {
        act(&control, &by)?;
        Ok(seen_by(&by, &control))
    })
    .await?;
    Ok(json(&value, &headers))
}
