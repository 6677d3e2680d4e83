//! Measures a model: its loss on held-out positions beside the loss of baselines, and how far the engine's integers are
//! from it.

use super::TrainError;
use super::export::Export;
use super::input::parts;
use super::input::{Input, Labelled, Target};
use super::judgement::{Baselines, Losses, QuantisationError};
use super::model::{Model, RecordOf, TOGETHER, cross_entropy};
use super::settings::Settings;
use super::weights::Weighing;
use rayon::prelude::*;

/// The number of positions on which outputs are compared one by one.
const COMPARED: usize = 100_000;

impl Losses {
    fn with(target: Target, loss: impl Fn(Target) -> f64) -> Self {
        Self {
            target: loss(target),
            score: loss(Target { lambda: 0.0, ..target }),
            result: loss(Target { lambda: 1.0, ..target }),
        }
    }
}

/// The losses of a model.
pub(super) fn losses<M: Model>(
    model: &M,
    held_out: &[RecordOf<M>],
    settings: &Settings,
    weighing: &Weighing,
) -> Losses {
    Losses::with(settings.target(), |target| mean_loss(model, held_out, target, weighing))
}

/// The mean loss of a model, weighted by the weights of positions.
pub(super) fn mean_loss<M: Model>(model: &M, records: &[RecordOf<M>], target: Target, weighing: &Weighing) -> f64 {
    let part = |records: &[RecordOf<M>]| {
        let mut sums = WeightedSum::default();
        for_each_logit(model, records, target, |record, sample, logit| {
            sums.add(weighing.of(record), cross_entropy(logit, sample.target()).0);
        });
        sums
    };
    WeightedSum::mean_of(&parts(records).map(part).collect::<Vec<_>>())
}

/// Sums of values times their weights, and of the weights.
#[derive(Clone, Copy, Default)]
pub(super) struct WeightedSum {
    values: f64,
    weights: f64,
}

impl WeightedSum {
    pub(super) fn add(&mut self, weight: f32, value: f32) {
        self.values += f64::from(weight) * f64::from(value);
        self.weights += f64::from(weight);
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { values: self.values + other.values, weights: self.weights + other.weights }
    }

    /// The weighted mean.
    pub(super) fn mean(&self) -> f64 {
        self.values / self.weights
    }

    fn mean_of(parts: &[Self]) -> f64 {
        parts.iter().fold(Self::default(), |sum, part| sum.plus(part)).mean()
    }
}

/// Calls `each` with every record, its sample and its logit.
fn for_each_logit<M: Model>(
    model: &M,
    records: &[RecordOf<M>],
    target: Target,
    mut each: impl FnMut(&RecordOf<M>, &M::Sample, f32),
) {
    let (mut samples, mut room) = (vec![M::Sample::EMPTY; TOGETHER], model.sums());
    let mut logits = vec![0.0; TOGETHER];
    for records in records.chunks(TOGETHER) {
        let read = samples.iter_mut().zip(records).map_while(|(sample, record)| sample.read(record, target));
        let count = read.count();
        model.logits(&samples[..count], &mut room, &mut logits[..count]);
        for ((record, sample), &logit) in records.iter().zip(&samples[..count]).zip(&logits) {
            each(record, sample, logit);
        }
    }
}

/// The losses of the baselines on the held-out set.
pub(super) fn baselines<R: Labelled>(records: &[R], settings: &Settings, weighing: &Weighing) -> Baselines {
    let mean = |of: &(dyn Fn(&R) -> f32 + Sync)| {
        let part = |records: &[R]| {
            let mut sums = WeightedSum::default();
            for record in records {
                sums.add(weighing.of(record), of(record));
            }
            sums
        };
        WeightedSum::mean_of(&parts(records).map(part).collect::<Vec<_>>())
    };
    let losses = |loss: &dyn Fn(Target) -> f64| Losses::with(settings.target(), loss);
    Baselines {
        targets: losses(&|target| mean(&|record| entropy(target.of(record)))),
        constant: losses(&|target| f64::from(entropy(mean(&|record| target.of(record)) as f32))),
        simple: losses(&|target| mean(&|record| cross_entropy(record.simple(target), target.of(record)).0)),
    }
}

/// The minimum loss for a target.
fn entropy(target: f32) -> f32 {
    let target = target.clamp(0.0, 1.0);
    cross_entropy(libm::logf(target / (1.0 - target)).clamp(-30.0, 30.0), target).0
}

/// Compares the engine's output with the model's.
pub(super) fn quantisation<M: Model + Export>(
    model: &M,
    records: &[RecordOf<M>],
) -> Result<QuantisationError, TrainError> {
    let evaluator = model.evaluator()?;
    let part = |records: &[RecordOf<M>]| {
        let mut errors = Vec::with_capacity(records.len());
        for_each_logit(model, records, Target::NONE, |record, sample, logit| {
            if let Some(engine) = evaluator(record) {
                errors.push(((f64::from(logit) - engine).abs(), (model.unrounded(sample) - engine).abs()));
            }
        });
        errors
    };
    let errors: Vec<(f64, f64)> = parts(&records[..records.len().min(COMPARED)]).flat_map_iter(part).collect();
    Ok(QuantisationError::of(&errors))
}

impl QuantisationError {
    /// Summarises the errors of positions: with rounded weights, and with weights before rounding.
    pub(super) fn of(errors: &[(f64, f64)]) -> Self {
        let sorted = |of: fn(&(f64, f64)) -> f64| {
            let mut errors: Vec<f64> = errors.iter().map(of).collect();
            errors.sort_by(f64::total_cmp);
            move |share: f64| {
                errors.get((share * errors.len() as f64) as usize).or(errors.last()).copied().unwrap_or(0.0)
            }
        };
        let (rounded, unrounded) = (sorted(|errors| errors.0), sorted(|errors| errors.1));
        Self {
            median: rounded(0.5),
            percentile_99: rounded(0.99),
            largest: rounded(1.0),
            unrounded_percentile_99: unrounded(0.99),
        }
    }
}
