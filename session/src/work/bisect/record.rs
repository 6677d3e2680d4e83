//! The stored state of a bisection: a folder with the configuration, the commits, builds and results. The runs are next
//! to it, like any others: one match for each two versions that played.
//!
//! ```text
//! bisect-NAME-1/
//!   config.toml            how it is bisected, as it was read
//!   bisect.json            the commits, their builds, the results of matches, what was found
//!   report.html            the page
//! match-NAME-LATER-EARLIER-1/
//! ```
//!
//! The next step follows from `bisect.json` alone. A match whose result is missing from it is first played to its end.

use super::super::job_file;
use crate::builds::RangeCommit;
use crate::error::SessionError;
use crate::host::unix_ms;
use crate::run_folder::name_of;
use arena::run::{FolderLock, next_free, replace_file};
use plan::{Bisecting, Disk, RunPlan};
use serde::{Deserialize, Serialize};
use stats::PairCounts;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file in its folder.
const FILE: &str = "bisect.json";
/// The configuration.
const CONFIG: &str = "config.toml";
/// The supported version of that file.
const VERSION: u32 = 1;

/// A bisection, as stored in its folder.
#[derive(Clone, Debug)]
pub struct BisectJob {
    pub(super) folder: PathBuf,
    pub(super) bisecting: Bisecting,
    pub(super) record: Record,
}

/// The range to bisect, and the source of its engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) good: String,
    pub(super) bad: String,
    pub(super) path: Option<String>,
    /// The top of the repository.
    pub(super) repository: PathBuf,
    /// The cache of builds, if not in the user's cache folder.
    pub(super) cache: Option<PathBuf>,
    /// The good end, then the commits after it. The indices in this list are the numbers of versions.
    pub(super) commits: Vec<RangeCommit>,
}

impl Range {
    /// Returns the names of both ends as requested; for a full commit id, its first digits.
    pub(super) fn ends(&self) -> [&str; 2] {
        [(&self.good, self.commits.first()), (&self.bad, self.commits.last())].map(|(called, commit)| match commit {
            Some(RangeCommit { revision, .. }) if revision.commit == *called => revision.short(),
            _ => called,
        })
    }

    /// Whether another range has the same commits, under any names of its ends.
    fn is_same(&self, other: &Self) -> bool {
        let ids = |range: &Self| range.commits.iter().map(|of| of.revision.id.clone()).collect::<Vec<_>>();
        ids(self) == ids(other) && self.path == other.path
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    /// The time of its creation, in milliseconds since 1970.
    began_unix_ms: i64,
    pub(super) range: Range,
    /// Whether each version is built for the bisection, even if the cache has it from before.
    #[serde(default)]
    pub(super) rebuild: bool,
    /// The results of building versions.
    pub(super) engines: BTreeMap<u32, Engine>,
    /// The matches, in the order in which they began.
    pub(super) matches: Vec<Match>,
    /// The findings, in order.
    pub(super) found: Vec<Found>,
}

impl Record {
    /// Makes the record of a range whose ends are built.
    pub(super) fn new(range: Range, engines: BTreeMap<u32, Engine>) -> Self {
        let (matches, found) = (Vec::new(), Vec::new());
        Self { version: VERSION, began_unix_ms: unix_ms(), range, rebuild: false, engines, matches, found }
    }
}

/// The result of building a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Engine {
    /// It was built.
    Built {
        /// SHA-256 of the program, if it needs no other file.
        program: Option<String>,
        /// Its signature, if it has one.
        nodes: Option<u64>,
    },
    /// It cannot play, for this reason.
    Skipped(String),
}

impl Engine {
    /// Returns how two versions are known to play alike, if they are.
    pub(super) fn is_same(&self, other: &Self) -> Option<&'static str> {
        let (Self::Built { program: one, nodes }, Self::Built { program: two, nodes: others }) = (self, other) else {
            return None;
        };
        if one.is_some() && one == two {
            Some("the same program, byte for byte")
        } else if nodes.is_some() && nodes == others {
            Some("the same bench")
        } else {
            None
        }
    }
}

/// The match between two versions, over all its batches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Match {
    pub(super) earlier: u32,
    pub(super) later: u32,
    /// The folder of its run, next to the job's.
    pub(super) run: Option<String>,
    /// The pairs of all complete batches, from the later version's view.
    pub(super) counts: PairCounts,
}

/// Commits that were found to have lost strength: one, or several that cannot be separated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Their numbers in the range, from 1.
    pub commits: Vec<u32>,
    /// The probability at that time that the loss is there.
    pub probability: f64,
    /// The pairs of all matches at that time.
    pub pairs: u64,
}

impl BisectJob {
    /// Makes a new bisection, whose ends are built, in the next free folder of its name, and returns it with the lock
    /// of that folder.
    pub(super) fn create(
        runs: &Path,
        bisecting: Bisecting,
        range: Range,
        engines: BTreeMap<u32, Engine>,
    ) -> Result<(Self, FolderLock), SessionError> {
        let io = |cause| SessionError::io(format!("cannot make a folder in {}", runs.display()), cause);
        fs_err::create_dir_all(runs).map_err(io)?;
        let folder = next_free(runs, &format!("bisect-{}", bisecting.name))?;
        let job = Self { folder, bisecting, record: Record::new(range, engines) };
        let lock = job_file::lock_and_fill(&job.folder, || job.write_config().and_then(|()| job.save()));
        let lock = lock.inspect_err(|_| job.discard())?;
        Ok((job, lock))
    }

    /// Keeps the cache out of all further builds, if `rebuild` is set.
    pub(super) fn rebuilding(mut self, rebuild: bool) -> Self {
        self.record.rebuild |= rebuild;
        self
    }

    fn write_config(&self) -> Result<(), SessionError> {
        let written = replace_file(&self.folder.join(CONFIG), self.bisecting.plan.text().as_bytes());
        written.map_err(|cause| self.refused(cause))
    }

    /// Reads the bisection in a folder; `None` if there is none. `settings` are `key=value` texts that override its
    /// stored configuration: only the conditions of its end may change.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be read, if another version of spar made it, or if more would change.
    pub fn read(folder: &Path, settings: &[String]) -> Result<Option<Self>, SessionError> {
        let Some(record) = job_file::read::<Record>(&folder.join(FILE), VERSION)? else { return Ok(None) };
        let config = folder.join(CONFIG);
        let text = std::fs::read_to_string(&config);
        let text = text
            .map_err(|cause| SessionError::io(format!("cannot read the configuration {}", config.display()), cause))?;
        let stem = name_of(folder);
        let stem = stem.strip_prefix("bisect-").and_then(|rest| Some(rest.rsplit_once('-')?.0)).unwrap_or(&stem);
        let plan = |settings: &[String]| {
            RunPlan::read(&text, &config.display().to_string(), stem, settings, None, Disk)?.bisecting()
        };
        let job = Self { folder: folder.to_owned(), bisecting: plan(&[])?, record };
        if settings.is_empty() { Ok(Some(job)) } else { job.continued(&plan(settings)?).map(Some) }
    }

    /// Returns the latest bisection in a folder of runs with the same range and the same settings.
    pub(super) fn latest(runs: &Path, asked: &Bisecting, range: &Range) -> Result<Option<Self>, SessionError> {
        let start = format!("bisect-{}-", asked.name);
        let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix(&start)?.parse::<u32>().ok();
        let mut paths: Vec<_> = Self::list(runs)?.into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
        paths.sort();
        for (_, path) in paths.into_iter().rev() {
            let Some(job) = Self::read(&path, &[])? else { continue };
            let is_same = job.record.range.is_same(range);
            if is_same && asked.differences(&job.bisecting).is_empty() {
                return job.continued(asked).map(Some);
            }
        }
        Ok(None)
    }

    /// Updates the conditions of its end to the current ones.
    fn continued(mut self, asked: &Bisecting) -> Result<Self, SessionError> {
        let differences = asked.differences(&self.bisecting);
        if !differences.is_empty() {
            return Err(SessionError::OtherBisection { path: self.folder, differences });
        }
        let ends = |of: &Bisecting| (of.confidence, of.max_pairs, of.find);
        if ends(asked) != ends(&self.bisecting) {
            self.bisecting = asked.clone();
            self.write_config()?;
        }
        Ok(self)
    }

    /// Whether a folder contains a bisection.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Returns the folders of bisections in a folder of runs, by name.
    ///
    /// # Errors
    /// [`SessionError::Io`] if the folder exists and cannot be read.
    pub fn list(runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
        job_file::folders(runs, Self::is_at)
    }

    /// Returns the bisection that a run belongs to, if there is one next to it. Skips unreadable bisections.
    pub(in super::super) fn of_run(run: &Path) -> Option<PathBuf> {
        let (name, beside) = (name_of(run), run.parent()?);
        let has = |folder: &PathBuf| {
            let job = Self::read(folder, &[]).ok().flatten();
            job.is_some_and(|job| job.record.matches.iter().any(|played| played.run.as_ref() == Some(&name)))
        };
        Self::list(beside).ok()?.into_iter().find(has)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of its runs, which are next to its folder.
    pub fn runs(&self) -> Vec<String> {
        self.record.matches.iter().filter_map(|played| played.run.clone()).collect()
    }

    /// The time of its creation, in milliseconds since 1970.
    pub fn began_unix_ms(&self) -> i64 {
        self.record.began_unix_ms
    }

    /// The pairs of all matches.
    pub fn pairs(&self) -> u64 {
        self.record.matches.iter().map(|played| played.counts.total()).sum()
    }

    /// The number of the last version.
    pub(super) fn last(&self) -> u32 {
        u32::try_from(self.record.range.commits.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub(super) fn commit(&self, version: u32) -> &RangeCommit {
        &self.record.range.commits[version as usize]
    }

    /// Returns the folder of its runs.
    pub(super) fn beside(&self) -> PathBuf {
        self.folder.parent().unwrap_or(Path::new("")).to_owned()
    }

    pub(super) fn save(&self) -> Result<(), SessionError> {
        job_file::write(&self.folder.join(FILE), &self.record).map_err(|cause| self.refused(cause))
    }

    fn refused(&self, cause: std::io::Error) -> SessionError {
        SessionError::io(format!("cannot write into {}", self.folder.display()), cause)
    }

    pub(super) fn discard(&self) {
        // Files that cannot be removed stay, since an error has been reported already.
        let _stays = std::fs::remove_dir_all(&self.folder);
    }
}
