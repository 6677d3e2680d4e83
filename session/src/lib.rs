//! Sessions: what makes runs, works on them, watches and steers them.
//!
//! It owns typed plans of runs and the way from a plan to an experiment. It prints nothing: whoever shows a run reads events, and
//! whoever steers it sends commands. What plays and what is stored belongs to `arena`, how values are tuned to `tuner`.

pub mod jobs;
pub mod plan;
