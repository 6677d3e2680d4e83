//! Values of the configurations of what only computes: numbers within their ranges, words, files by patterns.

use super::error::{PlanError, Source};
use super::given::{Given, Origin};
use arena::run::JOURNAL;
use std::path::{Path, PathBuf};

/// A range of numbers, and how it is told.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) says: &'static str,
}

/// A number in its range, or what is usual.
pub(super) fn number(
    source: &Source,
    key: Option<&Given<f64>>,
    name: &str,
    usual: f64,
    range: &Range,
) -> Result<f64, PlanError> {
    match key {
        Some(given) if !(range.low..=range.high).contains(&given.value) => {
            let message = format!("`{name}` cannot be {}", given.value);
            Err(source.error_at(&given.origin, message, format!("expected {}", range.says)))
        }
        Some(given) => Ok(given.value),
        None => Ok(usual),
    }
}

/// A count from 1, or what is usual.
pub(super) fn count<T>(source: &Source, key: Option<&Given<T>>, name: &str, usual: T, most: T) -> Result<T, PlanError>
where
    T: Copy + PartialOrd + std::fmt::Display + From<u8>,
{
    let refuse = |origin: &Origin, value: T| {
        source.error_at(origin, format!("`{name}` cannot be {value}"), format!("expected 1 to {most}"))
    };
    match key {
        Some(given) if given.value < T::from(1) || given.value > most => Err(refuse(&given.origin, given.value)),
        Some(given) => Ok(given.value),
        None => Ok(usual),
    }
}

/// One of some words, or what is usual.
pub(super) fn word<T: Copy>(
    source: &Source,
    key: Option<&Given<String>>,
    name: &str,
    words: &[(&str, T)],
) -> Result<Option<T>, PlanError> {
    let Some(given) = key else { return Ok(None) };
    one_of(source, &given.value, &given.origin, name, words).map(Some)
}

/// What a word means.
pub(super) fn one_of<T: Copy>(
    source: &Source,
    value: &str,
    origin: &Origin,
    name: &str,
    words: &[(&str, T)],
) -> Result<T, PlanError> {
    let found = words.iter().find(|(word, _)| *word == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        source.error_at(origin, format!("`{name}` cannot be `{value}`"), format!("expected {}", known.join(", ")))
    })
}

/// What positions are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A file of positions.
    File(PathBuf),
    /// A run's journal.
    Journal(PathBuf),
}

impl Place {
    /// A folder is its run, a file that is called as journals are is one.
    fn of(path: PathBuf) -> Self {
        if path.is_dir() {
            Self::Journal(path.join(JOURNAL))
        } else if path.extension() == Path::new(JOURNAL).extension() {
            Self::Journal(path)
        } else {
            Self::File(path)
        }
    }
}

/// Files: what is named as it is, then what patterns find, in the order of names.
///
/// # Errors
/// [`PlanError`] for a folder, and for a pattern that is none, or finds nothing.
pub(super) fn files(source: &Source, data: &Given<Vec<String>>) -> Result<Vec<PathBuf>, PlanError> {
    paths(source, data, |_| false, "expected files of positions, or a pattern of their names")
}

/// Files and runs, a run by its folder or its journal: what is named as it is, then what patterns find, in the order of names.
///
/// # Errors
/// [`PlanError`] for a folder without a run, and for a pattern that is none, or finds nothing.
pub(super) fn files_and_runs(source: &Source, data: &Given<Vec<String>>) -> Result<Vec<Place>, PlanError> {
    let expected = "expected files of positions, a pattern of their names, or folders of runs";
    let found = paths(source, data, |folder| folder.join(JOURNAL).is_file(), expected)?;
    Ok(found.into_iter().map(Place::of).collect())
}

/// Files, and those folders that will do.
fn paths(
    source: &Source,
    data: &Given<Vec<String>>,
    takes: impl Fn(&Path) -> bool,
    expected: &str,
) -> Result<Vec<PathBuf>, PlanError> {
    let refuse = |message: String, label: &str| source.error_at(&data.origin, message, label);
    let mut paths = Vec::new();
    for name in &data.value {
        let path = Path::new(name);
        if path.is_dir() && !takes(path) {
            return Err(refuse(format!("`{name}` is a folder that is not read"), expected));
        }
        if path.exists() {
            paths.push(path.to_owned());
            continue;
        }
        let found = glob::glob(name).map_err(|error| refuse(format!("`{name}` is no pattern"), error.msg))?;
        let before = paths.len();
        paths.extend(found.filter_map(Result::ok).filter(|path| path.is_file() || path.is_dir() && takes(path)));
        if paths.len() == before {
            return Err(refuse(format!("`{name}` finds no file"), expected));
        }
    }
    Ok(paths)
}
