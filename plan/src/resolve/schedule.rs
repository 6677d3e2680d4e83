//! `[match]`: who plays whom, and whether there are enough entrants for it.

use super::super::error::{PlanError, Source};
use super::super::given::Given;
use super::super::keys::{MatchPlan, SchedulePlan};
use super::value;
use arena::config::{MOST_SWISS_ENTRANTS, Schedule};
use std::num::NonZeroU32;

/// Further pairs of a tied match, unless the file says otherwise.
const USUAL_TIE_BREAKS: u32 = 10;
/// More would be no tie-breaks.
const MOST_TIE_BREAKS: u32 = 1_000_000;

/// The schedule of a match among so many entrants, two or more.
pub(super) fn resolve(source: &Source, raw: &MatchPlan, entrants: u32) -> Result<Schedule, PlanError> {
    let word = value(raw.schedule.as_ref()).unwrap_or_default();
    refuse_others(source, raw, word)?;
    match word {
        SchedulePlan::Gauntlet => gauntlet(source, raw.seeds.as_ref(), entrants),
        SchedulePlan::RoundRobin => Ok(Schedule::RoundRobin),
        SchedulePlan::Pyramid => Ok(Schedule::Pyramid),
        SchedulePlan::Swiss => swiss(source, raw, entrants),
        SchedulePlan::Knockout => {
            let tie_breaks = raw.tie_breaks.as_ref().map_or(Ok(USUAL_TIE_BREAKS), |given| {
                let label = format!("expected 0 to {MOST_TIE_BREAKS} further pairs");
                let many = || source.error_at(&given.origin, "these are too many tie-breaks", label);
                (given.value <= MOST_TIE_BREAKS).then_some(given.value).ok_or_else(many)
            })?;
            Ok(Schedule::Knockout { tie_breaks })
        }
    }
}

/// Refuses what only another schedule has.
fn refuse_others(source: &Source, raw: &MatchPlan, word: SchedulePlan) -> Result<(), PlanError> {
    let keys = [
        ("seeds", &raw.seeds, SchedulePlan::Gauntlet, "gauntlet"),
        ("swiss_rounds", &raw.swiss_rounds, SchedulePlan::Swiss, "swiss"),
        ("tie_breaks", &raw.tie_breaks, SchedulePlan::Knockout, "knockout"),
    ];
    let mut given = keys.into_iter().filter_map(|(key, given, of, name)| Some((key, given.as_ref()?, of, name)));
    match given.find(|(_, _, of, _)| *of != word) {
        Some((key, given, _, name)) => {
            let message = format!("`{key}` is of another schedule");
            Err(source.error_at(&given.origin, message, format!("only `schedule = \"{name}\"` has it")))
        }
        None => Ok(()),
    }
}

fn gauntlet(source: &Source, seeds: Option<&Given<u32>>, entrants: u32) -> Result<Schedule, PlanError> {
    let Some(seeds) = seeds else { return Ok(Schedule::Gauntlet) };
    let refused = || {
        let message = format!("a gauntlet among {entrants} entrants cannot have {} seeds", seeds.value);
        source.error_at(&seeds.origin, message, format!("expected 1 to {}", entrants - 1))
    };
    match NonZeroU32::new(seeds.value).filter(|n| n.get() < entrants) {
        Some(NonZeroU32::MIN) => Ok(Schedule::Gauntlet),
        Some(seeds) => Ok(Schedule::Gauntlets { seeds }),
        None => Err(refused()),
    }
}

fn swiss(source: &Source, raw: &MatchPlan, entrants: u32) -> Result<Schedule, PlanError> {
    let place = raw.schedule.as_ref().map(|schedule| &schedule.origin);
    if let Some(place) = place.filter(|_| entrants > MOST_SWISS_ENTRANTS) {
        let message = format!("a Swiss of {entrants} entrants cannot be paired");
        return Err(source.error_at(place, message, format!("expected at most {MOST_SWISS_ENTRANTS} entrants")));
    }
    // With an odd number a round more, as everybody has a bye in one.
    let most = entrants - 1 + entrants % 2;
    let Some(rounds) = &raw.swiss_rounds else {
        // So many that one alone can have won them all.
        let usual = NonZeroU32::new(entrants.next_power_of_two().ilog2()).unwrap_or(NonZeroU32::MIN);
        return Ok(Schedule::Swiss { rounds: usual });
    };
    let refused = || {
        let message = format!("a Swiss of {entrants} entrants cannot have {} rounds", rounds.value);
        let error = source.error_at(&rounds.origin, message, format!("expected 1 to {most}"));
        error
            .with_help("nobody meets an opponent twice: `schedule = \"round-robin\"` plays everybody against everybody")
    };
    NonZeroU32::new(rounds.value)
        .filter(|rounds| rounds.get() <= most)
        .map(|rounds| Schedule::Swiss { rounds })
        .ok_or_else(refused)
}
