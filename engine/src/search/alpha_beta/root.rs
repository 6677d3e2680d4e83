//! The start of a search: wins without a search, setups, and the root moves of all other positions.

use super::super::immediate::{by_the_book, wazir_capture, without_search};
use super::super::limits::Limits;
use super::super::result::SearchResult;
use super::node::{Node, Searcher};
use crate::eval::Evaluation;
use crate::{MoveList, Position, Score};

impl<E: Evaluation> Searcher<'_, E> {
    /// Runs the search; `None` when the game is over.
    pub(super) fn run(mut self, position: &Position, limits: Limits) -> Option<SearchResult> {
        let root = Node { position: *position, ply: 0, in_check: position.in_check(), before: None };
        self.evaluation.start(self.line, position);
        if position.plies() < 2 {
            self.search_setups(&root, limits)
        } else if let Some(capture) = wazir_capture(position) {
            Some(without_search(capture, Score::win_in(1)))
        } else {
            self.search_safe_moves(&root, limits)
        }
    }

    /// Plays from the book, or chooses among likely setups. Red's setups are compared by static evaluation only: a
    /// search would have to go through all of blue's replies.
    fn search_setups(&mut self, root: &Node, limits: Limits) -> Option<SearchResult> {
        if let Some(entry) = self.setups.known(&root.position) {
            return Some(by_the_book(&root.position, &entry));
        }
        let setups = self.setups.best(self.evaluation, self.line, &root.position);
        let depth = if root.position.plies() == 0 { 0 } else { limits.depth };
        self.iterative_deepening(root, &setups, Limits { depth, ..limits })
    }

    /// Searches the safe moves; if there are none, returns the first legal one, since all of them lose the wazir.
    fn search_safe_moves(&mut self, root: &Node, limits: Limits) -> Option<SearchResult> {
        let mut moves = MoveList::new();
        root.position.safe_moves(&mut moves);
        if moves.is_empty() {
            root.position.legal_moves(&mut moves);
            return moves.first().map(|&mv| without_search(mv, root.no_safe_move_score()));
        }
        // On the clock, a single safe move is searched only for its score.
        let single = moves.len() == 1 && limits.time.is_some();
        let depth = if single { limits.depth.min(1) } else { limits.depth };
        self.iterative_deepening(root, &moves, Limits { depth, ..limits })
    }
}
