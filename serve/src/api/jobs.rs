//! Bisections and campaigns: the list of all, the numbers of one, and its page.

use super::downloads::REPORT_POLICY;
use super::{App, Refused, aside, json};
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde_json::json;

const MISSING: &str = "there is no such bisection or campaign";

/// Returns the standing of all jobs, the newest first.
pub(super) async fn list(State(app): State<App>, headers: HeaderMap) -> Result<Response, Refused> {
    let rows = aside(move || app.jobs.rows().map_err(Refused::unreadable)).await?;
    Ok(json(&json!({ "jobs": rows }), &headers))
}

/// Returns all numbers of a job.
pub(super) async fn one(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let detail = aside(move || app.jobs.detail(&name).map_err(Refused::unreadable)).await?;
    Ok(json(&detail.ok_or_else(|| Refused::missing(MISSING))?, &headers))
}

/// Returns a job's page, as it was last written.
pub(super) async fn report(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refused> {
    let page = aside(move || app.jobs.page(&name).map_err(Refused::unreadable)).await?;
    let page = page.ok_or_else(|| Refused::missing(MISSING))?;
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let policy = (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(REPORT_POLICY));
    Ok(([kind, policy], page).into_response())
}
