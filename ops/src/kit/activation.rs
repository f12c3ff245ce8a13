//! Fused activations and their clamping ranges.
//!
//! Defined by: tflite/kernels/kernel_util.{h,cc} (`CalculateActivationRange`, `CalculateActivationRangeQuantized`) and
//! `ActivationFunctionType` of the schema.

use arenite_abi::schema::activation;

use half::f16;

use super::requantize::round_f32;

arenite_abi::plain! {
    /// The activation that an operator applies to its result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Activation {
        /// The identity.
        None,
        /// `max(x, 0)`.
        Relu,
        /// `clamp(x, -1, 1)`.
        ReluN1To1,
        /// `clamp(x, 0, 6)`.
        Relu6,
        /// `tanh(x)`, which is not a clamp; only recurrent kernels apply it.
        Tanh,
        /// The sign bit, which is not a clamp; no kernel of TFLite applies it.
        SignBit,
    }
}

arenite_abi::plain! {
    /// A closed range that results are clamped to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Limits<T> {
        /// The smallest value.
        pub min: T,
        /// The largest value.
        pub max: T,
    }
}

impl Activation {
    /// The activation with this number in the schema, or `None` for an unknown number.
    pub const fn from_schema(number: i8) -> Option<Activation> {
        Some(match number {
            activation::NONE => Activation::None,
            activation::RELU => Activation::Relu,
            activation::RELU_N1_TO_1 => Activation::ReluN1To1,
            activation::RELU6 => Activation::Relu6,
            activation::TANH => Activation::Tanh,
            activation::SIGN_BIT => Activation::SignBit,
            _ => return None,
        })
    }

    /// Whether the activation is a clamp. Most kernels support only these.
    pub const fn is_range(self) -> bool {
        !matches!(self, Activation::Tanh | Activation::SignBit)
    }

    /// The range of f32 results. Without an activation they are clamped to the finite numbers, as in TFLite.
    pub const fn f32_range(self) -> Limits<f32> {
        match self.bounds() {
            (None, _) => Limits { min: f32::MIN, max: f32::MAX },
            (Some(min), None) => Limits { min: min as f32, max: f32::MAX },
            (Some(min), Some(max)) => Limits { min: min as f32, max: max as f32 },
        }
    }

    /// The range of f16 results; a missing bound becomes the largest finite number.
    pub fn f16_range(self) -> Limits<f16> {
        let Limits { min, max } = self.f32_range();
        let (lowest, highest) = (f16::MIN.to_f32(), f16::MAX.to_f32());
        Limits { min: f16::from_f32(min.max(lowest)), max: f16::from_f32(max.min(highest)) }
    }

    /// The range of unscaled i32 results.
    pub const fn i32_range(self) -> Limits<i32> {
        match self.bounds() {
            (None, _) => Limits { min: i32::MIN, max: i32::MAX },
            (Some(min), None) => Limits { min: min as i32, max: i32::MAX },
            (Some(min), Some(max)) => Limits { min: min as i32, max: max as i32 },
        }
    }

    /// The range of unscaled i64 results.
    pub const fn i64_range(self) -> Limits<i64> {
        match self.bounds() {
            (None, _) => Limits { min: i64::MIN, max: i64::MAX },
            (Some(min), None) => Limits { min: min as i64, max: i64::MAX },
            (Some(min), Some(max)) => Limits { min: min as i64, max: max as i64 },
        }
    }

    /// The range of quantized results within `ty`, the range of the type.
    ///
    /// `None` if a bound of the activation does not fit i32 at this scale, for example because the scale is zero.
    pub fn quantized_range(self, scale: f32, zero_point: i32, ty: Limits<i32>) -> Option<Limits<i32>> {
        let quantize = |x: i8| quantized_bound(f32::from(x), scale, zero_point);
        let (min, max) = self.bounds();
        Some(Limits {
            min: match min {
                Some(min) => ty.min.max(quantize(min)?),
                None => ty.min,
            },
            max: match max {
                Some(max) => ty.max.min(quantize(max)?),
                None => ty.max,
            },
        })
    }

    /// The real bounds of the clamp; none if the activation is not a clamp.
    const fn bounds(self) -> (Option<i8>, Option<i8>) {
        match self {
            Activation::Relu => (Some(0), None),
            Activation::ReluN1To1 => (Some(-1), Some(1)),
            Activation::Relu6 => (Some(0), Some(6)),
            Activation::None | Activation::Tanh | Activation::SignBit => (None, None),
        }
    }
}

impl<T: Copy + PartialOrd> Limits<T> {
    /// Returns `min(max(x, min), max)`. Keeps NaN, and never panics: if `min > max`, the result is `max`.
    #[inline]
    pub fn clamp(self, x: T) -> T {
        let x = if x < self.min { self.min } else { x };
        if self.max < x { self.max } else { x }
    }
}

impl Limits<i32> {
    /// All values of i8.
    pub const I8: Limits<i32> = Limits { min: i8::MIN as i32, max: i8::MAX as i32 };
    /// All values of u8.
    pub const U8: Limits<i32> = Limits { min: 0, max: u8::MAX as i32 };
    /// All values of i16.
    pub const I16: Limits<i32> = Limits { min: i16::MIN as i32, max: i16::MAX as i32 };
}

fn quantized_bound(x: f32, scale: f32, zero_point: i32) -> Option<i32> {
    let steps = round_f32(x / scale);
    let fits = steps >= i32::MIN as f32 && steps <= i32::MAX as f32;
    if fits { zero_point.checked_add(steps as i32) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_numbers() {
        let known = [
            Activation::None,
            Activation::Relu,
            Activation::ReluN1To1,
            Activation::Relu6,
            Activation::Tanh,
            Activation::SignBit,
        ];
        for (number, want) in known.into_iter().enumerate() {
            assert_eq!(Activation::from_schema(number as i8), Some(want));
        }
        assert_eq!(Activation::from_schema(6), None);
        assert_eq!(Activation::from_schema(-1), None);
        assert!(Activation::Relu6.is_range() && !Activation::Tanh.is_range());
    }

    #[test]
    fn real_ranges() {
        let f = |min, max| Limits { min, max };
        assert_eq!(Activation::None.f32_range(), f(f32::MIN, f32::MAX));
        assert_eq!(Activation::Relu.f32_range(), f(0.0, f32::MAX));
        assert_eq!(Activation::ReluN1To1.f32_range(), f(-1.0, 1.0));
        assert_eq!(Activation::Relu6.f32_range(), f(0.0, 6.0));
        assert_eq!(Activation::Relu6.i32_range(), Limits { min: 0, max: 6 });
        assert_eq!(Activation::Relu.i64_range(), Limits { min: 0, max: i64::MAX });
    }

    #[test]
    fn quantized_ranges() {
        let cases = [
            (Activation::None, 0.1, 5, Limits::I8, -128, 127),
            (Activation::Relu, 0.1, 5, Limits::I8, 5, 127),
            (Activation::Relu6, 0.1, 5, Limits::I8, 5, 65),
            (Activation::Relu6, 0.01, 5, Limits::I8, 5, 127),
            (Activation::ReluN1To1, 0.1, 5, Limits::I8, -5, 15),
            (Activation::Relu6, 0.1, 0, Limits::U8, 0, 60),
            (Activation::Relu6, 0.001, 0, Limits::I16, 0, 6000),
        ];
        for (activation, scale, zero_point, ty, min, max) in cases {
            let got = activation.quantized_range(scale, zero_point, ty);
            assert_eq!(got, Some(Limits { min, max }), "{activation:?} {scale} {zero_point}");
        }
    }

    #[test]
    fn quantized_range_rejects_overflow() {
        assert_eq!(Activation::Relu6.quantized_range(0.0, 0, Limits::I8), None);
        assert_eq!(Activation::Relu.quantized_range(f32::NAN, 0, Limits::I8), None);
        assert_eq!(Activation::Relu6.quantized_range(1.0, i32::MAX, Limits::I8), None);
        assert_eq!(Activation::None.quantized_range(0.0, 0, Limits::I8), Some(Limits::I8));
    }

    #[test]
    fn clamp_keeps_nan_and_accepts_empty_ranges() {
        assert!(Limits { min: 0.0, max: 6.0 }.clamp(f32::NAN).is_nan());
        assert_eq!(Activation::None.f32_range().clamp(f32::INFINITY), f32::MAX);
        assert_eq!(Limits { min: 5, max: 3 }.clamp(4), 3);
    }
}
