//! Functions of real numbers that `libm` lacks.

use core::f64::consts::PI;

/// The digamma function: recurrence up to 10, then the asymptotic series; reflection below zero. NaN at its poles.
pub fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        let rest = x - libm::rint(x);
        return if rest == 0.0 { f64::NAN } else { digamma(1.0 - x) - PI / libm::tan(PI * rest) };
    }
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += 1.0 / x;
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    let series = z
        * (1.0 / 12.0
            - z * (1.0 / 120.0
                - z * (1.0 / 252.0 - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * 691.0 / 32760.0)))));
    libm::log(x) - 0.5 / x - series - shift
}

/// The inverse of the error function.
pub fn erfinv(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 1.0 {
        return f64::NAN;
    }
    if x.abs() >= 0.5 {
        return erfc_inv(1.0 - x.abs()).copysign(x);
    }
    let mut y = erfinv_guess(-libm::log((1.0 - x) * (1.0 + x))) * x;
    for _ in 0..2 {
        y -= (libm::erf(y) - x) / (2.0 / libm::sqrt(PI) * libm::exp(-y * y));
    }
    y
}

/// The inverse of `erfc` for `q` in 0..=1: an initial guess, then Newton's method on the logarithm.
fn erfc_inv(q: f64) -> f64 {
    if q == 0.0 {
        return f64::INFINITY;
    }
    let w = -libm::log(q) - libm::log(2.0 - q);
    let mut y = if w < 16.0 { erfinv_guess(w) * (1.0 - q) } else { libm::sqrt(w - 0.5 * libm::log(PI * w)) };
    for _ in 0..3 {
        let c = libm::erfc(y);
        let slope = 2.0 / libm::sqrt(PI) * libm::exp(-y * y);
        if c > 0.0 && slope > 0.0 {
            y += libm::log(c / q) * (c / slope);
        }
    }
    y
}

/// Giles' approximation of `erf⁻¹(x) / x`, where `w` is `−log(1 − x²)`.
fn erfinv_guess(w: f64) -> f64 {
    let (at, factors) = if w < 5.0 { (w - 2.5, &NEAR) } else { (libm::sqrt(w) - 3.0, &FAR) };
    factors.iter().fold(0.0, |sum, c| sum * at + c)
}

const NEAR: [f64; 9] = [
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
];
const FAR: [f64; 9] = [
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
];

/// The quantile function of the normal distribution.
pub fn ndtri(p: f64) -> f64 {
    match p {
        p if (0.0..=0.5).contains(&p) => -core::f64::consts::SQRT_2 * erfc_inv(2.0 * p),
        p if (0.5..=1.0).contains(&p) => core::f64::consts::SQRT_2 * erfc_inv(2.0 * (1.0 - p)),
        _ => f64::NAN,
    }
}

/// Returns `log(1 + e^x)`.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs())) + if x.is_nan() { x } else { 0.0 }
}

/// Returns `1 / (1 + e^−x)`.
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// The scale of SELU.
pub const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
/// The scale of SELU times its alpha.
pub const SELU_SCALE_ALPHA: f64 = 1.758_099_340_847_376_6;

/// Returns −1 or 1; zeros and NaN stay unchanged.
pub fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { 1f64.copysign(x) }
}

/// The remainder, with the divisor's sign.
pub fn floor_mod(a: f64, b: f64) -> f64 {
    let rest = libm::fmod(a, b);
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
}

/// The larger number; NaN if either is NaN.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The smaller number; NaN if either is NaN.
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// Returns the low bits of `a^n`, or `None` if `n` is negative.
pub fn power(a: i128, n: i128) -> Option<i128> {
    let (mut n, mut square, mut product) = (u64::try_from(n).ok()?, a, 1i128);
    while n > 0 {
        if n & 1 == 1 {
            product = product.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        n >>= 1;
    }
    Some(product)
}

/// Clamps a shift count to `0..width`.
pub fn shift(by: i128, width: u32) -> u32 {
    by.clamp(0, i128::from(width) - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_functions() {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b.abs().max(1.0);
        // ψ(1) = −γ, ψ(½) = −γ − 2 ln 2, ψ(x + 1) = ψ(x) + 1/x.
        let gamma = 0.577_215_664_901_532_9;
        assert!(near(digamma(1.0), -gamma) && near(digamma(0.5), -gamma - 2.0 * 2f64.ln()));
        assert!(near(digamma(-0.5), digamma(0.5) + 2.0) && digamma(-3.0).is_nan());
        for x in [-0.999999, -0.5, -1e-9, 0.0, 0.3, 0.49, 0.51, 0.9, 0.999, 0.9999999] {
            assert!((libm::erf(erfinv(x)) - x).abs() < 1e-15, "{x} {}", libm::erf(erfinv(x)));
        }
        assert_eq!((erfinv(1.0), ndtri(0.5)), (f64::INFINITY, 0.0));
        assert!(near(ndtri(0.975), 1.959_963_984_540_054));
        assert!(near(softplus(1000.0), 1000.0) && near(softplus(0.0), 2f64.ln()));
    }

    #[test]
    fn integers() {
        assert_eq!((power(3, 4), power(2, -1), power(-2, 3)), (Some(81), None, Some(-8)));
        assert_eq!((shift(-4, 8), shift(3, 8), shift(99, 8)), (0, 3, 7));
        assert_eq!((floor_mod(-7.0, 3.0), floor_mod(7.0, -3.0), floor_mod(6.0, 3.0)), (2.0, -2.0, 0.0));
    }
}
