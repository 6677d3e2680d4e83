//! Runs: all of them, and one in numbers, series and parts of its report.

use super::{App, Refused, aside, json, text};
use axum::extract::{Path, State};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde_json::json;

/// All runs, with the id of the event after which further ones follow.
pub(super) async fn list(State(app): State<App>, headers: HeaderMap) -> Response {
    // Before the rows: an event that is sent twice does no harm.
    let id = json!(app.listing.hub.id());
    let rows: Vec<_> = app.listing.all().iter().filter_map(|run| run.row()).collect();
    let rows: Vec<&str> = rows.iter().map(AsRef::as_ref).collect();
    text(format!("{{\"id\":{id},\"runs\":[{}]}}", rows.join(",")), &headers)
}

/// All numbers of a run.
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

/// How a run came to stand where it does.
pub(super) async fn series(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    Ok(json(&aside(move || run.series().map_err(Refused::unreadable)).await?, &headers))
}

/// Parts of its report as HTML.
pub(super) async fn sections(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let report = app.report(&name, false).await?;
    let sections = aside(move || Ok(json!({ "units": report.numbers.units, "sections": report.sections() }))).await?;
    Ok(json(&sections, &headers))
}
