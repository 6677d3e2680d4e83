//! The game 0.1 for the tree search: a line of positions with their evaluations, and the search of captures at the end
//! of the line.
//!
//! The codes of jumps and drops are those of [`Move::code`]. Setups, which only the root has, are numbered in the list
//! of those considered.

use super::super::exchange::exchange;
use super::super::repetition::RepetitionHistory;
use super::priors::{Exchanges, PolicyRows};
use crate::eval::policy::{Policy, PolicyRow};
use crate::eval::Evaluation as PositionEvaluation;
use crate::mcts::math::sigmoid;
use crate::mcts::{Candidate, Evaluation, Game, MctsParams, Proof};
use crate::{Bitboard, Move, MoveList, Piece, Position, Score, Square, Stage, PLY_LIMIT};
use std::ops::Range;

/// The maximum number of plies below the root: no game is longer.
pub(super) const PLIES: usize = PLY_LIMIT as usize + 2;
/// The code of the first setup.
const SETUPS: u16 = 8192;

/// The code of a jump or a drop; `None` for a setup.
pub(super) fn code(mv: Move) -> Option<u16> {
    u16::try_from(mv.code()).ok().filter(|&code| code < SETUPS)
}

/// The positions of the current line, allocated once.
#[derive(Debug)]
pub(super) struct BoardState {
    /// By ply. Those up to `known` belong to the current line.
    positions: Vec<Position>,
    /// The move played at each ply.
    moves: Vec<u16>,
    /// By ply: whether the game or the line had the position before.
    repeated: Vec<bool>,
    known: usize,
    keys: RepetitionHistory,
    /// The number of positions of the line that are in `keys`, from ply 0.
    keyed: usize,
    /// Moves that are generated for a moment.
    generated: MoveList,
    /// The moves to try in the quiescence nodes of the line, with their gains: a stack.
    tries: Vec<(i32, Move)>,
    /// The weights and logits of moves, for a moment.
    rows: Vec<PolicyRow>,
    logits: Vec<f32>,
}

impl BoardState {
    pub(super) fn new() -> Self {
        Self {
            positions: vec![Position::new(); PLIES],
            moves: vec![0; PLIES],
            repeated: vec![false; PLIES],
            known: 0,
            keys: RepetitionHistory::new(),
            keyed: 0,
            generated: MoveList::new(),
            tries: Vec::new(),
            rows: Vec::new(),
            logits: Vec::new(),
        }
    }

    /// Adds the captures that do not lose material, or all evasions of a side that `must_evade`, to the stack of tries:
    /// the most winning first; ties keep the order of generation. Returns their places.
    fn push_tries(&mut self, position: &Position, must_evade: bool) -> Range<usize> {
        let stages: &[Stage] = if must_evade {
            &[Stage::CheckerCaptures, Stage::WazirCaptures, Stage::WazirJumps]
        } else if position.in_check() {
            &[Stage::CheckerCaptures, Stage::WazirCaptures]
        } else {
            &[Stage::CheckingCaptures, Stage::OtherCaptures]
        };
        self.generate(position, stages);
        let first = self.tries.len();
        let tries = self.generated.iter().map(|&mv| (exchange(position, mv), mv));
        self.tries.extend(tries.filter(|&(gain, _)| gain >= 0 || must_evade));
        self.tries[first..].sort_by_key(|&(gain, _)| -gain);
        first..self.tries.len()
    }

    /// A move that gives a check that no move answers. It wins the wazir, unless the game ends before that.
    fn mate(&mut self, position: &Position) -> Option<Move> {
        let wazir = position.wazir(!position.side_to_move())?;
        if position.plies() + 3 > PLY_LIMIT {
            return None;
        }
        // The other evasions are moves of the wazir, which gives no safe check.
        let stages: &[Stage] = if position.in_check() {
            &[Stage::CheckerCaptures]
        } else {
            &[Stage::DropChecks, Stage::JumpChecks, Stage::CheckingCaptures]
        };
        self.generate(position, stages);
        let mut escapes = None;
        self.generated.iter().copied().find(|&mv| {
            position.gives_check(mv)
                && !has_answer(position, mv, *escapes.get_or_insert_with(|| escapes_of(position, wazir)))
        })
    }

    /// Lists the moves of these stages for a moment.
    fn generate(&mut self, position: &Position, stages: &[Stage]) {
        self.generated.clear();
        for &stage in stages {
            position.generate(stage, &mut self.generated);
        }
    }

    fn start(&mut self, position: &Position, history: &[u64]) {
        self.positions[0] = *position;
        (self.known, self.keyed) = (0, 0);
        self.keys.reset(history);
    }
}

/// A board on which the search plays.
pub(super) struct Board<'a, E: PositionEvaluation> {
    pub(super) evaluation: &'a E,
    pub(super) line: &'a mut E::Line,
    pub(super) state: &'a mut BoardState,
    pub(super) params: &'a MctsParams,
    /// The policy; it fits the evaluation.
    pub(super) policy: Option<&'a Policy>,
    /// The setups considered at the root.
    pub(super) setups: &'a [Move],
}

impl<E: PositionEvaluation> Board<'_, E> {
    /// Sets the root of the line.
    pub(super) fn start(&mut self, position: &Position, history: &[u64]) {
        self.state.start(position, history);
        self.evaluation.start(self.line, position);
    }

    /// The move for a code.
    pub(super) fn decoded(&self, mv: u16) -> Option<Move> {
        match mv.checked_sub(SETUPS) {
            Some(number) => self.setups.get(usize::from(number)).copied(),
            None => Move::from_code(u32::from(mv)),
        }
    }

    /// The value of the position at `ply`: the static evaluation, or the result of the best captures.
    ///
    /// Losing captures are not tried. In check, a side may still stand pat, unless it is the leaf and all moves lose.
    /// With `mcts_evasions`, it may not, and all of its moves are tried, also after the last ply of captures. This
    /// ends, as only the capture of a piece that gives check can answer a check by another.
    fn quiescence(&mut self, ply: usize, mut alpha: Score, beta: Score, depth: i32) -> Score {
        let position = self.state.positions[ply];
        if position.plies() >= PLY_LIMIT {
            return Score::DRAW;
        }
        let must_evade = self.params.mcts_evasions && self.params.mcts_quiescence > 0 && position.in_check();
        let mut best = -Score::INFINITE;
        if !must_evade {
            best = self.evaluation.evaluate(self.line, ply, &position);
            alpha = alpha.max(best);
            if depth <= 0 || alpha >= beta {
                return best;
            }
        }
        let tries = self.state.push_tries(&position, must_evade);
        for index in tries.clone() {
            let (_, mv) = self.state.tries[index];
            self.step(ply, mv);
            let score = -self.quiescence(ply + 1, -beta, -alpha, depth - 1);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.state.tries.truncate(tries.start);
        if best > -Score::INFINITE {
            return best;
        }
        match self.without_moves(ply) {
            Proof::Loss(plies) => Score::loss_in(i32::from(plies)),
            _ => Score::DRAW,
        }
    }

    /// Adds moves with the logits of the policy; `false` without a policy.
    fn add_by_policy(&mut self, ply: usize, safe: &MoveList, moves: &mut Vec<Candidate>) -> bool {
        let position = self.state.positions[ply];
        let Some(policy) = self.policy else { return false };
        let Some(hidden) = self.evaluation.hidden(self.line, ply, &position) else { return false };
        let Some(of_position) = PolicyRows::new(&position) else { return false };
        let BoardState { rows, logits, .. } = &mut *self.state;
        rows.clear();
        rows.extend(safe.iter().map(|&mv| of_position.row(mv)));
        policy.logits(hidden, rows, logits);
        moves.extend(safe.iter().zip(rows).zip(logits).filter_map(|((&mv, row), &mut logit)| {
            Some(Candidate { mv: code(mv)?, logit, gives_check: row.gives_check() })
        }));
        true
    }

    /// Makes a move at `ply`, which ends the known part of the line.
    fn step(&mut self, ply: usize, mv: Move) {
        let mut after = self.state.positions[ply];
        let delta = after.play(mv);
        self.evaluation.advance(self.line, ply + 1, &delta, &after);
        self.state.positions[ply + 1] = after;
    }
}

/// The squares on which the opponent's `wazir` would not be attacked if it jumped there now.
fn escapes_of(position: &Position, wazir: Square) -> Bitboard {
    let side = position.side_to_move();
    let around = Piece::Wazir.attacks(wazir) - position.side_pieces(!side);
    let safe = around.into_iter().filter(|&square| position.attackers(square, side).is_empty());
    safe.fold(Bitboard::EMPTY, |all, square| all | square.bitboard())
}

/// Whether a check has a safe answer, or leaves no legal move, which is a draw. `escapes` are those before the check.
fn has_answer(position: &Position, mv: Move, escapes: Bitboard) -> bool {
    let Some(to) = mv.to() else { return true };
    // Most checks end here. Nothing uncovers an attack, so whatever attacks the checker can capture it.
    let piece = if mv.is_drop() { Piece::DROPPABLE[mv.dropped_index()] } else { position.kind_on(mv.from()) };
    if !(escapes - piece.attacks(to)).is_empty() || !position.attackers(to, !position.side_to_move()).is_empty() {
        return true;
    }
    let mut after = *position;
    after.play(mv);
    has_evasion(&after, &mut MoveList::new()) || !after.has_legal_move()
}

/// Whether the side to move, which is in check, has a move that does not lose its wazir. Overwrites `moves`.
fn has_evasion(position: &Position, moves: &mut MoveList) -> bool {
    moves.clear();
    Stage::EVASIONS.iter().any(|&stage| {
        position.generate(stage, moves);
        !moves.is_empty()
    })
}

impl<E: PositionEvaluation> Game for Board<'_, E> {
    fn play(&mut self, ply: usize, mv: u16) {
        if ply < self.state.known && self.state.moves[ply] == mv {
            return;
        }
        let Some(played) = self.decoded(mv) else { return };
        while self.state.keyed > ply {
            self.state.keys.pop();
            self.state.keyed -= 1;
        }
        while self.state.keyed <= ply {
            self.state.keys.push(self.state.positions[self.state.keyed].key());
            self.state.keyed += 1;
        }
        self.step(ply, played);
        self.state.moves[ply] = mv;
        self.state.repeated[ply + 1] = self.state.keys.contains(self.state.positions[ply + 1].key());
        self.state.known = ply + 1;
    }

    fn evaluate(&mut self, ply: usize) -> Evaluation {
        let position = self.state.positions[ply];
        if position.plies() >= 2 && position.wazir(position.side_to_move()).is_none() {
            return Evaluation::Proven(Proof::Loss(0));
        }
        if position.plies() >= PLY_LIMIT {
            return Evaluation::Proven(Proof::Draw);
        }
        if ply > 0 && self.params.mcts_repetition && self.state.repeated[ply] {
            return Evaluation::Repeated;
        }
        if position.in_check() && !has_evasion(&position, &mut self.state.generated) {
            return Evaluation::Proven(self.without_moves(ply));
        }
        if self.params.mcts_mates && self.state.mate(&position).is_some() {
            return Evaluation::Proven(Proof::Win(3));
        }
        let score = self.quiescence(ply, -Score::INFINITE, Score::INFINITE, self.params.mcts_quiescence);
        // The search has played captures on the line.
        self.state.known = self.state.known.min(ply);
        Evaluation::Estimate(sigmoid(score.logit()))
    }

    fn moves(&mut self, ply: usize, moves: &mut Vec<Candidate>) {
        let position = self.state.positions[ply];
        if position.plies() < 2 {
            let setups = SETUPS..SETUPS + self.setups.len() as u16;
            return moves.extend(setups.map(|mv| Candidate { mv, logit: 0.0, gives_check: false }));
        }
        // Below the root, positions with a mate are proven before their moves are requested.
        if ply == 0 && self.params.mcts_mates {
            if let Some(mv) = self.state.mate(&position).and_then(code) {
                return moves.push(Candidate { mv, logit: 0.0, gives_check: true });
            }
        }
        let mut safe = MoveList::new();
        position.safe_moves(&mut safe);
        if self.add_by_policy(ply, &safe, moves) {
            return;
        }
        let exchanges = Exchanges::new(&position);
        moves.extend(safe.iter().filter_map(|&mv| {
            let gives_check = position.gives_check(mv);
            Some(Candidate { mv: code(mv)?, logit: exchanges.logit(mv, gives_check, self.params), gives_check })
        }));
    }

    /// As in alpha-beta: all moves lose the wazir, unless the game ends before that.
    fn without_moves(&self, ply: usize) -> Proof {
        let position = &self.state.positions[ply];
        if position.plies() + 2 > PLY_LIMIT || position.legal_count() == 0 {
            Proof::Draw
        } else {
            Proof::Loss(2)
        }
    }
}
