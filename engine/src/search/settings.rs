//! The parameters in the search's own units: margins as scores, depths and indices in the types the search compares.

use crate::{Params, Score};

/// The smallest depth of something that is switched off.
const NEVER: i32 = i32::MAX;

/// [`Params`], converted once per configuration.
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
    /// Infinite when nothing is hopeless.
    pub(super) quiescence_margin: Score,
    pub(super) reverse_futility_depth: i32,
    pub(super) reverse_futility_margin: Score,
}

impl Settings {
    pub(super) fn new(params: &Params) -> Self {
        let from = |switch: bool, depth: i32| if switch { depth } else { NEVER };
        let until = |switch: bool, depth: i32| if switch { depth } else { i32::MIN };
        Self {
            params: *params,
            null_move_margin: Score::from_logit(params.null_move_margin),
            null_move_min_depth: from(params.null_move, params.null_move_min_depth),
            futility_depth: until(params.futility, params.futility_depth),
            futility_margin: Score::from_logit(params.futility_margin),
            lmr_min_depth: from(params.lmr, params.lmr_min_depth),
            iid_min_depth: from(params.iid, params.iid_min_depth),
            check_extension: i32::from(params.check_extension),
            quiescence_margin: if params.quiescence_pruning {
                Score::from_logit(params.quiescence_margin)
            } else {
                Score::INFINITE + Score::INFINITE
            },
            optimism: Score::from_logit(params.optimism),
            reverse_futility_depth: until(params.reverse_futility, params.reverse_futility_depth),
            reverse_futility_margin: Score::from_logit(params.reverse_futility_margin),
        }
    }

    /// By how many plies the boring move at this place in the order is reduced.
    pub(super) fn late_reduction(&self, index: usize, depth: i32) -> i32 {
        let index = index as i32;
        if depth < self.lmr_min_depth || index < self.params.lmr_first_start {
            0
        } else if index < self.params.lmr_second_start {
            self.params.lmr_first_reduction
        } else {
            self.params.lmr_second_reduction
        }
    }

    /// Index from which boring moves are left out altogether.
    pub(super) fn late_from(&self, depth: i32) -> usize {
        if self.params.late_pruning && depth <= self.params.late_pruning_depth {
            (self.params.late_pruning_start + self.params.late_pruning_growth * depth * depth).max(1) as usize
        } else {
            usize::MAX
        }
    }
}
