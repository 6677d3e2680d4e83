//! The gauntlet: the first entrant, or each of the first few, against all entrants after it.

use super::Schedule;
use super::kind::{FixedSchedule, Headline, ScheduleError, ScheduleInfo, ScheduleRequest};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

pub(super) const SCHEDULE: ScheduleInfo = ScheduleInfo { name: "gauntlet", keys: &[SEEDS], new };

/// The key for the number of first entrants that play all entrants after them.
const SEEDS: &str = "seeds";

/// The gauntlet of the first entrant.
pub(super) struct Gauntlet;

/// A gauntlet for each of several first entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauntlets {
    /// The number of first entrants, two or more.
    pub seeds: NonZeroU32,
}

fn new(request: &ScheduleRequest<'_>) -> Result<Schedule, ScheduleError> {
    let Some(seeds) = (request.number)(SEEDS) else { return Ok(Schedule::Gauntlet) };
    let entrants = request.entrants;
    match NonZeroU32::new(seeds).filter(|seeds| seeds.get() < entrants) {
        Some(NonZeroU32::MIN) => Ok(Schedule::Gauntlet),
        Some(seeds) => Ok(Schedule::Gauntlets(Gauntlets { seeds })),
        None => Err(ScheduleError {
            key: Some(SEEDS),
            message: format!("a gauntlet among {entrants} entrants cannot have {seeds} seeds"),
            expected: format!("expected 1 to {}", entrants.saturating_sub(1)),
            help: None,
        }),
    }
}

/// Returns the pairings of each of the first `seeds` entrants with all entrants after it.
pub(super) fn seeded(seeds: u32, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>> {
    Box::new((0..entrants.min(seeds)).flat_map(move |one| (one + 1..entrants).map(move |two| (one, two))))
}

/// Returns the number of these pairings.
pub(super) fn count_seeded(seeds: u32, entrants: u32) -> u64 {
    let (seeds, entrants) = (u64::from(seeds.min(entrants)), u64::from(entrants));
    // The entrant at place i plays `entrants - 1 - i` others. The product of two 32-bit factors cannot overflow.
    seeds * entrants - seeds * (seeds + 1) / 2
}

impl Headline for Gauntlet {
    fn entrants_in_words(&self, names: &[&str], counted: fn(u64, &str) -> String) -> String {
        let first = names.first().copied().unwrap_or_default();
        format!("{first} vs {}", counted(names.len().saturating_sub(1) as u64, "other"))
    }

    fn common_entrant(&self) -> Option<u32> {
        Some(0)
    }
}

impl FixedSchedule for Gauntlet {
    fn pairings(&self, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>> {
        seeded(1, entrants)
    }

    fn count(&self, entrants: u32) -> u64 {
        count_seeded(1, entrants)
    }
}

impl Headline for Gauntlets {}

impl FixedSchedule for Gauntlets {
    fn pairings(&self, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>> {
        seeded(self.seeds.get(), entrants)
    }

    fn count(&self, entrants: u32) -> u64 {
        count_seeded(self.seeds.get(), entrants)
    }
}
