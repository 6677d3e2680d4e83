//! Runs side by side: the differences between their configurations, and the course of each.

use super::{App, Refused, aside, json};
use crate::plain::differences;
use crate::run::Run;
use axum::extract::{Query, State};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The maximum number of runs.
const MOST_RUNS: usize = 8;

/// The runs to compare.
#[derive(Deserialize)]
pub(super) struct Named {
    /// Their names, separated by commas.
    runs: String,
}

/// Compares runs.
pub(super) async fn compare(
    State(app): State<App>,
    Query(named): Query<Named>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let names: Vec<&str> = named.runs.split(',').filter(|name| !name.is_empty()).collect();
    if !(2..=MOST_RUNS).contains(&names.len()) {
        return Err(Refused::bad(format!("name 2 to {MOST_RUNS} runs: /api/compare?runs=a,b")));
    }
    let runs = names.iter().map(|name| app.run(name)).collect::<Result<Vec<_>, _>>()?;
    Ok(json(&aside(move || compared(&runs)).await?, &headers))
}

fn compared(runs: &[Arc<Run>]) -> Result<Value, Refused> {
    let mut rows = Vec::new();
    let mut headers = Vec::new();
    for run in runs {
        let mut row = run.detail().map_err(Refused::unreadable)?;
        row["series"] = run.series().map_err(Refused::unreadable)?["series"].take();
        rows.push(row);
        headers.push(run.known(|known| known.standing_reader.header().clone()).map_err(Refused::unreadable)?);
    }
    let differences: Vec<Value> =
        differences(&headers).into_iter().map(|(key, values)| json!({ "path": key, "values": values })).collect();
    Ok(json!({ "runs": rows, "differences": differences }))
}
