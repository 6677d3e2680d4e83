//! Surfaces on which parameters are best moved together: no sum of curves, one per parameter, approximates them.
//!
//! Parameters come in groups of four, a, b, c and d. A parameter that lacks its partners counts as a c. With u the
//! coordinates in steps, mirrored and stretched by the seed, a group adds to Q
//!
//! - ridge: `2 ((a + b)/2 - 3)^2 + 12 (a - b)^2 + 2 (c - 1)^2 + 0.3 (d - 2)^2`: three steps along a diagonal,
//!   correlation 0.92;
//! - product: `(a b - 4)^2 + 0.3 (a - b)^2 + 2 (c - 1)^2 + 0.3 (d - 2)^2`: the start is a saddle, and (-2, -2) is as
//!   good as (2, 2);
//! - scaled: `2 (m - 3)^2 + 6 sum (x - m)^2` with m the mean of all four: margins of an engine whose evaluation has
//!   another scale;
//! - peak: `0.3 d^2` and `5 (1 - exp(-d^2 / 0.98))` for every parameter d steps off its best value: a peak on a broad
//!   hill;
//! - sign: `1.5 (a + 1.5)^2 + 2 (b - 2 tanh(2 a))^2 + 2 (c - 1)^2 + 0.3 (d - 2)^2`: where b is best depends on the sign
//!   of a.

use super::instance::Surface;
use tuner::random::Stream;

/// The number of parameters of a group.
const GROUP: usize = 4;
/// The least and the greatest factor by which the seed stretches coordinates.
const STRETCH: (f64, f64) = (0.85, 1.2);
/// The height and twice the squared width of a narrow peak.
const PEAK: (f64, f64) = (5.0, 0.98);

/// A surface of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    surface: Surface,
    /// The factors of the coordinates.
    units: Vec<f64>,
}

impl Joint {
    /// The surface of `dimension` coordinates with this seed; `None` if `surface` is none of these.
    pub(super) fn new(surface: Surface, dimension: usize, seed: u64) -> Option<Self> {
        use Surface::{Peak, Product, Ridge, Scaled, Sign};
        if !matches!(surface, Ridge | Product | Scaled | Peak | Sign) {
            return None;
        }
        let mut stream = Stream::from_seed(0x7017_0000 + 1000 * dimension as u64 + 7919 * seed);
        let (least, most) = STRETCH;
        let stretch: Vec<f64> = (0..dimension).map(|_| least + (most - least) * stream.uniform()).collect();
        // Partners are stretched equally, so that the ridge keeps its width.
        let units = (0..dimension).map(|i| {
            let first = i - i % GROUP;
            let alike = surface == Scaled || (surface != Peak && i % GROUP < 2);
            stretch[if alike { first } else { i }] * stream.sign()
        });
        Some(Self { surface, units: units.collect() })
    }

    /// The best coordinates.
    pub(super) fn optimum(&self) -> Vec<f64> {
        let dimension = self.units.len();
        let best = |i: usize| match (self.surface, i % GROUP) {
            (Surface::Scaled, _) if i - i % GROUP + GROUP <= dimension => 3.0,
            (Surface::Peak, place) => [2.0, 1.5, 1.0, 2.5][place],
            (_, 3) => 2.0,
            (Surface::Ridge, 0 | 1) if self.has_partner(i) => 3.0,
            (Surface::Product, 0 | 1) if self.has_partner(i) => 2.0,
            (Surface::Sign, 0) if self.has_partner(i) => -1.5,
            (Surface::Sign, 1) => -2.0 * libm::tanh(3.0),
            _ => 1.0,
        };
        (0..dimension).map(|i| best(i) / self.units[i]).collect()
    }

    /// Other coordinates that are as good, if there are any: for a product those with the first two of every group
    /// mirrored.
    pub(super) fn mirrored(&self, optimum: &[f64]) -> Option<Vec<f64>> {
        let mirror = |(i, x): (usize, &f64)| if i % GROUP < 2 && self.has_partner(i) { -x } else { *x };
        (self.surface == Surface::Product).then(|| optimum.iter().enumerate().map(mirror).collect())
    }

    /// Converts to the view of a user whose unit is `factor` times too large.
    pub(super) fn rescale(&mut self, factor: f64) {
        self.units.iter_mut().for_each(|unit| *unit *= factor);
    }

    fn has_partner(&self, i: usize) -> bool {
        i - i % GROUP + 1 < self.units.len()
    }

    /// Q at these coordinates.
    pub(super) fn lost(&self, x: &[f64]) -> f64 {
        let u: Vec<f64> = x.iter().zip(&self.units).map(|(x, unit)| x * unit).collect();
        u.chunks(GROUP).map(|group| self.group(group)).sum()
    }

    fn group(&self, u: &[f64]) -> f64 {
        let square = |x: f64| x * x;
        let rest = |from: usize| {
            let alone =
                |(place, x): (usize, &f64)| if place == 3 { 0.3 * square(x - 2.0) } else { 2.0 * square(x - 1.0) };
            u.iter().enumerate().skip(from).map(alone).sum::<f64>()
        };
        match (self.surface, u) {
            (Surface::Peak, _) => {
                let far = |(x, best): (&f64, f64)| square(x - best);
                let lost = |d: f64| 0.3 * d + PEAK.0 * (1.0 - libm::exp(-d / PEAK.1));
                u.iter().zip([2.0, 1.5, 1.0, 2.5]).map(far).map(lost).sum()
            }
            (Surface::Scaled, &[a, b, c, d]) => {
                let mean = 0.25 * (a + b + c + d);
                2.0 * square(mean - 3.0) + 6.0 * u.iter().map(|x| square(x - mean)).sum::<f64>()
            }
            (Surface::Ridge, &[a, b, ..]) => 2.0 * square(0.5 * (a + b) - 3.0) + 12.0 * square(a - b) + rest(2),
            (Surface::Product, &[a, b, ..]) => square(a * b - 4.0) + 0.3 * square(a - b) + rest(2),
            (Surface::Sign, &[a, b, ..]) => {
                1.5 * square(a + 1.5) + 2.0 * square(b - 2.0 * libm::tanh(2.0 * a)) + rest(2)
            }
            _ => rest(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::Instance;
    use super::*;

    const ALL: [Surface; 5] = [Surface::Ridge, Surface::Product, Surface::Scaled, Surface::Peak, Surface::Sign];

    #[test]
    fn the_best_values_lose_nothing_and_their_neighbours_something() {
        for surface in ALL {
            for dimension in 1..10 {
                let instance = Instance::new(dimension, 3, surface);
                assert!(instance.loss(&instance.optimum).abs() < 1e-9, "{surface:?}, {dimension}");
                for i in 0..dimension {
                    for off in [-0.3, 0.3] {
                        let mut x = instance.optimum.clone();
                        x[i] += off;
                        assert!(instance.loss(&x) > 1e-3, "{surface:?}, {dimension}, {i}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_start_loses_enough_to_be_found() {
        for surface in ALL {
            let start = Instance::new(4, 3, surface).loss(&[0.0; 4]);
            assert!((5.0..32.0).contains(&start), "{surface:?}: {start}");
        }
    }

    #[test]
    fn a_product_has_two_best_places() {
        let instance = Instance::new(9, 3, Surface::Product);
        let mirrored = instance.joint.as_ref().unwrap().mirrored(&instance.optimum).unwrap();
        assert!(instance.loss(&mirrored).abs() < 1e-9 && mirrored != instance.optimum);
        assert_eq!(instance.nearest_optimum(&mirrored), mirrored);
    }

    #[test]
    fn the_user_s_unit_changes_no_loss() {
        for surface in ALL {
            let instance = Instance::new(4, 3, surface);
            let other = instance.clone().misguessed(2.0);
            let x = [0.5, -1.0, 0.25, 2.0];
            let half = x.map(|x| 0.5 * x);
            assert!((instance.loss(&x) - other.loss(&half)).abs() < 1e-9, "{surface:?}");
            assert!(other.loss(&other.optimum).abs() < 1e-9, "{surface:?}");
        }
    }
}
