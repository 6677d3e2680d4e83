//! Requests to other servers: one connection for each, encrypted if the address says so, and a deadline for each wait.
//! Redirects are not followed, so that the data of a request reach no other server.

use axum::body::Body;
use axum::http::{Request, Response, Uri, header};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The deadline for a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// Something took too long.
    #[error("{what} took longer than {} s", within.as_secs())]
    Late {
        /// The step that took too long.
        what: &'static str,
        /// Its deadline.
        within: Duration,
    },
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
}

/// The address of a server, with the path for requests.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Target {
    is_encrypted: bool,
    /// Without brackets.
    host: String,
    port: u16,
    /// The host as named in requests.
    pub(crate) authority: String,
    /// The path and the query.
    pub(crate) path: String,
}

impl fmt::Debug for Target {
    /// Omits the path, which may contain a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.authority).finish()
    }
}

impl Target {
    /// # Errors
    /// The text is not an `http` or `https` address; the sentence does not repeat the text.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let uri: Uri = text.trim().parse().map_err(|_| "it is not an address: expected http://HOST:PORT/")?;
        let is_encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err("an address begins with http:// or https://"),
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or("an address names a host, and no user or password")?.as_str().to_owned();
        let host = uri.host().unwrap_or_default();
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_owned();
        let port = uri.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self { is_encrypted, host, port, authority, path })
    }

    /// Returns the address of the server, without the path.
    pub(crate) fn server(&self) -> String {
        format!("{}://{}", if self.is_encrypted { "https" } else { "http" }, self.authority)
    }
}

/// A connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Sends a request, and returns the head of the answer, which must arrive `within` this time. The caller reads the rest
/// within the same runtime.
pub(crate) async fn send(
    target: &Target,
    mut request: Request<Body>,
    within: Duration,
) -> Result<Response<Incoming>, Unanswered> {
    let stream = in_time("to connect", CONNECT_WITHIN, connect(target)).await??;
    let broken = |why: hyper::Error| Unanswered::Broken(why.to_string());
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let _ends_with_the_answer = tokio::spawn(connection);
    if let Ok(host) = target.authority.parse() {
        request.headers_mut().insert(header::HOST, host);
    }
    in_time("the answer", within, sender.send_request(request)).await?.map_err(broken)
}

/// Waits for some work with a deadline.
pub(crate) async fn in_time<T>(
    what: &'static str,
    within: Duration,
    work: impl Future<Output = T>,
) -> Result<T, Unanswered> {
    timeout(within, work).await.map_err(|_late| Unanswered::Late { what, within })
}

async fn connect(target: &Target) -> Result<Box<dyn Stream>, Unanswered> {
    let unreachable = |why: std::io::Error| Unanswered::Unreachable(why.to_string());
    let stream = TcpStream::connect((target.host.as_str(), target.port)).await.map_err(unreachable)?;
    let _slower_without = stream.set_nodelay(true);
    if !target.is_encrypted {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(target.host.clone()).map_err(|why| Unanswered::Unreachable(why.to_string()))?;
    let connector = connector().map_err(Unanswered::Unreachable)?;
    Ok(Box::new(connector.connect(name, stream).await.map_err(unreachable)?))
}

/// Returns a connector that checks other servers by the certificates that this machine trusts.
fn connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (known, _unusable) = roots.add_parsable_certificates(found.certs);
    if known == 0 {
        return Err("this machine has no certificates to check servers by: install ca-certificates".to_owned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(|why| why.to_string())?;
    Ok(TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_host_port_and_path() {
        let of = |text: &str| {
            let target = Target::parse(text).expect(text);
            (target.server(), target.host, target.port, target.path)
        };
        let text =
            |server: &str, host: &str, port, path: &str| (server.to_owned(), host.to_owned(), port, path.to_owned());
        assert_eq!(of("http://localhost:8099"), text("http://localhost:8099", "localhost", 8099, "/"));
        assert_eq!(of("https://a.example/x?y=1"), text("https://a.example", "a.example", 443, "/x?y=1"));
        assert_eq!(of(" http://[::1]:80/ "), text("http://[::1]:80", "::1", 80, "/"));
        for wrong in ["", "localhost:8099", "ftp://a", "http://", "http://ann:secret@host/", "/runs", "http://a b/"] {
            let why = Target::parse(wrong).expect_err(wrong);
            assert!(!why.contains("secret"), "{why}");
        }
        assert!(!format!("{:?}", Target::parse("https://a.example/secret")).contains("secret"));
    }
}
