//! By how much time controls were scaled in each session of work on a run: facts about the host, apart from the run's identity.
//!
//! Only runs with such time controls have the table.

use super::{Journal, JournalError};
use crate::config::HostScale;
use rusqlite::{Connection, params};
use std::num::NonZeroU64;

const SCALE: &str = "CREATE TABLE IF NOT EXISTS session_scale (
    session INTEGER PRIMARY KEY,
    factor REAL NOT NULL,
    measured INTEGER
) WITHOUT ROWID;";

impl Journal {
    /// Keeps by how much time controls are scaled in the session that works now.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn keep_scale(&mut self, scale: HostScale) -> Result<(), JournalError> {
        write(&self.connection, scale).map_err(|error| self.storage(error))
    }
}

fn write(connection: &Connection, scale: HostScale) -> rusqlite::Result<()> {
    connection.execute_batch(SCALE)?;
    let sql = "INSERT OR REPLACE INTO session_scale (session, factor, measured)
        SELECT coalesce(max(session), 0), ?1, ?2 FROM session";
    // SQLite's integers are signed; no host is that fast.
    let measured = scale.measured.map(|nps| i64::try_from(nps.get()).unwrap_or(i64::MAX));
    let _one_row = connection.execute(sql, params![scale.factor, measured])?;
    Ok(())
}

/// What a session has, if anything.
pub(super) fn of(connection: &Connection, session: i64) -> rusqlite::Result<Option<HostScale>> {
    let table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'session_scale'";
    if connection.query_row(table, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached("SELECT factor, measured FROM session_scale WHERE session = ?1")?;
    let mut rows = statement.query([session])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let measured = row.get::<_, Option<i64>>(1)?.and_then(|nps| NonZeroU64::new(nps.unsigned_abs()));
    Ok(Some(HostScale { factor: row.get(0)?, measured }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{Executables, JournalReader, Session, run_header};
    use play::games::GameKind;

    #[test]
    fn each_session_has_its_own_scale() {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, std::path::Path::new("/")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut journal = Journal::create(&path, &header).unwrap();
        let measured = HostScale { factor: 1.25, measured: NonZeroU64::new(800_000) };
        let given = HostScale { factor: 0.5, measured: None };
        for scale in [None, Some(measured), Some(given)] {
            let (host, version) = ("here".to_owned(), "0".to_owned());
            journal.begin_session(&Session { started_unix_ms: 0, host, concurrency: 1, version }).unwrap();
            if let Some(scale) = scale {
                journal.keep_scale(scale).unwrap();
            }
        }
        journal.fold();
        let sessions = JournalReader::open(&path).unwrap().sessions().unwrap();
        assert_eq!(
            sessions.iter().map(|session| session.scale).collect::<Vec<_>>(),
            [None, Some(measured), Some(given)]
        );
    }
}
