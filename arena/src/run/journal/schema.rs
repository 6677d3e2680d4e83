//! The journal's tables. Blobs are encodings of the types in `run::pair`, whose layout is part of the format.

/// Marks a SQLite file as a journal of spar's: "spar" in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x7370_6172;

/// The version of the format. Whatever would mislead a spar that does not know it raises this number.
pub(super) const FORMAT: i32 = 1;

/// Scores are from the first seat's view: 0 loss, 1 draw, 2 win; faults are games lost by a fault, by seat,
/// excused those of them lost on time because the host starved the loser, and starved the games in which the host
/// starved a player. Attempts are pairs that were void because of that. `pair` holds
/// what replay needs, so that it reads little. Of a single game the columns of the second hold zeros and empty blobs.
///
/// Of a session, `played_ms` is how long it has lasted as of its last commit; `scale` and `measured` are null where no
/// time control is scaled. A worker that was started again may be faster or slower then, and has one row in
/// `worker_scale` for each of its factors. Move times of this process have an empty text for a worker.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// The tables that a pair is taken out of when it is withdrawn. What was void before stays.
pub(super) const OF_PAIRS: [&str; 8] = ["pair", "games", "times", "track", "lines", "evidence", "worker", "checked"];
