//! The Swiss system: in each round, entrants with equal scores meet. A meeting is a number of pairs, and is won, drawn
//! or lost as a whole.

mod pairing;
mod table;

use super::kind::{
    Drawn, Headline, RoundsNeeded, RoundsSchedule, ScheduleError, ScheduleInfo, ScheduleRequest, Tournament,
};
use super::pairing::PairingStanding;
use super::{Schedule, TournamentStanding};
use pairing::{Field, Meeting, meeting};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};

pub(super) const SCHEDULE: ScheduleInfo = ScheduleInfo { name: "swiss", keys: &[ROUNDS], new };

/// The key for the number of rounds.
const ROUNDS: &str = "swiss_rounds";

/// The most entrants. With more, drawing a round would take longer than playing it.
const MOST_ENTRANTS: u32 = 200;

/// The half points for a won meeting or a bye.
const WON: u32 = 2;

/// The settings of a Swiss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swiss {
    /// The number of rounds, at most the number of opponents that an entrant has.
    pub rounds: NonZeroU32,
}

fn new(request: &ScheduleRequest<'_>) -> Result<Schedule, ScheduleError> {
    let entrants = request.entrants;
    if entrants > MOST_ENTRANTS {
        return Err(ScheduleError {
            key: None,
            message: format!("a Swiss of {entrants} entrants cannot be paired"),
            expected: format!("expected at most {MOST_ENTRANTS} entrants"),
            help: None,
        });
    }
    // The least number of rounds after which only one entrant can have won every meeting.
    let usual = entrants.next_power_of_two().ilog2().max(1);
    // An odd number of entrants allows one round more, as each entrant has a bye in one round.
    let most = entrants.saturating_sub(1) + entrants % 2;
    let rounds = (request.number)(ROUNDS).unwrap_or(usual);
    let possible = NonZeroU32::new(rounds).filter(|rounds| rounds.get() <= most);
    possible.map(|rounds| Schedule::Swiss(Swiss { rounds })).ok_or_else(|| ScheduleError {
        key: Some(ROUNDS),
        message: format!("a Swiss of {entrants} entrants cannot have {rounds} rounds"),
        expected: format!("expected 1 to {most}"),
        help: Some("no two meet twice: `schedule = \"round-robin\"` plays everybody against everybody"),
    })
}

impl Headline for Swiss {}

impl RoundsSchedule for Swiss {
    fn called(&self) -> &'static str {
        "Swiss"
    }

    fn length_in_words(&self, pairs: &str, counted: fn(u64, &str) -> String) -> String {
        format!("Swiss, {} of {pairs}", counted(self.rounds.get().into(), "round"))
    }

    fn rounds(&self, _entrants: u32) -> RoundsNeeded {
        RoundsNeeded { rounds: self.rounds.get(), tie_breaks: 0 }
    }

    fn begin(&self, pairs: NonZeroU64, entrants: u32) -> Box<dyn Tournament> {
        let (rounds, pairs) = (self.rounds.get(), pairs.get());
        Box::new(SwissDraw { entrants, rounds, pairs, games_each: 2, drawn: 0, byes: Vec::new() })
    }
}

/// The standings of a Swiss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwissStanding {
    /// The current round, from 1, or the last one.
    pub round: u32,
    /// The number of rounds.
    pub rounds: u32,
    /// All entrants, the best first.
    pub places: Vec<SwissPlace>,
}

/// An entrant's place in a Swiss. Only meetings whose pairs have all been played count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwissPlace {
    /// The entrant.
    pub entrant: u32,
    /// Half points: two for a won meeting, one for a drawn meeting. A bye counts as won.
    pub half_points: u32,
    /// First tie-break: the sum of its opponents' half points; a bye adds the entrant's own.
    pub buchholz: u32,
    /// Second tie-break: the half points scored in games.
    pub game_half_points: u64,
    /// Meetings won, drawn and lost.
    pub meetings: [u32; 3],
    /// Rounds in which the entrant had no opponent.
    pub byes: u32,
}

/// The rounds of a Swiss drawn so far.
#[derive(Clone, Debug)]
struct SwissDraw {
    entrants: u32,
    rounds: u32,
    /// The pairs in a meeting.
    pairs: u64,
    games_each: u64,
    drawn: u32,
    /// The entrant without an opponent in each round, if the number of entrants is odd.
    byes: Vec<u32>,
}

impl Tournament for SwissDraw {
    fn set_games_each(&mut self, games: u64) {
        self.games_each = games;
    }

    fn draw(&mut self, played: &[PairingStanding]) -> Option<Drawn> {
        if self.drawn == self.rounds || self.entrants < 2 {
            return None;
        }
        let (field, seats) = (self.field(played), self.entrants + self.entrants % 2);
        let drawn = if self.rounds <= seats / 2 { field.draw() } else { field.draw_of_round_robin() };
        let (idle, meetings): (Vec<Meeting>, Vec<Meeting>) =
            drawn.into_iter().partition(|&(_, two)| Some(two) == field.bye);
        if meetings.is_empty() {
            return None;
        }
        self.byes.extend(idle.iter().map(|&(entrant, _)| entrant));
        let first_opening = u64::from(self.drawn).saturating_mul(self.pairs);
        self.drawn += 1;
        Some(Drawn { meetings, pairs: self.pairs, first_opening })
    }

    fn pairs_to_come(&self) -> u64 {
        let meetings = u64::from(self.rounds - self.drawn) * u64::from(self.entrants / 2);
        meetings.saturating_mul(self.pairs)
    }

    fn standing(&self, played: &[PairingStanding]) -> TournamentStanding {
        let (round, rounds) = (self.drawn, self.rounds);
        TournamentStanding::Swiss(SwissStanding { round, rounds, places: self.places(played) })
    }

    fn copied(&self) -> Box<dyn Tournament> {
        Box::new(self.clone())
    }
}

impl SwissDraw {
    fn field(&self, played: &[PairingStanding]) -> Field {
        let places = self.places(played);
        let bye = (self.entrants % 2 == 1).then_some(self.entrants);
        let mut points = vec![0; self.entrants as usize];
        for place in &places {
            points[place.entrant as usize] = place.half_points;
        }
        let met = played.iter().map(|pairing| meeting(pairing.entrant, pairing.opponent));
        let met: BTreeSet<Meeting> = met.chain(self.byes.iter().map(|&entrant| (entrant, self.entrants))).collect();
        Field { order: places.iter().map(|place| place.entrant).collect(), points, met, bye }
    }

    /// Returns all entrants' places, the best first.
    fn places(&self, played: &[PairingStanding]) -> Vec<SwissPlace> {
        let empty = |entrant| SwissPlace {
            entrant,
            half_points: 0,
            buchholz: 0,
            game_half_points: 0,
            meetings: [0; 3],
            byes: 0,
        };
        let mut places: Vec<SwissPlace> = (0..self.entrants).map(empty).collect();
        let whole = || played.iter().filter(|pairing| pairing.pairs_played(self.games_each) >= self.pairs);
        for pairing in whole() {
            let [one, two] = pairing.half_points();
            count(&mut places[pairing.entrant as usize], one, two);
            count(&mut places[pairing.opponent as usize], two, one);
        }
        for &entrant in &self.byes {
            let place = &mut places[entrant as usize];
            place.half_points += WON;
            place.byes += 1;
        }
        let points: Vec<u32> = places.iter().map(|place| place.half_points).collect();
        for pairing in whole() {
            let (one, two) = (pairing.entrant as usize, pairing.opponent as usize);
            places[one].buchholz += points[two];
            places[two].buchholz += points[one];
        }
        for place in &mut places {
            place.buchholz += place.byes * place.half_points;
        }
        places
            .sort_by_key(|place| (Reverse((place.half_points, place.buchholz, place.game_half_points)), place.entrant));
        places
    }
}

/// Counts a finished meeting in which the entrant scored `own` half points in games and its opponent `other`.
fn count(place: &mut SwissPlace, own: u64, other: u64) {
    let (points, kind) = match own.cmp(&other) {
        std::cmp::Ordering::Greater => (WON, 0),
        std::cmp::Ordering::Equal => (WON / 2, 1),
        std::cmp::Ordering::Less => (0, 2),
    };
    place.half_points += points;
    place.meetings[kind] += 1;
    place.game_half_points += own;
}
