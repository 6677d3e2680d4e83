//! Histories of quiet moves in this game, for move ordering, reductions and pruning.
//!
//! Owns the tables and their updates. A value moves towards the limit with each cutoff that its move causes, and away
//! with each that it misses, in steps that shrink near the limit ("gravity"): `h += bonus - h |bonus| / LIMIT`.

use crate::{Move, Piece, Position, Side};

/// The largest absolute value.
pub(super) const LIMIT: i32 = 16_384;

/// The number of codes of jumps and drops: see [`Move::code`].
const CODES: usize = 4352;
/// The number of kinds of moves to a square: jumps of the five kinds of pieces, drops of four.
const KINDS: usize = 9;
/// The number of kinds of moves with their target.
const TARGETS: usize = KINDS * 64;

/// A jump or drop by kind of piece, kind of move and target: 0 to 575. It is a move without its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target(u16);

impl Target {
    /// The target of a move that can be made in this position.
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
    /// By the previous move, which the other side made, and the reply.
    replies: Vec<i16>,
    /// Errors of the static evaluation, in units of 1/10,000 logit, by side to move and the squares of both wazirs.
    wazir_errors: Vec<i16>,
    /// The same by side to move and the previous move.
    move_errors: Vec<i16>,
    /// Whether anything was learned since the last reset.
    used: bool,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            quiets: vec![0; 2 * CODES],
            replies: vec![0; TARGETS * TARGETS],
            wazir_errors: vec![0; 2 * 64 * 64],
            move_errors: vec![0; 2 * TARGETS],
            used: false,
        }
    }

    /// Forgets everything.
    pub(super) fn new_game(&mut self) {
        if !std::mem::take(&mut self.used) {
            return;
        }
        for table in [&mut self.quiets, &mut self.replies, &mut self.wazir_errors, &mut self.move_errors] {
            table.fill(0);
        }
    }

    /// The value of a quiet move of `side`, -[`LIMIT`] to [`LIMIT`].
    #[inline]
    pub(super) fn quiet(&self, side: Side, mv: Move) -> i32 {
        i32::from(self.quiets[quiet_index(side, mv)])
    }

    /// The value of a quiet move as a reply to the previous move.
    #[inline]
    pub(super) fn reply(&self, before: Option<Target>, target: Option<Target>) -> i32 {
        pair_index(before, target).map_or(0, |index| i32::from(self.replies[index]))
    }

    /// Adds a bonus, or a malus if negative, to a quiet move of `side` with this target, as a reply to the previous
    /// move.
    pub(super) fn learn(&mut self, side: Side, mv: Move, before: Option<Target>, target: Option<Target>, bonus: i32) {
        self.used = true;
        learn(&mut self.quiets[quiet_index(side, mv)], bonus);
        if let Some(index) = pair_index(before, target) {
            learn(&mut self.replies[index], bonus);
        }
    }

    /// The correction of the static evaluation from similar positions, in units of 1/10,000 logit.
    #[inline]
    pub(super) fn correction(&self, position: &Position, before: Option<Target>) -> i32 {
        let by_wazirs = wazirs_index(position).map_or(0, |index| i32::from(self.wazir_errors[index]));
        let by_move = move_index(position, before).map_or(0, |index| i32::from(self.move_errors[index]));
        (by_wazirs + by_move) / 2
    }

    /// Learns that a search to `depth` plies found the static evaluation wrong by `error` units of 1/10,000 logit.
    pub(super) fn learn_correction(&mut self, position: &Position, before: Option<Target>, error: i32, depth: i32) {
        self.used = true;
        let bonus = (error.clamp(-100_000, 100_000) * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        if let Some(index) = wazirs_index(position) {
            learn(&mut self.wazir_errors[index], bonus);
        }
        if let Some(index) = move_index(position, before) {
            learn(&mut self.move_errors[index], bonus);
        }
    }
}

#[inline]
fn wazirs_index(position: &Position) -> Option<usize> {
    let side = position.side_to_move();
    let (own, other) = (position.wazir(side)?, position.wazir(!side)?);
    Some((64 * side.index() + own.index()) * 64 + other.index())
}

#[inline]
fn move_index(position: &Position, before: Option<Target>) -> Option<usize> {
    Some(TARGETS * position.side_to_move().index() + before?.index())
}

#[inline]
fn quiet_index(side: Side, mv: Move) -> usize {
    CODES * side.index() + mv.code() as usize % CODES
}

#[inline]
fn pair_index(before: Option<Target>, target: Option<Target>) -> Option<usize> {
    Some(TARGETS * before?.index() + target?.index())
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
