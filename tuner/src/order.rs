//! Constraints of the form "this parameter stays below that one": how they narrow ranges, and how values are brought
//! into order.
//!
//! Values that are out of order are moved as little as possible, in the given weights: to the nearest point of the
//! intersection of half-spaces, by Hildreth's method (Hildreth 1957, A quadratic programming procedure). Rounding
//! errors are corrected upwards. The caller reads constraints, and `space` handles coordinates.

use crate::parameter::{Parameter, SpaceError};

/// The number of sweeps over all constraints, after which remaining violations are corrected upwards.
const SWEEPS: u32 = 200;
/// The violation up to which values count as in order, as a share of the gap and of the values.
const TOLERANCE: f64 = 1e-12;

/// One constraint: the value of `high` is at least that of `low` plus `gap`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) low: usize,
    pub(crate) high: usize,
    pub(crate) gap: f64,
}

/// Constraints without a cycle, sorted so that a parameter is raised before those above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Orders(Vec<Order>);

impl Orders {
    /// Sorts these constraints of this many parameters. The error for a cycle of constraints is a parameter in it.
    pub(crate) fn new(orders: Vec<Order>, parameters: usize) -> Result<Self, usize> {
        let (mut sorted, mut left) = (Vec::with_capacity(orders.len()), orders);
        let mut placed = vec![false; parameters];
        while !left.is_empty() {
            let waits = |i: usize| left.iter().any(|order| order.high == i);
            let free: Vec<usize> = (0..parameters).filter(|&i| !placed[i] && !waits(i)).collect();
            if free.is_empty() {
                return Err(left[0].high);
            }
            let (now, later): (Vec<Order>, Vec<Order>) = left.into_iter().partition(|order| free.contains(&order.low));
            for i in free {
                placed[i] = true;
            }
            sorted.extend(now);
            left = later;
        }
        Ok(Self(sorted))
    }

    /// Whether there are no constraints.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a constraint names the parameter.
    pub(crate) fn concern(&self, i: usize) -> bool {
        self.0.iter().any(|order| order.low == i || order.high == i)
    }

    /// Removes from every range what no constraint allows, but never the start, which may be closer to another start
    /// than the gap.
    pub(crate) fn narrow(&self, parameters: &mut [Parameter]) -> Result<(), SpaceError> {
        for &Order { low, high, gap } in &self.0 {
            let least = parameters[low].min() + gap;
            if least > parameters[high].min() {
                let (least, start) = (parameters[high].raised(least), parameters[high].start());
                let least = if least < start { least } else { start };
                parameters[high] = parameters[high].within(least, parameters[high].max())?;
            }
        }
        for &Order { low, high, gap } in self.0.iter().rev() {
            let most = parameters[high].max() - gap;
            if most < parameters[low].max() {
                let (most, start) = (-parameters[low].raised(-most), parameters[low].start());
                let most = if most > start { most } else { start };
                parameters[low] = parameters[low].within(parameters[low].min(), most)?;
            }
        }
        Ok(())
    }

    /// Moves values that are out of order to the nearest values in order; a weight is the cost per squared unit of a
    /// move.
    pub(crate) fn arrange(&self, values: &mut [f64], weights: &[f64]) {
        let mut pushes = vec![0.0; self.0.len()];
        for _ in 0..SWEEPS {
            let mut largest = 0.0_f64;
            for (&Order { low, high, gap }, push) in self.0.iter().zip(&mut pushes) {
                let missing = gap - (values[high] - values[low]);
                let give = 1.0 / weights[low] + 1.0 / weights[high];
                let wanted = *push + missing / give;
                let pushed = if wanted > 0.0 { wanted } else { 0.0 };
                let change = pushed - *push;
                values[low] -= change / weights[low];
                values[high] += change / weights[high];
                *push = pushed;
                let moved =
                    (change * give).abs() / (gap.abs() + values[low].abs() + values[high].abs() + f64::MIN_POSITIVE);
                largest = if moved > largest { moved } else { largest };
            }
            if largest < TOLERANCE {
                break;
            }
        }
    }

    /// Raises values that are still out of order.
    pub(crate) fn raise(&self, parameters: &[Parameter], values: &mut [f64]) {
        for &Order { low, high, gap } in &self.0 {
            let least = values[low] + gap;
            if values[high] < least {
                values[high] = parameters[high].raised(least).clamp(parameters[high].min(), parameters[high].max());
            }
        }
    }
}
