//! The bench: the number of nodes needed to search fixed positions within a fixed budget, which is the signature of a
//! build.
//!
//! Two builds with the same signature almost certainly play the same moves: any change of move generation, evaluation,
//! move ordering or pruning changes it. Deterministic with one thread, no clock; callers measure the speed themselves.

use crate::{Budget, Engine, EngineConfig, NeverStop, NoClock, Position};

/// Positions from the opening to the late game, with empty and full hands.
const POSITIONS: [&str; 12] = [
    "AFADDW.D/.AADAFAA/..N.A.../......../....n.../......../aa.wafda/adddaaaf - r 6",
    "D.FNAAA./ADAFAD.W/.......D/....A.../.....a../...a..d./nfd.afa./d.adaw.a Aa r 10",
    "..DDDF.D/AW.AFANA/..AA..../......../..A...../d.n.afa./.faa.aaa/.a.d.d.w Da r 14",
    "AAFD..AD/.ADNW..A/..A....F/.......a/.A..a.../....d.../aaaffd.d/da.aw... ANad r 18",
    ".NAFW.AA/ADF.D.AD/..A...../...D..../..a.Aa.N/.....f../.a.aaf.w/d.dd.da. AAa r 22",
    ".WD.A.A./.FFAAAA./..ND...A/.......D/A.a...dd/..adA.../.f.dad.w/nafaaa.. - r 26",
    "..W.AAAA/..F.D.D./...AA.F./..AA..../..f...../...a..../..dd.a.a/awanfad. ADDadn r 30",
    "F..AA.WN/AF..A..D/..DAA.../...D..../...aa.Dn/.Faa.a../..d....f/w.a..dd. AAaad r 34",
    "..ADAA.W/...f.AdA/.DA..AD./...N..../.....a../.a.aaf../..da..d./f.a.aaw. ADNdf r 38",
    ".aa.W.../A.AAAAFD/.d...DD./N......./.fD.A.../...aa.../...f...a/w.dadn.. AFaaad r 44",
    "W....AA./.NDa.AA./FD..Da../....D.../..d..F../.....a../.A.af.ad/...adadw AANaaf r 50",
    ".WDD..FF/....A.../.DAA...a/..Ada.../..aAA.../.n....w./..aD..../f.....df AAaaaaddn r 60",
];

/// The result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Nodes of all searches together: the signature.
    pub nodes: u64,
    /// Positions searched.
    pub positions: usize,
}

/// The signature: the bench with the budget that the configured search has for it.
pub fn signature(config: &EngineConfig) -> BenchResult {
    bench(config, config.search.bench_budget())
}

/// Searches the bench positions, each within this budget and in a new game of an engine with this configuration. The
/// node count also depends on the size of the table; a tree has at most half a MiB.
pub fn bench(config: &EngineConfig, budget: Budget) -> BenchResult {
    let table_bytes = config.table_bytes.min(config.search.bench_bytes());
    let mut engine = Engine::new(&EngineConfig { table_bytes, ..config.clone() });
    let mut result = BenchResult { nodes: 0, positions: 0 };
    for position in positions() {
        engine.new_game();
        if let Some(found) = engine.search(&position, &[], &budget, &NeverStop, &NoClock) {
            result.nodes += found.nodes;
            result.positions += 1;
        }
    }
    result
}

/// The bench positions.
pub fn positions() -> impl Iterator<Item = Position> {
    POSITIONS.iter().filter_map(|text| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{bench, positions, signature, POSITIONS};
    use crate::params::AlphaBetaParams;
    use crate::{Budget, EngineConfig, EvaluationKind, Params};

    fn without_lmr(params: &Params) -> Params {
        Params { alpha_beta: AlphaBetaParams { lmr: false, ..params.alpha_beta }, ..*params }
    }

    #[test]
    fn every_position_is_searched() {
        assert_eq!(positions().count(), POSITIONS.len());
        assert_eq!(bench(&EngineConfig::default(), Budget::Depth(2)).positions, POSITIONS.len());
    }

    /// The number is the same on every platform and at every optimisation level. An intended change of the search
    /// changes it.
    #[test]
    fn the_signature_has_not_changed() {
        let config = EngineConfig { table_bytes: 1 << 20, ..EngineConfig::default() };
        assert_eq!(signature(&config).nodes, 131_826);
    }

    #[test]
    fn the_signature_of_the_tree_search_has_not_changed() {
        let config = EngineConfig { search: "mcts".parse().unwrap(), table_bytes: 1 << 20, ..EngineConfig::default() };
        assert_eq!(signature(&config).nodes, 7_830);
    }

    /// The table is part of a run's identity, as the signature is. An intended change of a parameter's name, kind,
    /// default, range, step or place changes the number.
    #[test]
    fn the_table_of_parameters_has_not_changed() {
        let hash = |search: &str| format!("{:016x}", Params::table_hash(search.parse().unwrap()));
        assert_eq!(hash("alpha-beta"), "03a3d71832d99309");
        assert_eq!(hash("mcts"), "5ceb728f30fb11cf");
        // Parameters of one search do not affect the hashes of others.
        assert_ne!(hash("alpha-beta"), hash("mcts"));
    }

    #[test]
    fn the_signature_is_reproducible_and_depends_on_the_configuration() {
        let config = EngineConfig { table_bytes: 1 << 20, ..EngineConfig::default() };
        let depth = Budget::Depth(4);
        let signature = bench(&config, depth);
        assert_eq!(bench(&config, depth), signature);
        let material = EngineConfig { evaluation: EvaluationKind::Material.into(), ..config.clone() };
        assert_ne!(bench(&material, depth), signature);
        let without = EngineConfig { params: without_lmr(&config.params), ..config.clone() };
        assert_ne!(bench(&without, depth), signature);
    }
}
