//! Numbers whose arithmetic cannot fail: integers wrap, floats have infinities.
//!
//! Defined by: tflite/kernels/internal/common.h (`AddTensorValuesWithExpectedOverflow`, ...).

use arenite_abi::prelude::*;

/// An element that can be added, multiplied and compared.
pub trait Number: Element + PartialOrd {
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// The smallest finite number.
    const LOWEST: Self;
    /// The largest finite number.
    const HIGHEST: Self;

    /// Returns `self + other`.
    fn plus(self, other: Self) -> Self;

    /// Returns `self × other`.
    fn times(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            const ZERO: $ty = 0;
            const ONE: $ty = 1;
            const LOWEST: $ty = <$ty>::MIN;
            const HIGHEST: $ty = <$ty>::MAX;

            #[inline]
            fn plus(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }

            #[inline]
            fn times(self, other: $ty) -> $ty {
                self.wrapping_mul(other)
            }
        }
    )*};
}
integers!(i8 u8 i16 i32 i64);

impl Number for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const LOWEST: f32 = f32::MIN;
    const HIGHEST: f32 = f32::MAX;

    #[inline]
    fn plus(self, other: f32) -> f32 {
        self + other
    }

    #[inline]
    fn times(self, other: f32) -> f32 {
        self * other
    }
}

/// Folds numbers of any type to one. The order of the operands determines the result for NaN.
pub trait Combine: Send + Sync + 'static {
    /// The result for no numbers.
    fn nothing<T: Number>() -> T;

    /// Combines the result so far with the next number.
    fn with<T: Number>(so_far: T, next: T) -> T;
}
