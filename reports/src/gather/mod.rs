//! The data about a run's games that a report needs, gathered pair by pair in bounded memory.
//!
//! Games are not replayed here, and none of their moves are kept: the few games that a report shows are read again by
//! their number.

mod bins;
mod calibration;
mod depths;
mod fairness;
mod fit;
mod games;
mod notable;
pub(crate) mod openings;
mod pace;
mod pairing;
mod seen;

pub use bins::EvalBin;
pub use calibration::{Calibration, EvalUnit};
pub use depths::Depths;
pub use fairness::{Fairness, OpeningsSay};
pub use fit::EvalFit;
pub use games::{Games, PLIES_A_BIN, ending_in_words, ending_kinds, fault_in_words, is_by_fault};
pub use notable::{Notable, Why};
pub use openings::{OpeningScore, Openings};
pub use pace::{Pace, PlyPace};

use arena::config::Rounds;
use arena::run::{GameTimes, Header, Point, Proposal, StoredResult, Trace};
use notable::Candidates;
pub use pairing::Pairing;
use play::Side;
pub(crate) use seen::{GameSeen, games_of};
use stats::{Counts, Outcome, Score, Wdl};
use std::collections::BTreeMap;

/// Games of an entrant by who moved first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seats {
    /// The games where the entrant moved first, from its view.
    pub first: Wdl,
    /// The games where the entrant moved second, from its view.
    pub second: Wdl,
}

/// Everything gathered from the first pairs of a run.
#[derive(Clone, Debug)]
pub struct Gathered {
    pairs: u64,
    rounds: Rounds,
    counts: Counts,
    course: Trace,
    /// Pairings by the numbers of the first and the second seat's entrant.
    pub pairings: BTreeMap<(usize, usize), Pairing>,
    /// The entrants' games, by number of the entrant.
    pub seats: Vec<Seats>,
    /// All games, from the first mover's view.
    pub first_mover: Wdl,
    /// Lengths and endings.
    pub games: Games,
    /// The results by opening.
    pub openings: Openings,
    /// Time, depth and work, by number of the entrant.
    pub pace: Vec<Pace>,
    /// Evaluations compared with results, by number of the entrant.
    pub calibration: Vec<Calibration>,
    candidates: Candidates,
}

impl Gathered {
    /// An empty collection for a run with this identity.
    pub fn new(header: &Header) -> Self {
        let (entrants, rounds) = (header.config.entrants.len(), header.config.experiment.rounds());
        Self {
            pairs: 0,
            rounds,
            counts: rounds.no_counts(),
            course: Trace::default(),
            pairings: BTreeMap::new(),
            seats: vec![Seats::default(); entrants],
            first_mover: Wdl::default(),
            games: Games::default(),
            openings: Openings::default(),
            pace: vec![Pace::default(); entrants],
            calibration: vec![Calibration::default(); entrants],
            candidates: Candidates::default(),
        }
    }

    /// Gathers the next pair. Pairs must come by rising number; an entrant that the header does not have is ignored.
    pub fn add(&mut self, stored: &StoredResult) {
        let StoredResult { proposal, result, .. } = stored;
        let seats = [0, 1].map(|seat| proposal.seats[seat].entrant as usize);
        self.pairs = result.pair + 1;
        if seats.iter().any(|&seat| seat >= self.seats.len()) {
            return;
        }
        if let Some(outcome) = of_first_entrant(proposal, result.outcome()) {
            self.counts.add(outcome);
        }
        let counts = self.counts;
        self.course.push(|| elo_point(result.pair + 1, &counts));
        let counts = self.rounds.no_counts();
        let pairing =
            self.pairings.entry((seats[0], seats[1])).or_insert_with(|| Pairing { counts, ..Pairing::default() });
        pairing.add(stored);
        self.openings.add(proposal.opening, result);
        for (game, _) in games_of(stored) {
            self.add_game(&game);
        }
    }

    fn add_game(&mut self, game: &GameSeen<'_>) {
        let GameTimes { thinking, delayed, .. } = game.record.circumstances.times;
        count(&mut self.first_mover, game.score_of_first);
        count(&mut self.seats[game.entrants.first].first, game.score(Side::First));
        count(&mut self.seats[game.entrants.second].second, game.score(Side::Second));
        self.games.add(game);
        for side in [Side::First, Side::Second] {
            self.pace[game.entrants[side]].add(game, side, thinking[side], delayed[side]);
            self.calibration[game.entrants[side]].add(game, side);
        }
        self.candidates.add(game);
    }

    /// Whether entrants play both seats: only then can the first mover's advantage be told from strength.
    pub(crate) fn swaps_seats(&self) -> bool {
        self.rounds.swap
    }

    /// Elo of the first seat over the pairs, with its 95% band: at most 2048 points, the last one where the pairs end.
    pub fn elo_course(&self) -> Vec<Point> {
        let mut points = self.course.points().to_vec();
        let end = self.pairs as f64;
        if self.pairs > 0 && points.last().is_none_or(|last| last.x < end) {
            points.push(elo_point(self.pairs, &self.counts));
        }
        points
    }

    /// Games worth looking at, at most a few of each kind.
    pub fn notable(&self) -> Vec<Notable> {
        self.candidates.notable(|winner, loser| self.score_against(winner, loser).unwrap_or(0.5))
    }

    /// Whether openings decide games, which only pairs with the seats swapped can tell.
    pub fn fairness(&self) -> Option<Fairness> {
        (self.rounds.unit() == "pair").then(|| Fairness::of(self.pairings.values()))
    }

    /// The share of the points of one entrant against another, 0 to 1; `None` if they did not play.
    pub fn score_against(&self, one: usize, two: usize) -> Option<f64> {
        let points = |pairing: Option<&Pairing>| pairing.map_or((0, 0), |pairing| half_points(&pairing.counts));
        let (for_one, all) = points(self.pairings.get(&(one, two)));
        let (for_two, more) = points(self.pairings.get(&(two, one)));
        let all = all + more;
        (all > 0 && one != two).then(|| (for_one + more - for_two) as f64 / all as f64)
    }
}

/// The number of half points scored, and the number of half points available.
fn half_points(counts: &Counts) -> (u64, u64) {
    let wdl = counts.wdl();
    (2 * wdl.wins + wdl.draws, 2 * (wdl.wins + wdl.draws + wdl.losses))
}

fn count(wdl: &mut Wdl, score: Score) {
    match score {
        Score::Win => wdl.wins += 1,
        Score::Draw => wdl.draws += 1,
        Score::Loss => wdl.losses += 1,
    }
}

/// A pair's outcome from the view of entrant 0; `None` if others played it.
pub(crate) fn of_first_entrant(proposal: &Proposal, outcome: Outcome) -> Option<Outcome> {
    match proposal.seats.each_ref().map(|seat| seat.entrant) {
        [0, _] => Some(outcome),
        [_, 0] => Some(outcome.mirror()),
        _ => None,
    }
}

/// The Elo after this many pairs; infinite ends are kept for the renderer to handle.
pub(crate) fn elo_point(pairs: u64, counts: &Counts) -> Point {
    let elo = counts.summary().elo;
    let (value, low, high) = elo.map_or((f64::NAN, None, None), |elo| (elo.value, Some(elo.low), Some(elo.high)));
    Point { x: pairs as f64, y: value, low, high }
}

#[cfg(test)]
pub(crate) mod tests;
