//! Choosing a setup: the candidates are the best of a fixed pseudo-random sample by static evaluation.
//!
//! The sample is the same on every machine and in every game. Red plays the best candidate; for blue, who knows red's
//! setup, the candidates are searched.

use crate::eval::Evaluation;
use crate::{Move, Position, Score, Setup};

/// Setups in the sample.
const SAMPLE: u64 = 256;
/// Setups returned.
const CANDIDATES: usize = 12;

/// The best setups of the sample for the side to move, best first; equal ones in the order of the sample.
pub(super) fn best_setups<E: Evaluation>(
    evaluation: &E,
    line: &mut E::Line,
    position: &Position,
) -> [Move; CANDIDATES] {
    let mut best = [(-Score::INFINITE, sampled_setup(0)); CANDIDATES];
    for n in 0..SAMPLE {
        let mv = sampled_setup(n);
        let score = static_score(evaluation, line, position, mv);
        let place = best.iter().take_while(|(other, _)| *other >= score).count();
        if place < CANDIDATES {
            best[place..].rotate_right(1);
            best[place] = (score, mv);
        }
    }
    best.map(|(_, mv)| mv)
}

/// The static evaluation of the position after a setup, from the side that made it.
fn static_score<E: Evaluation>(evaluation: &E, line: &mut E::Line, position: &Position, mv: Move) -> Score {
    let mut after = *position;
    let delta = after.play(mv);
    evaluation.advance(line, 1, &delta, &after);
    -evaluation.evaluate(line, 1, &after)
}

/// The `n`-th setup of the sample: `SplitMix64` of `n` as a rank.
fn sampled_setup(n: u64) -> Move {
    let z = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let rank = (((z ^ (z >> 31)) >> 32) * u64::from(Setup::COUNT)) >> 32;
    // The rank is below the number of setups, so the fallback is never used.
    Move::setup_of_rank(rank as u32).unwrap_or(Move::jump(crate::Square::A1, crate::Square::A1))
}
