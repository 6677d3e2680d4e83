//! The pyramid: each entrant against all entrants before it.

use super::Schedule;
use super::gauntlet::count_seeded;
use super::kind::{FixedSchedule, Headline, ScheduleInfo};

pub(super) const SCHEDULE: ScheduleInfo = ScheduleInfo { name: "pyramid", keys: &[], new: |_| Ok(Schedule::Pyramid) };

pub(super) struct Pyramid;

impl Headline for Pyramid {}

impl FixedSchedule for Pyramid {
    fn pairings(&self, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>> {
        Box::new((0..entrants).flat_map(|two| (0..two).map(move |one| (two, one))))
    }

    fn count(&self, entrants: u32) -> u64 {
        count_seeded(entrants, entrants)
    }
}
