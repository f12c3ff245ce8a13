//! Calls of microkernels with checked memory: here addresses leave [`Source`] and [`Target`].
//!
//! A kernel is unsafe for two reasons. It needs the features of its member: [`family`](crate::family) gives safe code only members that the
//! machine can run. And it trusts lengths: [`Source::at`] and [`Target::at`] check that all elements are there before they give an
//! address. "Selected" below stands for the first.

use arenite_layers::Clamp;

use super::f32_fold::{self, Folds};
use super::f32_map::{Binary, Map, Unary};
use super::u8_fold::{Fold, Rows};
use super::u8_map::ByteMap;
use super::u8_pair::{Combine, Pair, Pairs};
use super::u8_real::{Halves, Reals};
use crate::memory::{Source, Target, pair, span};
use crate::requantize::Bytes;

impl Map {
    /// `y[i] = f(x[i])`.
    #[inline]
    pub fn one(&self, f: Unary, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` elements.
        unsafe { self.unary(f)(n, x, y) }
    }

    /// `y[i] = f(a[i], b[i])`.
    #[inline]
    pub fn two(&self, f: Binary, a: Source<'_, f32>, b: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, a, y) = pair(a, y);
        // SAFETY: selected; all have `n` elements.
        unsafe { self.binary(f)(n, a, b.at(0, n), y) }
    }

    /// `y[i] = f(a[i], b)`.
    #[inline]
    pub fn with_number(&self, f: Binary, a: Source<'_, f32>, b: f32, y: &mut Target<'_, f32>) {
        let (n, a, y) = pair(a, y);
        // SAFETY: selected; both have `n` elements.
        unsafe { self.with_scalar(f)(n, a, b, y) }
    }

    /// `y[i] = min(max(x[i], low), high)`.
    #[inline]
    pub fn clamped(&self, Clamp { low, high }: Clamp, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` elements.
        unsafe { (self.clamp)(n, x, low, high, y) }
    }

    /// `y[i] = min(max(y[i], low), high)`.
    #[inline]
    pub fn clamp_over(&self, clamp: Clamp, y: &mut Target<'_, f32>) {
        // SAFETY: `clamped` reads the source on this thread, through pointers, each element before it writes the one at its place.
        self.clamped(clamp, unsafe { y.over() }, y);
    }

    /// `y[i] = Σ x[k][i] · w[k]`.
    #[inline]
    pub fn blended(&self, x: [Source<'_, f32>; 4], w: [f32; 4], y: &mut Target<'_, f32>) {
        let n = y.len();
        // SAFETY: selected; all have `n` elements.
        unsafe { (self.blend)(n, x.map(|x| x.at(0, n)), w, y.at(0, n)) }
    }
}

impl Folds {
    /// `y[i]` of the `n` elements of `x` from `i · n` on.
    ///
    /// # Panics
    /// If `x` has fewer than `y.len() · n` elements.
    pub fn rows(&self, fold: f32_fold::Fold, n: usize, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let x = x.part(0, span([y.len(), n, n]));
        for i in 0..y.len() {
            // SAFETY: selected; `n` elements are there, as `at` checks. `i · n` does not wrap, as all rows are in `x`.
            y.set(i, unsafe { self.row(fold)(n, x.at(i * n, n)) });
        }
    }

    /// `y[j]` of `x[i · stride + j]` for all `i < rows`.
    ///
    /// # Panics
    /// If `x` has fewer than `(rows − 1) · stride + y.len()` elements.
    pub fn down(
        &self,
        fold: f32_fold::Fold,
        (rows, stride): (usize, usize),
        x: Source<'_, f32>,
        y: &mut Target<'_, f32>,
    ) {
        let n = y.len();
        let x = x.at(0, span([rows, stride, n]));
        // SAFETY: selected; `n` elements of each row are there, as `at` checks for all that the rows span.
        unsafe { self.columns(fold)(rows, stride, n, x, y.at(0, n)) }
    }
}

impl ByteMap {
    /// `y[i] = x[i] ^ 0x80`.
    pub fn flipped(&self, x: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` bytes.
        unsafe { (self.flip)(n, x, y) }
    }

    /// `y[i] = table[x[i]]`.
    pub fn looked_up(&self, x: Source<'_, u8>, table: &[u8; 256], y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` bytes.
        unsafe { (self.lookup)(n, x, table, y) }
    }
}

impl Reals {
    /// `y[i] = round(x[i] · factor) + zero point`.
    pub fn quantized(&self, x: Source<'_, f32>, factor: f32, zero_point: i32, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` elements.
        unsafe { (self.quantize)(n, x, factor, zero_point, y) }
    }

    /// `y[i] = (x[i] − zero point) · factor + offset`.
    pub fn dequantized(
        &self,
        x: Source<'_, u8>,
        zero_point: i32,
        (factor, offset): (f32, f32),
        y: &mut Target<'_, f32>,
    ) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` elements.
        unsafe { (self.dequantize)(n, x, zero_point, factor, offset, y) }
    }

    /// `y[i] = round(x[i] · factor)` of numbers that are not negative.
    pub fn quantized_positive(&self, x: &[f32], factor: f32, halves: Halves, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(Source::of(x), y);
        // SAFETY: selected; both have `n` elements.
        unsafe { (self.quantize_positive)(n, x, factor, halves, y) }
    }

    /// `y[i] = clamp(round(x[i] · factor) + zero point)`, halves away from zero.
    pub fn quantized_away(&self, x: Source<'_, f32>, factor: f32, bytes: Bytes, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: selected; both have `n` elements.
        unsafe { (self.quantize_away)(n, x, factor, bytes, y) }
    }

    /// The smallest and the largest element, and 0.
    pub fn range_of(&self, x: Source<'_, f32>) -> [f32; 2] {
        let n = x.len();
        // SAFETY: selected; there are `n` elements.
        unsafe { (self.range)(n, x.at(0, n)) }
    }
}

impl Fold {
    /// The sum of all bytes.
    pub fn sum_of(&self, x: Source<'_, u8>) -> i32 {
        let n = x.len();
        // SAFETY: selected; there are `n` bytes.
        unsafe { (self.sum)(n, x.at(0, n)) }
    }

    /// The largest byte, 0 of none.
    pub fn largest_of(&self, x: Source<'_, u8>) -> u8 {
        let n = x.len();
        // SAFETY: selected; there are `n` bytes.
        unsafe { (self.largest)(n, x.at(0, n)) }
    }

    /// `sums[j] += Σ x[i · step + j]`, `i < count`.
    ///
    /// # Panics
    /// If `x` has fewer than `(count − 1) · step + sums.len()` bytes.
    pub fn rows_added(&self, x: Source<'_, u8>, (count, step): (usize, usize), sums: &mut [i32]) {
        let n = sums.len();
        let from = x.at(0, span([count, step, n]));
        // SAFETY: selected; `n` bytes of each row are there, as `at` checks for all that the rows span, and as many sums.
        unsafe { (self.add_rows)(&Rows { from, count, step, n }, sums.as_mut_ptr()) }
    }
}

impl Pairs {
    /// `y[i] = f(a[i], b[i])`; or of one `b` for all, if there is one.
    ///
    /// # Panics
    /// If `pair` was made for other lanes, or a source is shorter than `y`.
    pub fn combined(&self, f: Combine, pair: &Pair<'_>, [a, b]: [Source<'_, u8>; 2], y: &mut Target<'_, u8>) {
        let n = y.len();
        let (kernel, of_b) = if b.len() == 1 { (self.with_one(f), 1) } else { (self.with_many(f), n) };
        assert_eq!(pair.lanes(), self.lanes, "lanes of a pair's blocks");
        // SAFETY: selected; `n` bytes of a and y are there, and as many of b as the kernel reads. The blocks have this member's lanes, as
        // checked, and are whole, as `Pair::new` checks.
        unsafe { kernel(pair, n, a.at(0, n), b.at(0, of_b), y.at(0, n)) }
    }
}

#[cfg(test)]
mod tests;
