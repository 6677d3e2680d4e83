//! The stored state of a campaign: a folder with the configuration, the patches, and the results. The runs are next to
//! it, like any others: one match of each patch against the base.
//!
//! ```text
//! campaign-NAME-1/
//!   config.toml            the campaign, as it was read last
//!   campaign.json          the base, the patches, the results of batches in their order
//!   report.html            the page
//! match-NAME-PATCH-1/
//! ```
//!
//! The next step follows from `campaign.json` alone. A batch whose result is missing from it is first played to its
//! end.

use super::super::job_file;
use super::CampaignError;
use super::model::CampaignEnding;
use crate::builds::Revision;
use crate::error::SessionError;
use crate::host::unix_ms;
use crate::run_folder::name_of;
use arena::run::{FolderLock, next_free, replace_file};
use plan::{Campaigning, Disk, RunPlan};
use serde::{Deserialize, Serialize};
use stats::PairCounts;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file in its folder.
const FILE: &str = "campaign.json";
/// The configuration.
const CONFIG: &str = "config.toml";
/// The supported version of that file.
const VERSION: u32 = 1;

/// A campaign, as stored in its folder.
#[derive(Clone, Debug)]
pub struct CampaignJob {
    pub(super) folder: PathBuf,
    pub(super) campaigning: Campaigning,
    pub(super) record: Record,
}

/// The source of a campaign's engines, and the base of all patches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The top of the repository.
    pub(super) repository: PathBuf,
    /// The cache of builds, if not in the user's cache folder.
    pub(super) cache: Option<PathBuf>,
    pub(super) base: Revision,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    /// The time of its creation, in milliseconds since 1970.
    began_unix_ms: i64,
    pub(super) origin: Origin,
    /// The folder of patches, if there is one: absolute, since a campaign may be resumed from anywhere.
    #[serde(default)]
    pub(super) folder: Option<PathBuf>,
    /// Whether each engine is built for the campaign, even if the cache has it from before.
    #[serde(default)]
    pub(super) rebuild: bool,
    /// The number of ideas at its beginning.
    pub(super) planned: u32,
    /// The patches, in the order in which they joined.
    pub(super) patches: Vec<Entry>,
    /// The batches that were played, in order.
    pub(super) steps: Vec<Step>,
    /// The merges of accepted patches, the latest one last.
    pub(super) together: Vec<Together>,
}

/// A patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The idea that it tries, if it has a name.
    pub(super) idea: Option<String>,
    /// It plays before patches with a lower priority.
    #[serde(default)]
    pub(super) priority: i32,
    pub(super) change: Source,
    /// Options that differ from those of the base.
    pub(super) options: BTreeMap<String, String>,
    pub(super) fitness: Fitness,
    /// The SHA-256 of its program, if one was built for it.
    #[serde(default)]
    pub(super) program: Option<String>,
    /// The folder of its run, next to the job's.
    pub(super) run: Option<String>,
}

/// The source of a patch's program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Source {
    /// A revision, or the base with the changes of a file.
    Revision(Revision),
    /// This program.
    Command(String),
    /// The program of the base.
    Base,
}

/// Whether a patch can play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fitness {
    /// It has not been built yet.
    New,
    /// Its program is built and differs from that of the base.
    Ready,
    /// It cannot play, for this reason.
    Unfit(String),
}

/// A batch that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// The number of the patch.
    pub(super) patch: u32,
    /// All its pairs so far, from its view.
    pub(super) pairs: PairCounts,
}

/// Accepted patches that were merged, and their match against the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Together {
    /// The accepted patches, in the order in which they were accepted.
    pub(super) of: Vec<u32>,
    /// The patches that were left out, and the reasons.
    pub(super) left_out: Vec<(u32, String)>,
    /// The merged revision; `None` if only options differ from the base.
    pub(super) revision: Option<Revision>,
    /// The merged options.
    pub(super) options: BTreeMap<String, String>,
    pub(super) fitness: Fitness,
    /// The folder of its run, next to the job's.
    pub(super) run: Option<String>,
    /// The pairs that were played, from the merge's view.
    pub(super) pairs: PairCounts,
}

/// The folder of patches as a path that holds in any current folder.
fn absolute(folder: Option<&Path>) -> Option<PathBuf> {
    folder.map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()))
}

impl Fitness {
    /// A patch that plays like this other one is left out: only one of the two can be a discovery.
    pub(super) fn twin_of(patch: &str) -> Self {
        Self::Unfit(format!("it is the same engine as {patch}"))
    }
}

impl Entry {
    /// Whether another entry is the same change for the same idea.
    fn is_same(&self, other: &Self) -> bool {
        let commit = |of: &Self| match &of.change {
            Source::Revision(revision) => (Some(revision.id.clone()), None),
            Source::Command(command) => (None, Some(command.clone())),
            Source::Base => (None, None),
        };
        commit(self) == commit(other) && self.options == other.options && self.idea == other.idea
    }
}

impl CampaignJob {
    /// Makes a new campaign in the next free folder of its name, and returns it with the lock of that folder.
    pub(super) fn create(
        runs: &Path,
        campaigning: Campaigning,
        origin: Origin,
        patches: Vec<Entry>,
    ) -> Result<(Self, FolderLock), SessionError> {
        let io = |cause| SessionError::io(format!("cannot make a folder in {}", runs.display()), cause);
        fs_err::create_dir_all(runs).map_err(io)?;
        let folder = next_free(runs, &format!("campaign-{}", campaigning.name))?;
        let named: BTreeSet<&String> = patches.iter().filter_map(|patch| patch.idea.as_ref()).collect();
        let alone = patches.iter().filter(|patch| patch.idea.is_none()).count();
        let planned = u32::try_from(named.len() + alone).unwrap_or(u32::MAX);
        let record = Record {
            version: VERSION,
            began_unix_ms: unix_ms(),
            origin,
            folder: absolute(campaigning.folder.as_deref()),
            rebuild: false,
            planned,
            patches,
            steps: Vec::new(),
            together: Vec::new(),
        };
        let job = Self { folder, campaigning, record };
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
        let written = replace_file(&self.folder.join(CONFIG), self.campaigning.plan.text().as_bytes());
        written.map_err(|cause| self.refused(cause))
    }

    /// Reads the campaign in a folder; `None` if there is none. `settings` are `key=value` texts that override its
    /// stored configuration: only its budgets may change.
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
        let stem = stem.strip_prefix("campaign-").and_then(|rest| Some(rest.rsplit_once('-')?.0)).unwrap_or(&stem);
        let plan = |settings: &[String]| {
            RunPlan::read(&text, &config.display().to_string(), stem, settings, None, Disk)?.campaigning()
        };
        let job = Self { folder: folder.to_owned(), campaigning: plan(&[])?, record };
        if settings.is_empty() { Ok(Some(job)) } else { job.continued(plan(settings)?).map(Some) }
    }

    /// Returns the latest campaign in a folder of runs that tests patches of the same base in the same way. An
    /// unsettled campaign keeps its base, even if the name of the base now means another commit.
    pub(super) fn latest(runs: &Path, asked: &Campaigning, origin: &Origin) -> Result<Option<Self>, SessionError> {
        let start = format!("campaign-{}-", asked.name);
        let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix(&start)?.parse::<u32>().ok();
        let mut paths: Vec<_> = Self::list(runs)?.into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
        paths.sort();
        for (_, path) in paths.into_iter().rev() {
            let Some(job) = Self::read(&path, &[])? else { continue };
            let then = &job.record.origin;
            let is_same_base = then.base.commit == origin.base.commit
                || then.base.asked == origin.base.asked && job.ending() != Some(CampaignEnding::Settled);
            let is_same = then.repository == origin.repository && is_same_base;
            if is_same && asked.differences(&job.campaigning).is_empty() {
                return Ok(Some(job));
            }
        }
        Ok(None)
    }

    /// Updates the patches to the current list, and the budgets to the current ones. Twins of a patch that is removed
    /// or replaced are judged again.
    pub(super) fn joined(mut self, listed: Vec<Entry>, asked: Campaigning) -> Result<Self, SessionError> {
        let played: BTreeSet<u32> = self.record.steps.iter().map(|step| step.patch).collect();
        let mut twins = Vec::new();
        for (number, patch) in (0..).zip(&mut self.record.patches) {
            let has_played = played.contains(&number) || patch.run.is_some();
            match listed.iter().find(|now| now.name == patch.name) {
                None if has_played => return Err(CampaignError::Removed { patch: patch.name.clone() }.into()),
                None => {
                    twins.push(Fitness::twin_of(&patch.name));
                    patch.fitness = Fitness::Unfit(UNLISTED.to_owned());
                }
                Some(now) if !now.is_same(patch) && has_played => {
                    return Err(CampaignError::Changed { patch: patch.name.clone() }.into());
                }
                Some(now) if !now.is_same(patch) || is_unlisted(patch) => {
                    twins.push(Fitness::twin_of(&patch.name));
                    patch.clone_from(now);
                }
                // Priorities may change at any time.
                Some(now) => patch.priority = now.priority,
            }
        }
        for patch in self.record.patches.iter_mut().filter(|patch| twins.contains(&patch.fitness)) {
            patch.fitness = Fitness::New;
        }
        let is_new = |now: &Entry| !self.record.patches.iter().any(|patch| patch.name == now.name);
        let new: Vec<Entry> = listed.into_iter().filter(is_new).collect();
        self.record.patches.extend(new);
        self.record.folder = absolute(asked.folder.as_deref());
        self.save()?;
        self.continued(asked)
    }

    /// Updates the budgets to the current ones.
    fn continued(mut self, asked: Campaigning) -> Result<Self, SessionError> {
        let differences = asked.differences(&self.campaigning);
        if !differences.is_empty() {
            return Err(CampaignError::Other { path: self.folder, differences }.into());
        }
        if asked.plan.text() != self.campaigning.plan.text() {
            self.campaigning = asked;
            self.write_config()?;
        }
        Ok(self)
    }

    /// Whether a folder contains a campaign.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Returns the folders of campaigns in a folder of runs, by name.
    ///
    /// # Errors
    /// [`SessionError::Io`] if the folder exists and cannot be read.
    pub fn list(runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
        job_file::folders(runs, Self::is_at)
    }

    /// Returns the campaign that a run belongs to, if there is one next to it. Skips unreadable campaigns.
    pub(in super::super) fn of_run(run: &Path) -> Option<PathBuf> {
        let (name, beside) = (name_of(run), run.parent()?);
        let has =
            |folder: &PathBuf| Self::read(folder, &[]).ok().flatten().is_some_and(|job| job.runs().contains(&name));
        Self::list(beside).ok()?.into_iter().find(has)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of its runs, which are next to its folder.
    pub fn runs(&self) -> Vec<String> {
        let together = self.record.together.iter().map(|together| &together.run);
        self.record.patches.iter().map(|patch| &patch.run).chain(together).flatten().cloned().collect()
    }

    /// The time of its creation, in milliseconds since 1970.
    pub fn began_unix_ms(&self) -> i64 {
        self.record.began_unix_ms
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

/// The reason of a patch that is now missing from the file.
const UNLISTED: &str = "it is no longer listed";

fn is_unlisted(patch: &Entry) -> bool {
    matches!(&patch.fitness, Fitness::Unfit(why) if why == UNLISTED)
}
