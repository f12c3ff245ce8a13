//! Safe calls of microkernels: takes addresses out of [`Source`] and [`Target`].
//!
//! A kernel is unsafe to call for two reasons. It needs the CPU features of its member: [`family`](crate::family) gives
//! safe code only members that the machine can run. And it does not check lengths: [`Source::at`] and [`Target::at`]
//! check that all elements exist before they return an address. Below, "the machine can run it" refers to the first
//! reason.

use arenite_base::{Binary, Clamp, Reduction, Unary};

use super::f32_fold::Folds;
use super::f32_map::Map;
use super::i16_pair::{self, I16Kernels, Rescale};
use super::u8_map::ByteMap;
use super::u8_pair::{Combine, Pair, Pairs};
use super::u8_real::{Halves, Reals, Scale};
use crate::requantize::Bytes;
use arenite_base::memory::{Source, Target, pair, span};

/// Rows at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct StridedRows {
    /// The number of rows.
    pub count: usize,
    /// Elements between the starts of two adjacent rows.
    pub stride: usize,
}

impl Map {
    /// `y[i] = f(x[i])`.
    #[inline]
    pub fn one(&self, f: Unary, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { self.unary(f)(n, x, y) }
    }

    /// `y[i] = f(a[i], b[i])`.
    #[inline]
    pub fn two(&self, f: Binary, a: Source<'_, f32>, b: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, a, y) = pair(a, y);
        // SAFETY: the machine can run it; `pair` and `at` checked that all three have `n` elements.
        unsafe { self.binary(f)(1, n, a, b.at(0, n), y) }
    }

    /// `y[r · n + i] = f(a[r · n + i], b[i])` for rows of as many elements as `b` has.
    ///
    /// # Panics
    /// If `a` is shorter than `y`, or `y` does not consist of whole rows.
    #[inline]
    pub fn with_row(&self, f: Binary, a: Source<'_, f32>, b: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let ((len, a, y), n) = (pair(a, y), b.len());
        let rows = len / n.max(1);
        assert_eq!(rows * n, len, "{len} elements are not rows of {n}");
        // SAFETY: the machine can run it; `pair` checked that both have the elements of all rows, and `b` has a row's.
        unsafe { self.binary(f)(rows, n, a, b.at(0, n), y) }
    }

    /// `y[i] = f(a[i], b)`.
    #[inline]
    pub fn with_number(&self, f: Binary, a: Source<'_, f32>, b: f32, y: &mut Target<'_, f32>) {
        let (n, a, y) = pair(a, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { self.with_scalar(f)(1, n, a, &b, y) }
    }

    /// `y[r · n + i] = f(a[r · n + i], b[r])` for rows of `n` elements, of which there are as many as elements of `b`.
    ///
    /// # Panics
    /// If `a` is shorter than `y`, or `y` has not as many elements as all rows.
    #[inline]
    pub fn with_numbers(&self, f: Binary, a: Source<'_, f32>, b: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (rows, len, a, y) = {
            let (len, a, y) = pair(a, y);
            (b.len(), len, a, y)
        };
        let n = len / rows.max(1);
        assert_eq!(rows * n, len, "{len} elements are not {rows} rows");
        // SAFETY: the machine can run it; `pair` checked that both have the elements of all rows, and `b` has one each.
        unsafe { self.with_scalar(f)(rows, n, a, b.at(0, rows), y) }
    }

    /// `y[i] = min(max(x[i], low), high)`.
    #[inline]
    pub fn clamped(&self, Clamp { low, high }: Clamp, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.clamp)(n, x, low, high, y) }
    }

    /// `y[i] = min(max(y[i], low), high)`.
    #[inline]
    pub fn clamp_over(&self, clamp: Clamp, y: &mut Target<'_, f32>) {
        // SAFETY: `clamped` reads the source through pointers on this thread, and reads each element before it writes
        // the element at the same place.
        self.clamped(clamp, unsafe { y.over() }, y);
    }
}

impl Folds {
    /// Folds row `i` of `x`, the `n` elements from `i · n`, into `y[i]`.
    ///
    /// # Panics
    /// If `x` has fewer than `y.len() · n` elements.
    pub fn rows(&self, fold: Reduction, n: usize, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (count, x) = (y.len(), x.at(0, span([y.len(), n, n])));
        // SAFETY: the machine can run it; `at` checked the elements of all rows, and their results.
        unsafe { self.each_row(fold)(count, n, x, y.at(0, count)) }
    }

    /// Folds column `j` of `x`, the elements `x[i · stride + j]` for all `i < count`, into `y[j]`.
    ///
    /// # Panics
    /// If `x` has fewer than `(count − 1) · stride + y.len()` elements.
    pub fn down(
        &self,
        fold: Reduction,
        StridedRows { count, stride }: StridedRows,
        x: Source<'_, f32>,
        y: &mut Target<'_, f32>,
    ) {
        let n = y.len();
        let x = x.at(0, span([count, stride, n]));
        // SAFETY: the machine can run it; `at` checked all elements that the rows span, so each row has `n` elements.
        unsafe { self.columns(fold)(count, stride, n, x, y.at(0, n)) }
    }
}

impl ByteMap {
    /// `y[i] = x[i] ^ 0x80`.
    pub fn flipped(&self, x: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` bytes.
        unsafe { (self.flip)(n, x, y) }
    }

    /// `y[i] = table[x[i]]`.
    pub fn looked_up(&self, x: Source<'_, u8>, table: &[u8; 256], y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` bytes.
        unsafe { (self.lookup)(n, x, table, y) }
    }
}

impl Reals {
    /// `y[i] = clamp(round(x[i] · factor) + zero point) ^ flip`.
    pub fn quantized(&self, x: Source<'_, f32>, factor: f32, bytes: Bytes, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.quantize)(n, x, factor, &bytes, y) }
    }

    /// `y[i] = ((x[i] ^ flip) − zero point) · factor + offset`.
    pub fn dequantized(&self, x: Source<'_, u8>, scale: Scale, y: &mut Target<'_, f32>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.dequantize)(n, x, &scale, y) }
    }

    /// `y[i] = round(x[i] · factor)` for numbers that are not negative.
    pub fn quantized_positive(&self, x: &[f32], factor: f32, halves: Halves, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(Source::of(x), y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.quantize_positive)(n, x, factor, halves, y) }
    }

    /// `y[i] = clamp(round(x[i] · factor) + zero point)`, with halves rounded away from zero.
    pub fn quantized_away(&self, x: Source<'_, f32>, factor: f32, bytes: Bytes, y: &mut Target<'_, u8>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.quantize_away)(n, x, factor, bytes, y) }
    }

    /// The smallest and largest of all elements and 0.
    pub fn range_of(&self, x: Source<'_, f32>) -> [f32; 2] {
        let n = x.len();
        // SAFETY: the machine can run it; `at` checked that there are `n` elements.
        unsafe { (self.range)(n, x.at(0, n)) }
    }
}

impl Pairs {
    /// `y[i] = f(a[i], b[i])`, or `f(a[i], b[0])` if `b` has one element.
    ///
    /// # Panics
    /// If `pair` was created for another number of lanes, or a source is shorter than `y`.
    pub fn combined(&self, f: Combine, pair: &Pair<'_>, [a, b]: [Source<'_, u8>; 2], y: &mut Target<'_, u8>) {
        /// Exact results at a time where `b` has one byte.
        const ROOM: usize = 64;
        assert_eq!(pair.lanes(), self.lanes, "the pair's blocks have another number of lanes");
        let (n, is_one) = (y.len(), b.len() == 1);
        let repeated = [if is_one { b.get(0) } else { 0 }; ROOM];
        let (a, b, y) = (a.at(0, n), b.at(0, if is_one { 1 } else { n }), y.at(0, n));
        let (kernel, mut i) = (self.exact(f), 0);
        while i < n {
            let mut count = if is_one { ROOM.min(n - i) } else { n - i };
            let of_b = |i: usize| if is_one { b } else { b.wrapping_add(i) };
            if let Some(near) = pair.approximation().filter(|_| self.has_reals) {
                let (kernel, a, y) = (self.near(near, is_one), a.wrapping_add(i), y.wrapping_add(i));
                // SAFETY: as for the exact kernel, below; where `b` has one byte, the kernel reads no other.
                i += unsafe { kernel(pair, near, n - i, a, of_b(i), y) };
                count = (n - i).min(4 * self.lanes);
            }
            let b = if is_one { repeated.as_ptr() } else { of_b(i) };
            // SAFETY: the machine can run it; `at` checked that all three have `n` bytes, of which up to `n − i` are
            // used from `i` on, or `b` is repeated as often as it is read. The blocks are for this member's lanes, as
            // asserted, and complete, as `Pair::new` checks.
            unsafe { kernel(pair, count, a.wrapping_add(i), b, y.wrapping_add(i)) };
            i += count;
        }
    }
}

impl I16Kernels {
    /// `y[i] = f(a[i], b[i])`, or `f(a[i], b[0])` if `b` has one element.
    ///
    /// # Panics
    /// If a source is shorter than `y`.
    pub fn combined(
        &self,
        f: i16_pair::Combine,
        pair: &i16_pair::Pair,
        [a, b]: [Source<'_, i16>; 2],
        y: &mut Target<'_, i16>,
    ) {
        use i16_pair::Combine;
        let n = y.len();
        let (is_one, a, y) = (b.len() == 1, a.at(0, n), y.at(0, n));
        let kernel = match (f, is_one) {
            (Combine::Add, true) => self.add_one,
            (Combine::Add, false) => self.add,
            (Combine::Sub, true) => self.sub_one,
            (Combine::Sub, false) => self.sub,
            (Combine::Mul, true) => self.mul_one,
            (Combine::Mul, false) => self.mul,
            (Combine::SubFrom, true) => self.sub_from_one,
            // SAFETY: the machine can run it; `at` checked that all three have `n` elements.
            (Combine::SubFrom, false) => return unsafe { (self.sub)(&pair.swapped(), n, b.at(0, n), a, y) },
        };
        // SAFETY: the machine can run it; `at` checked that `a` and `y` have `n` elements and `b` as many as the kernel
        // reads.
        unsafe { kernel(pair, n, a, b.at(0, if is_one { 1 } else { n }), y) }
    }

    /// `y[i] = round(x[i] · factor)`.
    pub fn quantized(&self, x: Source<'_, f32>, factor: f32, y: &mut Target<'_, i16>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.quantize)(n, x, factor, y) }
    }

    /// `y[i] = x[i] · factor`.
    pub fn dequantized(&self, x: Source<'_, i16>, factor: f32, y: &mut Target<'_, f32>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
        unsafe { (self.dequantize)(n, x, factor, y) }
    }
}

macro_rules! rescaled {
    ($($name:ident $kernel:ident $x:ty, $y:ty;)*) => {
        impl I16Kernels {$(
            /// `y = clamp((x − from) · factor + to)`.
            pub fn $name(&self, by: &Rescale, x: Source<'_, $x>, y: &mut Target<'_, $y>) {
                let (n, x, y) = pair(x, y);
                // SAFETY: the machine can run it; `pair` checked that both have `n` elements.
                unsafe { (self.$kernel)(by, n, x, y) }
            }
        )*}
    };
}

rescaled! {
    short_from_short short_to_short i16, i16;
    short_from_byte byte_to_short u8, i16;
    short_from_whole whole_to_short i32, i16;
    byte_from_short short_to_byte i16, u8;
    byte_from_whole whole_to_byte i32, u8;
}

#[cfg(test)]
mod tests;
