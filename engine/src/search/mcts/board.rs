//! The game 0.1 for the tree search: a line of positions with their evaluations, and the search of captures at the end
//! of the line.
//!
//! The codes of jumps and drops are those of [`Move::code`]. Setups, which only the root has, are numbered in the list
//! of those considered.

use super::super::exchange::exchange;
use super::super::repetition::RepetitionHistory;
use super::priors::{Exchanges, PolicyRows};
use crate::eval::policy::{Policy, PolicyLogits};
use crate::eval::Evaluation as PositionEvaluation;
use crate::mcts::math::sigmoid;
use crate::mcts::{Candidate, Evaluation, Game, MctsParams, Proof};
use crate::{Move, MoveList, Position, Score, Stage, PLY_LIMIT};

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
        for mv in tries(&position, must_evade) {
            self.step(ply, mv);
            let score = -self.quiescence(ply + 1, -beta, -alpha, depth - 1);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
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
        let Some(rows) = PolicyRows::new(&position) else { return false };
        let mut logits = PolicyLogits::new(policy, hidden);
        moves.extend(safe.iter().filter_map(|&mv| {
            let gives_check = position.gives_check(mv);
            Some(Candidate { mv: code(mv)?, logit: logits.logit(rows.row(mv)), gives_check })
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

/// The captures that do not lose material, or all evasions of a side that `must_evade`: the most winning first; ties
/// keep the order of generation.
fn tries(position: &Position, must_evade: bool) -> impl Iterator<Item = Move> {
    let mut moves = MoveList::new();
    let stages: &[Stage] = if must_evade {
        &[Stage::CheckerCaptures, Stage::WazirCaptures, Stage::WazirJumps]
    } else if position.in_check() {
        &[Stage::CheckerCaptures, Stage::WazirCaptures]
    } else {
        &[Stage::CheckingCaptures, Stage::OtherCaptures]
    };
    for &stage in stages {
        position.generate(stage, &mut moves);
    }
    let mut gains = [(0, 0); MoveList::CAPACITY];
    let mut count = 0;
    for (index, &mv) in moves.iter().enumerate() {
        let gain = exchange(position, mv);
        if gain >= 0 || must_evade {
            gains[count] = (-gain, index);
            count += 1;
        }
    }
    gains[..count].sort_unstable();
    (0..count).filter_map(move |place| moves.get(gains[place].1).copied())
}

/// Whether the side to move, which is in check, has a move that does not lose its wazir.
fn has_evasion(position: &Position) -> bool {
    let mut moves = MoveList::new();
    Stage::EVASIONS.iter().any(|&stage| {
        position.generate(stage, &mut moves);
        !moves.is_empty()
    })
}

/// A move that gives a check that no move answers. It wins the wazir, unless the game ends before that.
fn mate(position: &Position) -> Option<Move> {
    if position.plies() + 3 > PLY_LIMIT {
        return None;
    }
    // The other evasions are moves of the wazir, which gives no safe check.
    let stages: &[Stage] = if position.in_check() {
        &[Stage::CheckerCaptures]
    } else {
        &[Stage::DropChecks, Stage::JumpChecks, Stage::CheckingCaptures]
    };
    let mut moves = MoveList::new();
    for &stage in stages {
        position.generate(stage, &mut moves);
    }
    moves.iter().copied().filter(|&mv| position.gives_check(mv)).find(|&mv| {
        let mut after = *position;
        after.play(mv);
        !has_evasion(&after) && after.has_legal_move()
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
        if position.in_check() && !has_evasion(&position) {
            return Evaluation::Proven(self.without_moves(ply));
        }
        if self.params.mcts_mates && mate(&position).is_some() {
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
            if let Some(mv) = mate(&position).and_then(code) {
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
