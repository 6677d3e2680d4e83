//! Move ordering: picks the moves of a node one by one.
//!
//! Moves are generated in stages, each when the previous one is used up, so that a cutoff saves generating the rest:
//! the move from the transposition table (TT), captures (checking ones first), killers, checking drops and jumps, drops
//! and jumps that threaten a check or an escape square of the enemy wazir, other jumps, other drops. In check there are
//! only evasions. `movegen` defines the content of each stage; none contains a move after which the wazir can be
//! captured.

use super::super::exchange::exchange;
use super::history::{History, Target};
use super::AlphaBetaParams;
use crate::{Bitboard, Move, MoveList, Piece, Position, Square, Stage};

/// A move to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct PickedMove {
    pub(super) mv: Move,
    /// Whether it may be reduced or pruned: a quiet move that is not a killer, TT move or evasion, and not a check on
    /// an unguarded square (on any square, if `guarded_checks` is off).
    pub(super) late: bool,
    /// The history of the move, if ordered by it, from -[`LIMIT`](super::history::LIMIT) to
    /// [`LIMIT`](super::history::LIMIT).
    pub(super) history: i32,
}

/// A step of the move order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The move from the transposition table.
    TtMove,
    Generated(Stage),
    Killers,
    /// The quiet moves of some stages together, ordered by history.
    Quiets(&'static [Stage]),
    /// The losing captures.
    BadCaptures,
}

use Step::{BadCaptures, Generated, Killers, Quiets, TtMove};

/// All moves, out of check. No position in the tree has a capture of the wazir: it would follow an unsafe move.
const MAIN: &[Step] = &[
    TtMove,
    Generated(Stage::CheckingCaptures),
    Generated(Stage::OtherCaptures),
    Killers,
    Generated(Stage::DropChecks),
    Generated(Stage::JumpChecks),
    Generated(Stage::DropThreats),
    Generated(Stage::JumpThreats),
    Generated(Stage::OtherJumps),
    Generated(Stage::OtherDrops),
    BadCaptures,
];

/// The same with the quiet moves ordered by history.
const BY_HISTORY: &[Step] = &[
    TtMove,
    Generated(Stage::CheckingCaptures),
    Generated(Stage::OtherCaptures),
    Killers,
    Generated(Stage::DropChecks),
    Generated(Stage::JumpChecks),
    Quiets(&[Stage::DropThreats, Stage::JumpThreats]),
    Quiets(&[Stage::OtherJumps, Stage::OtherDrops]),
    BadCaptures,
];

const CAPTURES: &[Step] = &[TtMove, Generated(Stage::CheckingCaptures), Generated(Stage::OtherCaptures)];

const CHECKING_CAPTURES: &[Step] = &[TtMove, Generated(Stage::CheckingCaptures)];

const CAPTURES_AND_CHECKS: &[Step] = &[
    TtMove,
    Generated(Stage::CheckingCaptures),
    Generated(Stage::OtherCaptures),
    Generated(Stage::DropChecks),
    Generated(Stage::JumpChecks),
];

const CHECKS: &[Step] =
    &[TtMove, Generated(Stage::CheckingCaptures), Generated(Stage::DropChecks), Generated(Stage::JumpChecks)];

/// The moves of quiescence search.
#[derive(Clone, Copy, Debug)]
pub(super) enum CaptureSearch {
    /// All moves, in check.
    Evasions,
    /// Captures, or only those that give check.
    Captures { checks_only: bool },
    /// The same, and other checks on unguarded squares.
    WithChecks { checks_only: bool },
}

const EVASIONS: &[Step] =
    &[TtMove, Generated(Stage::CheckerCaptures), Generated(Stage::WazirCaptures), Generated(Stage::WazirJumps)];

/// No move: nothing jumps from a square to itself.
pub(super) const NO_MOVE: Move = Move::jump(Square::A1, Square::A1);

/// Picks the moves of one node. There is one for each ply, reused by all nodes of that ply.
#[derive(Clone, Debug)]
pub(super) struct MovePicker {
    /// The current step, whose moves are in `moves`, and the later ones.
    steps: &'static [Step],
    moves: MoveList,
    /// The scores by which the moves of [`Quiets`] are ordered.
    scores: [i32; MoveList::CAPACITY],
    /// The history of each of these moves.
    histories: [i16; MoveList::CAPACITY],
    /// Losing captures.
    bad: Vec<Move>,
    next: usize,
    /// Moves of earlier steps that later steps generate again: the TT move and the killers.
    tried: [Move; 3],
    killers: [Move; 2],
    /// Index in `moves` of the first late move.
    late_from: usize,
    skip_late: bool,
    /// Whether to leave out losing captures.
    good_only: bool,
    order: Order,
    /// The move that led to this node.
    before: Option<Target>,
}

impl MovePicker {
    pub(super) fn new() -> Self {
        Self {
            steps: &[],
            moves: MoveList::new(),
            scores: [0; MoveList::CAPACITY],
            histories: [0; MoveList::CAPACITY],
            bad: Vec::with_capacity(MoveList::CAPACITY),
            next: 0,
            tried: [NO_MOVE; 3],
            killers: [NO_MOVE; 2],
            late_from: 0,
            skip_late: false,
            good_only: false,
            order: Order::default(),
            before: None,
        }
    }

    /// Clears the killers before a search.
    pub(super) fn new_search(&mut self, params: &AlphaBetaParams) {
        self.killers = [NO_MOVE; 2];
        self.order = Order::new(params);
    }

    /// Stores a quiet move that caused a cutoff at this ply.
    pub(super) fn update_killers(&mut self, mv: Move) {
        if self.killers[0] != mv {
            self.killers = [mv, self.killers[0]];
        }
    }

    /// Starts on all safe moves of a node. `tt_move`, which is legal and safe, comes first; `before` is the move that
    /// led to the node.
    pub(super) fn start(&mut self, in_check: bool, tt_move: Option<Move>, before: Option<Target>) {
        self.restart(match (in_check, self.order.by_history) {
            (true, _) => EVASIONS,
            (false, true) => BY_HISTORY,
            (false, false) => MAIN,
        });
        self.before = before;
        if let Some(mv) = tt_move {
            self.moves.push(mv);
            self.tried[0] = mv;
        }
    }

    /// Starts on the moves of quiescence search; `before` is the move that led to the node.
    pub(super) fn start_qsearch(&mut self, which: CaptureSearch, before: Option<Target>) {
        self.restart(match which {
            CaptureSearch::Evasions => EVASIONS,
            CaptureSearch::Captures { checks_only: true } => CHECKING_CAPTURES,
            CaptureSearch::Captures { checks_only: false } => CAPTURES,
            CaptureSearch::WithChecks { checks_only: true } => CHECKS,
            CaptureSearch::WithChecks { checks_only: false } => CAPTURES_AND_CHECKS,
        });
        self.before = before;
        self.good_only = self.order.quiescence_exchange && !matches!(which, CaptureSearch::Evasions);
        // Checks on guarded squares.
        self.skip_late = true;
    }

    fn restart(&mut self, steps: &'static [Step]) {
        self.steps = steps;
        self.moves.clear();
        self.next = 0;
        self.tried = [NO_MOVE; 3];
        self.late_from = usize::MAX;
        self.skip_late = false;
        self.good_only = false;
        self.bad.clear();
    }

    /// Skips all late moves from now on.
    pub(super) fn skip_late_moves(&mut self) {
        self.skip_late = true;
    }

    /// The next move to search.
    #[inline]
    pub(super) fn next(&mut self, position: &Position, history: &History) -> Option<PickedMove> {
        loop {
            let (&step, following) = self.steps.split_first()?;
            let by_score = matches!(step, Quiets(_));
            if by_score {
                self.bring_best_forward();
            }
            while let Some(&mv) = self.moves.get(self.next) {
                let late = self.next >= self.late_from;
                if late && self.skip_late {
                    break;
                }
                self.next += 1;
                if matches!(step, TtMove | Killers) || !self.tried.contains(&mv) {
                    let history = if by_score { i32::from(self.histories[self.next - 1]) } else { 0 };
                    return Some(PickedMove { mv, late, history });
                }
                if by_score {
                    self.bring_best_forward();
                }
            }
            self.steps = following;
            self.moves.clear();
            self.next = 0;
            self.late_from = usize::MAX;
            self.generate_step(position, history);
        }
    }

    /// Generates the moves of the current step.
    fn generate_step(&mut self, position: &Position, history: &History) {
        match self.steps.first() {
            Some(&Quiets(stages)) => self.generate_quiets(position, history, stages),
            Some(&Generated(stage)) => self.generate(position, history, stage),
            Some(Killers) => self.add_killers(position),
            Some(BadCaptures) => {
                for &mv in &self.bad {
                    self.moves.push(mv);
                }
            }
            Some(TtMove) | None => {}
        }
    }

    fn generate(&mut self, position: &Position, history: &History, stage: Stage) {
        if is_late(stage) {
            self.late_from = 0;
            if self.skip_late {
                return;
            }
        }
        position.generate(stage, &mut self.moves);
        match stage {
            Stage::CheckingCaptures | Stage::OtherCaptures => {
                sort_mvv_lva(position, &mut self.moves);
                if stage == Stage::OtherCaptures && (self.good_only || self.order.exchange && self.in_main_search()) {
                    self.set_bad_captures_aside(position);
                }
            }
            Stage::WazirJumps if self.order.evasions_by_history => {
                let (side, before) = (position.side_to_move(), self.before);
                let worth = |mv: Move| history.quiet(side, mv) + history.reply(before, Target::of(position, mv));
                self.moves.as_mut_slice().sort_by_key(|&mv| std::cmp::Reverse(worth(mv)));
            }
            Stage::DropChecks | Stage::JumpChecks if self.order.guarded_checks_late => {
                self.late_from = sort_guarded_last(position, &mut self.moves);
            }
            _ => {}
        }
    }

    fn generate_quiets(&mut self, position: &Position, history: &History, stages: &[Stage]) {
        self.late_from = 0;
        if self.skip_late {
            return;
        }
        let side = position.side_to_move();
        let order = self.order;
        let danger = if order.danger == 0 { Danger::default() } else { Danger::of(position) };
        for &stage in stages {
            position.generate(stage, &mut self.moves);
        }
        for (i, &mv) in self.moves.as_slice().iter().enumerate() {
            let own = history.quiet(side, mv);
            let reply = if order.reply == 0 { 0 } else { history.reply(self.before, Target::of(position, mv)) };
            self.scores[i] =
                (order.history * own + order.reply * reply) / 1024 + order.danger * danger.pieces_saved(position, mv);
            self.histories[i] = ((own + reply) / 2) as i16;
        }
    }

    fn in_main_search(&self) -> bool {
        matches!(self.steps.last(), Some(BadCaptures))
    }

    /// Moves the losing captures from `moves` to `bad`.
    fn set_bad_captures_aside(&mut self, position: &Position) {
        let mut good = 0;
        let moves = self.moves.as_mut_slice();
        for i in 0..moves.len() {
            let mv = moves[i];
            if exchange(position, mv) >= 0 {
                moves[good] = mv;
                good += 1;
            } else if !self.good_only {
                self.bad.push(mv);
            }
        }
        self.moves.truncate(good);
    }

    /// Swaps the next move with the best of the remaining ones.
    fn bring_best_forward(&mut self) {
        let scores = &self.scores[..self.moves.len()];
        let Some(rest) = scores.get(self.next..).filter(|rest| !rest.is_empty()) else { return };
        // The first of the best. Scores are far below 2^23, and the compiler turns a maximum into vector instructions.
        let packed = rest.iter().zip(0..).map(|(&score, i): (&i32, i32)| score * 256 + (255 - i));
        let best = packed.max().map_or(0, |best| 255 - (best & 255)) as usize;
        self.scores.swap(self.next, self.next + best);
        self.histories.swap(self.next, self.next + best);
        self.moves.as_mut_slice().swap(self.next, self.next + best);
    }

    fn add_killers(&mut self, position: &Position) {
        for (i, mv) in self.killers.into_iter().enumerate() {
            let quiet = mv.to().is_some_and(|to| !position.occupied().contains(to));
            if mv != NO_MOVE && mv != self.tried[0] && quiet && position.is_legal(mv) && position.is_safe(mv) {
                self.moves.push(mv);
                self.tried[i + 1] = mv;
            }
        }
    }
}

/// The squares on which the enemy captures.
#[derive(Default)]
struct Danger {
    attacked: Bitboard,
}

impl Danger {
    fn of(position: &Position) -> Self {
        let enemy = !position.side_to_move();
        let attacks = |piece: Piece| piece.attacks_from_set(position.pieces(enemy, piece));
        Self { attacked: Piece::ALL.into_iter().fold(Bitboard::EMPTY, |all, piece| all | attacks(piece)) }
    }

    /// 1 for a quiet move that takes a piece away from a square where the enemy captures it without being recaptured,
    /// -1 for one that puts it on such a square, otherwise 0.
    #[inline]
    fn pieces_saved(&self, position: &Position, mv: Move) -> i32 {
        let Some(to) = mv.to() else { return 0 };
        let side = position.side_to_move();
        let hangs = |square: Square, guards: u32| {
            self.attacked.contains(square) && position.attackers(square, side).count() <= guards
        };
        if mv.is_drop() {
            return -i32::from(hangs(to, 0));
        }
        // The piece itself attacks the square that it jumps to, and does not guard the one that it leaves.
        i32::from(hangs(mv.from(), 0)) - i32::from(hangs(to, 1))
    }
}

/// The settings of the move order.
#[allow(clippy::struct_excessive_bools)] // switches for ablation, not states
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    /// Checks on guarded squares are last among checks and count as late moves.
    guarded_checks_late: bool,
    /// Quiet moves are ordered by history.
    by_history: bool,
    /// In check, jumps of the wazir are ordered by history.
    evasions_by_history: bool,
    /// Losing captures come last.
    exchange: bool,
    /// Quiescence search leaves out losing captures.
    quiescence_exchange: bool,
    /// The weights of histories x 1,024.
    history: i32,
    reply: i32,
    /// The weight of losing a piece against the histories.
    danger: i32,
}

impl Order {
    fn new(params: &AlphaBetaParams) -> Self {
        Self {
            guarded_checks_late: params.guarded_checks,
            by_history: params.history,
            evasions_by_history: params.history && params.evasion_history,
            exchange: params.exchange,
            quiescence_exchange: params.quiescence_exchange,
            history: (params.history_weight * 1024.0) as i32,
            reply: (params.reply_weight * 1024.0) as i32,
            danger: if params.quiet_safety { params.danger_worth } else { 0 },
        }
    }
}

/// Whether all moves of a stage are late.
fn is_late(stage: Stage) -> bool {
    matches!(stage, Stage::DropThreats | Stage::JumpThreats | Stage::OtherJumps | Stage::OtherDrops)
}

/// Moves to squares that the enemy does not guard go first; returns the number of them.
fn sort_guarded_last(position: &Position, moves: &mut [Move]) -> usize {
    let enemy = !position.side_to_move();
    let mut unguarded = 0;
    for i in 0..moves.len() {
        if moves[i].to().is_some_and(|to| position.attackers(to, enemy).is_empty()) {
            moves[unguarded..=i].rotate_right(1);
            unguarded += 1;
        }
    }
    unguarded
}

/// Sorts captures by most valuable victim (knight, ferz, dabbaba, alfil), then least valuable attacker, which is the
/// order of generation. An insertion sort, since there are few.
fn sort_mvv_lva(position: &Position, captures: &mut [Move]) {
    let victim = |mv: Move| mv.to().and_then(|to| position.piece_at(to)).map(|(_, piece)| piece);
    for end in 1..captures.len() {
        let value = victim(captures[end]);
        let place = captures[..end].iter().position(|&mv| victim(mv) < value).unwrap_or(end);
        captures[place..=end].rotate_right(1);
    }
}
