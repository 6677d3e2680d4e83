//! Many patches against one base with one error budget. Each patch plays its own match against the base, and the next
//! batch goes to the most promising patch. Accepted patches are merged and played together. A campaign that was stopped
//! at any point resumes as if it had never stopped.

pub(crate) mod error;
mod model;
mod page;
pub(crate) mod record;
#[cfg(test)]
mod tests;
mod wording;

pub use error::CampaignError;
pub use model::CampaignEnding;
pub use record::CampaignJob;

use super::of_matches::{begin, counts_of, extend, is_stop, stopped, teller, unfit};
use crate::builds::{Build, BuildError, EngineBuilder, Revision, Sources, WORKTREE};
use crate::error::SessionError;
use crate::outcome::Outcome;
use crate::run_folder::executables;
use crate::runner::SessionRunner;
use crate::warning::Warning;
use arena::config::Job;
use arena::run::FolderLock;
use model::Next;
use plan::{Built, Campaigning, Change, PatchSource, RunPlan, names_a_patch};
use record::{Entry, Fitness, Origin, Source, Step, Together};
use stats::PairCounts;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The extension of a patch file.
const PATCH_FILE: &str = "patch";
/// The name of the merged patches.
const TOGETHER: &str = "together";

/// Patches that a merge leaves out, each with the reason.
type LeftOut = Vec<(u32, String)>;

/// A campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The plan of all matches, with everything except the entrants: the patches, and the recipe of builds.
    pub plan: RunPlan,
    /// The sources of the engines.
    pub sources: Sources,
}

/// Looks up the base and the patches of a campaign, and returns their names. Builds and plays nothing.
///
/// # Errors
/// [`SessionError`] if one of them is not found or does not apply.
pub fn find_patches(runner: &SessionRunner, campaign: &Campaign) -> Result<Vec<String>, SessionError> {
    let (_, _, listed) = looked_up(runner, campaign, &campaign.plan.campaigning()?)?;
    Ok(listed.into_iter().map(|patch| patch.name).collect())
}

/// Begins a campaign, or resumes the latest one with the same base in the runs folder; new patches join it. Ends early
/// if the session is stopped.
///
/// # Errors
/// [`SessionError`]; no pair is played unless every patch is found, and at least one is built and differs from the
/// base.
pub fn campaign(runner: &mut SessionRunner, campaign: &Campaign) -> Result<CampaignJob, SessionError> {
    let campaigning = campaign.plan.campaigning()?;
    let (origin, known, listed) = looked_up(runner, campaign, &campaigning)?;
    let (job, lock) = match known {
        Some(job) => {
            let lock = FolderLock::take(&job.folder)?;
            let then = &job.record.origin.base;
            if then.commit != origin.base.commit {
                let (asked, now, then) = (&then.asked, origin.base.short(), then.short());
                runner.note(format!("{asked} is {now} now; this campaign still compares with {then}"));
            }
            if campaign.sources.rebuild {
                runner.note(
                    "This campaign keeps what it has built. To build all of it again, give it another `name`."
                        .to_owned(),
                );
            }
            (job.joined(listed, campaigning)?, lock)
        }
        None => CampaignJob::create(runner.runs(), campaigning, origin, listed)?,
    };
    let job = job.rebuilding(campaign.sources.rebuild);
    let folder = job.clone();
    job.work(runner, Newcomers::new(campaign.clone()), lock).inspect_err(|_| {
        if CampaignJob::read(folder.folder(), &[]).is_ok_and(|job| job.is_some_and(|job| job.runs().is_empty())) {
            folder.discard();
        }
    })
}

/// Returns the base of a campaign, an earlier campaign with this base, and all listed patches.
fn looked_up(
    runner: &SessionRunner,
    campaign: &Campaign,
    campaigning: &Campaigning,
) -> Result<(Origin, Option<CampaignJob>, Vec<Entry>), SessionError> {
    let tell = |news| runner.tell(news);
    let Campaign { plan, sources } = campaign;
    let builder = EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
    if campaigning.base == WORKTREE {
        return Err(CampaignError::Worktree { what: "`base`".to_owned() }.into());
    }
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let origin = Origin {
        repository: builder.root().to_owned(),
        cache: sources.cache.as_ref().map(absolute),
        base: builder.revision(&campaigning.base)?,
    };
    let known = CampaignJob::latest(runner.runs(), campaigning, &origin)?;
    let base = known.as_ref().map_or(&origin.base, |job| &job.record.origin.base);
    let sources = all_patches(campaigning)?;
    let listed = sources.into_iter().map(|patch| entry(&builder, base, patch)).collect::<Result<_, _>>()?;
    Ok((origin, known, listed))
}

/// Returns the patches that the file lists, then those of the folder that it does not list.
fn all_patches(campaigning: &Campaigning) -> Result<Vec<PatchSource>, SessionError> {
    let mut patches = campaigning.patches.clone();
    for (_, patch) in of_folder(campaigning, campaigning.folder.as_deref())? {
        patches.push(patch?);
    }
    if patches.is_empty() {
        return Err(CampaignError::Empty { folder: campaigning.folder.clone() }.into());
    }
    Ok(patches)
}

/// A file of the folder, and its patch or the reason why it cannot be one.
type InFolder = (PathBuf, Result<PatchSource, CampaignError>);

/// Returns the files of the folder of patches that are not listed.
fn of_folder(campaigning: &Campaigning, folder: Option<&Path>) -> Result<Vec<InFolder>, CampaignError> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let listed: Vec<PathBuf> = campaigning
        .patches
        .iter()
        .filter_map(|patch| if let Change::File(file) = &patch.change { Some(place(file)) } else { None })
        .collect();
    let files = folder.map_or(Ok(Vec::new()), patch_files)?;
    let files = files.into_iter().filter(|file| !listed.contains(&place(file)));
    Ok(files.map(|file| (file.clone(), named_by_file(campaigning, file))).collect())
}

/// Makes a patch from a file of the folder.
fn named_by_file(campaigning: &Campaigning, file: PathBuf) -> Result<PatchSource, CampaignError> {
    let name = file.file_stem().and_then(|stem| stem.to_str()).filter(|name| names_a_patch(name));
    let Some(name) = name.map(str::to_owned) else { return Err(CampaignError::FileName { file }) };
    if campaigning.patches.iter().any(|patch| patch.name == name) {
        return Err(CampaignError::Twice { patch: name, file });
    }
    Ok(PatchSource { name, change: Change::File(file), options: BTreeMap::new(), idea: None, priority: 0 })
}

/// Returns the patch files of a folder, by name.
fn patch_files(folder: &Path) -> Result<Vec<PathBuf>, CampaignError> {
    let wrong = |cause| CampaignError::Folder { folder: folder.to_owned(), cause };
    let entries = std::fs::read_dir(folder).map_err(wrong)?;
    let files = entries.map(|entry| Ok(entry.map_err(wrong)?.path())).collect::<Result<Vec<_>, CampaignError>>()?;
    let is_patch = |path: &PathBuf| path.extension().is_some_and(|extension| extension == PATCH_FILE);
    let mut files: Vec<PathBuf> = files.into_iter().filter(is_patch).collect();
    files.sort();
    Ok(files)
}

/// Patch files that are added to the folder of patches while a campaign runs.
struct Newcomers {
    campaign: Campaign,
    /// Files that cannot be patches, with their times of modification: each is reported once, and tried again after a
    /// change.
    refused: BTreeMap<PathBuf, Option<SystemTime>>,
}

impl Newcomers {
    fn new(campaign: Campaign) -> Self {
        Self { campaign, refused: BTreeMap::new() }
    }

    /// Adds new files to the campaign. Skips an unusable file, which may be half written. A folder that is unreadable
    /// at the moment has no new files.
    fn join(&mut self, job: &mut CampaignJob, runner: &SessionRunner) -> Result<(), SessionError> {
        for (file, patch) in of_folder(&job.campaigning, job.record.folder.as_deref()).unwrap_or_default() {
            let written = std::fs::metadata(&file).and_then(|file| file.modified()).ok();
            let is_known = |patch: &PatchSource| job.record.patches.iter().any(|known| known.name == patch.name);
            if patch.as_ref().is_ok_and(is_known) || self.refused.get(&file) == Some(&written) {
                continue;
            }
            match patch.map_err(SessionError::from).and_then(|patch| self.found(job, runner, patch)) {
                Ok(entry) => {
                    runner.note(format!("Joins: {}", entry.name));
                    job.record.patches.push(entry);
                    job.save()?;
                }
                Err(why) if is_stop(&why) => return Ok(()),
                Err(why) => {
                    runner.note(format!("Passed over {}: {why}", file.display()));
                    self.refused.insert(file, written);
                }
            }
        }
        Ok(())
    }

    fn found(&self, job: &CampaignJob, runner: &SessionRunner, patch: PatchSource) -> Result<Entry, SessionError> {
        let tell = |news| runner.tell(news);
        let Campaign { plan, sources } = &self.campaign;
        let builder = EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
        entry(&builder, &job.record.origin.base, patch)
    }
}

/// Makes the entry of a patch.
fn entry(builder: &EngineBuilder<'_>, base: &Revision, patch: PatchSource) -> Result<Entry, SessionError> {
    let PatchSource { name, change, options, idea, priority } = patch;
    let change = match change {
        Change::Revision(asked) if asked == WORKTREE => {
            return Err(CampaignError::Worktree { what: format!("patch `{name}`") }.into());
        }
        Change::Revision(asked) => Source::Revision(builder.candidate(&asked).map_err(|why| match why {
            BuildError::Uncommitted { asked } => CampaignError::Uncommitted { patch: name.clone(), asked }.into(),
            why => SessionError::from(why),
        })?),
        Change::File(file) => Source::Revision(builder.apply(base, &name, &file)?),
        Change::Command(command) => Source::Command(command),
        Change::Options => Source::Base,
    };
    Ok(Entry { name, idea, priority, change, options, fitness: Fitness::New, program: None, run: None })
}

impl CampaignJob {
    /// Does all remaining steps, also those of new files in the folder of patches. Returns the job in its final state.
    ///
    /// # Errors
    /// [`SessionError`]; completed steps are kept.
    pub fn go_on(self, runner: &mut SessionRunner) -> Result<Self, SessionError> {
        let lock = FolderLock::take(&self.folder)?;
        let campaign = Campaign { plan: self.campaigning.plan.clone(), sources: self.sources() };
        self.work(runner, Newcomers::new(campaign), lock)
    }

    fn work(
        mut self,
        runner: &mut SessionRunner,
        mut newcomers: Newcomers,
        _lock: FolderLock,
    ) -> Result<Self, SessionError> {
        runner.begins_job(&self.folder);
        while !runner.is_stopped() {
            newcomers.join(&mut self, runner)?;
            let next = self.next();
            if !matches!(next, Next::Build(_)) {
                self.refuse_if_nothing_plays()?;
            }
            let is_stopped = match next {
                Next::Build(patch) => self.build(runner, patch)?,
                Next::Play { patch, pairs } => self.play(runner, patch, pairs)?,
                Next::Merge(accepted) => self.merge(runner, accepted)?,
                Next::BuildTogether => self.build_together(runner)?,
                Next::PlayTogether(pairs) => self.play_together(runner, pairs)?,
                Next::Over(_) => break,
            };
            if is_stopped {
                break;
            }
            self.save()?;
            self.show(runner);
        }
        self.show(runner);
        Ok(self)
    }

    /// Until the first pair is played, at least one patch must be able to play.
    fn refuse_if_nothing_plays(&self) -> Result<(), SessionError> {
        let why = |patch: &Entry| match &patch.fitness {
            Fitness::Unfit(why) => Some(format!("{}: {why}", patch.name)),
            Fitness::New | Fitness::Ready => None,
        };
        let why: Vec<String> = self.record.patches.iter().filter_map(why).collect();
        if self.pairs() == 0 && why.len() == self.record.patches.len() {
            return Err(CampaignError::NothingPlays { why }.into());
        }
        Ok(())
    }

    /// Returns the sources of its engines, which are taken from the cache.
    fn sources(&self) -> Sources {
        let Origin { repository, cache, .. } = &self.record.origin;
        Sources { cache: cache.clone(), ..Sources::at(repository) }
    }

    /// Returns the engine of a revision. `is_known` says whether it was built for the campaign before.
    fn built(&self, runner: &SessionRunner, revision: &Revision, is_known: bool) -> Result<Build, SessionError> {
        let sources = Sources { rebuild: self.record.rebuild && !is_known, ..self.sources() };
        let tell = teller(runner, is_known);
        let plan = &self.campaigning.plan;
        let builder = EngineBuilder::open(&sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
        stopped(builder.build(revision))
    }

    /// Whether a revision is that of the base, which is built first, or of a patch that was built. Another build of it
    /// could be another program than the one that has played.
    fn is_built(&self, revision: &Revision) -> bool {
        let built = self.record.patches.iter().filter(|patch| patch.program.is_some());
        let mut built = built.filter_map(|patch| match &patch.change {
            Source::Revision(of) => Some(&of.id),
            Source::Command(_) | Source::Base => None,
        });
        revision.id == self.record.origin.base.id || built.any(|id| *id == revision.id)
    }

    fn base(&self, runner: &SessionRunner) -> Result<Build, SessionError> {
        let is_known = self.record.patches.iter().any(|patch| patch.fitness != Fitness::New);
        self.built(runner, &self.record.origin.base, is_known)
    }

    /// Builds a patch, and compares it with the base and the others. Returns whether the session was stopped meanwhile.
    fn build(&mut self, runner: &SessionRunner, patch: u32) -> Result<bool, SessionError> {
        let fitness = match self.fitness(runner, patch) {
            Err(why) if is_stop(&why) => return Ok(true),
            fitness => fitness?,
        };
        self.take(runner, patch, fitness);
        Ok(false)
    }

    /// Stores whether a patch can play.
    fn take(&mut self, runner: &SessionRunner, patch: u32, fitness: Fitness) {
        let patch = &mut self.record.patches[patch as usize];
        if let Fitness::Unfit(why) = &fitness {
            runner.note(format!("Dropped {}: {why}", patch.name));
        }
        patch.fitness = fitness;
    }

    fn fitness(&mut self, runner: &SessionRunner, number: u32) -> Result<Fitness, SessionError> {
        let base = self.base(runner)?;
        let build = match self.record.patches[number as usize].change.clone() {
            Source::Revision(revision) => match self.built(runner, &revision, self.is_built(&revision)) {
                Err(SessionError::Build(why)) if why.is_of_the_commit() => return Ok(Fitness::Unfit(why.in_brief())),
                build => Some(build?),
            },
            Source::Command(_) | Source::Base => None,
        };
        self.record.patches[number as usize].program = build.as_ref().map(|build| build.sha256.clone());
        let patch = &self.record.patches[number as usize];
        let is_bases = match (&patch.change, &build) {
            (Source::Base, _) => true,
            (_, Some(build)) => build.is_same_engine(&base).map_err(BuildError::from)?,
            (_, None) => false,
        };
        // Checks the plan of the match before the first game.
        let engine = if is_bases { base.built() } else { self.engine(runner, &patch.change)? };
        let plan = self.campaigning.match_of((&patch.name, &engine), &patch.options, &base.built(), 0, 1)?;
        let run = plan.resolve(Job::Match)?.run;
        let _programs = executables(&run)?;
        if is_bases && run.entrants[0].player == run.entrants[1].player {
            let with = if patch.options.is_empty() { "" } else { ", and so are its options" };
            return Ok(Fitness::Unfit(format!("it is the same engine as the base, byte for byte{with}")));
        }
        let twin = self.twin(runner, number, build.as_ref())?;
        Ok(twin.map_or(Fitness::Ready, |twin| Fitness::twin_of(&twin)))
    }

    /// Returns another patch that plays the same, if there is one. It can be a later one, if this one has changed.
    fn twin(&self, runner: &SessionRunner, number: u32, build: Option<&Build>) -> Result<Option<String>, SessionError> {
        let patch = &self.record.patches[number as usize];
        // The patch itself is not ready yet.
        for other in &self.record.patches {
            if other.fitness != Fitness::Ready || other.options != patch.options {
                continue;
            }
            let is_same = match (&patch.change, &other.change, build) {
                (Source::Revision(_), Source::Revision(of), Some(build)) if other.program == patch.program => {
                    self.built(runner, of, true)?.is_same_engine(build).map_err(BuildError::from)?
                }
                (Source::Command(one), Source::Command(other), _) => one == other,
                (Source::Base, Source::Base, _) => true,
                _ => false,
            };
            if is_same {
                return Ok(Some(other.name.clone()));
            }
        }
        Ok(None)
    }

    /// Returns the program of a patch.
    fn engine(&self, runner: &SessionRunner, change: &Source) -> Result<Built, SessionError> {
        match change {
            Source::Revision(revision) => Ok(self.built(runner, revision, true)?.built()),
            Source::Base => Ok(self.base(runner)?.built()),
            Source::Command(command) => {
                let (id, subject) = (command.clone(), String::new());
                Ok(Built { program: command.into(), directory: None, id, subject, time: 0 })
            }
        }
    }

    /// Plays a batch of a patch. Returns whether the session was stopped before the last pair.
    fn play(&mut self, runner: &mut SessionRunner, patch: u32, pairs: u64) -> Result<bool, SessionError> {
        runner.table(self.table());
        let all = self.pairs_of(patch).total() + pairs;
        let outcome = match self.play_patch(runner, patch, all) {
            Err(why) if is_stop(&why) => return Ok(true),
            Err(why) => match unfit(&why) {
                Some((entrant, says)) if entrant.starts_with("patch ") => {
                    self.take(runner, patch, Fitness::Unfit(says));
                    return Ok(false);
                }
                _ => return Err(why),
            },
            Ok(outcome) => outcome,
        };
        let Some(pairs) = counts_of(&outcome) else { return Ok(true) };
        let before = self.known();
        self.record.steps.push(Step { patch, pairs });
        self.settled_since(&before).into_iter().for_each(|says| runner.note(says));
        Ok(false)
    }

    fn play_patch(&mut self, runner: &mut SessionRunner, patch: u32, all: u64) -> Result<Arc<Outcome>, SessionError> {
        let Entry { name, change, options, run, .. } = self.record.patches[patch as usize].clone();
        let beside = self.beside();
        if let Some(path) = run.map(|run| beside.join(run)).filter(|path| path.exists()) {
            return extend(runner, &path, all, &self.campaigning.plan);
        }
        let (engine, base) = (self.engine(runner, &change)?, self.base(runner)?.built());
        let plan = self.campaigning.match_of((&name, &engine), &options, &base, u64::from(patch), all)?;
        begin(runner, &beside, &plan, &mut |run| {
            // Stored before anything is played, so that no pair is lost if spar is killed at any time.
            self.record.patches[patch as usize].run = Some(run);
            self.save()
        })
    }

    /// Merges accepted patches. Returns whether the session was stopped meanwhile.
    fn merge(&mut self, runner: &SessionRunner, accepted: Vec<u32>) -> Result<bool, SessionError> {
        let together = match self.merged(runner, accepted) {
            Err(why) if is_stop(&why) => return Ok(true),
            together => together?,
        };
        for (patch, why) in &together.left_out {
            runner.note(format!("Left out of the merge: {}: {why}", self.record.patches[*patch as usize].name));
        }
        self.record.together.push(together);
        Ok(false)
    }

    fn merged(&self, runner: &SessionRunner, of: Vec<u32>) -> Result<Together, SessionError> {
        let mut in_conflict: LeftOut = Vec::new();
        loop {
            let (changes, mut left_out) = self.without_conflicting_options(&of, &in_conflict);
            let (revision, in_code) = self.merged_revision(runner, &changes)?;
            if in_code.is_empty() || left_out.is_empty() {
                left_out.extend(in_conflict.into_iter().chain(in_code));
                return Ok(self.merge_of(of, left_out, revision));
            }
            // An option was perhaps refused only because a patch had it whose code conflicts.
            in_conflict.extend(in_code);
        }
    }

    /// Returns the merge of the patches `of`, except those left out, which are left out with their options.
    fn merge_of(&self, of: Vec<u32>, left_out: LeftOut, revision: Option<Revision>) -> Together {
        let (options, pairs) = (BTreeMap::new(), PairCounts::default());
        let mut together = Together { of, left_out, revision, options, fitness: Fitness::New, run: None, pairs };
        let merged: Vec<u32> = together.merged().collect();
        let own = merged.iter().map(|&patch| &self.record.patches[patch as usize].options);
        together.options = own.flat_map(Clone::clone).collect();
        if merged.len() < 2 {
            together.fitness = Fitness::Unfit("fewer than two patches can be merged".to_owned());
        }
        together
    }

    /// Returns the revisions of the patches `of`, except those `without`, and the patches that cannot be merged because
    /// they are programs or set an option that an earlier one sets otherwise.
    fn without_conflicting_options(&self, of: &[u32], without: &[(u32, String)]) -> (Vec<(u32, &Revision)>, LeftOut) {
        let (mut options, mut changes, mut left_out) = (BTreeMap::new(), Vec::new(), Vec::new());
        for &patch in of.iter().filter(|patch| !without.iter().any(|(out, _)| out == *patch)) {
            let entry = &self.record.patches[patch as usize];
            let other = |(name, value): &(&String, &String)| options.get(*name).is_some_and(|set| set != value);
            if let Some((name, _)) = entry.options.iter().find(other) {
                left_out.push((patch, format!("one before it sets the option {name} to another value")));
                continue;
            }
            match &entry.change {
                Source::Command(_) => {
                    left_out.push((patch, "programs cannot be merged".to_owned()));
                    continue;
                }
                Source::Revision(revision) => changes.push((patch, revision)),
                Source::Base => {}
            }
            options.extend(&entry.options);
        }
        (changes, left_out)
    }

    /// Returns the merge of the changes, and the patches that are left out because their code conflicts.
    fn merged_revision(
        &self,
        runner: &SessionRunner,
        changes: &[(u32, &Revision)],
    ) -> Result<(Option<Revision>, LeftOut), SessionError> {
        if changes.is_empty() {
            return Ok((None, Vec::new()));
        }
        let (base, sources) = (&self.record.origin.base, self.sources());
        let tell = |news| runner.tell(news);
        let plan = &self.campaigning.plan;
        let builder = EngineBuilder::open(&sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
        let revisions: Vec<&Revision> = changes.iter().map(|(_, revision)| *revision).collect();
        let merged = stopped(builder.merge(base, &revisions))?;
        let left_out = merged.left_out.into_iter().map(|(number, why)| (changes[number].0, why));
        Ok((Some(merged.revision), left_out.collect()))
    }

    /// Builds the last merge. Returns whether the session was stopped meanwhile.
    fn build_together(&mut self, runner: &SessionRunner) -> Result<bool, SessionError> {
        let Some(together) = self.record.together.last() else { return Ok(false) };
        let build = together.revision.as_ref().map(|revision| self.built(runner, revision, false)).transpose();
        let fitness = match build {
            Err(why) if is_stop(&why) => return Ok(true),
            Err(SessionError::Build(why)) if why.is_of_the_commit() => Fitness::Unfit(why.in_brief()),
            build => build.map(|_| Fitness::Ready)?,
        };
        self.take_together(runner, fitness);
        Ok(false)
    }

    fn take_together(&mut self, runner: &SessionRunner, fitness: Fitness) {
        if let Fitness::Unfit(why) = &fitness {
            runner.note(format!("The accepted patches together cannot play: {why}"));
        }
        if let Some(together) = self.record.together.last_mut() {
            together.fitness = fitness;
        }
    }

    /// Plays the last merge. Returns whether the session was stopped before the last pair.
    fn play_together(&mut self, runner: &mut SessionRunner, all: u64) -> Result<bool, SessionError> {
        let Some(place) = self.record.together.len().checked_sub(1) else { return Ok(false) };
        runner.table(self.table());
        let outcome = match self.play_merged(runner, place, all) {
            Err(why) if is_stop(&why) => return Ok(true),
            Err(why) => match unfit(&why) {
                Some((entrant, says)) if entrant.starts_with("patch ") => {
                    self.take_together(runner, Fitness::Unfit(says));
                    return Ok(false);
                }
                _ => return Err(why),
            },
            Ok(outcome) => outcome,
        };
        let Some(pairs) = counts_of(&outcome) else { return Ok(true) };
        self.record.together[place].pairs = pairs;
        Ok(false)
    }

    fn play_merged(
        &mut self,
        runner: &mut SessionRunner,
        place: usize,
        all: u64,
    ) -> Result<Arc<Outcome>, SessionError> {
        let Together { revision, options, run, .. } = self.record.together[place].clone();
        let beside = self.beside();
        if let Some(path) = run.map(|run| beside.join(run)).filter(|path| path.exists()) {
            return extend(runner, &path, all, &self.campaigning.plan);
        }
        let base = self.base(runner)?.built();
        let engine = match &revision {
            Some(revision) => self.built(runner, revision, true)?.built(),
            None => base.clone(),
        };
        // These openings belong to no patch: they follow those of all patches that could join.
        let openings = u64::from(u32::MAX) + place as u64;
        let plan = self.campaigning.match_of((TOGETHER, &engine), &options, &base, openings, all)?;
        begin(runner, &beside, &plan, &mut |run| {
            self.record.together[place].run = Some(run);
            self.save()
        })
    }

    /// Writes its page. An error only causes a warning.
    fn show(&self, runner: &SessionRunner) {
        if let Err(why) = self.write_page() {
            runner.warn(Warning::NoPage { why: why.to_string() });
        }
    }

    /// Sets another limit of pairs.
    ///
    /// # Errors
    /// [`SessionError`] if the limit cannot be stored.
    pub fn with_pairs(self, pairs: Option<NonZeroU64>, settings: &[String]) -> Result<Self, SessionError> {
        let limit = pairs.map(|pairs| format!("campaign.max_pairs={pairs}"));
        let settings: Vec<String> = settings.iter().cloned().chain(limit).collect();
        Ok(Self::read(&self.folder, &settings)?.unwrap_or(self))
    }
}
