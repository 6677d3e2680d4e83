//! Measures how many pairs of games it takes to find the commit that lost strength: `stats::bisect` against the two
//! common methods, bisection by matches of a fixed length and bisection by sequential tests. Seeded: the same figures
//! on every machine. Both know the size of the loss; the last column has sequential tests that do not.
//!
//! `bisect [trials [commits [loss]]]` prints the rows of a Markdown table as they are computed. The table is in
//! `docs/measurements/bisection.md`.

use rayon::prelude::*;
use stats::bisect::{Bisection, Costs, Measured, Prior};
use stats::plan::simulate::trial;
use stats::plan::{Conditions, PairLaw};
use stats::random::Stream;
use stats::sprt::SprtState;
use stats::{Model, PairCounts, SprtConfig, elo};
use std::collections::BTreeMap;

const SEED: u64 = 7;
/// A bisection that has not ended after this many pairs names the most probable commit.
const MOST_PAIRS: u64 = 400_000;
const CONFIDENCE: f64 = 0.95;
/// The default regression test for an unknown loss: this loss against none, with these error rates.
const USUAL_LOSS: f64 = 5.0;
const USUAL_RATE: f64 = 0.05;

/// The Elo of all versions, and the commit that lost.
struct Range {
    path: Vec<f64>,
    guilty: u32,
}

/// The result of one bisection.
struct Found {
    is_right: bool,
    is_claimed: bool,
    pairs: f64,
    versions: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = std::env::args().skip(1).map(|word| word.parse::<u32>()).collect::<Result<Vec<_>, _>>()?;
    let trials = words.first().map_or(200, |&trials| u64::from(trials));
    let conditions = Conditions::new(0.5, 100.0)?;
    let heads = ["Commits", "Loss", "Right", "Of claims", "Pairs", "Versions built"];
    let others = ["By matches", "By sequential tests", "By usual tests"];
    println!("| {} | {} |", heads.join(" | "), others.join(" | "));
    println!("|---|---|---|---|---|---|---|---|---|");
    for commits in [10, 40, 200] {
        for loss in [5, 10, 20, 40] {
            if words.get(1).is_none_or(|&only| only == commits) && words.get(2).is_none_or(|&only| only == loss) {
                row(&conditions, commits, f64::from(loss), trials);
            }
        }
    }
    Ok(())
}

fn row(conditions: &Conditions, commits: u32, loss: f64, trials: u64) {
    let ranges: Vec<Range> = (0..trials).map(|index| range(commits, loss, index)).collect();
    let ours: Vec<Found> =
        (0..trials).into_par_iter().map(|at| bisected(conditions, &ranges[at as usize], at)).collect();
    let share = |found: &[Found]| mean(found, |found| f64::from(u8::from(found.is_right)));
    let claims: Vec<&Found> = ours.iter().filter(|found| found.is_claimed).collect();
    let claimed = claims.iter().filter(|found| found.is_right).count() as f64 / claims.len().max(1) as f64;
    let (right, pairs) = (share(&ours), mean(&ours, |found| found.pairs));
    let equal = |found: &dyn Fn(usize) -> Vec<Found>, levels: usize| {
        let all = (0..levels).map(found).find(|found| share(found) >= right - 0.01);
        all.map_or_else(
            || "never as often right".to_owned(),
            |found| {
                let theirs = mean(&found, |found| found.pairs);
                format!("{theirs:.0} ({:.1} times, {:.0}% right)", theirs / pairs, 100.0 * share(&found))
            },
        )
    };
    let fixed = |level: usize| {
        let pairs = 50.0 * libm::pow(std::f64::consts::SQRT_2, level as f64);
        (0..trials).into_par_iter().map(|at| by_matches(conditions, &ranges[at as usize], at, loss, pairs)).collect()
    };
    let tests = |level: usize| {
        let rate = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001][level];
        (0..trials).into_par_iter().map(|at| by_tests(conditions, &ranges[at as usize], at, loss, rate)).collect()
    };
    let usual: Vec<Found> = (0..trials)
        .into_par_iter()
        .map(|at| by_tests(conditions, &ranges[at as usize], at, USUAL_LOSS, USUAL_RATE))
        .collect();
    println!(
        "| {commits} | {loss} | {:.0}% | {:.0}% of {} | {pairs:.0} | {:.1} | {} | {} | {:.0}, {:.0}% right |",
        100.0 * right,
        100.0 * claimed,
        claims.len(),
        mean(&ours, |found| found.versions),
        equal(&fixed, 24),
        equal(&tests, 8),
        mean(&usual, |found| found.pairs),
        100.0 * share(&usual),
    );
}

fn mean(found: &[Found], of: impl Fn(&Found) -> f64) -> f64 {
    found.iter().map(of).sum::<f64>() / found.len().max(1) as f64
}

/// Ordinary commits change the strength by up to 2 Elo in either direction; one commit loses this much.
fn range(commits: u32, loss: f64, index: u64) -> Range {
    let mut random = Stream::from_seed(SEED ^ (index << 20));
    let guilty = 1 + random.below(commits);
    let mut path = vec![0.0];
    for commit in 1..=commits {
        let ordinary = 2.0 * random.uniform() * random.sign();
        let step = if commit == guilty { -loss } else { ordinary };
        path.push(path[commit as usize - 1] + step);
    }
    Range { path, guilty }
}

fn bisected(conditions: &Conditions, range: &Range, index: u64) -> Found {
    let mut random = Stream::from_seed(SEED ^ (index << 20) ^ 1);
    let commits = range.path.len() as u32 - 1;
    let mut bisection = Bisection::new(commits, Prior::default());
    let mut counts: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    let variance = variance_of_pair(conditions);
    let mut played = 0_u64;
    loop {
        let posterior = bisection.posterior();
        let suspects = posterior.suspects(CONFIDENCE);
        let is_claimed = played > 0 && suspects.len() == 1;
        if is_claimed || played >= MOST_PAIRS {
            let is_right = suspects.first() == Some(&range.guilty);
            let versions: std::collections::BTreeSet<u32> = counts.keys().flat_map(|&(a, b)| [a, b]).collect();
            return Found { is_right, is_claimed, pairs: played as f64, versions: versions.len() as f64 };
        }
        let pairs = (played / 32).max(8);
        let costs = Costs { pairs: pairs as f64, variance, build: 20.0 };
        let (earlier, later) =
            bisection.next_match(&costs, |version| counts.keys().any(|&(a, b)| a == version || b == version), |_| true);
        let difference = range.path[later as usize] - range.path[earlier as usize];
        let law = law_of_pair(conditions, difference);
        let sum: f64 = (0..pairs).map(|_| 1.0 + law.sample(&mut random).net() / 2.0).sum();
        let known = counts.entry((earlier, later)).or_default();
        *known = (known.0 + pairs as f64, known.1 + sum);
        let score = ((known.1 + 1.0) / (2.0 * known.0 + 2.0)).clamp(0.01, 0.99);
        let slope = score * (1.0 - score) * 4.0;
        let measured = Measured { elo: elo::elo_of_score(score), variance: variance / (slope * slope) / known.0 };
        bisection.measure(earlier, later, measured);
        played += pairs;
    }
}

/// The law of a pair. Between distant versions fewer games are drawn: as many as leave room for wins and losses.
fn law_of_pair(conditions: &Conditions, difference: f64) -> PairLaw {
    let (score, bias) = (elo::expected_score(difference), elo::expected_score(conditions.rms_bias()) - 0.5);
    let room = score.min(1.0 - score) - bias;
    let draws = conditions.draw_ratio().min(1.99 * room);
    let possible = Conditions::new(draws, conditions.rms_bias());
    possible.and_then(|possible| possible.pair_law(score)).expect("a difference below 300 Elo")
}

/// The variance of the Elo of one pair, between equals.
fn variance_of_pair(conditions: &Conditions) -> f64 {
    let slope = 1600.0 / std::f64::consts::LN_10;
    // For a pair's score: its points are twice that.
    conditions.variance_per_game() * 2.0 / 4.0 * slope * slope
}

/// Plays the version in the middle against the good one, and decides at half the loss.
fn by_matches(conditions: &Conditions, range: &Range, index: u64, loss: f64, pairs: f64) -> Found {
    let mut random = Stream::from_seed(SEED ^ (index << 20) ^ 2);
    let error = (variance_of_pair(conditions) / pairs).sqrt();
    halve(range, |good, middle| {
        let measured = range.path[middle] - range.path[good] + error * random.normal();
        (measured < -loss / 2.0, pairs)
    })
}

/// Plays a sequential test of no loss against this loss.
fn by_tests(conditions: &Conditions, range: &Range, index: u64, loss: f64, rate: f64) -> Found {
    let config =
        SprtConfig { elo0: -loss, elo1: 0.0, alpha: rate, beta: rate, model: Model::Logistic, ..SprtConfig::default() };
    halve(range, |good, middle| {
        let law = law_of_pair(conditions, range.path[middle] - range.path[good]);
        let test = trial(&config, &law, SEED ^ (index << 20), middle as u64, MOST_PAIRS).expect("a valid test");
        (test.state == SprtState::H0, pairs_of(&test.counts) as f64)
    })
}

fn pairs_of(counts: &PairCounts) -> u64 {
    counts.total()
}

/// Halves the range until one commit is left; `is_bad` plays the middle against the last good version, and returns
/// whether the loss is before it, and the number of pairs.
fn halve(range: &Range, mut is_bad: impl FnMut(usize, usize) -> (bool, f64)) -> Found {
    let (mut good, mut bad, mut pairs, mut versions) = (0, range.path.len() - 1, 0.0, 2.0);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        let (bad_half, played) = is_bad(good, middle);
        if bad_half {
            bad = middle;
        } else {
            good = middle;
        }
        pairs += played;
        versions += 1.0;
    }
    Found { is_right: bad == range.guilty as usize, is_claimed: true, pairs, versions }
}
