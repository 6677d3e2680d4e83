//! What quiet moves have been worth in this game so far: history for move ordering, reductions and pruning.
//!
//! Owns the tables and how they learn. A value moves towards the limit with each cutoff that its move causes, and away with each
//! that it misses, in steps that shrink as it gets there ("gravity"): `h += bonus - h |bonus| / LIMIT`.

use crate::{Move, Piece, Position, Side};

/// The largest value, of either sign.
pub(super) const LIMIT: i32 = 16_384;

/// Codes of jumps and drops: see [`Move::code`].
const CODES: usize = 4352;
/// Kinds of moves to a square: jumps of the five kinds of pieces, drops of four.
const KINDS: usize = 9;
/// Kinds of moves with their target.
const TARGETS: usize = KINDS * 64;

/// A jump or drop by what moves, how, and where to: 0 to 575. It is what is left of a move once its origin is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target(u16);

impl Target {
    /// Of a move that can be made here.
    #[inline]
    pub(super) fn of(position: &Position, mv: Move) -> Option<Self> {
        let to = mv.to()?;
        let kind =
            if mv.is_drop() { Piece::ALL.len() + mv.dropped_index() } else { position.kind_on(mv.from()).index() };
        Some(Self((64 * kind + to.index()) as u16))
    }

    fn index(self) -> usize {
        usize::from(self.0) % TARGETS
    }
}

/// The histories of a game.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// By side and code.
    quiets: Vec<i16>,
    /// By the move before, of the other side, and the move after it.
    replies: Vec<i16>,
}

impl History {
    pub(super) fn new() -> Self {
        Self { quiets: vec![0; 2 * CODES], replies: vec![0; TARGETS * TARGETS] }
    }

    /// Forgets everything.
    pub(super) fn new_game(&mut self) {
        self.quiets.fill(0);
        self.replies.fill(0);
    }

    /// The value of a quiet move of `side`, -[`LIMIT`] to [`LIMIT`].
    #[inline]
    pub(super) fn quiet(&self, side: Side, mv: Move) -> i32 {
        i32::from(self.quiets[quiet_index(side, mv)])
    }

    /// The value of a quiet move as an answer to the move before it.
    #[inline]
    pub(super) fn reply(&self, before: Option<Target>, target: Option<Target>) -> i32 {
        match (before, target) {
            (Some(before), Some(target)) => i32::from(self.replies[reply_index(before, target)]),
            _ => 0,
        }
    }

    /// Adds a bonus, or a malus below 0, to a quiet move of `side`.
    pub(super) fn learn_quiet(&mut self, side: Side, mv: Move, bonus: i32) {
        learn(&mut self.quiets[quiet_index(side, mv)], bonus);
    }

    /// Adds a bonus to a quiet move as an answer to the move before it.
    pub(super) fn learn_reply(&mut self, before: Option<Target>, target: Option<Target>, bonus: i32) {
        if let (Some(before), Some(target)) = (before, target) {
            learn(&mut self.replies[reply_index(before, target)], bonus);
        }
    }
}

#[inline]
fn quiet_index(side: Side, mv: Move) -> usize {
    CODES * side.index() + mv.code() as usize % CODES
}

#[inline]
fn reply_index(before: Target, target: Target) -> usize {
    TARGETS * before.index() + target.index()
}

fn learn(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::{learn, LIMIT};

    #[test]
    fn values_approach_the_limit_and_never_pass_it() {
        let mut value = 0;
        for _ in 0..1_000 {
            let before = i32::from(value);
            learn(&mut value, 900);
            assert!(i32::from(value) >= before && i32::from(value) <= LIMIT);
        }
        assert!(i32::from(value) > LIMIT * 9 / 10);
        learn(&mut value, -LIMIT);
        assert!(i32::from(value) <= 0);
        learn(&mut value, -10 * LIMIT);
        assert!(i32::from(value) >= -LIMIT);
    }
}
