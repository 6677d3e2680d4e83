//! The stored state of a job of several runs.

use super::super::job_file;
use crate::error::SessionError;
use crate::run_folder::name_of;
use arena::config::Job;
use arena::run::next_free;
use plan::{Disk, Loaded, load};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The file in a job's folder.
const FILE: &str = "job.json";
/// The supported version of that file.
const VERSION: u32 = 1;

/// Several runs in sequence.
#[derive(Debug)]
pub struct Series {
    pub(super) folder: PathBuf,
    pub(super) record: Record,
    /// The run of its first part, if it was resolved when the job was made. The other parts are resolved when they
    /// begin: books are large, and a job may take days.
    pub(super) first: Option<Loaded>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    /// The title of the job.
    title: String,
    pub(super) rule: Rule,
    pub(super) parts: Vec<Part>,
}

/// The rule that selects the runs to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// All of them.
    All,
    /// Each run, as long as the one before has accepted H1.
    WhilePassed,
}

/// One run of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its name, such as the release of its opponent.
    pub name: String,
    /// Its kind of run, which is the name of its section in the configuration.
    job: String,
    /// Its configuration.
    pub(super) config: String,
    /// Its folder next to the job's, once it has one.
    pub run: Option<String>,
}

impl Part {
    /// Makes a part whose run has not begun.
    pub fn new(name: &str, run: &Loaded) -> Self {
        let (job, config) = (run.run.experiment.kind().to_owned(), run.text.clone());
        Self { name: name.to_owned(), job, config, run: None }
    }

    pub(super) fn load(&self, settings: &[String]) -> Result<Loaded, SessionError> {
        let job = Job::ALL.into_iter().find(|job| job.section() == self.job).unwrap_or(Job::Sprt);
        Ok(load(&self.config, &format!("the configuration of {}", self.name), "run", settings, job, Disk)?)
    }
}

impl Series {
    /// Makes a new job in the next free folder of its name.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be made; it then leaves nothing behind.
    pub fn create(runs: &Path, name: &str, title: &str, rule: Rule, parts: Vec<Part>) -> Result<Self, SessionError> {
        fs::create_dir_all(runs).map_err(|cause| SessionError::io(format!("cannot make {}", runs.display()), cause))?;
        let folder = next_free(runs, name)?;
        let series =
            Self { folder, record: Record { version: VERSION, title: title.to_owned(), rule, parts }, first: None };
        series.save().inspect_err(|_| series.discard())?;
        Ok(series)
    }

    /// Sets the run of its first part, which begins now and need not be resolved again.
    #[must_use]
    pub fn beginning_with(self, first: Option<Loaded>) -> Self {
        Self { first, ..self }
    }

    /// Reads the job in a folder; `None` if there is none.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be read, or if another version of spar made it.
    pub fn read(folder: &Path) -> Result<Option<Self>, SessionError> {
        let record = job_file::read(&folder.join(FILE), VERSION)?;
        Ok(record.map(|record| Self { folder: folder.to_owned(), record, first: None }))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.record.title
    }

    /// The rule that selects the runs to play.
    pub fn rule(&self) -> Rule {
        self.record.rule
    }

    /// Its runs, in order.
    pub fn parts(&self) -> &[Part] {
        &self.record.parts
    }

    /// Whether a folder contains a job.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Returns the jobs in a folder of runs, by name.
    ///
    /// # Errors
    /// [`SessionError::Io`] if the folder exists and cannot be read.
    pub fn list(runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
        job_file::folders(runs, Self::is_at)
    }

    /// Returns the job that a run belongs to, if there is one next to it. Skips unreadable jobs.
    pub fn of_run(run: &Path) -> Option<PathBuf> {
        let (name, beside) = (name_of(run), run.parent()?);
        let has = |folder: &PathBuf| {
            let series = Self::read(folder).ok().flatten();
            series.is_some_and(|series| series.parts().iter().any(|part| part.run.as_ref() == Some(&name)))
        };
        Self::list(beside).ok()?.into_iter().find(has)
    }

    /// Returns the folder of a part's run, if it exists.
    pub fn run_of(&self, part: &Part) -> Option<PathBuf> {
        let path = self.beside().join(part.run.as_ref()?);
        path.exists().then_some(path)
    }

    /// Returns the folder of its runs.
    pub(super) fn beside(&self) -> PathBuf {
        self.folder.parent().unwrap_or(Path::new("")).to_owned()
    }

    pub(super) fn save(&self) -> Result<(), SessionError> {
        let written = job_file::write(&self.folder.join(FILE), &self.record);
        written.map_err(|cause| SessionError::io(format!("cannot write into {}", self.folder.display()), cause))
    }

    pub(super) fn discard(&self) {
        // Files that cannot be removed stay, since an error has been reported already.
        let _stays = fs::remove_dir_all(&self.folder);
    }
}
