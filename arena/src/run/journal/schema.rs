//! The journal's tables. Blobs are encodings of the types in `run::pair`, whose layout is part of the format.

/// Marks a SQLite file as a journal of spar's: "spar" in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x7370_6172;

/// The version of the format. Whatever would mislead a spar that does not know it raises this number.
pub(super) const FORMAT: i32 = 1;

/// Scores are from the first seat's view: 0 loss, 1 draw, 2 win; faults are games lost by a fault, by seat,
/// excused those of them lost on time because the host starved the loser, and starved the games in which the host
/// starved anybody. Attempts are pairs that were void because of that. `pair` holds
/// what replay needs, so that it reads little. Of a single game the columns of the second hold zeros and empty blobs.
///
/// Of a session, `played_ms` is how long it has lasted as of its last commit; `scale` and `measured` are null where no
/// time control is scaled. A worker that was started again may be faster or slower then, and has one row in
/// `worker_scale` for each of its factors. Move times of this process have an empty text for a worker.
pub(super) const SCHEMA: &str = "
CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pair (
    pair INTEGER PRIMARY KEY,
    proposal BLOB NOT NULL,
    score0 INTEGER NOT NULL,
    score1 INTEGER NOT NULL,
    plies0 INTEGER NOT NULL,
    plies1 INTEGER NOT NULL,
    faults0 INTEGER NOT NULL,
    faults1 INTEGER NOT NULL,
    excused0 INTEGER NOT NULL,
    excused1 INTEGER NOT NULL,
    starved INTEGER NOT NULL
);
CREATE TABLE games (pair INTEGER PRIMARY KEY, start TEXT, opening BLOB NOT NULL, game0 BLOB NOT NULL, \
game1 BLOB NOT NULL);
CREATE TABLE times (pair INTEGER PRIMARY KEY, times BLOB NOT NULL);
CREATE TABLE track (pair INTEGER PRIMARY KEY, track0 BLOB NOT NULL, track1 BLOB NOT NULL);
CREATE TABLE lines (pair INTEGER PRIMARY KEY, lines BLOB NOT NULL);
CREATE TABLE attempt (pair INTEGER NOT NULL, attempt INTEGER NOT NULL, result BLOB NOT NULL, PRIMARY KEY (pair, \
attempt));
CREATE TABLE evidence (pair INTEGER, game INTEGER, text TEXT NOT NULL, PRIMARY KEY (pair, game)) WITHOUT ROWID;
CREATE TABLE session (
    session INTEGER PRIMARY KEY,
    started_unix_ms INTEGER NOT NULL,
    played_ms INTEGER NOT NULL,
    host TEXT NOT NULL,
    concurrency INTEGER NOT NULL,
    version TEXT NOT NULL,
    scale REAL,
    measured INTEGER
);
CREATE TABLE introduction (session INTEGER NOT NULL, entrant INTEGER NOT NULL, name TEXT NOT NULL, \
author TEXT NOT NULL);
CREATE TABLE move_time (
    session INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    worker TEXT NOT NULL,
    times BLOB NOT NULL,
    PRIMARY KEY (session, entrant, worker)
) WITHOUT ROWID;
CREATE TABLE worker (pair INTEGER PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE worker_scale (
    session INTEGER NOT NULL,
    name TEXT NOT NULL,
    scale REAL NOT NULL,
    measured INTEGER,
    PRIMARY KEY (session, name, scale)
) WITHOUT ROWID;
CREATE TABLE checked (pair INTEGER PRIMARY KEY, by TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE set_aside (worker TEXT PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE withdrawn (
    number INTEGER PRIMARY KEY,
    pair INTEGER NOT NULL,
    worker TEXT,
    why TEXT NOT NULL,
    proposal BLOB NOT NULL,
    result BLOB NOT NULL
);
";

/// The tables that a pair is taken out of when it is withdrawn. What was void before stays.
pub(super) const OF_PAIRS: [&str; 8] = ["pair", "games", "times", "track", "lines", "evidence", "worker", "checked"];
