//! The journal's tables. Blobs are encodings of the types in `run::pair`, whose layout is part of the format.

/// Marks a SQLite file as a spar journal: "spar" in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x7370_6172;

/// The version of the format. Any change that would mislead an older spar must raise this number.
pub(super) const FORMAT: i32 = 1;

/// The tables. Scores are from the first seat's view: 0 loss, 1 draw, 2 win. Faults are games lost by a fault, by seat;
/// excused are those of them lost on time because the host starved the loser; starved are the games in which the host
/// starved a player. Attempts are pairs that were void because of starvation. `pair` holds what replay needs, so that
/// replay reads little. For a single game, the columns of the second game hold zeros and empty blobs.
///
/// A session's `played_ms` is its duration as of its last commit; `scale` and `measured` are null if no time control is
/// scaled. A worker that was restarted may be faster or slower than before, and has one row in `worker_scale` for each
/// of its factors. Move times of this process have an empty text as their worker.
/// `worker_scale` for each of its factors. Move times of this process have an empty text for a worker.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// The tables from which a withdrawn pair is removed. Its void attempts stay.
pub(super) const OF_PAIRS: [&str; 8] = ["pair", "games", "times", "track", "lines", "evidence", "worker", "checked"];
