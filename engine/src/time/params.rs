//! The parameters of time management, all declared here.
//!
//! The weights of time allocation are those published by the author of the 2026 tournament champion of 0.1, in the
//! rounded form if it was printed (`time_decay`: 5%, tuned to 0.057433). All others are this project's own, tested or
//! tuned by its own runs (`docs/measurements/engine-log.md`).

use crate::params::parameters;

parameters! {
    /// How the time left is divided among moves.
    TimeParams {
        setup_time_decay: real = 0.8, 0.0, 0.99, step 0.05; "Time management: share by which the next move weighs less \
            than the setup in dividing up the time left.";
        time_decay: real = 0.06, 0.0, 0.99, step 0.01; "Time management: share by which each own move weighs less than \
            the one before in dividing up the time left (the champion's tuned value is 0.057433).";
        late_time_decay: real = 0.8, 0.0, 0.99, step 0.05; "Time management: share by which each own move after ply \
            `late_time_ply` weighs less than the one before in dividing up the time left.";
        late_time_ply: integer = 95, 2, 102, step 1; "Time management: last ply to which `time_decay` applies; \
            `late_time_decay` applies to later ones.";
        soft_time_fraction: real = 0.7, 0.01, 1.0, step 0.05; "Time management: no further root move is started after \
            this fraction of the move's time.";
        next_depth_fraction: real = 0.65, 0.01, 1.0, step 0.05; "Time management: no new iteration is started after \
            this fraction of the move's time.";
        hard_time_factor: real = 2.0, 1.0, 20.0, step 0.5; "Time management: a move takes at most this times its share \
            of the time left, and not more than the share of `panic_max_share` for it.";
        time_effort: real = 1.0, 0.0, 4.0, step 0.1; "Time management: time is multiplied by 1 + this x (half - the \
            share of nodes that the best move took).";
        time_stability: real = 0.35, 0.0, 2.0, step 0.05; "Time management: time is multiplied by 1 + this x (1 - half \
            the depths for which the best move has been the same), which count 4 at most.";
        panic: switch = true; "Panic time: allow a move more time when the best score falls during an iteration.";
        panic_threshold: real = 0.038_722, 0.0, 5.0, step 0.02; "Fall of the best score from which a move gets panic \
            time (logit).";
        panic_multiplier: real = 5.339_634, 1.0, 20.0, step 0.5; "Factor by which panic time multiplies the move's \
            share of the time left.";
        panic_max_share: real = 0.402_908, 0.0, 1.0, step 0.05; "Largest share of the time left to which panic time, \
            or increments to come, may raise a move's share.";
    }
}
