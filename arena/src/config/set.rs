//! `--set key=value`: edits the document before it is read, so that every value is checked in one way.

use super::Job;
use super::error::{ConfigError, Source};
use toml_edit::{DocumentMut, Item, Table, Value};

/// Applies `key=value` settings to a configuration's text.
pub(super) fn apply(source: Source, settings: &[String], job: Job) -> Result<Source, ConfigError> {
    if settings.is_empty() {
        return Ok(source);
    }
    // A broken file is reported by the reader, which words it better.
    let Ok(mut document) = source.text.parse::<DocumentMut>() else { return Ok(source) };
    for setting in settings {
        let bad = |why: &str| command_line_error(setting, why);
        let (key, value) = setting.split_once('=').ok_or_else(|| bad("expected key=value"))?;
        let value = read_value(value.trim());
        let path: Vec<&str> = key.trim().split('.').collect();
        // The section of another job may well be there; set in vain it must not be.
        if let Some(other) = Job::ALL.into_iter().find(|other| *other != job && other.section() == path[0]) {
            return Err(bad(&format!("this run reads `[{}]`, and not `[{}]`", job.section(), other.section())));
        }
        put(document.as_table_mut(), &path, value).map_err(|why| bad(&why))?;
    }
    Ok(Source { name: format!("{} with --set", source.name), text: document.to_string() })
}

/// A TOML value, or else the text itself, so that units need no quotes in a shell.
fn read_value(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| text.into())
}

fn put(table: &mut Table, path: &[&str], value: Value) -> Result<(), String> {
    let [key, rest @ ..] = path else { return Err("expected key=value".to_owned()) };
    if key.is_empty() {
        return Err("a part of the key is empty".to_owned());
    }
    if rest.is_empty() {
        return put_value(table, key, value);
    }
    let item = table.entry(key).or_insert_with(|| Item::Table(Table::new()));
    match item {
        Item::Table(inner) => put(inner, rest, value),
        Item::ArrayOfTables(array) => {
            let index = array.iter().position(|entry| entry.get("name").and_then(Item::as_str) == Some(rest[0]));
            let index = index.or_else(|| rest[0].parse().ok());
            let entry = index.and_then(|index| array.get_mut(index));
            let entry = entry.ok_or_else(|| format!("there is no `{key}` called or numbered `{}`", rest[0]))?;
            put(entry, &rest[1..], value)
        }
        Item::Value(Value::InlineTable(inline)) => {
            let mut inner = inline.clone().into_table();
            put(&mut inner, rest, value)?;
            *item = Item::Value(Value::InlineTable(inner.into_inline_table()));
            Ok(())
        }
        Item::Value(_) | Item::None => Err(format!("`{key}` is a value, not a section")),
    }
}

fn put_value(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    match table.get_mut(key) {
        Some(Item::Table(_) | Item::ArrayOfTables(_)) => Err(format!("`{key}` is a section, not a value")),
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
            Ok(())
        }
        Some(Item::None) | None => {
            let _none_before = table.insert(key, Item::Value(value));
            Ok(())
        }
    }
}

fn command_line_error(setting: &str, why: &str) -> ConfigError {
    let text = format!("--set {setting}");
    let source = Source { name: "command line".to_owned(), text };
    source.error_at(6..6 + setting.len(), format!("cannot set `{setting}`"), why)
}
