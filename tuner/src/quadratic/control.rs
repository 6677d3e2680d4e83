//! Control games: pairs of the answer against the start, which the fit never sees.
//!
//! One design in [`super::Config::control`] is a control: the current answer plays the start. These pairs measure the
//! gain of the answer on a surface of any shape, and so they contradict a fit that sees too much or too little. With
//! phi the features of a move from the start to the answer of that time (`model`), their mean result shows how far the
//! gain exceeded `phi . (g, h, t)`; the excess of the present answer over the fit is assumed equal. Late pairs count
//! most: pair j weighs about j / k after k pairs. Sessions at several limits have no control games.

use super::Quadratic;
use super::model::SLOPE;
use crate::method::{Estimate, Trial};
use crate::parameter::Parameter;

/// Control games contradict the fit from this many errors on.
const CONTRADICTED: f64 = 2.0;
/// Elo that may still be gained for each Elo of contradiction: a fit that does not see the past gain does not see the
/// remaining one either.
const LEFT: f64 = 0.5;
/// The variance of a model's gain relative to its own estimate, besides control games: the model is often wrong by more
/// than chance.
const DOUBT: f64 = 2.0;
/// The error of a gain, as a share, because draws and unequal openings change the value of an Elo.
const SCALE: f64 = 0.07;
/// The share of the gain that control games may have missed if best values move, because they are older than the
/// answer.
const MOVED: f64 = 1.0;
/// The wins minus losses of a pair with two wins.
const MOST: f64 = 2.0;

/// The sums over all control games.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    weight: f64,
    weight_squares: f64,
    /// The sum of wins minus losses.
    net: f64,
    /// The sum of the features of the moves from the start.
    moves: Vec<f64>,
}

/// The gain of the answer by control games, and by a model that has not seen them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controlled {
    control: Estimate,
    model: Estimate,
}

impl Control {
    /// Absorbs a pair with these features and this result.
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

    /// Fades old pairs by the share of new ones.
    pub(super) fn fade(&mut self, new: f64) {
        let keep = 1.0 - new;
        self.weight *= keep;
        self.weight_squares *= keep * keep;
        self.net *= keep;
        self.moves.iter_mut().for_each(|x| *x *= keep);
    }

    /// The gain of an answer with these features, if the coefficients are `fit` and pairs have this variance; `None`
    /// before the first pair.
    fn gain(&self, now: &[f64], fit: &[f64], variance: f64) -> Option<Estimate> {
        if self.weight <= 0.0 {
            return None;
        }
        let dot = |a: &[f64]| a.iter().zip(fit).map(|(a, b)| a * b).sum::<f64>();
        // Two more even pairs keep Elo finite.
        let net = self.net / (self.weight + 2.0);
        let share = net / MOST;
        let slope = SLOPE * (1.0 - share * share);
        let elo = 400.0 * libm::log10((1.0 + share) / (1.0 - share));
        let more = elo - dot(&self.moves) / self.weight;
        let sd = libm::sqrt(variance * self.weight_squares) / self.weight / slope;
        Some(Estimate { mean: dot(now) + more, sd })
    }
}

impl Controlled {
    /// The excess over the model in Elo, with the error of both.
    fn apart(self) -> Estimate {
        Estimate { mean: self.control.mean - self.model.mean, sd: libm::hypot(self.control.sd, self.model.sd) }
    }

    /// The combined gain. If the two contradict each other, the model's error was too small, and is enlarged until they
    /// agree.
    pub(super) fn gain(self) -> Estimate {
        let apart = self.apart();
        let (control, model) = (self.control.sd * self.control.sd, DOUBT * self.model.sd * self.model.sd);
        let unseen = (apart.mean * apart.mean - apart.sd * apart.sd).max(0.0);
        let share = (model + unseen) / (model + unseen + control);
        let mean = self.model.mean + share * apart.mean;
        Estimate { mean, sd: libm::hypot(libm::sqrt(share * control), SCALE * mean) }
    }

    /// The excess of control games over the model in Elo, if they surely contradict it.
    pub(super) fn contradiction(self) -> Option<Estimate> {
        Some(self.apart()).filter(|apart| apart.mean.abs() > CONTRADICTED * apart.sd)
    }

    /// Elo that may still be gained because the model is contradicted.
    pub(super) fn left(self) -> f64 {
        let apart = self.apart();
        LEFT * (apart.mean.abs() - CONTRADICTED * apart.sd).max(0.0)
    }
}

impl Quadratic {
    /// Whether a design is control games.
    pub(super) fn is_control(&self, design: u64) -> bool {
        let every = self.config.control;
        every > 0 && self.at.is_none() && design % every == every - 1
    }

    /// The answer against the start; `None` if they are equal.
    pub(super) fn against_start(&self) -> Option<Trial> {
        let plus = self.space.settled(&self.columns.parameters(&self.best));
        let minus = self.start();
        (plus != minus).then_some(Trial { plus, minus })
    }

    /// The values of the start.
    pub(super) fn start(&self) -> Vec<f64> {
        self.space.parameters().iter().map(Parameter::start).collect()
    }

    /// The estimate of the answer's gain from control games, compared with a model's, if best values move with this
    /// probability; `None` before the first control game.
    pub(super) fn controlled(&self, model: Estimate, moving: f64) -> Option<Controlled> {
        let values = self.space.settled(&self.columns.parameters(&self.best));
        let [now, start] = [values, self.start()].map(|values| self.columns.coordinates(&self.space, &values));
        let moves = self.statistics.contrast((&now, &start), 0.0);
        let Estimate { mean, sd } = self.control.gain(&moves, &self.posterior.mean, self.statistics.variance())?;
        let control = Estimate { mean, sd: libm::hypot(sd, MOVED * moving * mean) };
        Some(Controlled { control, model })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::method::{Caution, Method};
    use crate::random::Stream;
    use crate::regret::instance::{Instance, Surface};
    use crate::regret::oracle::Noise;
    use crate::regret::runner::{Honesty, Session};
    use stats::PairOutcome;

    fn controlled(control: (f64, f64), model: (f64, f64)) -> Controlled {
        let of = |(mean, sd)| Estimate { mean, sd };
        Controlled { control: of(control), model: of(model) }
    }

    #[test]
    fn control_games_that_agree_make_the_gain_surer() {
        let both = controlled((22.0, 6.0), (18.0, 8.0));
        let gain = both.gain();
        assert!((gain.mean - (18.0 + 4.0 * 128.0 / 164.0)).abs() < 1e-9 && gain.sd < 5.6, "{gain:?}");
        assert!(both.contradiction().is_none() && both.left() <= 0.0);
    }

    #[test]
    fn a_model_that_is_contradicted_counts_for_less_and_leaves_more_to_be_had() {
        for (control, low, high) in [(40.0, 34.0, 40.0), (-30.0, -30.0, -24.0)] {
            let both = controlled((control, 5.0), (5.0, 5.0));
            let (gain, more) = (both.gain(), both.contradiction().unwrap());
            assert!((low..=high).contains(&gain.mean) && (more.mean - control + 5.0).abs() < 1e-9, "{gain:?} {more:?}");
            assert!(both.left() > 5.0);
        }
    }

    #[test]
    fn a_gain_is_measured_whatever_the_fit_says() {
        let (mut control, mut stream) = (Control::default(), Stream::from_seed(8));
        assert_eq!(control.gain(&[1.0], &[50.0], 0.74), None);
        for pair in 0..4000 {
            control.absorb(&[1.0], Noise::Chess.play(20.0, &mut stream).net());
            if pair % 50 == 49 {
                control.fade(50.0 / f64::from(pair + 1));
            }
        }
        let gain = control.gain(&[1.0], &[50.0], 0.74).unwrap();
        assert!((gain.mean - Noise::Chess.shown(20.0)).abs() < 3.0 * gain.sd && gain.sd < 4.0, "{gain:?}");
        let farther = control.gain(&[1.1], &[50.0], 0.74).unwrap();
        assert!((farther.mean - gain.mean - 5.0).abs() < 1e-9, "from then on by the fit");
        control.absorb(&[f64::NAN], 2.0);
        assert_eq!(control.gain(&[1.0], &[50.0], 0.74), Some(gain));
        let mut won = Control::default();
        won.absorb(&[1.0], PairOutcome::WW.net());
        assert!(won.gain(&[1.0], &[0.0], 0.74).unwrap().mean.is_finite());
    }

    #[test]
    fn one_design_in_sixteen_is_the_answer_against_the_start() {
        let instance = Instance::new(3, 1, Surface::Quad);
        let space = instance.space(1.0).unwrap();
        let mut method = Quadratic::new(space, Config::default(), 1, 2000).unwrap();
        let mut played = 0;
        for pair in 0..2000 {
            let mut proposal = method.ask(pair);
            if method.is_control(pair / 4) && proposal.minus == method.start() {
                assert_eq!(proposal.plus, method.space.settled(&method.best));
                played += 1;
                // The value of a group's factor comes back with a rounding error.
                proposal.minus.iter_mut().for_each(|value| *value *= 1.0 + f64::EPSILON);
            }
            method.tell(pair, &proposal, PairOutcome::DD);
        }
        // The first few answers may equal the start.
        assert!((100..=124).contains(&played), "{played}");
        assert!(method.controlled(Estimate { mean: 0.0, sd: 1.0 }, 0.0).is_some(), "no control pair was recognised");
    }

    /// Strength between the sides leaves no trace in the pairs of a fit; here most of the gain is there.
    #[test]
    fn a_narrow_peak_is_seen_and_warned_of() {
        let (mut held, mut warned, mut bounded, mut reported, mut lost) = (0, 0, 0, 0.0, 0.0);
        for seed in 3000..3006 {
            let instance = Instance::new(9, seed, Surface::Peak);
            let mut method = Quadratic::new(instance.space(1.0).unwrap(), Config::default(), seed, 20_000).unwrap();
            let left = Session { pairs: 20_000, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance);
            lost += left;
            let answer = method.answer();
            bounded += u32::from(left < answer.regret_at_most.unwrap());
            held += u32::from(Honesty::of(&answer, &instance, Noise::Chess).gain_within(2.0) == Some(true));
            warned += u32::from(answer.cautions.iter().any(|caution| matches!(caution, Caution::Start(_))));
            reported += answer.regret.unwrap();
        }
        assert!(held >= 5 && warned >= 4 && bounded >= 5, "{held}, {warned} and {bounded} of 6");
        assert!(reported > 0.25 * lost && reported < 2.5 * lost, "{reported} reported, {lost} lost");
    }
}
