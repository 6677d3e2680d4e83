//! Symmetric matrices that are whole, or split into one small block for each column.
//!
//! A regression of `n` columns with `m` coefficients each, stored one kind after the other, has order `n m`. Whole, it
//! costs the square of that for each pair and the cube for each fit. With hundreds of parameters, whose signs are
//! random, each is fitted by itself, and the effects of the others are noise. Then only the coefficients of one column
//! are kept together, and entries between two columns are dropped.

use crate::linear::{Factor, Symmetric};

/// The number of columns above which columns are fitted independently.
pub(crate) const MANY: usize = 100;

/// A symmetric matrix of this many columns.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// With every entry.
    Whole(Symmetric),
    /// With a block for each column.
    Apart(Vec<Symmetric>),
}

/// The Cholesky factor of such a matrix.
#[derive(Clone, Debug)]
pub(crate) enum Root {
    Whole(Factor),
    Apart(Vec<Factor>),
}

/// The part of `all` that belongs to one of this many columns.
fn gathered(all: &[f64], column: usize, columns: usize) -> Vec<f64> {
    all.iter().skip(column).step_by(columns).copied().collect()
}

impl Matrix {
    /// The zero matrix of this order for this many columns: dense, or in blocks for many columns.
    pub(crate) fn zero(order: usize, columns: usize) -> Self {
        if columns <= MANY || !order.is_multiple_of(columns) {
            return Self::Whole(Symmetric::zero(order));
        }
        Self::Apart(vec![Symmetric::zero(order / columns); columns])
    }

    /// Adds `more` to the entry of row `i` and column `j`, if the entry is kept.
    pub(crate) fn add(&mut self, i: usize, j: usize, more: f64) {
        match self {
            Self::Whole(matrix) => matrix.add(i, j, more),
            Self::Apart(blocks) => {
                let columns = blocks.len();
                if i % columns == j % columns {
                    blocks[i % columns].add(i / columns, j / columns, more);
                }
            }
        }
    }

    /// Adds v v^T.
    pub(crate) fn add_outer(&mut self, v: &[f64]) {
        match self {
            Self::Whole(matrix) => matrix.add_outer(v, 1.0),
            Self::Apart(blocks) => {
                let columns = blocks.len();
                for (column, block) in blocks.iter_mut().enumerate() {
                    block.add_outer(&gathered(v, column, columns), 1.0);
                }
            }
        }
    }

    /// Multiplies every entry by `factor`.
    pub(crate) fn scale(&mut self, factor: f64) {
        match self {
            Self::Whole(matrix) => matrix.scale(factor),
            Self::Apart(blocks) => blocks.iter_mut().for_each(|block| block.scale(factor)),
        }
    }

    /// Adds `diagonal[i]` to entry (i, i).
    pub(crate) fn add_diagonal(&mut self, diagonal: &[f64]) {
        match self {
            Self::Whole(matrix) => matrix.add_diagonal(diagonal),
            Self::Apart(blocks) => {
                let columns = blocks.len();
                for (column, block) in blocks.iter_mut().enumerate() {
                    block.add_diagonal(&gathered(diagonal, column, columns));
                }
            }
        }
    }

    /// The factor L with L L^T equal to this matrix, or `None` if the matrix is not positive definite.
    pub(crate) fn cholesky(&self) -> Option<Root> {
        Some(match self {
            Self::Whole(matrix) => Root::Whole(matrix.cholesky()?),
            Self::Apart(blocks) => Root::Apart(blocks.iter().map(Symmetric::cholesky).collect::<Option<_>>()?),
        })
    }
}

impl Root {
    /// Solves in place, block by block if blocks are independent. A block with zero `b` stays zero.
    fn each(&self, b: &mut [f64], solve: impl Fn(&Factor, &mut [f64])) {
        match self {
            Self::Whole(factor) => solve(factor, b),
            Self::Apart(factors) => {
                let columns = factors.len();
                for (column, factor) in factors.iter().enumerate() {
                    if b.iter().skip(column).step_by(columns).all(|x| x.abs() <= 0.0) {
                        continue;
                    }
                    let mut part = gathered(b, column, columns);
                    solve(factor, &mut part);
                    b.iter_mut().skip(column).step_by(columns).zip(part).for_each(|(x, solved)| *x = solved);
                }
            }
        }
    }

    /// Solves L x = b in place.
    pub(crate) fn solve_lower(&self, b: &mut [f64]) {
        self.each(b, Factor::solve_lower);
    }

    /// Solves L^T x = b in place.
    pub(crate) fn solve_upper(&self, b: &mut [f64]) {
        self.each(b, Factor::solve_upper);
    }

    /// Solves L L^T x = b in place.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        self.each(b, Factor::solve);
    }

    /// The diagonal of the inverse of L L^T.
    pub(crate) fn inverse_diagonal(&self) -> Vec<f64> {
        match self {
            Self::Whole(factor) => factor.inverse_diagonal(),
            Self::Apart(factors) => {
                let parts: Vec<Vec<f64>> = factors.iter().map(Factor::inverse_diagonal).collect();
                let each = parts.first().map_or(0, Vec::len);
                (0..each).flat_map(|kind| parts.iter().map(move |part| part[kind])).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn a_matrix_without_entries_between_columns_is_the_same_apart() {
        let columns = MANY + 1;
        let (mut apart, mut whole) = (Matrix::zero(3 * columns, columns), Symmetric::zero(3 * columns));
        assert!(matches!(apart, Matrix::Apart(_)) && matches!(Matrix::zero(3 * MANY, MANY), Matrix::Whole(_)));
        let mut stream = Stream::from_seed(3);
        for column in 0..columns {
            for _ in 0..4 {
                let mut v = vec![0.0; 3 * columns];
                (0..3).for_each(|kind| v[kind * columns + column] = stream.normal());
                apart.add_outer(&v);
                whole.add_outer(&v, 1.0);
            }
        }
        apart.add(2, columns + 2, 0.125);
        whole.add(2, columns + 2, 0.125);
        apart.add(2, 3, 9.0);
        let diagonal: Vec<f64> = (0..3 * columns).map(|i| 1.0 + i as f64 / 100.0).collect();
        apart.add_diagonal(&diagonal);
        whole.add_diagonal(&diagonal);
        apart.scale(0.5);
        whole.scale(0.5);
        let (root, factor) = (apart.cholesky().unwrap(), whole.cholesky().unwrap());
        let b: Vec<f64> = (0..3 * columns).map(|_| stream.normal()).collect();
        let (mut one, mut other) = (b.clone(), b);
        root.solve(&mut one);
        factor.solve(&mut other);
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(same(&one, &other) && same(&root.inverse_diagonal(), &factor.inverse_diagonal()));
        root.solve_lower(&mut one);
        root.solve_upper(&mut one);
        factor.solve(&mut other);
        assert!(same(&one, &other));
    }
}
