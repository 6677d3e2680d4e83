//! Runs beside each other: what differs between their configurations, and how each came to stand where it does.

use super::{App, Refused, aside, json};
use crate::run::Run;
use arena::run::Header;
use axum::extract::{Query, State};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum of runs.
const MOST_RUNS: usize = 8;

/// Which runs.
#[derive(Deserialize)]
pub(super) struct Named {
    /// Their names, separated by commas.
    runs: String,
}

/// Runs beside each other.
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
        differences(&headers).into_iter().map(|(path, values)| json!({ "path": path, "values": values })).collect();
    Ok(json!({ "runs": rows, "differences": differences }))
}

/// Where configurations and builds are not all the same, with the value of each; null where it has none.
fn differences(headers: &[Header]) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let Some((first, others)) = headers.split_first() else { return found };
    for (number, other) in others.iter().enumerate() {
        for difference in arena::run::compare(first, other) {
            let values = found.entry(difference.path).or_insert_with(|| vec![difference.one; headers.len()]);
            values[number + 1] = difference.other;
        }
    }
    found
}
