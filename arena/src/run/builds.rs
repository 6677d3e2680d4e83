//! Build ids: what the players of a run are, so that a resumed run is known to be the same.

use super::journal::{BuildId, Header};
use crate::config::RunConfig;
use crate::entrant::PlayerSpec;
use engine::{BENCH_DEPTH, EngineConfig, EvaluationKind, Params, bench};

/// The identity of a run that starts or goes on now, with this build of the engine.
pub fn run_header(config: &RunConfig) -> Header {
    let builds = config.entrants.iter().map(|entrant| match &entrant.player {
        PlayerSpec::Native(native) => native_build(native.evaluation),
        PlayerSpec::Random => BuildId::Random,
    });
    Header { builds: builds.collect(), config: config.clone() }
}

/// With the default parameters: those of the entrant are part of the configuration already.
fn native_build(evaluation: EvaluationKind) -> BuildId {
    let nodes = bench(&EngineConfig { evaluation, ..EngineConfig::default() }, BENCH_DEPTH).nodes;
    BuildId::Native { bench: nodes, params: format!("{:016x}", Params::table_hash()) }
}
