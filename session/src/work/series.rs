//! Several runs in turn, as one job that can be stopped and resumed as a whole. Its folder keeps what is to be played
//! and which runs there are; the runs themselves lie beside it, like any others.

use super::{Changes, job_file, verdict_of};
use crate::error::SessionError;
use crate::limit;
use crate::runner::{SessionRunner, name_of};
use crate::warning::Warning;
use arena::config::{Job, Loaded};
use arena::run::{Finish, Verdict, next_free};
use plan::load;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// The file in a job's folder.
const FILE: &str = "job.json";
/// The version of that file; others are refused.
const VERSION: u32 = 1;

/// Several runs in turn.
#[derive(Debug)]
pub struct Series {
    folder: PathBuf,
    record: Record,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    version: u32,
    /// What the job is, for people.
    title: String,
    rule: Rule,
    parts: Vec<Part>,
}

/// Which of its runs are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// All of them.
    All,
    /// Each so long as the one before has accepted H1.
    WhilePassed,
}

/// One run of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What it is called, such as the release that is played against.
    pub name: String,
    /// Its job, as the section of its configuration is called.
    job: String,
    /// Its configuration.
    config: String,
    /// Its folder beside the job's, once it has one.
    pub run: Option<String>,
}

impl Part {
    /// A run that was not begun.
    pub fn new(name: &str, run: &Loaded) -> Self {
        let (job, config) = (run.run.experiment.kind().to_owned(), run.text.clone());
        Self { name: name.to_owned(), job, config, run: None }
    }

    fn load(&self, settings: &[String]) -> Result<Loaded, SessionError> {
        let job = Job::ALL.into_iter().find(|job| job.section() == self.job).unwrap_or(Job::Sprt);
        Ok(load(&self.config, &format!("the configuration of {}", self.name), "run", settings, job)?)
    }
}

impl Series {
    /// A new job in the next free folder of its name.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be made; nothing is left behind then.
    pub fn create(runs: &Path, name: &str, title: &str, rule: Rule, parts: Vec<Part>) -> Result<Self, SessionError> {
        fs::create_dir_all(runs).map_err(|cause| SessionError::io(format!("cannot make {}", runs.display()), cause))?;
        let folder = next_free(runs, name)?;
        let series = Self { folder, record: Record { version: VERSION, title: title.to_owned(), rule, parts } };
        series.save().inspect_err(|_| series.discard())?;
        Ok(series)
    }

    /// The job in a folder; `None` if there is none.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be read, or if another version of spar made it.
    pub fn read(folder: &Path) -> Result<Option<Self>, SessionError> {
        let record = job_file::read(&folder.join(FILE), VERSION)?;
        Ok(record.map(|record| Self { folder: folder.to_owned(), record }))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is, for people.
    pub fn title(&self) -> &str {
        &self.record.title
    }

    /// Which of its runs are played.
    pub fn rule(&self) -> Rule {
        self.record.rule
    }

    /// Its runs, in turn.
    pub fn parts(&self) -> &[Part] {
        &self.record.parts
    }

    /// Plays what there is to play: finished runs are read again, one that was stopped goes on, the others are made.
    /// Changes are made to all of them, but a limit to none that is decided. Ends early if the session is stopped.
    ///
    /// # Errors
    /// [`SessionError`]; the job can be resumed. One of which nothing was played is removed.
    pub fn go_on(mut self, runner: &mut SessionRunner, changes: &Changes) -> Result<(), SessionError> {
        let done = self.play(runner, changes);
        if done.is_err() && self.record.parts.iter().all(|part| part.run.is_none()) {
            self.discard();
        }
        done
    }

    fn play(&mut self, runner: &mut SessionRunner, changes: &Changes) -> Result<(), SessionError> {
        let (count, mut played) = (self.record.parts.len(), false);
        for number in 0..count {
            let part = self.record.parts[number].clone();
            runner.phase(&part.name, number + 1, count);
            let limit = changes.pairs.map(|pairs| self.limit(&part, pairs)).transpose()?.flatten();
            let settings: Vec<String> = changes.settings.iter().cloned().chain(limit).collect();
            let outcome = match self.run_of(&part) {
                Some(path) => runner.resume(&path, &settings)?.0,
                None => self.begin(runner, number, &part.load(&settings)?)?,
            };
            played |= outcome.played || outcome.verdict().is_none();
            let is_passed = outcome.verdict() == Some(Verdict::AcceptedH1);
            if outcome.finish == Finish::Stopped || self.record.rule == Rule::WhilePassed && !is_passed {
                break;
            }
        }
        if !played {
            runner.warn(Warning::Finished { run: name_of(&self.folder), takes_more: false });
        }
        Ok(())
    }

    /// Whether there is a job in a folder.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// The jobs in a folder of runs, by name.
    ///
    /// # Errors
    /// [`SessionError::Io`] if the folder exists and cannot be read.
    pub fn list(runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
        let entries = match fs::read_dir(runs) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|cause| SessionError::io(format!("cannot read {}", runs.display()), cause))?,
        };
        let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.retain(|path| Self::is_at(path));
        folders.sort();
        Ok(folders)
    }

    /// The job that a run belongs to, if there is one beside it. What cannot be read is passed over.
    pub fn of_run(run: &Path) -> Option<PathBuf> {
        let (name, beside) = (name_of(run), run.parent()?);
        let has = |folder: &PathBuf| {
            let series = Self::read(folder).ok().flatten();
            series.is_some_and(|series| series.parts().iter().any(|part| part.run.as_ref() == Some(&name)))
        };
        Self::list(beside).ok()?.into_iter().find(has)
    }

    /// The `key=value` setting by which a part's run may have `pairs` pairs; none for one that is decided, which no
    /// limit changes. Each part says its limit in its own way.
    fn limit(&self, part: &Part, pairs: NonZeroU64) -> Result<Option<String>, SessionError> {
        let Some(path) = self.run_of(part) else {
            let run = part.load(&[])?.run;
            return Ok(Some(limit::setting(&part.name, &run, &part.config, pairs)?));
        };
        let is_decided = matches!(verdict_of(&path)?, Some(Verdict::AcceptedH1 | Verdict::AcceptedH0));
        if is_decided { Ok(None) } else { limit::setting_of(&path, pairs).map(Some) }
    }

    /// The folder of a part's run, if it is there.
    pub fn run_of(&self, part: &Part) -> Option<PathBuf> {
        let path = self.beside().join(part.run.as_ref()?);
        path.exists().then_some(path)
    }

    fn begin(
        &mut self,
        runner: &mut SessionRunner,
        number: usize,
        run: &Loaded,
    ) -> Result<std::sync::Arc<crate::Outcome>, SessionError> {
        let runs = self.beside();
        let begun = runner.begin_in(&runs, run, &mut |path| {
            // Known before anything is played, so that no pair is lost whenever the job is killed.
            self.record.parts[number].run = path.file_name().map(|name| name.to_string_lossy().into_owned());
            self.save()
        });
        begun.inspect_err(|_| {
            if self.run_of(&self.record.parts[number]).is_none() {
                self.record.parts[number].run = None;
            }
        })
    }

    /// The folder that its runs lie in.
    fn beside(&self) -> PathBuf {
        self.folder.parent().unwrap_or(Path::new("")).to_owned()
    }

    fn save(&self) -> Result<(), SessionError> {
        let written = job_file::write(&self.folder.join(FILE), &self.record);
        written.map_err(|cause| SessionError::io(format!("cannot write into {}", self.folder.display()), cause))
    }

    fn discard(&self) {
        // What cannot be removed stays: there is an error to be told already.
        let _stays = fs::remove_dir_all(&self.folder);
    }
}
