//! Measures a policy: how often the move played is among its first, and how far the engine's integers are from it.

use super::super::TrainError;
use super::super::input::parts;
use super::super::judgement::{PolicyJudgement, QuantisationError};
use super::super::task::HeldOut;
use super::{Head, MoveRecord, MoveSums, Room, Seen, furthest};
use engine::eval::Evaluation as _;
use rayon::prelude::*;

/// The number of positions on which logits are compared one by one.
const COMPARED: usize = 20_000;

/// Calls `each` with the records that have a position, and their logits.
fn for_each<R: MoveRecord>(head: &Head<R>, seen: &Seen, records: &[R], mut each: impl FnMut(&R, &mut Room)) {
    let mut room = head.room();
    for record in records {
        if room.sample.read(record, &head.network).is_some() {
            seen.logits(&mut room);
            each(record, &mut room);
        }
    }
}

fn sums<R: MoveRecord>(head: &Head<R>, held_out: &HeldOut<'_, R>) -> MoveSums {
    let part = |records: &[R]| {
        let mut sums = MoveSums::default();
        for_each(head, &head.seen, records, |record, room| {
            sums.add(
                f64::from(held_out.weighing.of(record)),
                &mut room.logits,
                room.sample.played,
                &room.sample.shares,
            );
        });
        sums
    };
    let all: Vec<MoveSums> = parts(held_out.records).map(part).collect();
    all.iter().fold(MoveSums::default(), MoveSums::plus)
}

/// The mean loss of a policy, weighted by the weights of positions.
pub(super) fn mean_loss<R: MoveRecord>(head: &Head<R>, held_out: &HeldOut<'_, R>) -> f64 {
    sums(head, held_out).loss()
}

pub(super) fn judgement<R: MoveRecord>(
    head: &Head<R>,
    held_out: &HeldOut<'_, R>,
    stopped: bool,
) -> Result<PolicyJudgement, TrainError> {
    let quantisation = if stopped { None } else { Some(quantisation(head, held_out.records)?) };
    Ok(PolicyJudgement { quantisation, ..sums(head, held_out).judgement() })
}

/// Compares the engine's logits with the training's: in each position, the one with the largest difference.
fn quantisation<R: MoveRecord>(head: &Head<R>, records: &[R]) -> Result<QuantisationError, TrainError> {
    let (policy, unrounded) = (head.policy()?, head.unrounded());
    let part = |records: &[R]| {
        let mut errors = Vec::with_capacity(records.len());
        let (mut line, mut engine) = (head.network.new_line(1), Vec::new());
        for_each(head, &head.seen, records, |record, room| {
            let seen = room.logits.clone();
            unrounded.logits(room);
            let Ok(position) = record.played().position() else { return };
            head.network.start(&mut line, &position);
            let Some(hidden) = head.network.hidden(&mut line, 0, &position) else { return };
            policy.logits(hidden, &room.sample.rows, &mut engine);
            errors.push((furthest(&seen, &engine), furthest(&room.logits, &engine)));
        });
        errors
    };
    let errors: Vec<(f64, f64)> = parts(&records[..records.len().min(COMPARED)]).flat_map_iter(part).collect();
    Ok(QuantisationError::of(&errors))
}
