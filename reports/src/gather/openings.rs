//! Results by opening: the first movers' in general, and those of single openings that were repeated.

use arena::run::PairResult;
use play::Side;
use std::collections::BTreeMap;

/// The maximum number of openings kept apart; later ones count only in the total.
const MOST_OPENINGS: usize = 1 << 16;

/// Results by opening.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    by_line: BTreeMap<u64, OpeningScore>,
}

/// Results of one opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningScore {
    /// The opening's number in the run's source of openings, at its first occurrence.
    pub number: u64,
    /// The first pair with the opening.
    pub pair: u64,
    /// The number of pairs that started with the opening.
    pub pairs: u64,
    /// The number of games that started with the opening.
    pub games: u64,
    /// Half points of the first mover in all games that started with the opening.
    pub half_points: u64,
}

impl Openings {
    pub(super) fn add(&mut self, number: u64, result: &PairResult) {
        let half_points = result.games.iter().map(|game| u64::from(game.ending.score(Side::First).half_points()));
        let line = fingerprint(result);
        if self.by_line.len() >= MOST_OPENINGS && !self.by_line.contains_key(&line) {
            return;
        }
        let new = OpeningScore { number, pair: result.pair, pairs: 0, games: 0, half_points: 0 };
        let opening = self.by_line.entry(line).or_insert(new);
        opening.pairs += 1;
        opening.games += result.games.len() as u64;
        opening.half_points += half_points.sum::<u64>();
    }

    /// The number of different openings, up to 65,536.
    pub fn different(&self) -> usize {
        self.by_line.len()
    }

    /// Openings of at least `pairs` pairs: the best for the first mover first.
    pub fn repeated(&self, pairs: u64) -> Vec<OpeningScore> {
        let mut repeated: Vec<OpeningScore> = self.by_line.values().filter(|o| o.pairs >= pairs).copied().collect();
        repeated.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.number.cmp(&b.number)));
        repeated
    }
}

impl OpeningScore {
    /// The first mover's share of the points, 0 to 1.
    pub fn score(&self) -> f64 {
        self.half_points as f64 / (2 * self.games) as f64
    }
}

/// Identifies an opening: FNV-1a, 64 bits, over the start's text and the plies.
pub(crate) fn fingerprint(result: &PairResult) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let start = result.start.iter().flat_map(|text| text.bytes()).chain([0]);
    let plies = result.opening.iter().flat_map(|code| code.to_le_bytes());
    start.chain(plies).fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
