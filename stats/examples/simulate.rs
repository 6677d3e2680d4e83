//! Measures the claims of the documentation: error rates of the sequential test, coverage of the intervals of samples
//! of fixed size, and bias and coverage of the estimate after a test. Seeded: the same figures on every machine.
//!
//! `simulate errors|samples|after|drawish [tests]`; each prints the rows of a Markdown table as they are computed. The
//! tables are in `docs/measurements/statistics.md`.

use rayon::prelude::*;
use stats::plan::simulate::{Trials, generator, trial};
use stats::plan::{Conditions, Prospect};
use stats::sprt::AfterTest;
use stats::{Estimate, Model, PairCounts, SprtConfig, Summary, elo};

const SEED: u64 = 1;
/// A limit far beyond the longest test.
const LIMIT: u64 = 100_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let part = words.next().unwrap_or_default();
    let tests = words.next().map(|n| n.parse()).transpose()?;
    match part.as_str() {
        "errors" => errors(tests),
        "samples" => samples(tests.unwrap_or(20_000)),
        "after" => after(tests.unwrap_or(20_000)),
        "drawish" => drawish(tests.unwrap_or(3_000)),
        _ => Err("expected `errors`, `samples`, `after` or `drawish`".into()),
    }
}

/// Error rates: alpha if H0 holds, beta if H1 holds; of tests of typical length, and of short ones.
fn errors(tests: Option<u64>) -> Result<(), Box<dyn std::error::Error>> {
    let models = [Model::Normalized, Model::Logistic];
    let usual = Conditions::new(0.5, 150.0)?;
    for (elo0, elo1, default) in [(0.0, 5.0, 4_000), (-5.0, 0.0, 4_000), (0.0, 2.0, 1_000)] {
        for model in models {
            error_rates(&usual, &SprtConfig { elo0, elo1, model, ..SprtConfig::default() }, tests.unwrap_or(default))?;
        }
    }
    for (draws, bias) in [(0.2, 80.0), (0.5, 0.0), (0.8, 0.0), (0.95, 0.0)] {
        for (elo1, model) in [50.0, 20.0].into_iter().flat_map(|elo1| models.map(|model| (elo1, model))) {
            let config = SprtConfig { elo1, model, ..SprtConfig::default() };
            error_rates(&Conditions::new(draws, bias)?, &config, tests.unwrap_or(20_000))?;
        }
    }
    Ok(())
}

/// The rows of one test, under H0 and under H1; omits a difference that is impossible with these draws.
fn error_rates(conditions: &Conditions, config: &SprtConfig, tests: u64) -> Result<(), Box<dyn std::error::Error>> {
    let &SprtConfig { elo0, elo1, model, .. } = config;
    let (draws, bias) = (100.0 * conditions.draw_ratio(), conditions.rms_bias());
    for (truth, h1_holds) in [(elo0, false), (elo1, true)] {
        let score = conditions.score(model, truth);
        let Ok(law) = conditions.pair_law(score) else { continue };
        let all = (0..tests)
            .into_par_iter()
            .map(|index| trial(config, &law, SEED, index, LIMIT))
            .collect::<Result<Vec<_>, _>>()?;
        let mut sum = Trials::default();
        for trial in &all {
            sum.add(trial);
        }
        let (pass, error) = sum.pass();
        let wrong = if h1_holds { 1.0 - pass } else { pass };
        let expected = Prospect::at_score(config, conditions, score)?.games;
        println!(
            "| ({elo0}, {elo1}) {model} | {draws}%, {bias} | {truth} | {} | {:.2}% ± {:.2}% | {:.0} | {expected:.0} |",
            sum.tests,
            100.0 * wrong,
            100.0 * error,
            sum.mean_games(),
        );
    }
    Ok(())
}

/// Share of intervals that hold the truth, as a percentage.
fn coverage(intervals: impl Iterator<Item = Option<Estimate>>, truth: f64) -> f64 {
    let (mut hits, mut all) = (0.0, 0.0);
    for interval in intervals {
        all += 1.0;
        if interval.is_some_and(|i| i.low <= truth && truth <= i.high) {
            hits += 1.0;
        }
    }
    100.0 * hits / all
}

/// Coverage of the 95% intervals of samples of fixed size.
fn samples(tests: u64) -> Result<(), Box<dyn std::error::Error>> {
    let conditions = Conditions::new(0.2, 80.0)?;
    for truth in [0.0, 20.0, 200.0] {
        let score = elo::expected_score(truth);
        let law = conditions.pair_law(score)?;
        // The noise shrinks by the square of the advantage.
        let off = score - 0.5;
        let noise = (conditions.variance_per_game() - off * off).sqrt();
        let nelo = off / noise * elo::NELO_PER_SIGMA;
        for pairs in [100, 1_000, 10_000] {
            let summaries: Vec<Summary> = (0..tests)
                .into_par_iter()
                .map(|index| {
                    let mut generator = generator(SEED, index);
                    let mut counts = PairCounts::default();
                    for _ in 0..pairs {
                        counts.add(law.sample(&mut generator));
                    }
                    Summary::of_pairs(&counts)
                })
                .collect();
            println!(
                "| {truth} | {pairs} | {tests} | {:.2}% | {:.2}% | {:.2}% | {:.2}% |",
                coverage(summaries.iter().map(|s| s.elo), truth),
                coverage(summaries.iter().map(|s| s.nelo), nelo),
                coverage(summaries.iter().map(|s| s.draw_ratio), 0.2),
                coverage(summaries.iter().map(|s| s.rms_bias), 80.0),
            );
        }
    }
    Ok(())
}

/// Bias and coverage after (0, 5) normalized tests: the estimate that corrects for the stopping rule, and the plain
/// one.
fn after(tests: u64) -> Result<(), Box<dyn std::error::Error>> {
    let conditions = Conditions::new(0.5, 150.0)?;
    let config = SprtConfig { elo1: 5.0, ..SprtConfig::default() };
    for truth in [-2.5, 0.0, 2.5, 5.0, 10.0] {
        let score = conditions.score(Model::Normalized, truth);
        let law = conditions.pair_law(score)?;
        let true_elo = elo::elo_of_score(score);
        let found: Vec<(Option<Estimate>, Option<Estimate>)> = (0..tests)
            .into_par_iter()
            .map(|index| {
                let trial = trial(&config, &law, SEED, index, LIMIT)?;
                let allowing = AfterTest::new(&config, &trial.counts).map(|a| a.elo);
                Ok((allowing, Summary::of_pairs(&trial.counts).elo))
            })
            .collect::<Result<_, stats::SprtError>>()?;
        let allowing = || found.iter().map(|f| f.0);
        let plain = || found.iter().map(|f| f.1);
        println!(
            "| {truth} | {tests} | {:+.3} | {:.2}% | {:.1}% | {:+.3} | {:.2}% | {:.1}% |",
            median_error(allowing(), true_elo),
            coverage(allowing(), true_elo),
            share_above(allowing(), true_elo),
            median_error(plain(), true_elo),
            coverage(plain(), true_elo),
            share_above(plain(), true_elo),
        );
    }
    Ok(())
}

/// Coverage after logistic tests by share of even pairs, and how often the estimate is above and below the truth.
fn drawish(tests: u64) -> Result<(), Box<dyn std::error::Error>> {
    for (even, elo1) in [(0.5, 50.0), (0.8, 20.0), (0.95, 5.0), (0.95, 20.0), (0.99, 5.0)] {
        // Even pairs are two draws, or a win and a loss: d^2 + (1-d)^2 / 2 of all.
        let conditions = Conditions::new((1.0 + libm::sqrt(6.0 * even - 2.0)) / 3.0, 0.0)?;
        let config = SprtConfig { elo1, model: Model::Logistic, ..SprtConfig::default() };
        for truth in [0.0, elo1] {
            let Ok(law) = conditions.pair_law(elo::expected_score(truth)) else { continue };
            let counts: Vec<PairCounts> = (0..tests)
                .into_par_iter()
                .map(|index| Ok(trial(&config, &law, SEED, index, LIMIT)?.counts))
                .collect::<Result<_, stats::SprtError>>()?;
            let decisive: u64 = counts.iter().map(|c| c.total() - c.pentanomial().0[2]).sum();
            let found: Vec<Option<Estimate>> =
                counts.iter().map(|c| AfterTest::new(&config, c).map(|after| after.elo)).collect();
            let below = || found.iter().map(|e| e.map(Estimate::negate));
            println!(
                "| {:.0}% | (0, {elo1}) | {truth} | {tests} | {:.1} | {:.1}% | {:.1}% | {:.1}% |",
                100.0 * even,
                decisive as f64 / tests as f64,
                coverage(found.iter().copied(), truth),
                share_above(found.iter().copied(), truth),
                share_above(below(), -truth),
            );
        }
    }
    Ok(())
}

/// Median of estimate less truth.
fn median_error(estimates: impl Iterator<Item = Option<Estimate>>, truth: f64) -> f64 {
    let mut errors: Vec<f64> = estimates.flatten().map(|e| e.value - truth).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How often the estimate exceeds the truth, as a percentage.
fn share_above(estimates: impl Iterator<Item = Option<Estimate>>, truth: f64) -> f64 {
    let above: Vec<bool> = estimates.flatten().map(|e| e.value > truth).collect();
    100.0 * above.iter().filter(|a| **a).count() as f64 / above.len() as f64
}
