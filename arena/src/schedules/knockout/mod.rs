//! The knockout: the loser of a match is out. The order in the configuration is the seeding, so the first two entrants
//! can meet only in the final. If the number of entrants is not a power of two, the top seeds have a bye in the first
//! round.
//!
//! A tied match is extended by one pair at a time until one entrant is ahead. If it is still tied after the maximum,
//! the higher seed advances.

mod table;

use super::kind::{
    Drawn, Headline, RoundsNeeded, RoundsSchedule, ScheduleError, ScheduleInfo, ScheduleRequest, Tournament,
};
use super::pairing::PairingStanding;
use super::{Schedule, TournamentStanding};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;

pub(super) const SCHEDULE: ScheduleInfo = ScheduleInfo { name: "knockout", keys: &[TIE_BREAKS], new };

/// The key for the most extra pairs of a tied match.
const TIE_BREAKS: &str = "tie_breaks";
/// The default number of tie-breaks.
const USUAL_TIE_BREAKS: u32 = 10;
/// The largest number of tie-breaks that makes sense.
const MOST_TIE_BREAKS: u32 = 1_000_000;

/// A knockout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knockout {
    /// The most pairs that extend a tied match, one at a time.
    pub tie_breaks: u32,
}

fn new(request: &ScheduleRequest<'_>) -> Result<Schedule, ScheduleError> {
    let tie_breaks = (request.number)(TIE_BREAKS).unwrap_or(USUAL_TIE_BREAKS);
    let schedule = Schedule::Knockout(Knockout { tie_breaks });
    (tie_breaks <= MOST_TIE_BREAKS).then_some(schedule).ok_or_else(|| ScheduleError {
        key: Some(TIE_BREAKS),
        message: "these are too many tie-breaks".to_owned(),
        expected: format!("expected 0 to {MOST_TIE_BREAKS} further pairs"),
        help: None,
    })
}

impl Headline for Knockout {}

impl RoundsSchedule for Knockout {
    fn called(&self) -> &'static str {
        "knockout"
    }

    fn length_in_words(&self, pairs: &str, _counted: fn(u64, &str) -> String) -> String {
        format!("knockout, {pairs} a match")
    }

    fn rounds(&self, entrants: u32) -> RoundsNeeded {
        RoundsNeeded { rounds: entrants.next_power_of_two().ilog2(), tie_breaks: self.tie_breaks }
    }

    fn begin(&self, pairs: NonZeroU64, entrants: u32) -> Box<dyn Tournament> {
        let (pairs, tie_breaks, seeded) = (pairs.get(), self.tie_breaks.into(), bracket(entrants));
        Box::new(Bracket { pairs, games_each: 2, tie_breaks, rounds: Vec::new(), further: 0, seeded })
    }
}

/// The bracket of a knockout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnockoutStanding {
    /// The matches of each round drawn so far.
    pub rounds: Vec<Vec<KnockoutMatch>>,
    /// The number of rounds.
    pub of: u32,
    /// The winner.
    pub winner: Option<u32>,
}

/// A match of a knockout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnockoutMatch {
    /// The higher seed.
    pub entrant: u32,
    /// Its opponent; `None` if the higher seed has a bye.
    pub opponent: Option<u32>,
    /// The half points that each of the two scored in games.
    pub half_points: [u64; 2],
    /// The pairs played in the match.
    pub pairs: u64,
    /// The number of these pairs that were tie-breaks.
    pub tie_breaks: u64,
    /// The entrant that advances, once known.
    pub winner: Option<u32>,
}

/// The rounds of a knockout drawn so far.
#[derive(Clone, Debug)]
struct Bracket {
    /// The pairs in a match, before tie-breaks.
    pairs: u64,
    games_each: u64,
    /// The most extra pairs of a tied match.
    tie_breaks: u64,
    /// The pairings of each round drawn so far; `None` where the higher seed has a bye.
    rounds: Vec<Vec<(u32, Option<u32>)>>,
    /// The extra pairs that tied matches of the last round have been given.
    further: u64,
    /// The entrants in bracket order before the first round; the number of seats is a power of two.
    seeded: Vec<Option<u32>>,
}

impl Tournament for Bracket {
    fn set_games_each(&mut self, games: u64) {
        self.games_each = games;
    }

    /// Draws the next tie-break pair for tied matches of the round, or else the next round.
    fn draw(&mut self, played: &[PairingStanding]) -> Option<Drawn> {
        let Some(last) = self.rounds.last() else { return self.begin(&self.seeded.clone()) };
        let tied: Vec<(u32, u32)> = last
            .iter()
            .filter_map(|&(one, two)| Some((one, two?)))
            .filter(|&(one, two)| winner(one, two, played).is_none())
            .collect();
        if !tied.is_empty() && self.further < self.tie_breaks {
            let first_opening = self.first_opening().saturating_add(self.pairs).saturating_add(self.further);
            self.further += 1;
            return Some(Drawn { meetings: tied, pairs: 1, first_opening });
        }
        let ahead =
            |&(one, two): &(u32, Option<u32>)| Some(two.map_or(one, |two| winner(one, two, played).unwrap_or(one)));
        let winners: Vec<Option<u32>> = last.iter().map(ahead).collect();
        if winners.len() < 2 { None } else { self.begin(&winners) }
    }

    fn pairs_to_come(&self) -> u64 {
        // A bracket with this many seats has one match fewer than seats; the matches already drawn are not counted.
        let left = self.rounds.last().map_or(self.seeded.len(), Vec::len);
        (left as u64).saturating_sub(1).saturating_mul(self.pairs)
    }

    fn standing(&self, played: &[PairingStanding]) -> TournamentStanding {
        let of = self.seeded.len().trailing_zeros();
        let last = self.rounds.len().saturating_sub(1);
        let rounds: Vec<Vec<KnockoutMatch>> = self
            .rounds
            .iter()
            .enumerate()
            .map(|(number, round)| round.iter().map(|&(one, two)| self.of(one, two, number < last, played)).collect())
            .collect();
        let winner = rounds.last().filter(|_| self.rounds.len() as u32 == of).and_then(|last| last.first()?.winner);
        TournamentStanding::Knockout(KnockoutStanding { rounds, of, winner })
    }

    fn copied(&self) -> Box<dyn Tournament> {
        Box::new(self.clone())
    }
}

impl Bracket {
    /// Begins a round between neighbours in the bracket.
    fn begin(&mut self, seats: &[Option<u32>]) -> Option<Drawn> {
        let of_two = |two: &[Option<u32>]| match *two {
            [Some(one), Some(two)] => Some((one.min(two), Some(one.max(two)))),
            [Some(one), None] | [None, Some(one)] => Some((one, None)),
            _ => None,
        };
        let round: Vec<(u32, Option<u32>)> = seats.chunks(2).filter_map(of_two).collect();
        let meetings: Vec<(u32, u32)> = round.iter().filter_map(|&(one, two)| Some((one, two?))).collect();
        if meetings.is_empty() {
            return None;
        }
        self.rounds.push(round);
        self.further = 0;
        Some(Drawn { meetings, pairs: self.pairs, first_opening: self.first_opening() })
    }

    /// Returns the round's first opening. Each round has its own openings.
    fn first_opening(&self) -> u64 {
        (self.rounds.len() as u64 - 1).saturating_mul(self.pairs.saturating_add(self.tie_breaks))
    }

    /// Returns a match's standing; `is_over` is whether its round is over.
    fn of(&self, entrant: u32, opponent: Option<u32>, is_over: bool, played: &[PairingStanding]) -> KnockoutMatch {
        let Some(two) = opponent else {
            let winner = Some(entrant);
            return KnockoutMatch { entrant, opponent, half_points: [0; 2], pairs: 0, tie_breaks: 0, winner };
        };
        let found = pairing(entrant, two, played);
        let pairs = found.map_or(0, |pairing| pairing.pairs_played(self.games_each));
        let ahead = winner(entrant, two, played).filter(|_| pairs >= self.pairs);
        let spent = is_over || pairs >= self.pairs.saturating_add(self.tie_breaks);
        KnockoutMatch {
            entrant,
            opponent,
            half_points: found.map_or([0; 2], PairingStanding::half_points),
            pairs,
            tie_breaks: pairs.saturating_sub(self.pairs),
            winner: ahead.or(spent.then_some(entrant)),
        }
    }
}

fn pairing(one: u32, two: u32, played: &[PairingStanding]) -> Option<&PairingStanding> {
    played.iter().find(|pairing| (pairing.entrant, pairing.opponent) == (one, two))
}

/// Returns the entrant that is ahead; `None` if the two are level.
fn winner(one: u32, two: u32, played: &[PairingStanding]) -> Option<u32> {
    let [own, other] = pairing(one, two, played).map_or([0; 2], PairingStanding::half_points);
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => Some(one),
        std::cmp::Ordering::Less => Some(two),
        std::cmp::Ordering::Equal => None,
    }
}

/// Returns the entrants in bracket order: if all favourites win, the best remaining entrant meets the worst in each
/// round.
fn bracket(entrants: u32) -> Vec<Option<u32>> {
    let mut seats = vec![0];
    while (seats.len() as u64) < u64::from(entrants) {
        let size = 2 * seats.len() as u32;
        seats = seats.into_iter().flat_map(|seat| [seat, size - 1 - seat]).collect();
    }
    seats.into_iter().map(|seat| (seat < entrants).then_some(seat)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_can_meet_in_the_final_alone() {
        let seats = |entrants| bracket(entrants).into_iter().map(|seat| seat.map_or(-1, i64::from)).collect::<Vec<_>>();
        assert_eq!(seats(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!(seats(5), [0, -1, 3, 4, 1, -1, 2, -1]);
        assert_eq!(seats(2), [0, 1]);
    }
}
