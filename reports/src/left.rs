//! Estimates how long a run will still take, and how certain that is. Only displays depend on it.
//!
//! The time left is the number of pairs left times the time per pair. The uncertainty of a pair's time comes from the
//! times of the batches so far: their scatter affects both the mean that predicts the rest, and the rest itself. The
//! number of pairs left is known for a match; for a test it comes from the motion of its ratio.

use crate::text::spoken;
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::Standing;
use stats::Counts;
use stats::sprt::{Bounds, left};
use std::time::Duration;

/// With more batches, each two are joined.
const MOST_MARKS: usize = 64;
/// The minimum number of batches for an estimate of their scatter.
const LEAST_BATCHES: usize = 4;
/// The displayed range holds eight of ten cases: a tenth is below, and a tenth above.
const SHARES: [f64; 2] = [0.1, 0.9];
/// The number of standard errors beyond which one such share lies on each side.
const REACH: f64 = 1.2816;
/// The maximum time that is reported.
const MOST_SECONDS: f64 = 3.2e9;

/// The times at which numbers of pairs had been absorbed. Uses a bounded amount of memory.
#[derive(Debug, Default)]
pub struct Timekeeper {
    marks: Vec<(f64, u64)>,
    /// The minimum number of pairs between two marks.
    spacing: u64,
}

/// The time that a pair takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PairTime {
    mean: f64,
    /// The variance for one pair; `None` if unknown.
    variance: Option<f64>,
    /// The number of pairs behind the variance.
    pairs: f64,
}

impl Timekeeper {
    /// Notes that this many pairs have been absorbed at `elapsed`, counted from any fixed moment.
    pub fn note(&mut self, elapsed: Duration, pairs: u64) {
        let seconds = elapsed.as_secs_f64();
        let Some(&(_, last)) = self.marks.last() else {
            *self = Self { marks: vec![(seconds, pairs)], spacing: 1 };
            return;
        };
        if pairs < last + self.spacing {
            return;
        }
        self.marks.push((seconds, pairs));
        if self.marks.len() > MOST_MARKS {
            let mut number = 0;
            self.marks.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.spacing *= 2;
        }
    }

    /// Starts over: the times before and after a pause must not count as one batch.
    pub fn paused(&mut self) {
        *self = Self::default();
    }

    fn pair_time(&self, pairs_per_second: Option<f64>) -> Option<PairTime> {
        let batches = || {
            let steps = self.marks.windows(2);
            steps.map(|ends| (ends[1].0 - ends[0].0, (ends[1].1 - ends[0].1) as f64))
        };
        let (seconds, pairs) = batches().fold((0.0, 0.0), |sum, batch| (sum.0 + batch.0, sum.1 + batch.1));
        let count = batches().count();
        if count < LEAST_BATCHES {
            let rate = pairs_per_second.filter(|rate| *rate > 0.0)?;
            return Some(PairTime { mean: 1.0 / rate, variance: None, pairs });
        }
        let mean = seconds / pairs;
        let off = |(seconds, pairs): (f64, f64)| (seconds - mean * pairs) * (seconds - mean * pairs) / pairs;
        let squares: f64 = batches().map(off).sum();
        Some(PairTime { mean, variance: Some(squares / (count - 1) as f64), pairs })
    }

    /// The time left in words: `about 12 to 15 min left`. `None` if it is unknown. Uses the speed `pairs_per_second`
    /// until there are enough notes.
    pub fn left(&self, run: &RunConfig, standing: &Standing, pairs_per_second: Option<f64>) -> Option<String> {
        let time = self.pair_time(pairs_per_second)?;
        let [few, many] = pairs_left(run, standing)?;
        let most = if may_end_early(run) { "at most" } else { "about" };
        let Some(variance) = time.variance else {
            let middle = (few * many).sqrt();
            return Some(format!("{most} {} left", spoken(seconds(middle * time.mean))));
        };
        let at = |pairs: f64, reach: f64| {
            let error = (pairs * variance + pairs * pairs * variance / time.pairs).sqrt();
            (pairs * time.mean + reach * error).max(0.0)
        };
        Some(format!("{most} {} left", range(at(few, -REACH), at(many, REACH))))
    }
}

/// Whether the run may end before its pair limit, as soon as enough is known.
fn may_end_early(run: &RunConfig) -> bool {
    match &run.experiment {
        ExperimentConfig::Ladder(ladder) => ladder.precision.is_some(),
        ExperimentConfig::Tune(tune) => tune.stop_regret.is_some(),
        ExperimentConfig::Match { .. } | ExperimentConfig::Selfplay { .. } | ExperimentConfig::Sprt { .. } => false,
    }
}

/// The number of pairs left: a range that holds eight of ten cases.
fn pairs_left(run: &RunConfig, standing: &Standing) -> Option<[f64; 2]> {
    let expected = standing.pairs_left.map(|left| left as f64);
    let (ExperimentConfig::Sprt { test, max_pairs, .. }, Some(now)) = (&run.experiment, standing.sprt()) else {
        return expected.map(|left| [left; 2]);
    };
    let limit = max_pairs.map_or(f64::INFINITY, |most| most.get().saturating_sub(standing.pairs) as f64);
    let bounds = Bounds { lower: now.lower, upper: now.upper };
    let games = run.experiment.rounds().games_each() as f64;
    let found = match &standing.counts {
        Counts::Pairs(pairs) => left(test, pairs, now.llr, bounds, SHARES),
        Counts::Games(_) => left(test, &standing.counts, now.llr, bounds, SHARES).map(|left| left.map(|n| n / games)),
    };
    found.map(|left| left.map(|pairs| pairs.min(limit))).or_else(|| expected.map(|left| [left; 2]))
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, MOST_SECONDS))
}

/// A range of two durations in seconds, in the unit of the longer one: `12 to 15 min`, or `12 min` if both look the
/// same.
fn range(low: f64, high: f64) -> String {
    let (low, high) = (low.clamp(0.0, MOST_SECONDS), high.clamp(0.0, MOST_SECONDS));
    let text = spoken(seconds(high));
    let Some((number, unit)) = text.split_once(' ') else { return text };
    let (size, decimals) = match unit {
        "min" => (60.0, 0),
        "h" => (3600.0, 1),
        "days" => (86_400.0, 0),
        _ => (1.0, 0),
    };
    let of = |seconds: f64| format!("{:.decimals$}", seconds / size);
    // Tenths of a second pass before a reader sees them.
    let (low, high) = (of(low), if unit == "s" { of(high) } else { number.to_owned() });
    match low.as_str() {
        _ if low == high => format!("{high} {unit}"),
        "0" | "0.0" => format!("{high} {unit} or less"),
        _ => format!("{low} to {high} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use arena::run::{PairingStanding, SprtStanding, StandingOf};
    use stats::PairCounts;

    /// A configuration for two engines with this section.
    fn two_engines(job: Job, section: &str) -> RunConfig {
        let entrants = "[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";
        let text = format!("{section}[each]\nlimit = \"9 nodes\"\ntable = \"64 KiB\"\n{entrants}");
        plan::load(&text, "test", "test", &[], job, plan::Disk).expect("a configuration").run
    }

    /// The standing of a match of two at its start.
    fn standing(pairs: u64, left: u64) -> Standing {
        let counts = Counts::default();
        let of = StandingOf::Match { pairings: vec![PairingStanding { entrant: 0, opponent: 1, counts }] };
        Standing { pairs, counts, pairs_left: Some(left), of }
    }

    /// A run where each batch of 10 pairs took this long.
    fn played(batches: &[f64]) -> (Timekeeper, Standing, Option<f64>) {
        let mut keeper = Timekeeper::default();
        let mut now = standing(0, 1_000);
        let mut elapsed = Duration::ZERO;
        keeper.note(elapsed, 0);
        for seconds in batches {
            now.pairs += 10;
            now.pairs_left = Some(1_000_u64.saturating_sub(now.pairs));
            elapsed += Duration::from_secs_f64(*seconds);
            keeper.note(elapsed, now.pairs);
        }
        let rate = now.pairs as f64 / elapsed.as_secs_f64();
        (keeper, now, Some(rate))
    }

    #[test]
    fn what_scatters_is_less_sure() {
        let run = two_engines(Job::Match, "[match]\npairs = 1000\n");
        let left = |batches: &[f64]| {
            let (keeper, now, rate) = played(batches);
            keeper.left(&run, &now, rate)
        };
        assert_eq!(left(&[5.0; 10]).as_deref(), Some("about 8 min left"), "900 pairs at half a second each");
        let uneven: Vec<f64> = (0..10).map(|batch| if batch % 2 == 0 { 2.0 } else { 8.0 }).collect();
        assert_eq!(left(&uneven).as_deref(), Some("about 5 to 10 min left"));
        assert_eq!(left(&[5.0; 2]).as_deref(), Some("about 8 min left"), "too little to say how sure that is");
        assert_eq!(left(&[]), None);
    }

    #[test]
    fn a_session_that_a_small_regret_ends_has_at_most_its_pairs_left() {
        let (keeper, now, rate) = played(&[5.0; 10]);
        let left = |stop: &str| {
            let tuned = "[[tune.parameter]]\nname = \"optimism\"\n[[entrant]]\nname = \"a\"\nlimit = \"9 nodes\"\n";
            let text = format!("[tune]\npairs = 1000\n{stop}{tuned}");
            let run = plan::load(&text, "test", "test", &[], Job::Tune, plan::Disk).expect("a configuration").run;
            keeper.left(&run, &now, rate)
        };
        assert_eq!(left("").as_deref(), Some("about 8 min left"));
        assert_eq!(left("stop_regret = 1\n").as_deref(), Some("at most 8 min left"));
    }

    #[test]
    fn many_pairs_are_few_marks_and_a_pause_starts_over() {
        let (mut keeper, _, rate) = played(&[5.0; 1000]);
        assert!((2..=MOST_MARKS).contains(&keeper.marks.len()), "{}", keeper.marks.len());
        let time = keeper.pair_time(rate).expect("a time");
        assert!((time.mean - 0.5).abs() < 1e-9 && time.variance.is_some_and(|variance| variance < 1e-9), "{time:?}");
        keeper.paused();
        assert!(keeper.marks.is_empty());
    }

    #[test]
    fn ranges_have_one_unit() {
        let ranges = [(0.2, 0.4), (3.2, 9.4), (31.0, 119.0), (700.0, 910.0), (3000.0, 9000.0), (0.0, 1e12)];
        let worded = ranges.map(|(low, high)| range(low, high));
        assert_eq!(worded, ["0 s", "3 to 9 s", "31 to 119 s", "12 to 15 min", "0.8 to 2.5 h", "37037 days or less"]);
    }

    #[test]
    fn a_test_s_end_is_less_sure_than_a_match_s() {
        let run = two_engines(Job::Sprt, "[sprt]\nelo0 = 0\nelo1 = 10\nmax_pairs = 100000\n");
        let counts = Counts::from(PairCounts([30, 60, 110, 110, 75, 40]));
        let test = SprtStanding { llr: 0.8, lower: -2.944, upper: 2.944, decided: None };
        let of = StandingOf::Sprt { test, pairing: PairingStanding { entrant: 0, opponent: 1, counts } };
        let now = Standing { pairs: 425, counts, pairs_left: None, of };
        let [few, many] = pairs_left(&run, &now).expect("it is running");
        assert!(1.0 < few && 3.0 * few < many && many < 99_000.0, "{few} to {many}");
        let capped = two_engines(Job::Sprt, "[sprt]\nelo0 = 0\nelo1 = 10\nmax_pairs = 500\n");
        assert_eq!(pairs_left(&capped, &now).map(|[_, many]| many), Some(75.0), "425 are played");
    }
}
