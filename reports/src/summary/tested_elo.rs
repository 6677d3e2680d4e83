//! The one Elo of a run where there is no room for two, with the kind of its estimate. `summary` has everything about
//! strength.

use super::format::finite;
use crate::text::interval;
use arena::run::{DecidedElo, Standing};
use serde_json::{Value, json};
use stats::Estimate;

/// The Elo of a run where there is room for one, and the kind of its estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedElo {
    /// The estimate with its 95% interval.
    pub elo: Estimate,
    /// What it is; `None` where there is only one kind, without a sequential test.
    pub kind: Option<&'static str>,
    /// `trinomial` where it is of games one by one; `None` where it is of pairs, as usual.
    pub model: Option<&'static str>,
}

/// Of a test that has decided the estimate that allows for its having stopped; else what the counts say.
pub fn reported_elo(standing: &Standing) -> Option<TestedElo> {
    let model = standing.counts.pairs().is_none().then(|| standing.counts.model());
    if let Some(DecidedElo { elo, low, high, .. }) = standing.sprt().and_then(|sprt| sprt.decided) {
        return Some(TestedElo { elo: Estimate { value: elo, low, high }, kind: Some("unbiased"), model });
    }
    let kind = standing.sprt().is_some().then_some("plain");
    Some(TestedElo { elo: standing.counts.summary().elo?, kind, model })
}

impl TestedElo {
    /// With its interval and its kind.
    pub fn in_words(self) -> String {
        format!("Elo {}{}", interval(self.elo, 1), self.what())
    }

    /// What it is where that is not plain to see, as words to follow it: `, unbiased`, `, plain, trinomial` or nothing.
    pub fn what(self) -> String {
        self.kind.into_iter().chain(self.model).flat_map(|word| [", ", word]).collect()
    }

    /// The same for machines.
    pub fn json(self) -> Value {
        let [elo, low, high] = [self.elo.value, self.elo.low, self.elo.high].map(finite);
        let kind = self.kind.unwrap_or("plain");
        let statistics = self.model.unwrap_or("pentanomial");
        json!({ "elo": elo, "elo_low": low, "elo_high": high, "kind": kind, "statistics": statistics })
    }
}
