//! The one Elo of a run for places without space for two, with the kind of its estimate. `summary` has everything about
//! strength.

use super::format::finite;
use crate::text::interval;
use arena::run::{DecidedElo, Standing};
use serde_json::{Value, json};
use stats::Estimate;

/// The Elo of a run for places with space for only one, and the kind of its estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedElo {
    /// The estimate with its 95% interval.
    pub elo: Estimate,
    /// The kind of the estimate; `None` without a sequential test, where there is only one kind.
    pub kind: Option<&'static str>,
    /// `trinomial` if the estimate counts single games; `None` if it counts pairs, as usual.
    pub model: Option<&'static str>,
}

/// For a test that has decided, the estimate that allows for its having stopped; otherwise the estimate from the
/// counts.
pub fn reported_elo(standing: &Standing) -> Option<TestedElo> {
    let model = standing.counts.pairs().is_none().then(|| standing.counts.model());
    if let Some(DecidedElo { elo, low, high, .. }) = standing.sprt().and_then(|sprt| sprt.decided) {
        return Some(TestedElo { elo: Estimate { value: elo, low, high }, kind: Some("unbiased"), model });
    }
    let kind = standing.sprt().is_some().then_some("plain");
    Some(TestedElo { elo: standing.counts.summary().elo?, kind, model })
}

impl TestedElo {
    /// The Elo with its interval and its kind.
    pub fn in_words(self) -> String {
        format!("Elo {}{}", interval(self.elo, 1), self.what())
    }

    /// The kind where it is not obvious, as words to append: `, unbiased`, `, plain, trinomial` or nothing.
    pub fn what(self) -> String {
        self.kind.into_iter().chain(self.model).flat_map(|word| [", ", word]).collect()
    }

    /// The Elo as JSON for machines.
    pub fn json(self) -> Value {
        let [elo, low, high] = [self.elo.value, self.elo.low, self.elo.high].map(finite);
        let kind = self.kind.unwrap_or("plain");
        let statistics = self.model.unwrap_or("pentanomial");
        json!({ "elo": elo, "elo_low": low, "elo_high": high, "kind": kind, "statistics": statistics })
    }
}
