//! Lets a method ask and tell against one instance and scores its answer.

use std::collections::VecDeque;

use super::instance::Instance;
use super::oracle::Noise;
use crate::method::{Answer, Doubt, Method, Proposal};
use crate::random::{Purpose, Stream};

/// How a session is played.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// Pairs to play.
    pub pairs: u64,
    /// Designs in flight: asks run this many designs ahead of tells; 1 means that each design is told before the next is asked.
    pub lag: u64,
    /// The games' chance.
    pub noise: Noise,
    /// Seed of the games.
    pub seed: u64,
}

/// How well a method knew its own errors at the end of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Honesty {
    /// Parameters with a standard error.
    pub parameters: usize,
    /// Those of them whose optimum is within one standard error of the answer's exact value.
    pub within: usize,
    /// Elo that the answer is said to lose.
    pub regret: Option<f64>,
}

impl Honesty {
    /// What `answer` says against what is true of `instance`.
    pub fn of(answer: &Answer, instance: &Instance) -> Self {
        let errors: Vec<Option<f64>> =
            (0..instance.dimension()).map(|i| answer.doubt(i).and_then(Doubt::standard_error)).collect();
        let sd = Instance::coordinates(&errors.iter().map(|sd| sd.unwrap_or(0.0)).collect::<Vec<_>>());
        let off = Instance::coordinates(&answer.exact);
        let off = off.iter().zip(&instance.optimum).map(|(x, optimum)| (x - optimum).abs());
        let within = off.zip(&sd).zip(&errors).filter(|((off, sd), known)| known.is_some() && off <= *sd).count();
        Self { parameters: errors.iter().flatten().count(), within, regret: answer.regret }
    }
}

impl Session {
    /// Plays the session and returns the Elo that the method's answer loses.
    pub fn play(&self, method: &mut dyn Method, instance: &Instance) -> f64 {
        self.play_each(method, &|_| instance);
        instance.loss(&Instance::coordinates(&method.answer().values))
    }

    /// Plays the session, each pair on the surface that `of` has for its number.
    pub fn play_each<'a>(&self, method: &mut dyn Method, of: &dyn Fn(u64) -> &'a Instance) {
        let design = method.design_pairs().max(1);
        let mut flying: VecDeque<(u64, Proposal)> = VecDeque::new();
        let (mut asked, mut told) = (0, 0);
        while told < self.pairs {
            let ahead = (told - told % design).saturating_add(design.saturating_mul(self.lag.max(1))).min(self.pairs);
            while asked < ahead {
                flying.push_back((asked, method.ask(asked)));
                asked += 1;
            }
            for _ in 0..design {
                let Some((pair, proposal)) = flying.pop_front() else { break };
                self.tell(method, of(pair), pair, &proposal);
                told = pair + 1;
            }
        }
    }

    fn tell(&self, method: &mut dyn Method, instance: &Instance, pair: u64, proposal: &Proposal) {
        let plus = instance.loss(&Instance::coordinates(&proposal.plus));
        let minus = instance.loss(&Instance::coordinates(&proposal.minus));
        let outcome = self.noise.play(minus - plus, &mut Stream::new(self.seed, Purpose::Games, pair));
        method.tell(pair, proposal, outcome);
    }
}
