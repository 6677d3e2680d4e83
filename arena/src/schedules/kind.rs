//! What each schedule says of itself: how it is found, what it takes, and who plays whom.

use super::Schedule;
use super::TournamentStanding;
use super::pairing::PairingStanding;
use super::table::TournamentTable;
use stats::Estimate;
use std::fmt;
use std::num::NonZeroU64;

/// What there is to know of a schedule before a configuration asks for it.
pub(super) struct ScheduleInfo {
    /// Its name in configurations and on the command line.
    pub(super) name: &'static str,
    /// The keys of `[match]` that it takes and that not all schedules have.
    pub(super) keys: &'static [&'static str],
    /// The schedule that is asked for.
    pub(super) new: fn(&ScheduleRequest<'_>) -> Result<Schedule, ScheduleError>,
}

/// What a configuration asks of a schedule.
pub struct ScheduleRequest<'a> {
    /// How many entrants there are, two or more.
    pub entrants: u32,
    /// The number at one of its keys, if it is given.
    pub number: &'a dyn Fn(&str) -> Option<u32>,
}

impl fmt::Debug for ScheduleRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleRequest").field("entrants", &self.entrants).finish_non_exhaustive()
    }
}

/// Why a schedule cannot be played as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    /// The key whose number is at fault; `None` if the schedule itself cannot be played.
    pub key: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// What is possible.
    pub expected: String,
    /// What else could be done.
    pub help: Option<&'static str>,
}

/// A schedule, by whether results decide who plays whom.
pub(crate) enum Kind<'a> {
    /// They do not: all pairings are known at the beginning.
    Fixed(&'a dyn FixedSchedule),
    /// They do: round by round.
    Rounds(&'a dyn RoundsSchedule),
}

/// What the headline of a match has of any schedule.
pub(crate) trait Headline {
    /// Who plays, in a few words, of three entrants or more. `counted` words a number of things.
    fn entrants_in_words(&self, names: &[&str], _counted: fn(u64, &str) -> String) -> String {
        format!("{} entrants", names.len())
    }

    /// The entrant that plays in all pairings, however many there are.
    fn common_entrant(&self) -> Option<u32> {
        None
    }
}

/// A schedule whose pairings are known at the beginning.
pub(crate) trait FixedSchedule: Headline {
    /// How long it is, in a few words. `pairs` is how many pairs a pairing has, in words.
    fn length_in_words(&self, pairs: &str, entrants: u32) -> String {
        if entrants > 2 { format!("{pairs} a pairing") } else { pairs.to_owned() }
    }

    /// The pairings of this many entrants, in the order in which they take turns.
    fn pairings(&self, entrants: u32) -> Box<dyn Iterator<Item = (u32, u32)>>;

    /// How many these are.
    fn count(&self, entrants: u32) -> u64;
}

/// A schedule in rounds, each of which is drawn from the results of those before it.
pub(crate) trait RoundsSchedule: Headline {
    /// Its name in a sentence.
    fn called(&self) -> &'static str;

    /// How long it is, in a few words. `pairs` is how many pairs a meeting has, in words.
    fn length_in_words(&self, pairs: &str, counted: fn(u64, &str) -> String) -> String;

    /// How many rounds this many entrants play.
    fn rounds(&self, entrants: u32) -> RoundsNeeded;

    /// The tournament before its first round, with this many pairs in a meeting.
    fn begin(&self, pairs: NonZeroU64, entrants: u32) -> Box<dyn Tournament>;
}

/// How many rounds a schedule has, each of which has openings of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundsNeeded {
    /// The rounds.
    pub rounds: u32,
    /// Further pairs of a tied meeting at most; 0 for schedules that break no ties.
    pub tie_breaks: u32,
}

/// A match whose pairings depend on results, as far as it is drawn.
///
/// A round is drawn when all pairs of the rounds before have been absorbed, from those and from the configuration
/// alone.
pub(crate) trait Tournament: fmt::Debug + Send + Sync {
    /// Sets how many games it calls a pair: 1, or 2 as long as nothing else is set.
    fn set_games_each(&mut self, games: u64);

    /// The next pairings, once all that were drawn have been played; `None` at the end.
    fn draw(&mut self, played: &[PairingStanding]) -> Option<Drawn>;

    /// Pairs still to come after those drawn, if that is known, without tie-breaks.
    fn pairs_to_come(&self) -> u64;

    /// Where it stands.
    fn standing(&self, played: &[PairingStanding]) -> TournamentStanding;

    /// A copy, which takes another course from here on.
    fn copied(&self) -> Box<dyn Tournament>;
}

impl Clone for Box<dyn Tournament> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

/// The next pairings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Two entrants each, which have met before only if their match is extended.
    pub(crate) meetings: Vec<(u32, u32)>,
    /// Pairs of each meeting.
    pub(crate) pairs: u64,
    /// The opening of the first pair of each, counted among all openings of the run.
    pub(crate) first_opening: u64,
}

/// A standing that people can be shown.
pub(super) trait TableOf {
    /// What they see of it: `name` is what an entrant is called, `elo` its rating.
    fn table(&self, name: &dyn Fn(u32) -> String, elo: &dyn Fn(u32) -> Option<Estimate>) -> TournamentTable;
}
