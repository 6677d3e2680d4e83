//! Downloads: the output of `spar export` and the files of `spar report`.

use super::turns::Turn;
use super::{App, Refused, aside};
use crate::run::Run;
use arena::run::{Format, Timings, download};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use plan::jobs;
use reports::Report;
use serde::Deserialize;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Sender, channel};

/// The size of a piece in bytes.
const PIECE: usize = 64 << 10;
/// The maximum number of pieces that wait for the client.
const WAITING: usize = 4;
/// What a report's page may do: it contains its own style and script, and loads nothing.
pub(super) const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    img-src data:; frame-ancestors 'none'; sandbox allow-scripts";

/// The options of an export.
#[derive(Deserialize)]
pub(super) struct Extras {
    /// Whether to export wall times, too.
    #[serde(default)]
    timings: bool,
}

/// Returns all absorbed pairs of a run, streamed while they are read.
pub(super) async fn export(
    State(app): State<App>,
    Path((name, file)): Path<(String, String)>,
    Query(extras): Query<Extras>,
) -> Result<Response, Refused> {
    let run = app.run(&name)?;
    let (format, kind) =
        download(&file).ok_or_else(|| Refused::missing("there is no such export: see /api/openapi.json"))?;
    let timings = if extras.timings { Timings::Include } else { Timings::Omit };
    let busy = "many exports are being taken already: try again soon".to_owned();
    let place = Arc::clone(&app.exports).try_acquire_owned();
    let place = place.map_err(|_none_left| Refused(StatusCode::SERVICE_UNAVAILABLE, busy))?;
    let writers = Arc::clone(&app.writers);
    let (pieces, taken) = channel::<io::Result<Bytes>>(WAITING);
    let name = run.name.to_string();
    // The thread ends when it has written everything, or when the client has disconnected.
    tokio::task::spawn_blocking(move || {
        let out = Pieces { pieces: &pieces, turn: writers.take() };
        if let Err(why) = write(&run, format.as_ref(), timings, out) {
            // Breaks off the answer, so that no client takes it for complete.
            let _nobody_is_there = pieces.blocking_send(Err(io::Error::other(why)));
        }
        drop(place);
    });
    let body = unfold(taken, async |mut taken| Some((taken.recv().await?, taken)));
    Ok(attachment(&format!("{name}-{file}"), kind, Body::from_stream(body)))
}

fn write(run: &Run, format: &dyn Format, timings: Timings, pieces: Pieces<'_>) -> Result<(), String> {
    let (journal, header) = run.journal().map_err(|error| error.to_string())?;
    let mut experiment = jobs::experiment(&header.config).map_err(|error| error.to_string())?;
    let mut out = BufWriter::with_capacity(PIECE, pieces);
    let written = arena::run::export(&journal, experiment.as_mut(), format, timings, &mut out);
    written.map(drop).map_err(|error| error.to_string())
}

/// Sends the written pieces, and lets other exports write while it waits for its client.
struct Pieces<'a> {
    pieces: &'a Sender<io::Result<Bytes>>,
    turn: Turn<'a>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = match self.pieces.try_send(Ok(Bytes::copy_from_slice(bytes))) {
            Ok(()) => true,
            Err(TrySendError::Full(piece)) => self.turn.wait(|| self.pieces.blocking_send(piece)).is_ok(),
            Err(TrySendError::Closed(_piece)) => false,
        };
        if sent { Ok(bytes.len()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a file of a run's report.
pub(super) async fn report(
    State(app): State<App>,
    Path((name, file)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let report = app.report(&name, true).await?;
    let asked = file.clone();
    let made = aside(move || report.file(&asked, app.png).map_err(Refused::unreadable)).await?;
    let bytes = made.ok_or_else(|| Refused::missing("the report has no such file"))?;
    let kind = match file.rsplit('.').next() {
        Some("html") => {
            let policy = (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(REPORT_POLICY));
            return Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")), policy], bytes)
                .into_response());
        }
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/markdown; charset=utf-8",
    };
    Ok(attachment(&format!("{name}-{}", file.replace('/', "-")), kind, bytes.into()))
}

/// Returns an answer that browsers save as a file.
pub(super) fn attachment(name: &str, kind: &'static str, body: Body) -> Response {
    // Names of folders may contain anything; those of downloads need not.
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, disposition)], body)
        .into_response()
}

impl App {
    /// Returns the report of a run.
    pub(super) async fn report(&self, name: &str, fresh: bool) -> Result<Arc<Report>, Refused> {
        let run = self.run(name)?;
        let place = Arc::clone(&self.makers).acquire_owned().await.map_err(Refused::unreadable)?;
        let listing = Arc::clone(&self.listing);
        aside(move || {
            let report = run.report(fresh).map_err(Refused::unreadable);
            listing.reported(&run.name);
            drop(place);
            report
        })
        .await
    }
}
