//! In which order the moves of a node are tried.
//!
//! Moves come in stages, each generated when the one before is used up, so that a cutoff spares the rest: the table's
//! move, captures (checking ones first), killers, checking drops and jumps, drops and jumps that threaten a check or an
//! escape square of the enemy wazir, other jumps, other drops. In check there are only evasions. What the stages hold is
//! `movegen`'s business; moves that leave the own wazir to be captured are in none of them.

use crate::{Move, MoveList, Params, Position, Square, Stage};

/// A move to try, with what its place in the order says about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) mv: Move,
    /// Neither evasion, capture, safe check, killer nor table move: what may be reduced or pruned.
    pub(super) boring: bool,
}

/// Where in the order a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The table's move.
    First,
    Generated(Stage),
    Killers,
}

use Step::{First, Generated, Killers};

/// All moves, out of check. Captures of the wazir are settled before a node is searched.
const ALL: &[Step] = &[
    First,
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

const CAPTURES: &[Step] = &[First, Generated(Stage::CheckingCaptures), Generated(Stage::OtherCaptures)];

const CHECKING_CAPTURES: &[Step] = &[First, Generated(Stage::CheckingCaptures)];

const EVASIONS: &[Step] =
    &[First, Generated(Stage::CheckerCaptures), Generated(Stage::WazirCaptures), Generated(Stage::WazirJumps)];

/// Stands for no move: nothing jumps from a square to itself.
const NONE: Move = Move::jump(Square::A1, Square::A1);

/// The moves of one node. Kept per ply and reused, so that a node allocates and clears nothing.
#[derive(Clone, Debug)]
pub(super) struct Picker {
    /// The step whose moves are in the list, and those after it.
    steps: &'static [Step],
    moves: MoveList,
    next: usize,
    /// Moves of earlier steps that later ones generate again: the first move and the killers.
    tried: [Move; 3],
    killers: [Move; 2],
    /// Moves of the list from here on are boring.
    boring_from: usize,
    skips_boring: bool,
    /// Whether checks on guarded squares are boring.
    weighs_checks: bool,
}

impl Picker {
    pub(super) fn new() -> Self {
        Self {
            steps: &[],
            moves: MoveList::new(),
            next: 0,
            tried: [NONE; 3],
            killers: [NONE; 2],
            boring_from: 0,
            skips_boring: false,
            weighs_checks: true,
        }
    }

    /// Forgets the moves that refuted siblings at this ply, before a search.
    pub(super) fn new_search(&mut self, params: &Params) {
        self.killers = [NONE; 2];
        self.weighs_checks = params.guarded_checks;
    }

    /// Remembers a quiet move that refuted the one before it.
    pub(super) fn add_killer(&mut self, mv: Move) {
        if self.killers[0] != mv {
            self.killers = [mv, self.killers[0]];
        }
    }

    /// Starts on all moves of a node; `first` is tried before all others, if it is safe and legal here.
    pub(super) fn start(&mut self, position: &Position, in_check: bool, first: Option<Move>) {
        self.restart(if in_check { EVASIONS } else { ALL });
        if let Some(mv) = first.filter(|&mv| position.is_legal(mv) && position.is_safe(mv)) {
            self.moves.push(mv);
            self.tried[0] = mv;
        }
    }

    /// Starts on captures only, perhaps on checking ones only, or, in check, on all evasions.
    pub(super) fn start_captures(&mut self, in_check: bool, checking: bool) {
        self.restart(match (in_check, checking) {
            (true, _) => EVASIONS,
            (false, true) => CHECKING_CAPTURES,
            (false, false) => CAPTURES,
        });
    }

    fn restart(&mut self, steps: &'static [Step]) {
        self.steps = steps;
        self.moves.clear();
        self.next = 0;
        self.tried = [NONE; 3];
        self.boring_from = usize::MAX;
        self.skips_boring = false;
    }

    /// Leaves out all boring moves from here on.
    pub(super) fn skip_boring(&mut self) {
        self.skips_boring = true;
    }

    /// The next move to try.
    #[inline]
    pub(super) fn next(&mut self, position: &Position) -> Option<Choice> {
        loop {
            let (&step, following) = self.steps.split_first()?;
            while let Some(&mv) = self.moves.get(self.next) {
                let boring = self.next >= self.boring_from;
                if boring && self.skips_boring {
                    break;
                }
                self.next += 1;
                if matches!(step, First | Killers) || !self.tried.contains(&mv) {
                    return Some(Choice { mv, boring });
                }
            }
            self.steps = following;
            self.moves.clear();
            self.next = 0;
            self.boring_from = usize::MAX;
            self.fill(position);
        }
    }

    /// Generates the moves of the step just reached.
    fn fill(&mut self, position: &Position) {
        match self.steps.first() {
            Some(&Generated(stage)) => self.generate(position, stage),
            Some(Killers) => self.fill_killers(position),
            Some(First) | None => {}
        }
    }

    fn generate(&mut self, position: &Position, stage: Stage) {
        if is_boring(stage) {
            self.boring_from = 0;
            if self.skips_boring {
                return;
            }
        }
        position.generate(stage, &mut self.moves);
        match stage {
            Stage::CheckingCaptures | Stage::OtherCaptures => most_valuable_first(position, &mut self.moves),
            Stage::DropChecks | Stage::JumpChecks if self.weighs_checks => {
                self.boring_from = guarded_last(position, &mut self.moves);
            }
            _ => {}
        }
    }

    fn fill_killers(&mut self, position: &Position) {
        for (i, mv) in self.killers.into_iter().enumerate() {
            let quiet = mv.to().is_some_and(|to| !position.occupied().contains(to));
            if mv != NONE && mv != self.tried[0] && quiet && position.is_legal(mv) && position.is_safe(mv) {
                self.moves.push(mv);
                self.tried[i + 1] = mv;
            }
        }
    }
}

fn is_boring(stage: Stage) -> bool {
    matches!(stage, Stage::DropThreats | Stage::JumpThreats | Stage::OtherJumps | Stage::OtherDrops)
}

/// Brings moves to squares that the enemy does not guard to the front; how many there are.
fn guarded_last(position: &Position, moves: &mut [Move]) -> usize {
    let enemy = !position.side_to_move();
    let mut free = 0;
    for i in 0..moves.len() {
        if moves[i].to().is_some_and(|to| position.attackers(to, enemy).is_empty()) {
            moves[free..=i].rotate_right(1);
            free += 1;
        }
    }
    free
}

/// Sorts captures by victim, in the order knight, ferz, dabbaba, alfil; equal ones stay as they are, the cheapest
/// capturer first. By insertion: there are a handful.
fn most_valuable_first(position: &Position, captures: &mut [Move]) {
    let victim = |mv: Move| mv.to().and_then(|to| position.piece_at(to)).map(|(_, piece)| piece);
    for end in 1..captures.len() {
        let value = victim(captures[end]);
        let place = captures[..end].iter().position(|&mv| victim(mv) < value).unwrap_or(end);
        captures[place..=end].rotate_right(1);
    }
}
