//! Choosing a setup: by the book, or else among the best of a pool by static evaluation.
//!
//! Red draws one of the book's best; without a book it plays the best of a pseudo-random sample. Blue plays the book's
//! reply; to a setup that the book does not know, the most promising of its replies are searched, without a book those
//! of a sample. Which setup is drawn and which ones are in a sample follows from the game's seed.

use crate::book::{mix, setup_of, BookEntry, BookParams, SetupBook, STEP};
use crate::eval::Evaluation;
use crate::{Move, MoveKind, Position, Score, Setup, Side};

/// Setups in a sample.
const SAMPLE: u64 = 256;
/// Setups returned.
const CANDIDATES: usize = 12;

/// Where a game's setups come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setups<'a> {
    /// `None` if it is switched off.
    book: Option<&'a SetupBook>,
    /// By how much red's may be worse than the best.
    margin: Score,
    /// Decides what is drawn.
    seed: u64,
}

impl<'a> Setups<'a> {
    /// Those of a book, if the parameters enable it.
    pub(super) fn new(book: &'a SetupBook, params: &BookParams, seed: u64) -> Self {
        let margin = Score::from_logit(params.book_margin);
        Self { book: params.setup_book.then_some(book), margin, seed }
    }

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
        let mut best = Best { evaluation, line, position, places: [None; CANDIDATES] };
        if position.plies() == 1 {
            for setup in replies {
                best.look_at(Move::setup(setup));
                best.look_at(Move::setup(&setup.mirrored()));
            }
        }
        if best.places[0].is_none() {
            (0..SAMPLE).for_each(|n| best.look_at(sampled_setup(self.seed, n)));
        }
        // Red's setup is not made for the empty rows that it is evaluated with.
        if position.plies() == 1 {
            best.climb();
        }
        let first = best.places[0].map_or_else(|| sampled_setup(self.seed, 0), |(_, mv)| mv);
        best.places.map(|place| place.map_or(first, |(_, mv)| mv))
    }
}

/// The best setups so far.
struct Best<'a, E: Evaluation> {
    evaluation: &'a E,
    line: &'a mut E::Line,
    position: &'a Position,
    /// The best first.
    places: [Option<(Score, Move)>; CANDIDATES],
}

impl<E: Evaluation> Best<'_, E> {
    fn look_at(&mut self, mv: Move) {
        let score = static_score(self.evaluation, self.line, self.position, mv);
        let is_better = |place: &Option<(Score, Move)>| place.is_some_and(|(other, _)| other >= score);
        let place = self.places.iter().take_while(|&place| is_better(place)).count();
        if place < CANDIDATES && !self.places.iter().flatten().any(|(_, other)| *other == mv) {
            self.places[place..].rotate_right(1);
            self.places[place] = Some((score, mv));
        }
    }

    /// Exchanges two pieces of the best setup as long as that makes a better one.
    fn climb(&mut self) {
        while let Some((score, mv)) = self.places[0] {
            let MoveKind::Setup(setup) = mv.kind() else { return };
            for (from, to) in (0..16).flat_map(|from| (0..from).map(move |to| (from, to))) {
                let mut pieces = *setup.pieces();
                pieces.swap(from, to);
                if pieces != *setup.pieces() {
                    // Exchanging pieces does not change their numbers.
                    Setup::new(pieces).map(|setup| self.look_at(Move::setup(&setup))).unwrap_or_default();
                }
            }
            if self.places[0].map_or(true, |(best, _)| best <= score) {
                return;
            }
        }
    }
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
