//! Damage to a journal, as lines of text, so that an input is short and readable. Invalid lines have no effect.
//!
//! ```text
//! base sprt                            which journal of `tests/data/journals` is damaged
//! byte 4096 255                        a byte of the file, at this place, is another
//! copy 8192 4096 512                   bytes of the file are copied: from, to, how many
//! cut 20000                            the file ends here
//! cell pair score0 1 = 7               a value of a table, in this row: a number, a text in quotes, `null`, or `x`
//!                                      and hexadecimal digits
//! flip games game0 1 3 255             a byte of a blob or a text, in this row, at this place
//! json config /seed = 18446744073709551615
//! drop games                           a table has gone
//! delete pair 1                        a row has gone
//! version 3                            the number of the format
//! ```

use rusqlite::types::Value;
use rusqlite::{Connection, params};
use std::path::Path;

/// The tables and columns of a journal that can be damaged.
pub(super) const COLUMNS: [(&str, &str); 27] = [
    ("header", "value"),
    ("pair", "pair"),
    ("pair", "proposal"),
    ("pair", "score0"),
    ("pair", "score1"),
    ("pair", "plies0"),
    ("pair", "faults0"),
    ("pair", "faults1"),
    ("pair", "excused0"),
    ("pair", "starved"),
    ("games", "pair"),
    ("games", "start"),
    ("games", "opening"),
    ("games", "game0"),
    ("games", "game1"),
    ("times", "times"),
    ("track", "track0"),
    ("track", "track1"),
    ("session", "session"),
    ("session", "started_unix_ms"),
    ("session", "host"),
    ("session", "concurrency"),
    ("session", "version"),
    ("session", "played_ms"),
    ("move_time", "entrant"),
    ("move_time", "times"),
    ("move_time", "session"),
];

/// The journals of `tests/data/journals`, as files; `make.sh` in that folder plays them again.
pub(super) struct Bases(Vec<(&'static str, Vec<u8>)>);

impl Bases {
    pub(super) fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/journals");
        let read = |name| {
            let packed = std::fs::read(folder.join(format!("{name}.sqlite.zst"))).expect("a journal");
            (name, zstd::decode_all(&packed[..]).expect("it can be unpacked"))
        };
        Self(["match", "sprt", "tune", "chess"].map(read).to_vec())
    }

    /// Writes the base journal of a text, with the damage in its lines. Returns whether any damage was done.
    pub(super) fn write(&self, text: &str, path: &Path) -> bool {
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let named = words.iter().find_map(|words| match words[..] {
            ["base", name] => self.0.iter().find(|(known, _)| *known == name),
            _ => None,
        });
        let (_, base) = named.unwrap_or(&self.0[0]);
        std::fs::write(path, base).expect("a file");
        let rows = words.iter().filter(|words| in_rows(path, words).is_some()).count();
        let mut bytes = std::fs::read(path).expect("a file");
        let places = words.iter().filter(|words| in_bytes(&mut bytes, words).is_some()).count();
        std::fs::write(path, bytes).expect("a file");
        rows + places > 0
    }
}

/// Damages the file's bytes; `None` if the line is of another kind.
fn in_bytes(bytes: &mut Vec<u8>, words: &[&str]) -> Option<()> {
    let number = |text: &str| text.parse::<usize>().ok();
    match *words {
        ["byte", at, value] => *bytes.get_mut(number(at)?)? = value.parse().ok()?,
        ["copy", from, to, count] => {
            let (from, to, count) = (number(from)?, number(to)?, number(count)?);
            let piece = bytes.get(from..from.checked_add(count)?)?.to_vec();
            bytes.get_mut(to..to.checked_add(count)?)?.copy_from_slice(&piece);
        }
        ["cut", at] => bytes.truncate(number(at)?),
        _ => return None,
    }
    Some(())
}

/// Damages tables and rows; `None` if the line is of another kind, or has no effect.
fn in_rows(path: &Path, words: &[&str]) -> Option<()> {
    let is_of_rows =
        words.first().is_some_and(|word| ["cell", "flip", "json", "drop", "delete", "version"].contains(word));
    let connection = is_of_rows.then(|| Connection::open(path).ok())??;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY").ok()?;
    let known = |table: &str, column: &str| COLUMNS.contains(&(table, column)).then_some(());
    match *words {
        ["cell", table, column, row, "=", ..] => {
            known(table, column)?;
            let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {} = ?2", key(table));
            connection.execute(&sql, params![value(&words[5..].join(" "))?, row]).ok().filter(|rows| *rows > 0)?;
        }
        ["flip", table, column, row, at, with] => {
            known(table, column)?;
            let sql = format!("SELECT {column} FROM {table} WHERE {} = ?1", key(table));
            let mut old = connection.query_row(&sql, [row], |row| row.get::<_, Value>(0)).ok()?;
            let at = at.parse::<usize>().ok()?;
            match &mut old {
                Value::Blob(bytes) => *bytes.get_mut(at)? = with.parse().ok()?,
                Value::Text(text) => {
                    let byte = [with.parse::<u8>().ok()?];
                    let _one = text.get(at..=at)?;
                    text.replace_range(at..=at, std::str::from_utf8(&byte).ok()?);
                }
                _ => return None,
            }
            let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {} = ?2", key(table));
            connection.execute(&sql, params![old, row]).ok()?;
        }
        ["json", row, pointer, "=", ..] => {
            let sql = "SELECT value FROM header WHERE key = ?1";
            let text: String = connection.query_row(sql, [row], |row| row.get(0)).ok()?;
            let mut json: serde_json::Value = serde_json::from_str(&text).ok()?;
            let new = serde_json::from_str(&words[4..].join(" ")).ok()?;
            *json.pointer_mut(pointer)? = new;
            let sql = "UPDATE header SET value = ?1 WHERE key = ?2";
            connection.execute(sql, params![json.to_string(), row]).ok()?;
        }
        ["drop", table] => {
            COLUMNS.iter().find(|(known, _)| *known == table)?;
            connection.execute_batch(&format!("DROP TABLE {table}")).ok()?;
        }
        ["delete", table, row] => {
            COLUMNS.iter().find(|(known, _)| *known == table)?;
            let sql = format!("DELETE FROM {table} WHERE {} = ?1", key(table));
            connection.execute(&sql, [row]).ok().filter(|rows| *rows > 0)?;
        }
        ["version", number] => connection.pragma_update(None, "user_version", number.parse::<i32>().ok()?).ok()?,
        _ => return None,
    }
    Some(())
}

/// Returns the key column of a table.
fn key(table: &str) -> &'static str {
    match table {
        "header" => "key",
        "move_time" => "session",
        _ => "rowid",
    }
}

/// Parses a value in a line.
fn value(text: &str) -> Option<Value> {
    if let Some(text) = text.strip_prefix('"') {
        return Some(Value::Text(text.trim_end_matches('"').to_owned()));
    }
    if let Some(digits) = text.strip_prefix('x') {
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        return (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>().map(Value::Blob);
    }
    match text {
        "null" => Some(Value::Null),
        _ => text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Real)).ok(),
    }
}

/// Returns lines that do damage, to build inputs from.
pub(super) fn lines() -> Vec<String> {
    let values = [
        "-1",
        "0",
        "7",
        "9223372036854775807",
        "-9223372036854775808",
        "1.5",
        "null",
        "\"text\"",
        "x",
        "x00ff80808080ff",
    ];
    let cell = |(table, column): &(&str, &str)| {
        let row = if *table == "header" { "builds" } else { "1" };
        values.iter().map(|value| format!("\ncell {table} {column} {row} = {value}\n")).collect::<Vec<_>>()
    };
    let drop = COLUMNS.iter().map(|(table, _)| format!("\ndrop {table}\n"));
    COLUMNS.iter().flat_map(cell).chain(drop).chain(pointers()).collect()
}

/// Returns lines that change the configuration.
fn pointers() -> Vec<String> {
    let paths = [
        "/entrants",
        "/entrants/0",
        "/entrants/0/name",
        "/entrants/0/player",
        "/entrants/0/player/native/limit",
        "/entrants/1/name",
        "/entrants/0/player/native/params/null_move_margin",
        "/experiment",
        "/experiment/match",
        "/experiment/match/entrants",
        "/experiment/match/pairs",
        "/experiment/match/schedule",
        "/experiment/match/rounds",
        "/experiment/match/rounds/games",
        "/experiment/sprt/elo0",
        "/experiment/sprt/elo1",
        "/experiment/sprt/max_pairs",
        "/experiment/sprt/alpha",
        "/experiment/tune/pairs",
        "/experiment/tune/parameters",
        "/experiment/tune/parameters/0/min",
        "/experiment/tune/parameters/0/start",
        "/experiment/tune/parameters/0/step",
        "/experiment/tune/lookahead",
        "/experiment/tune/method",
        "/game",
        "/max_fault_share",
        "/name",
        "/openings",
        "/openings/random/plies",
        "/rules/adjudication",
        "/rules/adjudication/max_plies",
        "/rules/track",
        "/seed",
        "/starvation",
        "/starvation/threshold",
    ];
    let values = [
        "null",
        "0",
        "1",
        "-1",
        "1.5",
        "1e300",
        "9007199254740993",
        "18446744073709551615",
        "\"\"",
        "\"x\"",
        "[]",
        "{}",
        "true",
    ];
    let line = |path: &&str| values.iter().map(|value| format!("\njson config {path} = {value}\n")).collect::<Vec<_>>();
    paths.iter().flat_map(line).collect()
}
