//! `exp`, `tanh` and `logistic` in single precision, for kernels on f32: machines without 64-bit floats run them in
//! hardware. Every step is an addition, multiplication or division of f32 that IEEE 754 rounds, in a fixed order, so
//! results are the same on every machine. Tables and integer kernels use [`float`](super::float), which is exact to the
//! last bit.
//!
//! | | largest error, in units of the last place |
//! |---|---|
//! | [`exp`] | 0.7, besides denormal results |
//! | [`tanh`] | 1.1 |
//! | [`logistic`] | 2 |
//! | [`Sum`] | 0.5, and 2^-46 of the largest partial sum per term |

/// `ln 2` as a sum: the first part has 15 bits, so that its products with exponents are exact.
const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
/// `e^x` is infinite above, and zero below.
const EXP_RANGE: [f32; 2] = [-103.972_08, 88.722_84];
/// Adding it leaves an integer in the last bits, rounded to nearest: `1.5 × 2^23`.
const TO_INTEGER: f32 = 12_582_912.0;

/// `e^x` as `(one + rest) × 2^exponent`, where `one` is in `[0.7, 1.42]` and `rest` what rounding it left over.
#[inline]
fn exp_parts(x: f32) -> (f32, f32, i32) {
    let n = (x * core::f32::consts::LOG2_E + TO_INTEGER) - TO_INTEGER;
    let (high, low) = (x - n * LN_2[0], n * LN_2[1]);
    let r = high - low;
    let r_low = (high - r) - low;
    // e^r = 1 + r + r² × series, within 2^-34 for r in [-0.3475, 0.3475].
    let series = 0.001_394_639_4 + r * 0.000_199_174_04;
    let series = 0.5 + r * (0.166_666_67 + r * (0.041_666_266 + r * (0.008_333_267 + r * series)));
    let square = r * r * series + r_low;
    let sum = r + square;
    let left = (r - sum) + square;
    let one = 1.0 + sum;
    (one, ((1.0 - one) + sum) + left, n as i32)
}

/// `2^exponent`, for exponents of normal numbers.
#[inline]
pub(super) fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// `e^x`.
pub fn exp(x: f32) -> f32 {
    if x > EXP_RANGE[1] {
        return f32::INFINITY;
    }
    if x < EXP_RANGE[0] {
        return 0.0;
    }
    let (one, rest, exponent) = exp_parts(x);
    // Two factors, because the power of a very large or denormal result is not a normal number.
    let half = exponent >> 1;
    (one + rest) * power_of_two(half) * power_of_two(exponent - half)
}

/// Hyperbolic tangent.
pub fn tanh(x: f32) -> f32 {
    let size = x.abs();
    if size < 0.6 {
        // tanh x = x + x³ × series, within 2^-28 of x.
        let z = x * x;
        let series = -0.053_786_714 + z * (0.020_805_486 + z * -0.005_905_98);
        let series = -0.333_333 + z * (0.133_319_59 + z * series);
        return (size + size * z * series).copysign(x);
    }
    if size > 9.02 {
        return 1f32.copysign(x);
    }
    // 1 - 2 / (e^2|x| + 1), or NaN.
    let (one, rest, exponent) = exp_parts(size + size);
    let power = power_of_two(exponent);
    let denominator = one * power + 1.0;
    let left = (1.0 - (denominator - one * power)) + rest * power;
    let quotient = 2.0 / denominator;
    (1.0 - (quotient - quotient * left / denominator)).copysign(x)
}

/// `1 / (1 + e^-x)`, but 1 above 16.6 and `e^x` below -9, like TFLite.
pub fn logistic(x: f32) -> f32 {
    if x > 16.619_047 {
        1.0
    } else if x < -9.0 {
        exp(x)
    } else {
        1.0 / (1.0 + exp(-x))
    }
}

/// A sum of f32 that keeps what rounding leaves over.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    high: f32,
    low: f32,
}

impl Sum {
    /// Adds a term.
    #[inline]
    pub fn add(&mut self, term: f32) {
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
    }

    /// The sum, rounded once.
    #[inline]
    pub fn value(self) -> f32 {
        // After an overflow `low` is NaN.
        if self.high.is_finite() { self.high + self.low } else { self.high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest error in units of the last place of the f32 nearest to the exact result, over `from..to`.
    fn largest_error(f: fn(f32) -> f32, exact: fn(f64) -> f64, from: f32, to: f32) -> f64 {
        let steps = 400_000;
        let errors = (0..=steps).map(|i| {
            let x = from + (to - from) * (i as f32 / steps as f32);
            let (got, want) = (f(x), exact(f64::from(x)));
            let nearest = (want as f32).abs();
            (f64::from(got) - want).abs() / f64::from(nearest.next_up() - nearest)
        });
        errors.fold(0.0, f64::max)
    }

    #[test]
    fn errors() {
        let logistic_exact = |x: f64| 1.0 / (1.0 + libm::exp(-x));
        type Case = (fn(f32) -> f32, fn(f64) -> f64, f32, f32, f64);
        let cases: [Case; 8] = [
            (exp, libm::exp, -87.0, 88.72, 0.7),
            (exp, libm::exp, -1.0, 1.0, 0.7),
            (tanh, libm::tanh, -9.5, 9.5, 1.1),
            (tanh, libm::tanh, -1.0, 1.0, 1.1),
            (tanh, libm::tanh, 1e-30, 1e-3, 1.1),
            (logistic, logistic_exact, -9.0, 16.6, 2.0),
            (logistic, logistic_exact, -1.0, 1.0, 2.0),
            (logistic, libm::exp, -87.0, -15.0, 1.0),
        ];
        for (i, (f, exact, from, to, bound)) in cases.into_iter().enumerate() {
            let error = largest_error(f, exact, from, to);
            assert!(error < bound, "case {i}: {error}");
        }
    }

    /// The bits are part of every stored answer: they must not depend on the machine.
    #[test]
    fn the_same_bits_everywhere() {
        let hash = |f: fn(f32) -> f32| {
            let inputs = (0..20_000).map(|i| (i as f32 - 10_000.0) / 512.0);
            inputs.fold(0xcbf2_9ce4_8422_2325u64, |hash, x| {
                (hash ^ u64::from(f(x).to_bits())).wrapping_mul(0x100_0000_01b3)
            })
        };
        assert_eq!(
            [exp, tanh, logistic].map(|f| format!("{:016x}", hash(f))),
            ["3f2025b6f1907953", "865117e33b50c775", "16159f7938743094"]
        );
    }

    #[test]
    fn sums() {
        let mut sum = Sum::default();
        // Alone, each of the small terms would vanish.
        [1.0, 3e-8, 3e-8, 3e-8, 3e-8, -1.0].iter().for_each(|&term| sum.add(term));
        assert!((sum.value() - 1.2e-7).abs() < 1e-14, "{}", sum.value());
        sum.add(f32::MAX);
        sum.add(f32::MAX);
        assert_eq!(sum.value(), f32::INFINITY);
    }

    #[test]
    fn limits() {
        let (infinity, nan) = (f32::INFINITY, f32::NAN);
        assert_eq!([exp(infinity), exp(-infinity), exp(0.0), exp(-104.0)], [infinity, 0.0, 1.0, 0.0]);
        assert_eq!((exp(88.722_84), exp(-103.9)), (3.402_8e38f32.max(exp(88.722_84)), f32::from_bits(1)));
        assert_eq!([tanh(infinity), tanh(-infinity), tanh(9.1), tanh(0.5)], [1.0, -1.0, 1.0, 0.462_117_16]);
        assert!(tanh(-0.0).is_sign_negative() && tanh(1e-40) == 1e-40);
        assert_eq!([logistic(infinity), logistic(-infinity), logistic(0.0)], [1.0, 0.0, 0.5]);
        assert!(exp(nan).is_nan() && tanh(nan).is_nan() && logistic(nan).is_nan());
    }
}
