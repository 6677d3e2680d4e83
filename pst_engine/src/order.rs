//! The order in which moves are tried: the table's, captures by victim and attacker, killers, then what did well
//! before.

use crate::search::MAX_PLY;
use crate::transpositions::packed;
use shakmaty::{Color, Move, MoveList, Role};

const FIRST: i32 = 1 << 30;
const CAPTURES: i32 = 1 << 28;
const KILLERS: i32 = 1 << 26;
/// Scores from the history stay within.
const HISTORY: i32 = 1 << 14;

/// What the search has learned about quiet moves.
pub(crate) struct Order {
    killers: Vec<[Option<Move>; 2]>,
    /// By colour, from and to.
    history: Vec<[[i32; 64]; 64]>,
}

impl Order {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self { killers: vec![[None; 2]; MAX_PLY + 1], history: vec![[[0; 64]; 64]; 2] }
    }

    /// Begins a search: killers belong to plies of the last one, and what did well then counts half.
    pub(crate) fn age(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().flatten().flatten().for_each(|score| *score /= 2);
    }

    /// Whether a quiet move has refuted another line at this ply.
    pub(crate) fn is_killer(&self, mv: Move, ply: usize) -> bool {
        self.killers[ply].contains(&Some(mv))
    }

    /// A quiet move has refuted the line, and those tried before it have not.
    pub(crate) fn reward(&mut self, mv: Move, tried: &[Move], turn: Color, depth: i32, ply: usize) {
        let [first, second] = &mut self.killers[ply];
        if *first != Some(mv) {
            (*first, *second) = (Some(mv), *first);
        }
        let bonus = (depth * depth).min(HISTORY / 8);
        self.adjust(turn, mv, bonus);
        for other in tried.iter().filter(|other| is_quiet(**other)) {
            self.adjust(turn, *other, -bonus);
        }
    }

    fn adjust(&mut self, turn: Color, mv: Move, bonus: i32) {
        let score = &mut self.history[usize::from(turn.is_black())][from(mv)][usize::from(mv.to())];
        *score += bonus - *score * bonus.abs() / HISTORY;
    }

    fn score(&self, mv: Move, first: u16, turn: Color, ply: usize) -> i32 {
        if packed(mv) == first {
            FIRST
        } else if !is_quiet(mv) {
            CAPTURES + exchange(mv)
        } else if self.is_killer(mv, ply) {
            KILLERS
        } else {
            self.history[usize::from(turn.is_black())][from(mv)][usize::from(mv.to())]
        }
    }
}

/// Moves, best first, sorted lazily.
pub(crate) struct Picker {
    moves: MoveList,
    scores: [i32; 256],
    next: usize,
}

impl Picker {
    /// For the main search, with the table's move, or 0.
    pub(crate) fn new(moves: MoveList, first: u16, order: &Order, turn: Color, ply: usize) -> Self {
        Self::by(moves, |mv| order.score(mv, first, turn, ply))
    }

    /// By captures alone.
    pub(crate) fn of_captures(moves: MoveList) -> Self {
        Self::by(moves, exchange)
    }

    fn by(moves: MoveList, score: impl Fn(Move) -> i32) -> Self {
        let mut scores = [0; 256];
        for (value, mv) in scores.iter_mut().zip(&moves) {
            *value = score(*mv);
        }
        Self { moves, scores, next: 0 }
    }

    /// The moves that it gave, the last one excepted.
    pub(crate) fn tried(&self) -> &[Move] {
        &self.moves[..self.next.saturating_sub(1)]
    }
}

impl Iterator for Picker {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let (start, end) = (self.next, self.moves.len());
        // The first of equals, so that nothing depends on how a library would break ties.
        let mut best = (start < end).then_some(start)?;
        for index in start + 1..end {
            if self.scores[index] > self.scores[best] {
                best = index;
            }
        }
        self.moves.swap(start, best);
        self.scores.swap(start, best);
        self.next += 1;
        Some(self.moves[start])
    }
}

/// Whether a move neither captures nor makes a queen.
pub(crate) fn is_quiet(mv: Move) -> bool {
    !mv.is_capture() && mv.promotion() != Some(Role::Queen)
}

/// The most valuable victim first, then the least valuable attacker.
fn exchange(mv: Move) -> i32 {
    let victim = mv.capture().map_or(0, |role| i32::from(u8::from(role)));
    let queen = i32::from(mv.promotion() == Some(Role::Queen)) * 5;
    8 * (victim + queen) - i32::from(u8::from(mv.role()))
}

fn from(mv: Move) -> usize {
    mv.from().map_or(0, usize::from)
}
