//! The stored state of learning besides its runs: a folder with the configuration, and the numbers of completed steps.
//!
//! ```text
//! learn-NAME-1/
//!   config.toml            what is learnt, as it was read
//!   learn.json             the numbers of all steps that were done
//!   start.bin              the weights of the first player, if it has a file of them
//!   start-policy.bin       its policy, if it has a file of it
//!   selfplay-NAME-gen-1-1/ the games of a generation: a run like any other
//!   gen-1.positions        their positions
//!   training-1/            the training of an evaluation on them
//!   gen-1.bin              the weights that came of it
//!   training-1-policy/     the training of a policy on them
//!   gen-1-policy.bin       the policy that came of it
//!   sprt-NAME-gen-1-1/     their test: a run like any other
//! ```
//!
//! The numbers are a copy: a step whose numbers are missing is repeated from the files in the folder, and yields the
//! same numbers.

use super::super::job_file;
use crate::error::{LearnError, SessionError};
use crate::host::unix_ms;
use arena::run::{FolderLock, Verdict, next_free, replace_file, replace_file_durably};
use plan::{Disk, Given, Keys, Learner, Learning, RunPlan, Weights};
use serde::{Deserialize, Serialize};
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use trainer::train::Figures;

/// The numbers.
const FILE: &str = "learn.json";
/// The configuration.
const CONFIG: &str = "config.toml";
/// The weights of the first player.
const START: &str = "start.bin";
/// The policy of the first player.
const START_POLICY: &str = "start-policy.bin";
/// The supported version of the numbers.
const VERSION: u32 = 1;

/// Learning, as stored in its folder.
#[derive(Clone, Debug)]
pub struct LearnJob {
    pub(super) folder: PathBuf,
    pub(super) learning: Learning,
    pub(super) record: Record,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    /// The time of its creation, in milliseconds since 1970.
    began_unix_ms: i64,
    /// The folders of all runs that have begun.
    pub(super) runs: Vec<String>,
    /// The generations that have begun.
    pub(super) generations: Vec<Generation>,
}

/// A generation, with the steps so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u32,
    /// The player of the games that it learns from, and its opponent in the test.
    pub player: String,
    /// The games.
    pub selfplay: Option<Played>,
    /// The training of its evaluation.
    pub training: Option<Fitted>,
    /// The training of its policy.
    #[serde(default)]
    pub policy: Option<FittedPolicy>,
    /// The test.
    pub gate: Option<Gated>,
}

/// The games of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The folder of the run, in the folder of learning.
    pub run: String,
    /// The number of games.
    pub games: u64,
    /// The number of positions kept from them.
    pub positions: u64,
    /// The time of the games, in seconds.
    pub seconds: f64,
}

/// The training of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Its folder, in the folder of learning.
    pub folder: String,
    /// Whether it began with the weights of the best generation before it.
    pub began_with_best: bool,
    /// The number of positions to train on.
    pub positions: u64,
    /// The number of held-out positions.
    pub held_out: u64,
    /// The lowest loss of the held-out positions, which is that of the weights.
    pub loss: f64,
    /// Their loss against the targets themselves: no model can be better.
    pub targets: f64,
    /// Their loss for the engine's piece-square tables.
    pub piece_square: f64,
    /// The training loss when the held-out loss was lowest.
    pub training_loss: f64,
    /// Its time, in seconds.
    pub seconds: f64,
}

/// The training of a generation's policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedPolicy {
    /// Its folder, in the folder of learning.
    pub folder: String,
    /// The number of positions to train on.
    pub positions: u64,
    /// The number of held-out positions.
    pub held_out: u64,
    /// The quality of its predictions of the moves in the held-out positions.
    pub figures: Figures,
    /// The cross-entropy if all moves are equally likely, in nats.
    pub uniform: f64,
    /// Its time, in seconds.
    pub seconds: f64,
}

/// The test of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gated {
    /// The folder of the run, in the folder of learning.
    pub run: String,
    /// What it ended with.
    pub verdict: Verdict,
    /// The number of pairs played.
    pub pairs: u64,
    /// The log-likelihood ratio, and its bounds.
    pub llr: [f64; 3],
    /// Elo over the best player before, with its 95% interval, if finite.
    pub elo: Option<[f64; 3]>,
    /// Its time, in seconds.
    pub seconds: f64,
}

impl Gated {
    /// Whether the generation becomes the best one, which needs an accepted H1.
    pub fn is_accepted(&self) -> bool {
        self.verdict == Verdict::AcceptedH1
    }
}

impl Generation {
    pub(super) fn new(number: u32, player: String) -> Self {
        Self { number, player, selfplay: None, training: None, policy: None, gate: None }
    }

    /// Its name.
    pub fn name(&self) -> String {
        format!("gen-{}", self.number)
    }

    /// Whether it was tested and accepted.
    pub fn is_accepted(&self) -> bool {
        self.gate.as_ref().is_some_and(Gated::is_accepted)
    }

    /// The time of games, trainings and test so far, in seconds.
    pub fn seconds(&self) -> [f64; 3] {
        let games = self.selfplay.as_ref().map(|played| played.seconds);
        let evaluation = self.training.as_ref().map(|fitted| fitted.seconds);
        let policy = self.policy.as_ref().map(|fitted| fitted.seconds);
        let test = self.gate.as_ref().map(|gate| gate.seconds);
        let [games, evaluation, policy, test] = [games, evaluation, policy, test].map(Option::unwrap_or_default);
        [games, evaluation + policy, test]
    }
}

impl LearnJob {
    /// Makes new learning in the next free folder of its name, and returns it with the lock of that folder.
    pub(super) fn create(runs: &Path, mut learning: Learning) -> Result<(Self, FolderLock), SessionError> {
        let io = |cause| SessionError::io(format!("cannot make a folder in {}", runs.display()), cause);
        fs_err::create_dir_all(runs).map_err(io)?;
        let folder = next_free(runs, &format!("learn-{}", learning.name))?;
        let record = Record { version: VERSION, began_unix_ms: unix_ms(), runs: Vec::new(), generations: Vec::new() };
        let start = learning.start.clone();
        let text = learning.plan.text();
        at_home(&mut learning, &folder);
        let job = Self { folder, learning, record };
        let lock = job_file::lock_and_fill(&job.folder, || job.fill(&start, &text));
        let lock = lock.inspect_err(|_| job.discard())?;
        Ok((job, lock))
    }

    /// Writes the numbers last: a folder without them does not count as learning.
    fn fill(&self, start: &Learner, text: &str) -> Result<(), SessionError> {
        for (file, name) in [(start.weights.file(), START), (start.policy.as_deref(), START_POLICY)] {
            let Some(file) = file else { continue };
            let copied = fs_err::read(file).and_then(|bytes| replace_file_durably(&self.folder.join(name), &bytes));
            copied.map_err(|cause| self.refused(cause))?;
        }
        self.write_config(text)?;
        self.save()
    }

    pub(super) fn write_config(&self, text: &str) -> Result<(), SessionError> {
        replace_file(&self.folder.join(CONFIG), text.as_bytes()).map_err(|cause| self.refused(cause))
    }

    /// Reads learning in a folder; `None` if there is none. `settings` are `key=value` texts that override its stored
    /// configuration: only the number of generations, the title, the concurrency and the allowed share of faults may
    /// change.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be read, if another version of spar made it, or if more would change.
    pub fn read(folder: &Path, settings: &[String]) -> Result<Option<Self>, SessionError> {
        let Some(record) = job_file::read::<Record>(&folder.join(FILE), VERSION)? else { return Ok(None) };
        let config = folder.join(CONFIG);
        let text = std::fs::read_to_string(&config);
        let text = text
            .map_err(|cause| SessionError::io(format!("cannot read the configuration {}", config.display()), cause))?;
        let stem = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = stem.strip_prefix("learn-").and_then(|rest| Some(rest.rsplit_once('-')?.0)).unwrap_or(&stem);
        let mut plan = RunPlan::read(&text, &config.display().to_string(), stem, &[], None, Disk)?;
        put_start(&mut plan, folder);
        let mut learning = plan.learning()?;
        at_home(&mut learning, folder);
        let job = Self { folder: folder.to_owned(), learning, record };
        if settings.is_empty() {
            return Ok(Some(job));
        }
        let mut asked = RunPlan::read(&text, &config.display().to_string(), stem, settings, None, Disk)?;
        put_start(&mut asked, folder);
        job.continued(&asked.learning()?).map(Some)
    }

    /// Returns the latest learning of this name in a folder of runs.
    pub(super) fn latest(runs: &Path, name: &str) -> Result<Option<Self>, SessionError> {
        let start = format!("learn-{name}-");
        let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix(&start)?.parse::<u32>().ok();
        let latest = Self::list(runs)?.into_iter().filter_map(|path| Some((number(&path)?, path))).max();
        latest.map_or(Ok(None), |(_, path)| Self::read(&path, &[]))
    }

    /// Whether a folder contains learning.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Returns the folders of learning in a folder of runs, by name.
    ///
    /// # Errors
    /// [`SessionError::Io`] if the folder exists and cannot be read.
    pub fn list(runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
        job_file::folders(runs, Self::is_at)
    }

    /// Updates the values that may change to the current ones.
    pub(super) fn continued(mut self, asked: &Learning) -> Result<Self, SessionError> {
        let differences = asked.plan.differences_in_learning(&self.learning.plan);
        if !differences.is_empty() {
            return Err(LearnError::OtherPlan { path: self.folder, differences }.into());
        }
        let (done, generations) = (self.done(), asked.generations.get());
        if generations < done {
            return Err(LearnError::TooFew { path: self.folder, done, asked: generations }.into());
        }
        if changeable(asked) != changeable(&self.learning) {
            let text = asked.plan.text();
            self.learning.generations = asked.generations;
            let (keys, given) = (&mut self.learning.plan.keys, &asked.plan.keys);
            keys.title.clone_from(&given.title);
            keys.concurrency.clone_from(&given.concurrency);
            keys.max_fault_share.clone_from(&given.max_fault_share);
            self.write_config(&text)?;
        }
        Ok(self)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its title.
    pub fn title(&self) -> &str {
        self.learning.plan.keys.title.as_ref().map_or(&self.learning.name, |title| &title.value)
    }

    /// The time of its creation, in milliseconds since 1970.
    pub fn began_unix_ms(&self) -> i64 {
        self.record.began_unix_ms
    }

    /// The generations that have begun, the first one first.
    pub fn generations(&self) -> &[Generation] {
        &self.record.generations
    }

    /// The requested number of generations.
    pub fn asked(&self) -> u32 {
        self.learning.generations.get()
    }

    /// The number of generations that have been tested.
    pub fn done(&self) -> u32 {
        self.generations().iter().filter(|generation| generation.gate.is_some()).count() as u32
    }

    /// The name of the first player.
    pub fn start(&self) -> &str {
        &self.learning.start.name
    }

    /// Returns the best player before the generation of this number.
    pub(super) fn best_before(&self, number: u32) -> Learner {
        let mut accepted =
            self.generations().iter().filter(|generation| generation.number < number && generation.is_accepted());
        accepted.next_back().map_or_else(|| self.learning.start.clone(), |best| self.learner(best.number))
    }

    /// Returns the best player so far.
    pub fn best(&self) -> Learner {
        self.best_before(u32::MAX)
    }

    /// Returns the file of the best player's weights, if it has one.
    pub fn best_file(&self) -> Option<PathBuf> {
        self.best().weights.file().map(PathBuf::from)
    }

    /// Returns the file of the best player's policy, if it has one.
    pub fn best_policy(&self) -> Option<PathBuf> {
        self.best().policy.map(PathBuf::from)
    }

    /// Returns the player of a generation: parts that are not trained are those of the first player.
    pub(super) fn learner(&self, number: u32) -> Learner {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let Learner { weights, policy, .. } = self.learning.start.clone();
        Learner {
            name: format!("gen-{number}"),
            weights: match self.learning.evaluation {
                Some(_) => Weights::File(text(self.weights(number))),
                None => weights,
            },
            policy: match self.learning.policy {
                Some(_) => Some(text(self.policy(number))),
                None => policy,
            },
        }
    }

    pub(super) fn weights(&self, number: u32) -> PathBuf {
        self.folder.join(format!("gen-{number}.bin"))
    }

    pub(super) fn policy(&self, number: u32) -> PathBuf {
        self.folder.join(format!("gen-{number}-policy.bin"))
    }

    pub(super) fn positions(&self, number: u32) -> PathBuf {
        self.folder.join(format!("gen-{number}.positions"))
    }

    pub(super) fn save(&self) -> Result<(), SessionError> {
        job_file::write(&self.folder.join(FILE), &self.record).map_err(|cause| self.refused(cause))
    }

    fn refused(&self, cause: io::Error) -> SessionError {
        SessionError::io(format!("cannot write into {}", self.folder.display()), cause)
    }

    pub(super) fn discard(&self) {
        // Files that cannot be removed stay, since an error has been reported already.
        let _stays = std::fs::remove_dir_all(&self.folder);
    }
}

/// The values that may change during learning: the generations, the title, the concurrency, and the allowed share of
/// faults.
fn changeable(learning: &Learning) -> (NonZeroU32, Option<&str>, Option<usize>, Option<f64>) {
    let Keys { title, concurrency, max_fault_share, .. } = &learning.plan.keys;
    (
        learning.generations,
        title.as_ref().map(|title| title.value.as_str()),
        concurrency.as_ref().map(|concurrency| concurrency.value),
        max_fault_share.as_ref().map(|share| share.value),
    )
}

/// Makes a plan use the copies in the folder for the first player's files of weights.
fn put_start(plan: &mut RunPlan, folder: &Path) {
    let Some(learn) = plan.keys.learn.as_mut().map(|learn| &mut learn.value) else { return };
    for (file, name) in [(&mut learn.network, START), (&mut learn.policy, START_POLICY)] {
        if let Some(file) = file {
            *file = Given::new(start_in(folder, name), file.origin.clone());
        }
    }
}

/// Makes the first player read its weights from the copies in the folder.
fn at_home(learning: &mut Learning, folder: &Path) {
    if let Weights::File(file) = &mut learning.start.weights {
        *file = start_in(folder, START);
    }
    if let Some(file) = &mut learning.start.policy {
        *file = start_in(folder, START_POLICY);
    }
}

fn start_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::settings;
    use super::*;
    use arena::config::Job;
    use std::num::NonZeroUsize;

    const TEXT: &str = r#"
        [learn]
        generations = 2
        [selfplay]
        games = 4
        [openings]
        plies = "2..6"
        [each]
        limit = "60 nodes"
        [train]
        model = "wps"
        [gate]
        elo0 = -200
        elo1 = 100
        max_pairs = 20
    "#;

    fn learning(set: &[&str]) -> Learning {
        let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
        RunPlan::read(TEXT, "l.toml", "l", &set, None, Disk).unwrap().learning().unwrap()
    }

    #[test]
    fn a_changed_title_and_concurrency_apply_at_once_and_are_kept() {
        let runs = tempfile::tempdir().unwrap();
        let (job, _lock) = LearnJob::create(runs.path(), learning(&[])).unwrap();
        let changed = job.continued(&learning(&["title=Fast", "concurrency=3"])).unwrap();
        let kept = LearnJob::read(changed.folder(), &[]).unwrap().unwrap();
        let back = kept.clone().continued(&learning(&[])).unwrap();
        for (job, title, concurrency) in [(&changed, "Fast", Some(3)), (&kept, "Fast", Some(3)), (&back, "l", None)] {
            let run = job.learning.selfplay(1, &job.best()).resolve(Job::Selfplay).unwrap();
            assert_eq!((job.title(), run.concurrency), (title, concurrency.and_then(NonZeroUsize::new)));
            // A run that was stopped is resumed with the new number.
            let expected: Vec<String> = concurrency.iter().map(|number| format!("concurrency={number}")).collect();
            assert_eq!(settings(&run, &[job.best()]), expected);
        }
    }
}
