//! `[match]`: the schedule, and whether there are enough entrants for it. The schedule itself defines its limits.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, value};
use super::super::keys::MatchPlan;
use arena::config::{Schedule, ScheduleError, ScheduleId, ScheduleRequest};

/// Resolves the schedule of a match of this many entrants, two or more.
pub(super) fn resolve(source: &Source, raw: &MatchPlan, entrants: u32) -> Result<Schedule, PlanError> {
    let id = value(raw.schedule.as_ref()).unwrap_or_default();
    let mut keys = raw.clone();
    let given: Vec<(&str, &Given<u32>)> =
        keys.of_schedules().into_iter().filter_map(|(key, given)| Some((key, given.as_ref()?))).collect();
    if let Some((key, given)) = given.iter().find(|(key, _)| !id.keys().contains(key)) {
        return Err(of_another(source, key, given));
    }
    let of = |key: &str| given.iter().find(|(known, _)| *known == key).map(|(_, given)| *given);
    let schedule = id.schedule(&ScheduleRequest { entrants, number: &|key| of(key).map(|given| given.value) });
    schedule.map_err(|ScheduleError { key, message, expected, help }| {
        let origin = key.and_then(of).map(|given| &given.origin);
        let error = match origin.or(raw.schedule.as_ref().map(|schedule| &schedule.origin)) {
            Some(origin) => source.error_at(origin, message, expected),
            None => source.error(message, expected),
        };
        help.into_iter().fold(error, PlanError::with_help)
    })
}

/// The error about a key that only another schedule has.
fn of_another(source: &Source, key: &str, given: &Given<u32>) -> PlanError {
    let owners = ScheduleId::all().filter(|schedule| schedule.keys().contains(&key));
    let owners: Vec<String> = owners.map(|owner| format!("`schedule = \"{}\"`", owner.name())).collect();
    let label = format!("only {} has it", owners.join(" or "));
    source.error_at(&given.origin, format!("`{key}` is of another schedule"), label)
}
