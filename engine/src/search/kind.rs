//! Kinds of search: the entries of the list.

use super::budget::Budget;
use super::{EngineConfig, Search, SEARCHES};
use crate::{ParamInfo, Params};
use std::fmt;
use std::str::FromStr;

/// An entry of the list of searches.
pub(super) struct SearchInfo {
    /// The name used in configurations and on the command line.
    pub(super) name: &'static str,
    /// The budget per position in the bench that identifies a build.
    pub(super) bench: Budget,
    /// The maximum memory in this bench, in bytes.
    pub(super) bench_bytes: usize,
    /// The parameters that only this search has.
    pub(super) params: &'static [ParamInfo],
    /// Whether the search reports its work on root moves as visits of a tree.
    pub(super) has_visits: bool,
    /// Makes a search.
    pub(super) start: fn(&EngineConfig) -> Box<dyn Search>,
}

/// A kind of search. Each line of the list is one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchKind(usize);

impl SearchKind {
    /// All kinds, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SEARCHES.len()).map(Self)
    }

    /// The name used in configurations and on the command line.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// All names for a message: `a`, `b` or `c`, in backticks.
    pub fn names() -> String {
        crate::eval::listed(SEARCHES.iter().map(|info| info.name), "or")
    }

    /// The budget per position in the bench that identifies a build.
    pub fn bench_budget(self) -> Budget {
        self.info().bench
    }

    /// The maximum memory in this bench, in bytes.
    pub(crate) fn bench_bytes(self) -> usize {
        self.info().bench_bytes
    }

    /// Whether a parameter can affect this search: every parameter except those that only another search has.
    pub fn has(self, info: &ParamInfo) -> bool {
        let of = |search: &SearchInfo| search.params.iter().any(|own| own.name == info.name);
        of(self.info()) || !SEARCHES.iter().any(of)
    }

    /// Whether [`RootMove::nodes`](super::RootMove::nodes) are visits of a tree: their shares tell how good moves are.
    pub fn has_visits(self) -> bool {
        self.info().has_visits
    }

    pub(super) fn start(self, config: &EngineConfig) -> Box<dyn Search> {
        (self.info().start)(config)
    }

    fn info(self) -> &'static SearchInfo {
        &SEARCHES[self.0]
    }
}

impl Params {
    /// A hash of the parameter table of a search: names, kinds, defaults, ranges and steps, in order (FNV-1a, 64 bits).
    ///
    /// It distinguishes runs with different tables. Descriptions are not part of it, and neither are parameters that
    /// only another search has.
    pub fn table_hash(search: SearchKind) -> u64 {
        Self::hash_of(|info| search.has(info))
    }
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no search of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSearchError(String);

impl fmt::Display for ParseSearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown search `{}`: expected {}", self.0, SearchKind::names())
    }
}

impl std::error::Error for ParseSearchError {}

impl FromStr for SearchKind {
    type Err = ParseSearchError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all().find(|kind| kind.name() == text).ok_or_else(|| ParseSearchError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::SearchKind;
    use crate::{bench, bench_positions, Budget, Engine, EngineConfig, NeverStop, NoClock, SearchRequest};
    use std::num::NonZeroUsize;

    fn config(search: &str) -> EngineConfig {
        EngineConfig { search: search.parse().unwrap(), table_bytes: 1 << 16, ..EngineConfig::default() }
    }

    #[test]
    fn names_are_read_back_and_others_refused() {
        for kind in SearchKind::all() {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!(SearchKind::default().name(), "alpha-beta");
        let refused = "minimax".parse::<SearchKind>().unwrap_err().to_string();
        assert!(refused.starts_with("unknown search `minimax`: expected `alpha-beta`"), "{refused}");
    }

    #[test]
    fn an_engine_is_whichever_search_its_configuration_names() {
        let position = bench_positions().nth(3).unwrap();
        let mut engine = Engine::new(&config("alpha-beta"));
        engine.set_seed(7);
        let nodes = |engine: &mut Engine| {
            engine
                .search(&position, &[], &Budget::Nodes(200), &NeverStop, &NoClock)
                .map(|found| (found.best, found.nodes))
        };
        let strong = nodes(&mut engine);
        engine.configure(&config("first-move"));
        let mut other = Engine::new(&config("first-move"));
        other.set_seed(7);
        // The second move follows from the seed, which the engine keeps when its search changes.
        assert_eq!([nodes(&mut engine), nodes(&mut engine)], [nodes(&mut other), nodes(&mut other)]);
        engine.configure(&config("alpha-beta"));
        assert_eq!(nodes(&mut engine), strong);
    }

    #[test]
    fn each_search_can_use_several_threads_within_its_limits() {
        for kind in SearchKind::all() {
            let mut config = config(kind.name());
            config.threads = NonZeroUsize::new(3).unwrap();
            let mut engine = Engine::new(&config);
            for position in bench_positions().take(3) {
                let found = engine.search(&position, &[], &Budget::Nodes(2_000), &NeverStop, &NoClock).unwrap();
                assert!(position.is_legal(found.best), "{kind}");
                assert!(found.nodes <= 2_000 + 3 * 256, "{kind}: {}", found.nodes);
            }
            config.threads = NonZeroUsize::MIN;
            engine.configure(&config);
            let mut nodes = || {
                engine.new_game();
                let position = bench_positions().next().unwrap();
                engine.search(&position, &[], &Budget::Nodes(500), &NeverStop, &NoClock)
            };
            assert_eq!(nodes(), nodes(), "{kind}: one thread is reproducible");
        }
    }

    #[test]
    fn each_search_has_a_bench_and_shows_the_moves_of_the_root() {
        for kind in SearchKind::all() {
            let config = config(kind.name());
            let found = bench(&config, kind.bench_budget());
            assert_eq!(found.positions, bench_positions().count(), "{kind}");
            assert!(found.nodes >= 120, "{kind}: {}", found.nodes);
            let position = bench_positions().next().unwrap();
            let (mut shown, budgets) = (0, [kind.bench_budget()]);
            let request = SearchRequest {
                position: &position,
                history: &[],
                budgets: &budgets,
                stop: &NeverStop,
                timer: &NoClock,
            };
            let last = Engine::new(&config).search_with_progress(&request, &mut |progress| {
                shown += 1;
                assert!(progress.moves.iter().any(|root| root.mv == progress.result.best), "{kind}");
                assert!(progress.moves.iter().map(|root| root.nodes).sum::<u64>() <= progress.result.nodes, "{kind}");
            });
            assert!(last.is_some() && shown > 0, "{kind}");
        }
    }
}
