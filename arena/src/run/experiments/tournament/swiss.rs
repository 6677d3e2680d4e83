//! The Swiss: in each round those meet who have done equally well. A meeting is a number of pairs, and is won, drawn or
//! lost as a whole.

use super::pairing::{Field, Meeting, meeting};
use super::{Drawn, half_points, pairs_played};
use crate::run::experiment::{PairingStanding, SwissPlace, SwissStanding};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Half points of a meeting that is won, and of a bye.
const WON: u32 = 2;

/// A Swiss, as far as its rounds are drawn.
#[derive(Debug)]
pub(in crate::run::experiments) struct Swiss {
    entrants: u32,
    rounds: u32,
    /// Of a meeting.
    pairs: u64,
    pub(super) games_each: u64,
    drawn: u32,
    /// Who had no opponent in each round, if their number is odd.
    byes: Vec<u32>,
}

impl Swiss {
    pub(super) fn new(entrants: u32, rounds: u32, pairs: u64) -> Self {
        Self { entrants, rounds, pairs, games_each: 2, drawn: 0, byes: Vec::new() }
    }

    /// The next round.
    pub(super) fn draw(&mut self, played: &[PairingStanding]) -> Option<Drawn> {
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

    pub(super) fn pairs_to_come(&self) -> u64 {
        let meetings = u64::from(self.rounds - self.drawn) * u64::from(self.entrants / 2);
        meetings.saturating_mul(self.pairs)
    }

    pub(super) fn standing(&self, played: &[PairingStanding]) -> SwissStanding {
        SwissStanding { round: self.drawn, rounds: self.rounds, places: self.places(played) }
    }

    /// All entrants, the best first.
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
        let whole = || played.iter().filter(|pairing| pairs_played(pairing, self.games_each) >= self.pairs);
        for pairing in whole() {
            let [one, two] = half_points(pairing);
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

/// Counts a meeting that an entrant has ended with so many half points of games, its opponent with so many.
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
