//! Learning: a player plays itself, an evaluation, a policy or both are trained on its games, and the new player
//! replaces it if it wins a test, generation after generation. Learning that was stopped at any point resumes as if it
//! had never stopped: games and tests are runs with journals, a training has its checkpoint, and the next step follows
//! from the content of the folder.

mod page;
pub(crate) mod record;
mod wording;

pub use record::{Fitted, FittedPolicy, Gated, Generation, LearnJob, Played};

use crate::error::SessionError;
use crate::run_folder::{folder_name, name_of};
use crate::runner::{SessionRunner, TELL_EVERY};
use crate::warning::Warning;
use crate::{Outcome, positions, training};
use arena::config::Job;
use arena::run::{Finish, FolderLock, RunFolder, replace_file_durably};
use engine::Evaluator;
use plan::positions::Wanted;
use plan::{Fitting, Learner, Learning, Loaded, RunPlan, Weights};
use play::NetworkFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use trainer::train::{Control, Dataset, Judgement, Settings, Source, Trained};

/// Begins learning as a plan sets, or resumes the latest learning of its name in the runs folder. Ends early if the
/// session is stopped.
///
/// # Errors
/// [`SessionError`]; completed steps are kept. Learning that could not begin leaves nothing behind.
pub fn learn(runner: &mut SessionRunner, plan: &RunPlan) -> Result<LearnJob, SessionError> {
    let learning = plan.learning()?;
    if let Some(job) = LearnJob::latest(runner.runs(), &learning.name)? {
        return job.continued(&learning)?.go_on(runner);
    }
    let (job, lock) = LearnJob::create(runner.runs(), learning)?;
    let folder = job.clone();
    job.work(runner, lock).inspect_err(|_| {
        if RunFolder::list(folder.folder()).is_ok_and(|runs| runs.is_empty()) {
            folder.discard();
        }
    })
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Done,
    Stopped,
}

/// A part of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Games,
    Evaluation,
    Policy,
    Test,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Games => "self-play",
            Self::Evaluation => "training",
            Self::Policy => "training of the policy",
            Self::Test => "test",
        }
    }

    fn is_done(self, of: &Generation) -> bool {
        match self {
            Self::Games => of.selfplay.is_some(),
            Self::Evaluation => of.training.is_some(),
            Self::Policy => of.policy.is_some(),
            Self::Test => of.gate.is_some(),
        }
    }
}

/// The place of a training's result.
struct Made {
    /// The name of its folder, in the folder of learning.
    folder: String,
    /// The path of its weights.
    weights: PathBuf,
}

impl LearnJob {
    /// The parts of each generation, in order.
    fn parts(&self) -> Vec<Part> {
        let evaluation = self.learning.evaluation.as_ref().map(|_| Part::Evaluation);
        let policy = self.learning.policy.as_ref().map(|_| Part::Policy);
        [Some(Part::Games), evaluation, policy, Some(Part::Test)].into_iter().flatten().collect()
    }

    /// Does all remaining steps, and returns the job in its final state.
    ///
    /// # Errors
    /// [`SessionError`]; completed steps are kept.
    pub fn go_on(self, runner: &mut SessionRunner) -> Result<Self, SessionError> {
        let lock = FolderLock::take(&self.folder)?;
        self.work(runner, lock)
    }

    fn work(mut self, runner: &mut SessionRunner, _lock: FolderLock) -> Result<Self, SessionError> {
        for number in 1..=self.asked() {
            if self.generation(runner, number)? == Step::Stopped {
                break;
            }
        }
        self.show(runner);
        Ok(self)
    }

    /// Completes a generation.
    fn generation(&mut self, runner: &mut SessionRunner, number: u32) -> Result<Step, SessionError> {
        if self.of(number).is_none() {
            let player = self.best_before(number).name;
            self.record.generations.push(Generation::new(number, player));
        }
        let parts = self.parts();
        for (index, &part) in parts.iter().enumerate() {
            if self.of(number).is_some_and(|of| part.is_done(of)) {
                continue;
            }
            if runner.is_stopped() {
                return Ok(Step::Stopped);
            }
            let before = parts.len() * (number as usize - 1) + index;
            runner.phase(
                &format!("generation {number}, {}", part.name()),
                before + 1,
                parts.len() * self.asked() as usize,
            );
            let done = match part {
                Part::Games => self.play_itself(runner, number)?,
                Part::Evaluation => self.train_evaluation(runner, number)?,
                Part::Policy => self.train_policy(runner, number)?,
                Part::Test => self.test(runner, number)?,
            };
            if done == Step::Stopped {
                return Ok(done);
            }
            self.save()?;
            if part == Part::Test
                && let Some(of) = self.of(number)
            {
                runner.generation(of.clone());
            }
            self.show(runner);
        }
        Ok(Step::Done)
    }

    fn of(&self, number: u32) -> Option<&Generation> {
        self.record.generations.get(number as usize - 1)
    }

    fn of_mut(&mut self, number: u32) -> Option<&mut Generation> {
        self.record.generations.get_mut(number as usize - 1)
    }

    /// Writes its page. An error only causes a warning.
    fn show(&self, runner: &SessionRunner) {
        if let Err(why) = self.write_page() {
            runner.warn(Warning::NoPage { why: why.to_string() });
        }
    }

    fn play_itself(&mut self, runner: &mut SessionRunner, number: u32) -> Result<Step, SessionError> {
        let best = self.best_before(number);
        let run = self.learning.selfplay(number, &best).resolve(Job::Selfplay)?;
        let outcome = self.play(runner, &run, &[best])?;
        if outcome.finish == Finish::Stopped {
            return Ok(Step::Stopped);
        }
        let wanted = Wanted::of(&outcome.config);
        let counts = positions::write(&outcome.path, &outcome.config, &wanted, &self.positions(number))?.counts;
        let (run, games, positions) = (name_of(&outcome.path), counts.games, counts.kept);
        let seconds = outcome.elapsed.as_secs_f64();
        if let Some(generation) = self.of_mut(number) {
            generation.selfplay = Some(Played { run, games, positions, seconds });
        }
        Ok(Step::Done)
    }

    /// Plays a run in the folder: a new one, or the one that was stopped.
    fn play(
        &mut self,
        runner: &mut SessionRunner,
        run: &Loaded,
        players: &[Learner],
    ) -> Result<Arc<Outcome>, SessionError> {
        if let Some(path) = self.begun(&folder_name(&run.run))? {
            return Ok(runner.resume(&path, &settings(run, players))?.0);
        }
        let folder = self.folder.clone();
        runner.begin_in(&folder, run, &mut |path| {
            // Stored before anything is played, so that no pair is lost if spar is killed at any time.
            self.record.runs.push(name_of(path));
            self.save()
        })
    }

    /// Returns the run of this name that has begun, if there is one.
    fn begun(&self, name: &str) -> Result<Option<PathBuf>, SessionError> {
        let start = format!("{name}-");
        let number = |path: PathBuf| Some((name_of(&path).strip_prefix(&start)?.parse::<u32>().ok()?, path));
        let io = |cause| SessionError::io(format!("cannot look into {}", self.folder.display()), cause);
        let entries = fs_err::read_dir(&self.folder).map_err(io)?;
        let mut found: Vec<_> = entries.filter_map(|entry| number(entry.ok()?.path())).collect();
        found.sort();
        for (_, path) in found.into_iter().rev() {
            let has_pairs =
                || RunFolder::open_journal(&path).is_ok_and(|run| run.stored_pairs().is_ok_and(|pairs| pairs > 0));
            if self.record.runs.contains(&name_of(&path)) || has_pairs() {
                return Ok(Some(path));
            }
            // A process was killed while it made this run.
            fs_err::remove_dir_all(&path).map_err(|cause| SessionError::io("cannot make room for a run", cause))?;
        }
        Ok(None)
    }

    /// Trains an evaluation of this generation.
    fn train_evaluation(&mut self, runner: &SessionRunner, number: u32) -> Result<Step, SessionError> {
        let Some(how) = self.learning.evaluation.clone() else { return Ok(Step::Done) };
        let best = self.best_before(number);
        let evaluator = evaluator(&best)?;
        let start = self.learning.first_weights(&evaluator);
        let began_with_best = start.is_some();
        let begins_with = start.and(best.weights.file());
        let made = Made { folder: format!("training-{number}"), weights: self.weights(number) };
        let trained = self.train(runner, &how, number, start, begins_with, &made)?;
        let (Some(trained), Some(point)) = (&trained, trained.as_ref().and_then(|trained| trained.best)) else {
            return Ok(Step::Stopped);
        };
        let Judgement::Value(value) = &trained.judgement else { return Ok(Step::Stopped) };
        let fitted = Fitted {
            folder: made.folder,
            began_with_best,
            positions: trained.data.training,
            held_out: trained.data.held_out,
            loss: point.held_out,
            targets: value.baselines.targets.target,
            piece_square: value.baselines.simple.target,
            training_loss: point.training,
            seconds: trained.seconds,
        };
        if let Some(generation) = self.of_mut(number) {
            generation.training = Some(fitted);
        }
        Ok(Step::Done)
    }

    /// Trains a policy of this generation, for its evaluation.
    fn train_policy(&mut self, runner: &SessionRunner, number: u32) -> Result<Step, SessionError> {
        let Some(how) = self.learning.policy.clone() else { return Ok(Step::Done) };
        let new = self.learner(number);
        let evaluator = evaluator(&new)?;
        let made = Made { folder: format!("training-{number}-policy"), weights: self.policy(number) };
        let trained = self.train(runner, &how, number, Some(&evaluator), new.weights.file(), &made)?;
        let Some(Trained { judgement: Judgement::Policy(policy), data, seconds, .. }) = trained else {
            return Ok(Step::Stopped);
        };
        let fitted = FittedPolicy {
            folder: made.folder,
            positions: data.training,
            held_out: data.held_out,
            figures: policy.policy,
            uniform: policy.uniform.cross_entropy,
            seconds,
        };
        if let Some(generation) = self.of_mut(number) {
            generation.policy = Some(fitted);
        }
        Ok(Step::Done)
    }

    /// Trains on the positions of the newest generations, and copies the weights to their path. `start` is the network
    /// that an evaluation begins with or that a policy reads, and `network` its file. `None` if the training was
    /// stopped.
    fn train(
        &self,
        runner: &SessionRunner,
        how: &Fitting,
        number: u32,
        start: Option<&Evaluator>,
        network: Option<&str>,
        made: &Made,
    ) -> Result<Option<Trained>, SessionError> {
        let first = number.saturating_sub(self.learning.keep.get() - 1).max(1);
        let files: Vec<PathBuf> = (first..=number).map(|number| self.positions(number)).collect();
        let sources: Vec<Source> = files.iter().cloned().map(Source::File).collect();
        let data = Dataset::open(&sources, how.choice)?;
        let settings = Learning::settings(how, number, &data);
        let folder = self.folder.join(&made.folder);
        let io = |cause| SessionError::io("cannot keep the training", cause);
        fs_err::create_dir_all(&folder).map_err(io)?;
        let trained = in_view(runner, &settings, &data, start, &folder)?;
        let data = files.iter().map(|file| file.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let text = self.learning.training_text(settings.kind, &data, &folder, network, settings.seed);
        training::keep(&folder, &text, &settings, &trained)?;
        let Some(weights) = trained.weights.as_ref().filter(|_| !trained.stopped) else { return Ok(None) };
        let copied = fs_err::read(weights).and_then(|bytes| replace_file_durably(&made.weights, &bytes));
        copied.map_err(io)?;
        Ok(Some(trained))
    }

    fn test(&mut self, runner: &mut SessionRunner, number: u32) -> Result<Step, SessionError> {
        let (new, best) = (self.learner(number), self.best_before(number));
        let run = self.learning.gate(number, &new, &best).resolve(Job::Sprt)?;
        let outcome = self.play(runner, &run, &[new, best])?;
        let Some(verdict) = outcome.verdict() else { return Ok(Step::Stopped) };
        let sprt = outcome.standing.sprt().map_or([0.0; 3], |sprt| [sprt.llr, sprt.lower, sprt.upper]);
        let elo = reports::summary::reported_elo(&outcome.standing)
            .map(|tested| [tested.elo.value, tested.elo.low, tested.elo.high]);
        let gate = Gated {
            run: name_of(&outcome.path),
            verdict,
            pairs: outcome.standing.pairs,
            llr: sprt,
            elo: elo.filter(|elo| elo.iter().all(|number| number.is_finite())),
            seconds: outcome.elapsed.as_secs_f64(),
        };
        if let Some(generation) = self.of_mut(number) {
            generation.gate = Some(gate);
        }
        Ok(Step::Done)
    }
}

/// Runs a training that reports its progress, and ends if the session is stopped.
fn in_view(
    runner: &SessionRunner,
    settings: &Settings,
    data: &Dataset,
    start: Option<&Evaluator>,
    folder: &Path,
) -> Result<Trained, SessionError> {
    let (messages, mut last_sent) = (runner.messages(), None::<Instant>);
    let watch = &mut |progress: &trainer::train::Progress<'_>| {
        if last_sent.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            last_sent = Some(Instant::now());
            messages.training(progress.into());
        }
        if messages.is_stopped() { Control::Stop } else { Control::Continue }
    };
    Ok(trainer::train::train(settings, data, start.map(Into::into), folder, watch)?)
}

fn evaluator(player: &Learner) -> Result<Evaluator, SessionError> {
    match &player.weights {
        Weights::Named(kind) => Ok((*kind).into()),
        Weights::File(file) => {
            let read = NetworkFile::read(Path::new(file)).map_err(arena::run::FileError::from)?;
            Ok(read.evaluator().clone())
        }
    }
}

/// Returns the settings of a stopped run that may have changed since: the folder may have moved.
fn settings(run: &Loaded, players: &[Learner]) -> Vec<String> {
    let share = run.names_max_fault_share.then_some(run.run.max_fault_share);
    let share = share.map(|share| format!("max_fault_share={share}"));
    let concurrency = run.concurrency.map(|concurrency| format!("concurrency={concurrency}"));
    players.iter().flat_map(places).chain(share).chain(concurrency).collect()
}

/// Returns the paths of a player's weights, as settings of its run.
fn places(player: &Learner) -> Vec<String> {
    let place = |key: &str, file: &str| format!("entrant.{}.{key}={}", player.name, toml::Value::from(file));
    let network = player.weights.file().map(|file| place("network", file));
    let policy = player.policy.as_deref().map(|file| place("policy", file));
    network.into_iter().chain(policy).collect()
}
