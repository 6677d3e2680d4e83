//! The benchmark of sessions that begin with an earlier session's knowledge about an engine that has changed since.
//!
//! The earlier session is played on an [`Instance`]. Then every optimum moves by a normal number of steps, and the new
//! session starts from the earlier answer: warm, with the earlier session's knowledge, or cold, with the values alone.

use super::instance::{BOUND, Instance, Surface};
use super::runner::Session;
use tuner::method::Method;
use tuner::parameter::{Parameter, SpaceError};
use tuner::quadratic::{Config, Earlier, Learnt, Quadratic};
use tuner::random::Stream;
use tuner::space::Space;

/// An engine that has changed since it was tuned.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The current engine.
    pub now: Instance,
    space: Space,
    earlier: Quadratic,
    pairs: u64,
}

impl Changed {
    /// The engine of `dimension` coordinates with the seed of `earlier`, the session that tuned it before every optimum
    /// moved by a normal number of steps with the standard deviation `moved`.
    ///
    /// # Errors
    /// [`SpaceError`]: no coordinate, or fewer pairs than coordinates.
    pub fn new(dimension: usize, surface: Surface, earlier: &Session, moved: f64) -> Result<Self, SpaceError> {
        let mut instance = Instance::new(dimension, earlier.seed, surface);
        let space = instance.space(1.0)?;
        let mut method = Quadratic::new(space.clone(), Config::default(), earlier.seed, earlier.pairs)?;
        let _lost = earlier.play(&mut method, &instance);
        let mut stream = Stream::from_seed(0x3A12_0000 + 1000 * dimension as u64 + 7919 * earlier.seed);
        for (optimum, axis) in instance.optimum.iter_mut().zip(&instance.axes) {
            let there = (*optimum + moved * stream.normal()).clamp(-BOUND, BOUND);
            *optimum = axis.legal(there);
        }
        Ok(Self { now: instance, space, earlier: method, pairs: earlier.pairs })
    }

    /// The search space of the new session, which starts from the earlier answer.
    ///
    /// # Errors
    /// [`SpaceError`]: impossible for an answer of the earlier session.
    pub fn space(&self) -> Result<Space, SpaceError> {
        let starts = self.earlier.answer().values;
        let again = |(p, start): (&Parameter, f64)| {
            Parameter::new(p.name().to_owned(), p.kind(), start, (p.min(), p.max()), p.step())
        };
        Space::new(self.space.parameters().iter().zip(starts).map(again).collect::<Result<_, _>>()?)
    }

    /// The share `trust`, 0 to 1, of the earlier session's knowledge, in the coordinates of the new one's space.
    pub fn earlier(&self, space: &Space, trust: f64) -> Earlier {
        let each = self.space.parameters().iter().zip(space.parameters()).zip(self.earlier.knows());
        let moved = |((from, to), learnt): ((&Parameter, &Parameter), Learnt)| match learnt.trusted(trust) {
            Learnt::Slope(known) => known.converted_to(from, to).map(Learnt::Slope),
            // The values of a category keep their order, whichever is the start.
            Learnt::CategoryPosterior(worths) => Some(Learnt::CategoryPosterior(worths)),
        };
        Earlier { known: each.map(moved).collect(), pairs: trust * self.pairs as f64 }
    }

    /// The new session before its first pair, with the share `trust`, 0 to 1, of the earlier session's knowledge.
    ///
    /// # Errors
    /// [`SpaceError`]: fewer pairs than coordinates.
    pub fn method(&self, seed: u64, pairs: u64, trust: f64) -> Result<Quadratic, SpaceError> {
        let space = self.space()?;
        let method = Quadratic::new(space.clone(), Config::default(), seed, pairs)?;
        if trust <= 0.0 { Ok(method) } else { method.with_earlier(&self.earlier(&space, trust)) }
    }
}
