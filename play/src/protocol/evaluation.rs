//! How certain an engine's evaluation is, as UCI and XBoard express it.

/// Whether an evaluation is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// It is exact.
    #[default]
    Exact,
    /// The true value is at least this: the search failed high.
    Lower,
    /// The true value is at most this: the search failed low.
    Upper,
}
