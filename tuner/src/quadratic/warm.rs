//! The knowledge that a session takes from an earlier one before its first pair, and hands on to a later one.
//!
//! A session hands on, for each parameter, the evidence of the data alone about its (g, h): a precision and that
//! precision times the mean, without the site, in the coordinates of the new session; for a category, the evidence
//! about its values (`worths`). In the new session it is a term of the normal equations besides the sites, like pairs
//! played before the first, and fades like them.
//!
//! The engine has changed: its optima may have moved. An optimum that has moved by a normal number of steps of standard
//! deviation m adds (h m)^2 to the variance of g, while h stays. The size of m is learnt from all parameters together,
//! as the distance of optima is (`distance`): each m is weighted by its likelihood for the session's own pairs.

use super::category_posterior::CategoryPosterior;
use super::columns::Columns;
use super::curves::Curves;
use super::earlier::{Earlier, Known, Learnt};
use super::model::{Joint, Posterior};
use super::optimum::{Natural, worth};
use super::prior::Site;
use super::{Config, Quadratic, SWITCH, prior};
use crate::blocks::Matrix;
use crate::linear::Symmetric;
use crate::parameter::{Kind, SpaceError};
use crate::space::Space;

/// The typical number of steps by which optima have moved since the earlier session, before any pair.
const MOVED: f64 = 0.3;
/// The standard deviation of its logarithm.
const SPREAD: f64 = 1.0;
/// The spacing of the moves' logarithms.
const APART: f64 = 0.5;
/// The range of the moves' logarithms, in multiples of the spacing.
const RANGE: std::ops::RangeInclusive<i32> = -6..=6;
/// The information in faded pairs relative to their remaining precision: see [`super::model::Statistics::worth`].
const FADED: f64 = 1.5;
/// The number of refinements of the sites before the first pair.
const SETTLING: usize = 20;

impl Known {
    /// The evidence of the data alone. For a switch only its g.
    fn of(data: Natural, graded: bool) -> Self {
        let Natural { gg, gh, hh, g, h } = data;
        let known = if graded { Self { gg, gh, hh, g, h } } else { Self { gg, g, ..Self::default() } };
        known.sound()
    }

    /// The position of the optimum by this knowledge alone, if known.
    fn optimum(self) -> Option<f64> {
        let det = self.gg * self.hh - self.gh * self.gh;
        let (g, h) = ((self.hh * self.g - self.gh * self.h) / det, (self.gg * self.h - self.gh * self.g) / det);
        Some(-g / h).filter(|x| h < 0.0 && x.is_finite())
    }

    /// The knowledge with this variance added to that of g. `P' = P - P e v e^T P / (1 + v e^T P e)` needs no
    /// inversion.
    fn moved(self, variance: f64) -> Self {
        let Self { gg, gh, hh, g, h } = self;
        let less = variance / (1.0 + variance * gg);
        Self {
            gg: gg / (1.0 + variance * gg),
            gh: gh / (1.0 + variance * gg),
            hh: hh - gh * gh * less,
            g: g / (1.0 + variance * gg),
            h: h - gh * g * less,
        }
    }

    /// The logarithm of the evidence, up to a constant, for this variance added to that of g, if all other knowledge is
    /// `cavity`.
    fn evidence(self, cavity: &Self, variance: f64) -> f64 {
        let moved = self.moved(variance);
        let (gg, gh, hh) = (cavity.gg + moved.gg, cavity.gh + moved.gh, cavity.hh + moved.hh);
        let (g, h) = (cavity.g + moved.g, cavity.h + moved.h);
        let det = gg * hh - gh * gh;
        let fit = (hh * g * g - 2.0 * gh * g * h + gg * h * h) / det;
        let wide = 1.0 + variance * self.gg;
        0.5 * (fit + variance * self.g * self.g / wide - libm::log(wide) - libm::log(det))
    }

    /// The posterior without this knowledge.
    fn out_of(self, joint: &Joint) -> Self {
        let none = Site { linear: 0.0, curvature: 0.0, shift: 0.0 };
        let Natural { gg, gh, hh, g, h } = Natural::data(joint, none, 1.0);
        Self { gg: gg - self.gg, gh: gh - self.gh, hh: hh - self.hh, g: g - self.g, h: h - self.h }
    }
}

impl Earlier {
    /// The knowledge as reports count it, after it has faded over `pairs` pairs.
    #[must_use]
    pub(crate) fn faded(&self, pairs: f64) -> Self {
        let all = self.pairs + pairs;
        let share = if all > 0.0 { worth(FADED, all) * self.pairs / all } else { 1.0 };
        let known = self.known.iter().map(|known| known.clone().map(|known| known.trusted(share)));
        Self { known: known.collect(), pairs: self.pairs }
    }
}

/// The numbers of steps that optima may have moved since an earlier session, before any pair, with weights that add up
/// to 1.
pub(crate) fn moves() -> Vec<(f64, f64)> {
    let weigh = |part: i32| {
        let ln = f64::from(part) * APART;
        (libm::exp(-0.5 * ln * ln / (SPREAD * SPREAD)), MOVED * libm::exp(ln))
    };
    let all: Vec<(f64, f64)> = RANGE.map(weigh).collect();
    let total: f64 = all.iter().map(|(weight, _)| weight).sum();
    all.into_iter().map(|(weight, steps)| (weight / total, steps)).collect()
}

/// The belief about the optimum of each graded parameter with this knowledge, as parts: weights, sensitivities, and
/// mean squares of the steps from the answer to the optimum.
pub(crate) fn beliefs(config: &Config, known: &[Option<Known>]) -> Vec<Vec<(f64, f64, f64)>> {
    let natural = |known: &Option<Known>| {
        known.map_or_else(Natural::default, |Known { gg, gh, hh, g, h }| Natural { gg, gh, hh, g, h })
    };
    let optima = prior(config).optima(&known.iter().map(natural).collect::<Vec<_>>());
    let at = |known: &Option<Known>| known.and_then(Known::optimum).unwrap_or_default();
    optima.iter().zip(known).map(|(optimum, known)| optimum.parts(at(known)).collect()).collect()
}

/// The knowledge about a category as a term of its columns: precisions and these times the worths.
#[derive(Clone, Debug)]
struct Category {
    columns: std::ops::Range<usize>,
    precision: Symmetric,
    shift: Vec<f64>,
}

/// The knowledge from an earlier session in the normal equations.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    known: Vec<Option<Known>>,
    /// The term of the equations: the knowledge that is left after possible moves of optima.
    blocks: Vec<Option<Known>>,
    categories: Vec<Category>,
    /// The share that is left while pairs fade.
    kept: f64,
}

impl Carried {
    /// Makes the term from the knowledge about every parameter; `None` if some of it is about another kind of
    /// parameter, or about another number of values.
    fn new(columns: &Columns, space: &Space, learnt: &[Option<Learnt>]) -> Option<Self> {
        let (mut known, mut categories) = (vec![None; columns.count()], Vec::new());
        for (index, learnt) in learnt.iter().enumerate() {
            let (of, parameter) = (columns.of(index), space.parameters().get(index)?);
            match learnt {
                None => {}
                Some(Learnt::Slope(slope)) if parameter.kind() != Kind::Category => known[of.start] = Some(*slope),
                Some(Learnt::CategoryPosterior(worths))
                    if parameter.kind() == Kind::Category && worths.count() == of.len() + 1 =>
                {
                    let (precision, shift) = worths.columns(parameter.start() as usize);
                    categories.push(Category { columns: of, precision, shift });
                }
                Some(_) => return None,
            }
        }
        Some(Self { blocks: known.clone(), known, categories, kept: 1.0 })
    }

    /// Fades the knowledge, from the next refinement on.
    pub(super) fn fade(&mut self, keep: f64) {
        self.kept *= keep;
    }

    /// Adds the knowledge to the normal equations, which begin with the g of all columns, followed by their h.
    pub(super) fn add_to(&self, precision: &mut Matrix, shift: &mut [f64]) {
        for (i, known) in self.blocks() {
            let j = i + self.blocks.len();
            for (row, column, more) in [(i, i, known.gg), (j, i, known.gh), (j, j, known.hh)] {
                precision.add(row, column, more);
            }
            shift[i] += known.g;
            shift[j] += known.h;
        }
        for category in &self.categories {
            for (i, row) in category.columns.clone().enumerate() {
                shift[row] += self.kept * category.shift[i];
                for (j, column) in category.columns.clone().enumerate().take(i + 1) {
                    precision.add(row, column, self.kept * category.precision.get(i, j));
                }
            }
        }
    }

    /// The terms of the normal equations, by column.
    fn blocks(&self) -> impl Iterator<Item = (usize, Known)> + '_ {
        self.blocks.iter().enumerate().filter_map(|(i, block)| Some((i, (*block)?)))
    }

    /// Adds to the variance of every g that of an optimum that may have moved by `steps`, if a step costs `scales`.
    fn believe(&mut self, steps: f64, scales: &[f64]) {
        for ((block, known), scale) in self.blocks.iter_mut().zip(&self.known).zip(scales) {
            let sd = steps * scale;
            *block = known.map(|known| known.trusted(self.kept).moved(sd * sd));
        }
    }

    /// The number of steps that optima have moved, by a posterior that includes the blocks: the geometric mean over the
    /// evidence of all parameters.
    fn moves(&self, posterior: &Posterior, scales: &[f64]) -> f64 {
        let rest = |(i, block): (usize, Known)| {
            Some((self.known[i]?.trusted(self.kept), block.out_of(&posterior.joint(i)), scales[i]))
        };
        let all: Vec<(Known, Known, f64)> =
            self.blocks().filter(|(_, block)| block.gg > 0.0).filter_map(rest).collect();
        let weigh = |part: i32| {
            let ln = f64::from(part) * APART;
            let (off, steps) = (ln / SPREAD, MOVED * libm::exp(ln));
            let evidence = |(known, rest, scale): &(Known, Known, f64)| {
                let sd = steps * scale;
                known.evidence(rest, sd * sd)
            };
            (ln, all.iter().map(evidence).sum::<f64>() - 0.5 * off * off)
        };
        let weighed: Vec<(f64, f64)> = RANGE.map(weigh).filter(|(_, weight)| weight.is_finite()).collect();
        let top = weighed.iter().fold(f64::NEG_INFINITY, |top, (_, weight)| if *weight > top { *weight } else { top });
        let share = |weight: f64| libm::exp(weight - top);
        let total: f64 = weighed.iter().map(|(_, weight)| share(*weight)).sum();
        let mean = weighed.iter().map(|(ln, weight)| ln * share(*weight)).sum::<f64>() / total;
        if mean.is_finite() { MOVED * libm::exp(mean) } else { MOVED }
    }
}

impl Quadratic {
    /// The evidence of the absorbed pairs alone about every parameter.
    pub fn knows(&self) -> Vec<Learnt> {
        let settled = self.settled();
        let of = |(index, column): (usize, Option<usize>)| {
            if let Some(i) = column {
                return Learnt::Slope(Known::of(settled.data(i, 1.0), settled.is_graded(i)));
            }
            let (columns, start) = (settled.columns.of(index), settled.space.parameters()[index].start() as usize);
            let covariance = settled.posterior.covariance(columns.clone());
            Learnt::CategoryPosterior(CategoryPosterior::of(
                &covariance,
                &settled.posterior.mean[columns],
                SWITCH.linear,
                start,
            ))
        };
        settled.columns.firsts().enumerate().map(of).collect()
    }

    /// Adds the knowledge of an earlier session. Call it before the first pair is absorbed, and after the limits are
    /// set, if there are several.
    ///
    /// # Errors
    /// [`SpaceError::Empty`] if the numbers handed on are not a matrix of precisions.
    pub fn with_earlier(mut self, earlier: &Earlier) -> Result<Self, SpaceError> {
        self.before = earlier.pairs;
        self.motion = None;
        // The knowledge about the start is the earlier session's, and curves know only pairs of this one.
        self.curves = Curves::new(&[]);
        let carried = Carried::new(&self.columns, &self.space, &earlier.known).ok_or(SpaceError::Empty)?;
        for ((tried, known), (least, most)) in self.tried.iter_mut().zip(&carried.known).zip(&self.bounds) {
            let at = known.and_then(Known::optimum).unwrap_or_default().clamp(*least, *most);
            *tried = (tried.0.min(at), tried.1.max(at));
        }
        self.statistics.carry(carried, self.before);
        for _ in 0..SETTLING {
            if !self.refine() {
                return Err(SpaceError::Empty);
            }
            let typical = self.typical();
            self.step_rule().adapt(&mut self.steps, &self.sensitivities, typical, self.before as u64);
        }
        self.posterior = self.posterior().ok_or(SpaceError::Empty)?;
        self.region = self.region();
        self.best = self.optimum(&self.posterior.mean, 0.0);
        Ok(self)
    }

    /// Learns how far optima have moved since the earlier session, from a posterior.
    pub(super) fn learn_moves(&mut self, posterior: &Posterior) {
        let scales = self.drift_scales();
        let Some(carried) = self.statistics.carried_mut() else { return };
        let steps = carried.moves(posterior, &scales);
        carried.believe(steps, &scales);
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{Beliefs, Statistics};
    use super::*;
    use crate::parameter::Parameter;
    use crate::random::Stream;

    const SITE: Site = Site { linear: 0.02, curvature: 0.03, shift: -0.1 };

    /// The evidence of these pairs of values about a parameter, in its own coordinates.
    fn learnt(parameter: &Parameter, pairs: &[(f64, f64, f64)]) -> Known {
        let graded = parameter.kind() != Kind::Boolean;
        let mut statistics = Statistics::new(vec![graded], (false, false), 1.0);
        for (a, b, net) in pairs {
            let (a, b) = (parameter.coordinate(*a), parameter.coordinate(*b));
            statistics.absorb((&[a], &[b]), 0.0, *net);
        }
        let beliefs = Beliefs { sites: &[SITE], at: &[], skews: &[], drifts: &[], crosses: &[] };
        Known::of(Natural::data(&statistics.posterior(beliefs).unwrap().joint(0), SITE, 1.0), graded)
    }

    fn close(a: Known, b: Known) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs() + b.abs());
        near(a.gg, b.gg) && near(a.gh, b.gh) && near(a.hh, b.hh) && near(a.g, b.g) && near(a.h, b.h)
    }

    #[test]
    fn an_earlier_session_fades_by_its_share_of_all_pairs() {
        let known = Known { gg: 4.0, gh: 0.0, hh: 2.0, g: 1.0, h: 1.0 };
        let earlier = Earlier { known: vec![Some(Learnt::Slope(known)), None], pairs: 1_000.0 };
        let share = |pairs: f64| match earlier.faded(pairs).known[..] {
            [Some(Learnt::Slope(faded)), None] => faded.gg / 4.0,
            _ => f64::NAN,
        };
        assert!((share(0.0) - worth(FADED, 1_000.0)).abs() < 1e-12);
        assert!((share(3_000.0) - 0.25 * worth(FADED, 4_000.0)).abs() < 1e-12, "a quarter of all pairs");
        assert!(share(1e9) < 1e-5);
    }

    #[test]
    fn what_is_handed_on_is_what_the_pairs_say_in_the_new_coordinates() {
        let mut stream = Stream::from_seed(7);
        for kind in [Kind::Real, Kind::Integer, Kind::Log, Kind::Boolean] {
            for _ in 0..20 {
                let whole = |x: f64| if kind == Kind::Real || kind == Kind::Log { x } else { libm::round(x) };
                let range = if kind == Kind::Boolean { (0.0, 1.0) } else { (1.0, 40.0) };
                let mut value = || whole(range.0 + stream.uniform() * (range.1 - range.0));
                let (from, to) = (value(), value());
                let pairs: Vec<(f64, f64)> = (0..300).map(|_| (value(), value())).collect();
                let mut step = || 1.0 + 4.0 * stream.uniform();
                let from = Parameter::new("a".into(), kind, from, range, step()).unwrap();
                let to = Parameter::new("a".into(), kind, to, range, step()).unwrap();
                let pairs: Vec<(f64, f64, f64)> = pairs.into_iter().map(|(a, b)| (a, b, stream.normal())).collect();
                let moved = learnt(&from, &pairs).converted_to(&from, &to).unwrap();
                assert!(close(moved, learnt(&to, &pairs)), "{kind:?}: {moved:?}, {:?}", learnt(&to, &pairs));
            }
        }
    }

    #[test]
    fn an_optimum_that_may_have_moved_widens_the_slope_alone() {
        let known = Known { gg: 4.0, gh: -1.0, hh: 2.0, g: 3.0, h: -5.0 };
        let moved = known.moved(0.5);
        let inverse = |k: &Known| {
            let det = k.gg * k.hh - k.gh * k.gh;
            let (vg, c, vh) = (k.hh / det, -k.gh / det, k.gg / det);
            (vg, c, vh, vg * k.g + c * k.h, c * k.g + vh * k.h)
        };
        let ((vg, c, vh, g, h), (moved_vg, moved_c, moved_vh, moved_g, moved_h)) = (inverse(&known), inverse(&moved));
        for (a, b) in [(vg + 0.5, moved_vg), (c, moved_c), (vh, moved_vh), (g, moved_g), (h, moved_h)] {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}
