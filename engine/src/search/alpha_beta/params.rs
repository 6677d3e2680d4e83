//! The parameters of alpha-beta, all declared here.
//!
//! Sources of the defaults: the steps of reductions are those published by the author of the 2026 tournament champion
//! of 0.1. All others are this project's own, tested or tuned by its own runs (`docs/measurements/engine-log.md`).
//! Margins are in logit. A late quiet move is not a capture, killer or TT move, and not a check on an unguarded square.

use crate::params::parameters;

parameters! {
    /// What alpha-beta does at its nodes.
    AlphaBetaParams {
        null_move: switch = true; "Null-move pruning: give the opponent a free move, and prune the node if its score \
            still reaches beta.";
        null_move_margin: real = 0.62, 0.0, 2.0, step 0.05; "Null-move pruning is tried only if the static evaluation \
            exceeds beta by more than this (logit; the champion's tuned value is 0.109828).";
        null_move_min_depth: integer = 3, 1, 20, step 1; "Smallest remaining depth, in plies, at which null-move \
            pruning is tried.";
        null_move_reduction: integer = 3, 1, 10, step 1; "Plies by which the remaining depth is reduced for the search \
            after a null move, the null move itself included.";

        futility: switch = true; "Futility pruning: skip late quiet moves at low depth when the static evaluation is \
            far below alpha.";
        futility_margin: real = 0.0, 0.0, 5.0, step 0.1; "Futility pruning needs a static evaluation this far below \
            alpha for each ply of remaining depth (logit; the champion's tuned value is 0.608325).";
        futility_depth: integer = 1, 1, 10, step 1; "Largest remaining depth, in plies, at which futility pruning is \
            used.";

        lmr: switch = true; "Late move reductions (LMR): search late quiet moves to a reduced depth first, and again \
            to full depth if they raise alpha.";
        lmr_min_depth: integer = 2, 1, 20, step 1; "Smallest remaining depth, in plies, at which late move reductions \
            are used.";
        lmr_first_start: integer = 5, 1, 200, step 1; "Number of moves searched before late quiet moves get the first \
            reduction.";
        lmr_first_reduction: integer = 1, 0, 10, step 1; "First late move reduction, in plies.";
        lmr_second_start: integer = 10, 1, 200, step 2; "Number of moves searched before late quiet moves get the \
            second reduction instead of the first.";
        lmr_second_reduction: integer = 2, 0, 10, step 1; "Second late move reduction, in plies.";

        lmr_logarithmic: switch = true; "Late move reductions: reduce by `lmr_base` + `lmr_factor` x ln(depth) x \
            ln(moves searched), changed by history, instead of by one of two steps.";
        lmr_base: real = 0.78, -2.0, 4.0, step 0.1; "Logarithmic late move reductions: what is always added, in plies.";
        lmr_factor: real = 0.58, 0.0, 3.0, step 0.05; "Logarithmic late move reductions: factor of ln(depth) x \
            ln(moves searched), in plies.";
        lmr_history: real = 2.77, 0.0, 8.0, step 0.1; "Logarithmic late move reductions: plies less for the best \
            history, plies more for the worst.";
        lmr_improving: real = 0.65, 0.0, 4.0, step 0.1; "Logarithmic late move reductions: plies more where the static \
            evaluation has not risen since the side's last move.";
        lmr_pv: real = 0.33, 0.0, 4.0, step 0.1; "Logarithmic late move reductions: plies less in the principal \
            variation.";
        root_reductions: switch = true; "Reduce late quiet moves at the root, too, and order root moves by the nodes \
            that they took.";

        guarded_checks: switch = true; "Order checks on squares that the enemy guards behind other checks, and reduce \
            and prune them like late quiet moves.";
        late_pruning: switch = true; "Late move pruning: skip late quiet moves at low depth once enough moves have \
            been searched.";
        late_pruning_depth: integer = 8, 1, 20, step 1; "Largest remaining depth, in plies, at which late move pruning \
            is used.";
        late_pruning_start: integer = 0, 0, 200, step 2; "Moves searched before late move pruning, apart from those \
            that `late_pruning_growth` adds with depth.";
        late_pruning_growth: integer = 1, 0, 50, step 1; "Moves searched before late move pruning: this, times the \
            square of the remaining depth, is added to `late_pruning_start`.";
        late_pruning_improving: real = 1.5, 0.5, 5.0, step 0.1; "Late move pruning: factor of the moves searched \
            before it where the static evaluation has risen since the side's last move.";

        reverse_futility: switch = true; "Reverse futility pruning: prune a node at low depth if its static evaluation \
            is far above beta.";
        reverse_futility_depth: integer = 3, 1, 20, step 1; "Largest remaining depth, in plies, at which reverse \
            futility pruning is used.";
        reverse_futility_margin: real = 0.19, 0.0, 5.0, step 0.1; "Reverse futility pruning needs a static evaluation \
            this far above beta for each ply of remaining depth (logit).";

        iid: switch = true; "Internal iterative deepening (IID): if the transposition table has no move for a node, \
            find one with a shallower search.";
        iid_min_depth: integer = 4, 2, 20, step 1; "Smallest remaining depth, in plies, at which internal iterative \
            deepening is used.";
        iid_reduction: integer = 2, 1, 10, step 1; "Plies by which the search of internal iterative deepening is \
            shallower.";

        iir: switch = true; "Internal iterative reduction (IIR): if the transposition table has no move for a node, \
            search it one ply less deep; replaces `iid`.";
        iir_min_depth: integer = 4, 2, 20, step 1; "Smallest remaining depth, in plies, at which internal iterative \
            reduction is used.";
        aspiration: switch = true; "Aspiration windows: search the root with a narrow window about the last score \
            first.";
        aspiration_margin: real = 0.11, 0.01, 3.0, step 0.05; "Aspiration windows: half their first width (logit); \
            each failure doubles it.";
        exchange: switch = true; "Exchange evaluation (SEE): try captures that lose material last.";
        quiescence_exchange: switch = true; "Exchange evaluation in quiescence search: leave out captures that lose \
            material.";

        check_extension: switch = true; "Check extension: search positions in check one ply deeper.";
        quiescence: switch = true; "Quiescence search: at depth 0, search captures and check evasions before \
            evaluating.";
        quiescence_table: switch = true; "Quiescence search: use the transposition table there, too.";
        quiescence_pruning: switch = true; "Delta pruning: in quiescence search, try only checking captures if the \
            static evaluation is far below alpha.";
        quiescence_margin: real = 1.04, 0.0, 5.0, step 0.1; "Delta pruning in quiescence search needs a static \
            evaluation this far below alpha (logit).";
        quiescence_checks: integer = 3, 0, 20, step 1; "Quiescence search: plies at its start that try unguarded \
            checks, too, beside captures.";
        correction: switch = true; "Correction history: shift static evaluations by what searches of like positions \
            found them wrong by.";
        correction_weight: real = 0.24, 0.0, 2.0, step 0.05; "Correction history: the share of what was found that is \
            believed.";
        optimism: real = 0.1, 0.0, 1.0, step 0.05; "Added to the static evaluation for the side to move at the root, \
            and subtracted for its opponent, to avoid early draws (logit).";
        table: switch = true; "Use the transposition table.";
        killers: switch = true; "Killer moves: try quiet moves that caused a cutoff in a sibling node before other \
            quiet moves.";
        history: switch = true; "Order quiet moves by what they and their kind were worth in this game so far (history \
            with gravity, continuation history).";
        evasion_history: switch = true; "With `history`: order jumps of the wazir out of check by their history, too.";
        history_bonus: integer = 200, 1, 4000, step 20; "History: what a quiet move that causes a cutoff gains for \
            each ply of remaining depth, in units of which 16,384 is the limit.";
        history_most: integer = 1600, 1, 16384, step 100; "History: the most that a quiet move gains at once.";
        history_weight: real = 0.61, 0.0, 8.0, step 0.2; "History: weight of a move's own history in the order of \
            quiet moves.";
        reply_weight: real = 0.65, 0.0, 8.0, step 0.2; "History: weight of its history as an answer to the move before \
            it.";
        danger_worth: integer = 11900, 0, 60000, step 500; "What the loss of a piece is worth in the order of quiet \
            moves.";
        quiet_safety: switch = true; "With `history`: order quiet moves last that put a piece where it is captured, \
            first those that save one.";
        repetition: switch = true; "Score a repeated position as a draw.";
        horizon: switch = true; "Limit scores to what is still possible before the draw by the ply limit (ply 102), as \
            in mate distance pruning.";
    }
}
