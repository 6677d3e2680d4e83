//! The request of a command line: the configuration, the output and the files.

use super::engine_output::Wishes;
use super::log::LogFile;
use super::saved::OwnFile;
use arena::config::Job;
use arena::run::PgnForm;
use plan::{Disk, RunPlan};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// The source that errors name for the command line.
const SOURCE: &str = "command line";

/// The format of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// fastchess's.
    #[default]
    Fastchess,
    /// cutechess's.
    Cutechess,
}

/// The format and the intervals of the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The output format; fastchess's by default.
    pub(super) form: Option<Form>,
    /// The number of pairs between results; `None` prints them only at the end, where they are always printed.
    pub(super) rating_interval: Option<NonZeroU64>,
    /// Whether the end lists the timeouts and crashes of every player, also of players without any.
    pub(super) tells_faults: bool,
    /// The number of games between scores, in cutechess's format.
    pub(super) score_interval: Option<NonZeroU64>,
}

impl Style {
    /// The format of the output.
    pub(super) fn form(&self) -> Form {
        self.form.unwrap_or_default()
    }
}

/// A file of games.
#[derive(Clone, Debug)]
pub(super) struct PgnFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// The format of the games.
    pub(super) form: PgnForm,
    /// Whether the present content of the file is kept.
    pub(super) append: bool,
}

/// A file of final positions.
#[derive(Clone, Debug)]
pub(super) struct EpdFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// Whether the present content of the file is kept.
    pub(super) append: bool,
}

/// Everything that a command line asks for.
pub(super) struct Request {
    /// The plan of the run.
    pub(super) plan: RunPlan,
    /// The job as which the plan is run.
    pub(super) job: Job,
    /// The log file.
    pub(super) log: Option<LogFile>,
    /// The style of the output.
    pub(super) style: Style,
    /// The files for games.
    pub(super) pgn: Option<PgnFile>,
    /// The file for final positions.
    pub(super) epd: Option<EpdFile>,
    /// The requested lines of engines.
    pub(super) wishes: Wishes,
    /// Whether to print checksums of the file of games.
    pub(super) crc: bool,
    /// Whether the first warning ends the run.
    pub(super) is_strict: bool,
    /// All words, including those of save files: they describe the same request.
    pub(super) words: Vec<String>,
    /// The save file for the run's name and these words, to resume the run.
    pub(super) save: Option<PathBuf>,
    /// The save file whose run to resume; `None` makes a new run.
    pub(super) resumes: Option<OwnFile>,
    /// Notes on the words, to print before the run.
    pub(super) notes: Vec<String>,
    /// PGN's `Event`, if given.
    pub(super) event: Option<String>,
    /// PGN's `Site`, if given.
    pub(super) site: Option<String>,
}

impl Default for Request {
    /// The defaults: results after ten pairs, no files.
    fn default() -> Self {
        let (ten, one) = (NonZeroU64::new(10), NonZeroU64::new(1));
        Self {
            plan: RunPlan::new(SOURCE, "run", Disk),
            job: Job::Match,
            log: None,
            style: Style { form: None, rating_interval: ten, score_interval: one, tells_faults: false },
            pgn: None,
            epd: None,
            wishes: Wishes::default(),
            crc: false,
            is_strict: false,
            words: Vec::new(),
            save: None,
            resumes: None,
            notes: Vec::new(),
            event: None,
            site: None,
        }
    }
}

impl Request {
    /// Returns the save files of the run in this folder.
    pub(super) fn save_files(&self, run: &Path) -> Vec<OwnFile> {
        let new = self.save.as_ref().map(|path| OwnFile::new(path, run, &self.words));
        self.resumes.iter().cloned().chain(new).collect()
    }

    /// The path of the save file from which the run can be resumed, if there is one.
    pub(super) fn save_path(&self) -> Option<&Path> {
        self.save.as_deref().or_else(|| self.resumes.as_ref().map(OwnFile::path))
    }

    /// Makes a resumed run keep the content of existing files.
    pub(super) fn append_to_files(&mut self) {
        if let Some(pgn) = &mut self.pgn {
            pgn.append = true;
        }
        if let Some(epd) = &mut self.epd {
            epd.append = true;
        }
        if let Some(log) = &mut self.log {
            log.append = true;
        }
    }
}
