//! Move ordering: picks the moves of a node one by one.
//!
//! Moves are generated in stages, each when the one before is used up, so that a cutoff saves generating the rest: the
//! move from the transposition table (TT), captures (checking ones first), killers, checking drops and jumps, drops and
//! jumps that threaten a check or an escape square of the enemy wazir, other jumps, other drops. In check there are only
//! evasions. What each stage contains is defined in `movegen`; none contains a move that leaves the wazir to be captured.

use crate::{Move, MoveList, Params, Position, Square, Stage};

/// A move to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct PickedMove {
    pub(super) mv: Move,
    /// Whether it may be reduced or pruned: a quiet move that is no killer, TT move or evasion, and no check on an unguarded
    /// square (on any square, if `guarded_checks` is off).
    pub(super) late: bool,
}

/// A step of the move order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The move from the transposition table.
    TtMove,
    Generated(Stage),
    Killers,
}

use Step::{Generated, Killers, TtMove};

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
];

const CAPTURES: &[Step] = &[TtMove, Generated(Stage::CheckingCaptures), Generated(Stage::OtherCaptures)];

const CHECKING_CAPTURES: &[Step] = &[TtMove, Generated(Stage::CheckingCaptures)];

const EVASIONS: &[Step] =
    &[TtMove, Generated(Stage::CheckerCaptures), Generated(Stage::WazirCaptures), Generated(Stage::WazirJumps)];

/// No move: nothing jumps from a square to itself.
const NO_MOVE: Move = Move::jump(Square::A1, Square::A1);

/// Picks the moves of one node. There is one for each ply, reused by all nodes of that ply.
#[derive(Clone, Debug)]
pub(super) struct MovePicker {
    /// The present step, whose moves are in `moves`, and those after it.
    steps: &'static [Step],
    moves: MoveList,
    next: usize,
    /// Moves of earlier steps that later steps generate again: the TT move and the killers.
    tried: [Move; 3],
    killers: [Move; 2],
    /// Index in `moves` of the first late move.
    late_from: usize,
    skip_late: bool,
    /// Whether checks on guarded squares are ordered last and count as late moves.
    guarded_checks_late: bool,
}

impl MovePicker {
    pub(super) fn new() -> Self {
        Self {
            steps: &[],
            moves: MoveList::new(),
            next: 0,
            tried: [NO_MOVE; 3],
            killers: [NO_MOVE; 2],
            late_from: 0,
            skip_late: false,
            guarded_checks_late: true,
        }
    }

    /// Clears the killers before a search.
    pub(super) fn new_search(&mut self, params: &Params) {
        self.killers = [NO_MOVE; 2];
        self.guarded_checks_late = params.guarded_checks;
    }

    /// Stores a quiet move that caused a cutoff at this ply.
    pub(super) fn update_killers(&mut self, mv: Move) {
        if self.killers[0] != mv {
            self.killers = [mv, self.killers[0]];
        }
    }

    /// Starts on all safe moves of a node. `tt_move` comes first if it is legal and safe here.
    pub(super) fn start(&mut self, position: &Position, in_check: bool, tt_move: Option<Move>) {
        self.restart(if in_check { EVASIONS } else { MAIN });
        if let Some(mv) = tt_move.filter(|&mv| position.is_legal(mv) && position.is_safe(mv)) {
            self.moves.push(mv);
            self.tried[0] = mv;
        }
    }

    /// Starts on all evasions in check; otherwise on captures, or with `checks_only` on checking captures.
    pub(super) fn start_qsearch(&mut self, in_check: bool, checks_only: bool) {
        self.restart(match (in_check, checks_only) {
            (true, _) => EVASIONS,
            (false, true) => CHECKING_CAPTURES,
            (false, false) => CAPTURES,
        });
    }

    fn restart(&mut self, steps: &'static [Step]) {
        self.steps = steps;
        self.moves.clear();
        self.next = 0;
        self.tried = [NO_MOVE; 3];
        self.late_from = usize::MAX;
        self.skip_late = false;
    }

    /// Skips all late moves from here on.
    pub(super) fn skip_late_moves(&mut self) {
        self.skip_late = true;
    }

    /// The next move to search.
    #[inline]
    pub(super) fn next(&mut self, position: &Position) -> Option<PickedMove> {
        loop {
            let (&step, following) = self.steps.split_first()?;
            while let Some(&mv) = self.moves.get(self.next) {
                let late = self.next >= self.late_from;
                if late && self.skip_late {
                    break;
                }
                self.next += 1;
                if matches!(step, TtMove | Killers) || !self.tried.contains(&mv) {
                    return Some(PickedMove { mv, late });
                }
            }
            self.steps = following;
            self.moves.clear();
            self.next = 0;
            self.late_from = usize::MAX;
            self.generate_step(position);
        }
    }

    /// Generates the moves of the present step.
    fn generate_step(&mut self, position: &Position) {
        match self.steps.first() {
            Some(&Generated(stage)) => self.generate(position, stage),
            Some(Killers) => self.add_killers(position),
            Some(TtMove) | None => {}
        }
    }

    fn generate(&mut self, position: &Position, stage: Stage) {
        if is_late(stage) {
            self.late_from = 0;
            if self.skip_late {
                return;
            }
        }
        position.generate(stage, &mut self.moves);
        match stage {
            Stage::CheckingCaptures | Stage::OtherCaptures => sort_mvv_lva(position, &mut self.moves),
            Stage::DropChecks | Stage::JumpChecks if self.guarded_checks_late => {
                self.late_from = sort_guarded_last(position, &mut self.moves);
            }
            _ => {}
        }
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

/// Whether all moves of a stage are late.
fn is_late(stage: Stage) -> bool {
    matches!(stage, Stage::DropThreats | Stage::JumpThreats | Stage::OtherJumps | Stage::OtherDrops)
}

/// Sorts moves to squares that the enemy does not guard before the others; returns how many there are.
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
/// order of generation. An insertion sort: there are few.
fn sort_mvv_lva(position: &Position, captures: &mut [Move]) {
    let victim = |mv: Move| mv.to().and_then(|to| position.piece_at(to)).map(|(_, piece)| piece);
    for end in 1..captures.len() {
        let value = victim(captures[end]);
        let place = captures[..end].iter().position(|&mv| victim(mv) < value).unwrap_or(end);
        captures[place..=end].rotate_right(1);
    }
}
