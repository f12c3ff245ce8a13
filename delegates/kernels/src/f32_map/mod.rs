//! Functions of `f32` elements: of one, of two, of one and a number. Sources and targets may be the same memory.

mod body;
pub mod functions;

pub use arenite_layers::{Binary, Unary};

use crate::isa::Isa;
use crate::simd::*;

/// `y[i] = f(x[i])` for `n` elements: `(n, x, y)`.
pub type UnaryFn = unsafe fn(usize, *const f32, *mut f32);
/// `y[i] = f(a[i], b[i])`: `(n, a, b, y)`.
pub type BinaryFn = unsafe fn(usize, *const f32, *const f32, *mut f32);
/// `y[i] = f(a[i], b)`: `(n, a, b, y)`.
pub type ScalarFn = unsafe fn(usize, *const f32, f32, *mut f32);
/// `y[i] = min(max(x[i], low), high)`: `(n, x, low, high, y)`.
pub type ClampFn = unsafe fn(usize, *const f32, f32, f32, *mut f32);
/// Sum, or maximum, of `n` elements.
pub type FoldFn = unsafe fn(usize, *const f32) -> f32;

/// The family on one instruction set. All its functions are unsafe to call: the machine has the instructions, sources are
/// readable and targets writable for `n` elements.
#[non_exhaustive]
pub struct Map {
    /// As in `f32_map__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    unary: [UnaryFn; Unary::ALL.len()],
    binary: [BinaryFn; Binary::ALL.len()],
    with_scalar: [ScalarFn; Binary::ALL.len()],
    /// Clamps.
    pub clamp: ClampFn,
    /// The sum.
    pub sum: FoldFn,
    /// The largest element; −∞ of none.
    pub largest: FoldFn,
    /// `y[i] = exp(x[i] − m)`, and the sum of them: `(n, x, m, y)`.
    pub exp_sum: unsafe fn(usize, *const f32, f32, *mut f32) -> f32,
    /// `y[i] += x[i] · a`: `(n, x, a, y)`.
    pub axpy: ScalarFn,
    /// `y[i] = Σ x[k][i] · w[k]`: `(n, x, w, y)`.
    pub blend: unsafe fn(usize, [*const f32; 4], [f32; 4], *mut f32),
}

impl Map {
    /// The function.
    #[inline]
    pub fn unary(&self, f: Unary) -> UnaryFn {
        self.unary[f as usize]
    }

    /// The function.
    #[inline]
    pub fn binary(&self, f: Binary) -> BinaryFn {
        self.binary[f as usize]
    }

    /// The function, of an element and a number.
    #[inline]
    pub fn with_scalar(&self, f: Binary) -> ScalarFn {
        self.with_scalar[f as usize]
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Map {
            name: $name,
            isa: $isa,
            unary: [
                unary::<0>,
                unary::<1>,
                unary::<2>,
                unary::<3>,
                unary::<4>,
                unary::<5>,
                unary::<6>,
                unary::<7>,
                unary::<8>,
                unary::<9>,
                unary::<10>,
                unary::<11>,
                unary::<12>,
                unary::<13>,
                unary::<14>,
                unary::<15>,
            ],
            binary: [
                binary::<0>,
                binary::<1>,
                binary::<2>,
                binary::<3>,
                binary::<4>,
                binary::<5>,
                binary::<6>,
                binary::<7>,
                binary::<8>,
                binary::<9>,
                binary::<10>,
                binary::<11>,
                binary::<12>,
            ],
            with_scalar: [
                scalar::<0>,
                scalar::<1>,
                scalar::<2>,
                scalar::<3>,
                scalar::<4>,
                scalar::<5>,
                scalar::<6>,
                scalar::<7>,
                scalar::<8>,
                scalar::<9>,
                scalar::<10>,
                scalar::<11>,
                scalar::<12>,
            ],
            clamp,
            sum,
            largest,
            exp_sum,
            axpy,
            blend,
        }
    };
}

family! {
    Map: "f32_map" {
        fn unary[F: usize](n: usize, x: *const f32, y: *mut f32);
        fn binary[F: usize](n: usize, a: *const f32, b: *const f32, y: *mut f32);
        fn scalar[F: usize](n: usize, a: *const f32, b: f32, y: *mut f32);
        fn clamp(n: usize, x: *const f32, low: f32, high: f32, y: *mut f32);
        fn sum(n: usize, x: *const f32) -> f32;
        fn largest(n: usize, x: *const f32) -> f32;
        fn exp_sum(n: usize, x: *const f32, m: f32, y: *mut f32) -> f32;
        fn axpy(n: usize, x: *const f32, a: f32, y: *mut f32);
        fn blend(n: usize, x: [*const f32; 4], w: [f32; 4], y: *mut f32);
    }
    vectors
}
member_of_table!(Map);

#[cfg(test)]
mod tests;
