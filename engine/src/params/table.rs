//! The engine's tunable numbers: the one place where a parameter is declared.
//!
//! Defaults and their sources: the margins, the reductions and the time allocation are those published by the author of
//! the 2026 tournament champion of 0.1, in the rounded form printed where there is one (null-move margin 0.1, tuned by
//! SPSA to 0.109828; futility margin 0.6, tuned to 0.608325; time decay 5%, tuned to 0.057433). Everything else is this
//! project's own choice. A real margin is in logit. What a number means to the search is said where it is used.

use super::parameters;

parameters! {
    null_move: switch = true; "Try passing first where the position looks good enough to afford it.";
    null_move_margin: real = 0.1, 0.0, 2.0, step 0.05; "Null move needs an evaluation this far above beta (logit; tuned by its authors to 0.109828).";
    null_move_min_depth: integer = 3, 1, 20, step 1; "Smallest remaining depth at which passing is tried.";
    null_move_reduction: integer = 3, 1, 10, step 1; "Plies by which the search after passing is shallower, the pass included.";

    futility: switch = true; "Leave out boring moves near the horizon when the evaluation is far below alpha.";
    futility_margin: real = 0.6, 0.0, 5.0, step 0.1; "How far below alpha that is, for each ply of remaining depth (logit; tuned by its authors to 0.608325).";
    futility_depth: integer = 1, 1, 10, step 1; "Largest remaining depth at which that is done, the margin growing with the depth.";

    lmr: switch = true; "Search late boring moves shallower first.";
    lmr_min_depth: integer = 2, 1, 20, step 1; "Smallest remaining depth at which late moves are reduced.";
    lmr_first_start: integer = 5, 1, 200, step 1; "Index of the first move reduced by the first amount.";
    lmr_first_reduction: integer = 1, 0, 10, step 1; "Plies by which moves from the first start on are reduced.";
    lmr_second_start: integer = 10, 1, 200, step 2; "Index of the first move reduced by the second amount.";
    lmr_second_reduction: integer = 2, 0, 10, step 1; "Plies by which moves from the second start on are reduced.";

    guarded_checks: switch = true; "Try checks on squares the enemy guards last, as boring moves.";
    late_pruning: switch = true; "Leave out the last boring moves near the horizon.";
    late_pruning_depth: integer = 3, 1, 20, step 1; "Largest remaining depth at which moves are left out.";
    late_pruning_start: integer = 2, 0, 200, step 2; "Moves tried in any case.";
    late_pruning_growth: integer = 1, 0, 50, step 1; "Further moves tried for each square of the remaining depth.";

    reverse_futility: switch = true; "Return where the evaluation is far above beta near the horizon.";
    reverse_futility_depth: integer = 3, 1, 20, step 1; "Largest remaining depth at which that is done.";
    reverse_futility_margin: real = 0.4, 0.0, 5.0, step 0.1; "How far above, for each ply of remaining depth (logit).";

    iid: switch = true; "Find a first move by a shallower search where the table has none.";
    iid_min_depth: integer = 4, 2, 20, step 1; "Smallest remaining depth of internal iterative deepening.";
    iid_reduction: integer = 2, 1, 10, step 1; "Plies by which that search is shallower.";

    check_extension: switch = true; "Search a position in check one ply deeper.";
    quiescence: switch = true; "Resolve captures and checks before evaluating at the horizon of the search.";
    quiescence_pruning: switch = true; "Resolve only checking captures where the evaluation is far below alpha.";
    quiescence_margin: real = 0.1, 0.0, 5.0, step 0.1; "How far below alpha that is (logit).";
    optimism: real = 0.1, 0.0, 1.0, step 0.05; "Added to the evaluation of the side the search plays for (logit), against early draws.";
    table: switch = true; "Remember searched positions in the transposition table.";
    killers: switch = true; "Try the boring moves that refuted a sibling early.";
    repetition: switch = true; "Score a position that occurred before as a draw.";
    horizon: switch = true; "Bound scores by what the plies left before the draw at ply 102 still allow.";

    setup_time_decay: real = 0.8, 0.0, 0.99, step 0.05; "Share by which later moves weigh less than the setup.";
    time_decay: real = 0.05, 0.0, 0.99, step 0.01; "Share by which each own move weighs less than the one before (tuned by its authors to 0.057433).";
    late_time_decay: real = 0.8, 0.0, 0.99, step 0.05; "The same after the last ply of normal decay.";
    late_time_ply: integer = 95, 2, 102, step 1; "Last ply of normal decay.";
    soft_time_fraction: real = 0.399_264, 0.01, 1.0, step 0.05; "No further root move is begun after this part of the move's time.";
    next_depth_fraction: real = 0.584_413, 0.01, 1.0, step 0.05; "No new depth is begun after this part of the move's time.";
    panic: switch = true; "Allow more time when the best score falls during an iteration.";
    panic_threshold: real = 0.038_722, 0.0, 5.0, step 0.02; "Fall of the best score that counts (logit).";
    panic_multiplier: real = 5.339_634, 1.0, 20.0, step 0.5; "Factor on the move's share of the time left.";
    panic_max_share: real = 0.402_908, 0.0, 1.0, step 0.05; "Largest share of the time left to which panic, or increments to come, may raise a share.";
}
