//! Answers without a search: the capture of the enemy wazir, and the entries of the book of setups.

use super::result::{Pv, SearchResult};
use crate::book::BookEntry;
use crate::{Move, Position, Score};

/// The capture of the enemy wazir, if there is one.
pub(super) fn wazir_capture(position: &Position) -> Option<Move> {
    let side = position.side_to_move();
    let target = position.wazir(!side).filter(|_| position.can_capture_wazir())?;
    Some(Move::jump(position.attackers(target, side).first()?, target))
}

/// The book's answer, with the depth of the search behind its value.
pub(super) fn by_the_book(position: &Position, entry: &BookEntry) -> SearchResult {
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
pub(super) fn without_search(best: Move, score: Score) -> SearchResult {
    let mut pv = Pv::EMPTY;
    pv.set(best, &Pv::EMPTY);
    SearchResult { best, score, depth: 0, nodes: 0, pv }
}
