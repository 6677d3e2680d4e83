//! The benchmark's surfaces: a seeded smooth loss with a known optimum in coordinates of one user step.
//!
//! Every coordinate starts at 0, is bounded by -10 and 10, and the user's guess of a good perturbation is 1. With
//! d = x - opt, `w_i = sqrt(2 q_i) (exp(kappa_i d_i) - 1) / kappa_i` and `Q = sum w_i^2 / 2 + sum rho_ij w_i w_j`, the loss is Q
//! ([`Surface::Quad`], where kappa = 0) or 150 (sqrt(1 + 2Q/150) - 1) ([`Surface::Real`]: skewed near, linear far away).

use crate::random::Stream;
use crate::space::{Kind, Parameter, Space, SpaceError};

/// Coordinates run from `-BOUND` to `BOUND` steps.
pub const BOUND: f64 = 10.0;
/// Even coordinates are multiples of this many steps, as an integer parameter would be.
pub const GRID: f64 = 0.25;
/// Elo scale at which [`Surface::Real`] turns from quadratic to linear.
const FLATTENING: f64 = 150.0;

/// The shape of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Skewed near the optimum and linear far from it, as engines are.
    Real,
    /// Exactly quadratic.
    Quad,
}

/// Two coordinates whose effects interact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The coordinate with the lower index.
    pub first: usize,
    /// The other coordinate.
    pub second: usize,
    /// Correlation of the two effects, -0.7 or 0.7.
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
}

impl Instance {
    /// The instance of `dimension` coordinates with this seed. A dimension of 0 gives an instance without loss.
    pub fn new(dimension: usize, seed: u64, surface: Surface) -> Self {
        let mut stream = Stream::from_seed(0x5EED_0000 + 1000 * dimension as u64 + 7919 * seed);
        let q = (0..dimension).map(|i| draw_sensitivity(&mut stream, i)).collect();
        let correlations = (0..dimension.saturating_sub(1))
            .step_by(4)
            .map(|first| Correlation { first, second: first + 1, rho: 0.7 * stream.sign() })
            .collect();
        let skew = |u: f64| if surface == Surface::Real { (u - 0.5) * 0.3 } else { 0.0 };
        let kappa = (0..dimension).map(|_| skew(stream.uniform())).collect();
        let direction: Vec<f64> = (0..dimension).map(|_| stream.normal().clamp(-2.5, 2.5)).collect();
        let mut instance = Self { surface, optimum: vec![0.0; dimension], q, kappa, correlations };
        instance.place_optimum(&direction);
        instance
    }

    /// Puts the optimum along `direction`, as far as makes the start lose about 10 sqrt(K) Elo.
    fn place_optimum(&mut self, direction: &[f64]) {
        let start = vec![0.0; direction.len()];
        let target = 10.0 * libm::sqrt(direction.len() as f64);
        let (mut low, mut high) = (0.0, 20.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            self.optimum = direction.iter().map(|z| (middle * z).clamp(-6.0, 6.0)).collect();
            if self.raw_loss(&start) < target { low = middle } else { high = middle }
        }
        for optimum in self.optimum.iter_mut().step_by(2) {
            *optimum = libm::round(*optimum / GRID) * GRID;
        }
    }

    /// The same engine seen by a user whose unit is `factor` times too large (below 1: too small).
    #[must_use]
    pub fn misguessed(mut self, factor: f64) -> Self {
        self.q.iter_mut().for_each(|q| *q *= factor * factor);
        self.optimum.iter_mut().for_each(|o| *o /= factor);
        self.kappa.iter_mut().for_each(|k| *k *= factor);
        self
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.q.len()
    }

    /// Elo lost at `x` (steps; as many as there are coordinates), after making `x` legal: clamped, even coordinates on the grid.
    pub fn loss(&self, x: &[f64]) -> f64 {
        let legal: Vec<f64> = x.iter().enumerate().map(|(i, &x)| legal(i, x)).collect();
        self.raw_loss(&legal)
    }

    fn raw_loss(&self, x: &[f64]) -> f64 {
        let w: Vec<f64> = (0..x.len()).map(|i| self.warp(i, x[i])).collect();
        let diagonal = 0.5 * w.iter().map(|w| w * w).sum::<f64>();
        let q = diagonal + self.correlations.iter().map(|c| c.rho * w[c.first] * w[c.second]).sum::<f64>();
        match self.surface {
            Surface::Quad => q,
            Surface::Real => FLATTENING * (libm::sqrt(1.0 + 2.0 * q / FLATTENING) - 1.0),
        }
    }

    fn warp(&self, i: usize, x: f64) -> f64 {
        let (d, kappa) = (x - self.optimum[i], self.kappa[i]);
        let bent = if kappa == 0.0 { d } else { libm::expm1(kappa * d) / kappa };
        libm::sqrt(2.0 * self.q[i]) * bent
    }

    /// The instance as a space to tune: even coordinates are integers of four units a step, odd ones real.
    ///
    /// # Errors
    /// None that can happen for a dimension of at least one; a dimension of 0 gives [`SpaceError::Empty`].
    pub fn space(&self, step_scale: f64) -> Result<Space, SpaceError> {
        let parameters = (0..self.dimension()).map(|i| {
            let (kind, unit) = if i % 2 == 0 { (Kind::Integer, 1.0 / GRID) } else { (Kind::Real, 1.0) };
            Parameter::new(format!("x{i}"), kind, 0.0, (-BOUND * unit, BOUND * unit), unit * step_scale)
        });
        Space::new(parameters.collect::<Result<_, _>>()?)
    }

    /// The coordinates, in steps, of parameter values of [`Instance::space`].
    pub fn coordinates(values: &[f64]) -> Vec<f64> {
        values.iter().enumerate().map(|(i, v)| if i % 2 == 0 { v * GRID } else { *v }).collect()
    }
}

/// Elo lost one step off: log-uniform in 0.1..6, and next to nothing for every fourth coordinate.
fn draw_sensitivity(stream: &mut Stream, i: usize) -> f64 {
    let drawn = libm::exp(libm::log(0.1) + stream.uniform() * libm::log(60.0));
    if i % 4 == 3 { 0.002 } else { drawn }
}

fn legal(i: usize, x: f64) -> f64 {
    let clamped = x.clamp(-BOUND, BOUND);
    if i.is_multiple_of(2) { libm::round(clamped / GRID) * GRID } else { clamped }
}
