//! The sources of positions for fits and trainings: files and runs, by name or by pattern.

use super::error::{PlanError, Source};
use super::files::Files;
use super::given::Given;
use crate::error::ReadError;
use crate::positions;
use arena::config::RunConfig;
use arena::run::JOURNAL;
use play::games::GameKind;
use std::path::{Path, PathBuf};
use trainer::data::{ExportError, Run};

/// A source of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A file of positions.
    File(PathBuf),
    /// A run's journal.
    Journal(PathBuf),
}

impl Place {
    /// A folder is a run, and a file with the extension of journals is a journal.
    fn of(path: PathBuf, files: &dyn Files) -> Self {
        if files.is_folder(&path) {
            Self::Journal(path.join(JOURNAL))
        } else if path.extension() == Path::new(JOURNAL).extension() {
            Self::Journal(path)
        } else {
            Self::File(path)
        }
    }
}

/// Finds files and runs (a run by its folder or its journal) in the order of `data`; matches of a pattern are in the
/// order of their names.
///
/// # Errors
/// [`PlanError`] for a folder without a run, an invalid pattern, and a pattern without matches.
pub(super) fn files_and_runs(source: &Source, data: &Given<Vec<String>>) -> Result<Vec<Place>, PlanError> {
    let refuse = |message: String, label: &str| source.error_at(&data.origin, message, label);
    let expected = "expected files of positions, a pattern of their names, or folders of runs";
    let files = source.files.as_ref();
    let is_run = |folder: &Path| files.is_file(&folder.join(JOURNAL));
    let mut paths = Vec::new();
    for name in &data.value {
        let path = Path::new(name);
        if files.is_folder(path) && !is_run(path) {
            return Err(refuse(format!("`{name}` is a folder that is not read"), expected));
        }
        if files.find(path).is_some() {
            paths.push(path.to_owned());
            continue;
        }
        let found = files.matching(name).map_err(|error| refuse(format!("`{name}` is not a pattern"), error.msg))?;
        let before = paths.len();
        paths.extend(found.into_iter().filter(|path| files.is_file(path) || files.is_folder(path) && is_run(path)));
        if paths.len() == before {
            return Err(refuse(format!("`{name}` finds no file"), expected));
        }
    }
    Ok(paths.into_iter().map(|path| Place::of(path, files)).collect())
}

/// The games whose positions can be used.
#[derive(Clone, Copy)]
pub(super) enum Games {
    /// Chess and Chess960.
    Chess,
    /// Crazyhouse.
    Crazyhouse,
    /// 0.1.
    ZeroPointOne,
    /// None.
    No,
}

impl Games {
    fn takes(self, game: GameKind) -> bool {
        match self {
            Self::Chess => matches!(game, GameKind::Chess | GameKind::Chess960),
            Self::Crazyhouse => game == GameKind::Crazyhouse,
            Self::ZeroPointOne => game == GameKind::ZeroPointOne,
            Self::No => false,
        }
    }
}

/// Reads the run of a journal if positions of its game can be used.
///
/// # Errors
/// [`ReadError::Plan`] for a run of another game, and for a run without scores; `expected` describes the runs that can
/// be used. Otherwise the error of the run.
pub(super) fn run_of(
    source: &Source,
    data: &Given<Vec<String>>,
    path: &Path,
    games: Games,
    expected: &str,
) -> Result<Run, ReadError> {
    let journal = source.files.journal(path)?;
    let config = journal.header()?.config;
    check(source, data, path, &config, games, expected)?;
    positions::of_run(path, &journal, &config)
}

fn check(
    source: &Source,
    data: &Given<Vec<String>>,
    path: &Path,
    config: &RunConfig,
    games: Games,
    expected: &str,
) -> Result<(), PlanError> {
    let (path, game) = (path.display(), config.game);
    let refuse = |message, label| Err(source.error_at(&data.origin, message, label));
    if !games.takes(game) {
        return refuse(format!("the games of {path} are of {game}"), expected);
    }
    if !config.rules.track {
        return refuse(format!("{path}: {}", ExportError::NoTrack), "expected a run with scores");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::keys::FitKeys;
    use super::super::tests::memory::Memory;
    use super::*;

    #[test]
    fn folders_are_runs_or_nothing() {
        let files =
            || Memory::empty().with("f/a/x.epd", b"").with("f/b/journal.sqlite", b"").with("f/copy.sqlite", b"");
        let at = |name: &str| Path::new("f").join(name);
        let shown = |path: &Path| {
            let text = format!("data = [{:?}]\n", path.display().to_string());
            let (source, keys): (_, FitKeys) = Source::read(&text, "fit.toml", &[], files()).unwrap();
            let found = files_and_runs(&source, &keys.data.unwrap());
            found.map_err(|error| format!("{:?}", miette::Report::new(error)))
        };
        let journals = ["b/journal.sqlite", "copy.sqlite"].map(|name| Place::Journal(at(name)));
        assert_eq!(shown(&at("b")).unwrap(), journals[..1]);
        assert_eq!(shown(&at("b/journal.sqlite")).unwrap(), journals[..1]);
        assert_eq!(shown(&at("*")).unwrap(), journals);
        assert_eq!(shown(&at("*/*.epd")).unwrap(), [Place::File(at("a/x.epd"))]);
        let refused = shown(&at("a")).unwrap_err();
        assert!(refused.contains("is a folder that is not read") && refused.contains("folders of runs"), "{refused}");
    }
}
