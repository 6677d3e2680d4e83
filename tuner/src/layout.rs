//! From what a method tunes to the values that an engine gets: most parameters are tuned by themselves, those of a
//! group by one common factor, and frozen ones not at all.
//!
//! A method sees a [`Space`] whose last parameters are the groups' factors, on a logarithmic scale from 1. An engine
//! gets the start of each member times the factor, inside the member's own range, rounded to the nearest for whole
//! kinds. The other way round, a group's factor is that of the nearest multiple of the starts (least squares, in units
//! of the starts): values that rounding moved are taken for what was really played. Methods and games are left to
//! others.

use crate::parameter::{Kind, Parameter, SpaceError, check_names};
use crate::space::{Below, Space};
use serde::{Deserialize, Serialize};

/// Factors that a group is tuned in, unless its members' ranges are narrower.
const USUAL_RANGE: (f64, f64) = (0.25, 4.0);
/// The usual step of a factor above 1.
const USUAL_STEP: f64 = 0.1;

/// Parameters that are scaled together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The least factor; 1/4 if not given.
    pub min: Option<f64>,
    /// The greatest factor; 4 if not given.
    pub max: Option<f64>,
    /// A change of the factor worth trying; 0.1 if not given.
    pub step: Option<f64>,
}

/// Where the value of an engine's parameter comes from: a place in the space.
#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    /// It is that parameter.
    Own(usize),
    /// It is the start times that factor.
    Scaled(usize),
    /// It is frozen at its start.
    Start,
}

impl From {
    /// The place in the space, and whether that is a group's factor.
    fn place(self) -> Option<(usize, bool)> {
        match self {
            Self::Own(at) => Some((at, false)),
            Self::Scaled(at) => Some((at, true)),
            Self::Start => None,
        }
    }
}

/// What is tuned, and the parameters that an engine gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    space: Space,
    engine_parameters: Vec<Parameter>,
    from: Vec<From>,
}

impl Layout {
    /// Every parameter by itself.
    pub fn plain(space: Space) -> Self {
        let engine_parameters = space.parameters().to_vec();
        let from = (0..engine_parameters.len()).map(From::Own).collect();
        Self { space, engine_parameters, from }
    }

    /// These parameters. Groups scale some of them; constraints hold between the others. A group without members has no
    /// effect.
    ///
    /// # Errors
    /// Whatever of [`SpaceError`] concerns the space; [`SpaceError::NoGroup`] and [`SpaceError::NotScalable`] of a
    /// member.
    pub fn new(members: Vec<Parameter>, groups: &[Group], below: &[Below]) -> Result<Self, SpaceError> {
        let is_own = |member: &&Parameter| member.group().is_none() && !member.is_frozen();
        let mut tuned: Vec<Parameter> = members.iter().filter(is_own).cloned().collect();
        let own = tuned.len();
        let used: Vec<&Group> =
            groups.iter().filter(|group| members.iter().any(|member| member.group() == Some(&group.name))).collect();
        for group in &used {
            tuned.push(factor(group, &members)?);
        }
        let from = sources(&members, &used, own)?;
        check_names(&members)?;
        if tuned.is_empty() && !members.is_empty() {
            return Err(SpaceError::AllFrozen);
        }
        let space = Space::new(tuned)?.beside(members.iter().filter(|parameter| parameter.is_frozen()), below)?;
        let narrowed = |(parameter, from): (Parameter, &From)| match *from {
            From::Own(at) => space.parameters()[at].clone(),
            From::Scaled(_) | From::Start => parameter,
        };
        let engine_parameters = members.into_iter().zip(&from).map(narrowed).collect();
        Ok(Self { space, engine_parameters, from })
    }

    /// What a method tunes.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The parameters that an engine gets, in the order of its values.
    pub fn engine_parameters(&self) -> &[Parameter] {
        &self.engine_parameters
    }

    /// The names of the values of the engine's parameter `index`, if it is a category.
    pub fn texts(&self, index: usize) -> &[String] {
        self.engine_parameters[index].texts()
    }

    /// The place in the space from which the value of the engine's parameter `index` comes, and whether that is a
    /// group's factor; `None` for a frozen one.
    pub fn source(&self, index: usize) -> Option<(usize, bool)> {
        self.from[index].place()
    }

    /// By how much one unit of the tuned value moves the engine's value `index`: 1, or a member's start. 0 for a frozen
    /// one.
    pub fn unit(&self, index: usize) -> f64 {
        match self.from[index] {
            From::Own(_) => 1.0,
            From::Scaled(_) => self.engine_parameters[index].start(),
            From::Start => 0.0,
        }
    }

    /// The engine's values for these values of the space.
    pub fn values(&self, tuned: &[f64]) -> Vec<f64> {
        self.each(tuned, |parameter, value| if parameter.is_whole() { libm::round(value) } else { value })
    }

    /// The same before the rounding of scaled whole values.
    pub fn exact(&self, tuned: &[f64]) -> Vec<f64> {
        self.each(tuned, |_, value| value)
    }

    fn each(&self, tuned: &[f64], round: impl Fn(&Parameter, f64) -> f64) -> Vec<f64> {
        let value = |(parameter, from): (&Parameter, &From)| match *from {
            From::Own(at) => tuned[at],
            From::Scaled(at) => {
                round(parameter, (parameter.start() * tuned[at]).clamp(parameter.min(), parameter.max()))
            }
            From::Start => parameter.start(),
        };
        self.engine_parameters.iter().zip(&self.from).map(value).collect()
    }

    /// The place in the space of an engine with these values.
    pub fn tuned(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.space.dimension()];
        for ((parameter, from), value) in self.engine_parameters.iter().zip(&self.from).zip(values) {
            match *from {
                From::Own(at) => sums[at] = (*value, 1.0),
                // A member's value in units of its start, and how exact it is.
                From::Scaled(at) => {
                    let weight = if parameter.is_whole() { parameter.start() * parameter.start() } else { LARGE };
                    sums[at].0 += weight * value / parameter.start();
                    sums[at].1 += weight;
                }
                From::Start => {}
            }
        }
        sums.into_iter().map(|(sum, weight)| sum / weight).collect()
    }

    /// What the factor at this place was in a session whose members of the same names started from these values, where
    /// they all start now; nothing if they are other members, or not one multiple of those: whole values within one
    /// half of that, others within half a step.
    pub fn factor_before(&self, at: usize, starts: &[(String, f64)]) -> Option<f64> {
        let factor = self.space.parameters().get(at)?;
        let mine = || {
            self.engine_parameters.iter().zip(&self.from).filter(|(_, from)| **from == From::Scaled(at)).map(|(p, _)| p)
        };
        let then = |p: &Parameter| starts.iter().find(|(name, _)| name == p.name()).map(|(_, start)| *start);
        let both: Vec<(&Parameter, f64)> = mine().map(|p| Some((p, then(p)?))).collect::<Option<_>>()?;
        let weight = |p: &Parameter, then: f64| if p.is_whole() { then * then } else { LARGE };
        let (sum, all) = both.iter().fold((0.0, 0.0), |(sum, all), &(p, then)| {
            (sum + weight(p, then) * p.start() / then, all + weight(p, then))
        });
        let before = sum / all;
        let near = |&(p, then): &(&Parameter, f64)| {
            let half = 0.5 * factor.step() * p.start().abs();
            let within = if p.is_whole() && half < 0.5 { 0.5 } else { half };
            (p.start() - before * then).abs() <= within
        };
        (both.len() == starts.len() && before > 0.0 && both.iter().all(near)).then_some(before)
    }
}

/// Where the value of each member comes from, if `own` of them are tuned by themselves and these groups' factors
/// follow.
fn sources(members: &[Parameter], used: &[&Group], own: usize) -> Result<Vec<From>, SpaceError> {
    let mut next = 0..own;
    let source = |member: &Parameter| match member.group() {
        _ if member.is_frozen() => Ok(From::Start),
        None => Ok(From::Own(next.next().unwrap_or_default())),
        Some(name) => {
            let no_group = || SpaceError::NoGroup { name: member.name().to_owned(), group: name.to_owned() };
            Ok(From::Scaled(own + used.iter().position(|group| group.name == name).ok_or_else(no_group)?))
        }
    };
    members.iter().map(source).collect()
}

/// Weight of a member with exact values against whole ones, whose weight is the square of their start.
const LARGE: f64 = 1e12;

/// The factor of a group: as far as every member stays in its range.
fn factor(group: &Group, members: &[Parameter]) -> Result<Parameter, SpaceError> {
    let mine = || members.iter().filter(|member| member.group() == Some(&group.name));
    let (mut min, mut max) = (group.min.unwrap_or(USUAL_RANGE.0), group.max.unwrap_or(USUAL_RANGE.1));
    for member in mine() {
        let start = member.start();
        if start == 0.0 || !member.is_graded() {
            return Err(SpaceError::NotScalable { name: member.name().to_owned(), group: group.name.clone() });
        }
        let (low, high) = (member.min() / start, member.max() / start);
        let (low, high) = if start > 0.0 { (low, high) } else { (high, low) };
        min = if low > min { low } else { min };
        max = if high < max { high } else { max };
    }
    let step = group.step.unwrap_or(USUAL_STEP);
    let apart = |member: &Parameter| !member.is_whole() || (member.start() * step).abs() >= 0.5;
    if !mine().any(apart) {
        let largest = mine().map(|member| member.start().abs()).fold(0.0, |a, b| if b > a { b } else { a });
        return Err(SpaceError::StepTooSmall {
            name: group.name.clone(),
            kind: Kind::Integer,
            step,
            least: 0.5 / largest,
        });
    }
    Parameter::new(group.name.clone(), Kind::Log, 1.0, (min, max), step)
}
