//! What is tuned: named parameters with their range, start and step, checked once, here.
//!
//! Methods work in *coordinates*: 0 at the start, 1 one step above it, on the parameter's own scale (logarithmic for
//! [`Kind::Log`]). This file owns the way between coordinates and values and what makes two sides legal and different.
//! Reading files and proposing nearest names is left to the caller.

use crate::order::{Order, Orders};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The scale and the legal values of a tuned parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Any number of the range.
    Real,
    /// Whole numbers; proposals are rounded up or down at random so that they are right on average.
    Integer,
    /// Positive numbers compared by ratio: a step up multiplies by 1 + step / start.
    Log,
    /// Off (0) or on (1). One side of each pair plays with it, the other without; its step is always 1.
    #[serde(alias = "switch")]
    Boolean,
    /// One of several values without an order. In numbers a value is its place in the list of them.
    Category,
}

impl Kind {
    /// Its name in configurations.
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

/// Why a parameter, a space or a session cannot be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// No parameter at all.
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
    /// A number is infinite or not a number.
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
        /// Where it starts.
        start: f64,
        /// Its lower bound.
        min: f64,
        /// Its upper bound.
        max: f64,
    },
    /// The step is negative, or zero where that would freeze a parameter that is to be tuned.
    #[error("parameter `{name}`: step {step} must be greater than 0 (0 freezes a parameter)")]
    StepNotPositive {
        /// The parameter.
        name: String,
        /// Its step.
        step: f64,
    },
    /// One step up and one step down give the same engine.
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
        /// The smallest step that tells the sides apart.
        least: f64,
    },
    /// A logarithmic parameter may become zero or negative.
    #[error("parameter `{name}`: with kind = \"log\" min must be greater than 0, not {min}")]
    LogNotPositive {
        /// The parameter.
        name: String,
        /// Its lower bound.
        min: f64,
    },
    /// A boolean's range is not 0..1.
    #[error("parameter `{0}`: with kind = \"switch\" min must be 0 and max 1; both may be left out")]
    NotBoolean(String),
    /// A category of fewer than two values.
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
    /// A parameter belongs to a group that there is not.
    #[error("parameter `{name}`: there is no group `{group}`")]
    NoGroup {
        /// The parameter.
        name: String,
        /// What its group is called.
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
    /// A parameter of a group is frozen.
    #[error("parameter `{name}` is frozen, as its step is 0, and cannot be scaled by group `{group}`")]
    FrozenInGroup {
        /// The parameter.
        name: String,
        /// Its group.
        group: String,
    },
    /// A constraint names something that is not tuned by itself.
    #[error("a constraint is about `{0}`, which is not a parameter that is tuned by itself")]
    UnknownInConstraint(String),
    /// A constraint between parameters that have no order.
    #[error("a constraint is about `{0}`, whose values have no order")]
    Unordered(String),
    /// Constraints that contradict each other, or a parameter that is to be below itself.
    #[error("constraints form a circle: `{0}` would have to be below itself")]
    Circle(String),
    /// The start violates a constraint.
    #[error(
        "the start violates a constraint: {low} of `{low_name}` and {high} of `{high_name}`, which must be higher by \
        {wanted}"
    )]
    StartOutOfOrder {
        /// The parameter that is to be lower.
        low_name: String,
        /// The one that is to be higher.
        high_name: String,
        /// Where the first starts.
        low: f64,
        /// Where the second starts.
        high: f64,
        /// By how much the second must be higher, in words.
        wanted: String,
    },
    /// A session shorter than its number of parameters.
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

    /// The name of the parameter that the error is about, if it is about one that has a name.
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
            | Self::FrozenInGroup { name, .. }
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

/// What to write in place of a kind that is too strict for a number.
fn real_instead(kind: Kind) -> &'static str {
    if kind == Kind::Integer { ", or write kind = \"real\"" } else { "" }
}

/// The start of a parameter of this kind nearest to the one given: whole kinds have no others. Nothing changes where
/// the start is outside the range, or the range is not one of whole numbers.
pub fn whole_start(kind: Kind, start: f64, (min, max): (f64, f64)) -> f64 {
    let is_whole = |value: f64| same(libm::floor(value), value);
    let rounds = kind == Kind::Integer && start >= min && start <= max && is_whole(min) && is_whole(max);
    if rounds { positive_zero(libm::round(start)) } else { start }
}

/// 0 in place of -0, which engines and people would be shown as such.
pub(crate) fn positive_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// One tuned parameter, valid by construction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    name: String,
    kind: Kind,
    start: f64,
    min: f64,
    max: f64,
    step: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    frozen: bool,
}

impl Parameter {
    /// A parameter that starts at `start` in the range (min, max); `step`, in the parameter's units at the start, is a
    /// change worth trying. [`Kind::Boolean`] and [`Kind::Category`] ignore the step.
    ///
    /// # Errors
    /// Whatever of [`SpaceError`] concerns one parameter.
    pub fn new(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Result<Self, SpaceError> {
        let step = if matches!(kind, Kind::Boolean | Kind::Category) { 1.0 } else { step };
        let parameter = Self::unchecked(name, kind, start, range, step);
        parameter.check_numbers()?;
        if parameter.step <= 0.0 {
            return Err(SpaceError::StepNotPositive { name: parameter.name, step });
        }
        parameter.check_kind()?;
        parameter.check_step()?;
        Ok(parameter)
    }

    /// A parameter that is not tuned: engines get its start. Its step, 0 or more, is only kept for output.
    ///
    /// # Errors
    /// As of [`new`](Self::new), except those about the step.
    pub fn frozen(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Result<Self, SpaceError> {
        let parameter = Self { frozen: true, ..Self::unchecked(name, kind, start, range, step) };
        parameter.check_numbers()?;
        if parameter.step < 0.0 {
            return Err(SpaceError::StepNotPositive { name: parameter.name, step });
        }
        parameter.check_kind()?;
        Ok(parameter)
    }

    fn unchecked(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Self {
        let [start, min, max, step] = [start, range.0, range.1, step].map(positive_zero);
        Self { name, kind, start, min, max, step, frozen: false }
    }

    fn check_numbers(&self) -> Result<(), SpaceError> {
        let name = || self.name.clone();
        for (field, value) in [("start", self.start), ("min", self.min), ("max", self.max), ("step", self.step)] {
            if !value.is_finite() {
                return Err(SpaceError::NotFinite { name: name(), field, value });
            }
        }
        let is_empty = if self.frozen { self.min > self.max } else { self.min >= self.max };
        if is_empty {
            return Err(SpaceError::EmptyRange { name: name(), min: self.min, max: self.max });
        }
        if self.start < self.min || self.start > self.max {
            return Err(SpaceError::StartOutside { name: name(), start: self.start, min: self.min, max: self.max });
        }
        Ok(())
    }

    fn check_kind(&self) -> Result<(), SpaceError> {
        match self.kind {
            Kind::Log if self.min <= 0.0 => {
                return Err(SpaceError::LogNotPositive { name: self.name.clone(), min: self.min });
            }
            Kind::Real | Kind::Log => {}
            Kind::Boolean if !(same(self.min, 0.0) && same(self.max, 1.0)) => {
                return Err(SpaceError::NotBoolean(self.name.clone()));
            }
            Kind::Category if !same(self.min, 0.0) => return Err(SpaceError::NotCategory(self.name.clone())),
            Kind::Boolean | Kind::Category | Kind::Integer => {
                for (field, value) in [("start", self.start), ("min", self.min), ("max", self.max)] {
                    if !same(libm::floor(value), value) {
                        return Err(SpaceError::NotWhole { name: self.name.clone(), kind: self.kind, field, value });
                    }
                }
            }
        }
        Ok(())
    }

    /// An integer needs half a unit (floor(x + 1/2 + u) and floor(x - 1/2 + u) always differ), a real one a change that
    /// survives the rounding of f64 anywhere in its range.
    fn check_step(&self) -> Result<(), SpaceError> {
        let largest = if self.min.abs() > self.max.abs() { self.min.abs() } else { self.max.abs() };
        let least = match self.kind {
            Kind::Integer => 0.5,
            Kind::Boolean | Kind::Category => 1.0,
            Kind::Real | Kind::Log => largest * 1e-9,
        };
        if self.step < least {
            return Err(SpaceError::StepTooSmall { name: self.name.clone(), kind: self.kind, step: self.step, least });
        }
        Ok(())
    }

    /// The same parameter in a smaller range.
    pub(crate) fn within(&self, min: f64, max: f64) -> Result<Self, SpaceError> {
        Self::new(self.name.clone(), self.kind, self.start, (min, max), self.step)
    }

    /// A value, or for whole kinds the next whole one above it.
    pub(crate) fn raised(&self, value: f64) -> f64 {
        if self.is_whole() { libm::ceil(value) } else { value }
    }

    /// Whether it stays at its start.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// A value, or for whole kinds the next whole one below it.
    pub(crate) fn lowered(&self, value: f64) -> f64 {
        if self.is_whole() { libm::floor(value) } else { value }
    }

    /// The parameter's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Scale and legal values.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The value before tuning.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The lowest legal value.
    pub fn min(&self) -> f64 {
        self.min
    }

    /// The highest legal value.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// A change worth trying, in the parameter's units at the start.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// One step on the parameter's own scale (a logarithm for [`Kind::Log`]).
    pub(crate) fn unit(&self) -> f64 {
        if self.kind == Kind::Log { libm::log1p(self.step / self.start) } else { self.step }
    }

    /// The coordinate of a value: steps from the start, on the parameter's own scale.
    pub fn coordinate(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Log => libm::log(value / self.start) / self.unit(),
            Kind::Real | Kind::Integer | Kind::Boolean | Kind::Category => (value - self.start) / self.step,
        }
    }

    /// The value of a coordinate, inside the range but not rounded.
    pub fn value(&self, coordinate: f64) -> f64 {
        let value = match self.kind {
            Kind::Log => self.start * libm::exp(coordinate * self.unit()),
            Kind::Real | Kind::Integer | Kind::Boolean | Kind::Category => self.start + coordinate * self.step,
        };
        value.clamp(self.min, self.max)
    }

    /// Half the width in values of the interval of `half` on both sides of a coordinate, as if the range were
    /// unbounded: an estimate at a bound, which only one side limits, is not more certain for that.
    pub fn spread(&self, coordinate: f64, half: f64) -> f64 {
        match self.kind {
            Kind::Log => self.value(coordinate) * libm::sinh(half * self.unit()),
            Kind::Real | Kind::Integer | Kind::Boolean | Kind::Category => half * self.step,
        }
    }

    /// The coordinates of the lowest and the highest value.
    pub fn bounds(&self) -> (f64, f64) {
        (self.coordinate(self.min), self.coordinate(self.max))
    }

    /// The value to play in the end: the coordinate's, rounded to the nearest for whole kinds.
    pub fn settled(&self, coordinate: f64) -> f64 {
        let value = self.value(coordinate);
        positive_zero(if self.is_whole() { libm::round(value) } else { value })
    }

    /// Whether only whole values are legal.
    pub fn is_whole(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Boolean | Kind::Category)
    }

    /// Whether its values have an order and distances: it is neither a switch nor a category.
    pub fn is_graded(&self) -> bool {
        !matches!(self.kind, Kind::Boolean | Kind::Category)
    }

    /// Legal values of two sides at the coordinates `plus` and `minus`. Whole kinds are rounded with the one `draw` in
    /// [0, 1) for both, so that the sides' difference is right on average; values that coincide are moved apart by the
    /// least legal change, so that the two sides are never the same engine.
    pub fn sides(&self, plus: f64, minus: f64, draw: f64) -> (f64, f64) {
        let round = |value: f64| {
            positive_zero(if self.is_whole() { libm::floor(value + draw).clamp(self.min, self.max) } else { value })
        };
        let (high, low) = (round(self.value(plus)), round(self.value(minus)));
        if !same(high, low) {
            return (high, low);
        }
        let apart = if self.is_whole() { 1.0 } else { self.step };
        let sign = if plus >= minus { 1.0 } else { -1.0 };
        let legal = |value: f64| positive_zero(value.clamp(self.min, self.max));
        let moved = legal(high + sign * apart);
        if same(moved, high) { (high, legal(low - sign * apart)) } else { (moved, low) }
    }
}

/// Whether all names of parameters differ.
///
/// # Errors
/// [`SpaceError::Unnamed`] and [`SpaceError::Duplicate`].
pub(crate) fn check_names(parameters: &[Parameter]) -> Result<(), SpaceError> {
    for (i, parameter) in parameters.iter().enumerate() {
        if parameter.name.trim().is_empty() {
            return Err(SpaceError::Unnamed(i));
        }
        if parameters[..i].iter().any(|other| other.name == parameter.name) {
            return Err(SpaceError::Duplicate(parameter.name.clone()));
        }
    }
    Ok(())
}

/// Whether two finite numbers are the same value, 0 and -0 included.
pub(crate) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.0
}

/// A constraint: the value of one parameter stays below that of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Below {
    /// The lower one's name.
    pub low: String,
    /// The higher one's name.
    pub high: String,
    /// By how much at least, in the parameters' units; may be negative.
    #[serde(default)]
    pub by: f64,
    /// Whether exactly so much is enough. Matters only where both have whole values: others stay apart by a hundredth
    /// of their steps, so that they are in order as text, too.
    #[serde(default)]
    pub or_equal: bool,
}

impl fmt::Display for Below {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high, by, or_equal } = self;
        let sign = if *or_equal { "<=" } else { "<" };
        if *by > 0.0 {
            write!(f, "{low} + {by} {sign} {high}")
        } else if *by < 0.0 {
            write!(f, "{low} {sign} {high} + {}", -by)
        } else {
            write!(f, "{low} {sign} {high}")
        }
    }
}

/// The parameters that are tuned together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space {
    parameters: Vec<Parameter>,
    #[serde(skip)]
    orders: Orders,
}

impl Space {
    /// A space of at least one parameter with distinct names.
    ///
    /// # Errors
    /// [`SpaceError::Empty`], [`SpaceError::Unnamed`] and [`SpaceError::Duplicate`].
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        if parameters.is_empty() {
            return Err(SpaceError::Empty);
        }
        check_names(&parameters)?;
        if let Some(frozen) = parameters.iter().find(|parameter| parameter.frozen) {
            return Err(SpaceError::StepNotPositive { name: frozen.name.clone(), step: frozen.step });
        }
        Ok(Self { parameters, orders: Orders::default() })
    }

    /// The same where, of each of these constraints, the first parameter stays below the second. Ranges become smaller
    /// by what no constraint leaves of them.
    ///
    /// # Errors
    /// [`SpaceError::UnknownInConstraint`], [`SpaceError::Unordered`] of a switch, [`SpaceError::Circle`],
    /// [`SpaceError::StartOutOfOrder`], and what is wrong with a range that has become too small.
    pub fn constrained(self, below: &[Below]) -> Result<Self, SpaceError> {
        self.beside(std::iter::empty(), below)
    }

    /// The same where constraints may also be about these frozen parameters: they only narrow the range of the other.
    ///
    /// # Errors
    /// As of [`constrained`](Self::constrained).
    pub(crate) fn beside<'a>(
        mut self,
        frozen: impl Iterator<Item = &'a Parameter>,
        below: &[Below],
    ) -> Result<Self, SpaceError> {
        let tuned = self.parameters.len();
        // Behind the tuned ones, so that a place below `tuned` is that of a tuned one.
        self.parameters.extend(frozen.cloned());
        let orders = below.iter().map(|below| self.order(below)).collect::<Result<Vec<_>, _>>()?;
        for (order, below) in orders.iter().zip(below) {
            self.check_start(order, below)?;
        }
        let (orders, bounds): (Vec<Order>, Vec<Order>) =
            orders.into_iter().partition(|order| order.low < tuned && order.high < tuned);
        for &Order { low, high, gap } in &bounds {
            let [a, b] = [low, high].map(|i| &self.parameters[i]);
            // The start stays legal: results are written to a hundredth of a step.
            let (least, most) = (b.raised(a.start + gap), a.lowered(b.start - gap));
            if high < tuned && least > b.min {
                self.parameters[high] = b.within(if least < b.start { least } else { b.start }, b.max)?;
            } else if low < tuned && most < a.max {
                self.parameters[low] = a.within(a.min, if most > a.start { most } else { a.start })?;
            }
        }
        self.parameters.truncate(tuned);
        let circle = |i: usize| SpaceError::Circle(self.parameters[i].name.clone());
        self.orders = Orders::new(orders, tuned).map_err(circle)?;
        self.orders.narrow(&mut self.parameters)?;
        Ok(self)
    }

    /// A start need not be as far from the bound as results are written: it may be such a result.
    fn check_start(&self, order: &Order, below: &Below) -> Result<(), SpaceError> {
        let [low, high] = [order.low, order.high].map(|i| &self.parameters[i]);
        // As far as the difference of two numbers is exact.
        let more = high.start - low.start - below.by;
        let exact = 1e-12 * (low.start.abs() + high.start.abs() + below.by.abs());
        let holds = if below.or_equal { more >= -exact } else { more > exact };
        if holds {
            return Ok(());
        }
        let wanted = if below.or_equal { format!("{} or more", below.by) } else { format!("more than {}", below.by) };
        Err(SpaceError::StartOutOfOrder {
            low_name: low.name.clone(),
            high_name: high.name.clone(),
            low: low.start,
            high: high.start,
            wanted,
        })
    }

    fn order(&self, below: &Below) -> Result<Order, SpaceError> {
        let find = |name: &String| {
            let unknown = || SpaceError::UnknownInConstraint(name.clone());
            let at = self.parameters.iter().position(|parameter| parameter.name == *name).ok_or_else(unknown)?;
            let ordered = self.parameters[at].is_graded();
            if ordered { Ok(at) } else { Err(SpaceError::Unordered(name.clone())) }
        };
        let (low, high) = (find(&below.low)?, find(&below.high)?);
        let [a, b] = [low, high].map(|i| &self.parameters[i]);
        // Results are written to a hundredth of a step: rounded, they are still in order.
        let least = if a.is_whole() && b.is_whole() {
            if below.or_equal { libm::ceil(below.by) } else { libm::floor(below.by) + 1.0 }
        } else {
            below.by + 0.01 * (a.step + b.step)
        };
        Ok(Order { low, high, gap: least })
    }

    /// Whether there are constraints.
    pub(crate) fn is_constrained(&self) -> bool {
        !self.orders.is_empty()
    }

    /// Brings coordinates into the order that the constraints want, by the way that costs least; a weight is the cost
    /// of moving one coordinate by 1, whose square counts.
    pub(crate) fn arrange(&self, coordinates: &mut [f64], weights: &[f64]) {
        if self.orders.is_empty() {
            return;
        }
        let mut values = self.values(coordinates);
        let slope = |(p, &x): (&Parameter, &f64)| p.spread(x, 1.0);
        let slopes = self.parameters.iter().zip(&*coordinates).map(slope);
        let weights: Vec<f64> = slopes.zip(weights).map(|(slope, weight)| weight / (slope * slope)).collect();
        self.orders.arrange(&mut values, &weights);
        for (i, (x, (p, v))) in coordinates.iter_mut().zip(self.parameters.iter().zip(values)).enumerate() {
            if self.orders.concern(i) {
                *x = p.coordinate(v.clamp(p.min, p.max));
            }
        }
    }

    /// The same where every coordinate is as dear as any other.
    pub(crate) fn arrange_evenly(&self, coordinates: &mut [f64]) {
        if !self.orders.is_empty() {
            self.arrange(coordinates, &vec![1.0; self.dimension()]);
        }
    }

    /// Legal values of two sides, in order, from the coordinates of both and the draw of each parameter: see
    /// [`Parameter::sides`].
    pub(crate) fn sides(&self, sides: impl Iterator<Item = (f64, f64, f64)>) -> (Vec<f64>, Vec<f64>) {
        if self.orders.is_empty() {
            return self
                .parameters
                .iter()
                .zip(sides)
                .map(|(p, (plus, minus, draw))| p.sides(plus, minus, draw))
                .unzip();
        }
        let (mut plus, (mut minus, draw)): (Vec<f64>, (Vec<f64>, Vec<f64>)) =
            sides.map(|(plus, minus, draw)| (plus, (minus, draw))).unzip();
        self.arrange_evenly(&mut plus);
        self.arrange_evenly(&mut minus);
        let legal = |(((p, plus), minus), draw): (((&Parameter, f64), f64), f64)| p.sides(plus, minus, draw);
        let (mut plus, mut minus): (Vec<f64>, Vec<f64>) =
            self.parameters.iter().zip(plus).zip(minus).zip(draw).map(legal).unzip();
        self.orders.raise(&self.parameters, &mut plus);
        self.orders.raise(&self.parameters, &mut minus);
        (plus, minus)
    }

    /// The parameters, in the order of every vector of values or coordinates.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Number of parameters, at least 1.
    pub fn dimension(&self) -> usize {
        self.parameters.len()
    }

    /// Whether `pairs` are enough to tune this space at all.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`] when there are fewer pairs than parameters.
    pub fn check_pairs(&self, pairs: u64) -> Result<(), SpaceError> {
        let parameters = self.dimension();
        if pairs < parameters as u64 { Err(SpaceError::TooFewPairs { pairs, parameters }) } else { Ok(()) }
    }

    /// Refuses booleans and categories for a method that needs a graded parameter.
    ///
    /// # Errors
    /// [`SpaceError::Unsupported`] naming the first of them.
    pub fn check_graded(&self, method: &'static str) -> Result<(), SpaceError> {
        match self.parameters.iter().find(|p| !p.is_graded()) {
            None => Ok(()),
            Some(p) => Err(SpaceError::Unsupported {
                name: p.name.clone(),
                method,
                kind: p.kind,
                hint: "use the method quadratic, or test it on its own by SPRT",
            }),
        }
    }

    /// The values to play in the end at these coordinates.
    pub fn settled(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = self.parameters.iter().zip(coordinates).map(|(p, &x)| p.settled(x)).collect();
        self.orders.raise(&self.parameters, &mut values);
        values
    }

    /// The values of these coordinates, inside the range but not rounded.
    pub fn values(&self, coordinates: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(coordinates).map(|(p, &x)| p.value(x)).collect()
    }

    /// The coordinates of these values.
    pub fn coordinates(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(values).map(|(p, &v)| p.coordinate(v)).collect()
    }
}
