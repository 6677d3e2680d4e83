//! The benchmark of categories: a surface with parameters that are one of several values without an order.
//!
//! Each value of a category except its start is worth a normal number of Elo more than the start, or nothing; effects
//! add up, also to the surface of the graded parameters. [`Evenly`] is the baseline of the method: the same model and
//! the same answer, but any two values of a category meet in a design.

use super::instance::{Instance, Surface};
use super::runner::Session;
use stats::PairOutcome;
use tuner::method::{Answer, Method, Trial, Uncertainty};
use tuner::parameter::{Kind, Parameter, SpaceError};
use tuner::random::{Purpose, Stream};
use tuner::space::Space;
use tuner::trace::Trace;

/// A value that loses at most this many Elo to the best is as good.
pub const AS_GOOD: f64 = 1.0;

/// The number of categories, their number of values, and the worths of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Categories {
    /// The number of categories.
    pub count: usize,
    /// The number of values of each, 2 to 64.
    pub values: usize,
    /// The standard deviation of a value's worth over the start's, in Elo; 0 if no value matters.
    pub spread: f64,
}

/// An engine with graded parameters and categories.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixed {
    /// The graded parameters, which come first.
    pub graded: Instance,
    /// The worths of each category's values in Elo, the start's first.
    pub worths: Vec<Vec<f64>>,
}

/// The truth about the answer to one category.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Elo that the value loses to the best.
    pub lost: f64,
    /// The probability that it is the best, as the method states it.
    pub stated: Option<f64>,
}

impl Choice {
    /// Whether the value is the best, or as good.
    pub fn is_good(&self) -> bool {
        self.lost <= AS_GOOD
    }
}

impl Mixed {
    /// The engine of `dimension` graded parameters and these categories with this seed.
    pub fn new(dimension: usize, seed: u64, surface: Surface, categories: Categories) -> Self {
        let mut stream = Stream::from_seed(0xCA7E_0000 + 1000 * dimension as u64 + 7919 * seed);
        let mut worth = |place: usize| if place == 0 { 0.0 } else { categories.spread * stream.normal() };
        let worths = (0..categories.count).map(|_| (0..categories.values).map(&mut worth).collect()).collect();
        Self { graded: Instance::new(dimension, seed, surface), worths }
    }

    /// The same engine after every value's worth has changed by a normal number of Elo with this standard deviation.
    #[must_use]
    pub fn changed(mut self, spread: f64, seed: u64) -> Self {
        let mut stream = Stream::from_seed(0xC4A6_0000 + 7919 * seed);
        self.worths.iter_mut().flatten().for_each(|worth| *worth += spread * stream.normal());
        self
    }

    /// The search space.
    ///
    /// # Errors
    /// [`SpaceError`]: neither a parameter nor a category, or a category of one value.
    pub fn space(&self) -> Result<Space, SpaceError> {
        let category = |(index, worths): (usize, &Vec<f64>)| {
            Parameter::new(format!("c{index}"), Kind::Category, 0.0, (0.0, (worths.len() - 1) as f64), 1.0)
        };
        let graded =
            if self.graded.dimension() == 0 { Vec::new() } else { self.graded.space(1.0)?.parameters().to_vec() };
        let categories = self.worths.iter().enumerate().map(category);
        Space::new(graded.into_iter().map(Ok).chain(categories).collect::<Result<_, _>>()?)
    }

    /// Elo that these values lose to the best.
    pub fn loss(&self, values: &[f64]) -> f64 {
        let (graded, categories) = values.split_at(self.graded.dimension());
        let lost = |(worths, value): (&Vec<f64>, &f64)| lost(worths, *value);
        self.graded.loss(&self.graded.coordinates(graded)) + self.worths.iter().zip(categories).map(lost).sum::<f64>()
    }

    /// Plays a session and returns the Elo that its answer loses.
    pub fn play(&self, session: &Session, method: &mut dyn Method) -> f64 {
        session.play_by(method, &|_, values| self.loss(values));
        self.loss(&method.answer().values)
    }

    /// The truth about the answer to each category.
    pub fn choices(&self, answer: &Answer) -> Vec<Choice> {
        let choice = |(place, worths): (usize, &Vec<f64>)| {
            let index = self.graded.dimension() + place;
            Choice {
                lost: lost(worths, answer.values[index]),
                stated: answer.uncertainty(index).and_then(Uncertainty::best),
            }
        };
        self.worths.iter().enumerate().map(choice).collect()
    }
}

/// Elo that a value loses to the best of these worths.
fn lost(worths: &[f64], value: f64) -> f64 {
    let own = worths.get(value as usize).copied().unwrap_or(f64::NEG_INFINITY);
    worths.iter().fold(0.0, |most, worth| if worth - own > most { worth - own } else { most })
}

/// A method that proposes any two values of each category, all equally often.
#[derive(Clone, Debug)]
pub struct Evenly<M> {
    /// The method that proposes everything else, absorbs the pairs and answers.
    pub method: M,
    /// The categories, by index of the parameter, and their numbers of values.
    pub categories: Vec<(usize, usize)>,
    /// The seed of the choices.
    pub seed: u64,
}

impl<M: Method + Clone + 'static> Method for Evenly<M> {
    fn name(&self) -> &'static str {
        "evenly"
    }

    fn ask(&mut self, pair: u64) -> Trial {
        let mut proposal = self.method.ask(pair);
        let mut stream = Stream::new(self.seed, Purpose::Rivals, pair / self.method.design_pairs());
        for &(at, values) in &self.categories {
            let one = (stream.uniform() * values as f64) as usize;
            let further = 1 + (stream.uniform() * (values - 1) as f64) as usize;
            (proposal.plus[at], proposal.minus[at]) = (one as f64, ((one + further) % values) as f64);
        }
        proposal
    }

    fn tell(&mut self, pair: u64, proposal: &Trial, outcome: PairOutcome) {
        self.method.tell(pair, proposal, outcome);
    }

    fn answer(&self) -> Answer {
        self.method.answer()
    }

    fn traces(&self) -> Vec<Trace> {
        self.method.traces()
    }

    fn design_pairs(&self) -> u64 {
        self.method.design_pairs()
    }

    fn copied(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::Noise;
    use super::*;
    use tuner::quadratic::{Config, Quadratic};

    const FOUR: Categories = Categories { count: 2, values: 4, spread: 8.0 };

    #[test]
    fn the_best_values_lose_nothing_and_the_start_what_they_are_worth() {
        let engine = Mixed::new(3, 5, Surface::Real, FOUR);
        let best = |worths: &Vec<f64>| {
            let top = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            worths.iter().position(|worth| *worth >= top).unwrap() as f64
        };
        let graded =
            engine.graded.optimum.iter().zip(&engine.graded.axes).map(|(x, axis)| x / axis.grid.unwrap_or(1.0));
        let mut values: Vec<f64> = graded.chain(engine.worths.iter().map(best)).collect();
        assert!(engine.loss(&values).abs() < 1e-9, "{engine:?}");
        values[3] = 0.0;
        let top = engine.worths[0].iter().copied().fold(0.0, f64::max);
        assert!((engine.loss(&values) - top).abs() < 1e-9, "{engine:?}");
        assert!(engine.worths[0][0].abs() <= 0.0);
        assert_eq!(Mixed::new(3, 5, Surface::Real, Categories { spread: 0.0, ..FOUR }).worths, vec![vec![0.0; 4]; 2]);
    }

    #[test]
    fn any_two_values_meet_and_all_of_them_equally_often() {
        let engine = Mixed::new(2, 5, Surface::Real, FOUR);
        let method = Quadratic::new(engine.space().unwrap(), Config::default(), 1, 4000).unwrap();
        let mut evenly = Evenly { method, categories: vec![(2, 4), (3, 4)], seed: 1 };
        let mut met = [0_u32; 4];
        for pair in (0..16_000).step_by(4) {
            let proposal = evenly.ask(pair);
            let (plus, minus) = (&proposal.plus, &proposal.minus);
            assert!((2..4).all(|at| (plus[at] - minus[at]).abs() >= 1.0), "{proposal:?}");
            met[plus[2] as usize] += 1;
            met[minus[2] as usize] += 1;
        }
        assert!(met.iter().all(|met| met.abs_diff(2000) < 150), "{met:?}");
    }

    #[test]
    #[ignore = "slow"]
    fn values_that_look_best_meet_more_and_less_is_lost() {
        let (mut thompson, mut evenly) = (0.0, 0.0);
        for seed in 4000..4014 {
            let engine = Mixed::new(1, seed, Surface::Real, Categories { count: 2, values: 6, spread: 8.0 });
            let session = Session { pairs: 4000, lag: 1, noise: Noise::Chess, seed };
            let method = || Quadratic::new(engine.space().unwrap(), Config::default(), seed, session.pairs).unwrap();
            let lost = |method: &dyn Method| engine.choices(&method.answer()).iter().map(|one| one.lost).sum::<f64>();
            let mut own = method();
            let _all = engine.play(&session, &mut own);
            thompson += lost(&own);
            let mut even = Evenly { method: method(), categories: vec![(1, 6), (2, 6)], seed };
            let _all = engine.play(&session, &mut even);
            evenly += lost(&even);
        }
        assert!(thompson < 0.9 * evenly, "{thompson} {evenly}");
    }
}
