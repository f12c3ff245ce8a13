//! Roots of unity, and the order of rows.

use std::f64::consts::TAU;

/// Complex numbers: the real and the imaginary parts.
pub struct Spectrum<'a> {
    /// The real parts.
    pub re: &'a mut [f64],
    /// The imaginary parts, as many.
    pub im: &'a mut [f64],
}

impl Spectrum<'_> {
    /// The first half of `x` as real parts, the second half as imaginary ones.
    pub(super) fn halves_of(x: &mut [f64]) -> Spectrum<'_> {
        let (re, im) = x.split_at_mut(x.len() / 2);
        Spectrum { re, im }
    }

    pub(super) fn reborrow(&mut self) -> Spectrum<'_> {
        Spectrum { re: self.re, im: self.im }
    }
}

/// The roots of unity for rows of one length.
pub struct RowTables {
    /// Columns of the matrix.
    pub(super) across: usize,
    /// Rows of the matrix.
    pub(super) down: usize,
    /// For columns of at most `2 roots.len()` elements: `e^(−πi k / roots.len())`.
    pub(super) roots: Vec<[f64; 2]>,
    /// `e^(−2πi kn / L)` at `n × down + k`.
    pub(super) turns: Vec<[f64; 2]>,
    /// `e^(−2πi k / w)` for `k ≤ L / 2`.
    pub(super) halves: Vec<[f64; 2]>,
}

/// Returns `e^(−2πi k / n)`.
pub(super) fn root(k: usize, n: usize) -> [f64; 2] {
    let (sin, cos) = (-TAU * k as f64 / n as f64).sin_cos();
    [cos, sin]
}

/// The roots for [`Fft::columns`](super::Fft::columns) of this length, a power of two.
pub fn column_roots(length: usize) -> Vec<[f64; 2]> {
    (0..length / 2).map(|k| root(k, length)).collect()
}

impl RowTables {
    /// For rows of `width` reals, a power of two that is at least 2.
    pub fn new(width: usize) -> RowTables {
        assert!(width.is_power_of_two() && width > 1, "{width} is not a power of two above 1");
        let half = width / 2;
        let down = 1 << (half.trailing_zeros() / 2);
        let across = half / down;
        RowTables {
            across,
            down,
            roots: column_roots(across),
            turns: (0..half).map(|i| root((i / down) * (i % down), half)).collect(),
            halves: (0..=half / 2).map(|k| root(k, width)).collect(),
        }
    }

    /// The number of complex numbers in the transform of a row.
    pub fn outputs(&self) -> usize {
        self.across * self.down + 1
    }

    /// The number of `f64` that [`Fft::row`](super::Fft::row) needs as scratch memory.
    pub fn work(&self) -> usize {
        4 * self.across * self.down
    }

    /// The bytes of the tables for rows of `width` reals.
    pub fn bytes(width: usize) -> usize {
        // At most L / 2 roots, L turns and L / 2 + 1 halves.
        (width + 1) * size_of::<[f64; 2]>()
    }
}

/// Reverses the bits of `n` below `length`, a power of two.
#[inline(always)]
pub fn reversed(n: usize, length: usize) -> usize {
    if length == 1 { 0 } else { n.reverse_bits() >> (length.leading_zeros() + 1) }
}
