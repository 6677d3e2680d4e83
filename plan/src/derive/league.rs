//! `[league]`: engines that come and go, rated by a ladder in which all differences matter.

use super::super::keys::{LadderPlan, LeaguePlan};
use super::super::names::run_name;
use super::super::{Given, PlanError, RunPlan};
use arena::config::Compare;

/// The default number of pairs of a run: one for each opening reserved for it.
const USUAL_PAIRS: u64 = 1 << 20;

impl RunPlan {
    /// Returns the plan of the ladder for `[league]`.
    ///
    /// # Errors
    /// [`PlanError`] if there is no such section, or if there is a `[ladder]`, too.
    pub fn league(&self) -> Result<Self, PlanError> {
        let missing = || {
            let advice = "add one, for instance\n  [league]\n  precision = 10\nwith an [[entrant]] for each engine";
            self.error("there is no `[league]` section", advice)
        };
        let given = self.keys.league.as_ref().ok_or_else(missing)?;
        if let Some(ladder) = &self.keys.ladder {
            let label = "leave one of the two out";
            return Err(self.error_at(&ladder.origin, "this file has a `[league]`, and a `[ladder]` beside it", label));
        }
        let LeaguePlan { pairs, precision, lookahead, anchor, anchor_elo } = given.value.clone();
        if let (None, Some(elo)) = (&anchor, &anchor_elo) {
            let message = "a rating is given without an entrant";
            return Err(self.error_at(&elo.origin, message, "add `anchor = \"...\"`, or leave this out"));
        }
        let from = "a league";
        let mut plan = self.clone();
        plan.keys.league = None;
        let name = self.keys.name.as_ref().map_or(self.stem(), |name| &name.value);
        plan.keys.name = Some(Given::derived(run_name(&format!("league-{name}"), ""), "a league's runs are called so"));
        plan.keys.ladder = Some(given.with(LadderPlan {
            pairs: Some(pairs.unwrap_or_else(|| Given::derived(USUAL_PAIRS, from))),
            precision,
            lookahead,
            compare: Some(Given::derived(Compare::All, from)),
            anchor,
            anchor_elo,
            ..LadderPlan::default()
        }));
        Ok(plan)
    }
}
