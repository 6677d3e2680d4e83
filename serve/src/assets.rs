//! Pages, scripts and styles: embedded in the program, compressed once as it starts, and identified by their content.
//! Nothing is loaded from elsewhere, and no file is read.

use crate::refusal::refuse;
use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::LazyLock;

/// A file as sent.
struct Asset {
    name: &'static str,
    kind: &'static str,
    plain: Bytes,
    compressed: Bytes,
    tag: HeaderValue,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
/// Where a page shows the games.
const STAGE: &str = "<!-- stage -->";

/// The pages by their names here, and all other files by their names under `/assets`.
static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let style = format!("{}\n{}", reports::STYLE, include_str!("../assets/app.css"));
    let run = include_str!("../assets/run.html").replace(STAGE, &reports::stage());
    vec![
        asset("index.html", HTML, include_str!("../assets/index.html")),
        asset("run.html", HTML, &run),
        asset("job.html", HTML, include_str!("../assets/job.html")),
        asset("compare.html", HTML, include_str!("../assets/compare.html")),
        asset("machines.html", HTML, include_str!("../assets/machines.html")),
        asset("new.html", HTML, include_str!("../assets/new.html")),
        asset("board.html", HTML, include_str!("../assets/board.html")),
        asset("app.css", "text/css; charset=utf-8", &style),
        asset("analysis.js", SCRIPT, include_str!("../assets/analysis.js")),
        asset("keys.js", SCRIPT, include_str!("../assets/keys.js")),
        asset("live.js", SCRIPT, include_str!("../assets/live.js")),
        asset("plot.js", SCRIPT, include_str!("../assets/plot.js")),
        asset("jobs.js", SCRIPT, include_str!("../assets/jobs.js")),
        asset("list.js", SCRIPT, include_str!("../assets/list.js")),
        asset("board.js", SCRIPT, include_str!("../assets/board.js")),
        asset("control.js", SCRIPT, include_str!("../assets/control.js")),
        asset("machines.js", SCRIPT, include_str!("../assets/machines.js")),
        asset("waiting.js", SCRIPT, include_str!("../assets/waiting.js")),
        asset("new.js", SCRIPT, include_str!("../assets/new.js")),
        asset("job.js", SCRIPT, include_str!("../assets/job.js")),
        asset("rights.js", SCRIPT, include_str!("../assets/rights.js")),
        asset("games.js", SCRIPT, include_str!("../assets/games.js")),
        asset("course.js", SCRIPT, include_str!("../assets/course.js")),
        asset("log.js", SCRIPT, include_str!("../assets/log.js")),
        asset("tabs.js", SCRIPT, include_str!("../assets/tabs.js")),
        asset("tiles.js", SCRIPT, include_str!("../assets/tiles.js")),
        asset("run.js", SCRIPT, include_str!("../assets/run.js")),
        asset("watch.js", SCRIPT, include_str!("../assets/watch.js")),
        asset("compare.js", SCRIPT, include_str!("../assets/compare.js")),
        asset("pieces.js", SCRIPT, reports::PIECES),
        asset("replay.js", SCRIPT, reports::REPLAY),
        asset("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
    ]
});

fn asset(name: &'static str, kind: &'static str, text: &str) -> Asset {
    let tag = Sha256::digest(text.as_bytes()).iter().take(12).fold(String::new(), |mut tag, byte| {
        let _never_fails = write!(tag, "{byte:02x}");
        tag
    });
    // Writing into memory does not fail.
    let compressed = compress(text.as_bytes(), Compression::best()).unwrap_or_default();
    let tag = HeaderValue::from_str(&format!("\"{tag}\"")).unwrap_or(HeaderValue::from_static("\"0\""));
    Asset { name, kind, plain: Bytes::copy_from_slice(text.as_bytes()), compressed: compressed.into(), tag }
}

/// Bytes as gzip has them.
pub(crate) fn compress(bytes: &[u8], level: Compression) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Whether the client accepts gzip.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// The pages and what they load. A page is the same for all runs: its script asks for the run that its address names.
pub(crate) fn pages() -> Router {
    Router::new()
        .route("/", get(async |headers: HeaderMap| answer("index.html", &headers)))
        .route("/runs/{name}", get(async |headers: HeaderMap| answer("run.html", &headers)))
        .route("/jobs/{name}", get(async |headers: HeaderMap| answer("job.html", &headers)))
        .route("/board", get(async |headers: HeaderMap| answer("board.html", &headers)))
        .route("/machines", get(async |headers: HeaderMap| answer("machines.html", &headers)))
        .route("/new", get(async |headers: HeaderMap| answer("new.html", &headers)))
        .route("/compare", get(async |headers: HeaderMap| answer("compare.html", &headers)))
        .route("/assets/{file}", get(async |Path(file): Path<String>, headers: HeaderMap| answer(&file, &headers)))
}

/// A file, or that the one that is there already is still the same.
fn answer(name: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return refuse(StatusCode::NOT_FOUND, "there is no such file");
    };
    let common = [
        (header::ETAG, asset.tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let tag = asset.tag.to_str().unwrap_or_default();
    if known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    if takes_gzip(headers) {
        let coding = (header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        (common, [kind, coding], asset.compressed.clone()).into_response()
    } else {
        (common, [kind], asset.plain.clone()).into_response()
    }
}
