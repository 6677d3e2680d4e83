//! The parameters of the `CodeCup` protocol, all declared here.

use crate::params::parameters;

parameters! {
    /// How much of the time of a `CodeCup` game is held back.
    CodecupParams {
        codecup_reserve: real = 0.5, 0.0, 30.0, step 0.1; "CodeCup: time kept back for delays that only the referee \
            measures (s); 1/30 of the game's time at most.";
        codecup_overhead: real = 0.02, 0.0, 1.0, step 0.005; "CodeCup: what the referee's own work is taken to cost \
            for each move (s); 1/1,500 of the game's time at most.";
    }
}
