//! The knowledge about the values of a category, which sessions hand on as described in `warm`.
//!
//! Pairs measure only differences: `precision` is a matrix over all values whose rows add up to 0, and `shift` is that
//! matrix times the values' worths. So it does not depend on which value is the start, whose worth is 0: the
//! regression, which has no column for the start, omits its row. A value that no longer exists is integrated out, and a
//! new one starts without knowledge.
//!
//! The worths may have changed since. It suffices that old knowledge fades and is only partly trusted: adding as much
//! noise as for optima that move (`warm`), in parts of 5 Elo, lost more on the benchmark.

use crate::linear::Symmetric;

/// The knowledge about the worths of a category's values, in Elo.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryPosterior {
    precision: Symmetric,
    shift: Vec<f64>,
}

impl CategoryPosterior {
    /// Makes the posterior from the precisions among all values, the lower triangle row by row, and these times the
    /// worths; `None` if their number is wrong, or one is not finite.
    pub fn new(precisions: Vec<f64>, shifts: Vec<f64>) -> Option<Self> {
        let finite = precisions.iter().chain(&shifts).all(|x| x.is_finite());
        let precision = Symmetric::from_packed(shifts.len(), precisions).filter(|_| finite)?;
        Some(Self { precision, shift: shifts })
    }

    /// No knowledge about this many values.
    fn nothing(values: usize) -> Self {
        Self { precision: Symmetric::zero(values), shift: vec![0.0; values] }
    }

    /// The posterior of all worths but that of `start`, with this covariance and mean, without the prior, which has the
    /// precision `prior` for each worth about 0.
    pub(super) fn of(covariance: &Symmetric, mean: &[f64], prior: f64, start: usize) -> Self {
        let mut all = Self::nothing(mean.len() + 1);
        let Some(factor) = covariance.cholesky() else { return all };
        let precision = factor.inverse();
        let place = |column: usize| column + usize::from(column >= start);
        for i in 0..mean.len() {
            for j in 0..i {
                all.add_difference_to(start, place(i), place(j), precision.get(i, j));
            }
            all.add_difference_to(start, place(i), place(i), precision.get(i, i) - prior);
            let shift: f64 = (0..mean.len()).map(|j| precision.get(i, j) * mean[j]).sum();
            all.shift[place(i)] += shift;
            all.shift[start] -= shift;
        }
        all
    }

    /// Adds to the precision of the worths at `i` and `j`, which are relative to that at `start`.
    fn add_difference_to(&mut self, start: usize, i: usize, j: usize, more: f64) {
        self.precision.add(i, j, more);
        self.precision.add(start, i, -more);
        if i == j {
            self.precision.add(start, start, more);
        } else {
            self.precision.add(start, j, -more);
            self.precision.add(start, start, 2.0 * more);
        }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.shift.len()
    }

    /// The precisions among all values, the lower triangle row by row.
    pub fn precisions(&self) -> &[f64] {
        self.precision.packed()
    }

    /// The precisions times the worths.
    pub fn shifts(&self) -> &[f64] {
        &self.shift
    }

    /// The knowledge scaled to a share of its precision.
    #[must_use]
    pub fn trusted(mut self, share: f64) -> Self {
        self.precision.scale(share);
        self.shift.iter_mut().for_each(|x| *x *= share);
        self
    }

    /// Converts the knowledge to the values of another session; `places` has the index of each value there, if it
    /// exists.
    #[must_use]
    pub fn converted_to(mut self, places: &[Option<usize>]) -> Self {
        for gone in (0..self.count()).filter(|place| !places.contains(&Some(*place))) {
            self.integrate_out(gone);
        }
        let mut moved = Self::nothing(places.len());
        for (i, at) in places.iter().enumerate() {
            let Some(at) = at.filter(|at| *at < self.count()) else { continue };
            moved.shift[i] = self.shift[at];
            for (j, other) in places.iter().enumerate().take(i + 1) {
                let entry = other.filter(|other| *other < self.count()).map(|other| self.precision.get(at, other));
                moved.precision.add(i, j, entry.unwrap_or_default());
            }
        }
        moved
    }

    /// Integrates out `gone`, and keeps its evidence about the other values.
    fn integrate_out(&mut self, gone: usize) {
        let own = self.precision.get(gone, gone);
        if own > 0.0 {
            let across: Vec<f64> = (0..self.count()).map(|i| self.precision.get(i, gone)).collect();
            let shift = self.shift[gone];
            self.precision.add_outer(&across, -1.0 / own);
            self.shift.iter_mut().zip(&across).for_each(|(x, across)| *x -= across * shift / own);
        }
        for i in 0..self.count() {
            self.precision.add(i, gone, -self.precision.get(i, gone));
        }
        self.shift[gone] = 0.0;
    }

    /// The term of a regression, which has no column for `start`: precisions, and these times the worths.
    pub(crate) fn columns(&self, start: usize) -> (Symmetric, Vec<f64>) {
        let others: Vec<usize> = (0..self.count()).filter(|place| *place != start).collect();
        let mut precision = Symmetric::zero(others.len());
        for (i, &at) in others.iter().enumerate() {
            others[..=i].iter().enumerate().for_each(|(j, &other)| precision.add(i, j, self.precision.get(at, other)));
        }
        (precision, others.into_iter().map(|place| self.shift[place]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The evidence of pairs of these values, each with its wins minus losses in Elo, about `count` values.
    fn learnt(count: usize, pairs: &[(usize, usize, f64)]) -> CategoryPosterior {
        let mut worths = CategoryPosterior::nothing(count);
        for &(a, b, net) in pairs {
            let mut contrast = vec![0.0; count];
            contrast[a] += 1.0;
            contrast[b] -= 1.0;
            worths.precision.add_outer(&contrast, 1.0);
            worths.shift.iter_mut().zip(contrast).for_each(|(x, c)| *x += c * net);
        }
        worths
    }

    fn pairs(stream: &mut Stream, count: usize) -> Vec<(usize, usize, f64)> {
        let mut value = || (stream.uniform() * count as f64) as usize;
        let met: Vec<(usize, usize)> = (0..200).map(|_| (value(), value())).filter(|(a, b)| a != b).collect();
        met.into_iter().map(|(a, b)| (a, b, stream.normal())).collect()
    }

    fn close(a: &CategoryPosterior, b: &CategoryPosterior) -> bool {
        let each = a.precisions().iter().zip(b.precisions()).chain(a.shift.iter().zip(&b.shift));
        a.count() == b.count() && each.into_iter().all(|(a, b)| (a - b).abs() < 1e-7 * (1.0 + a.abs()))
    }

    /// The expected worths if each is 0 ± 5 Elo against the start.
    fn expected(worths: &CategoryPosterior, start: usize) -> Vec<f64> {
        let (mut precision, mut mean) = worths.columns(start);
        precision.add_diagonal(&vec![0.04; mean.len()]);
        precision.cholesky().unwrap().solve(&mut mean);
        mean
    }

    #[test]
    fn what_is_left_of_a_posterior_is_what_the_pairs_say_whichever_is_the_start() {
        let all = learnt(4, &pairs(&mut Stream::from_seed(1), 4));
        for start in 0..4 {
            let (mut precision, _) = all.columns(start);
            precision.add_diagonal(&[0.04; 3]);
            let covariance = precision.cholesky().unwrap().inverse();
            assert!(close(&CategoryPosterior::of(&covariance, &expected(&all, start), 0.04, start), &all));
        }
    }

    #[test]
    fn values_are_known_in_another_order_and_new_ones_not_at_all() {
        let all_pairs = pairs(&mut Stream::from_seed(2), 3);
        let places = [2, 0, 1];
        let other: Vec<_> = all_pairs.iter().map(|&(a, b, net)| (places[a], places[b], net)).collect();
        let all = learnt(3, &all_pairs);
        assert!(close(&all.clone().converted_to(&[Some(1), Some(2), Some(0)]), &learnt(3, &other)));
        let more = all.clone().converted_to(&[None, Some(0), Some(1), Some(2)]);
        assert!(close(&more.clone().converted_to(&[Some(1), Some(2), Some(3)]), &all));
        assert!(more.precision.get(0, 0).abs() < 1e-12);
    }

    #[test]
    fn of_a_value_that_is_gone_stays_what_it_says_of_the_others() {
        // The second value has met both others, which have not met each other.
        let through = learnt(3, &[(0, 1, 4.0), (1, 2, 2.0)]).converted_to(&[Some(0), Some(2)]);
        assert!(close(&through, &learnt(2, &[(0, 1, 6.0)]).trusted(0.5)), "{through:?}");
        assert!(close(&learnt(3, &[(0, 2, 1.0)]).converted_to(&[Some(0), Some(1)]), &CategoryPosterior::nothing(2)));
    }

    #[test]
    fn numbers_that_are_too_few_or_none_are_no_knowledge() {
        assert_eq!(CategoryPosterior::new(vec![1.0], vec![0.0, 1.0]), None);
        assert_eq!(CategoryPosterior::new(vec![1.0, f64::NAN, 1.0], vec![0.0, 1.0]), None);
        assert!(CategoryPosterior::new(vec![1.0, -1.0, 1.0], vec![0.0, 1.0]).is_some());
    }
}
