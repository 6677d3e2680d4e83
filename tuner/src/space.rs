//! The search space: the tuned parameters, and the constraints between them.
//!
//! Methods work in *coordinates*: 0 at the start, 1 one step above it, on the parameter's own scale (logarithmic for
//! [`Kind::Log`](crate::Kind::Log)). Reading files and suggesting similar names is left to the caller.

use crate::order::{Order, Orders};
use crate::parameter::{Parameter, SpaceError, check_names};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A constraint: the value of one parameter stays below that of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Below {
    /// The name of the lower parameter.
    pub low: String,
    /// The name of the higher parameter.
    pub high: String,
    /// The minimum difference, in the parameters' units; may be negative.
    pub by: f64,
    /// Whether the difference may be exactly this. Only matters if both have whole values: other values stay apart by a
    /// hundredth of their steps, so that they are in order as text, too.
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

/// Parameters that are tuned together.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    orders: Orders,
}

impl Space {
    /// Makes a space of at least one parameter with distinct names.
    ///
    /// # Errors
    /// [`SpaceError::Empty`], [`SpaceError::Unnamed`] and [`SpaceError::Duplicate`].
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        if parameters.is_empty() {
            return Err(SpaceError::Empty);
        }
        check_names(&parameters)?;
        if let Some(frozen) = parameters.iter().find(|parameter| parameter.is_frozen()) {
            return Err(SpaceError::StepNotPositive { name: frozen.name().to_owned(), step: frozen.step() });
        }
        Ok(Self { parameters, orders: Orders::default() })
    }

    /// Adds these constraints, each of which keeps its first parameter below its second. Removes from the ranges what
    /// no constraint allows.
    ///
    /// # Errors
    /// [`SpaceError::UnknownInConstraint`], [`SpaceError::Unordered`] for a switch, [`SpaceError::Circle`],
    /// [`SpaceError::StartOutOfOrder`], and errors about a range that has become too small.
    pub fn constrained(self, below: &[Below]) -> Result<Self, SpaceError> {
        self.beside(std::iter::empty(), below)
    }

    /// Like [`constrained`](Self::constrained), but constraints may also name these frozen parameters, which only
    /// narrow the range of the other parameter.
    ///
    /// # Errors
    /// The errors of [`constrained`](Self::constrained).
    pub(crate) fn beside<'a>(
        mut self,
        frozen: impl Iterator<Item = &'a Parameter>,
        below: &[Below],
    ) -> Result<Self, SpaceError> {
        let tuned = self.parameters.len();
        // Appended to the tuned parameters, so that an index below `tuned` belongs to a tuned one.
        self.parameters.extend(frozen.cloned());
        let orders = below.iter().map(|below| self.order(below)).collect::<Result<Vec<_>, _>>()?;
        for (order, below) in orders.iter().zip(below) {
            self.check_start(order, below)?;
        }
        let (orders, bounds): (Vec<Order>, Vec<Order>) =
            orders.into_iter().partition(|order| order.low < tuned && order.high < tuned);
        for &Order { low, high, gap } in &bounds {
            let [a, b] = [low, high].map(|i| &self.parameters[i]);
            // The start stays legal, although results are written to a hundredth of a step.
            let (least, most) = (b.raised(a.start() + gap), a.lowered(b.start() - gap));
            if high < tuned && least > b.min() {
                self.parameters[high] = b.within(if least < b.start() { least } else { b.start() }, b.max())?;
            } else if low < tuned && most < a.max() {
                self.parameters[low] = a.within(a.min(), if most > a.start() { most } else { a.start() })?;
            }
        }
        self.parameters.truncate(tuned);
        let circle = |i: usize| SpaceError::Circle(self.parameters[i].name().to_owned());
        self.orders = Orders::new(orders, tuned).map_err(circle)?;
        self.orders.narrow(&mut self.parameters)?;
        Ok(self)
    }

    /// Checks the starts. They may be closer than the precision of written results, since a start may be such a result.
    fn check_start(&self, order: &Order, below: &Below) -> Result<(), SpaceError> {
        let [low, high] = [order.low, order.high].map(|i| &self.parameters[i]);
        // Within the precision of the difference of two numbers.
        let more = high.start() - low.start() - below.by;
        let exact = 1e-12 * (low.start().abs() + high.start().abs() + below.by.abs());
        let holds = if below.or_equal { more >= -exact } else { more > exact };
        if holds {
            return Ok(());
        }
        let wanted = if below.or_equal { format!("{} or more", below.by) } else { format!("more than {}", below.by) };
        Err(SpaceError::StartOutOfOrder {
            low_name: low.name().to_owned(),
            high_name: high.name().to_owned(),
            low: low.start(),
            high: high.start(),
            wanted,
        })
    }

    fn order(&self, below: &Below) -> Result<Order, SpaceError> {
        let find = |name: &String| {
            let unknown = || SpaceError::UnknownInConstraint(name.clone());
            let at = self.parameters.iter().position(|parameter| parameter.name() == name).ok_or_else(unknown)?;
            let ordered = self.parameters[at].is_graded();
            if ordered { Ok(at) } else { Err(SpaceError::Unordered(name.clone())) }
        };
        let (low, high) = (find(&below.low)?, find(&below.high)?);
        let [a, b] = [low, high].map(|i| &self.parameters[i]);
        // Results are written to a hundredth of a step, and must be in order after rounding.
        let least = if a.is_whole() && b.is_whole() {
            if below.or_equal { libm::ceil(below.by) } else { libm::floor(below.by) + 1.0 }
        } else {
            below.by + 0.01 * (a.step() + b.step())
        };
        Ok(Order { low, high, gap: least })
    }

    /// Whether there are constraints.
    pub(crate) fn is_constrained(&self) -> bool {
        !self.orders.is_empty()
    }

    /// Brings coordinates into the order that the constraints require, at the least cost. The cost of moving a
    /// coordinate is its weight times the square of the move.
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
                *x = p.coordinate(v.clamp(p.min(), p.max()));
            }
        }
    }

    /// Like [`arrange`](Self::arrange) with equal weights.
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

    /// The number of parameters, at least 1.
    pub fn dimension(&self) -> usize {
        self.parameters.len()
    }

    /// Checks that `pairs` suffice to tune this space.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`] if there are fewer pairs than parameters.
    pub fn check_pairs(&self, pairs: u64) -> Result<(), SpaceError> {
        let parameters = self.dimension();
        if pairs < parameters as u64 { Err(SpaceError::TooFewPairs { pairs, parameters }) } else { Ok(()) }
    }

    /// Refuses booleans and categories for a method that needs graded parameters.
    ///
    /// # Errors
    /// [`SpaceError::Unsupported`] for the first of them.
    pub fn check_graded(&self, method: &'static str) -> Result<(), SpaceError> {
        match self.parameters.iter().find(|p| !p.is_graded()) {
            None => Ok(()),
            Some(p) => Err(SpaceError::Unsupported {
                name: p.name().to_owned(),
                method,
                kind: p.kind(),
                hint: "use the method quadratic, or test it on its own by SPRT",
            }),
        }
    }

    /// The final values to play at these coordinates.
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
