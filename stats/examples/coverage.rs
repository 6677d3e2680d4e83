//! Measures how often the 95% intervals of Elo and nElo hold the truth, and the distribution of the likelihood of
//! superiority if there is no difference: for samples of 10 to 10,000 pairs, quick and drawish matches, equal and
//! unequal sides; and the same for the estimate after a test. Seeded: the same figures on every machine.
//!
//! `coverage [samples]` prints the Markdown tables of `docs/measurements/statistics.md`; it plays a fifth as many
//! tests.
//!
//! The law of a pair: a fixed share of pairs is drawn; the frequencies of the others, LL, LD, WD and WW, are 1 : 3 : 3
//! : 1, tilted by e^(theta x) to the wanted Elo difference. If even winning all decided pairs 2-0 is too little, there
//! is no such law.

use rayon::prelude::*;
use stats::plan::simulate::generator;
use stats::random::Stream;
use stats::{Estimate, PairOutcome, Pentanomial, Sprt, SprtConfig, SprtError, SprtState, Summary, Unit, elo};

const SEED: u64 = 1;
const PAIRS: [u64; 5] = [10, 30, 100, 1_000, 10_000];
/// A test that has not ended after this many times the planned pairs is ignored.
const PATIENCE: u64 = 50;
/// Shares of drawn pairs, each with the differences to measure. If 20, 100 and 300 Elo are impossible, smaller ones
/// replace them.
const MATCHES: [(f64, &[f64]); 4] = [
    (0.20, &[0.0, 20.0, 100.0, 300.0]),
    (0.80, &[0.0, 20.0, 50.0, 100.0, 300.0]),
    (0.95, &[0.0, 10.0, 20.0, 100.0, 300.0]),
    (0.99, &[0.0, 2.0, 20.0, 100.0, 300.0]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let samples = std::env::args().nth(1).map_or(Ok(10_000), |word| word.parse())?;
    let columns = PAIRS.map(|pairs| format!(" {pairs} pairs |")).concat();
    println!("| Pair draws | Elo |{columns}\n|---|---|{}", "---|".repeat(PAIRS.len()));
    for (draws, differences) in MATCHES {
        for &difference in differences {
            println!("| {:.0}% | {difference} |{}", 100.0 * draws, intervals(draws, difference, samples));
        }
    }
    println!("\n| Pair draws |{columns}\n|---|{}", "---|".repeat(PAIRS.len()));
    for (draws, _) in MATCHES {
        println!("| {:.0}% |{}", 100.0 * draws, superiority(draws, samples));
    }
    println!("\n| Pair draws | Elo |{columns}\n|---|---|{}", "---|".repeat(PAIRS.len()));
    for (draws, differences) in MATCHES {
        for &difference in differences {
            let Some(law) = PairLaw::new(draws, difference) else { continue };
            println!("| {:.0}% | {difference} |{}", 100.0 * draws, after_tests(&law, difference, samples / 5)?);
        }
    }
    Ok(())
}

/// For tests between 0 and the nElo for which this many pairs are planned: mean pairs, coverage of the interval of Elo,
/// and the share of estimates above the truth, with half of the equal ones.
fn after_tests(law: &PairLaw, difference: f64, samples: u64) -> Result<String, SprtError> {
    let cell = |planned| {
        let config = SprtConfig { elo1: width(planned), ..SprtConfig::default() };
        let tests: Vec<Option<Sprt>> =
            (0..samples).into_par_iter().map(|index| law.test(config, planned, index)).collect::<Result<_, _>>()?;
        let ended: Vec<&Sprt> = tests.iter().flatten().collect();
        let pairs = ended.iter().map(|test| test.tally().total()).sum::<u64>() as f64 / ended.len() as f64;
        let found: Vec<Estimate> = ended.iter().filter_map(|test| Some(test.estimate()?.elo)).collect();
        let held = found.iter().filter(|e| holds(Some(**e), difference)).count();
        let above = found.iter().filter(|e| e.value > difference).count();
        let level = found.iter().filter(|e| (e.value - difference).abs() < 1e-9).count();
        let share = 100.0 * (above as f64 + level as f64 / 2.0) / found.len() as f64;
        Ok(format!(" {pairs:.0}: {}, {share:.0}% |", percent(held, found.len() as u64)))
    };
    PAIRS.into_iter().map(cell).collect()
}

/// The H1 in nElo of a test from 0 whose mean length half way between the hypotheses is this many pairs (docs,
/// "Planning").
fn width(pairs: u64) -> f64 {
    let bound = libm::log(0.95 / 0.05);
    elo::NELO_PER_SIGMA * bound / (2.0 * pairs as f64).sqrt()
}

/// Coverage of the interval of Elo / of nElo, for each number of pairs.
fn intervals(draws: f64, difference: f64, samples: u64) -> String {
    let Some(law) = PairLaw::new(draws, difference) else {
        let most = elo::elo_of_advantage((1.0 - draws) / 2.0);
        return format!(" no such law: at most {most:.1} Elo |");
    };
    let nelo = elo::nelo_of_t(law.t_value(), Unit::Pair);
    let cell = |pairs| {
        let found = law.summaries(pairs, samples);
        let share = |held: &dyn Fn(&Summary) -> bool| percent(found.iter().filter(|s| held(s)).count(), samples);
        let elo = share(&|s| holds(s.elo, difference));
        format!(" {elo} / {} |", share(&|s| holds(s.nelo, nelo)))
    };
    PAIRS.map(cell).concat()
}

/// Between equal sides: share of LOS below 2.5% + above 97.5%, and the distance of its distribution from the uniform
/// one.
fn superiority(draws: f64, samples: u64) -> String {
    let Some(law) = PairLaw::new(draws, 0.0) else { return String::new() };
    let cell = |pairs| {
        let mut los: Vec<f64> = law.summaries(pairs, samples).iter().map(|s| s.los).collect();
        los.sort_by(f64::total_cmp);
        let low = los.iter().filter(|p| **p < 0.025).count();
        let high = los.iter().filter(|p| **p > 0.975).count();
        format!(" {} + {}, {:.3} |", percent(low, samples), percent(high, samples), distance(&los))
    };
    PAIRS.map(cell).concat()
}

/// The greatest distance of a sorted sample's distribution from the uniform one; half of the equal values count as
/// below.
fn distance(sorted: &[f64]) -> f64 {
    let size = sorted.len() as f64;
    let off = |p: &f64| {
        let (below, up_to) = (sorted.partition_point(|q| q < p), sorted.partition_point(|q| q <= p));
        ((below + up_to) as f64 / (2.0 * size) - p).abs()
    };
    sorted.iter().map(off).fold(0.0, f64::max)
}

fn percent(count: usize, of: u64) -> String {
    format!("{:.1}%", 100.0 * count as f64 / of as f64)
}

fn holds(interval: Option<Estimate>, truth: f64) -> bool {
    interval.is_some_and(|i| i.low <= truth && truth <= i.high)
}

/// Probabilities of the five pair outcomes by rising score.
struct PairLaw([f64; 5]);

impl PairLaw {
    /// The law with this share of drawn pairs and this difference in Elo; `None` if there is none.
    fn new(draws: f64, difference: f64) -> Option<Self> {
        let wanted = elo::expected_score(difference) - 0.5;
        if wanted.abs() >= (1.0 - draws) / 2.0 {
            return None;
        }
        // A hundred bisections determine a tilt between -1000 and 1000 exactly.
        let (mut low, mut high) = (-1000.0, 1000.0);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if Self::tilted(draws, middle).moment(1) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(Self::tilted(draws, if difference == 0.0 { 0.0 } else { low }))
    }

    fn tilted(draws: f64, theta: f64) -> Self {
        let weights = [(1.0, -0.5), (3.0, -0.25), (3.0, 0.25), (1.0, 0.5)].map(|(w, u)| w * libm::exp(theta * u));
        let [ll, ld, wd, ww] = weights.map(|w| (1.0 - draws) * w / weights.iter().sum::<f64>());
        Self([ll, ld, draws, wd, ww])
    }

    /// E (score - 1/2)^power.
    fn moment(&self, power: i32) -> f64 {
        self.0.iter().zip([-0.5, -0.25, 0.0, 0.25, 0.5]).map(|(p, u)| p * libm::pow(u, f64::from(power))).sum()
    }

    fn t_value(&self) -> f64 {
        let mean = self.moment(1);
        mean / (self.moment(2) - mean * mean).sqrt()
    }

    /// The summaries of this many samples of this many pairs.
    fn summaries(&self, pairs: u64, samples: u64) -> Vec<Summary> {
        (0..samples).into_par_iter().map(|index| Summary::of_pentanomial(&self.sample(pairs, index))).collect()
    }

    fn sample(&self, pairs: u64, index: u64) -> Pentanomial {
        let mut counts = Pentanomial::default();
        let mut generator = generator(SEED, index);
        for _ in 0..pairs {
            counts.0[self.draw(&mut generator).index()] += 1;
        }
        counts
    }

    /// Draws one pair; a drawn pair has two draws.
    fn draw(&self, generator: &mut Stream) -> PairOutcome {
        let [ll, ld, even, wd, _] = self.0;
        // The first bounds decide most pairs, because drawn ones come first.
        let bounds = [even, even + ld, even + ld + wd, even + ld + wd + ll];
        let uniform = generator.uniform();
        let outcomes = [PairOutcome::DD, PairOutcome::LD, PairOutcome::WD, PairOutcome::LL];
        bounds.iter().position(|b| uniform < *b).map_or(PairOutcome::WW, |at| outcomes[at])
    }

    /// Plays a test to its end; `None` if it has not ended after [`PATIENCE`] times the planned pairs.
    fn test(&self, config: SprtConfig, planned: u64, index: u64) -> Result<Option<Sprt>, SprtError> {
        let (mut sprt, mut generator, mut batch) = (Sprt::new(config)?, generator(SEED, index), Vec::new());
        while sprt.state() == SprtState::Continue {
            if sprt.tally().total() > PATIENCE * planned {
                return Ok(None);
            }
            batch.clear();
            batch.extend((0..=sprt.quiet_observations()).map(|_| self.draw(&mut generator)));
            sprt.update_batch(&batch);
        }
        Ok(Some(sprt))
    }
}
