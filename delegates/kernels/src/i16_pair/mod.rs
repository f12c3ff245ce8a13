//! Functions of quantized numbers of 16 bits: sums, differences and products of two, and conversions from and to other
//! types.
//!
//! ```text
//! a' = a · factor a      b' likewise      y = clamp(combine(a', b') · factor y)
//! ```
//! The bodies are plain loops, which the compiler turns into vectors for each instruction set.

mod body;

use crate::fixed_point::Factor;
use crate::isa::Isa;
use crate::simd::*;

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `a + b`.
    Add,
    /// `a − b`.
    Sub,
    /// `b − a`.
    SubFrom,
    /// `a · b`, without scaling the operands.
    Mul,
}

/// The parameters of results.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The factors of a, b and y.
    pub factors: [Factor; 3],
    /// The smallest result.
    pub low: i32,
    /// The largest result.
    pub high: i32,
}

impl Pair {
    /// The parameters for swapped operands.
    pub(crate) fn swapped(&self) -> Pair {
        let [a, b, y] = self.factors;
        Pair { factors: [b, a, y], ..*self }
    }
}

/// `y = clamp((x − from) · factor + to)`.
#[derive(Clone, Copy, Debug)]
pub struct Rescale {
    /// The zero point of x.
    pub from: i32,
    /// The factor.
    pub factor: Factor,
    /// The zero point of y.
    pub to: i32,
    /// The smallest result, a number of y's type.
    pub low: i32,
    /// The largest result, a number of y's type.
    pub high: i32,
}

/// `(pair, n, a, b, y)`: computes `n` results.
pub type PairKernel = unsafe fn(&Pair, usize, *const i16, *const i16, *mut i16);
/// `(rescale, n, x, y)`: converts `n` numbers.
pub type RescaleKernel<X, Y> = unsafe fn(&Rescale, usize, *const X, *mut Y);

/// A member of the family. Its kernels are unsafe to call: the machine must have the instructions, `n` numbers of each
/// source must be readable (of b, one where the name ends in `one`), and `n` results writable. A target overlaps no
/// source.
#[non_exhaustive]
pub struct I16Kernels {
    /// The name, such as `i16_pair__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// `a[i] + b[i]`.
    pub add: PairKernel,
    /// `a[i] + b[0]`.
    pub add_one: PairKernel,
    /// `a[i] − b[i]`.
    pub sub: PairKernel,
    /// `a[i] − b[0]`.
    pub sub_one: PairKernel,
    /// `b[0] − a[i]`.
    pub sub_from_one: PairKernel,
    /// `a[i] · b[i]`.
    pub mul: PairKernel,
    /// `a[i] · b[0]`.
    pub mul_one: PairKernel,
    /// 16 bits to 16 bits.
    pub short_to_short: RescaleKernel<i16, i16>,
    /// 16 bits to bytes.
    pub short_to_byte: RescaleKernel<i16, u8>,
    /// Bytes to 16 bits.
    pub byte_to_short: RescaleKernel<u8, i16>,
    /// 32 bits to 16 bits.
    pub whole_to_short: RescaleKernel<i32, i16>,
    /// 32 bits to bytes.
    pub whole_to_byte: RescaleKernel<i32, u8>,
    /// `y[i] = round(x[i] · factor)`, with ties to even, saturated: `(n, x, factor, y)`. NaN becomes 0.
    pub quantize: unsafe fn(usize, *const f32, f32, *mut i16),
    /// `y[i] = x[i] · factor`: `(n, x, factor, y)`.
    pub dequantize: unsafe fn(usize, *const i16, f32, *mut f32),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        I16Kernels {
            name: $name,
            isa: $isa,
            add,
            add_one,
            sub,
            sub_one,
            sub_from_one,
            mul,
            mul_one,
            short_to_short,
            short_to_byte,
            byte_to_short,
            whole_to_short,
            whole_to_byte,
            quantize,
            dequantize,
        }
    };
}

family! {
    I16Kernels: "i16_pair" {
        fn add(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn add_one(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn sub(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn sub_one(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn sub_from_one(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn mul(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn mul_one(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16);
        fn short_to_short(r: &Rescale, n: usize, x: *const i16, y: *mut i16);
        fn short_to_byte(r: &Rescale, n: usize, x: *const i16, y: *mut u8);
        fn byte_to_short(r: &Rescale, n: usize, x: *const u8, y: *mut i16);
        fn whole_to_short(r: &Rescale, n: usize, x: *const i32, y: *mut i16);
        fn whole_to_byte(r: &Rescale, n: usize, x: *const i32, y: *mut u8);
        fn quantize(n: usize, x: *const f32, factor: f32, y: *mut i16);
        fn dequantize(n: usize, x: *const i16, factor: f32, y: *mut f32);
    }
    vectors
}
member_of_table!(I16Kernels);

#[cfg(test)]
mod tests;
