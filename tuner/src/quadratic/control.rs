//! Control games: pairs of the answer against the start, which the fit never sees.
//!
//! One design in [`super::Config::control`] is no design at all: the answer of that time plays the start. Whatever shape the surface has, these pairs measure
//! what the answer gains, and so they contradict a fit that sees too much or too little. With phi the features of a move from the start to the answer of that time
//! (`model`), the mean result of these pairs says how much more than `phi . (g, h, t)` was gained there; the answer of now is taken to gain as
//! much more than the fit says of it. Late pairs count most: pair j weighs about (j / k)^[`FADING`] after k pairs.

use super::Quadratic;
use super::model::SLOPE;
use crate::method::{Estimate, Proposal};
use crate::space::Parameter;

/// How fast control games fade.
const FADING: f64 = 1.0;
/// Errors by which they must be away from the fit to contradict it.
const CONTRADICTED: f64 = 2.0;
/// Wins minus losses of a pair that wins both games.
const MOST: f64 = 2.0;

/// The sums over all control games.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    weight: f64,
    weight_squares: f64,
    /// Of wins minus losses.
    net: f64,
    /// Of the features of the move from the start.
    moves: Vec<f64>,
}

/// What control games say beside the fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controlled {
    /// Elo that the answer gains over the start.
    pub(super) gain: Estimate,
    /// Elo more than the fit says.
    pub(super) more: f64,
}

impl Control {
    /// Absorbs a pair of these features, won by so much.
    pub(super) fn absorb(&mut self, moves: &[f64], net: f64) {
        if !moves.iter().all(|x| x.is_finite()) {
            return;
        }
        self.weight += 1.0;
        self.weight_squares += 1.0;
        self.net += net;
        self.moves.resize(moves.len(), 0.0);
        self.moves.iter_mut().zip(moves).for_each(|(sum, x)| *sum += x);
    }

    /// Lets old pairs fade by the share of all that are new.
    pub(super) fn fade(&mut self, new: f64) {
        let keep = libm::pow(1.0 - new, FADING);
        self.weight *= keep;
        self.weight_squares *= keep * keep;
        self.net *= keep;
        self.moves.iter_mut().for_each(|x| *x *= keep);
    }

    /// What an answer of these features gains, where the coefficients are `fit` and pairs have this variance; nothing before the first pair.
    fn gain(&self, now: &[f64], fit: &[f64], variance: f64) -> Option<Controlled> {
        if self.weight <= 0.0 {
            return None;
        }
        let dot = |a: &[f64]| a.iter().zip(fit).map(|(a, b)| a * b).sum::<f64>();
        // One pair more of each result that ends the scale, so that no Elo is infinite.
        let net = self.net / (self.weight + 2.0);
        let share = net / MOST;
        let slope = SLOPE * (1.0 - share * share);
        let elo = 400.0 * libm::log10((1.0 + share) / (1.0 - share));
        let more = elo - dot(&self.moves) / self.weight;
        let sd = libm::sqrt(variance * self.weight_squares) / self.weight / slope;
        Some(Controlled { gain: Estimate { mean: dot(now) + more, sd }, more })
    }
}

impl Controlled {
    /// The gain by a model and by control games together. Where they contradict each other, the model's error was too small, and is taken as large as makes them agree.
    pub(super) fn with(self, model: Estimate) -> Estimate {
        let apart = self.gain.mean - model.mean;
        let (control, own) = (self.gain.sd * self.gain.sd, model.sd * model.sd);
        let unseen = (apart * apart - control - own).max(0.0);
        let share = (own + unseen) / (own + unseen + control);
        Estimate { mean: model.mean + share * apart, sd: libm::sqrt(share * control) }
    }

    /// By how many Elo they surely contradict the gain of a model.
    pub(super) fn contradiction(self, model: Estimate) -> Option<Estimate> {
        let apart = self.gain.mean - model.mean;
        let sd = libm::hypot(self.gain.sd, model.sd);
        (apart.abs() > CONTRADICTED * sd).then_some(Estimate { mean: apart, sd })
    }
}

impl Quadratic {
    /// Whether a design is control games: the answer against the start.
    pub(super) fn is_control(&self, design: u64) -> bool {
        let every = self.config.control;
        every > 0 && self.at.is_none() && design % every == every - 1
    }

    /// The answer against the start; nothing where it is the start.
    pub(super) fn against_start(&self) -> Option<Proposal> {
        let plus = self.space.settled(&self.columns.parameters(&self.best));
        let minus = self.start();
        (plus != minus).then_some(Proposal { plus, minus })
    }

    /// The values of the start.
    pub(super) fn start(&self) -> Vec<f64> {
        self.space.parameters().iter().map(Parameter::start).collect()
    }

    /// What control games say of the answer's gain.
    pub(super) fn controlled(&self) -> Option<Controlled> {
        let values = self.space.settled(&self.columns.parameters(&self.best));
        let [now, start] = [values, self.start()].map(|values| self.columns.coordinates(&self.space, &values));
        let moves = self.statistics.contrast((&now, &start), 0.0);
        self.control.gain(&moves, &self.posterior.mean, self.statistics.variance())
    }
}
