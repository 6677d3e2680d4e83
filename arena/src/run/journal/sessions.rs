//! The sessions of a run: who worked on it, when and for how long. Facts about hosts, kept apart from all that is reproducible.
//!
//! Times lie in a table of their own, which journals of earlier versions do not have: it is added when a session begins.

use super::{Journal, JournalError, JournalReader, Session};
use rusqlite::{Connection, params};
use std::time::{Duration, Instant};

/// The table of how long sessions have lasted.
pub(super) const TABLE: &str = "session_time";

/// Milliseconds that each session has lasted so far: as of its last commit, should it not end in order.
const TIMES: &str =
    "CREATE TABLE IF NOT EXISTS session_time (session INTEGER PRIMARY KEY, played_ms INTEGER NOT NULL) WITHOUT ROWID";

/// The session that this process works in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    number: i64,
    since: Instant,
}

impl Current {
    fn begin(connection: &mut Connection, session: &Session) -> rusqlite::Result<Self> {
        let transaction = connection.transaction()?;
        transaction.execute_batch(TIMES)?;
        let sql = "INSERT INTO session (started_unix_ms, host, concurrency, version) VALUES (?1, ?2, ?3, ?4)";
        let row = params![session.started_unix_ms, session.host, session.concurrency as i64, session.version];
        let _one_row = transaction.execute(sql, row)?;
        let current = Self { number: transaction.last_insert_rowid(), since: Instant::now() };
        current.keep_time(&transaction)?;
        transaction.commit()?;
        Ok(current)
    }

    /// Its number in the journal.
    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Records how long it has lasted.
    pub(super) fn keep_time(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO session_time (session, played_ms) VALUES (?1, ?2)";
        let mut statement = connection.prepare_cached(sql)?;
        let _one_row = statement.execute(params![self.number, self.since.elapsed().as_millis() as i64])?;
        Ok(())
    }
}

impl Journal {
    /// Records that a process starts to work on the run: facts about the host, kept apart from the run's identity.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn begin_session(&mut self, session: &Session) -> Result<(), JournalError> {
        let current = Current::begin(&mut self.reader.connection, session).map_err(|error| self.storage(error))?;
        self.reader.session = Some(current);
        self.move_times.clear();
        Ok(())
    }
}

impl JournalReader {
    /// How long all sessions have lasted together, that of this process to this moment; `None` if there is none, or if one was held
    /// by a version that kept no time.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn played_time(&self) -> Result<Option<Duration>, JournalError> {
        let storage = |error| self.storage(error);
        if !self.has_table(TABLE).map_err(storage)? {
            return Ok(None);
        }
        let own = self.session.map_or(-1, |session| session.number);
        let sql = "SELECT count(*), count(t.played_ms), coalesce(sum(CASE WHEN s.session = ?1 THEN 0 ELSE t.played_ms END), 0)
             FROM session s LEFT JOIN session_time t USING (session)";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let (sessions, timed, others) = self.connection.query_row(sql, [own], read).map_err(storage)?;
        let current = self.session.map_or(Duration::ZERO, |session| session.since.elapsed());
        let is_known = sessions > 0 && sessions == timed;
        Ok(is_known.then(|| Duration::from_millis(others.unsigned_abs()) + current))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{Executables, run_header};
    use play::games::GameKind;

    fn session() -> Session {
        Session { started_unix_ms: 0, host: "here".to_owned(), concurrency: 1, version: "0".to_owned() }
    }

    #[test]
    fn a_runs_time_is_that_of_all_its_sessions() {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, std::path::Path::new("/")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut journal = Journal::create(&path, &header).unwrap();
        assert_eq!(journal.played_time().unwrap(), None);
        journal.begin_session(&session()).unwrap();
        let set = "UPDATE session_time SET played_ms = 7000";
        assert_eq!(journal.connection.execute(set, []).unwrap(), 1);
        let own = journal.played_time().unwrap().unwrap();
        assert!(own < Duration::from_secs(7), "the session at hand is timed here: {own:?}");
        drop(journal);
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.played_time().unwrap(), Some(Duration::from_secs(7)));
        journal.begin_session(&session()).unwrap();
        assert!(journal.played_time().unwrap().unwrap() >= Duration::from_secs(7));
        journal.fold();
        let read = JournalReader::open(&path).unwrap();
        assert!(read.played_time().unwrap().unwrap() >= Duration::from_secs(7));
    }

    #[test]
    fn journals_without_times_are_read_and_gone_on_with() {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, std::path::Path::new("/")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut journal = Journal::create(&path, &header).unwrap();
        journal.begin_session(&session()).unwrap();
        journal.connection.execute_batch("DROP TABLE session_time").unwrap();
        drop(journal);
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.played_time().unwrap(), None);
        journal.begin_session(&session()).unwrap();
        assert_eq!(journal.played_time().unwrap(), None, "the first session's time is not known");
    }
}
