//! The common parts of plans of jobs that play matches between builds: `spar bisect` and `spar campaign`.

use super::super::keys::{EnginePlan, MatchPlan};
use super::super::{Given, Origin, PlanError, RunPlan};
use std::num::NonZeroU64;

/// The most pairs that a key accepts.
pub(super) const MOST_PAIRS: u64 = 1_000_000_000_000;

impl RunPlan {
    /// Refuses sections about entrants: `message` says what the entrants are, `all` is the word for all of them.
    pub(super) fn refuse_entrants(&self, message: &str, all: &str) -> Result<(), PlanError> {
        let Self { keys, .. } = self;
        let sections = [
            (keys.dev.as_ref().map(|given| &given.origin), "[dev]"),
            (keys.base.as_ref().map(|given| &given.origin), "[base]"),
            (self.own_entrant().map(|given| &given.origin), "[[entrant]]"),
        ];
        match sections.into_iter().find_map(|(origin, name)| Some((origin?, name))) {
            Some((origin, name)) => {
                let message = format!("{message}, so it has no `{name}`");
                Err(self.error_at(origin, message, format!("put settings for all {all} into `[each]`")))
            }
            None => Ok(()),
        }
    }

    /// Returns a key's number, or its default.
    pub(super) fn number(
        &self,
        key: Option<&Given<f64>>,
        name: &str,
        usual: f64,
        expected: &str,
        is_right: impl Fn(f64) -> bool,
    ) -> Result<f64, PlanError> {
        match key {
            None => Ok(usual),
            Some(given) if is_right(given.value) => Ok(given.value),
            Some(given) => Err(self.error_at(&given.origin, format!("`{name}` cannot be {}", given.value), expected)),
        }
    }

    /// Returns a key's number of pairs, or its default.
    pub(super) fn whole(&self, key: Option<&Given<u64>>, name: &str, usual: u64) -> Result<NonZeroU64, PlanError> {
        let number = key.map_or(usual, |given| given.value);
        let origin = key.map_or(&Origin::Usual, |given| &given.origin);
        let wrong = || self.error_at(origin, format!("`{name}` cannot be {number}"), "expected 1 to 1000000000000");
        NonZeroU64::new(number).filter(|number| number.get() <= MOST_PAIRS).ok_or_else(wrong)
    }

    /// Returns the plan of a match of this many pairs between two engines, as a part of the job `of`. `openings` is
    /// added to the seed, so that the match has its own openings.
    pub(super) fn match_of_builds(
        &self,
        name: String,
        seats: [Given<EnginePlan>; 2],
        openings: u64,
        pairs: u64,
        of: &str,
    ) -> Self {
        let mut plan = self.clone();
        let from = || Origin::derived(of);
        plan.drop_other_jobs(None);
        plan.keys.build = None;
        let pairs = MatchPlan { pairs: Some(Given::new(pairs, from())), ..MatchPlan::default() };
        plan.keys.r#match = Some(Given::new(pairs, from()));
        let seed = self.keys.seed.as_ref().map_or(1, |seed| seed.value);
        plan.keys.seed = Some(Given::new(seed.wrapping_add(openings) & (u64::MAX >> 1), from()));
        plan.keys.name = Some(Given::derived(name, "after the two builds"));
        plan.keys.entrant = seats.into();
        plan.bench_of_builds();
        plan
    }
}
