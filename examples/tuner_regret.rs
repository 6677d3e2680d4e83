//! The benchmark "tuner regret" on the command line: plays seeds in parallel and prints the mean Elo still lost, and
//! how well the method knew it.

use std::error::Error;
use std::ops::Range;

use clap::{Parser, ValueEnum};
use rayon::prelude::*;
use regret::categories::{Categories, Choice, Evenly, Mixed};
use regret::instance::{Instance, Surface};
use regret::limits::Drifting;
use regret::oracle::Noise;
use regret::runner::{Honesty, Session};
use regret::warm::Changed;
use serde::Serialize;
use tuner::forecast::{PairNoise, forecast};
use tuner::limits::{Limits, Shares};
use tuner::quadratic::{self, Earlier, Quadratic};
use tuner::{Method, MethodId, Setup, Space, SpaceError};

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
    Ridge,
    Product,
    Scaled,
    Peak,
    Sign,
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
            Self::Ridge => Surface::Ridge,
            Self::Product => Surface::Product,
            Self::Scaled => Surface::Scaled,
            Self::Peak => Surface::Peak,
            Self::Sign => Surface::Sign,
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

/// Which values of a category meet in a pair.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Meet {
    /// Those that may be best, as `quadratic` chooses them.
    Best,
    /// Any two.
    Any,
}

/// Mean Elo that a tuning method still loses after a session on synthetic surfaces.
#[derive(Parser)]
struct Arguments {
    /// The method to measure.
    #[arg(long, value_parser = parse_method)]
    method: MethodId,
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
    /// What a pair costs at each of several limits, rising, such as `20,60,200`; optima then move with the limit, the
    /// last one is the target, and `--pairs` are as many as would cost the same there.
    #[arg(long, value_delimiter = ',')]
    limits: Vec<f64>,
    /// At which of the limits it plays.
    #[arg(long, value_enum, default_value = "all")]
    at: At,
    /// Multiplies how far optima move with the limit.
    #[arg(long, default_value_t = 1.0)]
    drift: f64,
    /// Begin with the knowledge of a session of this many pairs by `quadratic`, before the engine changed.
    #[arg(long)]
    warm: Option<u64>,
    /// How many steps every optimum has moved since then, one sigma.
    #[arg(long, default_value_t = 0.0)]
    moved: f64,
    /// Share of what that session knew that is believed, 0 to 1; with 0 the session starts from its answer, and knows
    /// nothing else.
    #[arg(long, default_value_t = 0.5)]
    trust: f64,
    /// Categories beside the parameters.
    #[arg(long, default_value_t = 0)]
    categories: usize,
    /// Values of each category.
    #[arg(long, default_value_t = 5)]
    values: usize,
    /// Elo that values are worth over the start, one sigma; 0 if none matters.
    #[arg(long, default_value_t = 7.0)]
    worth: f64,
    /// Which values of a category meet.
    #[arg(long, value_enum, default_value = "best")]
    meet: Meet,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn parse_method(name: &str) -> Result<MethodId, String> {
    let known = || MethodId::all().map(MethodId::name).collect::<Vec<_>>().join(", ");
    MethodId::named(name).ok_or_else(|| format!("expected one of {}", known()))
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
    /// What was expected before the first pair that it would lose.
    forecast: Option<f64>,
    honesty: Honesty,
    /// What it answered of each category.
    choices: Vec<Choice>,
}

/// What one call measured.
#[derive(Serialize)]
struct Report {
    mean_loss: f64,
    standard_error: f64,
    mean_start: f64,
    /// Mean Elo that was forecast to be lost, before the first pair.
    mean_forecast: Option<f64>,
    /// Mean Elo that the answers lose by the methods' own estimates.
    mean_regret: Option<f64>,
    /// Share of the parameters whose optimum was within one standard error.
    coverage: Option<f64>,
    /// Share of the parameters whose optimum was in the 95% range.
    range_coverage: Option<f64>,
    /// Mean Elo that the answers gain over the start by the methods' own estimates.
    mean_gain_stated: Option<f64>,
    /// Mean Elo that matches would show them to have gained.
    mean_gain: f64,
    /// Shares of the sessions whose gain was within one standard error, and within 1.96, of the estimate.
    gain_coverage: Option<[f64; 2]>,
    /// What was answered of categories, if there are any.
    categories: Option<Chosen>,
    losses: Vec<f64>,
    starts: Vec<f64>,
}

/// What was answered of categories.
#[derive(Serialize)]
struct Chosen {
    /// Mean Elo lost in all of them.
    mean_loss: f64,
    standard_error: f64,
    /// Share of them with the best value as the answer, or one that loses at most one Elo.
    good: f64,
    /// Calibration, by the stated probability that the value is the best: the upper bound of the bin, the mean stated
    /// probability, the share for which it was true, and the count.
    calibration: Vec<(f64, f64, f64, usize)>,
}

/// Upper bounds of the probabilities that are counted together.
const BINS: [f64; 5] = [0.4, 0.6, 0.8, 0.95, 1.01];

impl Chosen {
    fn of(sessions: &[&[Choice]]) -> Option<Self> {
        let losses: Vec<f64> = sessions.iter().map(|all| all.iter().map(|one| one.lost).sum()).collect();
        let all: Vec<Choice> = sessions.iter().flat_map(|all| all.iter().copied()).collect();
        let share = |of: &dyn Fn(&Choice) -> bool, among: &[Choice]| {
            among.iter().filter(|one| of(one)).count() as f64 / among.len() as f64
        };
        let bin = |(place, bound): (usize, &f64)| {
            let least = if place == 0 { 0.0 } else { BINS[place - 1] };
            let within = |one: &&Choice| one.stated.is_some_and(|stated| (least..*bound).contains(&stated));
            let among: Vec<Choice> = all.iter().filter(within).copied().collect();
            let stated: Vec<f64> = among.iter().filter_map(|one| one.stated).collect();
            (!among.is_empty()).then(|| (*bound, mean(&stated), share(&|one| one.lost <= 0.0, &among), among.len()))
        };
        (!all.is_empty()).then(|| Self {
            mean_loss: mean(&losses),
            standard_error: standard_error(&losses),
            good: share(&Choice::is_good, &all),
            calibration: BINS.iter().enumerate().filter_map(bin).collect(),
        })
    }
}

impl Arguments {
    fn is_quadratic(&self) -> bool {
        self.method == MethodId::default()
    }

    fn method(&self, instance: &Instance, seed: u64, pairs: u64) -> Result<Box<dyn Method>, SpaceError> {
        self.method.begin(Setup::new(instance.space(self.step_scale)?, seed, pairs))
    }

    fn session(&self, seed: u64, pairs: u64) -> Session {
        Session { pairs, lag: self.lag, noise: self.chance(), seed }
    }

    fn chance(&self) -> Noise {
        match self.noise {
            NoiseName::Chess => Noise::Chess,
            NoiseName::Decisive => Noise::Decisive,
        }
    }

    fn play(&self, seed: u64) -> Result<Played, Box<dyn Error + Send + Sync>> {
        if !self.limits.is_empty() {
            return self.play_at_limits(seed);
        }
        if self.categories > 0 {
            return self.play_categories(seed);
        }
        if let Some(pairs) = self.warm {
            return self.play_again(seed, pairs);
        }
        let instance = Instance::new(self.params, seed, self.surface.surface()).misguessed(self.misguess);
        let mut method = self.method(&instance, seed, self.pairs)?;
        let forecast = self.forecast(&instance.space(self.step_scale)?, None);
        let loss = self.session(seed, self.pairs).play(method.as_mut(), &instance);
        Ok(Played { forecast, ..self.played(loss, method.as_ref(), &instance) })
    }

    fn played(&self, loss: f64, method: &dyn Method, instance: &Instance) -> Played {
        let honesty = Honesty::of(&method.answer(), instance, self.chance());
        Played { start: instance.loss(&vec![0.0; self.params]), loss, forecast: None, honesty, choices: Vec::new() }
    }

    /// A session after one of `before` pairs, on an engine that has changed since.
    fn play_again(&self, seed: u64, before: u64) -> Result<Played, Box<dyn Error + Send + Sync>> {
        let earlier = self.session(seed, before);
        let engine = Changed::new(self.params, self.surface.surface(), &earlier, self.moved)?;
        let mut method = engine.method(seed + AGAIN, self.pairs, self.trust)?;
        let start = engine.now.loss(&engine.now.coordinates(&method.answer().values));
        let space = engine.space()?;
        let earlier = (self.trust > 0.0).then(|| engine.earlier(&space, self.trust));
        let forecast = self.forecast(&space, earlier.as_ref());
        let loss = self.session(seed + AGAIN, self.pairs).play(&mut method, &engine.now);
        Ok(Played { start, forecast, ..self.played(loss, &method, &engine.now) })
    }

    /// A session of parameters and categories, whose honesty is that of all of it.
    fn play_categories(&self, seed: u64) -> Result<Played, Box<dyn Error + Send + Sync>> {
        let categories = Categories { count: self.categories, values: self.values, spread: self.worth };
        let engine = Mixed::new(self.params, seed, self.surface.surface(), categories);
        let (space, session) = (engine.space()?, self.session(seed, self.pairs));
        let forecast = self.forecast(&space, None);
        let start = engine.loss(&vec![0.0; space.dimension()]);
        let method = Quadratic::new(space, quadratic::Config::default(), seed, self.pairs)?;
        let mut method: Box<dyn Method> = if self.meet == Meet::Best {
            Box::new(method)
        } else {
            let categories = (0..self.categories).map(|place| (self.params + place, self.values)).collect();
            Box::new(Evenly { method, categories, seed })
        };
        let loss = engine.play(&session, method.as_mut());
        let answer = method.answer();
        let (choices, honesty) = (engine.choices(&answer), Honesty::of(&answer, &engine.graded, self.chance()));
        let gained = self.chance().shown(start - loss);
        Ok(Played { start, loss, forecast, honesty: Honesty { gained, ..honesty }, choices })
    }

    /// What `quadratic` is expected to lose.
    fn forecast(&self, space: &Space, earlier: Option<&Earlier>) -> Option<f64> {
        let noise = match self.noise {
            NoiseName::Chess => PairNoise::DRAWISH,
            NoiseName::Decisive => PairNoise::DECISIVE,
        };
        let config = quadratic::Config::default();
        let last = self.is_quadratic().then(|| forecast(space, &config, earlier, noise, self.pairs).pop()).flatten()?;
        Some(last.regret)
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
    let is_quadratic = arguments.is_quadratic();
    if arguments.categories > 0 && !is_quadratic {
        return Err("only `quadratic` tunes categories".into());
    }
    if arguments.warm.is_some() && !is_quadratic {
        return Err("only `quadratic` begins with what an earlier session knew".into());
    }
    if arguments.at == At::All && !arguments.limits.is_empty() && !is_quadratic {
        return Err("only `quadratic` plays at several limits: say `--at cheapest` or `--at target`".into());
    }
    let played: Result<Vec<_>, _> = arguments.seeds.clone().into_par_iter().map(|seed| arguments.play(seed)).collect();
    let played = played?;
    let (starts, losses): (Vec<f64>, Vec<f64>) = played.iter().map(|played| (played.start, played.loss)).unzip();
    let regrets: Option<Vec<f64>> = played.iter().map(|played| played.honesty.regret).collect();
    let forecasts: Option<Vec<f64>> = played.iter().map(|played| played.forecast).collect();
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
        mean_forecast: forecasts.map(|forecasts| mean(&forecasts)),
        mean_regret: regrets.map(|regrets| mean(&regrets)),
        coverage: (known > 0).then(|| within as f64 / known as f64),
        range_coverage: (known > 0).then(|| ranged as f64 / known as f64),
        mean_gain_stated: all(|honesty| honesty.gain.map(|gain| gain.mean)),
        mean_gain: mean(&played.iter().map(|played| played.honesty.gained).collect::<Vec<_>>()),
        gain_coverage: all(one).zip(all(two)).map(|(one, two)| [one, two]),
        categories: Chosen::of(&played.iter().map(|played| played.choices.as_slice()).collect::<Vec<_>>()),
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
    if let Some(forecast) = report.mean_forecast {
        println!("forecast to be lost: {forecast:.3}");
    }
    if let (Some(regret), Some(coverage), Some(ranges)) = (report.mean_regret, report.coverage, report.range_coverage) {
        println!(
            "said to be lost: {regret:.3}; optima within one standard error: {:.1}%, in the 95% range: {:.1}%",
            100.0 * coverage,
            100.0 * ranges
        );
    }
    if let Some(Chosen { mean_loss, standard_error, good, calibration }) = &report.categories {
        println!("lost in categories: {mean_loss:.3} ± {standard_error:.3}; best or as good: {:.0}%", 100.0 * good);
        for (_, stated, truth, count) in calibration {
            println!("said to be best with {:.0}%: truly {:.0}% of {count}", 100.0 * stated, 100.0 * truth);
        }
    }
    if let (Some(stated), Some([one, two])) = (report.mean_gain_stated, report.gain_coverage) {
        let truth = report.mean_gain;
        let (one, two) = (100.0 * one, 100.0 * two);
        println!(
            "said to be gained: {stated:.2}, truly {truth:.2}; within one standard error {one:.0}%, within 1.96 \
             {two:.0}%"
        );
    }
}
