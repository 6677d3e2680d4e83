//! The knowledge that a session hands on to a later one: for each parameter, the evidence of its pairs without the
//! prior.

use super::category_posterior::CategoryPosterior;
use crate::parameter::{Kind, Parameter};

/// The knowledge about one parameter's (g, h), in Elo per step and per squared step: a symmetric matrix of precisions,
/// and that matrix times the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// The precision of g.
    pub gg: f64,
    /// The joint precision of g and h.
    pub gh: f64,
    /// The precision of h.
    pub hh: f64,
    /// The first row times the mean.
    pub g: f64,
    /// The second row times the mean.
    pub h: f64,
}

impl Known {
    /// The knowledge as a positive semidefinite matrix, so that weak evidence never gets negative weight.
    pub(super) fn sound(self) -> Self {
        let all = [self.gg, self.gh, self.hh, self.g, self.h];
        if !all.iter().all(|x| x.is_finite()) || self.gg <= 0.0 {
            return Self::default();
        }
        if self.hh <= 0.0 || self.gh * self.gh > self.gg * self.hh {
            return Self { gg: self.gg, g: self.g, ..Self::default() };
        }
        self
    }

    /// The knowledge scaled to a share of its precision.
    #[must_use]
    pub fn trusted(self, share: f64) -> Self {
        let Self { gg, gh, hh, g, h } = self;
        Self { gg: share * gg, gh: share * gh, hh: share * hh, g: share * g, h: share * h }
    }

    /// Converts the knowledge from the coordinates of `from` to those of `to`; `None` if the scales differ or do not
    /// exist. With x = alpha + beta x' there g' = beta (g + h alpha) and h' = beta^2 h.
    pub fn converted_to(self, from: &Parameter, to: &Parameter) -> Option<Self> {
        let scale = |kind: Kind| (kind == Kind::Log, kind == Kind::Boolean);
        let is_category = [from, to].iter().any(|parameter| parameter.kind() == Kind::Category);
        if is_category || scale(from.kind()) != scale(to.kind()) {
            return None;
        }
        Some(self.converted_at(from, to, to.start()))
    }

    /// Converts the knowledge if the start of `to` is the value `start` of `from`, on a scale of the same kind, as for
    /// a group's factor.
    #[must_use]
    pub fn converted_at(self, from: &Parameter, to: &Parameter, start: f64) -> Self {
        let (alpha, beta) = (from.coordinate(start), to.unit() / from.unit());
        let (one, two) = (1.0 / beta, 1.0 / (beta * beta));
        if to.kind() == Kind::Boolean {
            return Self { gg: two * self.gg, g: one * self.g, ..Self::default() };
        }
        let Self { gg, gh, hh, g, h } = self;
        let moved = Self {
            gg: two * gg,
            gh: one * two * (gh - alpha * gg),
            hh: two * two * (hh - 2.0 * alpha * gh + alpha * alpha * gg),
            g: one * g,
            h: two * (h - alpha * g),
        };
        moved.sound()
    }
}

/// The knowledge about one parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Learnt {
    /// For a number or a switch: its slope and its curvature.
    Slope(Known),
    /// For a category: the worths of its values.
    CategoryPosterior(CategoryPosterior),
}

impl Learnt {
    /// The knowledge scaled to a share of its precision.
    #[must_use]
    pub fn trusted(self, share: f64) -> Self {
        match self {
            Self::Slope(known) => Self::Slope(known.trusted(share)),
            Self::CategoryPosterior(worths) => Self::CategoryPosterior(worths.trusted(share)),
        }
    }
}

/// The knowledge that an earlier session hands on.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The trusted part of its knowledge about each parameter; `None` for a parameter that it did not have.
    pub known: Vec<Option<Learnt>>,
    /// The number of pairs that the knowledge counts as.
    pub pairs: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_scale_has_nothing_to_say() {
        let of = |kind| Parameter::new("a".into(), kind, 1.0, (1.0, 9.0), 1.0).unwrap();
        let known = Known { gg: 1.0, hh: 1.0, ..Known::default() };
        assert_eq!(known.converted_to(&of(Kind::Real), &of(Kind::Log)), None);
        assert_eq!(known.converted_to(&of(Kind::Integer), &of(Kind::Real)), Some(known));
        let category = Parameter::new("a".into(), Kind::Category, 0.0, (0.0, 2.0), 1.0).unwrap();
        assert_eq!(known.converted_to(&category, &category), None);
    }
}
