//! What is tuned: named parameters with their range, start and step, checked once, here.
//!
//! Methods work in *coordinates*: 0 at the start, 1 one step above it, on the parameter's own scale (logarithmic for
//! [`Kind::Log`]). This file owns the way between coordinates and values and what makes two sides legal and different.
//! Reading files and proposing nearest names is left to the caller.

pub use arena::config::TunedKind as Kind;
use serde::Serialize;

/// Why a parameter, a space or a session cannot be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// No parameter at all.
    #[error("no parameter to tune")]
    Empty,
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
    #[error("parameter `{name}`: {field} is {value}, but must be whole for this kind")]
    NotWhole {
        /// The parameter.
        name: String,
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
    /// The step is zero or negative.
    #[error("parameter `{name}`: step {step} must be greater than 0")]
    StepNotPositive {
        /// The parameter.
        name: String,
        /// Its step.
        step: f64,
    },
    /// One step up and one step down give the same engine.
    #[error("parameter `{name}`: with step {step} both sides would be the same engine; it must be at least {least}")]
    StepTooSmall {
        /// The parameter.
        name: String,
        /// Its step.
        step: f64,
        /// The smallest step that tells the sides apart.
        least: f64,
    },
    /// A logarithmic parameter may become zero or negative.
    #[error("parameter `{name}`: a logarithmic scale needs a min greater than 0, not {min}")]
    LogNotPositive {
        /// The parameter.
        name: String,
        /// Its lower bound.
        min: f64,
    },
    /// A boolean's range is not 0..1.
    #[error("parameter `{0}`: a boolean must have min 0 and max 1")]
    NotBoolean(String),
    /// The method cannot tune this kind.
    #[error("parameter `{name}`: {method} cannot tune a {kind:?} parameter; {hint}")]
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
    /// The name of the parameter that the error is about, if it is about one that has a name.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::Duplicate(name)
            | Self::NotBoolean(name)
            | Self::NotFinite { name, .. }
            | Self::NotWhole { name, .. }
            | Self::EmptyRange { name, .. }
            | Self::StartOutside { name, .. }
            | Self::StepNotPositive { name, .. }
            | Self::StepTooSmall { name, .. }
            | Self::LogNotPositive { name, .. }
            | Self::Unsupported { name, .. } => Some(name),
            Self::Empty | Self::Unnamed(_) | Self::TooFewPairs { .. } => None,
        }
    }
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
}

impl Parameter {
    /// A parameter that starts at `start` in the range (min, max); `step`, in the parameter's units at the start, is a
    /// change worth trying. [`Kind::Boolean`] ignores the step.
    ///
    /// # Errors
    /// Whatever of [`SpaceError`] concerns one parameter.
    pub fn new(name: String, kind: Kind, start: f64, range: (f64, f64), step: f64) -> Result<Self, SpaceError> {
        let step = if kind == Kind::Boolean { 1.0 } else { step };
        let parameter = Self { name, kind, start, min: range.0, max: range.1, step };
        parameter.check_numbers()?;
        parameter.check_kind()?;
        parameter.check_step()?;
        Ok(parameter)
    }

    fn check_numbers(&self) -> Result<(), SpaceError> {
        let name = || self.name.clone();
        for (field, value) in [("start", self.start), ("min", self.min), ("max", self.max), ("step", self.step)] {
            if !value.is_finite() {
                return Err(SpaceError::NotFinite { name: name(), field, value });
            }
        }
        if self.min >= self.max {
            return Err(SpaceError::EmptyRange { name: name(), min: self.min, max: self.max });
        }
        if self.start < self.min || self.start > self.max {
            return Err(SpaceError::StartOutside { name: name(), start: self.start, min: self.min, max: self.max });
        }
        if self.step <= 0.0 {
            return Err(SpaceError::StepNotPositive { name: name(), step: self.step });
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
            Kind::Boolean | Kind::Integer => {
                for (field, value) in [("start", self.start), ("min", self.min), ("max", self.max)] {
                    if !same(libm::floor(value), value) {
                        return Err(SpaceError::NotWhole { name: self.name.clone(), field, value });
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
            Kind::Boolean => 1.0,
            Kind::Real | Kind::Log => largest * 1e-9,
        };
        if self.step < least {
            return Err(SpaceError::StepTooSmall { name: self.name.clone(), step: self.step, least });
        }
        Ok(())
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
            Kind::Real | Kind::Integer | Kind::Boolean => (value - self.start) / self.step,
        }
    }

    /// The value of a coordinate, inside the range but not rounded.
    pub fn value(&self, coordinate: f64) -> f64 {
        let value = match self.kind {
            Kind::Log => self.start * libm::exp(coordinate * self.unit()),
            Kind::Real | Kind::Integer | Kind::Boolean => self.start + coordinate * self.step,
        };
        value.clamp(self.min, self.max)
    }

    /// Half the width in values of the interval of `half` on both sides of a coordinate, as if the range had no end: what is known
    /// only to one side, at a bound, is not known better for that.
    pub fn spread(&self, coordinate: f64, half: f64) -> f64 {
        match self.kind {
            Kind::Log => self.value(coordinate) * libm::sinh(half * self.unit()),
            Kind::Real | Kind::Integer | Kind::Boolean => half * self.step,
        }
    }

    /// The coordinates of the lowest and the highest value.
    pub fn bounds(&self) -> (f64, f64) {
        (self.coordinate(self.min), self.coordinate(self.max))
    }

    /// The value to play in the end: the coordinate's, rounded to the nearest for whole kinds.
    pub fn settled(&self, coordinate: f64) -> f64 {
        let value = self.value(coordinate);
        if self.is_whole() { libm::round(value) } else { value }
    }

    /// Whether only whole values are legal.
    pub fn is_whole(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Boolean)
    }

    /// Legal values of two sides at the coordinates `plus` and `minus`. Whole kinds are rounded with the one `dice` in
    /// [0, 1) for both, so that the sides' difference is right on average; values that coincide are moved apart by the
    /// least legal change, so that the two sides are never the same engine.
    pub fn sides(&self, plus: f64, minus: f64, dice: f64) -> (f64, f64) {
        let round = |value: f64| {
            if self.is_whole() { libm::floor(value + dice).clamp(self.min, self.max) } else { value }
        };
        let (high, low) = (round(self.value(plus)), round(self.value(minus)));
        if !same(high, low) {
            return (high, low);
        }
        let apart = if self.is_whole() { 1.0 } else { self.step };
        let sign = if plus >= minus { 1.0 } else { -1.0 };
        let moved = (high + sign * apart).clamp(self.min, self.max);
        if same(moved, high) { (high, (low - sign * apart).clamp(self.min, self.max)) } else { (moved, low) }
    }
}

/// Whether two finite numbers are the same value, 0 and -0 included.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.0
}

/// The parameters that are tuned together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space(Vec<Parameter>);

impl Space {
    /// A space of at least one parameter with distinct names.
    ///
    /// # Errors
    /// [`SpaceError::Empty`], [`SpaceError::Unnamed`] and [`SpaceError::Duplicate`].
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        if parameters.is_empty() {
            return Err(SpaceError::Empty);
        }
        for (i, parameter) in parameters.iter().enumerate() {
            if parameter.name.trim().is_empty() {
                return Err(SpaceError::Unnamed(i));
            }
            if parameters[..i].iter().any(|other| other.name == parameter.name) {
                return Err(SpaceError::Duplicate(parameter.name.clone()));
            }
        }
        Ok(Self(parameters))
    }

    /// The parameters, in the order of every vector of values or coordinates.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// Number of parameters, at least 1.
    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// Whether `pairs` are enough to tune this space at all.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`] when there are fewer pairs than parameters.
    pub fn check_pairs(&self, pairs: u64) -> Result<(), SpaceError> {
        let parameters = self.dimension();
        if pairs < parameters as u64 { Err(SpaceError::TooFewPairs { pairs, parameters }) } else { Ok(()) }
    }

    /// Refuses booleans for a method that needs a graded parameter.
    ///
    /// # Errors
    /// [`SpaceError::Unsupported`] naming the first boolean.
    pub fn check_graded(&self, method: &'static str) -> Result<(), SpaceError> {
        match self.0.iter().find(|p| p.kind == Kind::Boolean) {
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
        self.0.iter().zip(coordinates).map(|(p, &x)| p.settled(x)).collect()
    }

    /// The values of these coordinates, inside the range but not rounded.
    pub fn values(&self, coordinates: &[f64]) -> Vec<f64> {
        self.0.iter().zip(coordinates).map(|(p, &x)| p.value(x)).collect()
    }

    /// The coordinates of these values.
    pub fn coordinates(&self, values: &[f64]) -> Vec<f64> {
        self.0.iter().zip(values).map(|(p, &v)| p.coordinate(v)).collect()
    }
}
