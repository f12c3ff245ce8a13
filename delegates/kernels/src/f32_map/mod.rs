//! Elementwise functions of `f32`: with one operand, with two, and with one operand and a constant. Sources and targets
//! may be the same memory.

mod body;
pub mod functions;

use arenite_base::{Binary, Unary};

use crate::isa::Isa;
use crate::simd::*;

/// `y[i] = f(x[i])` for `n` elements: `(n, x, y)`.
pub type UnaryFn = unsafe fn(usize, *const f32, *mut f32);
/// `y[r · n + i] = f(a[r · n + i], b[i])`, or `b[r]` instead of `b[i]`: `(rows, n, a, b, y)`.
pub type RowsFn = unsafe fn(usize, usize, *const f32, *const f32, *mut f32);
/// A function of elements and a number: `(n, x, a, y)`.
pub type ScalarFn = unsafe fn(usize, *const f32, f32, *mut f32);
/// `y[i] = min(max(x[i], low), high)`: `(n, x, low, high, y)`.
pub type ClampFn = unsafe fn(usize, *const f32, f32, f32, *mut f32);
/// The sum or the maximum of `n` elements.
pub type FoldFn = unsafe fn(usize, *const f32) -> f32;

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable and targets writable for `n` elements.
#[non_exhaustive]
pub struct Map {
    /// The name, such as `f32_map__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    unary: [UnaryFn; Unary::ALL.len()],
    binary: [RowsFn; Binary::ALL.len()],
    with_scalar: [RowsFn; Binary::ALL.len()],
    /// Clamps elements.
    pub clamp: ClampFn,
    /// The sum of all elements.
    pub sum: FoldFn,
    /// The largest element; −∞ without elements.
    pub largest: FoldFn,
    /// `y[i] = exp(x[i] − m)`; returns their sum: `(n, x, m, y)`.
    pub exp_sum: unsafe fn(usize, *const f32, f32, *mut f32) -> f32,
    /// `y[i] += x[i] · a`: `(n, x, a, y)`.
    pub axpy: ScalarFn,
}

impl Map {
    /// The function of one element.
    #[inline]
    pub fn unary(&self, f: Unary) -> UnaryFn {
        self.unary[f as usize]
    }

    /// The function of the elements of rows, and of the elements of one other row, which all of them meet.
    #[inline]
    pub fn binary(&self, f: Binary) -> RowsFn {
        self.binary[f as usize]
    }

    /// The function of the elements of rows, and a number for each row.
    #[inline]
    pub fn with_scalar(&self, f: Binary) -> RowsFn {
        self.with_scalar[f as usize]
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Map {
            name: $name,
            isa: $isa,
            unary: arenite_base::each_unary!(unary),
            binary: arenite_base::each_binary!(binary),
            with_scalar: arenite_base::each_binary!(scalar),
            clamp,
            sum,
            largest,
            exp_sum,
            axpy,
        }
    };
}

family! {
    Map: "f32_map" {
        fn unary[F: usize](n: usize, x: *const f32, y: *mut f32);
        fn binary[F: usize](rows: usize, n: usize, a: *const f32, b: *const f32, y: *mut f32);
        fn scalar[F: usize](rows: usize, n: usize, a: *const f32, b: *const f32, y: *mut f32);
        fn clamp(n: usize, x: *const f32, low: f32, high: f32, y: *mut f32);
        fn sum(n: usize, x: *const f32) -> f32;
        fn largest(n: usize, x: *const f32) -> f32;
        fn exp_sum(n: usize, x: *const f32, m: f32, y: *mut f32) -> f32;
        fn axpy(n: usize, x: *const f32, a: f32, y: *mut f32);
    }
    vectors
}
member_of_table!(Map);

#[cfg(test)]
mod tests;
