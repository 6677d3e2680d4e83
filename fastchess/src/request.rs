//! The request of a command line: the configuration, the output and the files.

use super::engine_output::Wishes;
use super::log::LogFile;
use arena::config::Job;
use arena::run::PgnForm;
use plan::{Disk, RunPlan};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// The name of the command line in errors.
const SOURCE: &str = "command line";

/// The form of what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// fastchess's.
    #[default]
    Fastchess,
    /// cutechess's.
    Cutechess,
}

/// What is printed, and how often.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The output format; fastchess's by default.
    pub(super) form: Option<Form>,
    /// Results every this many pairs; never if `None`. They are printed at the end in any case.
    pub(super) rating_interval: Option<NonZeroU64>,
    /// Whether the end tells of each player how often it was late and how often it crashed, also of those that never
    /// did.
    pub(super) tells_faults: bool,
    /// In cutechess's form: the score every this many games.
    pub(super) score_interval: Option<NonZeroU64>,
}

impl Style {
    /// In whose form it is.
    pub(super) fn form(&self) -> Form {
        self.form.unwrap_or_default()
    }
}

/// A file of games.
#[derive(Clone, Debug)]
pub(super) struct PgnFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// How games are written.
    pub(super) form: PgnForm,
    /// Whether what is in the file already stays.
    pub(super) append: bool,
}

/// A file of final positions.
#[derive(Clone, Debug)]
pub(super) struct EpdFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// Whether what is in the file already stays.
    pub(super) append: bool,
}

/// All that a command line asks for.
pub(super) struct Request {
    /// The plan of the run.
    pub(super) plan: RunPlan,
    /// What it is to be run as.
    pub(super) job: Job,
    /// Where what happens is written down.
    pub(super) log: Option<LogFile>,
    /// What is printed.
    pub(super) style: Style,
    /// The files for games.
    pub(super) pgn: Option<PgnFile>,
    /// The file for final positions.
    pub(super) epd: Option<EpdFile>,
    /// What is wanted of the engines' lines.
    pub(super) wishes: Wishes,
    /// Whether checksums of the file of games are printed.
    pub(super) crc: bool,
    /// Whether the first warning ends the run.
    pub(super) is_strict: bool,
    /// The words of it all, those of save files among them, from which the same could be asked for again.
    pub(super) words: Vec<String>,
    /// Where the run's name is saved with these words, to resume it.
    pub(super) save: Option<PathBuf>,
    /// The run to resume; a new one is made if there is none.
    pub(super) resumes: Option<PathBuf>,
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
    /// Keeps the content of existing files, because a run is resumed.
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
