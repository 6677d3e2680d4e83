//! Chooses the games worth looking at: a bounded selection, made while the games pass by.

use super::games::fault_in_words;
use super::seen::GameSeen;
use play::{Evaluation, Side};
use stats::Score;
use stats::elo::logistic;
use std::collections::BTreeMap;

/// The number of games chosen of each kind.
const EACH: usize = 3;
/// The maximum expected share of the points for the winner of an upset.
const UPSET: f64 = 0.4;
/// The loser's minimum expected share of the points before a collapse of its evaluation.
const CONFIDENT: f64 = 0.8;
/// The maximum number of pairings whose wins are kept; more would not be looked at.
const MOST_PAIRINGS: usize = 4096;
/// Pawns that count as one unit of the logit if nothing better is known.
const PAWNS_A_LOGIT: f64 = 1.75;

/// Why a game is worth looking at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The shortest game.
    Shortest,
    /// The longest game.
    Longest,
    /// Lost by a fault.
    Fault,
    /// Won by the side with this expected share of the points.
    Upset {
        /// The winner's share of the points against the loser, 0 to 1.
        expected: f64,
    },
    /// Lost by the side that had thought itself winning.
    Collapse {
        /// The loser's best evaluation of its position, as a share of the points.
        confidence: f64,
        /// The ply at which the loser reported it, counted from 1.
        ply: usize,
    },
}

/// A game worth looking at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notable {
    /// The reason.
    pub why: Why,
    /// The pair.
    pub pair: u64,
    /// The game in the pair, 0 or 1.
    pub game: usize,
}

/// The best items so far by a key, the smallest first; of equal keys the earlier one stays.
#[derive(Clone, Debug)]
struct Best<T> {
    rows: Vec<(f64, T)>,
}

impl<T> Default for Best<T> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<T> Best<T> {
    fn offer(&mut self, key: f64, row: T) {
        let at = self.rows.partition_point(|(other, _)| *other <= key);
        if at < EACH {
            self.rows.insert(at, (key, row));
            self.rows.truncate(EACH);
        }
    }
}

/// The candidates so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    shortest: Best<Notable>,
    longest: Best<Notable>,
    collapses: Best<Notable>,
    faults: BTreeMap<(usize, &'static str), Vec<Notable>>,
    wins: BTreeMap<(usize, usize), Best<(u64, usize)>>,
}

impl Candidates {
    pub(super) fn add(&mut self, game: &GameSeen<'_>) {
        let notable = |why| Notable { why, pair: game.pair, game: game.game };
        if let Some((side, fault)) = game.record.ending.fault() {
            let same = self.faults.entry((game.entrants[side], fault_in_words(fault))).or_default();
            if same.len() < EACH {
                same.push(notable(Why::Fault));
            }
            return;
        }
        let plies = game.plies() as f64;
        self.shortest.offer(plies, notable(Why::Shortest));
        self.longest.offer(-plies, notable(Why::Longest));
        let Some(loser) = loser(game.score_of_first) else { return };
        self.add_win(game, loser);
        if let Some((confidence, ply)) = peak(game, loser).filter(|(confidence, _)| *confidence >= CONFIDENT) {
            self.collapses.offer(-confidence, notable(Why::Collapse { confidence, ply }));
        }
    }

    /// Keeps each entrant's quickest wins over each opponent: only the end reveals which of them are upsets.
    fn add_win(&mut self, game: &GameSeen<'_>, loser: Side) {
        let key = (game.entrants[!loser], game.entrants[loser]);
        if key.0 == key.1 || (self.wins.len() >= MOST_PAIRINGS && !self.wins.contains_key(&key)) {
            return;
        }
        self.wins.entry(key).or_default().offer(game.plies() as f64, (game.pair, game.game));
    }

    /// The selection. `expected` returns the score of one entrant against another.
    pub(super) fn notable(&self, expected: impl Fn(usize, usize) -> f64) -> Vec<Notable> {
        let rows = |best: &Best<Notable>| best.rows.iter().map(|(_, row)| *row).collect::<Vec<_>>();
        let mut chosen: Vec<Notable> = self.faults.values().flatten().copied().collect();
        chosen.extend(rows(&self.collapses));
        chosen.extend(self.upsets(expected));
        chosen.extend(rows(&self.shortest));
        chosen.extend(rows(&self.longest));
        let mut seen = std::collections::BTreeSet::new();
        chosen.retain(|notable| seen.insert((notable.pair, notable.game)));
        chosen
    }

    fn upsets(&self, expected: impl Fn(usize, usize) -> f64) -> Vec<Notable> {
        let mut best = Best::default();
        for (&(winner, loser), wins) in &self.wins {
            let expected = expected(winner, loser);
            for &(plies, (pair, game)) in wins.rows.iter().filter(|_| expected <= UPSET) {
                // The least expected winner first, and of its wins the quickest.
                best.offer(expected + plies * 1e-9, Notable { why: Why::Upset { expected }, pair, game });
            }
        }
        best.rows.into_iter().map(|(_, row)| row).collect()
    }
}

fn loser(score_of_first: Score) -> Option<Side> {
    match score_of_first {
        Score::Loss => Some(Side::First),
        Score::Draw => None,
        Score::Win => Some(Side::Second),
    }
}

/// The best evaluation that `side` reported, and its ply, counted from 1.
fn peak(game: &GameSeen<'_>, side: Side) -> Option<(f64, usize)> {
    let own = game.record.track.iter().enumerate().filter(|(index, _)| game.mover(*index) == side);
    let scores = own.filter_map(|(index, ply)| Some((expectation(ply.info.score?), game.opening_plies + index + 1)));
    scores.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The expected share of the points for an evaluation.
fn expectation(score: Evaluation) -> f64 {
    match score {
        Evaluation::Logit(x) => logistic(f64::from(x) / 10_000.0),
        Evaluation::Centipawns(x) => logistic(f64::from(x) / 100.0 / PAWNS_A_LOGIT),
        Evaluation::Mate(moves) => f64::from(u8::from(moves > 0)),
    }
}
