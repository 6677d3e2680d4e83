//! The parameters in the search's own units: margins as scores, and for a technique that is switched off a depth limit that no
//! node meets.

use crate::{Params, Score};

/// The minimum depth of a technique that is switched off.
const NEVER: i32 = i32::MAX;

/// [`Params`], converted once for each configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) params: Params,
    pub(super) null_move_margin: Score,
    pub(super) null_move_min_depth: i32,
    pub(super) futility_depth: i32,
    pub(super) futility_margin: Score,
    pub(super) lmr_min_depth: i32,
    pub(super) iid_min_depth: i32,
    pub(super) check_extension: i32,
    pub(super) optimism: Score,
    /// So large that nothing is pruned, if `quiescence_pruning` is off.
    pub(super) quiescence_margin: Score,
    pub(super) reverse_futility_depth: i32,
    pub(super) reverse_futility_margin: Score,
}

impl Settings {
    pub(super) fn new(params: &Params) -> Self {
        let min_depth = |switch: bool, depth: i32| if switch { depth } else { NEVER };
        let max_depth = |switch: bool, depth: i32| if switch { depth } else { i32::MIN };
        Self {
            params: *params,
            null_move_margin: Score::from_logit(params.null_move_margin),
            null_move_min_depth: min_depth(params.null_move, params.null_move_min_depth),
            futility_depth: max_depth(params.futility, params.futility_depth),
            futility_margin: Score::from_logit(params.futility_margin),
            lmr_min_depth: min_depth(params.lmr, params.lmr_min_depth),
            iid_min_depth: min_depth(params.iid, params.iid_min_depth),
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

    /// The reduction in plies (LMR) of a late move after `move_count` others.
    pub(super) fn lmr_reduction(&self, move_count: usize, depth: i32) -> i32 {
        let move_count = move_count as i32;
        if depth < self.lmr_min_depth || move_count < self.params.lmr_first_start {
            0
        } else if move_count < self.params.lmr_second_start {
            self.params.lmr_first_reduction
        } else {
            self.params.lmr_second_reduction
        }
    }

    /// The move count from which late moves are pruned at this depth (late move pruning).
    pub(super) fn late_moves_from(&self, depth: i32) -> usize {
        if self.params.late_pruning && depth <= self.params.late_pruning_depth {
            (self.params.late_pruning_start + self.params.late_pruning_growth * depth * depth).max(1) as usize
        } else {
            usize::MAX
        }
    }
}
