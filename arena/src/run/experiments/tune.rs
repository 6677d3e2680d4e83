//! A tuning session, the only place where tuning methods meet games. Its proposals are the asks of a method.
//!
//! Each pair is one ask. Proposals run ahead of absorbed results by the configured lookahead, or up to the end of a
//! batch if the method works in batches. Both are part of the run's identity, so the run is the same with any number of
//! workers.

use crate::run::experiment::{
    CategoryValue, Experiment, LimitStanding, Point, Series, Standing, StandingOf, TuneCaution, TuneStanding,
    TunedStanding, Verdict,
};
use engine::ParamKind;
use record::{PairIndex, Proposal, ProposedSeat};
use stats::{PairCounts, PairOutcome};
use std::num::NonZeroU64;
use tuner::fishtest::Line;
use tuner::limits::Limits;
use tuner::{Answer, Barrier, Caution, Kind, Layout, Method, Parameter, Trial, Uncertainty, spsa, trace};

/// The number of points of a parameter's course in a standing: enough for a sparkline.
const COURSE_POINTS: usize = 24;

/// When a session ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuneBudget {
    /// After this many pairs.
    pub pairs: NonZeroU64,
    /// Or earlier, once the result is expected to lose at most this much Elo.
    pub stop_regret: Option<f64>,
}

/// A tuning session of one entrant against itself.
#[derive(Clone)]
pub struct Tune {
    method: Box<dyn Method>,
    layout: Layout,
    names: Vec<String>,
    budget: TuneBudget,
    lookahead: u64,
    absorbed: u64,
    counts: PairCounts,
    resolved: bool,
    gains: Vec<f64>,
    at: Option<Schedule>,
}

/// Which pairs a session plays at which limit.
#[derive(Clone)]
struct Schedule {
    limits: Limits,
    /// The names of the limits.
    names: Vec<String>,
    /// The number of absorbed pairs at each limit.
    pairs: Vec<u64>,
}

impl Schedule {
    /// Returns the limit of a pair, if it is not the entrant's own.
    fn limit(&self, pair: PairIndex) -> Option<u32> {
        let limit = self.limits.of(pair);
        u32::try_from(limit).ok().filter(|_| limit + 1 < self.limits.count())
    }

    fn standing(&self) -> Vec<LimitStanding> {
        let each = self.names.iter().zip(&self.pairs).zip(self.limits.costs());
        each.map(|((limit, &pairs), &cost)| LimitStanding { limit: limit.clone(), pairs, cost }).collect()
    }
}

/// How often the stop rule is checked, in pairs. Asking for the answer costs more than reporting a result.
const RULE_EVERY: u64 = 64;

impl Tune {
    /// Creates a session of `method` over the layout's space, whose asks run ahead by at most `lookahead` pairs.
    pub fn new(method: Box<dyn Method>, layout: Layout, budget: TuneBudget, lookahead: u64) -> Self {
        let names = layout.engine_parameters().iter().map(|parameter| parameter.name().to_owned()).collect();
        let (counts, gains) = (PairCounts::default(), Vec::new());
        Self { method, layout, names, budget, lookahead, absorbed: 0, counts, resolved: false, gains, at: None }
    }

    /// Returns the session with the gains given in the parameters' fishtest lines, so that its own lines can continue
    /// them.
    #[must_use]
    pub fn with_gains(self, gains: Vec<f64>) -> Self {
        Self { gains, ..self }
    }

    /// Returns the session with several limits, which the method must use too, and their names. The last limit is the
    /// target, which is the entrant's own.
    #[must_use]
    pub fn at_limits(self, limits: Limits, names: Vec<String>) -> Self {
        let pairs = vec![0; limits.count()];
        Self { at: Some(Schedule { limits, names, pairs }), ..self }
    }

    /// For a method with a model of strength: for each parameter, returns the Elo over the current answer as a function
    /// of the parameter's value, the others unchanged. Bands are one standard error.
    pub fn slices(&self) -> Vec<Series> {
        self.method.slices().into_iter().map(slice_of).collect()
    }

    /// Returns the tuned parameters and the engine's parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn parameters(&self, answer: &Answer) -> Vec<TunedStanding> {
        let traces = self.method.traces();
        let values = self.layout.values(&answer.values);
        let standing = |(index, parameter): (usize, &Parameter)| {
            let source = self.layout.source(index);
            let frozen = TunedStanding {
                kind: values_of(parameter.kind()),
                name: parameter.name().to_owned(),
                start: parameter.start(),
                min: parameter.min(),
                max: parameter.max(),
                now: values[index],
                sd: None,
                range: None,
                on: None,
                values: self.values(answer, index),
                drift: None,
                step: self.step(index),
                is_log: source.is_some_and(|(at, _)| self.layout.space().parameters()[at].kind() == Kind::Log),
                course: Vec::new(),
                frozen: true,
            };
            let Some((at, _)) = source else { return frozen };
            let unit = self.layout.unit(index);
            let points = traces.get(at).map(|trace| course(&trace.points)).unwrap_or_default();
            TunedStanding {
                sd: answer.uncertainty(at).and_then(Uncertainty::standard_error).map(|sd| sd * unit.abs()),
                range: answer.range(at).map(|range| range * unit.abs()),
                on: answer.uncertainty(at).and_then(Uncertainty::on),
                drift: answer.drifts.get(at).copied().flatten().map(|drift| (drift.mean * unit, drift.sd * unit.abs())),
                course: points.into_iter().map(|value| value * unit).collect(),
                frozen: false,
                ..frozen
            }
        };
        self.layout.engine_parameters().iter().enumerate().map(standing).collect()
    }

    /// Returns the values of a category, each with its probability of being the best.
    fn values(&self, answer: &Answer, index: usize) -> Vec<CategoryValue> {
        let at = self.layout.source(index).map(|(at, _)| at);
        let chances = answer.chances.iter().find(|(category, _)| Some(*category) == at).map(|(_, chances)| chances);
        let value = |(place, text): (usize, &String)| CategoryValue {
            text: text.clone(),
            best: chances.and_then(|chances| chances.get(place)).copied(),
        };
        self.layout.texts(index).iter().enumerate().map(value).collect()
    }

    /// Returns a caution with the names of what is tuned; a group has its own name.
    fn caution(&self, caution: &Caution) -> TuneCaution {
        let name = |&at: &usize| self.layout.space().parameters()[at].name().to_owned();
        match caution {
            Caution::Together(at) => TuneCaution::Together(at.iter().map(name).collect()),
            Caution::Unpredicted(slope) => TuneCaution::Unpredicted(slope.mean, slope.sd),
            Caution::Curves(more) => TuneCaution::Curves(more.mean, more.sd),
            Caution::Start(more) => TuneCaution::Start(more.mean, more.sd),
        }
    }

    /// Returns the step of an engine's parameter: its own, or its group's step times its start.
    fn step(&self, index: usize) -> f64 {
        match self.layout.source(index) {
            Some((at, true)) => (self.layout.unit(index) * self.layout.space().parameters()[at].step()).abs(),
            Some((_, false)) | None => self.layout.engine_parameters()[index].step(),
        }
    }

    /// Returns the last point of the course of an engine's parameter, with its band clipped to the legal range; for a
    /// switch, the probability that it is better on.
    fn last_point(&self, answer: &Answer, exact: &[f64], index: usize) -> Point {
        let parameter = &self.layout.engine_parameters()[index];
        let (y, sd) = match self.layout.source(index).and_then(|(at, _)| answer.uncertainty(at)) {
            Some(Uncertainty::On(on)) => (on, 0.0),
            Some(Uncertainty::StandardError(sd)) => (exact[index], sd * self.layout.unit(index).abs()),
            Some(Uncertainty::Best(_)) | None => (exact[index], 0.0),
        };
        let legal = |value: f64| Some(value.clamp(parameter.min(), parameter.max()));
        Point { x: self.absorbed as f64, y, low: legal(y - sd), high: legal(y + sd) }
    }

    /// Returns the course of a frozen parameter.
    fn flat(&self, index: usize) -> Series {
        let start = self.layout.engine_parameters()[index].start();
        let point = Point { x: 0.0, y: start, low: None, high: None };
        Series { name: self.names[index].clone(), points: vec![point] }
    }

    /// Returns the course of an engine's parameter, given that of the tuned one.
    fn course_of(&self, trace: &trace::Trace, index: usize) -> Series {
        let unit = self.layout.unit(index);
        let point = |point: &trace::Point| {
            let (low, high) = (point.low * unit, point.high * unit);
            let (low, high) = if unit < 0.0 { (high, low) } else { (low, high) };
            Point { x: point.pairs as f64, y: point.value * unit, low: Some(low), high: Some(high) }
        };
        Series { name: self.names[index].clone(), points: trace.points.iter().map(point).collect() }
    }

    /// Returns the parameters as `OpenBench` lines that start at the current values. `OpenBench` has no categories.
    fn lines(&self, standing: &[TunedStanding]) -> Vec<String> {
        let default = spsa::Config::default().r_end;
        let line = |((p, tuned), index): ((&Parameter, &TunedStanding), usize)| {
            // Commas separate the fields of a line.
            if p.kind() == Kind::Category || p.name().contains([',', '\n', '\r']) {
                return None;
            }
            let r_end = self.gains.get(index).copied().unwrap_or(default);
            if p.is_frozen() {
                return Some(Line { parameter: p.clone(), r_end, rounded: None }.to_string());
            }
            let start = tuned.number(tuned.now).parse().unwrap_or(tuned.now);
            // A logarithmic parameter's step is the step at its start.
            let step = if p.kind() == Kind::Log { p.step() * start / p.start() } else { tuned.step };
            let parameter = Parameter::new(p.name().to_owned(), p.kind(), start, (p.min(), p.max()), step).ok()?;
            Some(Line { parameter, r_end, rounded: None }.to_string())
        };
        self.layout.engine_parameters().iter().zip(standing).zip(0..).filter_map(line).collect()
    }
}

/// Returns a few evenly spaced points, including the last.
fn course(points: &[trace::Point]) -> Vec<f64> {
    let stride = points.len().div_ceil(COURSE_POINTS).max(1);
    let mut course: Vec<f64> = points.iter().rev().step_by(stride).map(|point| point.value).collect();
    course.reverse();
    course
}

/// Returns the kind of a parameter's values, regardless of their scale.
fn values_of(kind: Kind) -> ParamKind {
    match kind {
        Kind::Real | Kind::Log => ParamKind::Real,
        Kind::Integer | Kind::Category => ParamKind::Integer,
        Kind::Boolean => ParamKind::Switch,
    }
}

/// Tells a method over this layout the result of a stored pair.
pub fn tell_method(
    method: &mut dyn Method,
    layout: &Layout,
    pair: PairIndex,
    proposal: &Proposal,
    outcome: PairOutcome,
) {
    let [plus, minus] = &proposal.seats;
    let [plus, minus] = [plus, minus].map(|seat| layout.tuned(&seat.values));
    method.tell(pair, &Trial { plus, minus }, outcome);
}

impl Experiment for Tune {
    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        match self.method.barrier() {
            Barrier::Batch(batch) => pair - pair % batch.max(1),
            Barrier::None => pair.saturating_sub(self.lookahead),
        }
    }

    fn varied(&self) -> &[String] {
        &self.names
    }

    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        if pair >= self.budget.pairs.get() {
            return None;
        }
        let Trial { plus, minus } = self.method.ask(pair);
        let seats = [plus, minus].map(|tuned| ProposedSeat { entrant: 0, values: self.layout.values(&tuned) });
        let limit = self.at.as_ref().and_then(|at| at.limit(pair));
        Some(Proposal { seats, limit, ..Proposal::of(0, 0, pair) })
    }

    fn absorb(&mut self, pair: PairIndex, proposal: &Proposal, outcome: PairOutcome) {
        tell_method(self.method.as_mut(), &self.layout, pair, proposal, outcome);
        self.counts.add(outcome);
        if let Some(at) = &mut self.at {
            at.pairs[at.limits.of(pair)] += 1;
        }
        self.absorbed = pair + 1;
        if let Some(regret) = self.budget.stop_regret
            && self.absorbed.is_multiple_of(RULE_EVERY)
        {
            self.resolved = self.method.answer().is_resolved(regret);
        }
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.resolved || self.absorbed >= self.budget.pairs.get()).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        let answer = self.method.answer();
        let parameters = self.parameters(&answer);
        let tune = TuneStanding {
            openbench: self.lines(&parameters),
            limits: self.at.as_ref().map(Schedule::standing).unwrap_or_default(),
            parameters,
            gain: answer.gain.map(|gain| (gain.mean, gain.sd)),
            regret: answer.regret,
            regret_at_most: answer.regret_at_most,
            cautions: answer.cautions.iter().map(|caution| self.caution(caution)).collect(),
        };
        Standing {
            pairs: self.absorbed,
            counts: self.counts.into(),
            pairs_left: Some(self.budget.pairs.get() - self.absorbed),
            of: StandingOf::Tune(tune),
        }
    }

    fn series(&self) -> Vec<Series> {
        let answer = self.method.answer();
        let exact = self.layout.exact(&answer.exact);
        let traces = self.method.traces();
        let course = |index: usize| {
            let Some((at, _)) = self.layout.source(index) else { return Some(self.flat(index)) };
            Some(self.course_of(traces.get(at)?, index))
        };
        let mut series: Vec<Series> = (0..self.names.len()).filter_map(course).collect();
        // Traces are thinned, but the plot must extend to the current pair.
        let x = self.absorbed as f64;
        for (index, series) in series.iter_mut().enumerate() {
            if series.points.last().is_none_or(|last| last.x < x) {
                series.points.push(self.last_point(&answer, &exact, index));
            }
        }
        series
    }

    fn copied(&self) -> Box<dyn Experiment> {
        Box::new(self.clone())
    }
}

fn slice_of(slice: trace::Slice) -> Series {
    let point = |point: &trace::SlicePoint| Point {
        x: point.value,
        y: point.elo,
        low: Some(point.low),
        high: Some(point.high),
    };
    Series { name: slice.name, points: slice.points.iter().map(point).collect() }
}
