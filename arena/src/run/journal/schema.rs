//! The journal's tables. Blobs are `postcard` encodings of the types in `run::pair`, whose layout is part of the format.

use crate::config::RunConfig;
use std::ops::RangeInclusive;

/// Marks a SQLite file as a journal of spar's: "spar" in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x7370_6172;

/// The versions of the format. Others are refused: format 1 knew no external engines.
pub(super) const FORMATS: RangeInclusive<i32> = PAIRS..=ROUNDS;

/// The runs whose pairs are two games with the seats swapped, the first one's first, and are counted as such.
const PAIRS: i32 = 2;

/// All others. What knows format 2 alone would take their games for such pairs.
const ROUNDS: i32 = 3;

/// The format of a run's journal.
pub(super) fn format_of(config: &RunConfig) -> i32 {
    if config.experiment.rounds().is_usual() { PAIRS } else { ROUNDS }
}

/// Scores are from the first seat's view: 0 loss, 1 draw, 2 win; faults are games lost by a fault, by seat,
/// excused those of them lost on time because the host starved the loser, and starved the games in which the host starved
/// anybody. Attempts are pairs that were void because of that. `pair` holds
/// what replay needs, so that it reads little. Of a single game the columns of the second hold zeros and empty blobs.
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
CREATE TABLE games (pair INTEGER PRIMARY KEY, start TEXT, opening BLOB NOT NULL, game0 BLOB NOT NULL, game1 BLOB NOT NULL);
CREATE TABLE times (pair INTEGER PRIMARY KEY, times BLOB NOT NULL);
CREATE TABLE track (pair INTEGER PRIMARY KEY, track0 BLOB NOT NULL, track1 BLOB NOT NULL);
CREATE TABLE attempt (pair INTEGER NOT NULL, attempt INTEGER NOT NULL, result BLOB NOT NULL, PRIMARY KEY (pair, attempt));
CREATE TABLE evidence (pair INTEGER, game INTEGER, text TEXT NOT NULL, PRIMARY KEY (pair, game)) WITHOUT ROWID;
CREATE TABLE session (
    session INTEGER PRIMARY KEY,
    started_unix_ms INTEGER NOT NULL,
    host TEXT NOT NULL,
    concurrency INTEGER NOT NULL,
    version TEXT NOT NULL
);
";
