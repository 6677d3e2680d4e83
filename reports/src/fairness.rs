//! The fairness of openings, in numbers and words.

use crate::gather::{Fairness, OpeningsSay};
use crate::text::counted;
use serde::Serialize;
use stats::Estimate;

/// Whether openings decide games, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FairnessRow {
    /// The number of pairs by the half points of the first movers in both games together, 0 to 4.
    pub observed: [u64; 5],
    /// The same numbers expected from independent games of the same entrants; the ends hold 95% of samples.
    pub expected: [Estimate; 5],
    /// The number of pairs in which one side, the first mover or the second, won both games.
    pub one_side_won: u64,
    /// The same number expected from independent games.
    pub one_side_expected: Estimate,
    /// The conclusion about the openings.
    pub says: OpeningsSay,
    /// The conclusion in words.
    pub in_words: String,
}

impl From<Fairness> for FairnessRow {
    fn from(fairness: Fairness) -> Self {
        Self {
            observed: fairness.observed,
            expected: fairness.expected,
            one_side_won: fairness.one_side_won,
            one_side_expected: fairness.one_side_expected,
            says: fairness.says(),
            in_words: in_words(&fairness),
        }
    }
}

/// Compares pairs with a win each to those expected by chance, in a sentence.
pub(crate) fn in_words(fairness: &Fairness) -> String {
    let Fairness { one_side_won: won, one_side_expected: expected, .. } = fairness;
    let meaning = match fairness.says() {
        OpeningsSay::Decide => {
            let excess = counted((*won as f64 - expected.value).round() as u64, "pair");
            format!("more than chance: of about {excess} the opening decided, or both play alike")
        }
        OpeningsSay::Suit => "fewer than chance: openings suit one engine or the other".to_owned(),
        OpeningsSay::Chance => "as chance gives: no sign that openings decide".to_owned(),
    };
    let (won, value, low, high) = (counted(*won, "pair"), expected.value, expected.low, expected.high);
    format!("one side won both games of {won}; independent games: {value:.1} ({low:.1} to {high:.1}); {meaning}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Estimate;

    #[test]
    fn an_excess_of_pairs_won_by_one_side_is_reported_as_such() {
        let none = Estimate { value: 0.0, low: 0.0, high: 0.0 };
        let of = |one_side_won| Fairness {
            observed: [0; 5],
            expected: [none; 5],
            one_side_won,
            one_side_expected: Estimate { value: 20.0, low: 12.0, high: 28.0 },
        };
        assert!(
            in_words(&of(55)).ends_with("more than chance: of about 35 pairs the opening decided, or both play alike")
        );
        assert!(in_words(&of(20)).contains("of 20 pairs; independent games: 20.0 (12.0 to 28.0); as chance gives"));
        assert!(in_words(&of(2)).contains("fewer than chance"));
    }
}
