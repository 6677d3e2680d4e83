//! Sessions at several limits: what a pair costs at each, and which pair is played at which.
//!
//! Limits are told by their cost: the share of the longest one, the *target*, that a pair at them takes. The logarithm of that share,
//! lambda, is 0 at the target and negative below. Cheap pairs come first, when little is known and optima are far; what they cannot
//! say, how optima move with the limit, is learnt from those at the target, whose share of the cost grows. Which design is played where
//! is a function of its number alone, so that pairs can be proposed in any order.

/// Share of the cost that goes to the cheapest limit and to the target, at the beginning and at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// At the cheapest.
    pub cheapest: (f64, f64),
    /// At the target. Limits between share what is left.
    pub target: (f64, f64),
}

impl Default for Shares {
    fn default() -> Self {
        Self { cheapest: (0.6, 0.2), target: (0.2, 0.6) }
    }
}

/// The schedule of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    costs: Vec<f64>,
    designs: f64,
    start: Vec<f64>,
    end: Vec<f64>,
}

/// Why costs make no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("limits must rise, each more than 0 and less than the target's, and there must be one beside the target")]
pub struct NoLimits;

impl Limits {
    /// A session of `designs` designs at limits that cost `costs` of the target's pairs, rising, the last being the target: 1.
    ///
    /// # Errors
    /// [`NoLimits`]
    pub fn new(costs: Vec<f64>, designs: u64, shares: Shares) -> Result<Self, NoLimits> {
        let rises = costs.windows(2).all(|two| two[0] < two[1]);
        let least = costs.first().is_some_and(|&least| least > 0.0);
        if costs.len() < 2 || !rises || !least || costs.last() != Some(&1.0) {
            return Err(NoLimits);
        }
        let spread = |cheapest: f64, target: f64| -> Vec<f64> {
            let last = costs.len() - 1;
            // What is between shares the rest; where there is nothing between, the two share it.
            let (between, sum) = match last - 1 {
                0 => (0.0, cheapest + target),
                n => ((1.0 - cheapest - target) / n as f64, 1.0),
            };
            let share = |i: usize| match i {
                0 => cheapest / sum,
                i if i == last => target / sum,
                _ => between,
            };
            (0..costs.len()).map(|i| share(i) / costs[i]).collect()
        };
        let start = spread(shares.cheapest.0, shares.target.0);
        let end = spread(shares.cheapest.1, shares.target.1);
        Ok(Self { designs: designs.max(1) as f64, start, end, costs })
    }

    /// How many limits there are, two or more.
    pub fn count(&self) -> usize {
        self.costs.len()
    }

    /// The number of the limit, the cheapest being 0, at which a design is played.
    pub fn of(&self, design: u64) -> usize {
        let spent = self.spent(design);
        let density: Vec<f64> = self.start.iter().zip(&self.end).map(|(a, b)| a + (b - a) * spent).collect();
        let mut left = fraction(design) * density.iter().sum::<f64>();
        for (i, share) in density.iter().enumerate() {
            if left < *share {
                return i;
            }
            left -= share;
        }
        density.len() - 1
    }

    /// Share of the cost that is spent before a design: with designs per cost going from A to E, so many designs
    /// are played for p of it as A p + (E - A) p^2 / 2.
    fn spent(&self, design: u64) -> f64 {
        let (a, e): (f64, f64) = (self.start.iter().sum(), self.end.iter().sum());
        let done = (design as f64 + 0.5) / self.designs * 0.5 * (a + e);
        let root = a * a + 2.0 * (e - a) * done;
        let root = if root > 0.0 { libm::sqrt(root) } else { 0.0 };
        // The stable form of (root - a) / (e - a).
        (2.0 * done / (a + root)).clamp(0.0, 1.0)
    }

    /// What a pair costs at a limit, in pairs at the target.
    ///
    /// # Panics
    /// When there is no such limit.
    pub fn cost(&self, limit: usize) -> f64 {
        self.costs[limit]
    }

    /// The logarithm of that.
    ///
    /// # Panics
    /// When there is no such limit.
    pub fn lambda(&self, limit: usize) -> f64 {
        libm::log(self.costs[limit])
    }

    /// Designs that cost as much as `cost` designs at the target.
    pub fn designs_for(cost: u64, costs: Vec<f64>, shares: Shares) -> Result<u64, NoLimits> {
        let limits = Self::new(costs, 1, shares)?;
        let both: f64 = limits.start.iter().chain(&limits.end).sum();
        Ok((cost as f64 * 0.5 * both) as u64)
    }
}

/// A number of 0..1 for each design, evenly spread over any run of them: multiples of the golden ratio.
fn fraction(design: u64) -> f64 {
    (design.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64
}
