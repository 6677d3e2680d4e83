//! Access control and the headers of every answer: host names, tokens, methods, sizes, requests from pages of other
//! sites, and the headers that make browsers load only this server's files.

use crate::assets;
use crate::refusal::refuse;
use crate::settings::Settings;
use crate::tokens::{Person, Tokens};
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum length of a path with its query. No page needs a longer one.
const LONGEST_URI: usize = 4 << 10;
/// The maximum size in bytes of the router's text for a refused request.
const LONGEST_REFUSAL: usize = 4 << 10;
/// What pages may load: this server's files. Reports contain their own style and script, and declare that themselves.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The access rules.
struct Guard {
    hosts: Vec<String>,
    tokens: Option<Mutex<Tokens>>,
}

/// Returns the router for everything, including the interface for programs.
pub(crate) fn router(interface: Router, settings: &Settings) -> Router {
    let guard = Arc::new(Guard { hosts: settings.hosts.clone(), tokens: settings.tokens.clone().map(Mutex::new) });
    let with_token = from_fn_with_state(Arc::clone(&guard), check_token);
    Router::new()
        .nest("/api", interface.layer(with_token))
        .merge(assets::pages())
        .route("/healthz", get(async || "ok\n"))
        .fallback(async || refuse(StatusCode::NOT_FOUND, "there is no such page"))
        .layer(from_fn_with_state(guard, check))
}

async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&guard, &request) {
        Some((status, why)) => refuse(status, why),
        None => in_json(next.run(request).await).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Returns the answer. Turns the router's own refusals, which are plain text or empty, into JSON like all others.
async fn in_json(response: Response) -> Response {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !(status.is_client_error() || status.is_server_error()) || is_json {
        return response;
    }
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, LONGEST_REFUSAL).await.unwrap_or_default();
    let why = match String::from_utf8_lossy(&text) {
        why if !why.trim().is_empty() => why.trim().to_owned(),
        _ if status == StatusCode::METHOD_NOT_ALLOWED => "method not allowed for this path".to_owned(),
        _ => status.canonical_reason().unwrap_or("it is refused").to_lowercase(),
    };
    let mut refused = refuse(status, &why);
    if let Some(allowed) = parts.headers.get(header::ALLOW) {
        refused.headers_mut().insert(header::ALLOW, allowed.clone());
    }
    refused
}

/// The refusal of a request body where nothing can be sent.
const NOTHING_TO_SEND: (StatusCode, &str) = (StatusCode::PAYLOAD_TOO_LARGE, "there is nothing to send here");

fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0")
}

/// Refuses a body in a request that only reads a path.
pub(crate) async fn check_body(request: Request, next: Next) -> Response {
    let is_looking = [Method::GET, Method::HEAD].contains(request.method());
    if is_looking && has_body(request.headers()) {
        let (status, why) = NOTHING_TO_SEND;
        return refuse(status, why);
    }
    next.run(request).await
}

/// Returns why a request is refused, whatever its path.
fn refusal(guard: &Guard, request: &Request) -> Option<(StatusCode, &'static str)> {
    let headers = request.headers();
    if !is_host(&guard.hosts, request.uri(), headers) {
        let why =
            "the Host header does not name this server: use its address or localhost, or start it with --host NAME";
        return Some((StatusCode::MISDIRECTED_REQUEST, why));
    }
    if request.uri().path_and_query().is_some_and(|uri| uri.as_str().len() > LONGEST_URI) {
        return Some((StatusCode::URI_TOO_LONG, "the address is too long"));
    }
    match *request.method() {
        // The interface refuses a body once it is known that the path takes GET.
        Method::GET | Method::HEAD if request.uri().path().starts_with("/api/") => None,
        Method::GET | Method::HEAD => has_body(headers).then_some(NOTHING_TO_SEND),
        // A page of another site cannot send JSON without a preflight request, which is never allowed, and its requests
        // carry their origin. The body is checked where it is read: `json_body.rs`.
        Method::POST => {
            let why = "pages of other sites can do nothing here";
            (!is_from_here(headers)).then_some((StatusCode::FORBIDDEN, why))
        }
        _ => Some((StatusCode::METHOD_NOT_ALLOWED, "method not allowed: this server takes GET and POST")),
    }
}

/// Whether the sender is a page of this server or not a browser.
fn is_from_here(headers: &HeaderMap) -> bool {
    let of = |name: &str| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"));
    let host = of("host").next().unwrap_or_default();
    let same_origin = of("origin").all(|origin| origin.split_once("://").is_some_and(|(_scheme, from)| from == host));
    same_origin && of("sec-fetch-site").all(|site| matches!(site, "same-origin" | "none"))
}

/// Whether the host of a request is one that a page of another site cannot have: an address, `localhost`, or a
/// configured name. This excludes a name of that site whose DNS points here.
fn is_host(hosts: &[String], uri: &Uri, headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(header::HOST).iter();
    let (Some(named), None) = (named.next(), named.next()) else { return false };
    let Ok(named) = named.to_str() else { return false };
    // An absolute address in the request line must name the same host.
    if uri.authority().is_some_and(|authority| authority.as_str() != named) {
        return false;
    }
    let without_port = match named.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !host.ends_with(':') => host,
        _ => named,
    };
    let address = without_port.trim_start_matches('[').trim_end_matches(']');
    address.parse::<IpAddr>().is_ok()
        || without_port.eq_ignore_ascii_case("localhost")
        || hosts.iter().any(|host| host.eq_ignore_ascii_case(without_port))
}

/// Lets in requests with a valid token, and passes on the token's user.
async fn check_token(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let Some(tokens) = &guard.tokens else { return next.run(request).await };
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer "));
    if let Some(person) = person(tokens, given.unwrap_or_default()) {
        request.extensions_mut().insert(person);
        return next.run(request).await;
    }
    let why = match given {
        Some(_) => "wrong token: give one that is in the server's --token-file",
        None => "this server asks for a token: Authorization: Bearer TOKEN",
    };
    let mut response = refuse(StatusCode::UNAUTHORIZED, why);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Returns the user with this token, by the current content of the token file.
fn person(tokens: &Mutex<Tokens>, token: &str) -> Option<Person> {
    let mut tokens = tokens.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(why) = tokens.renew() {
        let effect = if tokens.is_empty() { "no token is valid now" } else { "the tokens before stay valid" };
        eprintln!("spar serve: the --token-file has changed, and {effect}: {why}");
    }
    tokens.person(token).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).expect("a header"));
        is_host(&["runs.example.org".to_owned()], &Uri::from_static("/"), &headers)
    }

    #[test]
    fn what_pages_of_other_sites_send_is_refused() {
        let is_refused = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.append("host", HeaderValue::from_static("localhost:8099"));
            for (name, value) in lines {
                headers.append(*name, HeaderValue::from_static(value));
            }
            !is_from_here(&headers)
        };
        assert!(!is_refused(&[]));
        assert!(!is_refused(&[("origin", "http://localhost:8099"), ("sec-fetch-site", "same-origin")]));
        for origin in ["http://localhost", "http://localhost:80990", "http://evil.example", "null", ""] {
            assert!(is_refused(&[("origin", origin)]), "{origin}");
        }
        assert!(is_refused(&[("origin", "http://localhost:8099"), ("origin", "http://evil.example")]));
        assert!(is_refused(&[("sec-fetch-site", "same-site")]));
    }

    #[test]
    fn names_that_others_can_give_this_machine_are_refused() {
        for host in ["127.0.0.1", "127.0.0.1:8099", "[::1]:8099", "localhost:1", "LOCALHOST", "runs.example.org:80"] {
            assert!(is_known(host), "{host}");
        }
        for host in ["evil.example", "evil.example:8099", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert!(!is_known(host), "{host}");
        }
        let (uri, mut twice) = (Uri::from_static("http://evil.example/"), HeaderMap::new());
        assert!(!is_host(&[], &uri, &twice), "no host at all");
        twice.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(!is_host(&[], &uri, &twice), "two names");
        twice.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(!is_host(&[], &Uri::from_static("/"), &twice), "two headers");
    }
}
