//! Judges weights by the same figures for every method.

use super::design::Part;
use super::objective::Objective;
use serde::{Deserialize, Serialize};

/// Figures of some weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Mean cross-entropy on the positions fitted to, in nats.
    pub training: f64,
    /// Mean cross-entropy on held-out positions, in nats.
    pub held_out: f64,
    /// Mean absolute difference from the scores of held-out positions, in the unit of the weights.
    pub absolute: Option<f64>,
    /// Rank correlation (Spearman's) with the scores, or the targets, of held-out positions.
    pub rank: Option<f64>,
}

/// Computes the figures of some weights.
pub(super) fn judge(objective: &Objective<'_>, weights: &[f64]) -> Judged {
    Judged {
        training: objective.loss(weights, Part::Training),
        held_out: objective.loss(weights, Part::HeldOut),
        absolute: absolute(objective, weights),
        rank: rank_correlation(objective, weights, Part::HeldOut),
    }
}

fn absolute(objective: &Objective<'_>, weights: &[f64]) -> Option<f64> {
    let design = objective.design;
    let rows = design.part(Part::HeldOut);
    let scored = rows.filter_map(|row| Some((row, design.row(row).label.score?)));
    let differences = scored.map(|(row, score)| (design.evaluation(row, weights) - f64::from(score)).abs());
    let (count, sum) = differences.fold((0_u64, 0.0), |(count, sum), difference| (count + 1, sum + difference));
    (count > 0).then(|| sum / count as f64)
}

/// Spearman's rank correlation of evaluations with scores, or with targets if not all rows have scores; `None` if
/// either side is constant.
pub(super) fn rank_correlation(objective: &Objective<'_>, weights: &[f64], part: Part) -> Option<f64> {
    let design = objective.design;
    let rows = design.part(part);
    let evaluations = rows.clone().map(|row| design.evaluation(row, weights)).collect::<Vec<_>>();
    let scores: Option<Vec<f64>> = rows.clone().map(|row| design.row(row).label.score.map(f64::from)).collect();
    let wanted = scores.unwrap_or_else(|| rows.map(|row| objective.target.of(design.row(row).label)).collect());
    correlation(&ranks(&evaluations), &ranks(&wanted))
}

/// The rank of each value; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut ranks, mut at) = (values.to_vec(), 0);
    for equal in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let mean = at as f64 + (equal.len() - 1) as f64 / 2.0;
        for &index in equal {
            ranks[index] = mean;
        }
        at += equal.len();
    }
    ranks
}

/// Pearson's correlation; `None` if either side is constant.
pub(super) fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = x.len().max(1) as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (x, y) = (x - mean_x, y - mean_y);
        (xx, yy, xy) = (xx + x * x, yy + y * y, xy + x * y);
    }
    let r = xy / libm::sqrt(xx * yy);
    r.is_finite().then_some(r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_equal_values_are_shared() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
        let r = correlation(&ranks(&[1.0, 2.0, 9.0]), &ranks(&[-5.0, 0.0, 0.1])).unwrap();
        assert!((r - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
    }
}
