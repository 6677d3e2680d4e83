//! Parameters converted to the search's own units: margins become scores, and a disabled technique gets a depth limit
//! that no node meets.

use super::AlphaBetaParams;
use crate::time::TimeParams;
use crate::{Params, Score};

/// The minimum depth of a disabled technique.
const NEVER: i32 = i32::MAX;

/// What a reduction depends on besides depth and move count.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateMove {
    /// From -[`LIMIT`](super::history::LIMIT) to [`LIMIT`](super::history::LIMIT).
    pub(super) history: i32,
    pub(super) improving: bool,
    pub(super) pv: bool,
}

/// One ply, in the units of [`LogReductions`].
const PLY: i32 = 1024;

/// Converts a number to units of 1/1,024, rounded towards 0.
fn fixed_point(real: f64) -> i32 {
    (real * f64::from(PLY)) as i32
}

/// Logarithmic late move reductions, in plies x 1,024.
#[derive(Clone, Copy, Debug)]
struct LogReductions {
    base: i32,
    factor: i32,
    history: i32,
    not_improving: i32,
    pv: i32,
}

impl LogReductions {
    fn new(params: &AlphaBetaParams) -> Self {
        Self {
            base: fixed_point(params.lmr_base),
            factor: fixed_point(params.lmr_factor),
            history: fixed_point(params.lmr_history),
            not_improving: fixed_point(params.lmr_improving),
            pv: fixed_point(params.lmr_pv),
        }
    }

    fn reduction(&self, move_count: usize, depth: i32, late: LateMove) -> i32 {
        let logarithms = ln(depth as usize) * ln(move_count) / PLY;
        let mut reduction = self.base + self.factor * logarithms / PLY;
        reduction -= self.history * late.history / super::history::LIMIT;
        reduction += if late.improving { 0 } else { self.not_improving };
        reduction -= if late.pv { self.pv } else { 0 };
        reduction / PLY
    }
}

/// The natural logarithm x 1,024 of a number from 1 to 127, rounded down; larger numbers count as 127; 0 for 0. Uses
/// integers, so it is the same on every machine.
fn ln(number: usize) -> i32 {
    const TABLE: [i32; 128] = logarithms();
    TABLE[number.min(127)]
}

const fn logarithms() -> [i32; 128] {
    let mut table = [0; 128];
    let mut number = 1;
    while number < 128 {
        table[number] = ln_of(number as u64);
        number += 1;
    }
    table
}

/// Computes the binary digits of the logarithm to base 2: squaring a number in 1..2 yields the next digit.
const fn ln_of(number: u64) -> i32 {
    let whole = 63 - number.leading_zeros() as u64;
    // In units of 2^-30, in 1..2.
    let mut rest = (number << 30) >> whole;
    let mut log2 = whole;
    let mut digit = 0;
    while digit < 20 {
        rest = (rest * rest) >> 30;
        log2 <<= 1;
        if rest >= 2 << 30 {
            rest >>= 1;
            log2 |= 1;
        }
        digit += 1;
    }
    // ln 2 = 0.693147 in units of 2^-20; the result in units of 2^-10.
    ((log2 * 726_817) >> 30) as i32
}

/// The parameters of a search, converted once for each configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) params: AlphaBetaParams,
    pub(super) time: TimeParams,
    pub(super) null_move_margin: Score,
    pub(super) null_move_min_depth: i32,
    /// The weight of corrections x 1,024.
    pub(super) correction: i32,
    /// The factor for late moves if the side is improving, x 1,024.
    late_moves_improving: i32,
    pub(super) futility_depth: i32,
    pub(super) futility_margin: Score,
    pub(super) lmr_min_depth: i32,
    /// In plies x 1,024: the base reduction, the factor of logarithms, and the adjustments.
    lmr: LogReductions,
    pub(super) iid_min_depth: i32,
    pub(super) iir_min_depth: i32,
    pub(super) aspiration_margin: Score,
    pub(super) check_extension: i32,
    pub(super) optimism: Score,
    /// If `quiescence_pruning` is off, so large that nothing is pruned.
    pub(super) quiescence_margin: Score,
    pub(super) reverse_futility_depth: i32,
    pub(super) reverse_futility_margin: Score,
}

impl Settings {
    pub(super) fn new(all: &Params) -> Self {
        let params = &all.alpha_beta;
        let min_depth = |switch: bool, depth: i32| if switch { depth } else { NEVER };
        let max_depth = |switch: bool, depth: i32| if switch { depth } else { i32::MIN };
        Self {
            params: *params,
            time: all.time,
            null_move_margin: Score::from_logit(params.null_move_margin),
            null_move_min_depth: min_depth(params.null_move, params.null_move_min_depth),
            correction: if params.correction { fixed_point(params.correction_weight) } else { 0 },
            late_moves_improving: fixed_point(params.late_pruning_improving),
            futility_depth: max_depth(params.futility, params.futility_depth),
            futility_margin: Score::from_logit(params.futility_margin),
            lmr_min_depth: min_depth(params.lmr, params.lmr_min_depth),
            lmr: LogReductions::new(params),
            iid_min_depth: min_depth(params.iid && !params.iir, params.iid_min_depth),
            iir_min_depth: min_depth(params.iir, params.iir_min_depth),
            aspiration_margin: Score::from_logit(params.aspiration_margin),
            check_extension: i32::from(params.check_extension),
            quiescence_margin: if params.quiescence_pruning {
                Score::from_logit(params.quiescence_margin)
            } else {
                Score::INFINITE + Score::INFINITE
            },
            optimism: Score::from_logit(params.optimism),
            reverse_futility_depth: max_depth(params.reverse_futility, params.reverse_futility_depth),
            reverse_futility_margin: Score::from_logit(params.reverse_futility_margin),
        }
    }

    /// The reduction (LMR) in plies of a late move after `move_count` other moves.
    pub(super) fn lmr_reduction(&self, move_count: usize, depth: i32, late: LateMove) -> i32 {
        if depth < self.lmr_min_depth {
            return 0;
        }
        if self.params.lmr_logarithmic {
            return self.lmr.reduction(move_count, depth, late).clamp(0, depth - 1);
        }
        let move_count = move_count as i32;
        if move_count < self.params.lmr_first_start {
            0
        } else if move_count < self.params.lmr_second_start {
            self.params.lmr_first_reduction
        } else {
            self.params.lmr_second_reduction
        }
    }

    /// The move count from which late moves are pruned at this depth (late move pruning).
    pub(super) fn late_moves_from(&self, depth: i32, improving: bool) -> usize {
        if self.params.late_pruning && depth <= self.params.late_pruning_depth {
            let moves = self.params.late_pruning_start + self.params.late_pruning_growth * depth * depth;
            (if improving { moves * self.late_moves_improving / PLY } else { moves }).max(1) as usize
        } else {
            usize::MAX
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ln;

    #[test]
    fn logarithms_are_right() {
        for (number, expected) in
            [(0, 0), (1, 0), (2, 709), (3, 1124), (10, 2357), (100, 4715), (127, 4960), (500, 4960)]
        {
            assert!((ln(number) - expected).abs() <= 1, "{number}: {}", ln(number));
        }
    }
}
