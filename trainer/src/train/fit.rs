//! The training loop: batches, steps, evaluations on the held-out set, checkpoints.
//!
//! Owns the order of the work and the files in the folder of a training. The model computes on samples; `judge`
//! measures the quality.

use super::adam::Schedule;
use super::checkpoint;
use super::chess::OUTPUTS;
use super::crazyhouse::Net;
use super::dataset::{Dataset, Identity, Positions, Split};
use super::error::{CheckpointFault, Misfit, TrainError};
use super::export::SCORE_UNITS;
use super::judgement::Judgement;
use super::model::{Linear, Network, Shape};
use super::policy::Head;
use super::settings::{Kind, Settings};
use super::start::{Start, fits};
use super::task::{HeldOut, Part, Task};
use super::weights::Weighing;
use arena::run::replace_file;
use engine::eval::network::Buckets;
use engine::{EvaluationKind, Evaluator};
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The file name of a training's checkpoint.
pub const CHECKPOINT: &str = "checkpoint";
/// The maximum age of a checkpoint, approximately.
pub(super) const CHECKPOINT_EVERY: Duration = Duration::from_secs(30);

/// The losses at some point of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The number of positions learnt from so far.
    pub positions: u64,
    /// The mean loss of the positions since the previous point.
    pub training: f64,
    /// The mean loss of the held-out set.
    pub held_out: f64,
    /// The learning rate.
    pub rate: f64,
}

/// The progress of a training.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The number of positions learnt from so far.
    pub positions: u64,
    /// The total number of positions to learn from.
    pub of: u64,
    /// Positions per second since the start or the last resumption.
    pub speed: f64,
    /// The mean loss of the last batch.
    pub loss: f64,
    /// All evaluations on the held-out set.
    pub points: &'a [Point],
}

/// What to do after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// Write a checkpoint and end.
    Stop,
}

/// The result of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Whether the training was stopped early.
    pub stopped: bool,
    /// The file with the best weights so far, if any.
    pub weights: Option<PathBuf>,
    /// The evaluations on the held-out set.
    pub points: Vec<Point>,
    /// The best evaluation.
    pub best: Option<Point>,
    /// The identity of the training data.
    pub data: Identity,
    /// The total number of positions learnt from.
    pub positions: u64,
    /// The quality of the last weights and of the baselines on the held-out set.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The total time in seconds, before and after interruptions.
    pub seconds: f64,
}

/// The state in a checkpoint besides the weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    settings: Settings,
    data: Identity,
    /// The hash of the initial network, if any.
    start: Option<u64>,
    step: u64,
    /// The sum of the losses of the steps since the last point, and the number of these steps.
    since: (f64, u64),
    points: Vec<Point>,
    best: Option<usize>,
    seconds: f64,
}

/// The network with the hidden layer that a policy reads.
fn network_below(start: Option<Start<'_>>) -> Result<Arc<engine::Network>, TrainError> {
    let shipped = EvaluationKind::Network.into();
    let evaluator = if let Some(Start::Engine(start)) = start { start } else { &shipped };
    let Evaluator::Network(network) = evaluator else { return Err(Misfit::NoNetwork.into()) };
    Ok(Arc::clone(network))
}

/// Trains, or resumes the training whose checkpoint is in `folder`, which must exist. A training begins with the
/// network `start` or with random weights; a policy reads the hidden layer of `start`, or of the shipped network.
/// `watch` is called after each step.
///
/// Whenever the weights beat the best so far, they are written to `folder`: `wps.bin`, `network.bin` or `policy.bin`.
///
/// # Errors
/// [`TrainError`]: for example, positions of another game, a checkpoint of another training, a loss that is not a
/// number, or a full disk. Files already written stay.
pub fn train(
    settings: &Settings,
    data: &Dataset,
    start: Option<Start<'_>>,
    folder: &Path,
    watch: &mut (dyn FnMut(&Progress<'_>) -> Control + Send),
) -> Result<Trained, TrainError> {
    if let Some(start) = start {
        fits(start, settings.kind)?;
    }
    if let Some(path) = data.without_plies().filter(|_| !settings.weights.ply.is_empty()) {
        return Err(TrainError::NoPlies(path.to_owned()));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads.max(1)).build();
    let pool = pool.map_err(std::io::Error::other)?;
    let mut random = random(settings.seed, u64::MAX);
    let begun = State::new(settings, data.identity(), start.map(Start::hash));
    pool.install(|| match (settings.kind, data.positions()) {
        (Kind::Wps, Positions::ZeroPointOne(data)) => Fit::new(begun, data, folder, Linear::new())?.run(watch),
        (Kind::Network { hidden, buckets, ply_buckets, output_scale }, Positions::ZeroPointOne(data)) => {
            let network = if let Some(Start::Engine(Evaluator::Network(start))) = start {
                Network::from_parts(&start.parts(), ply_buckets)
            } else {
                let buckets = Buckets { pieces: buckets, plies: ply_buckets };
                Network::new(Shape { hidden, buckets, output_scale, score: SCORE_UNITS }, &mut random)
            };
            Fit::new(begun, data, folder, network)?.run(watch)
        }
        (Kind::Policy { output_scale }, Positions::ZeroPointOne(data)) => {
            Fit::new(begun, data, folder, Head::new(network_below(start)?, output_scale))?.run(watch)
        }
        (Kind::Policy { output_scale }, Positions::Visits(data)) => {
            Fit::new(begun, data, folder, Head::new(network_below(start)?, output_scale))?.run(watch)
        }
        (Kind::Chess { hidden, output_scale, scale }, Positions::Chess(data)) => {
            let network = match start {
                Some(Start::Chess(start)) => start.in_training(),
                _ => Network::new(Shape { hidden, buckets: OUTPUTS, output_scale, score: scale }, &mut random),
            };
            Fit::new(begun, data, folder, network)?.run(watch)
        }
        (Kind::Crazyhouse { hidden, .. }, Positions::Crazyhouse(data)) => {
            let net = match start {
                Some(Start::Crazyhouse(start)) => Net::from_weights(start.weights()),
                _ => Net::new(hidden, &mut random),
            };
            Fit::new(begun, data, folder, net)?.run(watch)
        }
        _ => Err(TrainError::OtherGame),
    })
}

/// A training in progress.
struct Fit<'a, M: Task> {
    data: &'a Split<M::Record>,
    weighing: Weighing,
    folder: &'a Path,
    model: M,
    sums: Vec<M::Sums>,
    schedule: Schedule,
    batch: usize,
    state: State,
    order: Order,
    /// The time of the start or the last resumption.
    started: Instant,
    /// The positions and the seconds before that.
    before: (u64, f64),
}

impl State {
    /// The state of a new training.
    fn new(settings: &Settings, data: Identity, start: Option<u64>) -> Self {
        Self {
            settings: settings.clone(),
            data,
            start,
            step: 0,
            since: (0.0, 0),
            points: Vec::new(),
            best: None,
            seconds: 0.0,
        }
    }
}

impl<'a, M: Task> Fit<'a, M> {
    fn new(begun: State, data: &'a Split<M::Record>, folder: &'a Path, mut model: M) -> Result<Self, TrainError> {
        let settings = begun.settings.clone();
        let weighing = Weighing::new(&settings.weights, data)?;
        let batch = settings.batch.clamp(1, data.training.len());
        let steps = (settings.epochs * data.training.len() as f64 / batch as f64).ceil().max(1.0) as u64;
        let state = resumed(&begun, &folder.join(CHECKPOINT), &mut model)?.unwrap_or(begun);
        let before = (state.step * batch as u64, state.seconds);
        let sums = model.sums(settings.threads.max(1));
        let schedule = settings.schedule(steps);
        let order = Order::new(settings.seed, data.training.len());
        let started = Instant::now();
        Ok(Self { data, weighing, folder, model, sums, schedule, batch, state, order, started, before })
    }

    fn run(mut self, watch: &mut (dyn FnMut(&Progress<'_>) -> Control + Send)) -> Result<Trained, TrainError> {
        let mut kept = Instant::now();
        while self.state.step < self.schedule.steps && !self.is_out_of_patience() {
            let loss = self.step()?;
            if self.is_time_to_judge() {
                self.judge()?;
            }
            if watch(&self.progress(loss)) == Control::Stop {
                self.keep()?;
                return self.trained(true);
            }
            if kept.elapsed() > CHECKPOINT_EVERY {
                self.keep()?;
                kept = Instant::now();
            }
        }
        self.keep()?;
        self.trained(false)
    }

    /// Learns from one batch and returns its mean loss.
    fn step(&mut self) -> Result<f64, TrainError> {
        let Self { data, weighing, model, sums, batch, state, order, .. } = self;
        let (scale, target) = (1.0 / *batch as f32, state.settings.target());
        let indices = order.batch(state.step, *batch);
        let part = batch.div_ceil(sums.len());
        let learn = |(sums, indices): (&mut M::Sums, &[u32])| {
            model.learn(&Part { records: &data.training, indices, scale, target, weighing }, sums)
        };
        let losses: Vec<f64> = sums.par_iter_mut().zip(indices.par_chunks(part)).map(learn).collect();
        let loss = losses.iter().sum::<f64>() / *batch as f64;
        if !loss.is_finite() {
            return Err(TrainError::NotFinite { what: "loss", step: state.step });
        }
        model.step(sums, self.schedule.step(state.step));
        state.step += 1;
        state.since = (state.since.0 + loss, state.since.1 + 1);
        Ok(loss)
    }

    /// Whether to evaluate: after equal parts of the training, and at its end.
    fn is_time_to_judge(&self) -> bool {
        let (step, steps) = (self.state.step, self.schedule.steps);
        let looks = |step: u64| u128::from(step) * u128::from(self.state.settings.evaluations) / u128::from(steps);
        step == steps || looks(step) > looks(step - 1)
    }

    fn judge(&mut self) -> Result<(), TrainError> {
        let step = self.state.step;
        let held_out = self.model.held_out_loss(&self.held_out());
        if !held_out.is_finite() {
            return Err(TrainError::NotFinite { what: "held-out loss", step });
        }
        let (sum, count) = std::mem::take(&mut self.state.since);
        self.state.points.push(Point {
            positions: step * self.batch as u64,
            training: sum / count.max(1) as f64,
            held_out,
            rate: self.schedule.rate(step),
        });
        if self.best().is_none_or(|best| held_out < best.held_out) {
            replace_file(&self.folder.join(M::FILE), &self.model.bytes()?)?;
            self.state.best = Some(self.state.points.len() - 1);
        }
        Ok(())
    }

    fn held_out(&self) -> HeldOut<'_, M::Record> {
        HeldOut { records: &self.data.held_out, settings: &self.state.settings, weighing: &self.weighing }
    }

    fn best(&self) -> Option<Point> {
        self.state.best.and_then(|best| self.state.points.get(best)).copied()
    }

    fn is_out_of_patience(&self) -> bool {
        let since_best = self.state.points.len() as u64 - self.state.best.map_or(0, |best| best as u64 + 1);
        self.state.settings.patience.is_some_and(|patience| since_best >= patience.max(1))
    }

    fn keep(&mut self) -> Result<(), TrainError> {
        self.state.seconds = self.before.1 + self.started.elapsed().as_secs_f64();
        checkpoint::write(&self.folder.join(CHECKPOINT), &self.state, self.state.step, &self.model)
    }

    fn progress(&self, loss: f64) -> Progress<'_> {
        let positions = self.state.step * self.batch as u64;
        let seconds = self.started.elapsed().as_secs_f64();
        Progress {
            positions,
            of: self.schedule.steps * self.batch as u64,
            speed: (positions - self.before.0) as f64 / seconds.max(1e-9),
            loss,
            points: &self.state.points,
        }
    }

    fn trained(self, stopped: bool) -> Result<Trained, TrainError> {
        let weights = self.best().is_some().then(|| self.folder.join(M::FILE));
        Ok(Trained {
            stopped,
            weights,
            best: self.best(),
            data: self.state.data,
            positions: self.state.step * self.batch as u64,
            judgement: self.model.judgement(&self.held_out(), stopped)?,
            seconds: self.state.seconds,
            points: self.state.points,
        })
    }
}

/// Reads the state of the checkpoint, which must match `begun`, and puts its weights into the model; `None` if there is
/// no checkpoint.
fn resumed<M: Task>(begun: &State, path: &Path, model: &mut M) -> Result<Option<State>, TrainError> {
    let Some((state, numbers)) = checkpoint::read::<State>(path)? else { return Ok(None) };
    let others = [
        ("settings", state.settings != begun.settings),
        ("data", state.data != begun.data),
        ("first weights", state.start != begun.start),
    ];
    let fault = match others.into_iter().find(|(_, differ)| *differ) {
        Some((what, _)) => Some(CheckpointFault::Other { what }),
        None if !checkpoint::put(model, &numbers) => Some(CheckpointFault::Damaged),
        None => None,
    };
    match fault {
        Some(fault) => Err(TrainError::Checkpoint { path: path.to_owned(), fault }),
        None => Ok(Some(state)),
    }
}

/// The order of the positions in each epoch.
struct Order {
    seed: u64,
    epoch: Option<u64>,
    indices: Vec<u32>,
    batch: Vec<u32>,
}

impl Order {
    fn new(seed: u64, count: usize) -> Self {
        Self { seed, epoch: None, indices: (0..count as u32).collect(), batch: Vec::new() }
    }

    /// The positions of a step: they follow those of the previous step, across epochs.
    fn batch(&mut self, step: u64, batch: usize) -> &[u32] {
        self.batch.clear();
        let count = self.indices.len() as u64;
        let mut at = step * batch as u64;
        while self.batch.len() < batch {
            self.shuffle(at / count);
            let rest = &self.indices[(at % count) as usize..];
            let taken = rest.len().min(batch - self.batch.len());
            self.batch.extend_from_slice(&rest[..taken]);
            at += taken as u64;
        }
        &self.batch
    }

    fn shuffle(&mut self, epoch: u64) {
        if self.epoch != Some(epoch) {
            self.indices.iter_mut().zip(0..).for_each(|(index, place)| *index = place);
            self.indices.shuffle(&mut random(self.seed, epoch));
            self.epoch = Some(epoch);
        }
    }
}

/// The random number generator of an epoch, or of the initial weights.
fn random(seed: u64, epoch: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(stats::random::mix(seed ^ stats::random::mix(epoch)))
}
