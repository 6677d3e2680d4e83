//! A test search beside alpha-beta: it plays the first legal move, and later moves at random by its seed.
//!
//! It stands in for other kinds of search: code that works with it works with another search.

use super::budget::Budget;
use super::kind::SearchInfo;
use super::limits::Limits;
use super::result::{Progress, RootMove, SearchResult};
use super::{immediate, EngineConfig, Search, SearchRequest};
use crate::book::mix;
use crate::{MoveList, Score};

pub(super) const INFO: SearchInfo = SearchInfo {
    name: "first-move",
    bench: Budget::Nodes(10),
    bench_bytes: usize::MAX,
    params: &[],
    has_visits: false,
    start: |_| Box::<FirstMove>::default(),
};

/// The number of moves it has made in this game decides the next one.
#[derive(Debug, Default)]
struct FirstMove {
    seed: u64,
    searches: u64,
}

impl Search for FirstMove {
    fn configure(&mut self, _config: &EngineConfig) {
        self.new_game();
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn new_game(&mut self) {
        self.searches = 0;
    }

    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Option<SearchResult> {
        let mut moves = MoveList::new();
        request.position.legal_moves(&mut moves);
        let chosen = match self.searches {
            0 => 0,
            searches => mix(self.seed ^ searches) % moves.len().max(1) as u64,
        };
        self.searches += 1;
        let best = *moves.get(chosen as usize)?;
        let nodes = Limits::new(request.budgets, request.position, &crate::time::TimeParams::default()).nodes;
        let result = SearchResult { nodes, ..immediate::without_search(best, Score::DRAW) };
        let work: Vec<RootMove> = moves.iter().map(|&mv| RootMove::new(mv)).collect();
        on_progress(&Progress { result: &result, moves: &work });
        Some(result)
    }
}
