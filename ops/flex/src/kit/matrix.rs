//! Linear algebra on batches of small matrices, in complex f64.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::complex::{abs, add, complex, conj, div, mul, real, sqrt, sub};

/// A matrix in row-major order.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The elements, row by row.
    pub data: Vec<Complex64>,
}

impl Matrix {
    /// Returns a matrix with these elements.
    pub fn new(rows: usize, columns: usize, data: &[Complex64]) -> Self {
        Matrix { rows, columns, data: data.to_vec() }
    }

    /// Returns the identity matrix of size `n`.
    pub fn identity(n: usize) -> Self {
        let data = (0..n * n).map(|i| real(if i / n == i % n { 1.0 } else { 0.0 })).collect();
        Matrix { rows: n, columns: n, data }
    }

    /// Returns an element.
    pub fn at(&self, row: usize, column: usize) -> Complex64 {
        self.data[row * self.columns + column]
    }

    /// Sets an element.
    pub fn set(&mut self, row: usize, column: usize, value: Complex64) {
        self.data[row * self.columns + column] = value;
    }

    /// Returns the conjugate transpose.
    pub fn adjoint(&self) -> Matrix {
        let data =
            (0..self.data.len()).map(|i| conj(self.at(i % self.rows.max(1), i / self.rows.max(1)))).collect();
        Matrix { rows: self.columns, columns: self.rows, data }
    }

    /// Returns the product `self · other`.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::new(self.rows, other.columns, &vec![real(0.0); self.rows * other.columns]);
        for i in 0..self.rows {
            for k in 0..self.columns {
                for j in 0..other.columns {
                    product.set(i, j, add(product.at(i, j), mul(self.at(i, k), other.at(k, j))));
                }
            }
        }
        product
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.data.swap(a * self.columns + column, b * self.columns + column);
        }
    }
}

/// An LU decomposition with row exchanges.
pub struct Lu {
    /// `U` in the upper triangle, `L` below it; the unit diagonal of `L` is implied.
    pub lu: Matrix,
    /// Row `i` of `L U` is row `order[i]` of the matrix.
    pub order: Vec<usize>,
    /// Whether the number of row exchanges is odd.
    pub odd: bool,
}

/// Decomposes a square matrix with partial pivoting.
pub fn lu(mut a: Matrix) -> Lu {
    let n = a.rows;
    let (mut order, mut odd): (Vec<usize>, bool) = ((0..n).collect(), false);
    for k in 0..n {
        let mut pivot = k;
        for row in k + 1..n {
            if abs(a.at(row, k)) > abs(a.at(pivot, k)) {
                pivot = row;
            }
        }
        if pivot != k {
            a.swap_rows(pivot, k);
            order.swap(pivot, k);
            odd = !odd;
        }
        if a.at(k, k) == real(0.0) {
            continue;
        }
        for row in k + 1..n {
            let factor = div(a.at(row, k), a.at(k, k));
            a.set(row, k, factor);
            for column in k + 1..n {
                a.set(row, column, sub(a.at(row, column), mul(factor, a.at(k, column))));
            }
        }
    }
    Lu { lu: a, order, odd }
}

impl Lu {
    /// The diagonal elements of `U`.
    pub fn diagonal(&self) -> impl Iterator<Item = Complex64> + '_ {
        (0..self.lu.rows).map(|i| self.lu.at(i, i))
    }

    /// Whether the matrix is not invertible.
    pub fn is_singular(&self) -> bool {
        self.diagonal().any(|d| d == real(0.0) || d.re.is_nan() || d.im.is_nan())
    }

    /// Solves `A X = B` for `X`.
    pub fn solve(&self, b: &Matrix) -> Matrix {
        let rows = self.order.iter().flat_map(|&row| (0..b.columns).map(move |column| (row, column)));
        let data: Vec<Complex64> = rows.map(|(row, column)| b.at(row, column)).collect();
        let permuted = Matrix { rows: b.rows, columns: b.columns, data };
        let below = triangular_solve(&self.lu, &permuted, Triangle::UnitLower);
        triangular_solve(&self.lu, &below, Triangle::Upper)
    }
}

/// The part of a matrix that is read.
#[derive(Clone, Copy, PartialEq)]
pub enum Triangle {
    /// The diagonal and everything below it.
    Lower,
    /// Everything below the diagonal; the diagonal is implied to be ones.
    UnitLower,
    /// The diagonal and everything above it.
    Upper,
}

/// Solves `A X = B` for `X`, reading one triangle of `A`. A zero on its diagonal gives infinities.
pub fn triangular_solve(a: &Matrix, b: &Matrix, triangle: Triangle) -> Matrix {
    let (n, mut x) = (a.rows, b.clone());
    // Real inputs must give real results even where these are infinite.
    let reals = a.data.iter().chain(&b.data).all(|x| x.im == 0.0);
    let mul = |a: Complex64, b: Complex64| if reals { real(a.re * b.re) } else { mul(a, b) };
    let div = |a: Complex64, b: Complex64| if reals { real(a.re / b.re) } else { div(a, b) };
    for column in 0..x.columns {
        for step in 0..n {
            let (row, known) =
                if triangle == Triangle::Upper { (n - 1 - step, n - step..n) } else { (step, 0..step) };
            let mut value = x.at(row, column);
            for k in known {
                value = sub(value, mul(a.at(row, k), x.at(k, column)));
            }
            x.set(
                row,
                column,
                if triangle == Triangle::UnitLower { value } else { div(value, a.at(row, row)) },
            );
        }
    }
    x
}

/// Returns `L` with `L L* = A`, or `None` unless `A` is positive definite.
pub fn cholesky(a: &Matrix) -> Option<Matrix> {
    let n = a.rows;
    let mut l = Matrix::new(n, n, &vec![real(0.0); n * n]);
    for j in 0..n {
        let size: f64 = (0..j).map(|k| l.at(j, k)).map(|x| x.re * x.re + x.im * x.im).sum();
        let square = a.at(j, j).re - size;
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        let diagonal = sqrt(real(square));
        l.set(j, j, diagonal);
        for i in j + 1..n {
            let mut value = a.at(i, j);
            for k in 0..j {
                value = sub(value, mul(l.at(i, k), conj(l.at(j, k))));
            }
            l.set(i, j, div(value, diagonal));
        }
    }
    Some(l)
}

/// Householder's decomposition into `(Q, R)`; `Q` is square.
pub fn qr(a: &Matrix) -> (Matrix, Matrix) {
    let (mut r, mut q) = (a.clone(), Matrix::identity(a.rows));
    for k in 0..a.rows.min(a.columns) {
        let Some((v, tau)) = reflection((k..a.rows).map(|i| r.at(i, k)).collect()) else { continue };
        reflect(&mut r, &v, tau, k);
        // Q is the product of the adjoints of the reflections, so applying the reflections to the identity gives its
        // adjoint.
        reflect(&mut q, &v, tau, k);
        (k + 1..a.rows).for_each(|i| r.set(i, k, real(0.0)));
    }
    (q.adjoint(), r)
}

/// Computes `M ← (1 − tau v v*) M`, where `v` starts at row `k`.
fn reflect(m: &mut Matrix, v: &[Complex64], tau: Complex64, k: usize) {
    for column in 0..m.columns {
        let dot =
            v.iter().enumerate().fold(real(0.0), |sum, (i, &v)| add(sum, mul(conj(v), m.at(k + i, column))));
        let scaled = mul(tau, dot);
        for (i, &v) in v.iter().enumerate() {
            m.set(k + i, column, sub(m.at(k + i, column), mul(v, scaled)));
        }
    }
}

/// The eigenvalues of a Hermitian matrix in ascending order, and its eigenvectors in columns. Only the lower triangle
/// is read. Reflections make the matrix tridiagonal, then QR steps with Wilkinson's shift make it diagonal. The order
/// of operations follows Eigen's SelfAdjointEigenSolver, so that the vectors have the same signs.
pub fn eigen(a: &Matrix) -> (Vec<f64>, Matrix) {
    let n = a.rows;
    let scale = (0..n * n).filter(|i| i % n <= i / n).map(|i| abs(a.data[i])).fold(0.0, f64::max);
    let scale = if scale == 0.0 { 1.0 } else { scale };
    let mut m = Matrix::new(n, n, &a.data);
    for i in 0..n {
        m.set(i, i, real(a.at(i, i).re / scale));
        for j in i + 1..n {
            let below = complex(a.at(j, i).re / scale, a.at(j, i).im / scale);
            m.set(j, i, below);
            m.set(i, j, conj(below));
        }
    }
    let mut vectors = tridiagonal(&mut m);
    let mut diagonal: Vec<f64> = (0..n).map(|i| m.at(i, i).re).collect();
    let mut below: Vec<f64> = (1..n).map(|i| m.at(i, i - 1).re).collect();
    let mut end = n.saturating_sub(1);
    for _ in 0..30 * n {
        for i in 0..end {
            let small = below[i] / f64::EPSILON;
            if small * small <= diagonal[i].abs() + diagonal[i + 1].abs() {
                below[i] = 0.0;
            }
        }
        while end > 0 && below[end - 1] == 0.0 {
            end -= 1;
        }
        if end == 0 {
            break;
        }
        let start = (1..end).rev().find(|&i| below[i - 1] == 0.0).unwrap_or(0);
        qr_step(&mut diagonal, &mut below, start, end, &mut vectors);
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
    let values = order.iter().map(|&i| diagonal[i] * scale).collect();
    let data =
        (0..n).flat_map(|row| order.iter().map(move |&c| (row, c))).map(|(r, c)| vectors.at(r, c)).collect();
    (values, Matrix { rows: n, columns: n, data })
}

/// Makes a Hermitian matrix tridiagonal, and returns `Q` with `Q T Q* = M`.
fn tridiagonal(m: &mut Matrix) -> Matrix {
    let n = m.rows;
    let mut q = Matrix::identity(n);
    for k in 0..n.saturating_sub(1) {
        if let Some((v, tau)) = reflection((k + 1..n).map(|i| m.at(i, k)).collect()) {
            reflect(m, &v, tau, k + 1);
            *m = m.adjoint();
            reflect(m, &v, tau, k + 1);
            reflect(&mut q, &v, tau, k + 1);
        }
    }
    q.adjoint()
}

/// Returns `(v, tau)` so that `(1 − tau v v*) x` is a multiple of the first axis, or `None` if `x` already is a real
/// multiple.
fn reflection(x: Vec<Complex64>) -> Option<(Vec<Complex64>, Complex64)> {
    let first = x[0];
    let tail: f64 = x[1..].iter().map(|x| x.re * x.re + x.im * x.im).sum();
    if tail <= f64::MIN_POSITIVE && first.im * first.im <= f64::MIN_POSITIVE {
        return None;
    }
    let norm = libm::sqrt(first.re * first.re + first.im * first.im + tail);
    let beta = real(if first.re >= 0.0 { -norm } else { norm });
    // v = (1, tail / (first − beta)), tau = conj((beta − first) / beta).
    let mut v = vec![real(1.0)];
    v.extend(x[1..].iter().map(|&x| div(x, sub(first, beta))));
    Some((v, conj(div(sub(beta, first), beta))))
}

/// One step of the QR algorithm on the block `start..=end` of a tridiagonal matrix.
fn qr_step(diagonal: &mut [f64], below: &mut [f64], start: usize, end: usize, vectors: &mut Matrix) {
    let (half, e) = ((diagonal[end - 1] - diagonal[end]) * 0.5, below[end - 1]);
    let shift =
        if half == 0.0 { e.abs() } else { e / ((half + libm::copysign(libm::hypot(half, e), half)) / e) };
    let (mut x, mut z) = (diagonal[start] - (diagonal[end] - shift), below[start]);
    for k in start..end {
        if z == 0.0 {
            break;
        }
        let (c, s) = givens(x, z);
        let (a, b) = (s * diagonal[k] + c * below[k], s * below[k] + c * diagonal[k + 1]);
        diagonal[k] = c * (c * diagonal[k] - s * below[k]) - s * (c * below[k] - s * diagonal[k + 1]);
        diagonal[k + 1] = s * a + c * b;
        below[k] = c * a - s * b;
        if k > start {
            below[k - 1] = c * below[k - 1] - s * z;
        }
        x = below[k];
        if k + 1 < end {
            z = -s * below[k + 1];
            below[k + 1] *= c;
        }
        for row in 0..vectors.rows {
            let (p, q) = (vectors.at(row, k), vectors.at(row, k + 1));
            vectors.set(row, k, sub(mul(real(c), p), mul(real(s), q)));
            vectors.set(row, k + 1, add(mul(real(s), p), mul(real(c), q)));
        }
    }
}

/// The cosine and sine of the rotation that makes `(p, q)` a multiple of the first axis.
fn givens(p: f64, q: f64) -> (f64, f64) {
    if p == 0.0 {
        return (0.0, -libm::copysign(1.0, q));
    }
    if p.abs() > q.abs() {
        let t = q / p;
        let c = 1.0 / libm::copysign(libm::sqrt(1.0 + t * t), p);
        return (c, -t * c);
    }
    let t = p / q;
    let s = -1.0 / libm::copysign(libm::sqrt(1.0 + t * t), q);
    (-t * s, s)
}

/// The number of matrices in a batch, and their rows and columns.
///
/// # Errors
/// The shape has fewer than two axes.
pub fn stack(dims: &Dims) -> Result<(usize, usize, usize)> {
    let rank = dims.rank();
    ensure!(rank >= 2, "the shape {:?} has no matrices; at least two axes are needed", dims.as_slice());
    let (rows, columns) = (dims.size(rank - 2), dims.size(rank - 1));
    Ok((dims.product(0, rank - 2), rows, columns))
}

/// Like [`stack`], for square matrices.
///
/// # Errors
/// The shape has fewer than two axes, or the matrices are not square.
pub fn square(dims: &Dims) -> Result<(usize, usize)> {
    let (count, rows, columns) = stack(dims)?;
    ensure!(rows == columns, "matrices are {rows} by {columns}; they must be square");
    Ok((count, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &Matrix, b: &Matrix) -> bool {
        a.data.len() == b.data.len() && a.data.iter().zip(&b.data).all(|(&a, &b)| abs(sub(a, b)) < 1e-12)
    }

    #[test]
    fn decompositions_multiply_to_the_matrix() {
        let c = complex;
        let a = Matrix::new(
            3,
            3,
            &[
                c(2.0, 0.0),
                c(1.0, 1.0),
                c(0.0, -1.0),
                c(1.0, -1.0),
                c(3.0, 0.0),
                c(0.5, 0.0),
                c(0.0, 1.0),
                c(0.5, 0.0),
                c(1.5, 0.0),
            ],
        );
        let l = cholesky(&a).unwrap();
        assert!(near(&l.times(&l.adjoint()), &a));
        let (q, r) = qr(&a);
        assert!(near(&q.times(&r), &a) && near(&q.times(&q.adjoint()), &Matrix::identity(3)));
        let inverse = lu(a.clone()).solve(&Matrix::identity(3));
        assert!(near(&a.times(&inverse), &Matrix::identity(3)));
        let (values, vectors) = eigen(&a);
        let mut scaled = vectors.clone();
        (0..9).for_each(|i| scaled.data[i] = mul(scaled.data[i], real(values[i % 3])));
        assert!(near(&a.times(&vectors), &scaled) && values.is_sorted());
        assert!(cholesky(&Matrix::new(1, 1, &[real(-1.0)])).is_none());
        assert!(lu(Matrix::new(2, 2, &[real(1.0); 4])).is_singular());
    }
}
