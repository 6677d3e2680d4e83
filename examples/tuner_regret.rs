//! The benchmark "tuner regret" on the command line: plays seeds in parallel and prints the mean Elo still lost, and how
//! well the method knew it.

use std::error::Error;
use std::ops::Range;

use clap::{Parser, ValueEnum};
use rayon::prelude::*;
use serde::Serialize;
use tuner::limits::{Limits, Shares};
use tuner::quadratic::{self, Quadratic};
use tuner::regret::instance::{Instance, Surface};
use tuner::regret::limits::Drifting;
use tuner::regret::oracle::Noise;
use tuner::regret::runner::{Honesty, Session};
use tuner::regret::warm::Changed;
use tuner::spsa::{self, Spsa};
use tuner::spsa_auto::{self, SpsaAuto};
use tuner::spsa_classic::{self, SpsaClassic};
use tuner::{Method, SpaceError};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    Spsa,
    SpsaClassic,
    SpsaAuto,
    Quadratic,
    /// `quadratic` with curvatures that change along a parameter.
    Cubic,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SurfaceName {
    Real,
    Quad,
    Waves,
    Skewed,
    Idle,
    Drift,
    Few,
    Cliffs,
    Bound,
    Entangled,
}

impl SurfaceName {
    fn surface(self) -> Surface {
        match self {
            Self::Real => Surface::Real,
            Self::Quad => Surface::Quad,
            Self::Waves => Surface::Waves,
            Self::Skewed => Surface::Skewed,
            Self::Idle => Surface::Idle,
            Self::Drift => Surface::Drift,
            Self::Few => Surface::Few,
            Self::Cliffs => Surface::Cliffs,
            Self::Bound => Surface::Bound,
            Self::Entangled => Surface::Entangled,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NoiseName {
    Chess,
    Decisive,
}

/// At which of several limits a session plays.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum At {
    /// At all of them, by the schedule of such sessions.
    All,
    /// At the cheapest.
    Cheapest,
    /// At the target.
    Target,
}

/// Mean Elo that a tuning method still loses after a session on synthetic surfaces.
#[derive(Parser)]
struct Arguments {
    /// The method to measure.
    #[arg(long)]
    method: MethodName,
    /// Parameters per instance (K).
    #[arg(long, default_value_t = 9)]
    params: usize,
    /// Pairs per session (N).
    #[arg(long, default_value_t = 20_000)]
    pairs: u64,
    /// Seeds of the instances, as `first..end`.
    #[arg(long, default_value = "0..40", value_parser = parse_range)]
    seeds: Range<u64>,
    /// Shape of the loss.
    #[arg(long, value_enum, default_value = "real")]
    surface: SurfaceName,
    /// Chance in the games.
    #[arg(long, value_enum, default_value = "chess")]
    noise: NoiseName,
    /// Designs in flight.
    #[arg(long, default_value_t = 1)]
    lag: u64,
    /// The user's unit is this many times too large.
    #[arg(long, default_value_t = 1.0)]
    misguess: f64,
    /// Multiplies the step given to the method.
    #[arg(long, default_value_t = 1.0)]
    step_scale: f64,
    /// What a pair costs at each of several limits, rising, such as `20,60,200`; optima then move with the limit, the last one is the
    /// target, and `--pairs` are as many as would cost the same there.
    #[arg(long, value_delimiter = ',')]
    limits: Vec<f64>,
    /// At which of the limits it plays.
    #[arg(long, value_enum, default_value = "all")]
    at: At,
    /// Multiplies how far optima move with the limit.
    #[arg(long, default_value_t = 1.0)]
    drift: f64,
    /// Begin with what a session of so many pairs by `quadratic` knew, before the engine changed.
    #[arg(long)]
    warm: Option<u64>,
    /// How many steps every optimum has moved since then, one sigma.
    #[arg(long, default_value_t = 0.0)]
    moved: f64,
    /// Share of what that session knew that is believed, 0 to 1; with 0 the session starts from its answer, and knows nothing else.
    #[arg(long, default_value_t = 0.5)]
    trust: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("expected first..end, such as 0..40")?;
    let number = |t: &str| t.trim().parse::<u64>().map_err(|e| format!("`{t}`: {e}"));
    let range = number(first)?..number(end)?;
    if range.is_empty() { Err(format!("no seed in {text}")) } else { Ok(range) }
}

/// What one session came to.
struct Played {
    start: f64,
    loss: f64,
    honesty: Honesty,
}

/// What one call measured.
#[derive(Serialize)]
struct Report {
    mean_loss: f64,
    standard_error: f64,
    mean_start: f64,
    /// Mean Elo that the answers were said to lose.
    mean_regret: Option<f64>,
    /// Share of the parameters whose optimum was within one standard error.
    coverage: Option<f64>,
    /// Share of the parameters whose optimum was in the 95% range.
    range_coverage: Option<f64>,
    /// Mean Elo that the answers were said to gain over the start.
    mean_gain_said: Option<f64>,
    /// Mean Elo that they truly gained.
    mean_gain: f64,
    /// Shares of the sessions whose gain was within one standard error, and within 1.96, of what was said.
    gain_coverage: Option<[f64; 2]>,
    losses: Vec<f64>,
    starts: Vec<f64>,
}

impl Arguments {
    fn method(&self, instance: &Instance, seed: u64, pairs: u64) -> Result<Box<dyn Method>, SpaceError> {
        let space = instance.space(self.step_scale)?;
        Ok(match self.method {
            MethodName::Spsa => Box::new(Spsa::new(space, spsa::Config::default(), seed, pairs)?),
            MethodName::SpsaClassic => Box::new(SpsaClassic::new(space, spsa_classic::Config::default(), seed, pairs)?),
            MethodName::SpsaAuto => Box::new(SpsaAuto::new(space, spsa_auto::Config::default(), seed, pairs)?),
            MethodName::Quadratic => Box::new(Quadratic::new(space, quadratic::Config::default(), seed, pairs)?),
            MethodName::Cubic => Box::new(Quadratic::new(space, quadratic::Config::cubic(), seed, pairs)?),
        })
    }

    fn session(&self, seed: u64, pairs: u64) -> Session {
        let noise = match self.noise {
            NoiseName::Chess => Noise::Chess,
            NoiseName::Decisive => Noise::Decisive,
        };
        Session { pairs, lag: self.lag, noise, seed }
    }

    fn play(&self, seed: u64) -> Result<Played, Box<dyn Error + Send + Sync>> {
        if !self.limits.is_empty() {
            return self.play_at_limits(seed);
        }
        if let Some(pairs) = self.warm {
            return self.play_again(seed, pairs);
        }
        let instance = Instance::new(self.params, seed, self.surface.surface()).misguessed(self.misguess);
        let mut method = self.method(&instance, seed, self.pairs)?;
        let loss = self.session(seed, self.pairs).play(method.as_mut(), &instance);
        Ok(self.played(loss, method.as_ref(), &instance))
    }

    fn played(&self, loss: f64, method: &dyn Method, instance: &Instance) -> Played {
        let honesty = Honesty::of(&method.answer(), instance);
        Played { start: instance.loss(&vec![0.0; self.params]), loss, honesty }
    }

    /// A session after one of `before` pairs, on an engine that has changed since.
    fn play_again(&self, seed: u64, before: u64) -> Result<Played, Box<dyn Error + Send + Sync>> {
        let earlier = self.session(seed, before);
        let engine = Changed::new(self.params, self.surface.surface(), &earlier, self.moved)?;
        let mut method = engine.method(seed + AGAIN, self.pairs, self.trust)?;
        let start = engine.now.loss(&engine.now.coordinates(&method.answer().values));
        let loss = self.session(seed + AGAIN, self.pairs).play(&mut method, &engine.now);
        Ok(Played { start, ..self.played(loss, &method, &engine.now) })
    }

    /// A session that costs as much as `--pairs` at the target, whose regret is that at the target.
    fn play_at_limits(&self, seed: u64) -> Result<Played, Box<dyn Error + Send + Sync>> {
        let engine = Drifting::new(self.params, seed, self.surface.surface(), self.drift);
        let most = self.limits.last().copied().unwrap_or(1.0);
        let costs: Vec<f64> = self.limits.iter().map(|limit| limit / most).collect();
        if self.at != At::All {
            let cost = if self.at == At::Cheapest { costs[0] } else { 1.0 };
            let pairs = (self.pairs as f64 / cost) as u64;
            let mut method = self.method(&engine.target, seed, pairs)?;
            let loss = engine.play_at(&self.session(seed, pairs), method.as_mut(), cost);
            return Ok(self.played(loss, method.as_ref(), &engine.target));
        }
        let config = quadratic::Config::default();
        let limits = |pairs| Limits::new(costs.clone(), pairs, config.design, Shares::default());
        let pairs = limits(self.pairs)?.pairs_for(self.pairs);
        let limits = limits(pairs)?;
        let space = engine.target.space(self.step_scale)?;
        let mut method = Quadratic::new(space, config, seed, pairs)?.at_limits(limits.clone())?;
        let loss = engine.play(&self.session(seed, pairs), &mut method, &limits);
        Ok(self.played(loss, &method, &engine.target))
    }
}

/// What is added to the seed of a session that follows another on the same engine.
const AGAIN: u64 = 1 << 32;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn standard_error(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre) * (v - centre)).sum();
    (squares / (values.len() as f64 - 1.0).max(1.0) / values.len() as f64).sqrt()
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    if arguments.at == At::All && !arguments.limits.is_empty() && !matches!(arguments.method, MethodName::Quadratic) {
        return Err("only `quadratic` plays at several limits: say `--at cheapest` or `--at target`".into());
    }
    let played: Result<Vec<_>, _> = arguments.seeds.clone().into_par_iter().map(|seed| arguments.play(seed)).collect();
    let played = played?;
    let (starts, losses): (Vec<f64>, Vec<f64>) = played.iter().map(|played| (played.start, played.loss)).unzip();
    let regrets: Option<Vec<f64>> = played.iter().map(|played| played.honesty.regret).collect();
    let sum = |count: fn(&Honesty) -> usize| played.iter().map(|played| count(&played.honesty)).sum::<usize>();
    let (within, known) = (sum(|honesty| honesty.within), sum(|honesty| honesty.parameters));
    let all = |share: fn(&Honesty) -> Option<f64>| -> Option<f64> {
        played.iter().map(|played| share(&played.honesty)).collect::<Option<Vec<f64>>>().map(|shares| mean(&shares))
    };
    let [one, two]: [fn(&Honesty) -> Option<f64>; 2] =
        [|honesty| honesty.gain_within(1.0).map(f64::from), |honesty| honesty.gain_within(1.96).map(f64::from)];
    let ranged = sum(|honesty| honesty.ranged);
    let report = Report {
        mean_loss: mean(&losses),
        standard_error: standard_error(&losses),
        mean_start: mean(&starts),
        mean_regret: regrets.map(|regrets| mean(&regrets)),
        coverage: (known > 0).then(|| within as f64 / known as f64),
        range_coverage: (known > 0).then(|| ranged as f64 / known as f64),
        mean_gain_said: all(|honesty| honesty.gain.map(|gain| gain.mean)),
        mean_gain: mean(&played.iter().map(|played| played.honesty.gained).collect::<Vec<_>>()),
        gain_coverage: all(one).zip(all(two)).map(|(one, two)| [one, two]),
        losses,
        starts,
    };
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&arguments, &report);
    }
    Ok(())
}

fn print(arguments: &Arguments, report: &Report) {
    println!(
        "{:?}, {} parameters, {} pairs, {:?} surface, {:?} noise, lag {}, misguess {}",
        arguments.method,
        arguments.params,
        arguments.pairs,
        arguments.surface,
        arguments.noise,
        arguments.lag,
        arguments.misguess
    );
    println!("{:>8} {:>12} {:>12}", "seed", "start Elo", "lost Elo");
    for (seed, (start, loss)) in arguments.seeds.clone().zip(report.starts.iter().zip(&report.losses)) {
        println!("{seed:>8} {start:>12.3} {loss:>12.3}");
    }
    println!("{:>8} {:>12.3} {:>12.3} ± {:.3}", "mean", report.mean_start, report.mean_loss, report.standard_error);
    if let (Some(regret), Some(coverage), Some(ranges)) = (report.mean_regret, report.coverage, report.range_coverage) {
        println!(
            "said to be lost: {regret:.3}; optima within one standard error: {:.1}%, in the 95% range: {:.1}%",
            100.0 * coverage,
            100.0 * ranges
        );
    }
    if let (Some(said), Some([one, two])) = (report.mean_gain_said, report.gain_coverage) {
        let truth = report.mean_gain;
        let (one, two) = (100.0 * one, 100.0 * two);
        println!(
            "said to be gained: {said:.2}, truly {truth:.2}; within one standard error {one:.0}%, within 1.96 {two:.0}%"
        );
    }
}
