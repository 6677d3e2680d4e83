//! What an engine thinks of a position, as both protocols say it.

/// An engine's evaluation for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves of the winner; 0 or negative when the side to move is the one mated.
    Mate(i32),
}

/// Whether an evaluation is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// It is.
    #[default]
    Exact,
    /// The true value is at least this: the search failed high.
    Lower,
    /// The true value is at most this: the search failed low.
    Upper,
}
