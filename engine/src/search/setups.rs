//! Chooses a setup: from the book, or else the best of a pool by static evaluation.
//!
//! Red draws one of the book's best; without a book it plays the best of a pseudo-random sample. Blue plays the book's
//! reply. If the book does not know red's setup, blue searches the most promising of the book's replies; without a
//! book, those of a sample. The game's seed determines the drawn setup and the samples.

use crate::book::{mix, setup_of, BookEntry, BookParams, SetupBook, STEP};
use crate::eval::Evaluation;
use crate::{Move, MoveKind, Position, Score, Setup, Side};

/// The number of setups in a sample.
const SAMPLE: u64 = 256;
/// The number of setups returned.
const CANDIDATES: usize = 12;

/// The source of a game's setups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setups<'a> {
    /// `None` if the book is switched off.
    book: Option<&'a SetupBook>,
    /// The allowed deficit of red's setup against the best.
    margin: Score,
    /// The seed of the random choices.
    seed: u64,
}

impl<'a> Setups<'a> {
    /// Uses a book, if the parameters enable it.
    pub(super) fn new(book: &'a SetupBook, params: &BookParams, seed: u64) -> Self {
        let margin = Score::from_logit(params.book_margin);
        Self { book: params.setup_book.then_some(book), margin, seed }
    }

    /// The book's entry for a position after setups only.
    pub(super) fn known(&self, position: &Position) -> Option<BookEntry> {
        let book = self.book?;
        match position.plies() {
            0 => book.draw(self.margin, self.seed),
            _ => book.find(&setup_of(position, Side::Red)?),
        }
    }

    /// The best setups for the side to move by static evaluation, best first; ties keep the order of the pool.
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
        // Red's setup is evaluated against empty rows, for which it is not made.
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
    /// Candidates, the best first.
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

    /// Swaps two pieces of the best setup while this improves it.
    fn climb(&mut self) {
        while let Some((score, mv)) = self.places[0] {
            let MoveKind::Setup(setup) = mv.kind() else { return };
            for (from, to) in (0..16).flat_map(|from| (0..from).map(move |to| (from, to))) {
                let mut pieces = *setup.pieces();
                pieces.swap(from, to);
                if pieces != *setup.pieces() {
                    // Swapping pieces does not change their numbers.
                    Setup::new(pieces).map(|setup| self.look_at(Move::setup(&setup))).unwrap_or_default();
                }
            }
            if self.places[0].map_or(true, |(best, _)| best <= score) {
                return;
            }
        }
    }
}

/// The static evaluation of the position after a setup, in the view of the side that placed it.
fn static_score<E: Evaluation>(evaluation: &E, line: &mut E::Line, position: &Position, mv: Move) -> Score {
    let mut after = *position;
    let delta = after.play(mv);
    evaluation.advance(line, 1, &delta, &after);
    -evaluation.evaluate(line, 1, &after)
}

/// The `n`-th setup of a seed's sample.
fn sampled_setup(seed: u64, n: u64) -> Move {
    let number = mix(n.wrapping_mul(STEP).wrapping_add(seed));
    let rank = ((number >> 32) * u64::from(Setup::COUNT)) >> 32;
    // The rank is below the number of setups, so the fallback is never used.
    Move::setup_of_rank(rank as u32).unwrap_or(Move::jump(crate::Square::A1, crate::Square::A1))
}
