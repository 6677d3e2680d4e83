//! A tree search of a position of 0.1: immediate answers, the root, the result.

use super::super::immediate::{by_the_book, wazir_capture, without_search};
use super::super::result::{Progress, Pv, RootMove, SearchResult};
use super::{Board, Job, Memory, WithLine};
use crate::eval::Evaluation;
use crate::mcts::math::logit;
use crate::mcts::{centipawns, Found, MctsParams, Proof, Task, Tree};
use crate::{Move, MoveList, Position, Score, SearchRequest, PLY_LIMIT};

/// Runs a search; `None` when the game is over.
pub(super) fn search<E: Evaluation>(
    seated: &mut WithLine<E>,
    memory: &mut Memory,
    job: &Job<'_>,
    on_progress: &mut dyn FnMut(&Progress<'_>),
) -> Option<SearchResult> {
    let WithLine { evaluation, line, helpers } = seated;
    let evaluation = &**evaluation;
    let Job { request, params, policy, setups, limits } = *job;
    let position = request.position;
    let mut chosen = Vec::new();
    if position.plies() < 2 {
        if let Some(entry) = setups.known(position) {
            return Some(by_the_book(position, &entry));
        }
        evaluation.start(line, position);
        chosen.extend(setups.best(evaluation, line, position));
        if position.plies() == 0 {
            // A search would have to go through all of blue's replies.
            return chosen.first().map(|&mv| without_search(mv, Score::DRAW));
        }
    } else if let Some(capture) = wazir_capture(position) {
        return Some(without_search(capture, Score::win_in(1)));
    } else if !has_safe_move(position) {
        return without_safe_move(position);
    }
    memory.go_to(position, request.history, params.mcts.mcts_reuse);
    let Memory { tree, state, last_value, .. } = memory;
    let board = |line, state| {
        let mut board = Board { evaluation, line, state, params: &params.mcts, policy, setups: &chosen };
        board.start(position, request.history);
        board
    };
    let mut helpers: Vec<_> = helpers.iter_mut().map(|helper| board(&mut helper.line, &mut helper.state)).collect();
    let mut board = board(line, state);
    let SearchRequest { stop, timer, .. } = *request;
    let task = Task { params: &params.mcts, time: &params.time, limits, last_value: *last_value, stop, timer };
    let mut last = None;
    let found = task.search_together(tree, &mut board, &mut helpers, &mut |tree, board, found| {
        last = show(tree, board, found, &params.mcts, on_progress);
    })?;
    *last_value = Some(found.choice.value);
    last
}

/// Reports the root's moves. Returns the result if the search ended now.
fn show<E: Evaluation>(
    tree: &Tree,
    board: &Board<'_, E>,
    found: &Found,
    params: &MctsParams,
    on_progress: &mut dyn FnMut(&Progress<'_>),
) -> Option<SearchResult> {
    let result = result(tree, board, found, params)?;
    let moves = tree.moves().filter_map(|known| {
        Some(RootMove { nodes: u64::from(known.visits), ..RootMove::new(board.decoded(known.mv)?) })
    });
    let moves: Vec<RootMove> = moves.collect();
    on_progress(&Progress { result: &result, moves: &moves });
    Some(result)
}

fn result<E: Evaluation>(
    tree: &Tree,
    board: &Board<'_, E>,
    found: &Found,
    params: &MctsParams,
) -> Option<SearchResult> {
    let mut pv = Pv::EMPTY;
    let moves: Vec<Move> = tree.variation(params).iter().map_while(|&mv| board.decoded(mv)).collect();
    for &mv in moves.iter().rev() {
        let rest = pv;
        pv.set(mv, &rest);
    }
    let Found { choice, simulations, depth } = *found;
    let score = score(tree.proof(), choice.value, params);
    Some(SearchResult { best: board.decoded(choice.mv)?, score, depth, nodes: simulations, pv })
}

/// The answer if all moves lose the wazir: the first legal move; `None` if there are none.
fn without_safe_move(position: &Position) -> Option<SearchResult> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let score = if position.plies() + 2 > PLY_LIMIT { Score::DRAW } else { Score::loss_in(2) };
    moves.first().map(|&mv| without_search(mv, score))
}

fn has_safe_move(position: &Position) -> bool {
    let mut moves = MoveList::new();
    position.safe_moves(&mut moves);
    !moves.is_empty()
}

/// Converts a value to a score.
fn score(proof: Proof, value: f64, params: &MctsParams) -> Score {
    match proof {
        Proof::Win(plies) => Score::win_in(i32::from(plies)),
        Proof::Loss(plies) => Score::loss_in(i32::from(plies)),
        Proof::Draw => Score::DRAW,
        // Displayed scores equate 100 centipawns with one logit.
        _ if params.mcts_centipawns => Score::from_logit(centipawns(value, params.mcts_centipawn_base) / 100.0),
        _ => Score::from_logit(logit(value)),
    }
}
