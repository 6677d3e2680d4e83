//! Minimal dense linear algebra: symmetric positive definite systems, by Cholesky's method.

/// A square matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// The zero matrix with this many rows.
    pub fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// Returns an entry. Panics if there is none.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    /// Adds to an entry. Panics if there is none.
    pub fn add(&mut self, row: usize, column: usize, x: f64) {
        self.cells[row * self.size + column] += x;
    }

    /// Adds all entries of a matrix of the same size.
    pub fn add_all(&mut self, other: &Self) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(cell, other)| *cell += other);
    }

    /// The rows and columns of these indices, in this order. Panics if an index is out of range.
    #[must_use]
    pub fn part(&self, indices: &[usize]) -> Self {
        let cells = indices.iter().flat_map(|&row| indices.iter().map(move |&column| self.at(row, column)));
        Self { size: indices.len(), cells: cells.collect() }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }

    /// Adds weight * x x^T for a vector with few entries, given as (index, value).
    pub fn add_square(&mut self, weight: f64, x: &[(usize, f64)]) {
        for &(i, a) in x {
            for &(j, b) in x {
                self.add(i, j, weight * a * b);
            }
        }
    }

    /// Fixes the parameter `index`: its row and column become those of the identity.
    pub fn pin(&mut self, index: usize) {
        for k in 0..self.size {
            self.cells[index * self.size + k] = 0.0;
            self.cells[k * self.size + index] = 0.0;
        }
        self.cells[index * self.size + index] = 1.0;
    }

    /// The inverse of a symmetric positive definite matrix; `None` if it is not one.
    pub fn inverse(&self) -> Option<Self> {
        let lower = self.cholesky()?;
        let n = self.size;
        // Columns of the inverse of the factor, kept as rows.
        let mut columns = Self::zero(n);
        for j in 0..n {
            for i in j..n {
                let unit = if i == j { 1.0 } else { 0.0 };
                let known = dot(&lower.row(i)[j..i], &columns.row(j)[j..i]);
                columns.cells[j * n + i] = (unit - known) / lower.at(i, i);
            }
        }
        let mut inverse = Self::zero(n);
        for i in 0..n {
            for j in 0..=i {
                let x = dot(&columns.row(i)[i..], &columns.row(j)[i..]);
                inverse.cells[i * n + j] = x;
                inverse.cells[j * n + i] = x;
            }
        }
        Some(inverse)
    }

    /// The lower triangular factor.
    fn cholesky(&self) -> Option<Self> {
        let n = self.size;
        let mut lower = Self::zero(n);
        for i in 0..n {
            for j in 0..=i {
                let rest = self.at(i, j) - dot(&lower.row(i)[..j], &lower.row(j)[..j]);
                lower.cells[i * n + j] = if i > j {
                    rest / lower.at(j, j)
                } else if rest > 1e-13 * self.at(i, i) {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(lower)
    }

    /// The product with a vector.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(self.row(i), x)).collect()
    }

    /// self * middle * self, for symmetric matrices.
    #[must_use]
    pub fn sandwich(&self, middle: &Self) -> Self {
        let n = self.size;
        let mut half = Self::zero(n);
        let mut whole = Self::zero(n);
        // Rows of (self middle); both factors are symmetric, so rows serve as columns.
        for i in 0..n {
            for j in 0..n {
                half.cells[i * n + j] = dot(self.row(i), middle.row(j));
            }
        }
        for i in 0..n {
            for j in 0..n {
                whole.cells[i * n + j] = dot(half.row(i), self.row(j));
            }
        }
        whole
    }
}

/// Uses four fixed lanes, which is fast and gives the same result everywhere.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (mut lanes, whole) = ([0.0; 4], x.len() / 4 * 4);
    for (x, y) in x[..whole].chunks_exact(4).zip(y[..whole].chunks_exact(4)) {
        for k in 0..4 {
            lanes[k] += x[k] * y[k];
        }
    }
    let rest: f64 = x[whole..].iter().zip(&y[whole..]).map(|(x, y)| x * y).sum();
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_matrix_is_the_identity() {
        let mut m = Matrix::zero(9);
        for k in 0..9 {
            m.add(k, k, 0.5);
            m.add_square(1.0 + k as f64, &[(k, 1.0), ((k + 2) % 9, -0.7), ((k + 5) % 9, 0.3)]);
        }
        let inverse = m.inverse().unwrap();
        for k in 0..9 {
            let column = m.times(inverse.row(k));
            for (j, x) in column.iter().enumerate() {
                assert!((x - f64::from(u8::from(j == k))).abs() < 1e-12);
            }
        }
        assert!(Matrix::zero(2).inverse().is_none());
    }
}
