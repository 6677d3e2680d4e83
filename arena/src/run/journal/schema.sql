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
CREATE TABLE games (pair INTEGER PRIMARY KEY, start TEXT, opening BLOB NOT NULL, game0 BLOB NOT NULL, game1 BLOB NOT NULL);
CREATE TABLE times (pair INTEGER PRIMARY KEY, times BLOB NOT NULL);
CREATE TABLE track (pair INTEGER PRIMARY KEY, track0 BLOB NOT NULL, track1 BLOB NOT NULL);
CREATE TABLE lines (pair INTEGER PRIMARY KEY, lines BLOB NOT NULL);
CREATE TABLE attempt (pair INTEGER NOT NULL, attempt INTEGER NOT NULL, result BLOB NOT NULL, PRIMARY KEY (pair, attempt));
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
CREATE TABLE introduction (session INTEGER NOT NULL, entrant INTEGER NOT NULL, name TEXT NOT NULL, author TEXT NOT NULL);
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
