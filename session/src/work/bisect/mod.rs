//! Finds which commit of a range lost strength, by builds and matches, chosen one after another by the information that
//! they give. A bisection that was stopped at any point resumes as if it had never stopped.

mod model;
mod page;
pub(crate) mod record;
#[cfg(test)]
mod tests;
mod wording;

pub use model::Ending;
pub use record::{BisectJob, Found};

use super::of_matches::{begin, counts_of, extend, is_stop, stopped, teller, unfit};
use crate::builds::{Build, EngineBuilder, RangeError, Sources};
use crate::error::SessionError;
use crate::outcome::Outcome;
use crate::runner::SessionRunner;
use crate::warning::Warning;
use arena::run::FolderLock;
use model::Next;
use plan::{Bisecting, Built, Ends, RunPlan};
use record::{Engine, Match, Range};
use stats::PairCounts;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

/// A range of commits, and how to bisect it.
#[derive(Clone, Debug)]
pub struct Bisect {
    /// The plan of all matches, with everything except the entrants, the recipe of builds, and the range.
    pub plan: RunPlan,
    /// The sources of the engines.
    pub sources: Sources,
}

/// Looks up the commits of a range, and returns their number. Builds and plays nothing.
///
/// # Errors
/// [`SessionError`] if there is nothing to bisect.
pub fn find_range(runner: &SessionRunner, bisect: &Bisect) -> Result<usize, SessionError> {
    let _checked = bisect.plan.bisecting()?;
    range(runner, bisect).map(|range| range.commits.len() - 1)
}

/// Begins a bisection, or resumes the latest one of the same range in the runs folder. Ends early if the session is
/// stopped.
///
/// # Errors
/// [`SessionError`]; no run begins unless both ends are built and differ. Completed steps are kept.
pub fn bisect(runner: &mut SessionRunner, bisect: &Bisect) -> Result<BisectJob, SessionError> {
    let bisecting = bisect.plan.bisecting()?;
    let range = range(runner, bisect)?;
    if let Some(job) = BisectJob::latest(runner.runs(), &bisecting, &range)? {
        if bisect.sources.rebuild {
            runner.note(
                "This bisection keeps what it has built. To build all of it again, give it another `name`.".to_owned(),
            );
        }
        return job.rebuilding(bisect.sources.rebuild).go_on(runner);
    }
    let engines = ends(runner, bisect, &bisecting, &range)?;
    let (job, lock) = BisectJob::create(runner.runs(), bisecting, range, engines)?;
    let job = job.rebuilding(bisect.sources.rebuild);
    let folder = job.clone();
    job.work(runner, lock).inspect_err(|_| {
        if BisectJob::read(folder.folder(), &[]).is_ok_and(|job| job.is_some_and(|job| job.runs().is_empty())) {
            folder.discard();
        }
    })
}

fn range(runner: &SessionRunner, bisect: &Bisect) -> Result<Range, SessionError> {
    let Bisect { plan, sources } = bisect;
    let Ends { good, bad, path } = plan.ends_to_bisect()?;
    let tell = |news| runner.tell(news);
    let builder = EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
    let commits = builder.range(&good, &bad, path.as_deref())?;
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    Ok(Range {
        good,
        bad,
        path,
        repository: builder.root().to_owned(),
        cache: sources.cache.as_ref().map(absolute),
        commits,
    })
}

/// Returns the builds of both ends, which must be different engines.
fn ends(
    runner: &SessionRunner,
    bisect: &Bisect,
    bisecting: &Bisecting,
    range: &Range,
) -> Result<BTreeMap<u32, Engine>, SessionError> {
    let last = range.commits.len() - 1;
    let tell = |news| runner.tell(news);
    let builder = EngineBuilder::open(&bisect.sources, &bisecting.plan, runner.runs(), runner.stop_flag(), &tell)?;
    let built = |version: usize| match builder.build(&range.commits[version].revision) {
        Ok(build) => Ok(Ok(Engine::of(&build))),
        Err(why) if why.is_of_the_commit() => Ok(Err(Box::new(why))),
        Err(why) => Err(why),
    };
    let [good, bad] = match [built(0)?, built(last)?] {
        [Ok(good), Ok(bad)] => [good, bad],
        [Err(cause), Ok(_)] => return Err(RangeError::EndDoesNotBuild { end: "good", cause }.into()),
        [Ok(_), Err(cause)] => return Err(RangeError::EndDoesNotBuild { end: "bad", cause }.into()),
        [Err(good), Err(bad)] => return Err(RangeError::NothingBuilds { good, bad }.into()),
    };
    if let Some(what) = good.is_same(&bad) {
        let (good, bad) = (range.good.clone(), range.commits[last].revision.asked.clone());
        return Err(RangeError::SameEngine { good, bad, what }.into());
    }
    Ok(BTreeMap::from([(0, good), (last as u32, bad)]))
}

impl Engine {
    /// Returns the stored data of a build.
    fn of(build: &Build) -> Self {
        let program = build.directory.is_none().then(|| build.sha256.clone());
        Self::Built { program, nodes: build.nodes }
    }
}

impl BisectJob {
    /// Does all remaining steps, and returns the job in its final state.
    ///
    /// # Errors
    /// [`SessionError`]; completed steps are kept.
    pub fn go_on(self, runner: &mut SessionRunner) -> Result<Self, SessionError> {
        let lock = FolderLock::take(&self.folder)?;
        self.work(runner, lock)
    }

    fn work(mut self, runner: &mut SessionRunner, _lock: FolderLock) -> Result<Self, SessionError> {
        runner.begins_job(&self.folder);
        while !runner.is_stopped() {
            let is_stopped = match self.next() {
                Next::Build(version) => match self.build(runner, version) {
                    Err(why) if is_stop(&why) => true,
                    engine => {
                        self.take(runner, version, engine?);
                        false
                    }
                },
                Next::Play { earlier, later, pairs } => self.play(runner, earlier, later, pairs)?,
                Next::Name(commits) => {
                    self.name(runner, commits);
                    false
                }
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

    /// Builds the engine of a version. Returns an error only if the commit is not the cause.
    fn build(&self, runner: &SessionRunner, version: u32) -> Result<Engine, SessionError> {
        match self.built(runner, version) {
            Ok(build) => Ok(Engine::of(&build)),
            Err(SessionError::Build(why)) if why.is_of_the_commit() => Ok(Engine::Skipped(why.in_brief())),
            Err(why) => Err(why),
        }
    }

    fn built(&self, runner: &SessionRunner, version: u32) -> Result<Build, SessionError> {
        let Range { repository, cache, .. } = &self.record.range;
        let is_known = self.is_built(version);
        let rebuild = self.record.rebuild && !is_known;
        let sources = Sources { cache: cache.clone(), rebuild, ..Sources::at(repository) };
        let tell = teller(runner, is_known);
        let plan = &self.bisecting.plan;
        let builder = EngineBuilder::open(&sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
        stopped(builder.build(&self.commit(version).revision))
    }

    /// Stores the result of building a version, and reports what it means.
    fn take(&mut self, runner: &SessionRunner, version: u32, engine: Engine) {
        let short = |version: u32| self.commit(version).revision.short().to_owned();
        if let Engine::Skipped(why) = &engine {
            runner.note(format!("Skipped {}: {why}", short(version)));
        }
        let like = self.record.engines.iter().find_map(|(&other, known)| Some((other, engine.is_same(known)?)));
        if let Some((other, what)) = like {
            runner.note(format!("{} is like {}: {what}, so they need no games", short(version), short(other)));
        }
        let _before = self.record.engines.insert(version, engine);
    }

    /// Plays two versions. Returns whether the session was stopped before the last pair.
    fn play(&mut self, runner: &mut SessionRunner, earlier: u32, later: u32, pairs: u64) -> Result<bool, SessionError> {
        let known = self.record.matches.iter().position(|of| (of.earlier, of.later) == (earlier, later));
        let place = known.unwrap_or_else(|| {
            let counts = PairCounts::default();
            self.record.matches.push(Match { earlier, later, run: None, counts });
            self.record.matches.len() - 1
        });
        runner.note(self.about_to_play(earlier, later, pairs));
        let outcome = match self.play_match(runner, place, pairs) {
            Ok(outcome) => outcome,
            Err(why) if is_stop(&why) => return Ok(true),
            Err(why) => return self.skipped_for(runner, place, why),
        };
        let Some(counts) = counts_of(&outcome) else { return Ok(true) };
        self.record.matches[place].counts = counts;
        Ok(false)
    }

    /// Makes or resumes the run of a match for this many more pairs. A stop before it plays is an error.
    fn play_match(
        &mut self,
        runner: &mut SessionRunner,
        place: usize,
        pairs: u64,
    ) -> Result<Arc<Outcome>, SessionError> {
        let Match { earlier, later, run, counts } = self.record.matches[place].clone();
        let (beside, all) = (self.beside(), counts.total() + pairs);
        let path = run.map(|run| beside.join(run)).filter(|path| path.exists());
        if let Some(path) = path {
            return extend(runner, &path, all, &self.bisecting.plan);
        }
        // This builds nothing new: both builds are in the cache, unless they were removed.
        let programs = self.programs(runner, later, earlier)?;
        let plan = self.bisecting.match_of(&programs[0], &programs[1], place as u64, all)?;
        let mut began = |run| {
            // Stored before anything is played, so that no pair is lost if spar is killed at any time.
            self.record.matches[place].run = Some(run);
            self.save()
        };
        begin(runner, &beside, &plan, &mut began)
    }

    fn programs(&self, runner: &SessionRunner, later: u32, earlier: u32) -> Result<[Built; 2], SessionError> {
        Ok([self.built(runner, later)?.built(), self.built(runner, earlier)?.built()])
    }

    /// Skips the version of a match that does not start, or loses too many games by faults. An end of the range cannot
    /// be skipped.
    fn skipped_for(&mut self, runner: &SessionRunner, place: usize, why: SessionError) -> Result<bool, SessionError> {
        let Match { earlier, later, .. } = self.record.matches[place];
        let Some((name, says)) = unfit(&why) else { return Err(why) };
        let version = if name.starts_with("later ") { later } else { earlier };
        if version == 0 || version == self.last() {
            return Err(why);
        }
        self.take(runner, version, Engine::Skipped(says));
        // Its results do not count, since they only reflect the faults.
        self.record.matches.iter_mut().filter(|of| of.earlier == version || of.later == version).for_each(|of| {
            of.counts = PairCounts::default();
        });
        Ok(false)
    }

    /// Records the commits that lost strength.
    fn name(&mut self, runner: &SessionRunner, commits: Vec<u32>) {
        let knowledge = self.knowledge();
        let probability = commits.iter().map(|&commit| knowledge.guilt[commit as usize - 1]).sum();
        let found = Found { commits, probability, pairs: self.pairs() };
        self.record.found.push(found);
        runner.note(self.found_in_words(self.record.found.len() - 1));
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
        let limit = pairs.map(|pairs| format!("bisect.max_pairs={pairs}"));
        let settings: Vec<String> = settings.iter().cloned().chain(limit).collect();
        Ok(Self::read(&self.folder, &settings)?.unwrap_or(self))
    }
}
