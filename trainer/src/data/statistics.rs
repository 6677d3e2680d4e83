//! Statistics of files of positions: scores, results, phases, and how well scores predict results.
//!
//! Positions of one game share its result. So N positions, `n_g` of them from game g, are worth `N^2 / sum n_g^2` games
//! (Kish, "Survey Sampling", 1965). This assumes that the positions of a game are consecutive, as in files that were
//! not shuffled.

use super::keys::KeySet;
use super::record::Record;
use super::visits::VisitRecord;
use engine::{MoveKind, Side};
use serde::Serialize;
use stats::Score;

/// The number of bins on either side of 0; the outermost ones hold everything beyond.
const HALF: usize = 32;
/// The total number of bins.
const BINS: usize = 2 * HALF;
/// The width of a bin, in 1/1,000 logit.
const WIDTH: i32 = 250;

/// Positions with about the same score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ScoreBin {
    /// The lower bound in logits; the first bin holds everything below too, and the last everything above.
    pub low: f64,
    /// The number of positions.
    pub positions: u64,
    /// Their mean score, in logits.
    pub score: f64,
    /// The mean result of their games, 0 to 1.
    pub result: f64,
    /// The number of independent games that the positions are worth.
    pub games: f64,
}

/// Sums over the positions of a bin.
#[derive(Clone, Copy, Default)]
struct Sums {
    positions: u64,
    millilogits: i64,
    half_points: u64,
    squares: u64,
}

/// Statistics of the positions of files.
pub struct Statistics {
    /// The number of positions.
    pub positions: u64,
    /// The number of positions with visit shares.
    pub with_visits: u64,
    /// The number of games.
    pub games: u64,
    /// By result for the side to move: losses, draws, wins.
    pub results: [u64; 3],
    /// By result for red: losses, draws, wins.
    pub red_results: [u64; 3],
    /// By plies made.
    pub plies: [u64; engine::PLY_LIMIT as usize],
    /// By pieces in both hands together.
    pub in_hand: [u64; 31],
    /// The number of positions in which a drop was played.
    pub drops: u64,
    /// The number of duplicates: positions with the same side to move, hands and board as an earlier one; `None` if
    /// they were not counted.
    pub duplicates: Option<u64>,
    /// The total number of nodes of all searches.
    pub nodes: u64,
    /// The fewest and the most nodes of a search.
    pub node_range: [u32; 2],
    bins: [Sums; BINS],
    seen: KeySet,
    game: Option<Current>,
}

/// The game whose positions are being added.
struct Current {
    number: u32,
    bins: [u32; BINS],
}

impl Statistics {
    /// Starts without positions. Counting duplicates takes 11 to 22 bytes of memory per position, and most of the time.
    pub fn new(count_duplicates: bool) -> Self {
        Self {
            positions: 0,
            with_visits: 0,
            games: 0,
            results: [0; 3],
            red_results: [0; 3],
            plies: [0; engine::PLY_LIMIT as usize],
            in_hand: [0; 31],
            drops: 0,
            duplicates: count_duplicates.then_some(0),
            nodes: 0,
            node_range: [u32::MAX, 0],
            bins: [Sums::default(); BINS],
            seen: KeySet::default(),
            game: None,
        }
    }

    /// Adds a position.
    pub fn add(&mut self, record: &Record) {
        self.positions += 1;
        let result = record.result();
        self.results[result as usize] += 1;
        let of_red = if record.side_to_move() == Side::Red { result } else { result.mirror() };
        self.red_results[of_red as usize] += 1;
        if let Some(ply) = self.plies.get_mut(usize::from(record.ply())) {
            *ply += 1;
        }
        let held: u8 = record.hands().iter().flatten().sum();
        if let Some(in_hand) = self.in_hand.get_mut(usize::from(held)) {
            *in_hand += 1;
        }
        self.drops += u64::from(matches!(record.best().map(engine::Move::kind), Some(MoveKind::Drop { .. })));
        self.nodes = self.nodes.saturating_add(u64::from(record.nodes()));
        let [least, most] = self.node_range;
        self.node_range = [least.min(record.nodes()), most.max(record.nodes())];
        if let Some(duplicates) = &mut self.duplicates {
            let position = record.position();
            *duplicates += u64::from(position.is_ok_and(|position| !self.seen.insert(position.key())));
        }
        self.add_score(record.game(), record.score(), result);
    }

    /// Adds a position with visit shares.
    pub fn add_visits(&mut self, record: &VisitRecord) {
        self.with_visits += 1;
        self.add(&record.record());
    }

    /// Marks the start of other files: their games are new although their numbers repeat.
    pub fn end_of_run(&mut self) {
        if let Some(game) = self.game.take() {
            for (bin, count) in self.bins.iter_mut().zip(game.bins) {
                bin.squares += u64::from(count) * u64::from(count);
            }
        }
    }

    fn add_score(&mut self, game: u32, score: i16, result: Score) {
        if self.game.as_ref().is_none_or(|current| current.number != game) {
            self.end_of_run();
            self.games += 1;
            self.game = Some(Current { number: game, bins: [0; BINS] });
        }
        let bin = (i32::from(score).div_euclid(WIDTH) + HALF as i32).clamp(0, BINS as i32 - 1) as usize;
        let sums = &mut self.bins[bin];
        sums.positions += 1;
        sums.millilogits += i64::from(score);
        sums.half_points += result as u64;
        if let Some(current) = &mut self.game {
            current.bins[bin] += 1;
        }
    }

    /// All bins by ascending score, empty ones included.
    pub fn scores(&mut self) -> Vec<ScoreBin> {
        self.end_of_run();
        let bins = self.bins.iter().enumerate().map(|(number, sums)| {
            let positions = sums.positions.max(1) as f64;
            ScoreBin {
                low: f64::from((number as i32 - HALF as i32) * WIDTH) / 1_000.0,
                positions: sums.positions,
                score: sums.millilogits as f64 / positions / 1_000.0,
                result: sums.half_points as f64 / positions / 2.0,
                games: positions * positions / sums.squares.max(1) as f64,
            }
        });
        bins.collect()
    }

    /// The width of a bin, in logits.
    pub fn bin_width() -> f64 {
        f64::from(WIDTH) / 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::records;
    use super::*;

    #[test]
    fn everything_is_counted_once() {
        let records = records(500);
        let mut statistics = Statistics::new(true);
        for record in records.iter().chain(&records[..20]) {
            statistics.add(record);
        }
        let mut positions: Vec<u64> = records.iter().map(|record| record.position().unwrap().key()).collect();
        positions.sort_unstable();
        positions.dedup();
        assert_eq!((statistics.positions, statistics.duplicates), (520, Some(520 - positions.len() as u64)));
        let sums = [&statistics.plies[..], &statistics.in_hand, &statistics.results, &statistics.red_results];
        assert_eq!(sums.map(|counts| counts.iter().sum::<u64>()), [520; 4]);
        let games = records.last().unwrap().game() + 1;
        assert_eq!(statistics.games, u64::from(games) + 1);
        let bins = statistics.scores();
        assert_eq!(bins.iter().map(|bin| bin.positions).sum::<u64>(), 520);
        let of_bin = |at: usize| bins[at].positions;
        // Scores are 0 to 499 millilogits, and the first twenty come twice.
        assert_eq!((of_bin(HALF - 1), of_bin(HALF), of_bin(HALF + 1)), (0, 270, 250));
        assert!((bins[HALF].low, bins[HALF + 1].low) == (0.0, 0.25));
    }

    #[test]
    fn positions_of_one_game_are_worth_one_game() {
        let mut statistics = Statistics::new(false);
        let some = records(200);
        let one_game: Vec<&Record> = some.iter().filter(|record| record.game() == some[0].game()).collect();
        for record in &one_game {
            statistics.add(record);
        }
        let bins = statistics.scores();
        let bin = bins.iter().find(|bin| bin.positions > 0).expect("a bin");
        assert_eq!(bin.positions, one_game.len() as u64);
        assert!((bin.games - 1.0).abs() < 1e-12, "{bin:?}");
    }
}
