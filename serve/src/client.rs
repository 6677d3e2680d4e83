//! A client of a server, for the terminal: requests, orders and events, with a deadline for each wait.

use crate::outgoing::{Target, Unanswered, in_time, send};
use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use futures_util::StreamExt;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// The deadline for an answer: the check of a configuration may look up commits and patches.
const ANSWER_WITHIN: Duration = Duration::from_mins(2);
/// How long a stream of events may be silent: the server sends something every 10 s.
const SILENT_FOR: Duration = Duration::from_secs(40);
/// The maximum size of an answer in bytes.
const LARGEST: usize = 256 << 20;
/// The maximum size of an event in bytes.
const LARGEST_EVENT: usize = 16 << 20;

/// Why a request to a server failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address cannot be used.
    #[error("`{address}` cannot be used: {why}")]
    Address {
        /// The address, as the user gave it.
        address: String,
        /// The reason, in a sentence.
        why: &'static str,
    },
    /// There was no connection, or it broke.
    #[error("{server} does not answer: {why}")]
    Unanswered {
        /// The server.
        server: String,
        /// The reason, in a sentence.
        why: String,
    },
    /// The server refuses.
    #[error("{server}: {why}")]
    Refused {
        /// The server.
        server: String,
        /// The HTTP status.
        status: u16,
        /// The reason, in the server's words or with the remedy.
        why: String,
    },
    /// The address is not a `spar serve` server.
    #[error("{server} is no `spar serve`: {why}")]
    Foreign {
        /// The server.
        server: String,
        /// What it answered.
        why: String,
    },
    /// The system lacks resources for the request.
    #[error("cannot begin to ask a server: {0}")]
    System(std::io::Error),
}

impl ClientError {
    /// Whether the server may answer later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unanswered { .. } | Self::Refused { status: 500.., .. })
    }

    /// Whether the request itself has to be changed.
    pub fn is_a_mistake(&self) -> bool {
        matches!(self, Self::Address { .. } | Self::Refused { status: 400..=499, .. })
    }
}

/// A server, and the token for it.
pub struct Client {
    target: Target,
    token: Option<String>,
    runtime: Runtime,
}

impl Client {
    /// Returns a client of the server at an address, which may be that of any of its pages.
    ///
    /// # Errors
    /// The address cannot be used, or the system lacks resources.
    pub fn new(address: &str, token: Option<String>) -> Result<Self, ClientError> {
        let target = Target::parse(address);
        let target = target.map_err(|why| ClientError::Address { address: address.to_owned(), why })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self { target, token, runtime: runtime.map_err(ClientError::System)? })
    }

    /// Returns the address of the server, without the path.
    pub fn server(&self) -> String {
        self.target.server()
    }

    /// Returns the path of the given address.
    pub fn path(&self) -> &str {
        &self.target.path
    }

    /// Gets a path below `/api`.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.runtime.block_on(self.ask(Method::GET, path, Body::empty()))
    }

    /// Posts a request.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.runtime.block_on(self.ask(Method::POST, path, Body::from(body.to_string())))
    }

    /// Returns the events of a path.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn events(&self, path: &str) -> Result<EventStream<'_>, ClientError> {
        let answer = self.runtime.block_on(self.send(Method::GET, path, Body::empty()))?;
        let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind != Some("text/event-stream") {
            return Err(self.foreign("it has no events"));
        }
        let body = Body::new(answer.into_body()).into_data_stream();
        Ok(EventStream { client: self, body, bytes: Vec::new(), end: None })
    }

    async fn ask(&self, method: Method, path: &str, body: Body) -> Result<Value, ClientError> {
        let answer = self.send(method, path, body).await?;
        let bytes = in_time("the answer", ANSWER_WITHIN, to_bytes(Body::new(answer.into_body()), LARGEST)).await;
        let bytes = bytes.map_err(|why| self.unanswered(&why))?.map_err(|why| ClientError::Unanswered {
            server: self.server(),
            why: format!("the answer breaks off: {why}"),
        })?;
        serde_json::from_slice(&bytes).map_err(|_| self.foreign("its answer is not JSON"))
    }

    /// Sends a request, and returns the answer unless it is a refusal.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Body,
    ) -> Result<axum::http::Response<hyper::body::Incoming>, ClientError> {
        let mut request = Request::builder().method(method).uri(path).header(header::USER_AGENT, "spar");
        request = request.header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(body).map_err(|_| ClientError::Address {
            address: format!("{}{path}", self.server()),
            why: "it has characters that no address has",
        })?;
        let answer = send(&self.target, request, ANSWER_WITHIN).await.map_err(|why| self.unanswered(&why))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let said = in_time("the answer", ANSWER_WITHIN, to_bytes(Body::new(answer.into_body()), 64 << 10)).await;
        let said = said.ok().and_then(Result::ok).unwrap_or_default();
        Err(self.refused(status, &serde_json::from_slice(&said).unwrap_or_default()))
    }

    fn unanswered(&self, why: &Unanswered) -> ClientError {
        ClientError::Unanswered { server: self.server(), why: why.to_string() }
    }

    fn foreign(&self, why: &str) -> ClientError {
        ClientError::Foreign { server: self.server(), why: why.to_owned() }
    }

    /// Returns the error for a refusal, with the remedy where the server's words are for programs.
    fn refused(&self, status: StatusCode, said: &Value) -> ClientError {
        let why = match (status, said["error"].as_str()) {
            (StatusCode::UNAUTHORIZED, _) if self.token.is_none() => {
                "this server asks for a token: give the file with yours as --token-file FILE".to_owned()
            }
            (StatusCode::UNAUTHORIZED, _) => "the token in your --token-file is not one of this server".to_owned(),
            (_, Some(_)) => in_words(said),
            (status, None) => return self.foreign(&format!("it answers {status}")),
        };
        ClientError::Refused { server: self.server(), status: status.as_u16(), why }
    }
}

/// Returns an error in words, with its place and its remedy if they are known.
fn in_words(said: &Value) -> String {
    let text = |key: &str| said[key].as_str().filter(|text| !text.is_empty());
    let place = said["line"].as_u64().map_or_else(String::new, |line| format!("line {line}: "));
    let mut words = format!("{place}{}", text("error").unwrap_or_default());
    for (key, start, end) in [("label", " (", ")"), ("help", "\n  ", "")] {
        if let Some(text) = text(key) {
            words.extend([start, text, end]);
        }
    }
    words
}

/// An event of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientEvent {
    /// The event's kind: `run`, `job`, `gone`, `queue`, `reset` or another.
    pub kind: String,
    /// The event's id, with which later events can be requested.
    pub id: String,
    /// The event's data.
    pub data: Value,
}

/// A stream of events.
pub struct EventStream<'a> {
    client: &'a Client,
    body: BodyDataStream,
    bytes: Vec<u8>,
    end: Option<Instant>,
}

impl EventStream<'_> {
    /// Sets the time after which no event is waited for.
    pub fn end_at(&mut self, end: Instant) {
        self.end = Some(end);
    }

    /// Waits for the next event; `None` when the server ends the stream.
    ///
    /// # Errors
    /// Nothing arrived for longer than the server is ever silent, or the connection broke.
    pub fn next_event(&mut self) -> Result<Option<ClientEvent>, ClientError> {
        loop {
            if let Some(event) = taken(&mut self.bytes) {
                return Ok(Some(event));
            }
            let left = self.end.map_or(SILENT_FOR, |end| end.saturating_duration_since(Instant::now()).min(SILENT_FOR));
            let next = in_time("the next event", left, self.body.next());
            match self.client.runtime.block_on(next).map_err(|why| self.client.unanswered(&why))? {
                None => return Ok(None),
                Some(Ok(bytes)) if self.bytes.len() + bytes.len() <= LARGEST_EVENT => self.bytes.extend(bytes),
                Some(Ok(_)) => return Err(self.client.foreign("its event has no end")),
                Some(Err(why)) => return Err(self.client.unanswered(&Unanswered::Broken(why.to_string()))),
            }
        }
    }
}

/// Takes the first whole event out of the received bytes. Comment lines, which keep the connection alive, are skipped.
fn taken(bytes: &mut Vec<u8>) -> Option<ClientEvent> {
    loop {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
        let block: Vec<u8> = bytes.drain(..end + 2).collect();
        let mut event = ClientEvent { kind: String::new(), id: String::new(), data: Value::Null };
        let mut data = String::new();
        for line in String::from_utf8_lossy(&block).lines() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => value.clone_into(&mut event.kind),
                "id" => value.clone_into(&mut event.id),
                "data" => data.push_str(value),
                _ => {}
            }
        }
        if !data.is_empty() {
            event.data = serde_json::from_str(&data).unwrap_or_default();
            return Some(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_taken_whole_and_comments_left_out() {
        let mut bytes = b":\n\nevent: run\nid: 7-1\ndata: {\"name\":\"x\"}\n\nevent: go".to_vec();
        let event = taken(&mut bytes).expect("an event");
        let data = json!({ "name": "x" });
        assert_eq!(event, ClientEvent { kind: "run".to_owned(), id: "7-1".to_owned(), data });
        assert_eq!(taken(&mut bytes), None, "the rest has not come yet");
        bytes.extend(b"ne\ndata: {}\n\n");
        assert_eq!(taken(&mut bytes).map(|event| event.kind), Some("gone".to_owned()));
    }

    #[test]
    fn a_mistake_in_a_configuration_is_shown_with_its_place() {
        let said = json!({ "error": "unknown key `x`", "line": 3, "column": 1, "label": null, "help": "leave it out" });
        assert_eq!(in_words(&said), "line 3: unknown key `x`\n  leave it out");
        assert_eq!(in_words(&json!({ "error": "no" })), "no");
    }
}
