//! Lets a method ask and tell against one instance and scores its answer.

use std::collections::VecDeque;

use super::instance::Instance;
use super::oracle::Noise;
use crate::method::{Method, Proposal};
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

impl Session {
    /// Plays the session and returns the Elo that the method's answer loses.
    pub fn play(&self, method: &mut dyn Method, instance: &Instance) -> f64 {
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
                self.tell(method, instance, pair, &proposal);
                told = pair + 1;
            }
        }
        instance.loss(&Instance::coordinates(&method.answer().values))
    }

    fn tell(&self, method: &mut dyn Method, instance: &Instance, pair: u64, proposal: &Proposal) {
        let plus = instance.loss(&Instance::coordinates(&proposal.plus));
        let minus = instance.loss(&Instance::coordinates(&proposal.minus));
        let outcome = self.noise.play(minus - plus, &mut Stream::new(self.seed, Purpose::Games, pair));
        method.tell(pair, proposal, outcome);
    }
}
