//! Files of piece-square tables: TOML, with one set `[tables]`, or two, `[middlegame]` and `[endgame]`. Each has the
//! keys `pawn`, `knight`, `bishop`, `rook`, `queen` and `king`, arrays of 64 integers. What they mean is in `tables`.

use crate::tables::{Set, Tables, start};
use std::fmt::Write;
use std::path::Path;
use toml::{Table, Value};

/// The keys of a set, in the order of roles.
const ROLES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// Values beyond this are mistakes, and sums of them could overflow the search's scores.
const LARGEST: i64 = 10_000;

/// Reads a file.
///
/// # Errors
/// One message with the file, the key and what was expected.
pub(crate) fn read(path: &Path) -> Result<Tables, String> {
    let within = |message: String| format!("{}: {message}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| within(error.to_string()))?;
    parse(&text).map_err(within)
}

fn parse(text: &str) -> Result<Tables, String> {
    let file: Table = text.parse().map_err(|error: toml::de::Error| format!("not TOML: {}", error.message()))?;
    if let Some(key) = file.keys().find(|key| !["tables", "middlegame", "endgame"].contains(&key.as_str())) {
        return Err(format!("`{key}`: expected `[tables]`, or `[middlegame]` and `[endgame]`"));
    }
    match (file.get("tables"), file.get("middlegame"), file.get("endgame")) {
        (Some(both), None, None) => {
            let both = set("tables", both)?;
            Ok(Tables::new(&both, &both))
        }
        (None, Some(middlegame), Some(endgame)) => {
            Ok(Tables::new(&set("middlegame", middlegame)?, &set("endgame", endgame)?))
        }
        (Some(_), _, _) => Err("`tables`: expected no `[middlegame]` or `[endgame]` beside it".to_owned()),
        (None, Some(_), None) => Err("`endgame` is missing: expected it beside `[middlegame]`".to_owned()),
        (None, None, Some(_)) => Err("`middlegame` is missing: expected it beside `[endgame]`".to_owned()),
        (None, None, None) => Err("empty: expected `[tables]`, or `[middlegame]` and `[endgame]`".to_owned()),
    }
}

fn set(name: &str, value: &Value) -> Result<Set, String> {
    let table = value.as_table().ok_or_else(|| format!("`{name}`: expected a table of {}", ROLES.join(", ")))?;
    if let Some(key) = table.keys().find(|key| !ROLES.contains(&key.as_str())) {
        return Err(format!("`{name}.{key}`: expected one of {}", ROLES.join(", ")));
    }
    let mut set = [[0; 64]; 6];
    for (role, values) in ROLES.iter().zip(&mut set) {
        let given = table.get(*role).ok_or_else(|| format!("`{name}.{role}` is missing: expected 64 integers"))?;
        *values = squares(given).map_err(|found| format!("`{name}.{role}`: expected 64 integers, found {found}"))?;
    }
    Ok(set)
}

/// The values of a role, or what there is in their place.
fn squares(value: &Value) -> Result<[i32; 64], String> {
    let array = value.as_array().ok_or_else(|| value.type_str().to_owned())?;
    let mut values = [0; 64];
    if array.len() != values.len() {
        return Err(format!("{} values", array.len()));
    }
    for (value, given) in values.iter_mut().zip(array) {
        let number = given.as_integer().ok_or_else(|| format!("`{given}`"))?;
        if number.abs() > LARGEST {
            return Err(format!("{number}, beyond {LARGEST}"));
        }
        *value = number as i32;
    }
    Ok(values)
}

/// Writes the built-in tables.
///
/// # Errors
/// Why the file cannot be written, with its name.
pub(crate) fn write_start(path: &Path) -> Result<(), String> {
    let mut text =
        "# Centipawns, as one reads a diagram from white's side: a8 ... h8, a7 ... h1.\n[tables]\n".to_owned();
    for (role, values) in ROLES.iter().zip(start()) {
        let _ = writeln!(text, "{role} = [");
        for rank in values.chunks(8) {
            let rank: Vec<String> = rank.iter().map(|value| format!("{value:4}")).collect();
            let _ = writeln!(text, "    {},", rank.join(", "));
        }
        text.push_str("]\n");
    }
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
