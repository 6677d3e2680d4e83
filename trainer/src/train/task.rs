//! What the training loop needs of what it trains: evaluations, with targets from scores and results, and policies,
//! with the moves played.

use super::TrainError;
use super::adam::{Step, Weights};
use super::export::Export;
use super::input::{Input, Labelled, Target};
use super::judge;
use super::judgement::{Judgement, Value};
use super::model::{Model, RecordOf, TOGETHER};
use super::settings::Settings;
use super::weights::Weighing;

/// A model that the training loop can train.
pub(super) trait Task: Send + Sync {
    /// The record that it learns from.
    type Record: Labelled;
    /// Sums of gradients over records, and room to compute in.
    type Sums: Send;
    /// The name of its weights file.
    const FILE: &str;

    /// Returns empty sums: one for each part of a batch.
    fn sums(&self, threads: usize) -> Vec<Self::Sums>;

    /// Adds the gradients of a part of a batch; returns the sum of the losses.
    fn learn(&self, part: &Part<'_, Self::Record>, sums: &mut Self::Sums) -> f64;

    /// Takes a step against the sums of all parts, which become 0.
    fn step(&mut self, sums: &mut [Self::Sums], step: Step);

    /// All trained weights, always in the same order.
    fn weights(&self) -> Vec<&Weights>;

    /// The same weights, for replacement; [`Task::replaced`] follows.
    fn weights_mut(&mut self) -> Vec<&mut Weights>;

    /// Recomputes what depends on the weights.
    fn replaced(&mut self);

    /// The bytes of its weights file.
    fn bytes(&self) -> Result<Vec<u8>, TrainError>;

    /// The mean loss over the held-out set.
    fn held_out_loss(&self, held_out: &HeldOut<'_, Self::Record>) -> f64;

    /// The quality at the end of a training, or when it is `stopped` early.
    fn judgement(&self, held_out: &HeldOut<'_, Self::Record>, stopped: bool) -> Result<Judgement, TrainError>;
}

/// A part of a batch.
pub(super) struct Part<'a, R> {
    /// All records to train on.
    pub(super) records: &'a [R],
    /// The indices of this part's records.
    pub(super) indices: &'a [u32],
    /// The factor of the gradients.
    pub(super) scale: f32,
    pub(super) target: Target,
    pub(super) weighing: &'a Weighing,
}

/// The held-out records and how to judge on them.
pub(super) struct HeldOut<'a, R> {
    pub(super) records: &'a [R],
    pub(super) settings: &'a Settings,
    pub(super) weighing: &'a Weighing,
}

/// Tasks for evaluations.
impl<M: Export> Task for M {
    type Record = RecordOf<M>;
    type Sums = M::Sums;
    const FILE: &str = <M as Export>::FILE;

    fn sums(&self, threads: usize) -> Vec<M::Sums> {
        (0..threads).map(|_| Model::sums(self)).collect()
    }

    fn learn(&self, part: &Part<'_, RecordOf<M>>, sums: &mut M::Sums) -> f64 {
        let (mut records, mut samples) = (Vec::with_capacity(TOGETHER), vec![M::Sample::EMPTY; TOGETHER]);
        let mut weights = Vec::with_capacity(TOGETHER);
        let learn = |indices: &[u32]| {
            // Copying the records first, without work in between, keeps many fetches from distant memory in flight at
            // once.
            records.clear();
            records.extend(indices.iter().map(|&index| part.records[index as usize]));
            let read = samples.iter_mut().zip(&records).map_while(|(sample, record)| sample.read(record, part.target));
            let count = read.count();
            weights.clear();
            weights.extend(records[..count].iter().map(|record| part.weighing.of(record)));
            Model::learn(self, &samples[..count], &weights, part.scale, sums)
        };
        part.indices.chunks(TOGETHER).map(learn).sum()
    }

    fn step(&mut self, sums: &mut [M::Sums], step: Step) {
        Model::step(self, sums, step);
    }

    fn weights(&self) -> Vec<&Weights> {
        Model::weights(self)
    }

    fn weights_mut(&mut self) -> Vec<&mut Weights> {
        Model::weights_mut(self)
    }

    fn replaced(&mut self) {
        Model::replaced(self);
    }

    fn bytes(&self) -> Result<Vec<u8>, TrainError> {
        Export::bytes(self)
    }

    fn held_out_loss(&self, held_out: &HeldOut<'_, RecordOf<M>>) -> f64 {
        judge::mean_loss(self, held_out.records, held_out.settings.target(), held_out.weighing)
    }

    fn judgement(&self, held_out: &HeldOut<'_, RecordOf<M>>, stopped: bool) -> Result<Judgement, TrainError> {
        let HeldOut { records, settings, weighing } = *held_out;
        Ok(Judgement::Value(Value {
            losses: judge::losses(self, records, settings, weighing),
            baselines: judge::baselines(records, settings, weighing),
            quantisation: if stopped { None } else { Some(judge::quantisation(self, records)?) },
        }))
    }
}
