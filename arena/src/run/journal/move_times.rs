//! Histograms of each entrant's move times in each session, separate from everything reproducible.
//!
//! They cover the pairs that the session committed, and are committed with them. For workers on other machines they are
//! stored by worker, so that the data of a distrusted worker can be dropped with its pairs.

use super::{JournalError, JournalReader, Played};
use play::{MoveTimes, Side};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The move times counted in a session, by entrant number and, if another machine played, by its worker.
pub(super) type Counted = BTreeMap<(u32, Option<Arc<str>>), MoveTimes>;

/// Returns the values of `counted` after a batch of pairs, only for entrants with new data.
pub(super) fn with(counted: &Counted, batch: &[Played]) -> Counted {
    let mut news = Counted::new();
    for Played { proposal, result, by, .. } in batch {
        for (game, record) in result.games.iter().enumerate() {
            let times = &record.circumstances.move_times;
            for side in [Side::First, Side::Second].into_iter().filter(|side| !times[*side].is_empty()) {
                let of = (proposal.seats[result.sides.seat(game, side)].entrant, by.clone());
                let before = || counted.get(&of).cloned().unwrap_or_default();
                news.entry(of.clone()).or_insert_with(before).merge(&times[side]);
            }
        }
    }
    news
}

/// Stores the move times counted in this session for some entrants.
pub(super) fn keep(connection: &Connection, session: i64, news: &Counted) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO move_time (session, entrant, worker, times) VALUES (?1, ?2, ?3, ?4)";
    news.iter().try_for_each(|((entrant, by), times)| {
        let worker = by.as_deref().unwrap_or_default();
        super::put(connection, sql, params![session, entrant, worker, super::pack(times)?])
    })
}

/// Deletes the move times that a worker reported.
pub(super) fn forget(connection: &Connection, worker: &str) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM move_time WHERE worker = ?1", [worker]).map(drop)
}

impl JournalReader {
    /// Returns the move times of each of this many entrants over all sessions.
    ///
    /// # Errors
    /// [`JournalError`] if the move times cannot be read.
    pub fn move_times(&self, entrants: usize) -> Result<Vec<MoveTimes>, JournalError> {
        let mut sums = vec![MoveTimes::default(); entrants];
        let storage = |error| self.storage(error);
        let mut statement =
            self.connection.prepare("SELECT session, entrant, times FROM move_time").map_err(storage)?;
        let mut rows = statement.query([]).map_err(storage)?;
        while let Some(row) = rows.next().map_err(storage)? {
            let session: i64 = row.get(0).map_err(storage)?;
            let damaged =
                |why: &dyn std::fmt::Display| self.damaged(format!("the move times of session {session}"), why);
            let entrant: usize = row.get::<_, u32>(1).map_err(|error| damaged(&error))? as usize;
            let times = row.get_ref(2).and_then(|blob| Ok(blob.as_blob()?)).map_err(|error| damaged(&error))?;
            let times: MoveTimes = record::from_bytes(times).map_err(|error| damaged(&error))?;
            let sum = sums.get_mut(entrant).ok_or_else(|| damaged(&format_args!("there is no entrant {entrant}")))?;
            sum.merge(&times);
        }
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{ByHost, Executables, run_header};
    use crate::run::{Journal, Session};
    use play::games::GameKind;
    use play::{BySide, DrawRule, Ending};
    use record::{Circumstances, GameRecord, PairResult, Proposal, Sides};
    use std::path::Path;
    use std::time::Duration;

    /// Returns a pair in which the first seat's moves took 1 ms in the first game and 2 ms in the second, and the
    /// opponent's 30 ms.
    fn played(pair: u64) -> Played {
        let of = |ms: u64| {
            let mut times = MoveTimes::default();
            times.add(Duration::from_millis(ms), None);
            times
        };
        let ending = Ending::Draw { by: DrawRule::Repetition };
        let game = |move_times| GameRecord {
            moves: vec![1, 2],
            ending: ending.clone(),
            nodes: BySide::default(),
            track: Vec::new(),
            circumstances: Circumstances { move_times, ..Circumstances::default() },
        };
        let times = [BySide { first: of(1), second: of(30) }, BySide { first: of(30), second: of(2) }];
        let result = PairResult {
            pair,
            start: None,
            opening: Vec::new(),
            sides: Sides::Swapped,
            games: times.map(game).to_vec(),
            took: Duration::ZERO,
        };
        Played { proposal: Proposal::of(1, 0, pair), result, by_host: ByHost::default(), by: None }
    }

    fn session() -> Session {
        Session { started_unix_ms: 5_000, host: "here".to_owned(), concurrency: 1, version: "0".to_owned() }
    }

    fn journal(path: &Path) -> Journal {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, Path::new("/")).expect("no programs"));
        Journal::create(path, &header).expect("a journal")
    }

    #[test]
    fn moves_of_all_sessions_are_those_of_their_entrants() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.sqlite");
        let mut first = journal(&path);
        first.begin_session(&session()).expect("a session");
        first.commit(&[played(0)]).expect("a commit");
        first.commit(&[played(1)]).expect("a commit");
        first.commit(&[played(1)]).expect_err("the pair exists already: it is not kept");
        drop(first);
        let mut second = Journal::open(&path).expect("the journal");
        second.begin_session(&session()).expect("a session");
        second.commit(&[played(2)]).expect("a commit");
        let times = second.move_times(2).expect("move times");
        let ms = |entrant: usize| times[entrant].wall.bins().map(|(_, count)| count).collect::<Vec<_>>();
        assert_eq!((ms(1), ms(0)), (vec![3, 3], vec![6]), "the first seat's is entrant 1");
        assert_eq!(times[1].wall.longest(), Duration::from_millis(2));
        assert!(second.move_times(1).is_err(), "there are two entrants");
        second.connection.execute("UPDATE session SET played_ms = 7000", []).expect("both sessions");
        let ends: Vec<_> = second.sessions().expect("sessions").iter().map(|stored| stored.ended_unix_ms).collect();
        assert_eq!(ends, [12_000, 12_000]);
    }

    #[test]
    fn what_a_worker_says_that_is_not_believed_goes_with_its_pairs() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder.path().join("journal.sqlite"));
        journal.begin_session(&session()).expect("a session");
        let by = |pair, worker: &str| Played { by: Some(worker.into()), ..played(pair) };
        journal.commit(&[by(0, "east"), by(1, "west"), by(2, "east")]).expect("a commit");
        let moves = |journal: &Journal| journal.move_times(2).expect("move times")[0].wall.count();
        assert_eq!(moves(&journal), 6);
        assert_eq!(journal.withdraw("east", "it lies").expect("two of its pairs"), 2);
        assert_eq!((moves(&journal), journal.withdrawals().expect("both")), (2, 2));
        journal.commit(&[by(0, "west"), played(2)]).expect("a commit");
        assert_eq!((moves(&journal), journal.stored_pairs().expect("all")), (6, 3));
    }
}
