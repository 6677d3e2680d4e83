//! The header: the run's identity, resolved when the run was created, and the comparison of two identities.

use super::{Journal, JournalError, JournalReader};
use crate::config::RunConfig;
use record::BuildId;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The identity of a run: its configuration and the builds of its players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The resolved configuration.
    pub config: RunConfig,
    /// The builds, one for each entrant, in order.
    pub builds: Vec<BuildId>,
}

pub(super) fn write(connection: &Connection, header: &Header) -> rusqlite::Result<()> {
    let text = |value: &Value| value.to_string();
    let json = |error: serde_json::Error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
    let rows = [
        ("config", serde_json::to_value(&header.config).map_err(json)?),
        ("builds", serde_json::to_value(&header.builds).map_err(json)?),
    ];
    for (key, value) in &rows {
        let _one_row = connection.execute("INSERT INTO header (key, value) VALUES (?1, ?2)", (key, text(value)))?;
    }
    Ok(())
}

impl JournalReader {
    /// Returns the run's identity.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] if the header cannot be read.
    pub fn header(&self) -> Result<Header, JournalError> {
        let config = self.header_text("config")?;
        let builds = self.header_text("builds")?;
        let config: RunConfig =
            serde_json::from_str(&config).map_err(|error| self.damaged("its configuration", &error))?;
        config.check().map_err(|why| self.damaged("its configuration", &why))?;
        let builds: Vec<BuildId> =
            serde_json::from_str(&builds).map_err(|error| self.damaged("its build ids", &error))?;
        if builds.len() != config.entrants.len() {
            let why = format!("{} of them for {} entrants", builds.len(), config.entrants.len());
            return Err(self.damaged("its build ids", &why));
        }
        Ok(Header { config, builds })
    }

    /// Returns the text of the configuration.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read or was never stored.
    pub fn text(&self) -> Result<String, JournalError> {
        self.header_text("text")
    }

    fn header_text(&self, key: &str) -> Result<String, JournalError> {
        let value = self.row("SELECT value FROM header WHERE key = ?1", [key], |row| row.get(0))?;
        value.ok_or_else(|| self.damaged("its header", &format_args!("`{key}` is missing")))
    }
}

impl Journal {
    /// Stores the text of the configuration, replacing any earlier text.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn keep_text(&mut self, text: &str) -> Result<(), JournalError> {
        let sql = "INSERT OR REPLACE INTO header (key, value) VALUES ('text', ?1)";
        self.connection.execute(sql, [text]).map(drop).map_err(|error| self.storage(error))
    }

    /// Sets the pair limit to that of `now`, which is otherwise the same run.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn set_pair_limit(&mut self, now: &Header) -> Result<(), JournalError> {
        let json = serde_json::to_string(&now.config).map_err(|error| self.damaged("its configuration", &error))?;
        let set = self.connection.execute("UPDATE header SET value = ?1 WHERE key = 'config'", [json]);
        set.map(drop).map_err(|error| self.storage(error))
    }
}

/// A value that differs between two identities.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The path to the value: keys and numbers, joined by dots.
    pub path: String,
    /// The first identity's value; null if it has none.
    pub one: Value,
    /// The second identity's value; null if it has none.
    pub other: Value,
}

/// Returns the differences between two identities, one line each: `path: then, now`.
pub fn differences(then: &Header, now: &Header) -> Vec<String> {
    let line = |Difference { path, one, other }| format!("{path}: {one} then, {other} now");
    compare(then, now).into_iter().map(line).collect()
}

/// Returns the differences between two identities, in the order of their keys.
pub fn compare(one: &Header, other: &Header) -> Vec<Difference> {
    let mut found = Vec::new();
    if let (Ok(one), Ok(other)) = (serde_json::to_value(one), serde_json::to_value(other)) {
        compare_values("", &one, &other, &mut found);
    }
    found
}

fn compare_values(path: &str, one: &Value, other: &Value, found: &mut Vec<Difference>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let [a, b] = [a, b].map(|map| map.get(key).unwrap_or(&Value::Null));
                compare_values(&below(key), a, b, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare_values(&below(&index.to_string()), a, b, found);
            }
        }
        _ if one != other => {
            found.push(Difference { path: path.to_owned(), one: one.clone(), other: other.clone() });
        }
        _ => {}
    }
}
