//! Posts the ends of runs to an address. Each delivery has an id, the time, and a signature over both and its body, as
//! in Standard Webhooks (<https://www.standardwebhooks.com>): HMAC-SHA256 with a secret that both ends know.
//! Undelivered messages wait in files, so they survive a restart of the server.

use crate::outgoing::{Target, Unanswered, send};
use crate::settings::SettingsError;
use crate::spool::Spool;
use crate::tokens::private_text;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use tokio::runtime::Runtime;

/// The deadline for an answer.
const WITHIN: Duration = Duration::from_secs(10);
/// The pauses before repeated attempts: there is one more attempt than pauses.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(15), Duration::from_mins(1), Duration::from_mins(4)];
/// The interval between attempts to read messages that could not be read.
const AGAIN: Duration = Duration::from_mins(5);
/// The prefix of a secret, before its base64.
const PREFIX: &str = "whsec_";
/// The length of a secret in bytes: shorter secrets are too easily guessed.
const SECRET: std::ops::RangeInclusive<usize> = 24..=64;

/// The address to which the ends of runs are posted, and the secret of the signatures.
#[derive(Clone)]
pub struct Webhook {
    target: Target,
    key: hmac::Key,
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Webhook").field(&self.target).finish()
    }
}

impl Webhook {
    /// Returns a webhook to an address, with the secret in a file that only the owner can read.
    ///
    /// # Errors
    /// [`SettingsError`] if the address or the file cannot be used.
    pub fn read(address: &str, secret: &Path) -> Result<Self, SettingsError> {
        let target = Target::parse(address).map_err(|why| SettingsError::Webhook(format!("--webhook: {why}")))?;
        let text = private_text(secret)?;
        let bytes = text.trim().strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.filter(|bytes| SECRET.contains(&bytes.len())).ok_or_else(|| {
            SettingsError::Webhook(format!(
                "{} is not a webhook secret: `(umask 077; echo \"{PREFIX}$(openssl rand -base64 32)\" > {0})` makes \
                 one",
                secret.display()
            ))
        })?;
        Ok(Self { target, key: hmac::Key::new(hmac::HMAC_SHA256, &bytes) })
    }

    /// Returns the signature of a body with its id and its time.
    fn signature(&self, id: &str, seconds: i64, body: &str) -> String {
        let tag = hmac::sign(&self.key, format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(tag))
    }

    fn request(&self, id: &str, seconds: i64, body: &str) -> Result<Request<Body>, String> {
        let request = Request::post(self.target.path.as_str())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, "spar")
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", self.signature(id, seconds, body));
        request.body(Body::from(body.to_owned())).map_err(|why| why.to_string())
    }
}

/// The kind of a row that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// A run that is not a part of a job.
    Run,
    /// A bisection or a campaign.
    Job,
}

impl Ended {
    /// Returns the `type` of the message.
    fn name(self) -> &'static str {
        match self {
            Self::Run => "run.ended",
            Self::Job => "job.ended",
        }
    }
}

/// Accepts ended runs and jobs; a separate thread delivers them, one after the other.
#[derive(Debug)]
pub(crate) struct Deliverer {
    spool: Arc<Spool>,
    wake: SyncSender<()>,
}

impl Deliverer {
    /// Starts the thread. It first delivers what an earlier server left in the spool, and ends with the deliverer.
    ///
    /// # Errors
    /// The system grants no thread.
    pub(crate) fn start(webhook: Webhook, spool: Spool) -> io::Result<Self> {
        let spool = Arc::new(spool);
        let (wake, woken) = sync_channel(1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let waiting = Arc::clone(&spool);
        let deliver = move || {
            loop {
                deliver_waiting(&webhook, &runtime, &waiting, &PAUSES);
                if woken.recv_timeout(AGAIN) == Err(RecvTimeoutError::Disconnected) {
                    break;
                }
            }
        };
        let _ends_by_itself = std::thread::Builder::new().name("webhook".to_owned()).spawn(deliver)?;
        Ok(Self { spool, wake })
    }

    /// Delivers the row of a run or a job that has ended.
    pub(crate) fn ended(&self, what: Ended, row: &str) {
        let now_ms = session::unix_ms();
        if let Err(why) = self.spool.keep(now_ms.unsigned_abs(), &body(what, row, now_ms)) {
            eprintln!("spar serve: --webhook: {} is not delivered: {why}", what.name());
        }
        // If the channel is full, the thread will wake up anyway.
        let _is_woken = self.wake.try_send(());
    }
}

/// Delivers the waiting messages, the oldest first. A message that is refused or not answered is given up.
fn deliver_waiting(webhook: &Webhook, runtime: &Runtime, spool: &Spool, pauses: &[Duration]) {
    let report = |why: &dyn fmt::Display| eprintln!("spar serve: --webhook: {}: {why}", webhook.target.authority);
    let ids = spool.waiting().unwrap_or_else(|why| {
        report(&why);
        Vec::new()
    });
    for id in ids {
        let body = match spool.read(&id) {
            Ok(body) => body,
            // The message may be readable later.
            Err(why) => {
                report(&why);
                continue;
            }
        };
        if let Err(why) = runtime.block_on(deliver(webhook, &id, &body, pauses)) {
            report(&why);
        }
        if let Err(why) = spool.remove(&id) {
            report(&why);
        }
    }
}

/// Returns the body of the message for a run or a job that has ended.
fn body(what: Ended, row: &str, now_ms: i64) -> String {
    let row: Value = serde_json::from_str(row).unwrap_or_default();
    json!({ "type": what.name(), "timestamp": reports::text::iso(now_ms), "data": row }).to_string()
}

/// Posts a body until it is accepted, it is refused for good, or there is no further attempt.
///
/// # Errors
/// Why it was not accepted, in a sentence.
async fn deliver(webhook: &Webhook, id: &str, body: &str, pauses: &[Duration]) -> Result<(), String> {
    for attempt in 0.. {
        let request = webhook.request(id, session::unix_ms() / 1000, body)?;
        let why = match send(&webhook.target, request, WITHIN).await {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) if !is_passing(answer.status()) => {
                return Err(format!("{id} is refused with {}", answer.status()));
            }
            Ok(answer) => answer.status().to_string(),
            Err(unanswered @ (Unanswered::Unreachable(_) | Unanswered::Late { .. } | Unanswered::Broken(_))) => {
                unanswered.to_string()
            }
        };
        let Some(pause) = pauses.get(attempt) else {
            return Err(format!("{id} is not delivered after {} attempts: {why}", attempt + 1));
        };
        tokio::time::sleep(*pause).await;
    }
    Ok(())
}

/// Whether a refusal may be temporary.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS].contains(&status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_message_says_what_has_ended() {
        for (what, expected) in [(Ended::Run, "run.ended"), (Ended::Job, "job.ended")] {
            let message: Value = serde_json::from_str(&body(what, r#"{"name":"x"}"#, 0)).expect("JSON");
            assert_eq!((&message["type"], &message["data"]["name"]), (&json!(expected), &json!("x")));
        }
    }
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt;
    use std::thread::JoinHandle;

    /// Returns a webhook to this port, with the secret of the standard's own example.
    fn to(port: u16) -> Webhook {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").expect("it is written");
        std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o600)).expect("its owner");
        Webhook::read(&format!("http://127.0.0.1:{port}/hook?x=1"), &secret).expect("a webhook")
    }

    /// Starts a server that answers with these statuses. Its thread returns the head and the body of each request.
    fn answering(statuses: &'static [&'static str]) -> (u16, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let serve = move || {
            let answer = |status: &&str| {
                let (stream, _) = listener.accept().expect("a client");
                stream.set_read_timeout(Some(Duration::from_mins(10))).expect("a deadline");
                let (mut reader, mut head, mut length) = (BufReader::new(&stream), String::new(), 0);
                while !head.ends_with("\r\n\r\n") {
                    reader.read_line(&mut head).expect("a line");
                    let line = head.lines().last().unwrap_or_default();
                    length =
                        line.strip_prefix("content-length: ").map_or(length, |text| text.parse().expect("a number"));
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("a body");
                (&stream)
                    .write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes())
                    .expect("sent");
                head + &String::from_utf8(body).expect("UTF-8")
            };
            statuses.iter().map(answer).collect()
        };
        (port, std::thread::spawn(serve))
    }

    fn delivered(port: u16, pauses: &[Duration]) -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(deliver(&to(port), "msg_1", "{}", pauses))
    }

    #[test]
    fn signatures_are_those_of_the_standard() {
        // The example in the specification of Standard Webhooks.
        let signature = to(1).signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_delivery_is_repeated_under_its_id_until_it_is_taken() {
        let (port, server) = answering(&["503 Busy", "429 Slow", "204 Taken"]);
        delivered(port, &[Duration::ZERO; 4]).expect("it is taken");
        let seen = server.join().expect("an end");
        for request in &seen {
            assert!(request.starts_with("POST /hook?x=1 HTTP/1.1\r\n") && request.ends_with("\r\n\r\n{}"), "{request}");
            let head = request.to_lowercase();
            assert!(head.contains("webhook-id: msg_1\r\n") && head.contains("webhook-signature: v1,"), "{request}");
        }
        assert_eq!(seen.len(), 3);
    }

    #[test]
    fn attempts_are_bounded_and_a_final_refusal_ends_them() {
        let (port, server) = answering(&["500 Broken", "500 Broken"]);
        let why = delivered(port, &[Duration::ZERO]).expect_err("it is not taken");
        assert!(why.contains("not delivered after 2 attempts: 500"), "{why}");
        server.join().expect("an end");
        let (port, server) = answering(&["301 Elsewhere"]);
        let why = delivered(port, &[Duration::ZERO; 4]).expect_err("nothing is followed");
        assert!(why.contains("refused with 301"), "{why}");
        server.join().expect("an end");
        // Nothing listens on that port any more.
        let why = delivered(port, &[]).expect_err("no server");
        assert!(why.contains("not delivered after 1 attempts"), "{why}");
    }

    #[test]
    fn what_waits_is_delivered_in_order_and_a_refusal_holds_nothing_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::open(folder.path()).expect("a spool");
        for (ms, row) in [(2, "\"second\""), (1, "\"first\""), (3, "\"third\"")] {
            spool.keep(ms, row).expect("it is kept");
        }
        let ids = spool.waiting().expect("they are read");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (port, server) = answering(&["204 Taken", "410 Gone", "204 Taken"]);
        deliver_waiting(&to(port), &runtime, &spool, &[]);
        let seen = server.join().expect("an end");
        for ((request, id), body) in seen.iter().zip(&ids).zip(["first", "second", "third"]) {
            let is_whole = request.to_lowercase().contains(&format!("webhook-id: {id}\r\n"));
            assert!(is_whole && request.ends_with(&format!("\r\n\r\n\"{body}\"")), "{request}");
        }
        assert_eq!((seen.len(), spool.waiting().expect("they are read").len()), (3, 0));
    }

    #[test]
    fn secrets_that_are_short_or_shared_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = folder.path().join("secret");
        for (text, mode, says) in [
            ("whsec_c2hvcnQ=", 0o600, "is not a webhook secret"),
            ("a plain text that is long enough for one", 0o600, "is not a webhook secret"),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 0o644, "others can read"),
        ] {
            std::fs::write(&secret, text).expect("it is written");
            std::fs::set_permissions(&secret, PermissionsExt::from_mode(mode)).expect("its owner");
            let why = Webhook::read("https://hooks.example/x", &secret).expect_err("it is refused").to_string();
            assert!(why.contains(says) && !why.contains(text), "{why}");
        }
        let why = Webhook::read("hooks.example", &secret).expect_err("no address").to_string();
        assert!(why.starts_with("--webhook: "), "{why}");
    }
}
