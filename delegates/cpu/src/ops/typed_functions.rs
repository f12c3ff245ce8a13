//! The functions of elements that [`super::typed`] runs.

use std::hint::select_unpredictable;

use arenite_abi::prelude::op;

/// A function of one element.
pub(super) trait One<X, Y> {
    fn of(x: X) -> Y;
}

/// A function of two elements.
pub(super) trait Two<X, Y> {
    fn of(a: X, b: X) -> Y;

    /// Whether [`usual`](Two::usual) is shorter than `of`.
    const HAS_USUAL: bool = false;
    /// Whether the result is `usual`.
    #[inline(always)]
    fn is_usual(_: &X, _: &X) -> bool {
        true
    }
    /// The result of usual elements, without branches.
    #[inline(always)]
    fn usual(a: X, b: X) -> Y {
        Self::of(a, b)
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $kind:ident<$x:ty, $y:ty>: |$($arg:ident),*| $value:expr;)*) => {$(
        impl $kind<$x, $y> for $name {
            #[inline(always)]
            fn of($($arg: $x),*) -> $y {
                $value
            }
        }
    )*};
}

/// A conversion: whole numbers wrap, floats are cut off towards zero and saturate, NaN becomes the largest.
pub(super) struct Conversion;
/// 1 of all but zero.
pub(super) struct Truth;
pub(super) struct LogicalNot;
pub(super) struct LogicalAnd;
pub(super) struct LogicalOr;
pub(super) struct Add;
pub(super) struct Subtract;
pub(super) struct Multiply;
pub(super) struct Maximum;
pub(super) struct Minimum;
pub(super) struct SquaredDifference;
/// The quotient of doubles, rounded down.
pub(super) struct FloorDivision;
/// The remainder of the division rounded down, with the sign of the divisor.
pub(super) struct FloorModulo;
/// `−x`; wraps.
pub(super) struct Negate;
/// A conversion of a signed byte that is held as `x + 128`.
pub(super) struct FromBiased;

functions! {
    Conversion One<i32, f32>: |x| x as f32;
    Conversion One<i64, f32>: |x| x as f32;
    Conversion One<u8, f32>: |x| x.into();
    Conversion One<f32, i32>: |x| cut_off(x);
    Conversion One<f32, i64>: |x| if x.is_nan() { i64::MAX } else { x as i64 };
    Conversion One<i32, i64>: |x| x.into();
    Conversion One<i64, i32>: |x| x as i32;
    Conversion One<i8, f32>: |x| x.into();
    Conversion One<i8, i32>: |x| x.into();
    Conversion One<i8, i64>: |x| x.into();
    Conversion One<i16, f32>: |x| x.into();
    Conversion One<i16, i32>: |x| x.into();
    Conversion One<u8, i32>: |x| x.into();
    FromBiased One<u8, f32>: |x| f32::from(x) - 128.0;
    FromBiased One<u8, i32>: |x| i32::from(x) - 128;
    FromBiased One<u8, i64>: |x| i64::from(x) - 128;
    Truth One<u8, f32>: |x| f32::from(u8::from(x != 0));
    Truth One<u8, i32>: |x| (x != 0).into();
    Truth One<u8, i64>: |x| (x != 0).into();
    Truth One<f32, u8>: |x| (x != 0.0).into();
    Truth One<i32, u8>: |x| (x != 0).into();
    Truth One<i64, u8>: |x| (x != 0).into();
    LogicalNot One<u8, u8>: |x| (x == 0).into();
    LogicalAnd Two<u8, u8>: |a, b| (a != 0 && b != 0).into();
    LogicalOr Two<u8, u8>: |a, b| (a != 0 || b != 0).into();
    Add Two<i32, i32>: |a, b| a.wrapping_add(b);
    Subtract Two<i32, i32>: |a, b| a.wrapping_sub(b);
    Multiply Two<i32, i32>: |a, b| a.wrapping_mul(b);
    Add Two<i64, i64>: |a, b| a.wrapping_add(b);
    Subtract Two<i64, i64>: |a, b| a.wrapping_sub(b);
    Multiply Two<i64, i64>: |a, b| a.wrapping_mul(b);
    Maximum Two<u8, u8>: |a, b| a.max(b);
    Maximum Two<i8, i8>: |a, b| a.max(b);
    Maximum Two<i16, i16>: |a, b| a.max(b);
    Maximum Two<i32, i32>: |a, b| a.max(b);
    Maximum Two<i64, i64>: |a, b| a.max(b);
    Minimum Two<u8, u8>: |a, b| a.min(b);
    Minimum Two<i8, i8>: |a, b| a.min(b);
    Minimum Two<i16, i16>: |a, b| a.min(b);
    Minimum Two<i32, i32>: |a, b| a.min(b);
    Minimum Two<i64, i64>: |a, b| a.min(b);
    SquaredDifference Two<i32, i32>: |a, b| a.wrapping_sub(b).wrapping_mul(a.wrapping_sub(b));
    FloorDivision Two<f32, f32>: |a, b| (f64::from(a) / f64::from(b)).floor() as f32;
    Negate One<u8, u8>: |x| x.wrapping_neg();
    Negate One<i8, i8>: |x| x.wrapping_neg();
    Negate One<i16, i16>: |x| x.wrapping_neg();
    Negate One<i32, i32>: |x| x.wrapping_neg();
    Negate One<i64, i64>: |x| x.wrapping_neg();
}

/// `x` cut off towards zero; saturates, and NaN becomes the largest integer. Without branches, so that loops over it
/// become vectors.
#[inline(always)]
fn cut_off(x: f32) -> i32 {
    const END: f32 = 2_147_483_648.0;
    // NaN becomes 0 here.
    let inside = if x < END { x } else { 0.0 };
    let inside = if inside > -END { inside } else { -END };
    // SAFETY: `inside` is a number from −2³¹ to below 2³¹, as just chosen.
    let whole = unsafe { inside.to_int_unchecked::<i32>() };
    if x < END { whole } else { i32::MAX }
}

impl Two<f32, f32> for FloorModulo {
    const HAS_USUAL: bool = true;

    #[inline(always)]
    fn of(a: f32, b: f32) -> f32 {
        if Self::is_usual(&a, &b) { Self::usual(a, b) } else { far_modulo(a, b) }
    }
    /// Whether the quotient is a number of at most 2²⁷.
    #[inline(always)]
    fn is_usual(a: &f32, b: &f32) -> bool {
        (a.abs() < b.abs() * (1 << 27) as f32) & (b.abs() < f32::INFINITY)
    }
    #[inline(always)]
    fn usual(a: f32, b: f32) -> f32 {
        floored(remainder(a, b), b)
    }
}

/// Converts a truncated remainder to a floored one.
#[inline(always)]
fn floored(rest: f32, b: f32) -> f32 {
    // Signs depend on data: a branch would often be mispredicted.
    select_unpredictable((rest != 0.0) & ((b < 0.0) != (rest < 0.0)), rest + b, rest)
}

/// The remainder of the division rounded towards zero, with the sign of `a`. With a quotient above 2²⁷, it is any
/// number.
#[inline(always)]
fn remainder(a: f32, b: f32) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    let quotient = x / y;
    let quotient = if quotient.abs() < f64::from(1 << 28) { quotient } else { 0.0 };
    // Unless it is an integer, the quotient of two `f32` is further from the next integer than its rounding error, so
    // truncation is exact, and so is the product.
    //
    // SAFETY: the quotient is between −2²⁸ and 2²⁸, as just chosen.
    let whole = unsafe { quotient.to_int_unchecked::<i32>() };
    ((x - f64::from(whole) * y) as f32).copysign(a)
}

#[cold]
#[inline(never)]
fn far_modulo(a: f32, b: f32) -> f32 {
    floored(a % b, b)
}

/// A comparison, by its op's code.
pub(super) struct Compare<const CODE: i32>;

impl<const CODE: i32, T: PartialOrd> Two<T, u8> for Compare<CODE> {
    #[inline(always)]
    fn of(a: T, b: T) -> u8 {
        let holds = match CODE {
            op::LESS => a < b,
            op::GREATER => a > b,
            op::GREATER_EQUAL => a >= b,
            op::LESS_EQUAL => a <= b,
            op::EQUAL => a == b,
            _ => a != b,
        };
        holds.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quotients below, at and above integers of every size.
    #[test]
    fn remainders_are_exact() {
        let sizes = [1.0f32, 3.0, 0.1, 1e-30, 7e20, 1.5e-42];
        let factors = [0.0f32, 0.5, 1.0, 1.999_999_9, 3.0, 1e3, 16_777_215.0, 2.6e8, 2.7e8, 1e12, f32::NAN];
        for b in sizes.into_iter().chain([0.0, f32::INFINITY, f32::NAN, f32::MAX]) {
            for a in sizes.iter().chain(&[b]).flat_map(|size| factors.map(|factor| size * factor)) {
                for (a, b, ulps) in [(a, b, 0), (-a, b, 1), (a, -b, -1), (-a, -b, 0)] {
                    let a = f32::from_bits(a.to_bits().wrapping_add_signed(ulps));
                    let (got, want) = (FloorModulo::of(a, b), floored(a % b, b));
                    let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                    assert!(same, "the remainder of {a} / {b} is {got}, not {want}");
                }
            }
        }
    }

    #[test]
    fn floats_are_cut_off() {
        let odd = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -0.0, 1e-40];
        let near = [2_147_483_648.0, -2_147_483_648.0, 2_147_483_520.0, -2_147_483_520.0, -2_147_483_904.0];
        let plain = [0.5, -0.5, 1.999_999_9, -1.999_999_9, 16_777_217.0, -7.0];
        for x in odd.into_iter().chain(near).chain(plain) {
            assert_eq!(cut_off(x), if x.is_nan() { i32::MAX } else { x as i32 }, "{x}");
        }
    }
}
