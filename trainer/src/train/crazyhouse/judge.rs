//! Measures a network of crazyhouse: how often the move played is among its first, the losses of its value, and how far
//! the program's integers are from it.

use super::super::TrainError;
use super::super::input::{Target, parts};
use super::super::judge::{self, WeightedSum};
use super::super::judgement::{Both, Judgement, Losses, PolicyJudgement, QuantisationError, Value};
use super::super::model::cross_entropy;
use super::super::policy::{MoveSums, furthest};
use super::super::task::HeldOut;
use super::{Net, Record, Room, Seen};
use crazyhouse::network;
use rayon::prelude::*;

/// The number of positions on which outputs are compared one by one.
const COMPARED: usize = 20_000;

/// Sums over positions.
#[derive(Default)]
struct Sums {
    moves: MoveSums,
    /// The losses of the value, with each of the targets.
    values: [WeightedSum; 3],
}

/// Calls `each` with the records that have a position, and the outputs for them.
fn for_each(net: &Net, seen: &Seen, records: &[Record], target: Target, mut each: impl FnMut(&Record, &mut Room)) {
    let mut room = net.room();
    for record in records {
        if room.sample.read(record, target).is_some() {
            seen.outputs(&mut room);
            each(record, &mut room);
        }
    }
}

/// The targets of [`Losses`].
fn targets(target: Target) -> [Target; 3] {
    [target, Target { lambda: 0.0, ..target }, Target { lambda: 1.0, ..target }]
}

fn sums(net: &Net, held_out: &HeldOut<'_, Record>) -> Sums {
    let target = held_out.settings.target();
    let part = |records: &[Record]| {
        let mut sums = Sums::default();
        for_each(net, &net.seen, records, target, |record, room| {
            let weight = held_out.weighing.of(record);
            sums.moves.add(f64::from(weight), &mut room.logits, room.sample.played, &room.sample.shares);
            for (sum, target) in sums.values.iter_mut().zip(targets(target)) {
                sum.add(weight, cross_entropy(room.value, target.of(record)).0);
            }
        });
        sums
    };
    let all: Vec<Sums> = parts(held_out.records).map(part).collect();
    all.iter().fold(Sums::default(), |sums, part| Sums {
        moves: sums.moves.plus(&part.moves),
        values: std::array::from_fn(|at| sums.values[at].plus(&part.values[at])),
    })
}

/// The mean loss of policy and value together, weighted by the weights of positions.
pub(super) fn mean_loss(net: &Net, held_out: &HeldOut<'_, Record>) -> f64 {
    let sums = sums(net, held_out);
    sums.moves.loss() + sums.values[0].mean()
}

pub(super) fn judgement(net: &Net, held_out: &HeldOut<'_, Record>, stopped: bool) -> Result<Judgement, TrainError> {
    let sums = sums(net, held_out);
    let [target, score, result] = sums.values.map(|sum| sum.mean());
    let quantisation = if stopped { None } else { Some(quantisation(net, held_out.records)?) };
    let value = Value {
        losses: Losses { target, score, result },
        baselines: judge::baselines(held_out.records, held_out.settings, held_out.weighing),
        quantisation: None,
    };
    Ok(Judgement::Both(Both { policy: PolicyJudgement { quantisation, ..sums.moves.judgement() }, value }))
}

/// Compares the program's outputs with the training's: in each position, the one with the largest difference.
fn quantisation(net: &Net, records: &[Record]) -> Result<QuantisationError, TrainError> {
    let (network, unrounded) = (net.network()?, net.unrounded());
    let part = |records: &[Record]| {
        let mut errors = Vec::with_capacity(records.len());
        let mut numbers = network::Room::default();
        for_each(net, &net.seen, records, Target::NONE, |record, room| {
            let outputs = |room: &Room| [&room.logits[..], &[room.value]].concat();
            let seen = outputs(room);
            unrounded.outputs(room);
            let Some(position) = record.position() else { return };
            let value = network.value(&position, &mut numbers) as f32;
            let rows = room.sample.rows.iter();
            let program: Vec<f32> = rows.map(|row| network.logit(row, &mut numbers)).chain([value]).collect();
            errors.push((furthest(&seen, &program), furthest(&outputs(room), &program)));
        });
        errors
    };
    let errors: Vec<(f64, f64)> = parts(&records[..records.len().min(COMPARED)]).flat_map_iter(part).collect();
    Ok(QuantisationError::of(&errors))
}
