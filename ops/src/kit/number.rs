//! Numbers whose arithmetic has no errors: integers wrap, floats have infinities.
//!
//! Defined by: tflite/kernels/internal/common.h (`AddTensorValuesWithExpectedOverflow`, ...).

use arenite_abi::prelude::*;

/// An element that can be added, multiplied and compared.
pub trait Number: Element + PartialOrd {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The smallest number; finite.
    const LOWEST: Self;
    /// The largest number; finite.
    const HIGHEST: Self;

    /// `self + other`.
    fn plus(self, other: Self) -> Self;

    /// `self × other`.
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

/// Makes one number of several, of any type. The order of the operands tells what becomes of NaN.
pub trait Combine: Send + Sync + 'static {
    /// What none gives.
    fn nothing<T: Number>() -> T;

    /// What `so_far` becomes with the next number.
    fn with<T: Number>(so_far: T, next: T) -> T;
}
