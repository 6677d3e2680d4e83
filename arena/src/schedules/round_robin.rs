//! The round robin: each entrant against every other.

use super::Schedule;
use super::gauntlet::{count_seeded, seeded};
use super::kind::{FixedSchedule, Headline, ScheduleInfo};

pub(super) const SCHEDULE: ScheduleInfo =
    ScheduleInfo { name: "round-robin", keys: &[], new: |_| Ok(Schedule::RoundRobin) };

pub(super) struct RoundRobin;

impl Headline for RoundRobin {}

impl FixedSchedule for RoundRobin {
    fn pairings(&self, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>> {
        seeded(entrants, entrants)
    }

    fn count(&self, entrants: u32) -> u64 {
        count_seeded(entrants, entrants)
    }
}
