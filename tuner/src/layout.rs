//! Maps the tuned parameters to the values that an engine gets: most parameters are tuned by themselves, those of a
//! group by one common factor, and frozen ones not.
//!
//! A method sees a [`Space`] whose last parameters are the groups' factors, on a logarithmic scale from 1. For each
//! member an engine gets the start times the factor, inside the member's own range, rounded to the nearest for whole
//! kinds. In the other direction, a group's factor is that of the nearest multiple of the starts (least squares, in
//! units of the starts): rounded values count as the values that were played. This module contains no methods and no
//! games.

use crate::parameter::{Kind, Parameter, SpaceError, check_names};
use crate::space::{Below, Space};
use serde::{Deserialize, Serialize};

/// The default range of a group's factor, unless its members' ranges are narrower.
const USUAL_RANGE: (f64, f64) = (0.25, 4.0);
/// The default step of a factor above 1.
const USUAL_STEP: f64 = 0.1;

/// Parameters that are scaled together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The group's name.
    pub name: String,
    /// The least factor; by default 1/4.
    pub min: Option<f64>,
    /// The greatest factor; by default 4.
    pub max: Option<f64>,
    /// A change of the factor worth trying; by default 0.1.
    pub step: Option<f64>,
}

/// The source of an engine parameter's value, by index in the space.
#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    /// The value of this parameter.
    Own(usize),
    /// The start times this factor.
    Scaled(usize),
    /// The start, for a frozen parameter.
    Start,
}

impl From {
    /// The index in the space, and whether it is that of a group's factor.
    fn place(self) -> Option<(usize, bool)> {
        match self {
            Self::Own(at) => Some((at, false)),
            Self::Scaled(at) => Some((at, true)),
            Self::Start => None,
        }
    }
}

/// The search space, and the parameters that an engine gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    space: Space,
    engine_parameters: Vec<Parameter>,
    from: Vec<From>,
}

impl Layout {
    /// Makes a layout that tunes every parameter by itself.
    pub fn plain(space: Space) -> Self {
        let engine_parameters = space.parameters().to_vec();
        let from = (0..engine_parameters.len()).map(From::Own).collect();
        Self { space, engine_parameters, from }
    }

    /// Makes a layout of these parameters. Groups scale some of them; constraints relate the others. A group without
    /// members, or with only frozen ones, has no effect.
    ///
    /// # Errors
    /// Any [`SpaceError`] about the space; [`SpaceError::NoGroup`] and [`SpaceError::NotScalable`] for a member.
    pub fn new(members: Vec<Parameter>, groups: &[Group], below: &[Below]) -> Result<Self, SpaceError> {
        let is_own = |member: &&Parameter| member.group().is_none() && !member.is_frozen();
        let mut tuned: Vec<Parameter> = members.iter().filter(is_own).cloned().collect();
        let own = tuned.len();
        let used: Vec<&Group> = groups.iter().filter(|group| scaled(group, &members).next().is_some()).collect();
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

    /// The search space of the method.
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

    /// The index in the space of the source of the engine's parameter `index`, and whether the source is a group's
    /// factor; `None` for a frozen parameter.
    pub fn source(&self, index: usize) -> Option<(usize, bool)> {
        self.from[index].place()
    }

    /// How far one unit of the tuned value moves the engine's value `index`: 1, or a member's start; 0 for a frozen
    /// parameter.
    pub fn unit(&self, index: usize) -> f64 {
        match self.from[index] {
            From::Own(_) => 1.0,
            From::Scaled(_) => self.engine_parameters[index].start(),
            From::Start => 0.0,
        }
    }

    /// The engine's values for these values in the space.
    pub fn values(&self, tuned: &[f64]) -> Vec<f64> {
        self.each(tuned, |parameter, value| if parameter.is_whole() { libm::round(value) } else { value })
    }

    /// The engine's values before scaled whole values are rounded.
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

    /// The values in the space of an engine with these values.
    pub fn tuned(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.space.dimension()];
        for ((parameter, from), value) in self.engine_parameters.iter().zip(&self.from).zip(values) {
            match *from {
                From::Own(at) => sums[at] = (*value, 1.0),
                // A member's value in units of its start, and its precision.
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

    /// The value of the factor at this index in a session whose members had the same names and started from these
    /// values, in units of the current starts. `None` if the members differ, or if the values are not one multiple of
    /// the current starts: whole values within one half, others within half a step.
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

/// The source of each member's value, if `own` members are tuned by themselves and these groups' factors follow.
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

/// The weight of a member with exact values. The weight of a whole-valued member is the square of its start.
const LARGE: f64 = 1e12;

/// The members that the factor of a group scales: those that are not frozen.
fn scaled<'a>(group: &'a Group, members: &'a [Parameter]) -> impl Iterator<Item = &'a Parameter> {
    members.iter().filter(move |member| member.group() == Some(&group.name) && !member.is_frozen())
}

/// The factor of a group, limited so that every scaled member stays in its range.
fn factor(group: &Group, members: &[Parameter]) -> Result<Parameter, SpaceError> {
    let mine = || scaled(group, members);
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
