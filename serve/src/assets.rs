//! Pages, scripts and styles: embedded in the program, compressed once at startup, and identified by their content.
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
/// The tag with which a page names its script.
const MODULE: &str = "<script type=\"module\" src=\"/assets/";
/// The place in a page for the games.
const STAGE: &str = "<!-- stage -->";

/// The modules, by their names under `/assets`.
const MODULES: [(&str, &str); 21] = [
    ("analysis.js", include_str!("../assets/analysis.js")),
    ("board.js", include_str!("../assets/board.js")),
    ("compare.js", include_str!("../assets/compare.js")),
    ("control.js", include_str!("../assets/control.js")),
    ("course.js", include_str!("../assets/course.js")),
    ("games.js", include_str!("../assets/games.js")),
    ("job.js", include_str!("../assets/job.js")),
    ("jobs.js", include_str!("../assets/jobs.js")),
    ("keys.js", include_str!("../assets/keys.js")),
    ("list.js", include_str!("../assets/list.js")),
    ("live.js", include_str!("../assets/live.js")),
    ("log.js", include_str!("../assets/log.js")),
    ("machines.js", include_str!("../assets/machines.js")),
    ("new.js", include_str!("../assets/new.js")),
    ("plot.js", include_str!("../assets/plot.js")),
    ("rights.js", include_str!("../assets/rights.js")),
    ("run.js", include_str!("../assets/run.js")),
    ("tabs.js", include_str!("../assets/tabs.js")),
    ("tiles.js", include_str!("../assets/tiles.js")),
    ("waiting.js", include_str!("../assets/waiting.js")),
    ("watch.js", include_str!("../assets/watch.js")),
];

/// The pages by their names here, and all other files by their names under `/assets`.
static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let style = format!("{}\n{}", reports::STYLE, include_str!("../assets/app.css"));
    let run = include_str!("../assets/run.html").replace(STAGE, &reports::stage());
    let modules = MODULES.map(|(name, text)| asset(name, SCRIPT, text));
    let others = [
        page("index.html", include_str!("../assets/index.html")),
        page("run.html", &run),
        page("job.html", include_str!("../assets/job.html")),
        page("compare.html", include_str!("../assets/compare.html")),
        page("machines.html", include_str!("../assets/machines.html")),
        page("new.html", include_str!("../assets/new.html")),
        page("board.html", include_str!("../assets/board.html")),
        asset("app.css", "text/css; charset=utf-8", &style),
        asset("pieces.js", SCRIPT, reports::PIECES),
        asset("replay.js", SCRIPT, reports::REPLAY),
        asset("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
    ];
    others.into_iter().chain(modules).collect()
});

/// Returns a page that lists, in its head, the modules that its script imports: the browser fetches them all at once
/// instead of one import after the other.
fn page(name: &'static str, text: &str) -> Asset {
    let Some((before, script)) = text.split_once(MODULE) else { return asset(name, HTML, text) };
    let mut wanted: Vec<&str> = script.split('"').take(1).collect();
    let mut next = 0;
    while let Some(importer) = wanted.get(next).copied() {
        next += 1;
        for import in imports(importer) {
            if !wanted.contains(&import) {
                wanted.push(import);
            }
        }
    }
    let preloads = wanted.iter().skip(1).fold(String::new(), |mut links, module| {
        let _never_fails = writeln!(links, "<link rel=\"modulepreload\" href=\"/assets/{module}\">");
        links
    });
    asset(name, HTML, &[before, &preloads, MODULE, script].concat())
}

/// Returns the modules that a module imports.
fn imports(importer: &str) -> impl Iterator<Item = &'static str> {
    let text = MODULES.iter().find(|(name, _)| *name == importer).map_or("", |(_, text)| text);
    text.split(" from \"./").skip(1).filter_map(|rest| rest.split('"').next())
}

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

/// Compresses bytes with gzip.
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

/// Returns the routes of the pages and their files. A page is the same for all runs: its script requests the run in its
/// address.
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

/// Returns a file, or the answer that the client's copy is still current.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_all_modules_that_its_script_needs() {
        let of = |name: &str| ASSETS.iter().find(|asset| asset.name == name).expect(name);
        let text = |name: &str| String::from_utf8(of(name).plain.to_vec()).expect("UTF-8");
        let preloads = |name: &str| -> Vec<String> {
            let page = text(name);
            let links = page.split("rel=\"modulepreload\" href=\"/assets/").skip(1);
            links.map(|rest| rest.split('"').next().expect("a name").to_owned()).collect()
        };
        // Imported through games.js.
        assert!(preloads("run.html").contains(&"analysis.js".to_owned()));
        for page in ASSETS.iter().filter(|asset| asset.kind == HTML) {
            let named = preloads(page.name);
            for module in &named {
                let further: Vec<&str> = imports(module).collect();
                assert!(
                    further.iter().all(|import| named.iter().any(|name| name == import)),
                    "{}: {module}",
                    page.name
                );
                assert_eq!(of(module).kind, SCRIPT);
            }
            let own = text(page.name).split(MODULE).nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned);
            assert!(!named.is_empty() && own.is_some_and(|own| !named.contains(&own)), "{}: {named:?}", page.name);
        }
    }
}
