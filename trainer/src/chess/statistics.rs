//! Statistics of files of chess positions: scores, results, phases of the game and material.
//!
//! Positions of one game share its result, and the formats do not tell which positions are of one game, so there are no
//! confidence intervals here. A format's missing fields are not counted ([`bullet`](super::formats::bullet) has neither
//! the side to move nor the move number).

use super::formats::has_plies;
use super::labelled::Labelled;
use crate::data::keys::KeySet;
use arena::config::PositionFormat;
use serde::Serialize;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position};

/// The number of bins on either side of 0; the outermost ones hold everything beyond.
const HALF: usize = 32;
/// The total number of bins.
const BINS: usize = 2 * HALF;
/// The width of a bin, in centipawns.
const WIDTH: i32 = 50;
/// Number of bins for plies; the last holds all later ones.
const PLIES: usize = 301;
/// The maximum number of men on a board.
const MOST_MEN: usize = 32;
/// The width of a material bucket, in men: (men - 2) / 4, as is usual in network trainers.
const BUCKET: usize = 4;

/// Positions that share a score bin or a material bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Group {
    /// The lowest score in centipawns, or the fewest men.
    pub low: i32,
    /// The number of positions.
    pub positions: u64,
    /// Their mean score for the side to move, in centipawns.
    pub score: f64,
    /// The mean result of their games for the side to move, 0 to 1.
    pub result: f64,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    positions: u64,
    centipawns: i64,
    half_points: u64,
}

impl Sums {
    fn group(self, low: i32) -> Group {
        let positions = self.positions.max(1) as f64;
        let (score, result) = (self.centipawns as f64 / positions, self.half_points as f64 / positions / 2.0);
        Group { low, positions: self.positions, score, result }
    }
}

/// Statistics of the positions of files.
pub struct Statistics {
    /// The number of positions.
    pub positions: u64,
    /// By result for the side to move: losses, draws, wins.
    pub results: [u64; 3],
    /// By result for White; `None` where the side to move is unknown.
    pub white_results: Option<[u64; 3]>,
    /// By plies made; `None` if unknown.
    pub plies: Option<Vec<u64>>,
    /// By men on the board.
    pub men: [u64; MOST_MEN + 1],
    /// The number of duplicates; `None` if they were not counted.
    pub duplicates: Option<u64>,
    scores: [Sums; BINS],
    buckets: [Sums; MOST_MEN / BUCKET],
    seen: KeySet,
}

impl Statistics {
    /// Starts without positions, for a file in this format. Counting duplicates takes 11 to 22 bytes of memory per
    /// position.
    pub fn new(format: PositionFormat, count_duplicates: bool) -> Self {
        // Formats with plies have the side to move too.
        let has_sides = has_plies(format);
        Self {
            positions: 0,
            results: [0; 3],
            white_results: has_sides.then_some([0; 3]),
            plies: has_sides.then(|| vec![0; PLIES]),
            men: [0; MOST_MEN + 1],
            duplicates: count_duplicates.then_some(0),
            scores: [Sums::default(); BINS],
            buckets: [Sums::default(); MOST_MEN / BUCKET],
            seen: KeySet::default(),
        }
    }

    /// Adds a position.
    pub fn add<P: Position>(&mut self, of: &Labelled<P>) {
        let (score, result) = of.for_mover();
        self.positions += 1;
        self.results[result as usize] += 1;
        if let Some(results) = &mut self.white_results {
            results[of.result as usize] += 1;
        }
        if let Some(plies) = &mut self.plies {
            plies[(of.ply() as usize).min(PLIES - 1)] += 1;
        }
        let men = of.position.board().occupied().count().clamp(2, MOST_MEN);
        self.men[men] += 1;
        let bin = (i32::from(score).div_euclid(WIDTH) + HALF as i32).clamp(0, BINS as i32 - 1) as usize;
        for sums in [&mut self.scores[bin], &mut self.buckets[(men - 2) / BUCKET]] {
            sums.positions += 1;
            sums.centipawns += i64::from(score);
            sums.half_points += result as u64;
        }
        if let Some(duplicates) = &mut self.duplicates {
            let key = of.position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
            *duplicates += u64::from(!self.seen.insert(key));
        }
    }

    /// All bins by ascending score, empty ones included.
    pub fn scores(&self) -> Vec<Group> {
        let low = |bin: usize| (bin as i32 - HALF as i32) * WIDTH;
        self.scores.iter().enumerate().map(|(bin, sums)| sums.group(low(bin))).collect()
    }

    /// The material buckets, from few men to many: 2 to 5, 6 to 9, and so on to 30 to 33.
    pub fn buckets(&self) -> Vec<Group> {
        let low = |bucket: usize| (2 + bucket * BUCKET) as i32;
        self.buckets.iter().enumerate().map(|(bucket, sums)| sums.group(low(bucket))).collect()
    }

    /// The width of a bin, in centipawns.
    pub fn bin_width() -> i32 {
        WIDTH
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::parse_fen;
    use super::*;
    use stats::Score;

    #[test]
    fn everything_is_counted_once() {
        let of = |fen: &str, score, result| Labelled { position: parse_fen(fen).unwrap(), score, result, played: None };
        let all = [
            of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 40", 120, Score::Win),
            of("4k3/8/8/8/8/8/4P3/4K3 b - - 0 40", 120, Score::Win),
            of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 30_000, Score::Draw),
        ];
        let mut statistics = Statistics::new(PositionFormat::Text, true);
        all.iter().chain(&all[..1]).for_each(|of| statistics.add(of));
        assert_eq!((statistics.positions, statistics.results, statistics.duplicates), (4, [1, 1, 2], Some(1)));
        assert_eq!(statistics.white_results, Some([0, 1, 3]));
        let plies = statistics.plies.as_ref().unwrap();
        assert_eq!((plies[0], plies[78], plies[79], plies.iter().sum::<u64>()), (1, 2, 1, 4));
        assert_eq!((statistics.men[3], statistics.men[32]), (3, 1));
        let buckets = statistics.buckets();
        let first = Group { low: 2, positions: 3, score: 40.0, result: 2.0 / 3.0 };
        assert_eq!((buckets[0], buckets[7].low, buckets[7].positions), (first, 30, 1));
        let scores = statistics.scores();
        let filled: Vec<(i32, u64)> =
            scores.iter().filter(|bin| bin.positions > 0).map(|bin| (bin.low, bin.positions)).collect();
        assert_eq!(filled, [(-150, 1), (100, 2), (1_550, 1)]);
        let mut of_bullet = Statistics::new(PositionFormat::Bullet, false);
        of_bullet.add(&all[0]);
        assert_eq!((of_bullet.white_results, of_bullet.plies, of_bullet.duplicates), (None, None, None));
    }
}
