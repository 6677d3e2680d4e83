//! Who plays whom in a match: the schedules that there are, found by name. Each is a module that has its name, the keys
//! that it takes, what it makes of them, its pairings and its words. A new one is such a module, and here its variant
//! of [`Schedule`] and its place in [`SCHEDULES`]; one whose pairings depend on results has a [`TournamentStanding`],
//! too.
//!
//! Nothing here proposes pairs: that is for [`Match`](crate::run::Match).

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

/// The schedules, the default first.
const SCHEDULES: [ScheduleInfo; 5] =
    [gauntlet::SCHEDULE, round_robin::SCHEDULE, pyramid::SCHEDULE, swiss::SCHEDULE, knockout::SCHEDULE];

/// The schedule of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The first entrant against each of the others.
    #[default]
    Gauntlet,
    /// Each of the first entrants, this many of them, against all those after it.
    Gauntlets(Gauntlets),
    /// Each entrant against each other one.
    RoundRobin,
    /// Each entrant against all those before it, whose result is counted from the view of the later one.
    Pyramid,
    /// Rounds; in each, entrants with equal points meet that have not met before.
    Swiss(Swiss),
    /// Who loses a match is out.
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

    /// Its name in a sentence, if who plays whom depends on results.
    pub fn called(self) -> Option<&'static str> {
        Some(self.rounds_schedule()?.called())
    }

    /// How many rounds this many entrants play, if who plays whom depends on results.
    pub fn rounds(self, entrants: u32) -> Option<RoundsNeeded> {
        Some(self.rounds_schedule()?.rounds(entrants))
    }

    /// How many pairings this many entrants make; `None` if that depends on results.
    pub fn pairings(self, entrants: u32) -> Option<u64> {
        match self.kind() {
            Kind::Fixed(fixed) => Some(fixed.count(entrants)),
            Kind::Rounds(_) => None,
        }
    }

    /// The entrant that plays in all pairings, however many there are.
    pub fn common_entrant(self) -> Option<u32> {
        self.headline().common_entrant()
    }

    /// Who plays, in a few words. `counted` words a number of things.
    pub fn entrants_in_words(self, names: &[&str], counted: fn(u64, &str) -> String) -> String {
        match names {
            [first, second] => format!("{first} vs {second}"),
            names => self.headline().entrants_in_words(names, counted),
        }
    }

    /// How long it is in a few words. `pairs` is how many pairs a pairing has, in words; `counted` words a number of
    /// things.
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

/// Where a match stands whose pairings depend on results.
#[derive(Clone, Debug, PartialEq)]
pub enum TournamentStanding {
    /// A Swiss.
    Swiss(SwissStanding),
    /// A knockout.
    Knockout(KnockoutStanding),
}

impl TournamentStanding {
    /// What people see of it: `name` is what an entrant is called, `elo` its rating by all games about the mean of all.
    pub fn table(&self, name: &dyn Fn(u32) -> String, elo: &dyn Fn(u32) -> Option<Estimate>) -> TournamentTable {
        let of: &dyn TableOf = match self {
            Self::Swiss(swiss) => swiss,
            Self::Knockout(knockout) => knockout,
        };
        of.table(name, elo)
    }
}

/// A schedule that there is, before its keys are read. It is written and read as its name.
#[derive(Clone, Copy)]
pub struct ScheduleId(&'static ScheduleInfo);

/// Their names, in the same order.
const NAMES: [&str; SCHEDULES.len()] = {
    let (mut names, mut at) = ([""; SCHEDULES.len()], 0);
    while at < names.len() {
        names[at] = SCHEDULES[at].name;
        at += 1;
    }
    names
};

impl ScheduleId {
    /// All of them, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        const { &SCHEDULES }.iter().map(Self)
    }

    /// The schedule of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|schedule| schedule.name() == name)
    }

    /// All of them in words: `a, b or c`. `shown` is how each is spelled.
    pub fn all_in_words(shown: impl Fn(Self) -> String) -> String {
        let names: Vec<String> = Self::all().map(shown).collect();
        match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            all => all.concat(),
        }
    }

    /// Its name in configurations and on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The keys of `[match]` that it takes and that not all schedules have.
    pub fn keys(self) -> &'static [&'static str] {
        self.0.keys
    }

    /// The schedule that is asked for.
    ///
    /// # Errors
    /// [`ScheduleError`] of numbers that cannot be played.
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
    /// As one of several words, so that a form can show which there are.
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
