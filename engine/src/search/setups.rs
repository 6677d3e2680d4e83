//! Choosing a setup: by the book, or else among the best of a pool by static evaluation.
//!
//! Red draws one of the book's best; without a book it plays the best of a pseudo-random sample. Blue plays the book's reply; to a setup
//! that the book does not know, the most promising of its replies are searched, without a book those of a sample. Which setup is drawn and
//! which ones are in a sample follows from the game's seed.

use crate::book::{mix, setup_of, BookEntry, SetupBook, STEP};
use crate::eval::Evaluation;
use crate::{Move, Position, Score, Setup, Side};

/// Setups in a sample.
const SAMPLE: u64 = 256;
/// Setups returned.
const CANDIDATES: usize = 12;

/// Where a game's setups come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setups<'a> {
    /// `None` if it is switched off.
    pub(super) book: Option<&'a SetupBook>,
    /// By how much red's may be worse than the best.
    pub(super) margin: Score,
    /// Decides what is drawn.
    pub(super) seed: u64,
}

impl Setups<'_> {
    /// What the book knows of a position without any moves but setups.
    pub(super) fn known(&self, position: &Position) -> Option<BookEntry> {
        let book = self.book?;
        match position.plies() {
            0 => book.draw(self.margin, self.seed),
            _ => book.find(&setup_of(position, Side::Red)?),
        }
    }

    /// The best setups for the side to move by static evaluation, best first; equal ones in the order of the pool.
    pub(super) fn best<E: Evaluation>(
        &self,
        evaluation: &E,
        line: &mut E::Line,
        position: &Position,
    ) -> [Move; CANDIDATES] {
        let replies = self.book.map_or(&[][..], SetupBook::replies);
        if position.plies() == 1 && !replies.is_empty() {
            let both = replies.iter().flat_map(|setup| [Move::setup(setup), Move::setup(&setup.mirrored())]);
            best_of(both, evaluation, line, position)
        } else {
            best_of((0..SAMPLE).map(|n| sampled_setup(self.seed, n)), evaluation, line, position)
        }
    }
}

/// The best of a pool; its first fills places that it is too small for.
fn best_of<E: Evaluation>(
    pool: impl Iterator<Item = Move>,
    evaluation: &E,
    line: &mut E::Line,
    position: &Position,
) -> [Move; CANDIDATES] {
    let mut pool = pool.peekable();
    let first = pool.peek().copied().unwrap_or_else(|| sampled_setup(0, 0));
    let mut best = [(-Score::INFINITE, first); CANDIDATES];
    for mv in pool {
        let score = static_score(evaluation, line, position, mv);
        let place = best.iter().take_while(|(other, _)| *other >= score).count();
        if place < CANDIDATES {
            best[place..].rotate_right(1);
            best[place] = (score, mv);
        }
    }
    best.map(|(_, mv)| mv)
}

/// The static evaluation of the position after a setup, from the side that made it.
fn static_score<E: Evaluation>(evaluation: &E, line: &mut E::Line, position: &Position, mv: Move) -> Score {
    let mut after = *position;
    let delta = after.play(mv);
    evaluation.advance(line, 1, &delta, &after);
    -evaluation.evaluate(line, 1, &after)
}

/// The `n`-th setup of the sample that belongs to a seed.
fn sampled_setup(seed: u64, n: u64) -> Move {
    let number = mix(n.wrapping_mul(STEP).wrapping_add(seed));
    let rank = ((number >> 32) * u64::from(Setup::COUNT)) >> 32;
    // The rank is below the number of setups, so the fallback is never used.
    Move::setup_of_rank(rank as u32).unwrap_or(Move::jump(crate::Square::A1, crate::Square::A1))
}
