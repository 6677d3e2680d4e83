//! The connection to a server: connects with a deadline, checks the server, and reports events. Other modules define
//! the messages.

use crate::access::Access;
use crate::error::{FleetError, OLDEST};
use crate::names::inbox;
use async_nats::jetstream::{self, Context};
use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject;
use async_nats::rustls::{ClientConfig, Error as TlsError, RootCertStore};
use async_nats::{Client, ClientError, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerError};
use std::collections::VecDeque;
use std::error::Error;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The server's deadline for each answer while connecting.
pub(crate) const PATIENCE: Duration = Duration::from_secs(4);

/// How long to retry a server that does not answer at first: a server on a busy machine answers late.
const FIRST_PATIENCE: Duration = Duration::from_secs(15);

/// How soon a server reports a denied permission.
const MOMENT: Duration = Duration::from_millis(300);

/// The longest delay between attempts to reconnect after the server was lost.
const RETRY: Duration = Duration::from_secs(1);

/// A connection.
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) jetstream: Context,
    /// The events of the connection.
    news: UnboundedReceiver<News>,
    /// Events that arrived while something else was awaited.
    pending: VecDeque<News>,
    /// The connected user, in words.
    pub(crate) who: String,
    pub(crate) url: String,
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The connection is established, at first or again.
    Connected,
    /// The connection is lost for now.
    Disconnected,
    /// The connection was lost, and the server rejects a new one.
    Refused,
    /// The server denied this action.
    NotAllowed(String),
}

impl Link {
    /// Connects.
    ///
    /// # Errors
    /// [`FleetError`], after a quarter of a minute at most.
    pub(crate) async fn connect(access: &Access, name: &str) -> Result<Self, FleetError> {
        let (sender, news) = unbounded_channel();
        let mut options = ConnectOptions::new()
            .name(format!("spar {name}"))
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(Duration::from_secs(5))
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| RETRY.min(Duration::from_millis(50 * attempts as u64)))
            .custom_inbox_prefix(inbox(name))
            .event_callback(move |event| {
                let sender = sender.clone();
                async move {
                    // The receiver may be closed.
                    let _gone = news_of(&event).map(|news| sender.send(news));
                }
            });
        if let Some(credentials) = &access.credentials {
            options = options.nkey(credentials.seed.reveal().to_owned());
            if let Some(ca) = &credentials.ca {
                options = options.tls_client_config(trusting(ca, &access.url)?).require_tls(true);
            }
        }
        let client = match tokio::time::timeout(FIRST_PATIENCE, first_connection(access, options)).await {
            Ok(connected) => connected.map_err(|error| why_not(access, &error))?,
            Err(_) => return Err(FleetError::Unreachable { url: access.url.clone(), why: "it is silent".to_owned() }),
        };
        let link = Self {
            jetstream: jetstream::new(client.clone()),
            client,
            news,
            pending: VecDeque::new(),
            who: access.who(),
            url: access.url.clone(),
        };
        link.refuse_old()?;
        Ok(link)
    }

    /// Returns the next event of the connection.
    pub(crate) async fn next_news(&mut self) -> Option<News> {
        match self.pending.pop_front() {
            Some(news) => Some(news),
            None => self.news.recv().await,
        }
    }

    /// Fails if the server denied a permission.
    pub(crate) fn refuse(&self, news: &News) -> Result<(), FleetError> {
        match news {
            News::NotAllowed(what) => Err(FleetError::NotAllowed { who: self.who.clone(), what: what.clone() }),
            News::Connected | News::Disconnected | News::Refused => Ok(()),
        }
    }

    /// Returns the error for a server that now rejects the connection.
    pub(crate) fn refused(&self) -> FleetError {
        let advice = "the server no longer knows its key";
        FleetError::Refused { url: self.url.clone(), who: self.who.clone(), advice }
    }

    fn refuse_old(&self) -> Result<(), FleetError> {
        let found = self.client.server_info().version;
        let number = |version: &str| -> Option<(u32, u32)> {
            let mut parts = version.split(['.', '-']).map(str::parse);
            Some((parts.next()?.ok()?, parts.next()?.ok()?))
        };
        match number(&found) {
            Some(version) if number(OLDEST).is_some_and(|oldest| version < oldest) => {
                Err(FleetError::OldServer { url: self.url.clone(), found })
            }
            _ => Ok(()),
        }
    }

    /// Returns the outcome of a request that the server may deny. The server reports a denial only by an event, before
    /// or after the request has failed.
    pub(crate) async fn allowed<T, E: Error>(
        &mut self,
        what: &'static str,
        request: impl Future<Output = Result<T, E>>,
    ) -> Result<T, FleetError> {
        tokio::pin!(request);
        loop {
            tokio::select! {
                done = &mut request => return match done {
                    Ok(done) => Ok(done),
                    Err(error) => Err(self.refusal().await.unwrap_or(FleetError::Server { what, why: words(&error) })),
                },
                Some(news) = self.news.recv() => {
                    self.refuse(&news)?;
                    self.pending.push_back(news);
                }
            }
        }
    }

    /// Returns the permission that the server denies, if it reports a denial soon.
    pub(crate) async fn refusal(&mut self) -> Option<FleetError> {
        let refusal = async {
            while let Some(news) = self.news.recv().await {
                if let News::NotAllowed(what) = news {
                    return Some(FleetError::NotAllowed { who: self.who.clone(), what });
                }
                self.pending.push_back(news);
            }
            None
        };
        tokio::time::timeout(MOMENT, refusal).await.ok().flatten()
    }

    /// Fails if the server has no JetStream.
    pub(crate) async fn needs_jetstream(&mut self) -> Result<(), FleetError> {
        let client = self.client.clone();
        let asked = self.allowed("say whether it has JetStream", client.request("$JS.API.INFO", "".into())).await;
        match asked {
            Ok(answer) if !contains(&answer.payload, b"\"error\"") => Ok(()),
            Err(error @ FleetError::NotAllowed { .. }) => Err(error),
            // If the account lacks permission, the server answers with an error; without JetStream no answer comes.
            _ => Err(FleetError::NoJetStream { url: self.url.clone() }),
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Returns the text of an error with all its causes.
pub(crate) fn words(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

fn news_of(event: &Event) -> Option<News> {
    match event {
        Event::Connected => Some(News::Connected),
        Event::Disconnected => Some(News::Disconnected),
        Event::ClientError(ClientError::Other(text))
            if text.to_ascii_lowercase().contains("authorization violation") =>
        {
            Some(News::Refused)
        }
        Event::ServerError(ServerError::Other(text)) if text.to_ascii_lowercase().contains("permissions violation") => {
            Some(News::NotAllowed(text.clone()))
        }
        _ => None,
    }
}

/// Returns a TLS configuration that trusts this signer alone.
fn trusting(ca: &str, url: &str) -> Result<ClientConfig, FleetError> {
    let broken = |why: String| FleetError::Tls { url: url.to_owned(), why };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(ca.as_bytes()) {
        let certificate = certificate.map_err(|error| broken(format!("the signer's certificate: {error}")))?;
        roots.add(certificate).map_err(|error| broken(format!("the signer's certificate: {error}")))?;
    }
    Ok(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

/// Whether a connection failed because the certificate is not trusted, which arrives as a read error.
fn is_about_a_certificate(error: &(dyn Error + 'static)) -> bool {
    let is = |error: &(dyn Error + 'static)| {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let tls = inner.and_then(|inner| inner.downcast_ref::<TlsError>()).or_else(|| error.downcast_ref::<TlsError>());
        matches!(tls, Some(TlsError::InvalidCertificate(_)))
    };
    std::iter::successors(Some(error), |&error| error.source()).any(is)
}

/// Connects; tries again while the server is silent.
async fn first_connection(access: &Access, options: ConnectOptions) -> Result<Client, ConnectError> {
    loop {
        match options.clone().connect(access.url.as_str()).await {
            Err(error) if error.kind() == ConnectErrorKind::TimedOut => {}
            done => return done,
        }
    }
}

fn why_not(access: &Access, error: &ConnectError) -> FleetError {
    let (url, why) = (access.url.clone(), words(error));
    match error.kind() {
        ConnectErrorKind::ServerParse => FleetError::Url { url, why },
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            let advice = if access.credentials.is_some() {
                "it does not know them. `spar fleet keys` makes the server's configuration and credentials together"
            } else {
                "it wants credentials: the file that `spar fleet keys` made for this machine"
            };
            FleetError::Refused { url, who: access.who(), advice }
        }
        ConnectErrorKind::Tls => FleetError::Tls { url, why },
        _ if is_about_a_certificate(error) => FleetError::Tls { url, why },
        _ => FleetError::Unreachable { url, why },
    }
}
