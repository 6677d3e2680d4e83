//! Small dense linear algebra in fixed order: packed symmetric matrices, the Cholesky factor and its triangular solves.
//!
//! The loops can be vectorised without changing the order of any sum, hence results are the same on every machine.

/// A symmetric matrix, stored as its lower triangle, packed row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    order: usize,
    packed: Vec<f64>,
}

/// The most sweeps of Jacobi's method, which converges quadratically.
const SWEEPS: usize = 30;

/// The start of row `i` in a packed lower triangle.
const fn row(i: usize) -> usize {
    i * (i + 1) / 2
}

impl Symmetric {
    /// The zero matrix of this order.
    pub fn zero(order: usize) -> Self {
        Self { order, packed: vec![0.0; row(order)] }
    }

    /// The matrix of this order with the lower triangle `packed`, row by row; `None` if that has another number of
    /// entries.
    pub fn from_packed(order: usize, packed: Vec<f64>) -> Option<Self> {
        (packed.len() == row(order)).then_some(Self { order, packed })
    }

    /// The lower triangle, row by row.
    pub fn packed(&self) -> &[f64] {
        &self.packed
    }

    /// The number of rows.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The entry of row `i` and column `j`, in either order.
    ///
    /// # Panics
    /// An index is not below the order.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        if i >= j { self.packed[row(i) + j] } else { self.packed[row(j) + i] }
    }

    /// Adds `more` to the entry of row `i` and column `j`, in either order.
    ///
    /// # Panics
    /// An index is not below the order.
    pub fn add(&mut self, i: usize, j: usize, more: f64) {
        let entry = if i >= j { row(i) + j } else { row(j) + i };
        self.packed[entry] += more;
    }

    /// Adds `weight` v v^T; entries of `v` beyond the order are ignored.
    pub fn add_outer(&mut self, v: &[f64], weight: f64) {
        for (i, &x) in v.iter().enumerate().take(self.order) {
            let scaled = weight * x;
            for (entry, &y) in self.packed[row(i)..=row(i) + i].iter_mut().zip(v) {
                *entry += scaled * y;
            }
        }
    }

    /// Returns this matrix times `x`.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.order).map(|i| x.iter().enumerate().take(self.order).map(|(j, x)| self.get(i, j) * x).sum()).collect()
    }

    /// Multiplies every entry by `factor`.
    pub fn scale(&mut self, factor: f64) {
        self.packed.iter_mut().for_each(|entry| *entry *= factor);
    }

    /// Adds `diagonal[i]` to entry (i, i).
    pub fn add_diagonal(&mut self, diagonal: &[f64]) {
        for (i, d) in diagonal.iter().enumerate().take(self.order) {
            self.packed[row(i) + i] += d;
        }
    }

    /// The symmetric matrix with the same eigenvectors, and with `of` applied to the eigenvalues, by Jacobi's method.
    #[must_use]
    pub fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        let n = self.order;
        let mut values = self.clone();
        let mut vectors: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        for _ in 0..SWEEPS {
            let (mut off, mut on) = (0.0, 0.0);
            for i in 0..n {
                on += values.get(i, i) * values.get(i, i);
                off += values.packed[row(i)..row(i) + i].iter().map(|x| x * x).sum::<f64>();
            }
            if off <= 1e-20 * on || !off.is_finite() {
                break;
            }
            for p in 1..n {
                for q in 0..p {
                    values.rotate(&mut vectors, p, q);
                }
            }
        }
        let mut mapped = Self::zero(n);
        for (k, vector) in vectors.iter().enumerate() {
            mapped.add_outer(vector, of(values.get(k, k)));
        }
        mapped
    }

    /// Zeroes the entry of row `p` and column `q` by a rotation, which is also applied to `vectors`.
    fn rotate(&mut self, vectors: &mut [Vec<f64>], p: usize, q: usize) {
        let apart = self.get(p, q);
        if apart == 0.0 {
            return;
        }
        let theta = 0.5 * (self.get(q, q) - self.get(p, p)) / apart;
        let tangent = 1.0f64.copysign(theta) / (theta.abs() + libm::hypot(1.0, theta));
        let cosine = 1.0 / libm::hypot(1.0, tangent);
        let sine = tangent * cosine;
        self.add(p, p, -tangent * apart);
        self.add(q, q, tangent * apart);
        self.add(p, q, -apart);
        for i in (0..self.order).filter(|&i| i != p && i != q) {
            let (a, b) = (self.get(i, p), self.get(i, q));
            self.add(i, p, cosine * a - sine * b - a);
            self.add(i, q, sine * a + cosine * b - b);
        }
        // q is less than p.
        let (before, after) = vectors.split_at_mut(p);
        for (x, y) in after[0].iter_mut().zip(before[q].iter_mut()) {
            let (a, b) = (*x, *y);
            (*x, *y) = (cosine * a - sine * b, sine * a + cosine * b);
        }
    }

    /// The factor L with L L^T equal to this matrix, or `None` if the matrix is not positive definite.
    pub fn cholesky(&self) -> Option<Factor> {
        let n = self.order;
        let mut columns: Vec<Vec<f64>> = (0..n).map(|j| (j..n).map(|i| self.get(i, j)).collect()).collect();
        for j in 0..n {
            let (done, rest) = columns.split_at_mut(j + 1);
            let pivot_column = &mut done[j];
            let pivot = pivot_column[0];
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            let inverse = 1.0 / libm::sqrt(pivot);
            for x in pivot_column.iter_mut() {
                *x *= inverse;
            }
            for (offset, column) in rest.iter_mut().enumerate() {
                let below = &pivot_column[offset + 1..];
                let head = below[0];
                for (x, l) in column.iter_mut().zip(below) {
                    *x -= head * l;
                }
            }
        }
        Some(Factor { columns })
    }
}

/// The lower triangular Cholesky factor; column `j` holds its entries from the diagonal down.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    columns: Vec<Vec<f64>>,
}

impl Factor {
    /// Returns L z; for standard normal `z` its covariance is the matrix.
    pub fn times(&self, z: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; z.len()];
        for (j, column) in self.columns.iter().enumerate() {
            for (x, l) in product[j..].iter_mut().zip(column) {
                *x += l * z[j];
            }
        }
        product
    }

    /// Solves L x = b in place.
    pub fn solve_lower(&self, b: &mut [f64]) {
        for (j, column) in self.columns.iter().enumerate() {
            let (head, below) = b[j..].split_at_mut(1);
            head[0] /= column[0];
            for (x, l) in below.iter_mut().zip(&column[1..]) {
                *x -= head[0] * l;
            }
        }
    }

    /// Solves L^T x = b in place; for standard normal `b`, the covariance of x is the inverse matrix.
    pub fn solve_upper(&self, b: &mut [f64]) {
        for (j, column) in self.columns.iter().enumerate().rev() {
            let (head, below) = b[j..].split_at_mut(1);
            let dot: f64 = below.iter().zip(&column[1..]).map(|(x, l)| x * l).sum();
            head[0] = (head[0] - dot) / column[0];
        }
    }

    /// Solves L L^T x = b in place.
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// The logarithm of the determinant of L L^T.
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.columns.iter().map(|column| libm::log(column[0])).sum::<f64>()
    }

    /// The inverse of L L^T.
    pub fn inverse(&self) -> Symmetric {
        let order = self.columns.len();
        let mut inverse = Symmetric::zero(order);
        for j in 0..order {
            let mut column = vec![0.0; order];
            column[j] = 1.0;
            self.solve(&mut column);
            for (i, entry) in column.into_iter().enumerate().skip(j) {
                inverse.add(i, j, entry);
            }
        }
        inverse
    }

    /// The diagonal of the inverse of L L^T.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.columns.len();
        let mut diagonal = vec![0.0; n];
        let mut unit = vec![0.0; n];
        for j in 0..n {
            unit.fill(0.0);
            unit[j] = 1.0;
            for (k, column) in self.columns.iter().enumerate().skip(j) {
                let (head, below) = unit[k..].split_at_mut(1);
                head[0] /= column[0];
                for (x, l) in below.iter_mut().zip(&column[1..]) {
                    *x -= head[0] * l;
                }
            }
            diagonal[j] = unit[j..].iter().map(|x| x * x).sum();
        }
        diagonal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// A positive definite matrix of this order: a sum of outer products and a diagonal.
    fn definite(order: usize, seed: u64) -> Symmetric {
        let mut stream = Stream::from_seed(seed);
        let mut matrix = Symmetric::zero(order);
        for _ in 0..order {
            let v: Vec<f64> = (0..order).map(|_| stream.normal()).collect();
            matrix.add_outer(&v, 1.0);
        }
        matrix.add_diagonal(&vec![0.5; order]);
        matrix
    }

    fn times(matrix: &Symmetric, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| (0..x.len()).map(|j| matrix.get(i, j) * x[j]).sum()).collect()
    }

    #[test]
    fn solving_inverts_multiplying() {
        for order in 1..12 {
            let matrix = definite(order, order as u64);
            let expected: Vec<f64> = (0..order).map(|i| i as f64 - 2.5).collect();
            let mut x = times(&matrix, &expected);
            matrix.cholesky().unwrap().solve(&mut x);
            assert!(x.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{x:?}");
        }
    }

    #[test]
    fn the_inverse_s_diagonal_is_that_of_the_inverse() {
        let matrix = definite(7, 3);
        let factor = matrix.cholesky().unwrap();
        for (j, diagonal) in factor.inverse_diagonal().into_iter().enumerate() {
            let mut unit = vec![0.0; 7];
            unit[j] = 1.0;
            factor.solve(&mut unit);
            assert!((unit[j] - diagonal).abs() < 1e-12);
        }
    }

    #[test]
    fn the_inverse_is_that_of_the_matrix() {
        let mut matrix = Symmetric::zero(2);
        matrix.add_outer(&[1.0, 2.0], 1.0);
        matrix.add_diagonal(&[3.0, 1.0]);
        let inverse = matrix.cholesky().unwrap().inverse();
        for (i, j, entry) in [(0, 0, 5.0), (0, 1, -2.0), (1, 1, 4.0)] {
            assert!((inverse.get(i, j) - entry / 16.0).abs() < 1e-12, "{inverse:?}");
        }
        let again = Symmetric::from_packed(2, inverse.packed().to_vec());
        assert_eq!((again, Symmetric::from_packed(3, Vec::new())), (Some(inverse), None));
    }

    #[test]
    fn a_map_of_eigenvalues_keeps_the_eigenvectors() {
        let matrix = definite(6, 8);
        let root = matrix.map(libm::sqrt);
        for i in 0..6 {
            for j in 0..=i {
                let square: f64 = (0..6).map(|k| root.get(i, k) * root.get(k, j)).sum();
                assert!((square - matrix.get(i, j)).abs() < 1e-9, "{i} {j}");
            }
        }
        let mut diagonal = Symmetric::zero(3);
        diagonal.add_diagonal(&[4.0, 0.25, 9.0]);
        assert_eq!(diagonal.map(libm::sqrt).packed(), [2.0, 0.0, 0.5, 0.0, 0.0, 3.0]);
    }

    #[test]
    fn the_triangular_solves_are_the_halves_of_the_whole() {
        let matrix = definite(5, 9);
        let factor = matrix.cholesky().unwrap();
        let b = vec![1.0, -2.0, 3.0, 0.5, 0.0];
        let (mut halves, mut whole) = (b.clone(), b);
        factor.solve_lower(&mut halves);
        factor.solve_upper(&mut halves);
        factor.solve(&mut whole);
        assert_eq!(halves, whole);
    }

    #[test]
    fn multiplying_by_the_factor_undoes_solving() {
        let factor = definite(6, 4).cholesky().unwrap();
        let expected: Vec<f64> = (0..6).map(|i| f64::from(i) - 2.5).collect();
        let mut x = factor.times(&expected);
        factor.solve_lower(&mut x);
        assert!(x.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        let mut matrix = Symmetric::zero(2);
        matrix.add_outer(&[1.0, 1.0], 1.0);
        matrix.add_diagonal(&[0.0, -0.5]);
        assert_eq!(matrix.cholesky(), None);
        matrix.add_diagonal(&[f64::NAN, 1.0]);
        assert_eq!(matrix.cholesky(), None);
    }
}
