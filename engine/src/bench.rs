//! The signature of the search: how many nodes it takes for fixed positions to a fixed depth.
//!
//! Two builds that agree on it almost certainly play alike; any change of move generation, evaluation, ordering or
//! pruning shows. Deterministic, one thread, no clock: who wants nodes per second takes the time around it.

use crate::{Budget, Engine, EngineConfig, Position, Search, Timeless, Unstopped};

/// Positions of one game's typical course, from the opening to a crowded board with full hands.
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

/// The depth of the quick signature that identifies a build: a third of a million nodes.
pub const BENCH_DEPTH: u8 = 6;

/// What a bench did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// All nodes: the signature.
    pub nodes: u64,
    /// How many positions were searched.
    pub positions: usize,
}

/// Searches the fixed positions to `depth` plies, each as a new game of an engine of this configuration. The size of the
/// table is part of what is measured.
pub fn bench(config: &EngineConfig, depth: u8) -> BenchResult {
    let mut engine = Engine::new(config);
    let mut result = BenchResult { nodes: 0, positions: 0 };
    for position in positions() {
        engine.new_game();
        if let Some(report) = engine.search(&position, &[], &Budget::Depth(depth), &Unstopped, &Timeless) {
            result.nodes += report.nodes;
            result.positions += 1;
        }
    }
    result
}

/// The fixed positions.
pub fn positions() -> impl Iterator<Item = Position> {
    POSITIONS.iter().filter_map(|text| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{bench, positions, BENCH_DEPTH, POSITIONS};
    use crate::{EngineConfig, EvaluationKind, Params};

    #[test]
    fn every_position_is_searched() {
        assert_eq!(positions().count(), POSITIONS.len());
        assert_eq!(bench(&EngineConfig::default(), 2).positions, POSITIONS.len());
    }

    /// The same on every platform and at every optimisation level. A change of the search on purpose changes the number.
    #[test]
    fn the_signature_is_the_one_on_record() {
        let config = EngineConfig { table_bytes: 1 << 20, ..EngineConfig::default() };
        assert_eq!(bench(&config, BENCH_DEPTH).nodes, 296_167);
    }

    #[test]
    fn the_signature_is_the_same_each_time_and_depends_on_what_is_searched() {
        let config = EngineConfig { table_bytes: 1 << 20, ..EngineConfig::default() };
        let signature = bench(&config, 4);
        assert_eq!(bench(&config, 4), signature);
        let material = EngineConfig { evaluation: EvaluationKind::Material, ..config };
        assert_ne!(bench(&material, 4), signature);
        let without = EngineConfig { params: Params { lmr: false, ..config.params }, ..config };
        assert_ne!(bench(&without, 4), signature);
    }
}
