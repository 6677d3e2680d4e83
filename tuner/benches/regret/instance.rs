//! The benchmark's surfaces: a seeded smooth loss with a known optimum in coordinates of one user step.
//!
//! Every coordinate starts at 0, is bounded by -10 and 10, and the user's guess of a good perturbation is 1. With
//! d = x - opt, `w_i = sqrt(2 q_i) (exp(kappa_i d_i) - 1) / kappa_i` and `Q = sum w_i^2 / 2 + sum rho_ij w_i w_j`, the
//! loss is Q ([`Surface::Quad`], where kappa = 0, and [`Surface::Skewed`]) or 150 (sqrt(1 + 2Q/150) - 1) (skewed near,
//! linear far away). [`super::hazard`] has the additions of some surfaces.

use super::hazard::{Axis, Hazard};
use super::joint::Joint;
use tuner::parameter::{Kind, Parameter, SpaceError};
use tuner::random::Stream;
use tuner::space::Space;

/// Coordinates run from `-BOUND` to `BOUND` steps.
pub const BOUND: f64 = 10.0;
/// Even coordinates are multiples of this many steps, like integer parameters.
pub const GRID: f64 = 0.25;
/// The correlation of interacting coordinates, and that of [`Surface::Entangled`].
const RHO: (f64, f64) = (0.7, 0.95);
/// The range of the skew per step.
const SKEW: f64 = 0.3;
/// The least and the largest skew on [`Surface::Skewed`].
const SKEWED: (f64, f64) = (0.3, 0.9);
/// The most times that the sensitivities of [`Surface::Few`] are raised to make the start lose enough.
const STEEPEST: f64 = 4.0;
/// The Elo scale at which [`Surface::Real`] turns from quadratic to linear.
const FLATTENING: f64 = 150.0;

/// Elo lost one step off by coordinates that hardly matter.
const IDLE: f64 = 0.002;

/// The shape of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Skewed near the optimum and linear far from it, like real engines.
    Real,
    /// Exactly quadratic.
    Quad,
    /// Waves on the smooth part: several optima per coordinate.
    Waves,
    /// Skewed two to six times as much as the other surfaces, and not linear far away.
    Skewed,
    /// Nothing has any effect.
    Idle,
    /// The optimum moves from the start to its final position.
    Drift,
    /// Whole-numbered parameters from 0 to 3 that start at 1.
    Few,
    /// Half of the parameters break the engine one step beyond their optimum.
    Cliffs,
    /// Half of the parameters are best at a bound, and would be better beyond it.
    Bound,
    /// Interacting parameters have a correlation of 0.95.
    Entangled,
    /// The best values of two parameters lie along a narrow ridge.
    Ridge,
    /// Two parameters are best if their product is right, and the start is a saddle.
    Product,
    /// Four parameters should be scaled together.
    Scaled,
    /// Every parameter has a narrow peak on a broad hill.
    Peak,
    /// The best value of a parameter depends on the sign of another.
    Sign,
}

impl Surface {
    /// All surfaces.
    pub const ALL: [Self; 15] = [
        Self::Real,
        Self::Quad,
        Self::Waves,
        Self::Skewed,
        Self::Idle,
        Self::Drift,
        Self::Few,
        Self::Cliffs,
        Self::Bound,
        Self::Entangled,
        Self::Ridge,
        Self::Product,
        Self::Scaled,
        Self::Peak,
        Self::Sign,
    ];
}

/// Two coordinates whose effects interact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The coordinate with the lower index.
    pub first: usize,
    /// The other coordinate.
    pub second: usize,
    /// Correlation of the two effects.
    pub rho: f64,
}

/// One seeded surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The shape of the loss.
    pub surface: Surface,
    /// The optimum, in steps.
    pub optimum: Vec<f64>,
    /// Elo lost one step off the optimum, per coordinate.
    pub q: Vec<f64>,
    /// Skew per step.
    pub kappa: Vec<f64>,
    /// The interacting pairs.
    pub correlations: Vec<Correlation>,
    /// The legal values.
    pub axes: Vec<Axis>,
    /// The additions to the smooth part.
    pub hazard: Hazard,
    /// The smooth part of a surface on which parameters are best moved together.
    pub joint: Option<Joint>,
}

impl Instance {
    /// The instance of `dimension` coordinates with this seed. A dimension of 0 gives an instance without loss.
    pub fn new(dimension: usize, seed: u64, surface: Surface) -> Self {
        let mut stream = Stream::from_seed(0x5EED_0000 + 1000 * dimension as u64 + 7919 * seed);
        let q = (0..dimension).map(|i| draw_sensitivity(&mut stream, i)).collect();
        let rho = if surface == Surface::Entangled { RHO.1 } else { RHO.0 };
        let mut correlations: Vec<Correlation> = (0..dimension.saturating_sub(1))
            .step_by(4)
            .map(|first| Correlation { first, second: first + 1, rho: rho * stream.sign() })
            .collect();
        if surface == Surface::Bound {
            correlations.clear();
        }
        let kappa = (0..dimension).map(|_| skew(surface, stream.uniform())).collect();
        let direction: Vec<f64> = (0..dimension).map(|_| stream.normal().clamp(-2.5, 2.5)).collect();
        let axes = Axis::all(dimension, surface);
        let none = Hazard::none(dimension);
        let optimum = vec![0.0; dimension];
        let mut instance = Self { surface, optimum, q, kappa, correlations, axes, hazard: none, joint: None };
        if let Some(joint) = Joint::new(surface, dimension, seed) {
            instance.axes = Axis::all(dimension, surface);
            (instance.optimum, instance.joint) = (joint.optimum(), Some(joint));
            return instance;
        }
        match surface {
            Surface::Few => instance.pick_optimum(&mut stream),
            Surface::Idle => instance.q.iter_mut().for_each(|q| *q = 0.0),
            _ => instance.place_optimum(&direction),
        }
        instance.hazard = Hazard::new(surface, &instance.optimum, &mut instance.axes, &mut stream);
        instance
    }

    /// Places the optimum along `direction`, at a distance where the start loses about 10 sqrt(K) Elo.
    fn place_optimum(&mut self, direction: &[f64]) {
        let (mut low, mut high) = (0.0, 20.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            self.optimum = direction.iter().map(|z| (middle * z).clamp(-6.0, 6.0)).collect();
            if self.starts_too_well() { low = middle } else { high = middle }
        }
        for optimum in self.optimum.iter_mut().step_by(2) {
            *optimum = libm::round(*optimum / GRID) * GRID;
        }
    }

    /// Draws the optimum from the four values of every coordinate, the first one's different from the start, and raises
    /// all sensitivities until the start loses about 10 sqrt(K) Elo.
    fn pick_optimum(&mut self, stream: &mut Stream) {
        self.optimum = (0..self.dimension()).map(|_| libm::floor(4.0 * stream.uniform()) - 1.0).collect();
        if let Some(first) = self.optimum.first_mut() {
            *first = 2.0;
        }
        let drawn = self.q.clone();
        let (mut low, mut high) = (0.0, STEEPEST);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            self.q.iter_mut().zip(&drawn).for_each(|(q, drawn)| *q = middle * drawn);
            if self.starts_too_well() { low = middle } else { high = middle }
        }
    }

    /// Whether the start loses less than it should.
    fn starts_too_well(&self) -> bool {
        let dimension = self.dimension();
        self.smooth(&vec![0.0; dimension], 1.0) < 10.0 * libm::sqrt(dimension as f64)
    }

    /// The same engine in the view of a user whose unit is `factor` times too large (below 1: too small).
    #[must_use]
    pub fn misguessed(mut self, factor: f64) -> Self {
        self.q.iter_mut().for_each(|q| *q *= factor * factor);
        self.optimum.iter_mut().for_each(|o| *o /= factor);
        self.kappa.iter_mut().for_each(|k| *k *= factor);
        self.hazard.rescale(factor);
        if let Some(joint) = &mut self.joint {
            joint.rescale(factor);
        }
        self
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.q.len()
    }

    /// Elo lost at `x` (steps; as many as there are coordinates), after making `x` legal: clamped, integers on their
    /// grid. For a moving optimum, at the end of the session.
    pub fn loss(&self, x: &[f64]) -> f64 {
        self.loss_during(x, 1.0)
    }

    /// Elo lost at `x` after a share of `progress` of the session.
    pub fn loss_during(&self, x: &[f64], progress: f64) -> f64 {
        let legal: Vec<f64> = self.axes.iter().zip(x).map(|(axis, &x)| axis.legal(x)).collect();
        let d: Vec<f64> = legal.iter().zip(&self.optimum).map(|(x, optimum)| x - optimum).collect();
        let best = if self.surface == Surface::Bound { self.smooth(&self.optimum, 1.0) } else { 0.0 };
        self.smooth(&legal, progress) - best + self.hazard.loss(&d, |i| self.q[i] > IDLE)
    }

    /// The optimum nearest to `x`, if several are equally good.
    pub fn nearest_optimum(&self, x: &[f64]) -> Vec<f64> {
        let far = |of: &[f64]| of.iter().zip(x).map(|(o, x)| (o - x) * (o - x)).sum::<f64>();
        match self.joint.as_ref().and_then(|joint| joint.mirrored(&self.optimum)) {
            Some(other) if far(&other) < far(&self.optimum) => other,
            _ => self.optimum.clone(),
        }
    }

    fn smooth(&self, x: &[f64], progress: f64) -> f64 {
        if let Some(joint) = &self.joint {
            return FLATTENING * (libm::sqrt(1.0 + 2.0 * joint.lost(x) / FLATTENING) - 1.0);
        }
        let w: Vec<f64> = (0..x.len()).map(|i| self.warp(i, x[i], progress)).collect();
        let diagonal = 0.5 * w.iter().map(|w| w * w).sum::<f64>();
        let q = diagonal + self.correlations.iter().map(|c| c.rho * w[c.first] * w[c.second]).sum::<f64>();
        match self.surface {
            Surface::Quad | Surface::Skewed => q,
            _ => FLATTENING * (libm::sqrt(1.0 + 2.0 * q / FLATTENING) - 1.0),
        }
    }

    fn warp(&self, i: usize, x: f64, progress: f64) -> f64 {
        let (d, kappa) = (x - self.optimum[i] - self.hazard.away(i, progress), self.kappa[i]);
        let bent = if kappa == 0.0 { d } else { libm::expm1(kappa * d) / kappa };
        libm::sqrt(2.0 * self.q[i]) * bent
    }

    /// The instance as a space to tune: coordinates with a grid are integers, one for each point of the grid; all
    /// others are real.
    ///
    /// # Errors
    /// [`SpaceError::Empty`] for a dimension of 0; none for a dimension of at least one.
    pub fn space(&self, step_scale: f64) -> Result<Space, SpaceError> {
        let parameters = self.axes.iter().enumerate().map(|(i, axis)| {
            let (kind, unit) = axis.grid.map_or((Kind::Real, 1.0), |grid| (Kind::Integer, 1.0 / grid));
            Parameter::new(format!("x{i}"), kind, 0.0, (axis.low * unit, axis.high * unit), unit * step_scale)
        });
        Space::new(parameters.collect::<Result<_, _>>()?)
    }

    /// The coordinates, in steps, of parameter values of [`Instance::space`].
    pub fn coordinates(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(&self.axes).map(|(value, axis)| value * axis.grid.unwrap_or(1.0)).collect()
    }
}

/// Elo lost one step off: log-uniform in 0.1..6, and next to nothing for every fourth coordinate.
fn draw_sensitivity(stream: &mut Stream, i: usize) -> f64 {
    let drawn = libm::exp(libm::log(0.1) + stream.uniform() * libm::log(60.0));
    if i % 4 == 3 { IDLE } else { drawn }
}

/// The skew per step of a coordinate, from a uniform number.
fn skew(surface: Surface, u: f64) -> f64 {
    match surface {
        Surface::Quad => 0.0,
        Surface::Skewed => (SKEWED.0 + (2.0 * u - 1.0).abs() * (SKEWED.1 - SKEWED.0)).copysign(u - 0.5),
        _ => (u - 0.5) * SKEW,
    }
}
