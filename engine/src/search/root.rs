//! The start of a search: wins that need none, setups, and the root moves of everything else.

use super::alpha_beta::{Node, Searcher};
use super::iterative_deepening::Limits;
use super::result::{Pv, SearchResult};
use crate::book::BookEntry;
use crate::eval::Evaluation;
use crate::{Move, MoveList, Position, Score};

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

    /// Plays by the book, or chooses among likely setups. Red's are compared by static evaluation only: a search would have to go
    /// through all of blue's replies.
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

/// The capture of the enemy wazir, if there is one.
fn wazir_capture(position: &Position) -> Option<Move> {
    let side = position.side_to_move();
    let target = position.wazir(!side).filter(|_| position.can_capture_wazir())?;
    Some(Move::jump(position.attackers(target, side).first()?, target))
}

/// What the book says, with the depth that its value comes from.
fn by_the_book(position: &Position, entry: &BookEntry) -> SearchResult {
    let mut reply = Pv::EMPTY;
    reply.set(Move::setup(&entry.reply), &Pv::EMPTY);
    if position.plies() > 0 {
        return SearchResult {
            depth: entry.depth,
            pv: reply,
            ..without_search(Move::setup(&entry.reply), -entry.value)
        };
    }
    let mut pv = Pv::EMPTY;
    pv.set(Move::setup(&entry.red), &reply);
    SearchResult { depth: entry.depth, pv, ..without_search(Move::setup(&entry.red), entry.value) }
}

/// A result that needed no search.
fn without_search(best: Move, score: Score) -> SearchResult {
    let mut pv = Pv::EMPTY;
    pv.set(best, &Pv::EMPTY);
    SearchResult { best, score, depth: 0, nodes: 0, pv }
}
