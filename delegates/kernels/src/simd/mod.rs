//! Vectors of `f32`, one type per instruction set. Kernels are written once, for any [`Simd`], and compiled for each.
//!
//! A value of an implementing type proves that the machine has its instructions, so arithmetic is safe; only loads and
//! stores are not. Everything is `inline(always)`: a kernel's entry function has the `target_feature`, and everything
//! that it calls is compiled with it. So neither a generic body nor a method of these traits may be called through a
//! pointer.

/// Methods whose operands are registers and numbers. Their bodies are safe code, so they access no memory. They are
/// compiled with the features; `self` proves that the machine has these, since a value of such a type exists only then.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! in_registers {
    ($features:literal $(fn $name:ident($($operand:ident: $t:ty),*) -> $result:ty $body:block)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: $t),*) -> $result {
            #[target_feature(enable = $features)]
            #[inline]
            fn body($($operand: $t),*) -> $result $body
            // SAFETY: `self` proves that the machine has the features.
            unsafe { body($($operand),*) }
        }
    )*};
}

pub mod dot;
mod ints;
mod scalar;
pub use ints::{ByteRows, Ints, interleaved};
pub use scalar::Scalar;

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
pub use avx2::Avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub use avx512::Avx512;

#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
pub use neon::Neon;

/// Arithmetic on vectors of [`LANES`](Simd::LANES) values.
///
/// # Safety
/// A value of the type may only exist if the machine has the instructions.
pub unsafe trait Simd: Copy + Send + Sync + 'static {
    /// The number of values in a vector.
    const LANES: usize;
    /// Whether [`fma`](Simd::fma) rounds once.
    const FUSED: bool = true;
    /// Whether [`load_first`](Simd::load_first) takes as long as [`load`](Simd::load).
    const MASKS: bool = false;
    /// The number of powers of two that [`power`](Simd::power) looks up: 32, or 1 without a table.
    const POWERS: usize = 1;
    /// A vector of `f32`.
    type V: Copy;

    /// Creates a value.
    ///
    /// # Safety
    /// The machine must have the instructions.
    unsafe fn new() -> Self;

    /// A vector with `x` in all lanes.
    fn splat(self, x: f32) -> Self::V;
    /// Loads a vector.
    ///
    /// # Safety
    /// `LANES` values must be readable.
    unsafe fn load(self, p: *const f32) -> Self::V;
    /// Loads the first `n` lanes; the others are 0.
    ///
    /// # Safety
    /// `n ≤ LANES` values must be readable.
    unsafe fn load_first(self, p: *const f32, n: usize) -> Self::V;
    /// Stores a vector.
    ///
    /// # Safety
    /// `LANES` values must be writable.
    unsafe fn store(self, p: *mut f32, v: Self::V);
    /// Stores the first `n` lanes.
    ///
    /// # Safety
    /// `n ≤ LANES` values must be writable.
    unsafe fn store_first(self, p: *mut f32, v: Self::V, n: usize);

    /// `a + b`.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a − b`.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a · b`.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a / b`.
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a · b + c`, rounded once if the machine has a fused instruction.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The smaller number; `b` if either is NaN.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger number; `b` if either is NaN.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// `√a`.
    fn sqrt(self, a: Self::V) -> Self::V;
    /// `√a` of two vectors.
    #[inline(always)]
    fn sqrt_of_two(self, a: [Self::V; 2]) -> [Self::V; 2] {
        a.map(|a| self.sqrt(a))
    }
    /// `|a|`.
    fn abs(self, a: Self::V) -> Self::V;
    /// Rounds to the nearest integer, ties to even.
    fn round(self, a: Self::V) -> Self::V;
    /// The largest integer that is not greater than `a`.
    fn floor(self, a: Self::V) -> Self::V;
    /// `a · 2ⁿ` for integral `n` between −126 and 127.
    fn scale(self, a: Self::V, n: Self::V) -> Self::V;
    /// The `n` and `m` of `x = 2ⁿ · m` with `¾ ≤ m < 1½`. `x` must be normal and above 0; for ±0, `m` is 1.
    fn split_normal(self, x: Self::V) -> (Self::V, Self::V);
    /// `x · (−1)ⁿ`, where the second operand is `n + 1.5 · 2²³` for an integer `n`.
    fn negate_odd(self, x: Self::V, n: Self::V) -> Self::V;
    /// Lanes of `yes` where `a < b`, otherwise of `no`.
    fn select_lt(self, a: Self::V, b: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// Whether `a < b` in all lanes.
    fn all_lt(self, a: Self::V, b: Self::V) -> bool;
    /// The sum of all lanes.
    fn sum(self, a: Self::V) -> f32;
    /// The largest lane. No lane may be NaN.
    fn largest(self, a: Self::V) -> f32;

    /// The larger of `most` and `|x|`; `most` if `x` is NaN.
    #[inline(always)]
    fn larger_magnitude(self, x: Self::V, most: Self::V) -> Self::V {
        self.max(self.abs(x), most)
    }

    /// The larger of `most` and the distance between `x` and the nearest integer. `x` must not be NaN or beyond ±2²².
    #[inline(always)]
    fn farther(self, x: Self::V, most: Self::V) -> Self::V {
        self.max(self.abs(self.sub(x, self.round(x))), most)
    }

    /// `2^(n − ⌊n⌋)`, where the operand is `n + 1.5 · 2²³ / POWERS` for a multiple `n` of `1 / POWERS`.
    #[inline(always)]
    fn power(self, _n: Self::V) -> Self::V {
        self.splat(1.0)
    }

    /// `a · 2^⌊n⌋` for multiples `n` of `1 / POWERS` between −252 and 254. Results overflow to infinity and underflow
    /// to zero.
    #[inline(always)]
    fn scale_far(self, a: Self::V, n: Self::V) -> Self::V {
        let half = self.floor(self.mul(n, self.splat(0.5)));
        self.scale(self.scale(a, half), self.sub(n, half))
    }

    /// As [`split_normal`](Simd::split_normal) for any number: `n` of zero is −∞, of +∞ +∞. `m` of NaN and of numbers
    /// below zero is NaN.
    #[inline(always)]
    fn split(self, x: Self::V) -> (Self::V, Self::V) {
        // Subnormal numbers are multiplied by 2²³.
        let normal = self.splat(f32::MIN_POSITIVE);
        let (n, m) = self.split_normal(self.select_lt(x, normal, self.mul(x, self.splat(8_388_608.0)), x));
        let n = self.sub(n, self.select_lt(x, normal, self.splat(23.0), self.splat(0.0)));
        let smallest = self.splat(f32::from_bits(1));
        let n = self.select_lt(x, smallest, self.splat(f32::NEG_INFINITY), n);
        let n = self.select_lt(self.splat(f32::MAX), x, x, n);
        (n, self.select_lt(self.splat(-f32::from_bits(1)), x, m, self.splat(f32::NAN)))
    }

    /// `1 / √a` within two units in the last place.
    #[inline(always)]
    fn inverse_root(self, a: Self::V) -> Self::V {
        self.div(self.splat(1.0), self.sqrt(a))
    }

    /// Prefetches the cache line at `p`, which may be any address.
    #[inline(always)]
    fn prefetch(self, _p: *const f32) {}

    /// `min(max(x, low), high)`; NaN stays NaN.
    #[inline(always)]
    fn clamp(self, x: Self::V, low: Self::V, high: Self::V) -> Self::V {
        self.min(high, self.max(low, x))
    }
}
