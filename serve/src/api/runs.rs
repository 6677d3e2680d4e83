//! Runs: the list of all, and the numbers, series and parts of the report of one.

use super::{App, Refused, aside, json, text};
use crate::known::Known;
use axum::extract::{Path, Query, State};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

/// The maximum number of entries from browsers in a run's log.
const MOST_DONE: usize = 200;

/// Returns all runs, with the id of the event after which to continue.
pub(super) async fn list(State(app): State<App>, headers: HeaderMap) -> Response {
    // The id is read before the rows: an event that is sent twice does no harm.
    let id = json!(app.listing.hub.id());
    let rows: Vec<_> = app.listing.all().iter().filter_map(|run| run.row()).collect();
    let rows: Vec<&str> = rows.iter().map(AsRef::as_ref).collect();
    text(format!("{{\"id\":{id},\"runs\":[{}]}}", rows.join(",")), &headers)
}

/// Returns all numbers of a run.
pub(super) async fn one(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let (run, id) = (app.run(&name)?, app.listing.hub.id());
    let mut detail = aside(move || run.detail().map_err(Refused::unreadable)).await?;
    detail["id"] = json!(id);
    Ok(json(&detail, &headers))
}

/// Returns the course of a run.
pub(super) async fn series(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    Ok(json(&aside(move || run.series().map_err(Refused::unreadable)).await?, &headers))
}

/// The requested parts of a report.
#[derive(Deserialize)]
pub(super) struct Parts {
    /// All parts if not given.
    of: Option<PartsOf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum PartsOf {
    /// The conditions, which need no games.
    Conditions,
    /// All other parts.
    Report,
}

/// Returns parts of a run's report as HTML.
pub(super) async fn sections(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(Parts { of }): Query<Parts>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    if matches!(of, Some(PartsOf::Conditions)) {
        let run = app.run(&name)?;
        let made = aside(move || {
            let of_known = |known: &Known| (known.standing_reader.pairs(), known.standing_reader.conditions());
            run.known(of_known).map_err(Refused::unreadable)
        });
        let (units, conditions) = made.await?;
        return Ok(json(&json!({ "units": units, "sections": { "conditions": conditions } }), &headers));
    }
    let report = app.report(&name, false).await?;
    let sections = aside(move || {
        let mut sections = json!(report.sections());
        if let (Some(_), Some(sections)) = (of, sections.as_object_mut()) {
            sections.remove("conditions");
        }
        Ok(json!({ "units": report.numbers.units, "sections": sections }))
    });
    Ok(json(&sections.await?, &headers))
}

/// Returns the log of a run.
pub(super) async fn log(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let (run, control) = (app.run(&name)?, app.control.clone());
    let log = aside(move || {
        let done = control.map_or(Ok(Vec::new()), |control| control.done_to(&name, MOST_DONE));
        crate::log::log(&run, &done.map_err(Refused::unreadable)?).map_err(Refused::unreadable)
    });
    Ok(json(&log.await?, &headers))
}
