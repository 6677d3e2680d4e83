//! Lets a method ask and tell against one instance and scores its answer.

use std::collections::VecDeque;

use super::instance::Instance;
use super::oracle::Noise;
use tuner::method::{Answer, Estimate, Method, Trial, Uncertainty};
use tuner::random::{Purpose, Stream};

/// The settings of a session.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// The number of pairs to play.
    pub pairs: u64,
    /// The number of designs in flight: asks run this many designs ahead of tells; 1 means that each design is absorbed
    /// before the next is asked.
    pub lag: u64,
    /// The games' chance.
    pub noise: Noise,
    /// The seed of the games.
    pub seed: u64,
}

/// How well a method knew its own errors at the end of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Honesty {
    /// The number of parameters with a standard error.
    pub parameters: usize,
    /// The number of them whose optimum is within one standard error of the answer's exact value.
    pub within: usize,
    /// The number of them whose optimum is in the 95% range.
    pub ranged: usize,
    /// Elo that the answer loses by the method's own estimate.
    pub regret: Option<f64>,
    /// Elo that the answer gains over the start by the method's own estimate.
    pub gain: Option<Estimate>,
    /// Elo that a match between the answer and the start would show.
    pub gained: f64,
}

impl Honesty {
    /// Compares `answer` with the truth about `instance` in games of this chance.
    pub fn of(answer: &Answer, instance: &Instance, noise: Noise) -> Self {
        let dimension = instance.dimension();
        let scaled = |values: Vec<f64>| instance.coordinates(&values);
        let errors: Vec<Option<f64>> =
            (0..dimension).map(|i| answer.uncertainty(i).and_then(Uncertainty::standard_error)).collect();
        let sd = scaled(errors.iter().map(|sd| sd.unwrap_or(-1.0)).collect());
        let ranges = scaled(answer.ranges.clone().unwrap_or_else(|| vec![-1.0; dimension]));
        let off = scaled(answer.exact.clone());
        let optimum = instance.nearest_optimum(&off);
        let off = off.iter().zip(&optimum).map(|(x, optimum)| (x - optimum).abs());
        let start = instance.loss(&vec![0.0; dimension]);
        Self {
            parameters: errors.iter().flatten().count(),
            within: off.clone().zip(&sd).filter(|(off, sd)| off <= *sd).count(),
            ranged: off.zip(&ranges).filter(|(off, range)| off <= *range).count(),
            regret: answer.regret,
            gain: answer.gain,
            gained: noise.shown(start - instance.loss(&instance.coordinates(&answer.values))),
        }
    }

    /// Whether the gain is within `errors` of its standard errors of the truth, if the method reported a gain.
    pub fn gain_within(&self, errors: f64) -> Option<bool> {
        self.gain.map(|gain| (gain.mean - self.gained).abs() <= errors * gain.sd)
    }
}

impl Session {
    /// Plays the session and returns the Elo that the method's answer loses.
    pub fn play(&self, method: &mut dyn Method, instance: &Instance) -> f64 {
        self.play_each(method, &|_| instance);
        instance.loss(&instance.coordinates(&method.answer().values))
    }

    /// Plays the session, each pair on the surface that `of` returns for its number.
    pub fn play_each<'a>(&self, method: &mut dyn Method, of: &dyn Fn(u64) -> &'a Instance) {
        self.play_by(method, &|pair, values| {
            let (instance, progress) = (of(pair), (pair + 1) as f64 / self.pairs as f64);
            instance.loss_during(&instance.coordinates(values), progress)
        });
    }

    /// Plays the session; `lost` returns the Elo that a side's values lose in the pair of this number.
    pub fn play_by(&self, method: &mut dyn Method, lost: &dyn Fn(u64, &[f64]) -> f64) {
        let design = method.design_pairs().max(1);
        let mut flying: VecDeque<(u64, Trial)> = VecDeque::new();
        let (mut asked, mut absorbed) = (0, 0);
        while absorbed < self.pairs {
            let ahead =
                (absorbed - absorbed % design).saturating_add(design.saturating_mul(self.lag.max(1))).min(self.pairs);
            while asked < ahead {
                flying.push_back((asked, method.ask(asked)));
                asked += 1;
            }
            for _ in 0..design {
                let Some((pair, proposal)) = flying.pop_front() else { break };
                let ahead = lost(pair, &proposal.minus) - lost(pair, &proposal.plus);
                let outcome = self.noise.play(ahead, &mut Stream::new(self.seed, Purpose::Games, pair));
                method.tell(pair, &proposal, outcome);
                absorbed = pair + 1;
            }
        }
    }
}
