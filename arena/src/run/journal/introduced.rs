//! The introductions of engines in each session of a run: facts that are not part of the run's identity.

use super::{Journal, JournalError, JournalReader, Session, scaled};
use crate::config::HostScale;
use crate::run::introductions::Introductions;
use play::players::process::Introduction;
use rusqlite::{Connection, Row, params};
use std::sync::Arc;

/// A session as stored in the journal.
#[derive(Clone, Debug)]
pub struct StoredSession {
    /// The process, its host and its start time.
    pub session: Session,
    /// When the session ended, in milliseconds since 1970; the time of its last commit if it is running or did not end
    /// properly.
    pub ended_unix_ms: i64,
    /// The engines' introductions, each with the number of its entrant.
    pub introductions: Vec<(usize, Introduction)>,
    /// The factor for time controls, if they were scaled.
    pub scale: Option<HostScale>,
    /// The factors by which workers on other machines scaled time controls to their own speeds, if any.
    pub worker_scales: Vec<(String, HostScale)>,
}

impl Journal {
    /// From now on, stores new introductions of engines with every commit.
    pub fn listen(&mut self, introductions: Arc<Introductions>) {
        self.introductions = Some(introductions);
    }
}

impl JournalReader {
    /// Returns all sessions of the run, the earliest first.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn sessions(&self) -> Result<Vec<StoredSession>, JournalError> {
        let connection = &self.connection;
        let sql = "SELECT session, started_unix_ms, host, concurrency, version, played_ms, scale, measured FROM \
            session ORDER BY session";
        self.rows(sql, [], |row| {
            let (number, session, played_ms) = (row.get(0)?, session(row)?, row.get::<_, i64>(5)?);
            Ok(StoredSession {
                ended_unix_ms: session.started_unix_ms.saturating_add(played_ms),
                introductions: introductions_of(connection, number)?,
                scale: scaled::read(row, 6)?,
                worker_scales: scaled::of_workers(connection, number)?,
                session,
            })
        })
    }
}

/// Stores the introductions since the last commit under the current session.
pub(super) fn keep_news(connection: &Connection, introductions: &Introductions) -> rusqlite::Result<()> {
    let sql = "INSERT INTO introduction (session, entrant, name, author)
            SELECT coalesce(max(session), 0), ?1, ?2, ?3 FROM session";
    introductions.news().into_iter().try_for_each(|(entrant, Introduction { name, author })| {
        super::put(connection, sql, params![entrant as i64, name, author])
    })
}

fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        started_unix_ms: row.get(1)?,
        host: row.get(2)?,
        concurrency: row.get::<_, i64>(3)?.unsigned_abs() as usize,
        version: row.get(4)?,
    })
}

fn introductions_of(connection: &Connection, session: i64) -> rusqlite::Result<Vec<(usize, Introduction)>> {
    let sql = "SELECT entrant, name, author FROM introduction WHERE session = ?1 ORDER BY entrant, rowid";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([session], |row| {
        let introduction = Introduction { name: row.get(1)?, author: row.get(2)? };
        Ok((row.get::<_, i64>(0)?.unsigned_abs() as usize, introduction))
    })?;
    rows.collect()
}
