//! Sessions at several limits: the cost of a pair at each limit, and the limit of each pair.
//!
//! A limit is identified by its cost: how many pairs at the longest limit, the *target*, one pair costs. The logarithm
//! of the cost, lambda, is 0 at the target and negative below. Cheap pairs come first, when little is known and optima
//! are far away. They cannot show how optima move with the limit; that is learnt together with the optima at the
//! target, whose share of the cost grows: the share of limit l changes linearly over the session's cost. The limit of a
//! pair is a function of its number alone, so pairs can be proposed in any order; pairs of one design are played at one
//! limit.

/// The shares of the cost for the cheapest limit and the target, at the beginning and at the end of a session. Limits
/// between get equal parts of the rest; without any, the two share the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// The share of the cheapest limit, 0 to 1.
    pub cheapest: (f64, f64),
    /// The share of the target, 0 to 1; both together at most 1.
    pub target: (f64, f64),
}

impl Default for Shares {
    fn default() -> Self {
        Self { cheapest: (0.6, 0.2), target: (0.2, 0.6) }
    }
}

/// The error for limits that make no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("several limits must rise, cost more than nothing, and end with the target, which costs 1")]
pub struct NoLimits;

/// The limits of a session and its schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    costs: Vec<f64>,
    lambdas: Vec<f64>,
    design: u64,
    designs: f64,
    /// The pairs of each limit per unit of cost, at the beginning and at the end.
    densities: [Vec<f64>; 2],
}

impl Limits {
    /// Makes a session of `pairs` pairs in designs of `design`. `costs` has the cost of a pair at each limit, in pairs
    /// at the target: ascending, the last is 1.
    ///
    /// # Errors
    /// [`NoLimits`]
    pub fn new(costs: Vec<f64>, pairs: u64, design: u64, shares: Shares) -> Result<Self, NoLimits> {
        let rises = costs.windows(2).all(|two| two[0] < two[1]);
        let ends = costs.first().is_some_and(|&least| least > 0.0) && costs.last() == Some(&1.0);
        if costs.len() < 2 || !rises || !ends {
            return Err(NoLimits);
        }
        let densities = [
            densities(&costs, shares.cheapest.0, shares.target.0),
            densities(&costs, shares.cheapest.1, shares.target.1),
        ];
        let design = design.max(1);
        let designs = pairs.div_ceil(design).max(1) as f64;
        let lambdas = costs.iter().map(|&cost| libm::log(cost)).collect();
        Ok(Self { costs, lambdas, design, designs, densities })
    }

    /// The number of limits, two or more.
    pub fn count(&self) -> usize {
        self.costs.len()
    }

    /// The cost of a pair at each limit, in pairs at the target: ascending, the last is 1.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// The logarithms of the costs.
    pub fn lambdas(&self) -> &[f64] {
        &self.lambdas
    }

    /// The index of the limit at which a pair is played; 0 is the cheapest.
    pub fn of(&self, pair: u64) -> usize {
        let design = pair / self.design;
        let spent = self.spent(design);
        let [start, end] = &self.densities;
        let density = |i: usize| start[i] + (end[i] - start[i]) * spent;
        let mut left = fraction(design) * (0..self.count()).map(density).sum::<f64>();
        let reached = |&i: &usize| {
            left -= density(i);
            left < 0.0
        };
        (0..self.count()).find(reached).unwrap_or(self.count() - 1)
    }

    /// The logarithm of the cost of the limit at which a pair is played.
    pub fn lambda(&self, pair: u64) -> f64 {
        self.lambdas[self.of(pair)]
    }

    /// The share of the session's cost that is spent before a design. While the pairs per cost go from A to E, this
    /// many of them are played within the share p: A p + (E - A) p^2 / 2, of (A + E) / 2 in all.
    fn spent(&self, design: u64) -> f64 {
        let [a, e]: [f64; 2] = self.densities.each_ref().map(|density| density.iter().sum());
        let done = (design as f64 + 0.5) / self.designs * 0.5 * (a + e);
        let square = a * a + 2.0 * (e - a) * done;
        let root = if square > 0.0 { libm::sqrt(square) } else { 0.0 };
        (2.0 * done / (a + root)).clamp(0.0, 1.0)
    }

    /// The number of pairs at each limit among the first `pairs`.
    pub fn counts(&self, pairs: u64) -> Vec<u64> {
        let mut counts = vec![0; self.count()];
        for first in (0..pairs).step_by(self.design as usize) {
            counts[self.of(first)] += self.design.min(pairs - first);
        }
        counts
    }

    /// The cost of these numbers of pairs, in pairs at the target.
    pub fn cost(&self, counts: &[u64]) -> f64 {
        counts.iter().zip(&self.costs).map(|(&pairs, cost)| pairs as f64 * cost).sum()
    }

    /// The approximate number of pairs that cost as much as this many at the target.
    pub fn pairs_for(&self, cost: u64) -> u64 {
        let each: f64 = self.densities.iter().flatten().sum();
        (cost as f64 * 0.5 * each) as u64
    }
}

/// The pairs of each limit per unit of cost, if the cheapest limit and the target have these shares of the cost.
fn densities(costs: &[f64], cheapest: f64, target: f64) -> Vec<f64> {
    let last = costs.len() - 1;
    let (between, all) = match last - 1 {
        0 => (0.0, cheapest + target),
        n => ((1.0 - cheapest - target) / n as f64, 1.0),
    };
    let share = |i: usize| match i {
        0 => cheapest / all,
        i if i == last => target / all,
        _ => between,
    };
    (0..=last).map(|i| share(i) / costs[i]).collect()
}

/// A number in 0..1 for each design, evenly spread over any range of designs: multiples of the golden ratio.
fn fraction(design: u64) -> f64 {
    (design.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(costs: &[f64], pairs: u64) -> Limits {
        Limits::new(costs.to_vec(), pairs, 4, Shares::default()).unwrap()
    }

    #[test]
    fn the_shares_of_the_cost_are_those_asked_for() {
        for (costs, expected) in [(&[0.1, 0.3, 1.0][..], &[0.4, 0.2, 0.4][..]), (&[0.25, 1.0], &[0.5, 0.5])] {
            let limits = limits(costs, 40_000);
            let counts = limits.counts(40_000);
            let all = limits.cost(&counts);
            for ((&pairs, cost), share) in counts.iter().zip(costs).zip(expected) {
                assert!((pairs as f64 * cost / all - share).abs() < 0.01, "{counts:?} at {costs:?}");
            }
            let again = limits.pairs_for(all as u64) as f64;
            assert!((again / 40_000.0 - 1.0).abs() < 0.01, "{again} pairs");
        }
    }

    #[test]
    fn cheap_pairs_come_first_and_designs_stay_whole() {
        let limits = limits(&[0.1, 0.3, 1.0], 10_000);
        let at_target = |pairs: std::ops::Range<u64>| pairs.filter(|&pair| limits.of(pair) == 2).count();
        assert!(2 * at_target(0..2000) < at_target(8000..10_000));
        assert!((0..10_000).all(|pair| limits.of(pair) == limits.of(pair - pair % 4)));
        assert_eq!(limits.of(1 << 60), limits.of((1 << 60) + 3), "far beyond the plan");
    }

    #[test]
    fn limits_that_make_no_session_are_refused() {
        for costs in [&[1.0][..], &[], &[0.5, 0.2, 1.0], &[0.0, 1.0], &[0.5, 0.9], &[f64::NAN, 1.0]] {
            assert_eq!(Limits::new(costs.to_vec(), 100, 4, Shares::default()), Err(NoLimits), "{costs:?}");
        }
    }
}
