//! The common parts of the three SPSA methods: sides around a centre by random signs, the answer of a method without a
//! model, and the course of the answer.
//!
//! Schedules and updates differ between the methods.

use crate::method::{Answer, Trial};
use crate::random::{Purpose, Stream};
use crate::space::Space;
use crate::trace::Recorder;

/// The two sides at `centre` plus and minus `c` steps (in coordinates) with the random signs of `design`, both rounded
/// by one common random number.
pub(crate) fn sides(space: &Space, centre: &[f64], c: f64, seed: u64, design: u64) -> Trial {
    let mut signs = Stream::new(seed, Purpose::Signs, design);
    let mut draw = Stream::new(seed, Purpose::Rounding, design);
    let (plus, minus) = space.sides(centre.iter().map(|x| {
        let offset = c * signs.sign();
        (x + offset, x - offset, draw.uniform())
    }));
    Trial { plus, minus }
}

/// The answer `best` (coordinates) of a method without a model, after `pairs` pairs, while sides are `c` steps away.
pub(crate) fn answer(space: &Space, best: &[f64], c: f64, pairs: u64) -> Answer {
    Answer {
        pairs,
        values: space.settled(best),
        exact: space.values(best),
        uncertainties: None,
        ranges: None,
        chances: Vec::new(),
        drifts: Vec::new(),
        steps: space.parameters().iter().map(|p| c * p.step()).collect(),
        gain: None,
        regret: None,
        regret_at_most: None,
        cautions: Vec::new(),
    }
}

/// Records `best` (coordinates) in the course, if a row is due after `pairs` pairs.
pub(crate) fn record(course: &mut Recorder, space: &Space, best: &[f64], pairs: u64) {
    if course.is_due(pairs) {
        let values = space.parameters().iter().zip(best).map(|(p, &x)| p.value(x));
        course.push(pairs, values.map(|v| (v, v, v)));
    }
}
