//! One tuned parameter: its name, kind, range, start and step, which are all checked here.
//!
//! This file converts between coordinates and values, and makes the values of two sides legal and different.

use serde::{Deserialize, Serialize};

/// The scale and the legal values of a tuned parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Any number in the range.
    Real,
    /// Whole numbers; proposals are rounded up or down at random so that they are right on average.
    Integer,
    /// Positive numbers compared by ratio: a step up multiplies by 1 + step / start.
    Log,
    /// Off (0) or on (1). One side of each pair plays with it, the other without; its step is always 1.
    #[serde(rename = "switch")]
    Boolean,
    /// One of several values without an order. As a number, a value is its index in their list.
    Category,
}

impl Kind {
    /// The kind's name in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Log => "log",
            Self::Boolean => "switch",
            Self::Category => "category",
        }
    }
}

/// The reason why a parameter, a space or a session cannot be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// There is no parameter.
    #[error("no parameter to tune")]
    Empty,
    /// Every parameter stays at its start.
    #[error("no parameter to tune: every one is frozen, as its step or its gain is 0")]
    AllFrozen,
    /// A name without a letter.
    #[error("parameter {0} has an empty name")]
    Unnamed(usize),
    /// Two parameters share a name.
    #[error("parameter `{0}` is given twice")]
    Duplicate(String),
    /// A number is infinite or NaN.
    #[error("parameter `{name}`: {field} is {value}, but must be finite")]
    NotFinite {
        /// The parameter.
        name: String,
        /// start, min, max or step.
        field: &'static str,
        /// The number found.
        value: f64,
    },
    /// An integer parameter has a fractional bound or start.
    #[error("parameter `{name}`: {field} is {value}, but with kind = \"{}\" it must be a whole \
        number{}", kind.name(), real_instead(*kind))]
    NotWhole {
        /// The parameter.
        name: String,
        /// Its kind.
        kind: Kind,
        /// start, min or max.
        field: &'static str,
        /// The number found.
        value: f64,
    },
    /// The range is empty or a single value.
    #[error("parameter `{name}`: min {min} must be less than max {max}")]
    EmptyRange {
        /// The parameter.
        name: String,
        /// Its lower bound.
        min: f64,
        /// Its upper bound.
        max: f64,
    },
    /// The start is outside the range.
    #[error("parameter `{name}`: start {start} is outside {min}..{max}")]
    StartOutside {
        /// The parameter.
        name: String,
        /// The parameter's start.
        start: f64,
        /// Its lower bound.
        min: f64,
        /// Its upper bound.
        max: f64,
    },
    /// The step is negative, or zero for a parameter that must not be frozen.
    #[error("parameter `{name}`: step {step} must be greater than 0 (0 freezes a parameter)")]
    StepNotPositive {
        /// The parameter.
        name: String,
        /// Its step.
        step: f64,
    },
    /// A step up and a step down give the same engine.
    #[error(
        "parameter `{name}`: with kind = \"{}\" and step {step} both sides would be the same engine; the step must be \
            at least {least}",
        kind.name()
    )]
    StepTooSmall {
        /// The parameter.
        name: String,
        /// Its kind.
        kind: Kind,
        /// Its step.
        step: f64,
        /// The smallest step that makes the sides differ.
        least: f64,
    },
    /// The range of a logarithmic parameter includes zero or negative values.
    #[error("parameter `{name}`: with kind = \"log\" min must be greater than 0, not {min}")]
    LogNotPositive {
        /// The parameter.
        name: String,
        /// Its lower bound.
        min: f64,
    },
    /// A boolean's range is not 0 to 1.
    #[error("parameter `{0}`: with kind = \"switch\" min must be 0 and max 1; both may be left out")]
    NotBoolean(String),
    /// A category has fewer than two values.
    #[error("parameter `{0}`: a category needs two values or more, counted from 0")]
    NotCategory(String),
    /// The method cannot tune this kind.
    #[error("parameter `{name}`: {method} cannot tune a parameter with kind = \"{}\"; {hint}", kind.name())]
    Unsupported {
        /// The parameter.
        name: String,
        /// The method's name.
        method: &'static str,
        /// The parameter's kind.
        kind: Kind,
        /// What to do instead.
        hint: &'static str,
    },
    /// A parameter belongs to an unknown group.
    #[error("parameter `{name}`: there is no group `{group}`")]
    NoGroup {
        /// The parameter.
        name: String,
        /// The name of its group.
        group: String,
    },
    /// A parameter of a group cannot be multiplied.
    #[error("parameter `{name}` cannot be scaled by group `{group}`: it is a switch or starts at 0")]
    NotScalable {
        /// The parameter.
        name: String,
        /// Its group.
        group: String,
    },
    /// A constraint names something that is not a parameter tuned by itself.
    #[error("a constraint is about `{0}`, which is not a parameter that is tuned by itself")]
    UnknownInConstraint(String),
    /// A constraint relates parameters that have no order.
    #[error("a constraint is about `{0}`, whose values have no order")]
    Unordered(String),
    /// Constraints contradict each other, or require a parameter to be below itself.
    #[error("constraints form a circle: `{0}` would have to be below itself")]
    Circle(String),
    /// The start violates a constraint.
    #[error(
        "the start violates a constraint: {low} of `{low_name}` and {high} of `{high_name}`, which must be higher by \
            {wanted}"
    )]
    StartOutOfOrder {
        /// The parameter that must be lower.
        low_name: String,
        /// The parameter that must be higher.
        high_name: String,
        /// The start of the first parameter.
        low: f64,
        /// The start of the second parameter.
        high: f64,
        /// The required difference of the second parameter to the first, in words.
        wanted: String,
    },
    /// The session has fewer pairs than parameters.
    #[error("{pairs} pairs are too few to tune {parameters} parameters: play at least one pair per parameter")]
    TooFewPairs {
        /// Pairs planned.
        pairs: u64,
        /// Parameters to tune.
        parameters: usize,
    },
}

impl SpaceError {
    /// Whether the error is about a constraint.
    pub fn is_of_constraint(&self) -> bool {
        matches!(
            self,
            Self::UnknownInConstraint(_) | Self::Unordered(_) | Self::Circle(_) | Self::StartOutOfOrder { .. }
        )
    }

    /// The name of the parameter that the error is about, if it is about one parameter with a name.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::Duplicate(name)
            | Self::NotBoolean(name)
            | Self::NotCategory(name)
            | Self::NotFinite { name, .. }
            | Self::NotWhole { name, .. }
            | Self::EmptyRange { name, .. }
            | Self::StartOutside { name, .. }
            | Self::StepNotPositive { name, .. }
            | Self::StepTooSmall { name, .. }
            | Self::LogNotPositive { name, .. }
            | Self::Unsupported { name, .. }
            | Self::NoGroup { name, .. }
            | Self::NotScalable { name, .. } => Some(name),
            Self::Empty
            | Self::AllFrozen
            | Self::Unnamed(_)
            | Self::TooFewPairs { .. }
            | Self::UnknownInConstraint(_)
            | Self::Unordered(_)
            | Self::Circle(_)
            | Self::StartOutOfOrder { .. } => None,
        }
    }
}

/// The kind to suggest in place of one that is too strict for a number.
fn real_instead(kind: Kind) -> &'static str {
    if kind == Kind::Integer { ", or write kind = \"real\"" } else { "" }
}

/// The start of a parameter of this kind nearest to the given one, since whole kinds have only whole starts. Returns
/// the start unchanged if it is outside the range, or if the range has fractional bounds.
pub fn whole_start(kind: Kind, start: f64, (min, max): (f64, f64)) -> f64 {
    let is_whole = |value: f64| same(libm::floor(value), value);
    let rounds = kind == Kind::Integer && start >= min && start <= max && is_whole(min) && is_whole(max);
    if rounds { positive_zero(libm::round(start)) } else { start }
}

/// Replaces -0 by 0, because engines and users would be shown the sign.
pub(crate) fn positive_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// A parameter to be tuned, as configurations and journals store it. Makes a [`Parameter`] if its numbers are valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedParameter {
    /// Its name in the engine's table.
    pub name: String,
    /// Its scale and legal values.
    pub kind: Kind,
    /// The value before tuning.
    pub start: f64,
    /// Smallest value tried.
    pub min: f64,
    /// Largest value tried.
    pub max: f64,
    /// A change worth trying; a parameter with step 0 stays at its start.
    pub step: f64,
    /// The group whose factor scales the parameter, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The possible values of a category.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl TunedParameter {
    /// Makes a parameter without a group that is not a category; it starts at `start` in the range (min, max).
    pub fn new(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Self {
        Self { name, kind, start, min: range.0, max: range.1, step, group: None, values: Vec::new() }
    }
}

/// One tuned parameter, valid by construction. Serialized as the [`TunedParameter`] that it was made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Parameter {
    spec: TunedParameter,
    #[serde(skip)]
    frozen: bool,
}

impl Parameter {
    /// Makes a parameter that starts at `start` in the range (min, max); `step`, in the parameter's units at the start,
    /// is a change worth trying. [`Kind::Boolean`] and [`Kind::Category`] ignore the step.
    ///
    /// # Errors
    /// Any [`SpaceError`] about one parameter.
    pub fn new(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Result<Self, SpaceError> {
        Self::tuned(TunedParameter::new(name, kind, start, range, step))
    }

    /// Makes a parameter that is not tuned: engines get its start. Its step, 0 or more, is only kept for output.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), except those about the step.
    pub fn frozen(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Result<Self, SpaceError> {
        Self::still(TunedParameter::new(name, kind, start, range, step))
    }

    /// Makes the parameter that a configuration asks for; a parameter without a step is frozen.
    ///
    /// # Errors
    /// Any [`SpaceError`] about one parameter.
    pub fn of(spec: TunedParameter) -> Result<Self, SpaceError> {
        if spec.step == 0.0 { Self::still(spec) } else { Self::tuned(spec) }
    }

    fn tuned(mut spec: TunedParameter) -> Result<Self, SpaceError> {
        if matches!(spec.kind, Kind::Boolean | Kind::Category) {
            spec.step = 1.0;
        }
        let parameter = Self::unchecked(spec, false);
        parameter.check_numbers()?;
        if parameter.spec.step <= 0.0 {
            return Err(SpaceError::StepNotPositive { step: parameter.spec.step, name: parameter.spec.name });
        }
        parameter.check_kind()?;
        parameter.check_step()?;
        Ok(parameter)
    }

    fn still(spec: TunedParameter) -> Result<Self, SpaceError> {
        let parameter = Self::unchecked(spec, true);
        parameter.check_numbers()?;
        if parameter.spec.step < 0.0 {
            return Err(SpaceError::StepNotPositive { step: parameter.spec.step, name: parameter.spec.name });
        }
        parameter.check_kind()?;
        Ok(parameter)
    }

    fn unchecked(spec: TunedParameter, frozen: bool) -> Self {
        let [start, min, max, step] = [spec.start, spec.min, spec.max, spec.step].map(positive_zero);
        Self { spec: TunedParameter { start, min, max, step, ..spec }, frozen }
    }

    /// The same parameter, scaled by the factor of a group.
    #[must_use]
    pub fn in_group(self, group: impl Into<String>) -> Self {
        Self { spec: TunedParameter { group: Some(group.into()), ..self.spec }, ..self }
    }

    fn check_numbers(&self) -> Result<(), SpaceError> {
        let name = || self.spec.name.clone();
        for (field, value) in
            [("start", self.spec.start), ("min", self.spec.min), ("max", self.spec.max), ("step", self.spec.step)]
        {
            if !value.is_finite() {
                return Err(SpaceError::NotFinite { name: name(), field, value });
            }
        }
        let is_empty = if self.frozen { self.spec.min > self.spec.max } else { self.spec.min >= self.spec.max };
        if is_empty {
            return Err(SpaceError::EmptyRange { name: name(), min: self.spec.min, max: self.spec.max });
        }
        if self.spec.start < self.spec.min || self.spec.start > self.spec.max {
            return Err(SpaceError::StartOutside {
                name: name(),
                start: self.spec.start,
                min: self.spec.min,
                max: self.spec.max,
            });
        }
        Ok(())
    }

    fn check_kind(&self) -> Result<(), SpaceError> {
        match self.spec.kind {
            Kind::Log if self.spec.min <= 0.0 => {
                return Err(SpaceError::LogNotPositive { name: self.spec.name.clone(), min: self.spec.min });
            }
            Kind::Real | Kind::Log => {}
            Kind::Boolean if !(same(self.spec.min, 0.0) && same(self.spec.max, 1.0)) => {
                return Err(SpaceError::NotBoolean(self.spec.name.clone()));
            }
            Kind::Category if !same(self.spec.min, 0.0) => return Err(SpaceError::NotCategory(self.spec.name.clone())),
            Kind::Boolean | Kind::Category | Kind::Integer => {
                for (field, value) in [("start", self.spec.start), ("min", self.spec.min), ("max", self.spec.max)] {
                    if !same(libm::floor(value), value) {
                        return Err(SpaceError::NotWhole {
                            name: self.spec.name.clone(),
                            kind: self.spec.kind,
                            field,
                            value,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks the step. An integer needs half a unit (floor(x + 1/2 + u) and floor(x - 1/2 + u) always differ), a real
    /// number a change that survives the rounding of f64 anywhere in its range.
    fn check_step(&self) -> Result<(), SpaceError> {
        let largest = if self.spec.min.abs() > self.spec.max.abs() { self.spec.min.abs() } else { self.spec.max.abs() };
        let least = match self.spec.kind {
            Kind::Integer => 0.5,
            Kind::Boolean | Kind::Category => 1.0,
            Kind::Real | Kind::Log => largest * 1e-9,
        };
        if self.spec.step < least {
            return Err(SpaceError::StepTooSmall {
                name: self.spec.name.clone(),
                kind: self.spec.kind,
                step: self.spec.step,
                least,
            });
        }
        Ok(())
    }

    /// The same parameter in a smaller range.
    pub(crate) fn within(&self, min: f64, max: f64) -> Result<Self, SpaceError> {
        Self::tuned(TunedParameter { min, max, ..self.spec.clone() })
    }

    /// The value, for whole kinds rounded up.
    pub(crate) fn raised(&self, value: f64) -> f64 {
        if self.is_whole() { libm::ceil(value) } else { value }
    }

    /// Whether the parameter stays at its start.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// The value, for whole kinds rounded down.
    pub(crate) fn lowered(&self, value: f64) -> f64 {
        if self.is_whole() { libm::floor(value) } else { value }
    }

    /// The parameter's name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The scale and the legal values.
    pub fn kind(&self) -> Kind {
        self.spec.kind
    }

    /// The value before tuning.
    pub fn start(&self) -> f64 {
        self.spec.start
    }

    /// The lowest legal value.
    pub fn min(&self) -> f64 {
        self.spec.min
    }

    /// The highest legal value.
    pub fn max(&self) -> f64 {
        self.spec.max
    }

    /// A change worth trying, in the parameter's units at the start.
    pub fn step(&self) -> f64 {
        self.spec.step
    }

    /// The group whose factor scales the parameter, if any.
    pub fn group(&self) -> Option<&str> {
        self.spec.group.as_deref()
    }

    /// The texts that the engine gets instead of numbers, for a category.
    pub fn texts(&self) -> &[String] {
        &self.spec.values
    }

    /// One step on the parameter's own scale (a logarithm for [`Kind::Log`]).
    pub(crate) fn unit(&self) -> f64 {
        if self.spec.kind == Kind::Log { libm::log1p(self.spec.step / self.spec.start) } else { self.spec.step }
    }

    /// The coordinate of a value: steps from the start, on the parameter's own scale.
    pub fn coordinate(&self, value: f64) -> f64 {
        match self.spec.kind {
            Kind::Log => libm::log(value / self.spec.start) / self.unit(),
            Kind::Real | Kind::Integer | Kind::Boolean | Kind::Category => (value - self.spec.start) / self.spec.step,
        }
    }

    /// The value of a coordinate, inside the range but not rounded.
    pub fn value(&self, coordinate: f64) -> f64 {
        let value = match self.spec.kind {
            Kind::Log => self.spec.start * libm::exp(coordinate * self.unit()),
            Kind::Real | Kind::Integer | Kind::Boolean | Kind::Category => {
                self.spec.start + coordinate * self.spec.step
            }
        };
        value.clamp(self.spec.min, self.spec.max)
    }

    /// Half the width in values of the interval of `half` on both sides of a coordinate, ignoring the bounds: an
    /// estimate at a bound is no more certain because only one side limits it.
    pub fn spread(&self, coordinate: f64, half: f64) -> f64 {
        match self.spec.kind {
            Kind::Log => self.value(coordinate) * libm::sinh(half * self.unit()),
            Kind::Real | Kind::Integer | Kind::Boolean | Kind::Category => half * self.spec.step,
        }
    }

    /// The coordinates of the lowest and the highest value.
    pub fn bounds(&self) -> (f64, f64) {
        (self.coordinate(self.spec.min), self.coordinate(self.spec.max))
    }

    /// The final value to play at a coordinate, for whole kinds rounded to the nearest.
    pub fn settled(&self, coordinate: f64) -> f64 {
        let value = self.value(coordinate);
        positive_zero(if self.is_whole() { libm::round(value) } else { value })
    }

    /// Whether only whole values are legal.
    pub fn is_whole(&self) -> bool {
        matches!(self.spec.kind, Kind::Integer | Kind::Boolean | Kind::Category)
    }

    /// Whether the values have an order and distances: true unless the parameter is a switch or a category.
    pub fn is_graded(&self) -> bool {
        !matches!(self.spec.kind, Kind::Boolean | Kind::Category)
    }

    /// Legal values of two sides at the coordinates `plus` and `minus`. Whole kinds of both sides are rounded with the
    /// same `draw` in [0, 1), so that their difference is right on average. Equal values are moved apart by the least
    /// legal change, so that the two sides are never the same engine.
    pub fn sides(&self, plus: f64, minus: f64, draw: f64) -> (f64, f64) {
        let round = |value: f64| {
            positive_zero(if self.is_whole() {
                libm::floor(value + draw).clamp(self.spec.min, self.spec.max)
            } else {
                value
            })
        };
        let (high, low) = (round(self.value(plus)), round(self.value(minus)));
        if !same(high, low) {
            return (high, low);
        }
        let apart = if self.is_whole() { 1.0 } else { self.spec.step };
        let sign = if plus >= minus { 1.0 } else { -1.0 };
        let legal = |value: f64| positive_zero(value.clamp(self.spec.min, self.spec.max));
        let moved = legal(high + sign * apart);
        if same(moved, high) { (high, legal(low - sign * apart)) } else { (moved, low) }
    }
}

/// Checks that all names of parameters differ.
///
/// # Errors
/// [`SpaceError::Unnamed`] and [`SpaceError::Duplicate`].
pub(crate) fn check_names(parameters: &[Parameter]) -> Result<(), SpaceError> {
    for (i, parameter) in parameters.iter().enumerate() {
        if parameter.name().trim().is_empty() {
            return Err(SpaceError::Unnamed(i));
        }
        if parameters[..i].iter().any(|other| other.name() == parameter.name()) {
            return Err(SpaceError::Duplicate(parameter.name().to_owned()));
        }
    }
    Ok(())
}

/// Whether two finite numbers are equal; 0 equals -0.
pub(crate) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.0
}
