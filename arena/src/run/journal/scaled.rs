//! The factors by which time controls were scaled in each session, by this machine or by workers on other machines:
//! facts about hosts, separate from the run's identity.

use super::{Journal, JournalError};
use crate::config::HostScale;
use rusqlite::{Connection, Row, params};
use std::num::NonZeroU64;
use std::sync::Arc;

/// A worker and its factor for time controls.
pub(super) type OfWorker = (Arc<str>, HostScale);

impl Journal {
    /// Stores, with the next commit, the factor by which a worker on another machine scales time controls in the
    /// current session.
    pub fn keep_worker_scale(&mut self, worker: &Arc<str>, scale: HostScale) {
        self.scales.push((Arc::clone(worker), scale));
    }

    /// Stores the factor by which time controls are scaled in the current session.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn keep_scale(&mut self, scale: HostScale) -> Result<(), JournalError> {
        let sql = "UPDATE session SET scale = ?1, measured = ?2 WHERE session = (SELECT max(session) FROM session)";
        let kept = self.connection.execute(sql, params![scale.factor, stored(scale.measured)]);
        kept.map(drop).map_err(|error| self.storage(error))
    }
}

/// Stores the factors by which workers scale time controls in the current session.
pub(super) fn keep_of_workers(connection: &Connection, scales: &[OfWorker]) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO worker_scale (session, name, scale, measured)
        SELECT coalesce(max(session), 0), ?1, ?2, ?3 FROM session";
    scales.iter().try_for_each(|(worker, scale)| {
        super::put(connection, sql, params![worker.as_ref(), scale.factor, stored(scale.measured)])
    })
}

/// SQLite's integers are signed, but no host is that fast.
fn stored(measured: Option<NonZeroU64>) -> Option<i64> {
    measured.map(|nps| i64::try_from(nps.get()).unwrap_or(i64::MAX))
}

/// Reads a scale from two columns starting at `first`, if present.
pub(super) fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<HostScale>> {
    let Some(factor) = row.get(first)? else { return Ok(None) };
    let measured = row.get::<_, Option<i64>>(first + 1)?.and_then(|nps| NonZeroU64::new(nps.unsigned_abs()));
    Ok(Some(HostScale { factor, measured }))
}

/// Returns the scales of a session's workers on other machines, by name.
pub(super) fn of_workers(connection: &Connection, session: i64) -> rusqlite::Result<Vec<(String, HostScale)>> {
    let sql = "SELECT name, scale, measured FROM worker_scale WHERE session = ?1 ORDER BY name, scale";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([session], |row| Ok(read(row, 1)?.map(|scale| Ok((row.get(0)?, scale)))))?;
    rows.filter_map(Result::transpose).map(Result::flatten).collect()
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
        for (worker, scale) in [("west", given), ("east", measured), ("east", measured), ("east", given)] {
            journal.keep_worker_scale(&worker.into(), scale);
        }
        journal.keep_news().unwrap();
        journal.fold();
        let sessions = JournalReader::open(&path).unwrap().sessions().unwrap();
        assert_eq!(
            sessions.iter().map(|session| session.scale).collect::<Vec<_>>(),
            [None, Some(measured), Some(given)]
        );
        let workers = [("east", given), ("east", measured), ("west", given)];
        assert_eq!(sessions[2].worker_scales, workers.map(|(name, scale)| (name.to_owned(), scale)));
        assert!(sessions[1].worker_scales.is_empty());
    }
}
