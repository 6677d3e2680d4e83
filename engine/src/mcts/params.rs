//! The parameters of the tree search, all declared here, and named sets of values.
//!
//! Values lie between 0 (lost) and 1 (won), so that the exploration constants of papers with values from -1 to 1 are
//! halved here.

use crate::params::{parameters, Group};

parameters! {
    /// How the tree search selects, expands and chooses moves.
    MctsParams {
        mcts_cpuct: real = 0.54, 0.05, 5.0, step 0.1; "Tree search: weight of exploration (cpuct), for values from 0 \
            to 1.";
        mcts_root_cpuct: real = 1.35, 0.25, 4.0, step 0.1; "Tree search: factor of exploration at the root.";
        mcts_growth: switch = true; "Tree search: exploration grows with the visits of a node.";
        mcts_growth_weight: real = 0.5, 0.0, 5.0, step 0.1; "Growth of exploration: weight of ln((visits + base + 1) / \
            base), which is added to cpuct.";
        mcts_growth_base: integer = 19_652, 100, 200_000, step 2000; "Growth of exploration: the base, in visits.";
        mcts_spread: switch = false; "Tree search: explore more where the values of a node differ much, less where \
            they do not.";
        mcts_spread_weight: real = 0.8, 0.0, 2.0, step 0.1; "Spread of values: its weight in the factor of \
            exploration.";
        mcts_spread_usual: real = 0.2, 0.01, 1.0, step 0.02; "Spread of values: the standard deviation at which the \
            factor is 1.";
        mcts_fpu: switch = true; "First-play urgency: a move that has not been visited is worth what its parent is, \
            less a reduction. Without it, it counts as lost.";
        mcts_fpu_reduction: real = 0.08, 0.0, 1.0, step 0.05; "First-play urgency: the reduction is this x the \
            square root of the prior that has been visited.";
        mcts_temperature: real = 1.65, 0.3, 4.0, step 0.1; "Tree search: temperature of the priors; above 1 they \
            become more alike.";
        mcts_root_temperature: real = 1.0, 0.3, 4.0, step 0.1; "Tree search: factor of the temperature at the root.";
        mcts_u_divisor: switch = false; "Tree search: the divisor of exploration is u + visits, where u falls with the \
            parent's visits. Without it, u is 1.";
        mcts_u_init: real = 1.0, 0.05, 4.0, step 0.1; "Divisor of exploration: u of a node without visits.";
        mcts_u_min: real = 0.25, 0.05, 4.0, step 0.05; "Divisor of exploration: u after many visits.";
        mcts_u_base: integer = 1965, 10, 200_000, step 200; "Divisor of exploration: after this many visits, u has \
            done 63% of its way.";
        mcts_checks: switch = false; "Tree search: moves that give check get a larger prior.";
        mcts_check_threshold: real = 0.1, 0.0, 1.0, step 0.02; "Checks: only priors below this are raised.";
        mcts_check_factor: real = 0.5, 0.0, 1.0, step 0.05; "Checks: the share of the largest prior that is added.";
        mcts_expansion: integer = 2, 2, 16, step 1; "Tree search: the visit at which a node gets its moves. The first \
            visit evaluates it.";
        mcts_solver: switch = true; "Tree search: results that are proven prove those of their parents.";
        mcts_corrections: switch = false; "Proven results: they also correct the values that nodes above have counted. \
            Without it, later visits do.";
        mcts_reuse: switch = true; "Tree search: keep what the last search found out about the position now to be \
            searched.";
        mcts_quiescence: integer = 4, 0, 16, step 1; "Tree search: plies of captures that are tried before a leaf is \
            evaluated.";
        mcts_evasions: switch = true; "Captures before a leaf is evaluated: a side in check tries all evasions, and \
            cannot stand pat. It has no effect if `mcts_quiescence` is 0.";
        mcts_mates: switch = true; "Tree search: a new position is searched for a check that no move answers, which \
            proves it to be won.";
        mcts_repetition: switch = true; "Tree search: a position that repeats one of its line counts as a draw.";
        mcts_policy: switch = true; "Tree search: priors come from a policy, if there is one for the network that \
            evaluates.";
        mcts_exchange_prior: real = 2.0, 0.0, 10.0, step 0.5; "Without a policy: how much the logit of a move's prior \
            grows with what it wins by exchanges (per logit of value).";
        mcts_check_prior: real = 2.0, 0.0, 10.0, step 0.5; "Without a policy: what is added to the logit of the \
            prior of a move that gives check.";
        mcts_q_choice: switch = true; "Choice of the move: by visits and value. Without it, by visits alone.";
        mcts_q_weight: real = 0.7, 0.0, 1.0, step 0.1; "Choice of the move: weight of the value.";
        mcts_q_threshold_init: real = 0.5, 0.0, 1.0, step 0.05; "Choice of the move: the value counts only for moves \
            with this share of the most visits, at first.";
        mcts_q_threshold_max: real = 0.9, 0.0, 1.0, step 0.05; "Choice of the move: that share after many visits.";
        mcts_q_threshold_base: integer = 1965, 10, 200_000, step 200; "Choice of the move: after this many visits, \
            that share has done 63% of its way.";
        mcts_pv_min: integer = 0, 0, 16, step 1; "Choice of the move by value: a move is worth no more than its \
            variation is after this many plies; 0 for its own value.";
        mcts_easy: switch = true; "Time of the tree search: end early if the best move has a large share of the \
            visits.";
        mcts_easy_share: real = 0.9, 0.5, 1.0, step 0.05; "Easy moves: that share.";
        mcts_easy_time: real = 0.5, 0.0, 1.0, step 0.1; "Easy moves: the part of the move's time that is used before.";
        mcts_critical: switch = true; "Time of the tree search: panic time where the value falls below that of the \
            last move.";
        mcts_critical_fall: real = 0.1, 0.0, 1.0, step 0.05; "Critical moves: the fall of the value from which they \
            are critical.";
        mcts_centipawns: switch = false; "Scores of the tree search: centipawns by the formula of CrazyAra. Without \
            it, logits.";
        mcts_centipawn_base: real = 1.2, 1.01, 4.0, step 0.05; "Centipawns: the base of the logarithm.";
    }
}

/// A named set of values of [`MctsParams`]: all that its source gives, and those of parts that it does not have. The
/// others are the defaults.
struct Preset {
    name: &'static str,
    values: &'static [(&'static str, f64)],
}

/// All presets.
const PRESETS: &[Preset] = &[
    // The paper's settings for play. Its values lie between -1 and 1, so its cpuct of 2.5 is 1.25 here, the logarithm
    // has half its weight, and the fall of 0.1 that makes a move critical is 0.05. It searches no captures at leaves,
    // and proves nothing.
    Preset {
        name: "crazyara",
        values: &[
            ("mcts_cpuct", 1.25),
            ("mcts_root_cpuct", 1.0),
            ("mcts_growth", 1.0),
            ("mcts_growth_weight", 0.5),
            ("mcts_growth_base", 19_652.0),
            ("mcts_fpu", 0.0),
            ("mcts_temperature", 1.0),
            ("mcts_u_divisor", 1.0),
            ("mcts_u_init", 1.0),
            ("mcts_u_min", 0.25),
            ("mcts_u_base", 1965.0),
            ("mcts_checks", 1.0),
            ("mcts_solver", 0.0),
            ("mcts_quiescence", 0.0),
            ("mcts_mates", 0.0),
            ("mcts_q_choice", 1.0),
            ("mcts_q_weight", 0.7),
            ("mcts_q_threshold_init", 0.5),
            ("mcts_q_threshold_max", 0.9),
            ("mcts_q_threshold_base", 1965.0),
            ("mcts_pv_min", 5.0),
            ("mcts_critical_fall", 0.05),
            ("mcts_centipawns", 1.0),
        ],
    },
];

impl MctsParams {
    /// The values of a preset; `None` if there is none with this name.
    pub fn preset(name: &str) -> Option<Self> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        let mut params = Self::default();
        let all_set = preset.values.iter().all(|&(name, value)| params.set(name, value));
        debug_assert!(all_set, "a preset has the names of parameters");
        Some(params)
    }

    /// The names of all presets for a message, in backticks.
    pub fn preset_names() -> String {
        crate::eval::listed(PRESETS.iter().map(|preset| preset.name), "or")
    }
}

#[cfg(test)]
mod tests {
    use super::{MctsParams, PRESETS};
    use crate::params::{Group, ParamInfo};

    #[test]
    fn presets_have_values_that_parameters_can_have() {
        for preset in PRESETS {
            let params = MctsParams::preset(preset.name).unwrap();
            for &(name, value) in preset.values {
                assert_eq!(ParamInfo::find(name).map(|info| info.check(value)), Some(Ok(())), "{name}");
                assert_eq!(params.get(name), Some(value), "{name}");
            }
        }
        assert_eq!(MctsParams::preset("alphazero"), None);
        assert_eq!(MctsParams::preset_names(), "`crazyara`");
    }
}
