//! The sessions of a run: which process worked on it, when and for how long. These are facts about hosts, separate from
//! everything reproducible.

use super::{Journal, JournalError, JournalReader, Session};
use rusqlite::{Connection, params};
use std::time::{Duration, Instant};

/// The current session of this process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    number: i64,
    since: Instant,
}

impl Current {
    fn begin(connection: &Connection, session: &Session) -> rusqlite::Result<Self> {
        let sql =
            "INSERT INTO session (started_unix_ms, played_ms, host, concurrency, version) VALUES (?1, 0, ?2, ?3, ?4)";
        let row = params![session.started_unix_ms, session.host, session.concurrency as i64, session.version];
        let _one_row = connection.execute(sql, row)?;
        Ok(Self { number: connection.last_insert_rowid(), since: Instant::now() })
    }

    /// Returns the session's number in the journal.
    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Records how long the session has lasted.
    pub(super) fn keep_time(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "UPDATE session SET played_ms = ?2 WHERE session = ?1";
        super::put(connection, sql, params![self.number, self.since.elapsed().as_millis() as i64])
    }
}

impl Journal {
    /// Records that a process starts to work on the run. This is a fact about the host, separate from the run's
    /// identity.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn begin_session(&mut self, session: &Session) -> Result<(), JournalError> {
        let current = Current::begin(&self.reader.connection, session).map_err(|error| self.storage(error))?;
        self.reader.session = Some(current);
        self.move_times.clear();
        Ok(())
    }
}

impl JournalReader {
    /// Returns the total duration of all sessions, including the current one up to now.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn played_time(&self) -> Result<Duration, JournalError> {
        let own = self.session.map_or(-1, |session| session.number);
        let sql = "SELECT coalesce(sum(played_ms), 0) FROM session WHERE session <> ?1";
        let current = self.session.map_or(Duration::ZERO, |session| session.since.elapsed());
        Ok(Duration::from_millis(self.number(sql, [own])?) + current)
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
        assert_eq!(journal.played_time().unwrap(), Duration::ZERO);
        journal.begin_session(&session()).unwrap();
        let set = "UPDATE session SET played_ms = 7000";
        assert_eq!(journal.connection.execute(set, []).unwrap(), 1);
        let own = journal.played_time().unwrap();
        assert!(own < Duration::from_secs(7), "the current session is timed here: {own:?}");
        drop(journal);
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.played_time().unwrap(), Duration::from_secs(7));
        journal.begin_session(&session()).unwrap();
        assert!(journal.played_time().unwrap() >= Duration::from_secs(7));
        journal.fold();
        let read = JournalReader::open(&path).unwrap();
        assert!(read.played_time().unwrap() >= Duration::from_secs(7));
    }
}
