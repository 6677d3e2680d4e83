//! Standard errors of fitted weights, from the Hessian of the loss at its minimum (the observed information of a
//! logistic regression).
//!
//! Positions of one game are alike, so they carry less information than their number suggests: true errors are larger.

use super::FitError;
use super::design::Part;
use super::objective::{Objective, sigmoid};
use rayon::prelude::*;
use stats::matrix::Matrix;

/// The maximum number of weights to compute errors for: with more, the matrix would be too large.
pub const MOST_WEIGHTS: usize = 2_000;
/// The number of parts of the sum, for any number of threads.
const PARTS: usize = 8;

/// The standard error of each weight, in its unit; `None` for a weight without evidence from positions, which only the
/// ridge determines.
///
/// # Errors
/// [`FitError::Singular`] if the data cannot distinguish some features and there is no ridge.
pub(super) fn errors(objective: &Objective<'_>, weights: &[f64]) -> Result<Option<Vec<Option<f64>>>, FitError> {
    let size = weights.len();
    if size > MOST_WEIGHTS {
        return Ok(None);
    }
    let unseen = objective.design.unseen();
    let mut hessian = information(objective, weights);
    let ridge = 1.0 / (objective.spread * objective.spread);
    (0..size).for_each(|weight| hessian.add(weight, weight, ridge));
    (0..size).filter(|&weight| unseen[weight]).for_each(|weight| hessian.pin(weight));
    let inverse = hessian.inverse().ok_or_else(|| singular(objective, &hessian, &unseen))?;
    let error = |weight: usize| (!unseen[weight]).then(|| libm::sqrt(inverse.at(weight, weight)));
    Ok(Some((0..size).map(error).collect()))
}

/// The sum of `p (1 - p) x x^T / scale^2` over all positions to train on.
fn information(objective: &Objective<'_>, weights: &[f64]) -> Matrix {
    let rows = objective.design.part(Part::Training);
    let length = rows.len().div_ceil(PARTS).max(1);
    let starts: Vec<usize> = rows.clone().step_by(length).collect();
    let parts: Vec<Matrix> = starts
        .into_par_iter()
        .map(|start| {
            let (mut sum, mut slopes) = (Matrix::zero(weights.len()), Vec::new());
            for row in start..(start + length).min(rows.end) {
                let p = sigmoid(objective.design.evaluation(row, weights) / objective.scale);
                objective.design.slopes(row, &mut slopes);
                sum.add_square(p * (1.0 - p) / (objective.scale * objective.scale), &slopes);
            }
            sum
        })
        .collect();
    let mut parts = parts.into_iter();
    let mut whole = parts.next().unwrap_or_else(|| Matrix::zero(weights.len()));
    parts.for_each(|part| whole.add_all(&part));
    whole
}

/// The error for the first feature that the features before it determine.
fn singular(objective: &Objective<'_>, hessian: &Matrix, unseen: &[bool]) -> FitError {
    let count = objective.design.names.len();
    let seen: Vec<usize> = (0..unseen.len()).filter(|&weight| !unseen[weight]).collect();
    // The shortest singular leading part ends with the culprit.
    let fails = |length: &usize| hessian.part(&seen[..*length]).inverse().is_none();
    let (mut low, mut high) = (0, seen.len());
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if fails(&middle) { high = middle } else { low = middle }
    }
    let culprit = seen.get(high.saturating_sub(1)).map_or(0, |weight| weight % count);
    FitError::Singular { feature: objective.design.names.get(culprit).cloned().unwrap_or_default() }
}
