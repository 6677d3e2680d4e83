//! The interface for programs: JSON over HTTP, described by `openapi.json`. The pages use nothing else.

mod board;
mod compare;
mod configs;
mod control;
mod downloads;
mod events;
mod games;
mod jobs;
mod json_body;
mod runs;
mod streamed;
mod turns;

use crate::access::check_body;
use crate::assets::{compress, takes_gzip};
use crate::control::Control;
use crate::jobs::Jobs;
use crate::listing::Listing;
use crate::refusal::refuse;
use crate::run::Run;
use crate::workers::Crew;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use flate2::Compression;
use reports::plots::PngRenderer;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use turns::Turns;

/// The description of the interface in `OpenAPI`.
const DESCRIPTION: &str = include_str!("../../assets/openapi.json");
/// Answers of fewer bytes are sent uncompressed.
const WORTH_COMPRESSING: usize = 4 << 10;
/// The maximum number of reports made at a time: players need the processors.
const MAKERS: usize = 2;
/// The maximum number of exports sent at a time, however slowly.
const EXPORTS: usize = 16;
/// The maximum number of exports written at a time; one that waits for a slow reader does not count.
const WRITERS: usize = 2;
/// The maximum number of engines that analyse at a time.
const THINKERS: usize = 2;
/// The number of threads that may be in use for as long as a client reads or listens.
pub(crate) const LONG: usize = EXPORTS + THINKERS;

/// The state that answers need.
#[derive(Clone)]
pub(crate) struct App {
    listing: Arc<Listing>,
    jobs: Arc<Jobs>,
    /// The control of runs, if enabled.
    control: Option<Arc<Control>>,
    /// The workers of a fleet, if the server shows one.
    crew: Option<Arc<Crew>>,
    /// Draws plots as PNG, if available.
    png: Option<PngRenderer>,
    /// Becomes true when the server ends.
    stop: watch::Receiver<bool>,
    /// Places for making reports.
    makers: Arc<Semaphore>,
    /// Places for exports.
    exports: Arc<Semaphore>,
    /// The turns of the exports that are written.
    writers: Arc<Turns>,
    /// Places for engine searches.
    thinkers: Arc<Semaphore>,
}

/// Returns all paths below `/api` with their handlers.
fn routes() -> Vec<(&'static str, MethodRouter<App>)> {
    vec![
        ("/openapi.json", get(async |headers: HeaderMap| text(DESCRIPTION.to_owned(), &headers))),
        ("/events", get(events::all)),
        ("/fleet", get(async |State(app): State<App>, headers: HeaderMap| json(&app.fleet(), &headers))),
        ("/fleet/history", get(async |State(app): State<App>, headers: HeaderMap| json(&app.speeds(), &headers))),
        ("/runs", get(runs::list)),
        ("/runs/{name}", get(runs::one)),
        ("/runs/{name}/events", get(events::one)),
        ("/runs/{name}/series", get(runs::series)),
        ("/runs/{name}/sections", get(runs::sections)),
        ("/runs/{name}/log", get(runs::log)),
        ("/runs/{name}/config", get(configs::list)),
        ("/runs/{name}/config/{file}", get(configs::one)),
        ("/runs/{name}/games", get(games::list)),
        ("/runs/{name}/games/{game}", get(games::one)),
        ("/runs/{name}/games/{game}/think", post(games::thoughts)),
        ("/runs/{name}/live", get(games::live)),
        ("/runs/{name}/export/{file}", get(downloads::export)),
        ("/runs/{name}/report/{*file}", get(downloads::report)),
        ("/jobs", get(jobs::list)),
        ("/jobs/{name}", get(jobs::one)),
        ("/jobs/{name}/report.html", get(jobs::report)),
        ("/compare", get(compare::compare)),
        ("/board", post(board::state)),
        ("/board/think", post(board::thoughts)),
        ("/control", get(control::state)),
        ("/control/schema", get(control::schema)),
        ("/control/done", get(control::done)),
        ("/control/started/{hash}", get(control::started_text)),
        ("/control/read", post(control::read)),
        ("/control/check", post(control::check)),
        ("/control/start", post(control::start)),
        ("/control/hold", post(control::hold)),
        ("/control/queue/{id}", post(control::change)),
        ("/control/runs/{name}", post(control::order)),
        ("/control/workers/{name}", post(control::worker)),
    ]
}

/// Returns the router of the interface.
pub(crate) fn router(app: App) -> Router {
    let routes = routes().into_iter().map(|(path, answer)| (path, answer.route_layer(from_fn(check_body))));
    let router = routes.fold(Router::new(), |router, (path, answer)| router.route(path, answer));
    router
        .fallback(async || refuse(StatusCode::NOT_FOUND, "there is no such path: see /api/openapi.json"))
        .with_state(app)
}

/// Why a request is refused.
struct Refused(StatusCode, String);

impl Refused {
    fn missing(what: impl Into<String>) -> Self {
        Self(StatusCode::NOT_FOUND, what.into())
    }

    fn bad(why: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, why.into())
    }

    /// Returns the refusal for a run that cannot be read.
    #[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
    fn unreadable(why: impl ToString) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, why.to_string())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        refuse(self.0, &self.1)
    }
}

impl App {
    /// Returns the state that answers need; `stop` becomes true when the server ends.
    pub(crate) fn new(
        listing: Arc<Listing>,
        jobs: Arc<Jobs>,
        control: Option<Arc<Control>>,
        crew: Option<Arc<Crew>>,
        png: Option<PngRenderer>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let [makers, exports, thinkers] = [MAKERS, EXPORTS, THINKERS].map(|places| Arc::new(Semaphore::new(places)));
        let writers = Arc::new(Turns::new(WRITERS));
        Self { listing, jobs, control, crew, png, stop, makers, exports, writers, thinkers }
    }

    fn run(&self, name: &str) -> Result<Arc<Run>, Refused> {
        self.listing.get(name).ok_or_else(|| Refused::missing("there is no such run"))
    }

    /// Returns the workers of a fleet, as JSON.
    fn fleet(&self) -> Value {
        self.crew.as_ref().map_or_else(|| serde_json::json!({ "fleet": false }), |crew| crew.to_json())
    }

    /// Returns the speeds of a fleet's workers over the last hours, as JSON.
    fn speeds(&self) -> Value {
        self.crew.as_ref().map_or_else(|| serde_json::json!({ "workers": {} }), |crew| crew.history())
    }

    /// Returns a place for an engine search.
    fn thinker(&self) -> Result<OwnedSemaphorePermit, Refused> {
        let busy = "engines think for others already: try again soon".to_owned();
        let place = Arc::clone(&self.thinkers).try_acquire_owned();
        place.map_err(|_none_left| Refused(StatusCode::SERVICE_UNAVAILABLE, busy))
    }
}

/// Does slow work on a thread that may block.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refused> + Send + 'static) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_panicked| Err(Refused::unreadable("the server has a fault: please report it")))
}

fn json(value: &Value, headers: &HeaderMap) -> Response {
    text(value.to_string(), headers)
}

/// Returns JSON, compressed if it is large enough and the client accepts that.
fn text(text: String, headers: &HeaderMap) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let vary = (header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let compressed = (text.len() >= WORTH_COMPRESSING && takes_gzip(headers))
        .then(|| compress(text.as_bytes(), Compression::fast()).ok())
        .flatten();
    match compressed {
        Some(bytes) => {
            let coding = (header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            ([kind, vary, coding], bytes).into_response()
        }
        None => ([kind, vary], text).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_description_has_all_paths_and_no_others() {
        let description: Value = serde_json::from_str(DESCRIPTION).expect("JSON");
        let described: BTreeSet<&str> =
            description["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
        let served: BTreeSet<String> =
            routes().iter().map(|(path, _)| format!("/api{}", path.replace("{*", "{"))).collect();
        assert_eq!(described, served.iter().map(String::as_str).collect::<BTreeSet<_>>());
        let files = &description["paths"]["/api/runs/{name}/export/{file}"]["get"]["parameters"][1]["schema"]["enum"];
        let files: Vec<&str> = files.as_array().expect("files").iter().filter_map(Value::as_str).collect();
        assert_eq!(files, arena::run::downloads().collect::<Vec<_>>());
        for (path, item) in description["paths"].as_object().expect("paths") {
            let names: Vec<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
            let item = if item["post"].is_object() { &item["post"] } else { &item["get"] };
            let parameters = item["parameters"].as_array().cloned().unwrap_or_default();
            for name in names {
                assert!(parameters.iter().any(|p| p["name"] == name && p["in"] == "path"), "{path}: {name}");
            }
            assert!(item["responses"]["200"].is_object() && item["summary"].is_string(), "{path}");
        }
    }
}
