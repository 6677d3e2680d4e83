//! Measures how many patches that gain a campaign finds with a number of pairs, and how many of its discoveries are
//! false: `stats::campaign` against one sequential test for each patch, all tests side by side with equal shares of the
//! pairs, with error rates of 5% each and with 5% for all of them together, and against a campaign that knows all
//! gains. Seeded: the same figures on every machine.
//!
//! `campaign [trials [pairs]]` prints the rows of a Markdown table as they are computed. The table is in
//! `docs/measurements/campaigns.md`.

use rayon::prelude::*;
use stats::campaign::{Campaign, Rules, State};
use stats::plan::Conditions;
use stats::plan::PairLaw;
use stats::random::Stream;
use stats::sprt::SprtState;
use stats::{Model, Sprt, SprtConfig};

const SEED: u64 = 11;
const IDEAS: u32 = 20;
/// The number of pairs between two decisions about who plays.
const BATCH: u32 = 32;
/// The mean gain of a patch that gains, in Elo; gains are exponential.
const MEAN_GAIN: f64 = 3.0;

/// The error rate of a test.
const ALPHA: f64 = 0.05;

/// The strength of dead patches.
#[derive(Clone, Copy, PartialEq)]
enum Dead {
    /// Exactly as strong as the base: the most false discoveries.
    Equal,
    /// Half of them lose as much as the others gain.
    Mixed,
}

/// The result of one trial.
#[derive(Clone, Copy, Default)]
struct Found {
    gains: f64,
    falsely: f64,
}

impl Found {
    fn share_false(&self) -> f64 {
        self.falsely / (self.gains + self.falsely).max(1.0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = std::env::args().skip(1).map(|word| word.parse::<u64>()).collect::<Result<Vec<_>, _>>()?;
    let trials = words.first().copied().unwrap_or(200);
    let conditions = Conditions::new(0.5, 100.0)?;
    println!("| Pairs | Dead | Gains | Found | False | Tests | False | Times | Strict tests | False | Times | Known |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for pairs in [50_000, 100_000, 200_000, 400_000] {
        if words.get(1).is_none_or(|&only| only == pairs) {
            for dead in [Dead::Equal, Dead::Mixed] {
                for share in [5, 25, 50, 75, 95] {
                    row(&conditions, pairs, dead, share, trials);
                }
            }
        }
    }
    takes(&conditions, trials);
    Ok(())
}

fn row(conditions: &Conditions, pairs: u64, dead: Dead, share: u32, trials: u64) {
    let patches: Vec<Vec<f64>> = (0..trials).map(|trial| gains(dead, share, trial)).collect();
    let all = |of: &(dyn Fn(&[f64], u64) -> Found + Sync)| -> Vec<Found> {
        (0..trials).into_par_iter().map(|trial| of(&patches[trial as usize], trial)).collect()
    };
    let ours = all(&|gains, trial| campaign(conditions, gains, pairs, trial));
    let [tests, strict] = [ALPHA, ALPHA / f64::from(IDEAS)]
        .map(|alpha| all(&|gains, trial| tests(conditions, gains, pairs, trial, alpha)));
    let knowing = all(&|gains, trial| knowing(conditions, gains, pairs, trial));
    let mean = |found: &[Found], of: fn(&Found) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
    let real = patches.iter().flatten().filter(|&&gain| gain > 0.0).count() as f64 / trials as f64;
    let gains = |found: &[Found]| mean(found, |found| found.gains);
    let cells = |found: &[Found]| format!("{:.2} | {:.1}%", gains(found), 100.0 * mean(found, Found::share_false));
    let times = |found: &[Found]| match gains(found) {
        0.0 => "-".to_owned(),
        found => format!("{:.2}", gains(&ours) / found),
    };
    println!(
        "| {pairs} | {share}%, {} | {real:.2} | {} | {} | {} | {} | {} | {:.2} |",
        if dead == Dead::Equal { "equal" } else { "equal or worse" },
        cells(&ours),
        cells(&tests),
        times(&tests),
        cells(&strict),
        times(&strict),
        gains(&knowing),
    );
}

/// The gains of the patches, in Elo; each is dead with this probability, in percent.
fn gains(dead: Dead, share: u32, trial: u64) -> Vec<f64> {
    let mut random = Stream::from_seed(SEED ^ (trial << 20));
    let gain = |_| {
        let size = -MEAN_GAIN * libm::log1p(-random.uniform());
        match (random.below(100) < share, dead) {
            (false, _) => size,
            (true, Dead::Mixed) if random.below(2) == 0 => -size,
            (true, _) => 0.0,
        }
    };
    (0..IDEAS).map(gain).collect()
}

fn laws(conditions: &Conditions, gains: &[f64]) -> Vec<PairLaw> {
    let law = |&gain: &f64| conditions.law_at(Model::Logistic, gain).expect("a small difference");
    gains.iter().map(law).collect()
}

fn found(gains: &[f64], accepted: &[bool]) -> Found {
    let count = |of: &dyn Fn(f64) -> bool| {
        gains.iter().zip(accepted).filter(|&(&gain, &is_accepted)| is_accepted && of(gain)).count() as f64
    };
    Found { gains: count(&|gain| gain > 0.0), falsely: count(&|gain| gain <= 0.0) }
}

fn with_ideas(rules: Rules, ideas: usize) -> Campaign {
    let mut campaign = Campaign::new(rules, ideas as u32);
    (0..ideas).for_each(|_| _ = campaign.add_idea());
    campaign
}

fn campaign(conditions: &Conditions, gains: &[f64], pairs: u64, trial: u64) -> Found {
    let laws = laws(conditions, gains);
    let mut random = Stream::from_seed(SEED ^ (trial << 20) ^ 1);
    let mut campaign = with_ideas(Rules::default(), gains.len());
    play(&mut campaign, |patch| &laws[patch], pairs, &mut random);
    accepted(&campaign, gains)
}

/// Plays with all gains known: the largest plays until it is accepted, then the next one. None is dropped.
fn knowing(conditions: &Conditions, gains: &[f64], pairs: u64, trial: u64) -> Found {
    let laws = laws(conditions, gains);
    let mut random = Stream::from_seed(SEED ^ (trial << 20) ^ 1);
    let mut campaign = with_ideas(Rules { futility: f64::MIN_POSITIVE, ..Rules::default() }, gains.len());
    let mut order: Vec<usize> = (0..gains.len()).collect();
    order.sort_by(|&one, &other| gains[other].total_cmp(&gains[one]));
    (0..).zip(&order).for_each(|(place, &patch)| campaign.prefer(patch, -place));
    play(&mut campaign, |patch| &laws[patch], pairs, &mut random);
    accepted(&campaign, gains)
}

fn accepted(campaign: &Campaign, gains: &[f64]) -> Found {
    let accepted: Vec<bool> = campaign.patches().iter().map(|patch| patch.state == State::Accepted).collect();
    found(gains, &accepted)
}

/// Plays a campaign to its end, or to this many pairs.
fn play<'a>(campaign: &mut Campaign, law: impl Fn(usize) -> &'a PairLaw, pairs: u64, random: &mut Stream) {
    let mut played = 0;
    while let Some(patch) = campaign.next().filter(|_| played < pairs) {
        for _ in 0..BATCH {
            campaign.record(patch, law(patch).sample(random));
        }
        played += u64::from(BATCH);
    }
}

/// Runs a test of 0 against 3 Elo with this error rate for each patch, in turn a batch for each that still runs.
fn tests(conditions: &Conditions, gains: &[f64], pairs: u64, trial: u64, alpha: f64) -> Found {
    let laws = laws(conditions, gains);
    let mut random = Stream::from_seed(SEED ^ (trial << 20) ^ 2);
    let config = SprtConfig { elo0: 0.0, elo1: 3.0, model: Model::Logistic, alpha, ..SprtConfig::default() };
    let mut tests: Vec<Sprt> = gains.iter().map(|_| Sprt::new(config).expect("a valid test")).collect();
    let mut played = 0;
    while played < pairs && tests.iter().any(|test| test.state() == SprtState::Continue) {
        for (test, law) in tests.iter_mut().zip(&laws).filter(|(test, _)| test.state() == SprtState::Continue) {
            let batch: Vec<_> = (0..BATCH).map(|_| law.sample(&mut random)).collect();
            test.update_batch(&batch);
            played += u64::from(BATCH);
        }
    }
    let accepted: Vec<bool> = tests.iter().map(|test| test.state() == SprtState::H1).collect();
    found(gains, &accepted)
}

/// Tries one idea of twenty again as soon as it is dropped, up to ten times; no patch gains.
fn takes(conditions: &Conditions, trials: u64) {
    let law = conditions.law_at(Model::Logistic, 0.0).expect("no difference");
    let falsely = |trial: u64| {
        let mut random = Stream::from_seed(SEED ^ (trial << 20) ^ 3);
        let mut campaign = with_ideas(Rules::default(), IDEAS as usize);
        for _ in 0..10 {
            play(&mut campaign, |_| &law, 20_000, &mut random);
            let _take = campaign.add_take(0);
        }
        f64::from(u8::from(campaign.patches().iter().any(|patch| patch.state == State::Accepted)))
    };
    let any: f64 = (0..trials).into_par_iter().map(falsely).sum();
    println!(
        "\nTwenty dead ideas, one of them in ten takes: a discovery in {:.1}% of campaigns",
        100.0 * any / trials as f64
    );
}
