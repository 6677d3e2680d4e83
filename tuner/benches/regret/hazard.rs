//! The difficulties of a surface beyond noise: waves, cliffs, a moving optimum, ranges that end early, very few values.
//!
//! With d = x - opt of a coordinate that matters, a wave adds `height / 2 (1 - cos(2 pi d / period))` Elo of loss, so
//! that every trough is a local optimum and opt the best of them; a cliff adds its height if d is beyond its edge. The
//! smooth part's optimum may differ from the best values: it may lie beyond a bound, or, during a session, where the
//! moving optimum has not arrived yet. [`super::instance`] has the smooth part, and uses this module for the additions
//! of each [`Surface`].

use super::instance::{BOUND, GRID, Surface};
use tuner::random::Stream;

/// Waves along one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Elo between trough and crest.
    pub height: f64,
    /// Steps from trough to trough.
    pub period: f64,
}

/// A point beyond which an engine is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cliff {
    /// The coordinate.
    pub coordinate: usize,
    /// The steps from the optimum to the edge, on the side away from the start: negative if the optimum is below the
    /// start.
    pub edge: f64,
    /// Elo lost beyond it.
    pub height: f64,
}

/// The legal values of one coordinate, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// Steps between neighbours of a whole-numbered parameter.
    pub grid: Option<f64>,
}

/// The additions of a surface to its smooth part.
#[derive(Clone, Debug, PartialEq)]
pub struct Hazard {
    /// The waves of every coordinate, if there are any.
    pub waves: Vec<Wave>,
    /// The cliffs, if there are any.
    pub cliffs: Vec<Cliff>,
    /// The steps from the best values to the optimum of the smooth part: constant for a bound, initial for a drift.
    pub away: Vec<f64>,
    /// Whether the optimum moves in a straight line to the best values during the session.
    pub drifts: bool,
}

/// The height and edge of cliffs; every second coordinate from the first has one, except idle ones.
const CLIFF: (f64, f64) = (30.0, 1.0);
/// The height of the waves of [`Surface::Waves`], and their shortest and longest period.
const WAVES: (f64, (f64, f64)) = (6.0, (2.0, 5.0));
/// Steps by which the smooth part's optimum lies beyond a bound.
const BEYOND: f64 = 1.5;

impl Axis {
    /// The axes of all coordinates before the optimum is known: even ones are integers.
    pub(super) fn all(dimension: usize, surface: Surface) -> Vec<Self> {
        let usual = |i: usize| Self { low: -BOUND, high: BOUND, grid: i.is_multiple_of(2).then_some(GRID) };
        let few = |_: usize| Self { low: -1.0, high: 2.0, grid: Some(1.0) };
        let real = |_: usize| Self { low: -BOUND, high: BOUND, grid: None };
        let of = |i: usize| match surface {
            Surface::Few => few(i),
            Surface::Ridge | Surface::Product | Surface::Scaled | Surface::Peak | Surface::Sign => real(i),
            _ => usual(i),
        };
        (0..dimension).map(of).collect()
    }

    /// The legal value nearest to `x`.
    pub(super) fn legal(&self, x: f64) -> f64 {
        let clamped = x.clamp(self.low, self.high);
        self.grid.map_or(clamped, |grid| libm::round(clamped / grid) * grid)
    }
}

impl Hazard {
    /// No difficulties.
    pub(super) fn none(dimension: usize) -> Self {
        Self { waves: Vec::new(), cliffs: Vec::new(), away: vec![0.0; dimension], drifts: false }
    }

    /// The additions of `surface` for best values at `optimum`; ends the range of coordinates whose best value is at a
    /// bound.
    pub(super) fn new(surface: Surface, optimum: &[f64], axes: &mut [Axis], stream: &mut Stream) -> Self {
        let mut hazard = Self::none(optimum.len());
        match surface {
            Surface::Waves => hazard.waves = optimum.iter().map(|_| wave(stream.uniform())).collect(),
            Surface::Cliffs => hazard.cliffs = cliffs(optimum),
            Surface::Drift => {
                hazard.away = optimum.iter().map(|optimum| -optimum).collect();
                hazard.drifts = true;
            }
            Surface::Bound => {
                for i in (0..optimum.len()).filter(|i| i % 4 < 2) {
                    hazard.away[i] = BEYOND.copysign(optimum[i]);
                    axes[i] = ended(axes[i], optimum[i]);
                }
            }
            _ => {}
        }
        hazard
    }

    /// Converts to the view of a user whose unit is `factor` times too large.
    pub(super) fn rescale(&mut self, factor: f64) {
        self.waves.iter_mut().for_each(|wave| wave.period /= factor);
        self.cliffs.iter_mut().for_each(|cliff| cliff.edge /= factor);
        self.away.iter_mut().for_each(|away| *away /= factor);
    }

    /// The steps from the best value of a coordinate to the smooth part's optimum, after a share of `progress` of the
    /// session.
    pub(super) fn away(&self, i: usize, progress: f64) -> f64 {
        if self.drifts { (1.0 - progress) * self.away[i] } else { self.away[i] }
    }

    /// Elo that waves and cliffs cost `d` steps off the optimum of every coordinate; `matters` says which coordinates
    /// count.
    pub(super) fn loss(&self, d: &[f64], matters: impl Fn(usize) -> bool) -> f64 {
        let rise = |(wave, d): (&Wave, &f64)| {
            0.5 * wave.height * (1.0 - libm::cos(2.0 * std::f64::consts::PI / wave.period * d))
        };
        let waves: f64 =
            self.waves.iter().zip(d).enumerate().filter(|(i, _)| matters(*i)).map(|(_, at)| rise(at)).sum();
        let fallen = |cliff: &&Cliff| d[cliff.coordinate] * cliff.edge.signum() > cliff.edge.abs();
        waves + self.cliffs.iter().filter(fallen).map(|cliff| cliff.height).sum::<f64>()
    }
}

/// The waves of one coordinate, from a uniform number.
fn wave(u: f64) -> Wave {
    let (height, (shortest, longest)) = WAVES;
    Wave { height, period: shortest + u * (longest - shortest) }
}

fn cliffs(optimum: &[f64]) -> Vec<Cliff> {
    let at = |i: usize| Cliff { coordinate: i, edge: CLIFF.1.copysign(optimum[i]), height: CLIFF.0 };
    (0..optimum.len()).step_by(2).map(at).collect()
}

/// The axis that ends at the best value, on the side away from the start.
fn ended(axis: Axis, best: f64) -> Axis {
    if best.is_sign_negative() { Axis { low: best, ..axis } } else { Axis { high: best, ..axis } }
}
