//! The journal is a run's only state: one SQLite file, written by one thread, crash-safe at every instant.
//!
//! A pair is finished once its row is committed. The journal stores no tallies: a standing comes from absorbing the
//! pairs again. It judges nothing and stores what it gets. Wall times, hosts and dates are in separate tables, so that
//! everything else is reproducible.

mod elsewhere;
mod header;
mod introduced;
mod lines;
mod mark;
mod move_times;
mod outline;
mod place;
mod read;
mod scaled;
mod schema;
mod sessions;
mod withdrawn;

pub use header::{Difference, Header, compare, differences};
pub use introduced::StoredSession;
pub use mark::JournalMark;
pub use outline::{PairEndings, PairOrder, PairOutline};
pub use read::{FaultCount, StoredPair, StoredResult};

use super::by_host::ByHost;
use super::introductions::Introductions;
use super::replace::NewFile;
use place::Place;
use record::{PairIndex, PairResult, Proposal};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row, params};
use schema::{APPLICATION_ID, FORMAT, SCHEMA};
use serde::Serialize;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long other processes may hold the journal at a stretch before that is an error. Reading long runs takes a while.
const BUSY_FOR: Duration = Duration::from_mins(1);

/// A journal that cannot be created, read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// SQLite reported an error, such as a full disk, a damaged file or a missing permission.
    #[error("journal {path}: {cause}{advice}")]
    Storage {
        /// The journal's file.
        path: PathBuf,
        /// SQLite's error.
        cause: rusqlite::Error,
        /// A remedy; may be empty.
        advice: &'static str,
    },
    /// A new journal's file cannot be moved into place.
    #[error("cannot make journal {path}: {cause}")]
    Unplaced {
        /// The journal's file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The journal's files have been replaced or removed while in use.
    #[error("journal {path} was {what} while it was in use")]
    Displaced {
        /// The journal's file.
        path: PathBuf,
        /// What has happened to the file.
        what: &'static str,
    },
    /// The file is not a spar journal.
    #[error("{path} is not a journal of spar")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The journal was written by another version.
    #[error("journal {path} has format {found}, and this spar reads format {FORMAT}: use the spar that wrote it")]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: i32,
    },
    /// A row or the header cannot be read.
    #[error("journal {path} is damaged at {place}: {why}. Its other pairs are untouched; restore a copy to continue")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The pair or header field.
        place: String,
        /// What is wrong.
        why: String,
    },
}

/// A pair to store: the proposal as played, its result, and the host's influence.
#[derive(Clone, Debug)]
pub struct Played {
    /// The proposal as played.
    pub proposal: Proposal,
    /// The result.
    pub result: PairResult,
    /// What the host did to the players, as judged by the receiver of the result.
    pub by_host: ByHost,
    /// The worker on another machine that played the pair, if any.
    pub by: Option<Arc<str>>,
}

impl Played {
    /// Returns the games that each seat lost by its own faults, without those that the host caused.
    pub(super) fn own_faults(&self) -> [u64; 2] {
        let all = self.result.faults_by_seat();
        [0, 1].map(|seat| all[seat].saturating_sub(self.by_host.faults[seat]))
    }
}

/// A journal opened for reading, even while another process writes it.
#[derive(Debug)]
pub struct JournalReader {
    connection: Connection,
    path: PathBuf,
    /// The session of this process, if it works on the run.
    session: Option<sessions::Current>,
}

/// A journal opened for writing. It also reads, as a [`JournalReader`].
#[derive(Debug)]
pub struct Journal {
    reader: JournalReader,
    place: Place,
    /// The source of engine introductions in the current session.
    introductions: Option<Arc<Introductions>>,
    /// The move times counted in this session.
    move_times: move_times::Counted,
    /// The pairs checked since the last commit.
    checked: Vec<withdrawn::Checked>,
    /// The workers' time scales reported since the last commit.
    scales: Vec<scaled::OfWorker>,
}

impl Deref for Journal {
    type Target = JournalReader;

    fn deref(&self) -> &JournalReader {
        &self.reader
    }
}

impl JournalReader {
    /// Opens a journal.
    ///
    /// # Errors
    /// [`JournalError`] if there is none, or it is not a spar journal, has another format or is damaged.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        // A journal in WAL mode needs a writable side file even to be read.
        let reader = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        reader.check_format()?;
        Ok(reader)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, JournalError> {
        let storage = |cause| JournalError::Storage { path: path.to_owned(), cause, advice: "" };
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(storage)?;
        connection.busy_timeout(BUSY_FOR).map_err(storage)?;
        Ok(Self { connection, path: path.to_owned(), session: None })
    }

    fn check_format(&self) -> Result<(), JournalError> {
        let number = |name| self.connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let application = number("application_id").map_err(|error| self.storage(error))?;
        let found = number("user_version").map_err(|error| self.storage(error))?;
        if application != APPLICATION_ID {
            return Err(JournalError::Foreign { path: self.path.clone() });
        }
        if found != FORMAT {
            return Err(JournalError::OtherFormat { path: self.path.clone(), found });
        }
        Ok(())
    }

    /// Returns the number of void attempts at a pair.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn attempts(&self, pair: PairIndex) -> Result<u32, JournalError> {
        self.number("SELECT count(*) FROM attempt WHERE pair = ?1", [key(pair)]).map(|attempts| attempts as u32)
    }

    /// Writes a copy of the whole journal into a new file, even if its own file was moved or removed.
    ///
    /// # Errors
    /// [`JournalError::Storage`] if the copy cannot be written.
    pub fn save_to(&self, path: &Path) -> Result<(), JournalError> {
        let storage = |cause| JournalError::Storage { path: path.to_owned(), cause, advice: "" };
        let written = self.connection.execute("VACUUM INTO ?1", [path.to_string_lossy()]);
        written.map(drop).map_err(storage)
    }

    /// Returns the path of the journal's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn storage(&self, cause: rusqlite::Error) -> JournalError {
        use rusqlite::ErrorCode;
        let advice = match cause.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => ". Free some space, or allow larger files",
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                ". The file is truncated or overwritten: restore a copy"
            }
            Some(ErrorCode::CannotOpen) => ". Check the path and its permissions",
            Some(ErrorCode::ReadOnly) => ". It cannot be written: check its permissions",
            _ => "",
        };
        JournalError::Storage { path: self.path.clone(), cause, advice }
    }

    /// Collects what `read` returns for each row of a query.
    fn rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        of: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, JournalError> {
        let rows = || self.connection.prepare_cached(sql)?.query_map(of, read)?.collect::<rusqlite::Result<C>>();
        rows().map_err(|error| self.storage(error))
    }

    /// Returns what `read` returns for the first row of a query, if any.
    fn row<T>(
        &self,
        sql: &str,
        of: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, JournalError> {
        let row = || self.connection.prepare_cached(sql)?.query_row(of, read).optional();
        row().map_err(|error| self.storage(error))
    }

    /// Returns the single number that a query yields, such as a count or a sum.
    fn number(&self, sql: &str, of: impl Params) -> Result<u64, JournalError> {
        self.row(sql, of, number).map(Option::unwrap_or_default)
    }

    fn damaged(&self, place: impl Into<String>, why: &dyn std::fmt::Display) -> JournalError {
        JournalError::Damaged { path: self.path.clone(), place: place.into(), why: why.to_string() }
    }
}

impl Journal {
    /// Creates the journal of a new run. It is written to a temporary file and moved into place, so that readers see
    /// all of it or nothing.
    ///
    /// # Errors
    /// [`JournalError::Storage`] or [`JournalError::Unplaced`] if the file exists or cannot be written; nothing is left
    /// then.
    pub fn create(path: &Path, header: &Header) -> Result<Self, JournalError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let unplaced = |cause| JournalError::Unplaced { path: path.to_owned(), cause };
        let new = NewFile::beside(path).map_err(unplaced)?;
        let mut reader = JournalReader::connect(new.path(), flags)?;
        let fill = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
            header::write(&transaction, header)?;
            transaction.commit()
        };
        fill(&mut reader.connection).map_err(|error| reader.storage(error))?;
        drop(reader);
        new.place().map_err(unplaced)?;
        let journal = Self::open(path)?;
        // Rewrites every page into the log beside the file: until the log is folded in, truncating the file loses
        // nothing.
        journal.connection.execute_batch("VACUUM").map_err(|error| journal.storage(error))?;
        Ok(journal)
    }

    /// Opens an existing journal for reading and appending.
    ///
    /// # Errors
    /// [`JournalError`] if there is none, or it is not a spar journal, has another format or is damaged.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let reader = JournalReader::open(path)?;
        set_durability(&reader)?;
        Ok(Self::of(reader))
    }

    fn of(reader: JournalReader) -> Self {
        let place = Place::of(&reader.path);
        Self {
            place,
            reader,
            introductions: None,
            move_times: move_times::Counted::new(),
            checked: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Commits finished pairs, all or none. Once this returns they survive a power cut.
    ///
    /// # Errors
    /// [`JournalError::Storage`] if nothing of the batch is stored. [`JournalError::Displaced`] if the batch is stored,
    /// but in a file without a name; [`save_to`](JournalReader::save_to) can write it elsewhere.
    pub fn commit(&mut self, batch: &[Played]) -> Result<(), JournalError> {
        let Self {
            reader: JournalReader { connection, session, .. }, introductions, move_times, checked, scales, ..
        } = self;
        let moves = move_times::with(move_times, batch);
        let mut write = || {
            let transaction = connection.transaction()?;
            for played in batch {
                insert(&transaction, played)?;
            }
            if let Some(session) = session {
                session.keep_time(&transaction)?;
                move_times::keep(&transaction, session.number(), &moves)?;
            }
            introductions.as_deref().map_or(Ok(()), |news| introduced::keep_news(&transaction, news))?;
            withdrawn::keep_checked(&transaction, checked)?;
            scaled::keep_of_workers(&transaction, scales)?;
            transaction.commit()
        };
        write().map_err(|error| self.storage(error))?;
        self.move_times.extend(moves);
        self.checked.clear();
        self.scales.clear();
        self.in_place()
    }

    /// Stores immediately what was [checked](Self::checked) or [reported](Self::keep_worker_scale) since the last
    /// commit.
    ///
    /// # Errors
    /// As for [`commit`](Self::commit).
    pub fn keep_news(&mut self) -> Result<(), JournalError> {
        if self.checked.is_empty() && self.scales.is_empty() { Ok(()) } else { self.commit(&[]) }
    }

    /// Checks that the journal's files are still in place.
    ///
    /// # Errors
    /// [`JournalError::Displaced`] if they are not.
    pub fn in_place(&mut self) -> Result<(), JournalError> {
        self.place.look().map_err(|what| JournalError::Displaced { path: self.reader.path.clone(), what })
    }

    /// Stores a pair that was void because the host starved it. Returns the number of attempts at it now stored.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn void(&mut self, result: &PairResult) -> Result<u32, JournalError> {
        let pair = key(result.pair);
        let write = |connection: &Connection| {
            let count = "SELECT count(*) FROM attempt WHERE pair = ?1";
            let before: u32 = connection.query_row(count, [pair], |row| row.get(0))?;
            let sql = "INSERT INTO attempt (pair, attempt, result) VALUES (?1, ?2, ?3)";
            let _one_row = connection.execute(sql, params![pair, before, pack(result)?])?;
            Ok(before + 1)
        };
        write(&self.connection).map_err(|error| self.storage(error))
    }

    /// Folds the side files into the journal, so that the single file can be copied. This is optional: while another
    /// process reads the journal the side files stay, and it is equally valid with them.
    pub fn fold(self) {
        let _kept_as_of_the_last_commit = self.session.map_or(Ok(()), |session| session.keep_time(&self.connection));
        let at_once = self.connection.busy_timeout(Duration::ZERO);
        let _still_being_read = at_once.and_then(|()| self.connection.pragma_update(None, "journal_mode", "delete"));
    }
}

/// From now on every commit survives a power cut, and this process also owns the log: a reader that closes the journal
/// leaves the log in place.
fn set_durability(reader: &JournalReader) -> Result<(), JournalError> {
    let set = || {
        reader.connection.pragma_update(None, "journal_mode", "wal")?;
        reader.connection.pragma_update(None, "synchronous", "full")
    };
    set().map_err(|error| reader.storage(error))?;
    // Open the log now; otherwise the next read or write would open it, perhaps much later.
    reader.end().map(drop)
}

/// Facts about a process that works on a run. They are not part of the run's identity.
#[derive(Clone, Debug)]
pub struct Session {
    /// When the process started, in milliseconds since 1970.
    pub started_unix_ms: i64,
    /// The machine.
    pub host: String,
    /// The number of workers; 0 if other machines played.
    pub concurrency: usize,
    /// The version of spar.
    pub version: String,
}

fn insert(connection: &Connection, played: &Played) -> rusqlite::Result<()> {
    let Played { proposal, result, by_host, by } = played;
    let pair = key(result.pair);
    // A single game leaves the columns of the second game empty: zeros and empty blobs.
    let [a, b] = both(result.scores().into_iter().map(stats::Score::half_points));
    let plies = both(result.games.iter().map(|game| game.moves.len() as i64));
    let faults = result.faults_by_seat().map(u64::cast_signed);
    let host_caused = by_host.faults.map(u64::cast_signed);
    let sql = "INSERT INTO pair
            (pair, proposal, score0, score1, plies0, plies1, faults0, faults1, excused0, excused1, starved)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let row = params![
        pair,
        pack(proposal)?,
        a,
        b,
        plies[0],
        plies[1],
        faults[0],
        faults[1],
        host_caused[0],
        host_caused[1],
        by_host.starved_games.cast_signed()
    ];
    put(connection, sql, row)?;
    let packed = result.games.iter().map(|game| pack(&(&game.moves, &game.ending, &game.nodes)));
    let [g, h] = both(packed.collect::<Result<Vec<_>, _>>()?);
    let sql = "INSERT INTO games (pair, start, opening, game0, game1) VALUES (?1, ?2, ?3, ?4, ?5)";
    put(connection, sql, params![pair, result.start, pack(&result.opening)?, g, h])?;
    let times = result.games.iter().map(|game| game.circumstances.times).collect::<Vec<_>>();
    let times = pack(&(result.took, times))?;
    put(connection, "INSERT INTO times (pair, times) VALUES (?1, ?2)", params![pair, times])?;
    lines::keep(connection, result)?;
    by.as_ref().map_or(Ok(()), |by| elsewhere::keep(connection, result.pair, by))?;
    for (game, record) in result.games.iter().enumerate() {
        if let Some(text) = &record.circumstances.evidence {
            let sql = "INSERT INTO evidence (pair, game, text) VALUES (?1, ?2, ?3)";
            put(connection, sql, params![pair, game as i64, text])?;
        }
    }
    if result.games.iter().any(|game| !game.track.is_empty()) {
        let tracks = result.games.iter().map(|game| pack(&game.track)).collect::<Result<Vec<_>, _>>()?;
        let [g, h] = both(tracks);
        put(connection, "INSERT INTO track (pair, track0, track1) VALUES (?1, ?2, ?3)", params![pair, g, h])?;
    }
    Ok(())
}

/// Executes a cached prepared statement.
fn put(connection: &Connection, sql: &str, row: impl Params) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

/// Returns the first column of a row, a number that is never negative.
fn number(row: &Row<'_>) -> rusqlite::Result<u64> {
    row.get::<_, i64>(0).map(i64::unsigned_abs)
}

/// Returns a value for each of a pair's two games; the default for a missing second game.
fn both<T: Default>(of_games: impl IntoIterator<Item = T>) -> [T; 2] {
    let mut games = of_games.into_iter();
    [(); 2].map(|()| games.next().unwrap_or_default())
}

/// Returns the SQLite key of a pair. SQLite's integers are signed, but pair numbers stay far below their limit.
fn key(pair: PairIndex) -> i64 {
    i64::try_from(pair).unwrap_or(i64::MAX)
}

fn pack<T: Serialize>(value: &T) -> rusqlite::Result<Vec<u8>> {
    record::to_bytes(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{Executables, run_header};
    use play::games::GameKind;

    /// What SQLite guarantees of commits: 2 is FULL. Only a power cut could show the difference.
    fn durability(journal: &Journal) -> (i64, String) {
        let synchronous = journal.connection.pragma_query_value(None, "synchronous", |row| row.get(0));
        let mode = journal.connection.pragma_query_value(None, "journal_mode", |row| row.get(0));
        (synchronous.unwrap(), mode.unwrap())
    }

    #[test]
    fn commits_survive_a_power_cut_in_a_new_and_in_an_opened_journal() {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, Path::new("/")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let created = Journal::create(&path, &header).unwrap();
        assert_eq!(durability(&created), (2, "wal".to_owned()));
        created.fold();
        assert_eq!(durability(&Journal::open(&path).unwrap()), (2, "wal".to_owned()));
    }
}
