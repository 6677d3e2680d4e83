//! Method `quadratic`: a Bayesian regression on all pairs played, with a learnt step per parameter and the model's
//! optimum as answer.
//!
//! `columns` defines the columns of the regression, `model` holds the regression, and `prior` the beliefs about
//! sensitivities. `distance` estimates how far away optima are on this engine, `skew` how curvatures change, `steps`
//! the distance between the sides, and `optimum` the distribution of the best values. `misfit` tests whether the model
//! predicts anything, `control` measures the answer's gain in games against the start, `motion` tests whether best
//! values move, `curves` estimates the gain since the start, `verdict` the uncertainty of the answer, and `warm`
//! carries the knowledge of an earlier session.
//!
//! This file designs the pairs. The centre is the optimum of a damped posterior draw (Thompson 1933) plus a jitter,
//! which spreads the centres enough to learn the curvatures; the sides lie one step to either side of it in every
//! parameter, with random signs. The regression uses the values that were played, so rounding and clipping do not bias
//! it. The answer is the optimum of the posterior mean, inside the region tried so far. In a session at several limits
//! each design is centred at the possible optimum of its own limit (`drift`), and the answer is the optimum at the
//! target.

mod category_posterior;
mod columns;
mod control;
mod cross;
mod curves;
mod distance;
mod drift;
mod earlier;
mod misfit;
mod model;
mod motion;
mod optimum;
mod prior;
mod sizes;
mod skew;
mod slices;
mod steps;
mod verdict;
mod warm;

use crate::blocks::MANY;
use crate::limits::Limits;
use crate::linear::Symmetric;
use crate::method::{Answer, Method, Trial};
use crate::parameter::{Parameter, SpaceError};
use crate::random::{Purpose, Stream};
use crate::setup::{MethodInfo, Setup};
use crate::space::Space;
use crate::trace::{Recorder, Slice, Trace};
pub use category_posterior::CategoryPosterior;
use columns::Columns;
use control::Control;
use curves::Curves;
pub use earlier::{Earlier, Known, Learnt};
use misfit::Predictions;
use model::{Beliefs, Coefficients, Marginals, Posterior, Statistics};
use motion::Motion;
use optimum::Prior;
use prior::{Marginal, Mixture, Sensitivity, Site};
use sizes::Sizes;
use stats::PairOutcome;
pub use steps::StepRule;
pub(crate) use warm::{beliefs, moves};

/// The method in the registry.
pub(crate) const METHOD: MethodInfo =
    MethodInfo { name: "quadratic", at_limits: true, with_earlier: true, with_regret: true, begin };

fn begin(setup: Setup) -> Result<Box<dyn Method>, SpaceError> {
    let Setup { space, seed, pairs, limits, earlier, .. } = setup;
    let method = Quadratic::new(space, Config::default(), seed, pairs)?;
    let method = match limits {
        Some(limits) => method.at_limits(limits)?,
        None => method,
    };
    Ok(Box::new(match earlier {
        Some(earlier) => method.with_earlier(&earlier)?,
        None => method,
    }))
}

/// The sensitivity, in Elo per squared step, at which optima are expected [`Config::reach`] steps from the start.
const REFERENCE: f64 = 0.5;
/// The variance of a difference of Elo relative to the posterior's, because engines are neither quadratic nor a sum of
/// curves. With it, one standard error of the gain over the start covers the truth in 57 to 100 % of the benchmark's
/// sessions, depending on the surface.
const GAIN_MISFIT: f64 = 2.8;
/// How the expected distance of optima shrinks as sensitivities grow: reach (typical / REFERENCE)^-0.375. A step that
/// costs more is a longer step, so optima are fewer steps away.
const REACH_EXPONENT: f64 = -0.375;
/// The standard deviation of a switch's effect before any pair, in Elo.
pub(crate) const SWITCH_SPREAD: f64 = 5.0;
/// The same belief as a site.
const SWITCH: Site = Site { linear: 1.0 / (SWITCH_SPREAD * SWITCH_SPREAD), curvature: 1.0, shift: 0.0 };
/// The weakest curvature that the computation of an optimum assumes.
const LEAST_CURVATURE: f64 = 0.004;

/// The method's constants. The defaults were chosen on the synthetic benchmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The number of pairs that share one perturbation, at least 1.
    pub design: u64,
    /// The median of a parameter's sensitivity before any pair: Elo lost one step off the optimum.
    pub sensitivity: f64,
    /// The standard deviation of the logarithm of the sensitivity.
    pub spread: f64,
    /// The standard deviation of optima from the start, in steps, at a typical sensitivity of 0.5 Elo.
    pub reach: f64,
    /// The largest share of the posterior's spread in the centres played.
    pub boldness: f64,
    /// The largest square of that share, summed over all parameters.
    pub boldness_in_all: f64,
    /// The standard deviation of the centres' jitter, in current steps.
    pub jitter: f64,
    /// The least number of pairs between refits.
    pub refit_pairs: u64,
    /// The least growth of the data between refits, as a share.
    pub refit_growth: f64,
    /// How fast pairs fade, from 0 (not) to 1: pair j weighs about (j / k)^fading after k pairs.
    pub fading: f64,
    /// The most graded parameters for which all pairs of parameters may interact; with more parameters, none do.
    pub crossed: usize,
    /// One design in this many is control games, of the answer against the start; 0 for none.
    pub control: u64,
    /// The rule for the distance between the sides.
    pub steps: StepRule,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            design: 4,
            sensitivity: 1.5,
            spread: 1.6,
            reach: 1.5,
            boldness: 0.9,
            boldness_in_all: 12.0,
            jitter: 0.1,
            refit_pairs: 64,
            refit_growth: 0.02,
            fading: 0.6,
            crossed: 12,
            control: 16,
            steps: StepRule::default(),
        }
    }
}

/// The state of a session.
#[derive(Clone, Debug)]
pub struct Quadratic {
    space: Space,
    columns: Columns,
    config: Config,
    seed: u64,
    absorbed: u64,
    next_refit: u64,
    refits: u64,
    statistics: Statistics,
    predictions: Predictions,
    control: Control,
    mixture: Mixture,
    sites: Vec<Site>,
    sensitivities: Vec<Sensitivity>,
    posterior: Posterior,
    steps: Vec<f64>,
    shape: Option<Symmetric>,
    bounds: Vec<(f64, f64)>,
    tried: Vec<(f64, f64)>,
    region: Vec<(f64, f64)>,
    best: Vec<f64>,
    latest: Option<(u64, u64, Trial)>,
    course: Recorder,
    skews: Sizes,
    crosses: Option<Sizes>,
    at: Option<(Limits, Sizes)>,
    motion: Option<Motion>,
    curves: Curves,
    /// The number of pairs of an earlier session that count as absorbed before the first.
    before: f64,
}

impl Quadratic {
    /// Makes a session of `pairs` planned pairs. The plan is only checked, not used, so a session may continue beyond
    /// it.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`].
    pub fn new(space: Space, config: Config, seed: u64, pairs: u64) -> Result<Self, SpaceError> {
        space.check_pairs(pairs)?;
        let config = Config { design: config.design.max(1), refit_pairs: config.refit_pairs.max(1), ..config };
        let columns = Columns::new(&space);
        let dimension = columns.count();
        let mixture = Mixture::new(config.sensitivity, config.spread);
        let (open, sensitivity) = mixture.open(reach(&config, config.sensitivity));
        let graded = columns.graded();
        let sites: Vec<Site> = graded.iter().map(|&graded| if graded { open } else { SWITCH }).collect();
        let skews = skew::sizes(&vec![skew::scale(sensitivity); dimension]);
        // With many parameters only the fit reports, because the other estimates would cost more than the fit.
        let reports = dimension <= MANY;
        let motion = reports.then(|| Motion::new(columns.graded()));
        let curved: Vec<bool> = columns.graded().into_iter().map(|graded| graded && reports).collect();
        let crosses = cross::pairs(&graded, config.crossed);
        let statistics = Statistics::crossed(graded, (true, false), &crosses, config.fading);
        let scales = cross::scales(&crosses, &vec![sensitivity; dimension]);
        let crosses = (!crosses.is_empty()).then(|| cross::sizes(&scales));
        let best = vec![0.0; dimension];
        let posterior = statistics
            .posterior(Beliefs::new(&sites, &best, [Some(&skews), None, crosses.as_ref()]))
            .ok_or(SpaceError::Empty)?;
        let mut session = Self {
            bounds: columns.bounds(&space),
            next_refit: config.refit_pairs,
            steps: vec![config.steps.first; dimension],
            course: Recorder::new(config.refit_pairs.max(dimension as u64)),
            sensitivities: vec![sensitivity; dimension],
            tried: vec![(0.0, 0.0); dimension],
            best,
            region: Vec::new(),
            shape: None,
            latest: None,
            absorbed: 0,
            refits: 0,
            columns,
            space,
            config,
            seed,
            statistics,
            predictions: Predictions::default(),
            control: Control::default(),
            mixture,
            sites,
            posterior,
            skews,
            crosses,
            at: None,
            motion,
            curves: Curves::new(&curved),
            before: 0.0,
        };
        session.region = session.region();
        Ok(session)
    }

    /// Plays at several limits. Call it before the first pair is absorbed.
    ///
    /// # Errors
    /// [`SpaceError::Empty`], which cannot happen for an existing session.
    pub fn at_limits(mut self, limits: Limits) -> Result<Self, SpaceError> {
        let drift = drift::sizes(&self.drift_scales());
        let (graded, crosses) = (self.columns.graded(), &self.posterior.terms.crosses);
        self.statistics = Statistics::crossed(graded, (true, true), crosses, self.config.fading);
        self.at = Some((limits, drift));
        self.motion = None;
        self.posterior = self.posterior().ok_or(SpaceError::Empty)?;
        Ok(self)
    }

    /// Elo per step that a parameter gains, at another limit or another time, for each step that its optimum moves; for
    /// a switch its typical effect.
    fn drift_scales(&self) -> Vec<f64> {
        let scale =
            |i: usize| if self.is_graded(i) { 2.0 * libm::exp(self.sensitivities[i].ln) } else { SWITCH_SPREAD };
        (0..self.bounds.len()).map(scale).collect()
    }

    /// How far below the target a pair is played, as the logarithm of its cost.
    fn lambda(&self, pair: u64) -> f64 {
        self.at.as_ref().map_or(0.0, |(limits, _)| limits.lambda(pair))
    }

    /// The posterior given all absorbed pairs, with the current sites.
    fn posterior(&self) -> Option<Posterior> {
        let drifts = self.at.as_ref().map(|(_, drift)| drift);
        let sizes = [Some(&self.skews), drifts, self.crosses.as_ref()];
        self.statistics.posterior(Beliefs::new(&self.sites, &self.best, sizes))
    }

    /// Extracts the coefficients of the column `i`.
    fn coefficients(&self, all: &[f64], i: usize) -> Coefficients {
        self.posterior.terms.of(all, i)
    }

    fn is_graded(&self, i: usize) -> bool {
        self.columns.is_graded(i)
    }

    /// The region in which the optimum may lie: the centres tried so far plus one step, inside the bounds.
    fn region(&self) -> Vec<(f64, f64)> {
        let around = |i: usize| {
            let ((low, high), (least, most)) = (self.tried[i], self.bounds[i]);
            let step = if self.is_graded(i) { self.steps[i] } else { 1.0 };
            ((low - step).clamp(least, most), (high + step).clamp(least, most))
        };
        (0..self.bounds.len()).map(around).collect()
    }

    /// The best coordinates in the region for these coefficients, at a limit `lambda` below the target, in the order
    /// that constraints require.
    fn optimum(&self, coefficients: &[f64], lambda: f64) -> Vec<f64> {
        let mut best = self.peaks(coefficients, lambda);
        let weight = |i: usize| -bent(self.coefficients(coefficients, i).bend(self.best[i]));
        self.columns.arrange(&self.space, &mut best, &(0..self.bounds.len()).map(weight).collect::<Vec<_>>());
        best
    }

    /// The best coordinates without the constraints. If parameters interact, each is optimised in turn, starting from
    /// the present answer.
    fn peaks(&self, coefficients: &[f64], lambda: f64) -> Vec<f64> {
        if self.crosses.is_none() {
            return self.peaks_pulled(coefficients, &vec![0.0; self.bounds.len()], lambda);
        }
        self.climb(coefficients, lambda)
    }

    /// The best coordinates of each parameter by itself, if the other parameters add this many Elo per step.
    fn peaks_pulled(&self, coefficients: &[f64], pulls: &[f64], lambda: f64) -> Vec<f64> {
        let curve = |i: usize| self.coefficients(coefficients, i).pulled(pulls[i]);
        let slopes: Vec<f64> = (0..self.bounds.len()).map(|i| curve(i).slope(0.0, lambda)).collect();
        let peak = |i: usize| {
            let (low, high) = self.region[i];
            if self.is_graded(i) {
                skew::peak(curve(i), self.best[i], lambda).clamp(low, high)
            } else if slopes[i] > 0.0 {
                high
            } else {
                low
            }
        };
        let mut peaks: Vec<f64> = (0..slopes.len()).map(peak).collect();
        self.columns.choose(&slopes, &mut peaks);
        peaks
    }

    /// The geometric mean of the graded parameters' sensitivities.
    fn typical(&self) -> f64 {
        let graded: Vec<f64> =
            (0..self.steps.len()).filter(|&i| self.is_graded(i)).map(|i| self.sensitivities[i].ln).collect();
        if graded.is_empty() {
            self.config.sensitivity
        } else {
            libm::exp(graded.iter().sum::<f64>() / graded.len() as f64)
        }
    }

    /// Refines the sites by their posterior. Returns false if the numbers have degenerated.
    fn refine(&mut self) -> bool {
        let Some(posterior) = self.posterior() else { return false };
        self.learn_moves(&posterior);
        let usual = reach(&self.config, self.typical());
        let Marginals { of: marginals, skews: seen_skews, drifts, crosses: seen_crosses } = posterior.marginals();
        let reach = usual * self.distance(&marginals, usual);
        for (i, (g, h)) in marginals.into_iter().enumerate() {
            if self.is_graded(i) {
                (self.sites[i], self.sensitivities[i]) = self.mixture.refine(self.sites[i], g, h, reach);
            }
        }
        let scales: Vec<f64> = self.sensitivities.iter().map(|q| skew::scale(*q)).collect();
        self.skews.refine(&seen_skews, &scales);
        if let Some(crosses) = &mut self.crosses {
            crosses.refine(&seen_crosses, &cross::scales(&posterior.terms.crosses, &self.sensitivities));
        }
        let scales = self.drift_scales();
        if let Some((_, drift)) = &mut self.at {
            drift.refine(&drifts, &scales);
        }
        true
    }

    /// The wins minus losses of a pair that each column alone is assumed to have caused. Signs are random, so the
    /// effects of the other columns are noise; but for columns that are moved together, the fit's expectation of the
    /// others is subtracted.
    fn nets(&self, sides: (&[f64], &[f64]), lambda: f64, net: f64) -> Vec<f64> {
        if self.crosses.is_none() {
            return vec![net; self.bounds.len()];
        }
        let own = self.posterior.parts(sides, lambda);
        let all: f64 = own.iter().sum();
        own.into_iter().map(|own| net - (all - own)).collect()
    }

    /// Absorbs a pair with these sides, which may be anywhere.
    fn learn(&mut self, pair: u64, (plus, minus): (&[f64], &[f64]), net: f64) {
        let (sides, lambda) = ((plus, minus), self.lambda(pair));
        self.predictions.compare(self.posterior.predict(sides, lambda), net);
        self.statistics.absorb(sides, lambda, net);
        self.curves.absorb(sides, lambda, &self.nets(sides, lambda, net));
        if let Some(motion) = &mut self.motion {
            motion.absorb(sides, pair, net);
        }
        for ((tried, a), b) in self.tried.iter_mut().zip(plus).zip(minus) {
            let middle = 0.5 * (a + b);
            *tried = (tried.0.min(middle), tried.1.max(middle));
        }
    }

    /// Refits the model to all absorbed pairs.
    fn refit(&mut self) {
        self.predictions.fade(self.statistics.fresh_share());
        self.control.fade(self.statistics.fresh_share());
        self.statistics.fade();
        let learnt = (self.skews.clone(), self.crosses.clone(), self.at.clone());
        let kept = (self.sites.clone(), self.sensitivities.clone(), learnt);
        let refined = if self.refine() { self.posterior() } else { None };
        if let Some(posterior) = refined {
            self.posterior = posterior;
        } else {
            (self.sites, self.sensitivities, (self.skews, self.crosses, self.at)) = kept;
        }
        self.region = self.region();
        self.best = self.optimum(&self.posterior.mean, 0.0);
        let typical = self.typical();
        self.step_rule().adapt(&mut self.steps, &self.sensitivities, typical, self.absorbed + self.before as u64);
        self.region = self.region();
        self.shape = self.shape();
        self.refits += 1;
        let growth = (self.absorbed as f64 * self.config.refit_growth) as u64;
        self.next_refit = self.absorbed.saturating_add(growth.max(self.config.refit_pairs));
    }

    /// The share of the posterior's spread in the centres played.
    fn boldness(&self) -> f64 {
        let share = self.config.boldness_in_all / self.bounds.len() as f64;
        let Config { boldness, .. } = self.config;
        if share < boldness * boldness { libm::sqrt(share) } else { boldness }
    }

    /// The sides of a design, from its own random streams and the present state.
    fn design(&self, design: u64) -> Trial {
        let mut centre = Stream::new(self.seed, Purpose::Centre, design);
        let boldness = self.boldness();
        let mut coefficients: Vec<f64> = self.posterior.mean.iter().map(|_| boldness * centre.normal()).collect();
        self.posterior.draw(&mut coefficients);
        let bold = self.optimum(&coefficients, self.lambda(design * self.config.design));
        let mut signs = Stream::new(self.seed, Purpose::Signs, design);
        let mut draw = Stream::new(self.seed, Purpose::Rounding, design);
        let mut rivals = self.columns.has_categories().then(|| self.rivals(design)).into_iter().flatten();
        let signs: Vec<(Option<usize>, f64)> = self.columns.firsts().map(|i| (i, signs.sign())).collect();
        let mut together = vec![0.0; self.bounds.len()];
        for &(i, sign) in &signs {
            if let Some(i) = i {
                together[i] = sign;
            }
        }
        if let Some(shape) = &self.shape {
            together = shape.times(&together);
        }
        let (plus, minus) = self.space.sides(signs.into_iter().map(|(i, sign)| {
            let draw = draw.uniform();
            let Some(i) = i else {
                let (one, other) = rivals.next().unwrap_or_default();
                return if sign > 0.0 { (one, other, 0.5) } else { (other, one, 0.5) };
            };
            let (low, high) = self.bounds[i];
            if !self.is_graded(i) {
                return if sign > 0.0 { (high, low, 0.5) } else { (low, high, 0.5) };
            }
            let step = self.steps[i];
            let middle = (bold[i] + self.config.jitter * step * centre.normal()).clamp(low, high);
            let apart = together[i] * step;
            (middle + apart, middle - apart, draw)
        }));
        Trial { plus, minus }
    }

    /// The two values of each category, as coordinates, that meet in a design: the best values of two draws from the
    /// posterior, or the two best of one draw if these are equal (top-two Thompson sampling: Russo 2016).
    fn rivals(&self, design: u64) -> Vec<(f64, f64)> {
        let mut stream = Stream::new(self.seed, Purpose::Rivals, design);
        let mut draw = || {
            let mut coefficients: Vec<f64> = self.posterior.mean.iter().map(|_| stream.normal()).collect();
            self.posterior.draw(&mut coefficients);
            coefficients
        };
        let (one, other) = (draw(), draw());
        self.columns.rivals(&self.space, &one, &other)
    }

    /// The state after a refit to every absorbed pair.
    fn settled(&self) -> Self {
        let mut settled = self.clone();
        if settled.statistics.is_fresh() {
            settled.refit();
        }
        settled
    }

    fn record(&mut self) {
        self.course.push(self.absorbed, self.bands().into_iter());
    }
}

/// Whether coordinates are those of the start. Values of a group come back from its factor with rounding errors.
fn is_start(coordinates: &[f64], start: &[f64]) -> bool {
    coordinates.iter().zip(start).all(|(at, start)| (at - start).abs() < 1e-9)
}

/// The curvature that the computation of an optimum assumes.
fn bent(curvature: f64) -> f64 {
    if curvature < -LEAST_CURVATURE { curvature } else { -LEAST_CURVATURE }
}

/// The prior of every graded parameter with these constants.
fn prior(config: &Config) -> Prior {
    Prior::new(&Mixture::new(config.sensitivity, config.spread), reach(config, config.sensitivity))
}

/// The expected distance of optima from the start, in steps, for this typical sensitivity.
fn reach(config: &Config, typical: f64) -> f64 {
    config.reach * libm::pow(typical / REFERENCE, REACH_EXPONENT)
}

impl Method for Quadratic {
    fn name(&self) -> &'static str {
        METHOD.name
    }

    fn ask(&mut self, pair: u64) -> Trial {
        let design = pair / self.config.design;
        match &self.latest {
            Some((d, refits, proposal)) if (*d, *refits) == (design, self.refits) => proposal.clone(),
            _ => {
                let control = if self.is_control(design) { self.against_start() } else { None };
                let proposal = control.unwrap_or_else(|| self.design(design));
                self.latest = Some((design, self.refits, proposal.clone()));
                proposal
            }
        }
    }

    fn tell(&mut self, pair: u64, proposal: &Trial, outcome: PairOutcome) {
        let [plus, minus] =
            [&proposal.plus, &proposal.minus].map(|values| self.columns.coordinates(&self.space, values));
        let lambda = self.lambda(pair);
        if self.is_control(pair / self.config.design)
            && is_start(&minus, &self.columns.coordinates(&self.space, &self.start()))
        {
            self.control.absorb(&self.statistics.contrast((&plus, &minus), lambda), outcome.net());
        } else {
            self.learn(pair, (&plus, &minus), outcome.net());
        }
        self.absorbed = pair + 1;
        if self.absorbed >= self.next_refit {
            self.refit();
            if self.course.is_due(self.absorbed) {
                self.record();
            }
        }
    }

    fn answer(&self) -> Answer {
        self.settled().report()
    }

    fn traces(&self) -> Vec<Trace> {
        self.course.traces(self.space.parameters().iter().map(Parameter::name))
    }

    fn slices(&self) -> Vec<Slice> {
        self.settled().cuts()
    }

    fn design_pairs(&self) -> u64 {
        self.config.design
    }

    fn copied(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}
