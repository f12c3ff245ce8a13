//! Real functions in f32, and f16 conversion.
//!
//! Defined by: tflite/kernels/internal/reference/{logistic,gelu}.h and the kernels of the same name.
//!
//! Every transcendental function is computed in f64 and rounded once, so its result is in practice the nearest f32, and
//! the same on every machine. Kernels that run on f32 use [`single`](super::single) where it has the function.

use core::f64::consts::FRAC_2_SQRT_PI;

macro_rules! through_f64 {
    ($($(#[$doc:meta])* $name:ident = $f:path;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name(x: f32) -> f32 {
            $f(f64::from(x)) as f32
        })*
    };
}

through_f64! {
    /// `e^x`.
    exp = libm::exp;
    /// `e^x - 1`, accurate near zero (ELU).
    expm1 = libm::expm1;
    /// Natural logarithm.
    log = libm::log;
    /// `ln(1 + x)`, accurate near zero.
    log1p = libm::log1p;
    /// The sine of an angle in radians.
    sin = libm::sin;
    /// The cosine of an angle in radians.
    cos = libm::cos;
    /// Hyperbolic tangent.
    tanh = libm::tanh;
    /// Error function.
    erf = libm::erf;
    /// `1 - erf(x)`.
    erfc = libm::erfc;
}

/// `x^y`.
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    libm::pow(f64::from(x), f64::from(y)) as f32
}

/// Square root, correctly rounded; NaN below zero.
#[inline]
pub fn sqrt(x: f32) -> f32 {
    libm::sqrtf(x)
}

/// `1 / sqrt(x)`, with both steps in f32.
#[inline]
pub fn rsqrt(x: f32) -> f32 {
    1.0 / sqrt(x)
}

/// `x × Φ(x)`, computed with erfc so that large negative inputs keep their precision.
#[inline]
pub fn gelu(x: f32) -> f32 {
    0.5 * x * erfc(x * -core::f32::consts::FRAC_1_SQRT_2)
}

/// GELU approximated by `0.5 x (1 + tanh(sqrt(2/π) (x + 0.044715 x³)))`.
#[inline]
pub fn gelu_approximate(x: f32) -> f32 {
    const SQRT_2_OVER_PI: f32 = (FRAC_2_SQRT_PI * core::f64::consts::FRAC_1_SQRT_2) as f32;
    0.5 * x * (1.0 + tanh(SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)))
}

/// The largest integer that is not above `x`.
#[inline]
pub fn floor(x: f32) -> f32 {
    libm::floorf(x)
}

/// The smallest integer that is not below `x`.
#[inline]
pub fn ceil(x: f32) -> f32 {
    libm::ceilf(x)
}

/// The integer part of `x`.
#[inline]
pub fn trunc(x: f32) -> f32 {
    libm::truncf(x)
}

/// The nearest integer, ties to even (ROUND). See `requantize::round_f32` for ties away from zero.
#[inline]
pub fn round_ties_even(x: f32) -> f32 {
    libm::rintf(x)
}

/// The remainder of the truncated division, with the sign of `x` (`fmod`).
#[inline]
pub fn fmod(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let whole = (a / b) as i32;
    if y.is_finite() && whole.unsigned_abs() < 1 << 28 && y != 0.0 && !x.is_nan() {
        // The quotient of two f32 is further from an integer than its rounding error, and the product is exact.
        ((a - f64::from(whole) * b) as f32).copysign(x)
    } else {
        libm::fmodf(x, y)
    }
}

/// Converts f16 bits to f32, exactly.
#[inline]
pub fn f16_to_f32(bits: u16) -> f32 {
    half::f16::from_bits(bits).to_f32()
}

/// The bits of the f16 nearest to `x`, ties to even; infinite beyond the range of f16.
#[inline]
pub fn f32_to_f16(x: f32) -> u16 {
    half::f16::from_f32(x).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let cases: [(&str, f32, f32); 15] = [
            ("exp 1", exp(1.0), 2.718_281_7),
            ("exp 100", exp(100.0), f32::INFINITY),
            ("expm1 1e-7", expm1(1e-7), 1e-7),
            ("log 3", log(3.0), 1.098_612_3),
            ("log 0", log(0.0), f32::NEG_INFINITY),
            ("sin 1", sin(1.0), 0.841_471),
            ("cos 1", cos(1.0), 0.540_302_3),
            ("tanh 1", tanh(1.0), 0.761_594_2),
            ("erf 1", erf(1.0), 0.842_700_8),
            ("pow 2 0.5", pow(2.0, 0.5), core::f32::consts::SQRT_2),
            ("rsqrt 4", rsqrt(4.0), 0.5),
            ("gelu 1", gelu(1.0), 0.841_344_8),
            ("gelu -10", gelu(-10.0), -7.619_853e-23),
            ("gelu~ 1", gelu_approximate(1.0), 0.841_192),
            ("fmod -5.5 2", fmod(-5.5, 2.0), -1.5),
        ];
        for (name, got, want) in cases {
            let close = got == want || ((got - want) / want).abs() < 3e-7;
            assert!(close, "{name}: {got:e}, want {want:e}");
        }
        assert!(sqrt(-1.0).is_nan());
    }

    /// Quotients below, at and above integers of every size.
    #[test]
    fn remainders() {
        let sizes = [1.0f32, 3.0, 0.1, 1e-30, 7e20, 1.5e-42];
        let factors = [0.0f32, 0.5, 1.0, 1.999_999_9, 3.0, 1e3, 16_777_215.0, 2.6e8, 2.7e8, 1e12, f32::NAN];
        for b in sizes.into_iter().chain([0.0, f32::INFINITY, f32::NAN, f32::MAX]) {
            for a in sizes.iter().chain(&[b]).flat_map(|size| factors.map(|factor| size * factor)) {
                for (a, b, ulps) in [(a, b, 0), (-a, b, 1), (a, -b, -1), (-a, -b, 0)] {
                    let a = f32::from_bits(a.to_bits().wrapping_add_signed(ulps));
                    let (got, want) = (fmod(a, b), libm::fmodf(a, b));
                    assert!(
                        got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                        "fmod({a}, {b}) = {got}"
                    );
                }
            }
        }
    }

    #[test]
    fn rounding_to_even() {
        for (x, want) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, 0.0), (-1.5, -2.0)] {
            assert_eq!(round_ties_even(x), want, "{x}");
        }
        assert_eq!((floor(-0.5), ceil(0.5), trunc(-1.5)), (-1.0, 1.0, -1.0));
    }

    #[test]
    fn halves() {
        for (x, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (5.960_464_5e-8, 0x0001),
            (0.1, 0x2e66),
        ] {
            assert_eq!(f32_to_f16(x), bits, "{x}");
        }
        assert_eq!(f16_to_f32(0x2e66), 0.099_975_586);
        assert_eq!(f16_to_f32(0x7c00), f32::INFINITY);
        assert!(f16_to_f32(0x7e00).is_nan());
    }
}
