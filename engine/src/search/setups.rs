//! Choosing one's setup without a book: a seeded sample, judged at first sight.
//!
//! The sample is the same on every machine and in every game. Red keeps the setup that looks best by itself; blue, who
//! knows red's, has those that look best searched.

use crate::eval::Evaluation;
use crate::{Move, Position, Score, Setup};

/// Setups looked at.
const SAMPLE: u64 = 256;
/// Setups kept.
const KEPT: usize = 12;

/// The setups of the sample that look best for the side to move, best first; equal ones in the order of the sample.
pub(super) fn promising(evaluation: &impl Evaluation, position: &Position) -> [Move; KEPT] {
    let mut kept = [(-Score::INFINITE, setup(0)); KEPT];
    for n in 0..SAMPLE {
        let mv = setup(n);
        let score = first_sight(evaluation, position, mv);
        let place = kept.iter().take_while(|(other, _)| *other >= score).count();
        if place < KEPT {
            kept[place..].rotate_right(1);
            kept[place] = (score, mv);
        }
    }
    kept.map(|(_, mv)| mv)
}

/// What the evaluation says of the position after a setup, from the side that made it.
fn first_sight(evaluation: &impl Evaluation, position: &Position, mv: Move) -> Score {
    let mut after = *position;
    after.play(mv);
    -evaluation.score(&evaluation.start(&after), &after)
}

/// The `n`-th setup of the sample: `SplitMix64` of `n` as a rank.
fn setup(n: u64) -> Move {
    let z = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let rank = (((z ^ (z >> 31)) >> 32) * u64::from(Setup::COUNT)) >> 32;
    // The rank is below the number of setups, so that the second choice is never needed.
    Move::setup_of_rank(rank as u32).unwrap_or(Move::jump(crate::Square::A1, crate::Square::A1))
}
