//! Fits linear evaluations to labelled positions ("Texel tuning"): much cheaper than games for hundreds of weights.
//!
//! Positions are [gathered](Gathered) from files and runs into a [design](Design): the features of each position, and
//! the target of their sum. Then each [method](Method) searches for weights on the same design, and the same figures on
//! held-out positions [judge](Judged) all of them. The result is a [`Fitted`]; other modules write and show it. A fit
//! plays no games.

mod adam;
mod certainty;
mod design;
mod error;
mod features;
mod gather;
mod genetic;
mod judge;
mod lbfgs;
mod models;
mod objective;
mod sample;
mod state;
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;
mod views;

pub use adam::AdamSettings;
pub use certainty::MOST_WEIGHTS;
pub use design::{Design, Label, MOST_FEATURES, Part};
pub use error::{FitError, TablesError};
pub use gather::{Gathered, Quiet};
pub use genetic::{Fitness, GeneticSettings};
pub use judge::Judged;
pub use lbfgs::LbfgsSettings;
pub use models::{Model, ROLES, square_of};
pub use state::{Found, Point};
pub use tables::{Output, Weights};
pub use verdict::{Gain, Verdict};

use crate::chess::read::Reading;
use crate::data::Run;
use objective::{Objective, Target, best_scale};
use serde::{Deserialize, Serialize};
use state::{Running, State};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The default number of centipawns per logit: 400 / ln 10, the scale of Elo.
pub const USUAL_SCALE: f64 = 173.717_792_761_240_68;
/// The approximate interval between checkpoints.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// How to search for weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Logistic regression by Adam.
    Adam,
    /// Logistic regression by L-BFGS.
    Lbfgs,
    /// The genetic algorithm.
    Genetic,
}

impl Method {
    /// All methods, with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("adam", Self::Adam), ("lbfgs", Self::Lbfgs), ("genetic", Self::Genetic)];

    /// The name of the method.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// A source of positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A file.
    File {
        /// The path of the file.
        path: PathBuf,
        /// The format of the file, for positions of chess.
        reading: Option<Reading>,
    },
    /// The games of a run.
    Run(Run),
}

/// The settings that determine a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The model to fit.
    pub model: Model,
    /// The weights that the fit begins with, and that the ridge pulls towards; by default, those of the model.
    pub start: Option<Weights>,
    /// The maximum number of positions: of more, a random sample is drawn.
    pub positions: usize,
    /// The share of games whose positions are held out, 0 to 1.
    pub held_out: f64,
    /// How to treat positions that are not quiet.
    pub quiet: Quiet,
    /// The largest absolute score of a usable position, in centipawns.
    pub max_score: f64,
    /// The weight of results, 0 to 1, for positions that also have a score.
    pub lambda: f64,
    /// Centipawns of a score per logit. By default, fitted to results if there are any, else [`USUAL_SCALE`].
    pub score_scale: Option<f64>,
    /// Units of an evaluation per logit. By default, fitted to the start.
    pub scale: Option<f64>,
    /// The ridge: the expected standard deviation of weights around their start; infinite for no ridge.
    pub spread: f64,
    /// The seed of samples, orders and mutations.
    pub seed: u64,
    /// The methods to try, in this order; at least one.
    pub methods: Vec<Method>,
    /// The settings of Adam.
    pub adam: AdamSettings,
    /// The settings of L-BFGS.
    pub lbfgs: LbfgsSettings,
    /// The settings of the genetic algorithm.
    pub genetic: GeneticSettings,
}

/// The progress of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Positions are being read.
    Reading {
        /// The number of positions so far.
        read: u64,
    },
    /// A method is running.
    Fitting {
        /// The method.
        method: Method,
        /// Steps, epochs or generations done.
        step: u32,
        /// The maximum number of them.
        of: u32,
        /// The loss, or the fitness, on the positions fitted to.
        loss: f64,
    },
}

/// Receives the progress, and returns whether to continue.
pub type Watch<'a> = dyn FnMut(&Progress) -> bool + Send + 'a;

/// The result of a fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// The gain of the best weights over the start.
    pub gain: Option<Gain>,
    /// A warning for the user, with its remedy.
    pub warnings: Vec<String>,
    /// The counts of the gathered positions.
    pub gathered: Gathered,
    /// The number of positions fitted to.
    pub training: usize,
    /// The number of positions held out.
    pub held_out: usize,
    /// Units of an evaluation per logit.
    pub scale: f64,
    /// Centipawns of a score per logit.
    pub score_scale: f64,
    /// The names of the features.
    #[serde(skip)]
    pub names: Vec<String>,
    /// The weights that all methods began with.
    #[serde(skip)]
    pub start: Vec<f64>,
    /// The quality of the start.
    pub start_judged: Judged,
    /// The number of features that occur in no position.
    pub unseen: usize,
    /// The result of each method, in the order of the methods.
    pub found: Vec<Found>,
}

impl Fitted {
    /// The result with the least loss on held-out positions.
    pub fn best(&self) -> Option<&Found> {
        best(&self.found)
    }
}

/// Fits, or resumes the fit whose checkpoint is in `folder`, which must exist. Returns `None` and keeps a checkpoint if
/// `watch` stopped the fit.
///
/// # Errors
/// [`FitError`]: for example, unreadable files and runs, nothing to fit to, or features that the data cannot
/// distinguish.
pub fn fit(
    settings: &Settings,
    inputs: &[Input],
    folder: &Path,
    watch: &mut Watch<'_>,
) -> Result<Option<Fitted>, FitError> {
    let Some(collected) = gather::collect(settings, inputs, folder, watch)? else { return Ok(None) };
    let (design, gathered) = (collected.design, collected.gathered);
    design.check()?;
    let start = match &settings.start {
        Some(weights) => weights.in_order(settings.model, &design.names)?,
        None => settings.model.start(&design),
    };
    let (target, scale) = scales(settings, &design, &start);
    let objective = Objective { design: &design, target, scale, start: &start, spread: settings.spread };
    objective.check_scores(settings)?;
    let mut work =
        Work { settings, objective, folder, state: State::read(folder, settings, &design)?, kept: Instant::now() };
    for &method in &settings.methods {
        if !work.run(method, watch)? {
            work.state.write(folder)?;
            return Ok(None);
        }
    }
    work.state.write(folder)?;
    let (training, held_out) = (design.part(Part::Training).len(), design.part(Part::HeldOut).len());
    let start_judged = judge::judge(&objective, &start);
    let unseen = design.unseen().into_iter().filter(|unseen| *unseen).count();
    let found = work.state.found;
    let gain = best(&found).map(|best| Gain::of(&objective, &best.weights));
    let warnings = gain.and_then(|gain| gain.warning()).into_iter().chain(gathered.all_warnings()).collect();
    let score_scale = target.scale;
    let names = design.names;
    Ok(Some(Fitted {
        gain,
        warnings,
        gathered,
        training,
        held_out,
        scale,
        score_scale,
        names,
        start,
        start_judged,
        unseen,
        found,
    }))
}

/// The result with the least loss on held-out positions.
fn best(found: &[Found]) -> Option<&Found> {
    found.iter().min_by(|a, b| a.judged.held_out.total_cmp(&b.judged.held_out))
}

/// The target, and the units of an evaluation per logit.
fn scales(settings: &Settings, design: &Design, start: &[f64]) -> (Target, f64) {
    let fitted = || design.scale_of_scores();
    let score_scale = settings.score_scale.or_else(|| settings.model.scale()).or_else(fitted).unwrap_or(USUAL_SCALE);
    let target = Target { lambda: settings.lambda, scale: score_scale };
    let scale = settings.scale.or_else(|| settings.model.scale());
    (target, scale.or_else(|| best_scale(design, target, start)).unwrap_or(USUAL_SCALE))
}

impl Objective<'_> {
    /// Checks that there are scores if the fitness needs them.
    fn check_scores(&self, settings: &Settings) -> Result<(), FitError> {
        let needs = settings.methods.contains(&Method::Genetic) && settings.genetic.fitness == Fitness::Absolute;
        let has = || self.design.part(Part::Training).any(|row| self.design.row(row).label.score.is_some());
        if needs && !has() { Err(FitError::NoScores) } else { Ok(()) }
    }
}

struct Work<'a> {
    settings: &'a Settings,
    objective: Objective<'a>,
    folder: &'a Path,
    state: State,
    kept: Instant,
}

impl Work<'_> {
    /// Runs a method, unless its result is known. Returns whether the method finished.
    fn run(&mut self, method: Method, watch: &mut Watch<'_>) -> Result<bool, FitError> {
        if self.state.found.iter().any(|found| found.method == method) {
            return Ok(true);
        }
        let (mut running, began) = (self.state.take(method, self.objective.start), Clock::start());
        let weights = match method {
            Method::Adam => self.adam(&mut running, &began, watch)?,
            Method::Lbfgs => self.lbfgs(&mut running, watch)?,
            Method::Genetic => self.genetic(&mut running, &began, watch)?,
        };
        running.spend(&began);
        let Some(weights) = weights else {
            self.state.running = Some(running);
            return Ok(false);
        };
        let errors = if method == Method::Genetic { None } else { certainty::errors(&self.objective, &weights)? };
        let judged = judge::judge(&self.objective, &weights);
        let Running { seconds, cpu_seconds, points, .. } = running;
        self.state.found.push(Found { method, weights, errors, judged, seconds, cpu_seconds, points });
        Ok(true)
    }

    fn adam(
        &mut self,
        running: &mut Running,
        began: &Clock,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<f64>>, FitError> {
        let of = self.settings.adam.epochs;
        while running.adam.epoch < of {
            running.adam.epoch(&self.objective, &self.settings.adam, self.settings.seed);
            let point = self.look(running.adam.epoch, &running.adam.weights);
            running.points.push(point);
            self.keep(running, began)?;
            let progress =
                Progress::Fitting { method: Method::Adam, step: running.adam.epoch, of, loss: point.training };
            if !watch(&progress) {
                return Ok(None);
            }
        }
        Ok(Some(running.adam.weights.clone()))
    }

    fn lbfgs(&self, running: &mut Running, watch: &mut Watch<'_>) -> Result<Option<Vec<f64>>, FitError> {
        running.points.clear();
        let (objective, of) = (self.objective, self.settings.lbfgs.iterations);
        lbfgs::minimise(&objective, &self.settings.lbfgs, &mut |weights, loss| {
            let step = running.points.len() as u32 + 1;
            running.points.push(Point { step, training: loss, held_out: objective.loss(weights, Part::HeldOut) });
            watch(&Progress::Fitting { method: Method::Lbfgs, step, of, loss })
        })
    }

    fn genetic(
        &mut self,
        running: &mut Running,
        began: &Clock,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<f64>>, FitError> {
        let (settings, seed) = (&self.settings.genetic, self.settings.seed);
        while running.genetic.generation < settings.generations {
            running.genetic.breed(&self.objective, settings, seed);
            let Some(best) = running.genetic.best().cloned() else { break };
            let held_out =
                genetic::fitness(&self.objective, settings.fitness, std::slice::from_ref(&best.weights), Part::HeldOut);
            let step = running.genetic.generation;
            running.points.push(Point { step, training: best.fitness, held_out: held_out[0] });
            self.keep(running, began)?;
            let progress =
                Progress::Fitting { method: Method::Genetic, step, of: settings.generations, loss: best.fitness };
            if !watch(&progress) {
                return Ok(None);
            }
        }
        Ok(running.genetic.best().map(|best| best.weights.clone()))
    }

    fn look(&self, step: u32, weights: &[f64]) -> Point {
        let loss = |part| self.objective.loss(weights, part);
        Point { step, training: loss(Part::Training), held_out: loss(Part::HeldOut) }
    }

    /// Writes a checkpoint at intervals.
    fn keep(&mut self, running: &Running, began: &Clock) -> Result<(), FitError> {
        if self.kept.elapsed() < CHECKPOINT_EVERY {
            return Ok(());
        }
        let mut so_far = running.clone();
        so_far.spend(began);
        self.state.running = Some(so_far);
        self.kept = Instant::now();
        self.state.write(self.folder)
    }
}

/// Measures wall time and processor time.
struct Clock {
    wall: Instant,
    cpu: f64,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_seconds() }
    }
}

/// The processor time of this process so far.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
