//! The interface of a schedule: its name, its keys and its pairings.

use super::Schedule;
use super::TournamentStanding;
use super::pairing::PairingStanding;
use super::table::TournamentTable;
use stats::Estimate;
use std::fmt;
use std::num::NonZeroU64;

/// The static description of a schedule, known before a configuration asks for it.
pub(super) struct ScheduleInfo {
    /// The name in configurations and on the command line.
    pub(super) name: &'static str,
    /// The keys of `[match]` that this schedule accepts and not all schedules have.
    pub(super) keys: &'static [&'static str],
    /// Builds the requested schedule.
    pub(super) new: fn(&ScheduleRequest<'_>) -> Result<Schedule, ScheduleError>,
}

/// A configuration's request for a schedule.
pub struct ScheduleRequest<'a> {
    /// The number of entrants, two or more.
    pub entrants: u32,
    /// Returns the number at a key, if the key is given.
    pub number: &'a dyn Fn(&str) -> Option<u32>,
}

impl fmt::Debug for ScheduleRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleRequest").field("entrants", &self.entrants).finish_non_exhaustive()
    }
}

/// Why a schedule cannot be played as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    /// The key with the wrong number; `None` if the schedule itself cannot be played.
    pub key: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// What would be valid.
    pub expected: String,
    /// An alternative, for the user.
    pub help: Option<&'static str>,
}

/// A schedule, by whether its pairings depend on results.
pub(crate) enum Kind<'a> {
    /// They do not depend on results: all pairings are known at the beginning.
    Fixed(&'a dyn FixedSchedule),
    /// They depend on results, round by round.
    Rounds(&'a dyn RoundsSchedule),
}

/// What a match's headline needs from any schedule.
pub(crate) trait Headline {
    /// Describes three entrants or more in a few words. `counted` formats a number with its noun.
    fn entrants_in_words(&self, names: &[&str], _counted: fn(u64, &str) -> String) -> String {
        format!("{} entrants", names.len())
    }

    /// Returns the entrant that plays in all pairings, whatever the number of entrants.
    fn common_entrant(&self) -> Option<u32> {
        None
    }
}

/// A schedule whose pairings are known at the beginning.
pub(crate) trait FixedSchedule: Headline {
    /// Describes the length in a few words. `pairs` is the number of pairs in a pairing, in words.
    fn length_in_words(&self, pairs: &str, entrants: u32) -> String {
        if entrants > 2 { format!("{pairs} a pairing") } else { pairs.to_owned() }
    }

    /// Returns the pairings of this many entrants, in the order in which they take turns.
    fn pairings(&self, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>>;

    /// Returns the number of pairings of this many entrants.
    fn count(&self, entrants: u32) -> u64;
}

/// A schedule in rounds, each drawn from the results of the rounds before it.
pub(crate) trait RoundsSchedule: Headline {
    /// Returns the schedule's name for use in a sentence.
    fn called(&self) -> &'static str;

    /// Describes the length in a few words. `pairs` is the number of pairs in a meeting, in words.
    fn length_in_words(&self, pairs: &str, counted: fn(u64, &str) -> String) -> String;

    /// Returns the number of rounds that this many entrants play.
    fn rounds(&self, entrants: u32) -> RoundsNeeded;

    /// Returns the tournament before its first round, with this many pairs in a meeting.
    fn begin(&self, pairs: NonZeroU64, entrants: u32) -> Box<dyn Tournament>;
}

/// The number of rounds of a schedule. Each round has its own openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundsNeeded {
    /// The number of rounds.
    pub rounds: u32,
    /// The most extra pairs of a tied meeting; 0 for schedules that break no ties.
    pub tie_breaks: u32,
}

/// A match whose pairings depend on results, with the rounds drawn so far.
///
/// A round is drawn once all pairs of the earlier rounds have been absorbed, from their results and the configuration
/// alone.
pub(crate) trait Tournament: fmt::Debug + Send + Sync {
    /// Sets the number of games in a pair: 1 or 2. The default is 2.
    fn set_games_each(&mut self, games: u64);

    /// Returns the next pairings, once all drawn pairings have been played; `None` at the end.
    fn draw(&mut self, played: &[PairingStanding]) -> Option<Drawn>;

    /// Returns the number of pairs after those already drawn, as far as it is known, without tie-breaks.
    fn pairs_to_come(&self) -> u64;

    /// Returns the standing.
    fn standing(&self, played: &[PairingStanding]) -> TournamentStanding;

    /// Returns an independent copy.
    fn copied(&self) -> Box<dyn Tournament>;
}

impl Clone for Box<dyn Tournament> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

/// Newly drawn pairings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// The two entrants of each meeting. They have met before only if their match is extended.
    pub(crate) meetings: Vec<(u32, u32)>,
    /// The number of pairs in each meeting.
    pub(crate) pairs: u64,
    /// The opening of each meeting's first pair, among all openings of the run.
    pub(crate) first_opening: u64,
}

/// A standing that can be displayed as a table.
pub(super) trait TableOf {
    /// Returns the table. `name` returns an entrant's name; `elo` its rating.
    fn table(&self, name: &dyn Fn(u32) -> String, elo: &dyn Fn(u32) -> Option<Estimate>) -> TournamentTable;
}
