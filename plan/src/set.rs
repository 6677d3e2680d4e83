//! `--set key=value`: edits the user's document before it is read, so that all values pass the same checks. Nothing
//! else edits text.

use super::error::{PlanError, Source};
use super::files::Files;
use arena::config::Job;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::sync::Arc;
use toml_edit::{Document, DocumentMut, Item, Table, Value};

impl Source {
    /// Reads a configuration after applying `key=value` texts to it. Returns the edited source and what was read.
    pub(super) fn read<T: DeserializeOwned>(
        text: &str,
        name: &str,
        changes: &[String],
        files: impl Files + 'static,
    ) -> Result<(Self, T), PlanError> {
        let edited = if changes.is_empty() { None } else { apply(text, changes, None)? };
        let (name, text) = match edited {
            Some(edited) => (format!("{name} with --set"), edited.text),
            None => (name.to_owned(), text.to_owned()),
        };
        let source = Self { name, text, files: Arc::new(files) };
        let keys = toml::from_str(&source.text).map_err(|error| source.toml_error(&error, &[]))?;
        Ok((source, keys))
    }
}

/// A setting as typed, and where its key and its value stand in the edited text.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// `--set key=value`.
    pub(super) words: String,
    /// Its place in the edited text, in bytes; nowhere if another setting has replaced it.
    pub(super) place: Option<Range<usize>>,
    /// The headers of the sections that it has added.
    pub(super) sections: Vec<Range<usize>>,
}

impl Setting {
    /// Whether a place in the edited text belongs to this setting.
    pub(super) fn covers(&self, place: &Range<usize>) -> bool {
        self.place.as_ref().is_some_and(|own| own.start <= place.start && place.end <= own.end)
    }
}

/// A text with settings applied, and the places of the settings in it.
#[derive(Clone, Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) settings: Vec<Setting>,
}

/// Applies `key=value` settings to a configuration's text; `None` if the text is not TOML, since its reader reports
/// that better. `job` is the job to run the text as, if there is only one.
pub(super) fn apply(text: &str, settings: &[String], job: Option<Job>) -> Result<Option<Edited>, PlanError> {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Ok(None) };
    let (mut paths, mut added) = (Vec::with_capacity(settings.len()), Vec::with_capacity(settings.len()));
    for setting in settings {
        let bad = |why: &str| refused(setting, why);
        let (key, value) = setting.split_once('=').ok_or_else(|| bad("expected key=value"))?;
        let value = read_value(value.trim());
        let path: Vec<&str> = key.trim().split('.').collect();
        if let Some(job) = job {
            refuse_other_section(path[0], job).map_err(|why| bad(&why))?;
        }
        let is_new = |length: &usize| section(document.as_table(), &path[..*length]).is_none();
        added.push((1..path.len()).filter(is_new).collect::<Vec<usize>>());
        put(document.as_table_mut(), &path, value).map_err(|why| bad(&why))?;
        paths.push(path);
    }
    let text = document.to_string();
    let places = Document::parse(text.as_str()).ok();
    let place = |path: &[&str]| place(places.as_ref()?.as_table(), path);
    let head = |path: &[&str]| section(places.as_ref()?.as_table(), path)?.span();
    let placed = settings.iter().zip(&paths).zip(&added).map(|((setting, path), added)| Setting {
        words: words(setting),
        place: place(path),
        sections: added.iter().filter_map(|&length| head(&path[..length])).collect(),
    });
    let settings = placed.collect();
    Ok(Some(Edited { text, settings }))
}

/// Refuses a setting in the section of another job: the file may have such a section, but setting it would have no
/// effect.
fn refuse_other_section(section: &str, job: Job) -> Result<(), String> {
    match Job::ALL.into_iter().find(|other| *other != job && other.section() == section) {
        Some(other) => Err(format!("this run reads `[{}]`, and not `[{}]`", job.section(), other.section())),
        None => Ok(()),
    }
}

/// Reads a TOML value, or else takes the text itself, so that units need no quotes in a shell.
fn read_value(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| text.into())
}

/// Returns the index of the entry with this `name` or this number.
fn index<'a>(tables: impl Iterator<Item = &'a Table>, wanted: &str) -> Option<usize> {
    let named = |table: &Table| table.get("name").and_then(Item::as_str) == Some(wanted);
    tables.map(named).position(|named| named).or_else(|| wanted.parse().ok())
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
            let entry = index(array.iter(), rest[0]).and_then(|index| array.get_mut(index));
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
            table.insert(key, Item::Value(value));
            Ok(())
        }
    }
}

/// Returns the place of a key and its value.
fn place(table: &Table, path: &[&str]) -> Option<Range<usize>> {
    let [key, rest @ ..] = path else { return None };
    let (name, item) = table.get_key_value(key)?;
    match (item, rest) {
        (_, []) => Some(from(name.span(), item.span()?)),
        (Item::Table(inner), _) => place(inner, rest),
        (Item::ArrayOfTables(array), [entry, rest @ ..]) => place(array.get(index(array.iter(), entry)?)?, rest),
        (Item::Value(Value::InlineTable(inline)), _) => place_inline(inline, rest),
        _ => None,
    }
}

/// Returns the section that these keys lead to.
fn section<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Item> {
    let [key, rest @ ..] = path else { return None };
    match (table.get(key)?, rest) {
        (item, []) => Some(item),
        (Item::Table(inner), _) => section(inner, rest),
        (item @ Item::ArrayOfTables(_), [_entry]) => Some(item),
        (Item::ArrayOfTables(array), [entry, rest @ ..]) => section(array.get(index(array.iter(), entry)?)?, rest),
        (item, _) => Some(item),
    }
}

fn place_inline(table: &toml_edit::InlineTable, path: &[&str]) -> Option<Range<usize>> {
    let [key, rest @ ..] = path else { return None };
    let (name, item) = table.get_key_value(key)?;
    match (item, rest) {
        (_, []) => Some(from(name.span(), item.span()?)),
        (Item::Value(Value::InlineTable(inline)), _) => place_inline(inline, rest),
        _ => None,
    }
}

fn from(key: Option<Range<usize>>, value: Range<usize>) -> Range<usize> {
    key.map_or(value.start, |key| key.start)..value.end
}

fn words(setting: &str) -> String {
    format!("--set {setting}")
}

fn refused(setting: &str, why: &str) -> PlanError {
    PlanError::of_words(&words(setting), 6..6 + setting.len(), format!("cannot set `{setting}`"), why)
}
