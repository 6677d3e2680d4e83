//! Configurations to start runs with: those of existing runs, and those that finished runs suggest.

use super::{App, Refused, aside, json};
use crate::run::Run;
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use session::SessionError;
use session::work::{Again, again, stored};

/// The configurations that a run may have, by file name.
const FILES: [(&str, Option<Again>); 3] =
    [("config.toml", None), ("test.toml", Some(Again::TestOfTuned)), ("bisection.toml", Some(Again::Bisection))];

/// Returns the file names of the configurations that a run has.
pub(super) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let files = aside(move || {
        // A configuration that cannot be made is not offered; a request for it returns the reason.
        let is_there = |what| text(&run, what).is_ok_and(|text| text.is_some());
        Ok(FILES.into_iter().filter(|(_, what)| is_there(*what)).map(|(name, _)| name).collect::<Vec<_>>())
    });
    Ok(json(&json!({ "files": files.await? }), &headers))
}

/// Returns a configuration.
pub(super) async fn one(
    State(app): State<App>,
    Path((name, file)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let found = FILES.into_iter().find(|(name, _)| *name == file);
    let (_, what) = found.ok_or_else(|| Refused::missing("expected config.toml, test.toml or bisection.toml"))?;
    let missing = match what {
        Some(Again::TestOfTuned) => "only a finished tuning session that has changed a value has a test",
        Some(Again::Bisection) => "only a lost test between two builds of different commits can be bisected",
        None => "the run has no configuration",
    };
    let text = aside(move || text(&run, what)?.ok_or_else(|| Refused::missing(missing))).await?;
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/toml"));
    Ok(([kind], text).into_response())
}

fn text(run: &Run, what: Option<Again>) -> Result<Option<String>, Refused> {
    let unreadable = |why: SessionError| Refused::unreadable(why);
    let text = stored(run.path()).map_err(unreadable)?;
    let Some(what) = what else { return Ok(Some(text)) };
    let ended = run.known(|known| {
        let reader = &known.standing_reader;
        (reader.header().config.clone(), reader.standing(), reader.verdict())
    });
    let (config, standing, verdict) = ended.map_err(Refused::unreadable)?;
    again(what, (&config, &text), &standing, verdict).map_err(unreadable)
}
