//! Vectors of `f32`, one type per instruction set: kernels are written once, against [`Simd`], and compiled for each.
//!
//! A value of an implementing type is the proof that the machine has its instructions, so that arithmetic is safe; only loads
//! and stores are not. Everything is `inline(always)`: a kernel's entry function carries the `target_feature`, and what it
//! calls is compiled with it. So neither a generic body nor a method here may be called from elsewhere by pointer.

/// Methods whose operands are registers and numbers. Their bodies are safe code that is compiled with the features, so that no memory is
/// touched; that the machine has these is proved by `self`, since a value of such a type exists nowhere else.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! in_registers {
    ($features:literal $(fn $name:ident($($operand:ident: $t:ty),*) -> $result:ty $body:block)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: $t),*) -> $result {
            #[target_feature(enable = $features)]
            #[inline]
            fn body($($operand: $t),*) -> $result $body
            // SAFETY: the machine has the features, as `self` proves.
            unsafe { body($($operand),*) }
        }
    )*};
}

pub mod dot;
mod ints;
mod scalar;
pub use ints::{Ints, interleaved};
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
/// A value of the type exists only where the machine has the instructions.
pub unsafe trait Simd: Copy + Send + Sync + 'static {
    /// Values in a vector.
    const LANES: usize;
    /// A vector.
    type V: Copy;

    /// # Safety
    /// The machine has the instructions.
    unsafe fn new() -> Self;

    /// All lanes `x`.
    fn splat(self, x: f32) -> Self::V;
    /// # Safety
    /// `LANES` values are readable.
    unsafe fn load(self, p: *const f32) -> Self::V;
    /// The first `n` lanes from memory, the others 0.
    ///
    /// # Safety
    /// `n ≤ LANES` values are readable.
    unsafe fn load_first(self, p: *const f32, n: usize) -> Self::V;
    /// # Safety
    /// `LANES` values are writable.
    unsafe fn store(self, p: *mut f32, v: Self::V);
    /// # Safety
    /// `n ≤ LANES` values are writable.
    unsafe fn store_first(self, p: *mut f32, v: Self::V, n: usize);

    /// `a + b`.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a − b`.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a · b`.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a / b`.
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a · b + c`, rounded once where the machine does so.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The smaller; `b` if either is NaN.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger; `b` if either is NaN.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// `√a`.
    fn sqrt(self, a: Self::V) -> Self::V;
    /// `|a|`.
    fn abs(self, a: Self::V) -> Self::V;
    /// The integer next to `a`, the even one of two.
    fn round(self, a: Self::V) -> Self::V;
    /// The integer next below or at `a`.
    fn floor(self, a: Self::V) -> Self::V;
    /// `a · 2ⁿ` for integral `n` from −126 to 127.
    fn scale(self, a: Self::V, n: Self::V) -> Self::V;
    /// Lanes of `yes` where `a < b`, else of `no`.
    fn select_lt(self, a: Self::V, b: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// The sum of all lanes.
    fn sum(self, a: Self::V) -> f32;
    /// The largest lane; no lane is NaN.
    fn largest(self, a: Self::V) -> f32;

    /// `a · 2ⁿ` for integral `n` from −252 to 254, with a result that overflows or vanishes as it must.
    #[inline(always)]
    fn scale_far(self, a: Self::V, n: Self::V) -> Self::V {
        let half = self.floor(self.mul(n, self.splat(0.5)));
        self.scale(self.scale(a, half), self.sub(n, half))
    }

    /// `a / b` within two units in the last place, for finite `b` that is neither 0 nor denormal.
    #[inline(always)]
    fn quotient(self, a: Self::V, b: Self::V) -> Self::V {
        self.div(a, b)
    }

    /// Asks for the line of memory at `p`, which may be any address, to be brought near.
    #[inline(always)]
    fn prefetch(self, _p: *const f32) {}

    /// `min(max(x, low), high)`; NaN stays NaN.
    #[inline(always)]
    fn clamp(self, x: Self::V, low: Self::V, high: Self::V) -> Self::V {
        self.min(high, self.max(low, x))
    }
}
