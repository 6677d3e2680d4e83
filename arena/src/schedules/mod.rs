//! The schedules, which decide the pairings of a match, found by name. Each schedule is a module with its name, its
//! keys, the code that reads them, its pairings and its wording. A new schedule needs such a module, a variant of
//! [`Schedule`] and an entry in [`SCHEDULES`]; a schedule whose pairings depend on results also needs a
//! [`TournamentStanding`].
//!
//! This module proposes no pairs; [`Match`](crate::run::Match) does.

mod gauntlet;
mod kind;
mod knockout;
mod pairing;
mod pyramid;
mod round_robin;
mod swiss;
mod table;

pub use gauntlet::Gauntlets;
pub(crate) use kind::{Drawn, Kind, RoundsSchedule, Tournament};
pub use kind::{RoundsNeeded, ScheduleError, ScheduleRequest};
pub use knockout::{Knockout, KnockoutMatch, KnockoutStanding};
pub use pairing::PairingStanding;
pub use swiss::{Swiss, SwissPlace, SwissStanding};
pub use table::{Cell, Head, TournamentTable};

use gauntlet::Gauntlet;
use kind::{Headline, ScheduleInfo, TableOf};
use pyramid::Pyramid;
use round_robin::RoundRobin;
use serde::de::{EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stats::Estimate;
use std::fmt;

/// All schedules, the default first.
const SCHEDULES: [ScheduleInfo; 5] =
    [gauntlet::SCHEDULE, round_robin::SCHEDULE, pyramid::SCHEDULE, swiss::SCHEDULE, knockout::SCHEDULE];

/// The schedule of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The first entrant against each of the others.
    #[default]
    Gauntlet,
    /// Each of the first few entrants against all entrants after it.
    Gauntlets(Gauntlets),
    /// Each entrant against every other.
    RoundRobin,
    /// Each entrant against all entrants before it, counted from the later entrant's view.
    Pyramid,
    /// Rounds in which entrants with equal points meet, without rematches.
    Swiss(Swiss),
    /// The loser of a match is out.
    Knockout(Knockout),
}

impl Schedule {
    pub(crate) fn kind(&self) -> Kind<'_> {
        match self {
            Self::Gauntlet => Kind::Fixed(&Gauntlet),
            Self::Gauntlets(gauntlets) => Kind::Fixed(gauntlets),
            Self::RoundRobin => Kind::Fixed(&RoundRobin),
            Self::Pyramid => Kind::Fixed(&Pyramid),
            Self::Swiss(swiss) => Kind::Rounds(swiss),
            Self::Knockout(knockout) => Kind::Rounds(knockout),
        }
    }

    /// Whether pairings depend on results.
    pub fn is_adaptive(self) -> bool {
        self.rounds_schedule().is_some()
    }

    /// Returns the schedule's name for use in a sentence, if its pairings depend on results.
    pub fn called(self) -> Option<&'static str> {
        Some(self.rounds_schedule()?.called())
    }

    /// Returns the number of rounds that this many entrants play, if pairings depend on results.
    pub fn rounds(self, entrants: u32) -> Option<RoundsNeeded> {
        Some(self.rounds_schedule()?.rounds(entrants))
    }

    /// Returns the number of pairings of this many entrants; `None` if it depends on results.
    pub fn pairings(self, entrants: u32) -> Option<u64> {
        match self.kind() {
            Kind::Fixed(fixed) => Some(fixed.count(entrants)),
            Kind::Rounds(_) => None,
        }
    }

    /// Returns the entrant that plays in all pairings, whatever the number of entrants.
    pub fn common_entrant(self) -> Option<u32> {
        self.headline().common_entrant()
    }

    /// Describes the entrants in a few words. `counted` formats a number with its noun.
    pub fn entrants_in_words(self, names: &[&str], counted: fn(u64, &str) -> String) -> String {
        match names {
            [first, second] => format!("{first} vs {second}"),
            names => self.headline().entrants_in_words(names, counted),
        }
    }

    /// Describes the length in a few words. `pairs` is the number of pairs in a pairing, in words; `counted` formats a
    /// number with its noun.
    pub fn length_in_words(self, pairs: &str, entrants: u32, counted: fn(u64, &str) -> String) -> String {
        match self.kind() {
            Kind::Rounds(rounds) => rounds.length_in_words(pairs, counted),
            Kind::Fixed(fixed) => fixed.length_in_words(pairs, entrants),
        }
    }

    fn headline(&self) -> &dyn Headline {
        match self.kind() {
            Kind::Fixed(fixed) => fixed,
            Kind::Rounds(rounds) => rounds,
        }
    }

    fn rounds_schedule(&self) -> Option<&dyn RoundsSchedule> {
        match self.kind() {
            Kind::Rounds(rounds) => Some(rounds),
            Kind::Fixed(_) => None,
        }
    }
}

/// The standing of a match whose pairings depend on results.
#[derive(Clone, Debug, PartialEq)]
pub enum TournamentStanding {
    /// A Swiss.
    Swiss(SwissStanding),
    /// A knockout.
    Knockout(KnockoutStanding),
}

impl TournamentStanding {
    /// Returns the table for display. `name` returns an entrant's name; `elo` its rating from all games, relative to
    /// the mean of all entrants.
    pub fn table(&self, name: &dyn Fn(u32) -> String, elo: &dyn Fn(u32) -> Option<Estimate>) -> TournamentTable {
        let of: &dyn TableOf = match self {
            Self::Swiss(swiss) => swiss,
            Self::Knockout(knockout) => knockout,
        };
        of.table(name, elo)
    }
}

/// A schedule before its keys are read, serialised as its name.
#[derive(Clone, Copy)]
pub struct ScheduleId(&'static ScheduleInfo);

/// The names of the schedules, in the same order.
const NAMES: [&str; SCHEDULES.len()] = {
    let (mut names, mut at) = ([""; SCHEDULES.len()], 0);
    while at < names.len() {
        names[at] = SCHEDULES[at].name;
        at += 1;
    }
    names
};

impl ScheduleId {
    /// Returns all schedules, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        const { &SCHEDULES }.iter().map(Self)
    }

    /// Returns the schedule with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|schedule| schedule.name() == name)
    }

    /// Lists all schedules in words: `a, b or c`. `shown` spells each of them.
    pub fn all_in_words(shown: impl Fn(Self) -> String) -> String {
        let names: Vec<String> = Self::all().map(shown).collect();
        match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            all => all.concat(),
        }
    }

    /// Returns the schedule's name in configurations and on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the keys of `[match]` that this schedule accepts and not all schedules have.
    pub fn keys(self) -> &'static [&'static str] {
        self.0.keys
    }

    /// Returns the requested schedule.
    ///
    /// # Errors
    /// [`ScheduleError`] for numbers that cannot be played.
    pub fn schedule(self, request: &ScheduleRequest<'_>) -> Result<Schedule, ScheduleError> {
        (self.0.new)(request)
    }
}

impl Default for ScheduleId {
    fn default() -> Self {
        Self(const { &SCHEDULES[0] })
    }
}

impl PartialEq for ScheduleId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ScheduleId {}

impl fmt::Debug for ScheduleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for ScheduleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ScheduleId {
    /// Deserialises one of a fixed set of words, so that a form can list them.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl<'de> Visitor<'de> for Word {
            type Value = ScheduleId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a schedule")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, word: A) -> Result<ScheduleId, A::Error> {
                let (name, rest) = word.variant::<String>()?;
                rest.unit_variant()?;
                ScheduleId::named(&name).ok_or_else(|| A::Error::unknown_variant(&name, &NAMES))
            }
        }
        deserializer.deserialize_enum("Schedule", &NAMES, Word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Experiment, Match};
    use std::num::NonZeroU64;

    fn schedule_of(id: ScheduleId, entrants: u32) -> Schedule {
        id.schedule(&ScheduleRequest { entrants, number: &|_| None }).expect("what is usual can be played")
    }

    #[test]
    fn pairings_are_those_that_are_played() {
        let seeds = std::num::NonZeroU32::new(2).expect("two");
        let gauntlets = Schedule::Gauntlets(Gauntlets { seeds });
        for entrants in 2..7 {
            for schedule in ScheduleId::all().map(|id| schedule_of(id, entrants)).chain([gauntlets]) {
                let started = Match::new(NonZeroU64::MIN, schedule, entrants).standing().pairings().len() as u64;
                match schedule.pairings(entrants) {
                    Some(pairings) => assert_eq!(pairings, started, "{schedule:?} of {entrants}"),
                    None => assert!(schedule.is_adaptive() && schedule.called().is_some(), "{schedule:?}"),
                }
            }
        }
    }

    #[test]
    fn each_schedule_is_found_by_its_name() {
        for id in ScheduleId::all() {
            assert_eq!(ScheduleId::named(id.name()), Some(id));
            let text = serde_json::to_string(&id).unwrap();
            assert_eq!((text, serde_json::from_str(&format!("\"{id:?}\"")).unwrap()), (format!("\"{id:?}\""), id));
            let stored = serde_json::to_string(&schedule_of(id, 5)).unwrap();
            assert!(stored.contains(id.name()), "{stored}");
            assert_eq!(serde_json::from_str::<Schedule>(&stored).unwrap(), schedule_of(id, 5));
        }
        assert_eq!(ScheduleId::default().name(), "gauntlet");
        let names = ["a", "b", "c"];
        let headline =
            |schedule: Schedule, names: &[&str]| schedule.entrants_in_words(names, |n, of| format!("{n} {of}s"));
        assert_eq!(headline(Schedule::Gauntlet, &names), "a vs 2 others");
        for schedule in ScheduleId::all().map(|id| schedule_of(id, 3)) {
            assert_eq!(headline(schedule, &names[..2]), "a vs b");
            assert!(schedule == Schedule::Gauntlet || headline(schedule, &names) == "3 entrants", "{schedule:?}");
        }
        let error = serde_json::from_str::<ScheduleId>("\"swis\"").unwrap_err().to_string();
        assert!(error.contains("unknown variant `swis`") && error.contains("`knockout`"), "{error}");
    }
}
