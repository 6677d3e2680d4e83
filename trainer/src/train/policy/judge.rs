//! How good a policy is: how often the move played is among its first, and how far the engine's integers are from it.

use super::super::TrainError;
use super::super::input::parts;
use super::super::judgement::{Figures, PolicyJudgement, QuantisationError};
use super::super::task::HeldOut;
use super::{Head, Room, Seen, softmax};
use crate::data::Record;
use engine::PolicyLogits;
use engine::eval::Evaluation as _;
use rayon::prelude::*;

/// Positions on which numbers are compared one by one.
const COMPARED: usize = 20_000;

/// Sums over positions.
#[derive(Clone, Copy, Default)]
struct Sums {
    weight: f64,
    moves: f64,
    policy: Figures,
    uniform: Figures,
}

impl Figures {
    fn each(&mut self) -> [&mut f64; 4] {
        [&mut self.cross_entropy, &mut self.top_1, &mut self.top_3, &mut self.top_5]
    }

    fn add(&mut self, weight: f64, other: [f64; 4]) {
        self.each().into_iter().zip(other).for_each(|(sum, value)| *sum += weight * value);
    }

    fn over(mut self, weight: f64) -> Self {
        self.each().into_iter().for_each(|sum| *sum /= weight);
        self
    }
}

impl Sums {
    /// Adds a position whose logits are there.
    fn add(&mut self, weight: f64, room: &mut Room) {
        let (played, count) = (room.sample.played, room.logits.len() as f64);
        let of_played = room.logits[played];
        let before = room.logits[..played].iter().filter(|logit| **logit >= of_played).count();
        let rank = before + room.logits[played + 1..].iter().filter(|logit| **logit > of_played).count();
        let among = |first: usize| if rank < first { 1.0 } else { 0.0 };
        let loss = f64::from(softmax(&mut room.logits, played));
        let by_chance = |first: f64| (first / count).min(1.0);
        self.weight += weight;
        self.moves += weight * count;
        self.policy.add(weight, [loss, among(1), among(3), among(5)]);
        self.uniform.add(weight, [libm::log(count), by_chance(1.0), by_chance(3.0), by_chance(5.0)]);
    }

    fn plus(mut self, other: &Self) -> Self {
        self.weight += other.weight;
        self.moves += other.moves;
        let values = |mut figures: Figures| figures.each().map(|value| *value);
        self.policy.add(1.0, values(other.policy));
        self.uniform.add(1.0, values(other.uniform));
        self
    }
}

/// Calls `each` with the records that have a position, and their logits.
fn for_each(head: &Head, seen: &Seen, records: &[Record], mut each: impl FnMut(&Record, &mut Room)) {
    let mut room = head.room();
    for record in records {
        if room.sample.read(record, &head.network).is_some() {
            seen.logits(&mut room);
            each(record, &mut room);
        }
    }
}

fn sums(head: &Head, held_out: &HeldOut<'_, Record>) -> Sums {
    let part = |records: &[Record]| {
        let mut sums = Sums::default();
        for_each(head, &head.seen, records, |record, room| {
            sums.add(f64::from(held_out.weighing.of(record)), room);
        });
        sums
    };
    let all: Vec<Sums> = parts(held_out.records).map(part).collect();
    all.iter().fold(Sums::default(), Sums::plus)
}

/// The mean loss of a policy, by the weights of positions.
pub(super) fn mean_loss(head: &Head, held_out: &HeldOut<'_, Record>) -> f64 {
    let sums = sums(head, held_out);
    sums.policy.cross_entropy / sums.weight
}

pub(super) fn judgement(
    head: &Head,
    held_out: &HeldOut<'_, Record>,
    stopped: bool,
) -> Result<PolicyJudgement, TrainError> {
    let sums = sums(head, held_out);
    Ok(PolicyJudgement {
        policy: sums.policy.over(sums.weight),
        uniform: sums.uniform.over(sums.weight),
        moves: sums.moves / sums.weight,
        quantisation: if stopped { None } else { Some(quantisation(head, held_out.records)?) },
    })
}

/// Compares the engine's logits with the training's: in each position, the one that is furthest off.
fn quantisation(head: &Head, records: &[Record]) -> Result<QuantisationError, TrainError> {
    let (policy, unrounded) = (head.policy()?, head.unrounded());
    let part = |records: &[Record]| {
        let mut errors = Vec::with_capacity(records.len());
        let mut line = head.network.new_line(1);
        for_each(head, &head.seen, records, |record, room| {
            let seen = room.logits.clone();
            unrounded.logits(room);
            let Ok(position) = record.position() else { return };
            head.network.start(&mut line, &position);
            let Some(hidden) = head.network.hidden(&mut line, 0, &position) else { return };
            let mut logits = PolicyLogits::new(&policy, hidden);
            let engine: Vec<f32> = room.sample.rows.iter().map(|row| logits.logit(*row)).collect();
            errors.push((furthest(&seen, &engine), furthest(&room.logits, &engine)));
        });
        errors
    };
    let errors: Vec<(f64, f64)> = parts(&records[..records.len().min(COMPARED)]).flat_map_iter(part).collect();
    Ok(QuantisationError::of(&errors))
}

fn furthest(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from((one - other).abs())).fold(0.0, f64::max)
}
