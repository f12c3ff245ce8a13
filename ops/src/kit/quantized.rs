//! The integer types of quantized tensors: i8, u8 and i16.

use arenite_abi::prelude::*;

use super::activation::Limits;

/// An element of a quantized tensor.
pub trait Quantized: Element + Into<i32> {
    /// The range of the type.
    const LIMITS: Limits<i32>;

    /// Converts to the nearest value of the type.
    fn saturate(x: i32) -> Self;
}

macro_rules! quantized {
    ($($ty:ty)*) => {$(
        impl Quantized for $ty {
            const LIMITS: Limits<i32> = Limits { min: <$ty>::MIN as i32, max: <$ty>::MAX as i32 };

            #[inline]
            fn saturate(x: i32) -> $ty {
                Self::LIMITS.clamp(x) as $ty
            }
        }
    )*};
}
quantized!(i8 u8 i16);

plain! {
    /// One of these types.
    #[derive(Clone, Copy, PartialEq)]
    pub enum IntegerType {
        /// u8.
        U8,
        /// i8.
        I8,
        /// i16.
        I16,
    }
}

impl IntegerType {
    /// `ty`, which is one of them.
    pub fn of(ty: ElementType) -> IntegerType {
        match ty {
            U8 => IntegerType::U8,
            I8 => IntegerType::I8,
            _ => IntegerType::I16,
        }
    }
}
