//! Arithmetic of complex numbers.

use arenite_abi::prelude::*;

/// Returns `re + i im`.
pub const fn complex(re: f64, im: f64) -> Complex64 {
    Complex64 { re, im }
}

/// Returns `re` as a complex number.
pub const fn real(re: f64) -> Complex64 {
    complex(re, 0.0)
}

/// Returns `a + b`.
pub fn add(a: Complex64, b: Complex64) -> Complex64 {
    complex(a.re + b.re, a.im + b.im)
}

/// Returns `a − b`.
pub fn sub(a: Complex64, b: Complex64) -> Complex64 {
    complex(a.re - b.re, a.im - b.im)
}

/// Returns `a b`.
pub fn mul(a: Complex64, b: Complex64) -> Complex64 {
    complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// Returns `a / b`, scaled so that no intermediate result overflows.
pub fn div(a: Complex64, b: Complex64) -> Complex64 {
    let scale = b.re.abs().max(b.im.abs());
    if scale.is_infinite() && a.re.is_finite() && a.im.is_finite() {
        return real(0.0);
    }
    if scale == 0.0 || !scale.is_finite() {
        let norm = b.re * b.re + b.im * b.im;
        return complex((a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm);
    }
    let (re, im) = (b.re / scale, b.im / scale);
    let norm = (re * re + im * im) * scale;
    complex((a.re * re + a.im * im) / norm, (a.im * re - a.re * im) / norm)
}

/// Returns the complex conjugate.
pub fn conj(a: Complex64) -> Complex64 {
    complex(a.re, -a.im)
}

/// Returns `|a|`.
pub fn abs(a: Complex64) -> f64 {
    libm::hypot(a.re, a.im)
}

/// Returns the argument, in −π..=π.
pub fn arg(a: Complex64) -> f64 {
    libm::atan2(a.im, a.re)
}

/// Returns `e^a`.
pub fn exp(a: Complex64) -> Complex64 {
    let size = libm::exp(a.re);
    // A real argument gives a real result, also where the exponential is infinite.
    if a.im == 0.0 { complex(size, a.im) } else { complex(size * libm::cos(a.im), size * libm::sin(a.im)) }
}

/// Returns the principal logarithm.
pub fn log(a: Complex64) -> Complex64 {
    complex(libm::log(abs(a)), arg(a))
}

/// Returns `e^a − 1`, accurate near zero.
pub fn expm1(a: Complex64) -> Complex64 {
    if a.im == 0.0 {
        return complex(libm::expm1(a.re), a.im);
    }
    let half = libm::sin(a.im / 2.0);
    complex(libm::expm1(a.re) * libm::cos(a.im) - 2.0 * half * half, libm::exp(a.re) * libm::sin(a.im))
}

/// Returns `log(1 + a)`, accurate near zero.
pub fn log1p(a: Complex64) -> Complex64 {
    let next = complex(1.0 + a.re, a.im);
    let size = if a.re.abs() < 0.5 && a.im.abs() < 0.5 {
        libm::log1p(a.re * (2.0 + a.re) + a.im * a.im) / 2.0
    } else {
        libm::log(abs(next))
    };
    complex(size, arg(next))
}

/// Returns `1 / √a`. For negative reals, the root with the negative imaginary part is used.
pub fn rsqrt(a: Complex64) -> Complex64 {
    if a.re == 0.0 && a.im == 0.0 {
        return complex(f64::INFINITY, f64::NAN);
    }
    let root = div(real(1.0), sqrt(complex(a.re, a.im.abs())));
    if a.im < 0.0 { conj(root) } else { root }
}

/// Returns the principal square root.
pub fn sqrt(a: Complex64) -> Complex64 {
    if a.re == 0.0 && a.im == 0.0 {
        return complex(0.0, a.im);
    }
    if a.im.is_infinite() {
        return complex(f64::INFINITY, a.im);
    }
    if a.re.is_infinite() && !a.im.is_nan() {
        let none = libm::copysign(0.0, a.im);
        let all = libm::copysign(f64::INFINITY, a.im);
        return if a.re > 0.0 { complex(a.re, none) } else { complex(0.0, all) };
    }
    let size = libm::sqrt((a.re.abs() + abs(a)) / 2.0);
    if a.re >= 0.0 {
        complex(size, a.im / (2.0 * size))
    } else {
        complex(a.im.abs() / (2.0 * size), libm::copysign(size, a.im))
    }
}

/// Returns `a^b`. A power of zero is zero or infinite, by the sign of the exponent's real part, and NaN if that is
/// zero.
pub fn pow(a: Complex64, b: Complex64) -> Complex64 {
    if a.re == 0.0 && a.im == 0.0 {
        return match b.re {
            re if re > 0.0 => real(0.0),
            re if re < 0.0 => complex(f64::INFINITY, f64::NAN),
            _ => complex(f64::NAN, f64::NAN),
        };
    }
    exp(mul(b, log(a)))
}

/// Returns `sinh a`. A real argument gives a real result and an imaginary one an imaginary result, also at infinity.
pub fn sinh(a: Complex64) -> Complex64 {
    let re = if a.re == 0.0 { a.re } else { libm::sinh(a.re) * libm::cos(a.im) };
    let im = if a.im == 0.0 { a.im } else { libm::cosh(a.re) * libm::sin(a.im) };
    complex(re, im)
}

/// Returns `cosh a`. Real and imaginary arguments give a real result, also at infinity.
pub fn cosh(a: Complex64) -> Complex64 {
    if a.re == 0.0 || a.im == 0.0 {
        return complex(libm::cosh(a.re) * libm::cos(a.im), a.re.signum() * a.im.signum() * 0.0);
    }
    complex(libm::cosh(a.re) * libm::cos(a.im), libm::sinh(a.re) * libm::sin(a.im))
}

/// Returns `tanh a`.
pub fn tanh(a: Complex64) -> Complex64 {
    if a.re.abs() > 20.0 {
        return complex(libm::copysign(1.0, a.re), 0.0);
    }
    div(sinh(a), cosh(a))
}

/// Returns `sin a = −i sinh(i a)`.
pub fn sin(a: Complex64) -> Complex64 {
    let s = sinh(complex(-a.im, a.re));
    complex(s.im, -s.re)
}

/// Returns `cos a = cosh(i a)`.
pub fn cos(a: Complex64) -> Complex64 {
    cosh(complex(-a.im, a.re))
}

/// Returns `tan a = −i tanh(i a)`.
pub fn tan(a: Complex64) -> Complex64 {
    let t = tanh(complex(-a.im, a.re));
    complex(t.im, -t.re)
}

/// Returns `asinh a = i asin(−i a)`.
pub fn asinh(a: Complex64) -> Complex64 {
    let s = asin(complex(a.im, -a.re));
    complex(-s.im, s.re)
}

/// Returns `acosh a`; the branch cut is on the reals below 1.
pub fn acosh(a: Complex64) -> Complex64 {
    if is_infinite(a) {
        return complex(f64::INFINITY, arg(a));
    }
    let (low, high) = (sqrt(complex(a.re - 1.0, a.im)), sqrt(complex(a.re + 1.0, a.im)));
    complex(libm::asinh(mul(conj(low), high).re), 2.0 * libm::atan2(low.im, high.re))
}

/// Returns `atanh a`; the branch cuts are on the reals outside −1..1.
pub fn atanh(a: Complex64) -> Complex64 {
    let angle = libm::copysign(core::f64::consts::FRAC_PI_2, a.im);
    if is_infinite(a) {
        return complex(libm::copysign(0.0, a.re), angle);
    }
    if abs(a) > 1e100 {
        return complex(div(real(1.0), a).re, angle);
    }
    let (re, im) = (a.re.abs(), a.im.abs());
    let size = libm::log1p(4.0 * re / ((1.0 - re) * (1.0 - re) + im * im)) / 4.0;
    let angle = libm::atan2(2.0 * im, (1.0 - re) * (1.0 + re) - im * im) / 2.0;
    complex(libm::copysign(size, a.re), libm::copysign(angle, a.im))
}

/// Returns `asin a`; the branch cuts are on the reals outside −1..1.
pub fn asin(a: Complex64) -> Complex64 {
    if is_infinite(a) {
        return complex(libm::atan2(a.re, a.im.abs()), libm::copysign(f64::INFINITY, a.im));
    }
    let (low, high) = (sqrt(complex(1.0 - a.re, -a.im)), sqrt(complex(1.0 + a.re, a.im)));
    complex(libm::atan2(a.re, mul(low, high).re), libm::asinh(mul(conj(low), high).im))
}

/// Returns `acos a`; the branch cuts are on the reals outside −1..1.
pub fn acos(a: Complex64) -> Complex64 {
    if is_infinite(a) {
        return complex(libm::atan2(a.im.abs(), a.re), libm::copysign(f64::INFINITY, -a.im));
    }
    let (low, high) = (sqrt(complex(1.0 - a.re, -a.im)), sqrt(complex(1.0 + a.re, a.im)));
    complex(2.0 * libm::atan2(low.re, high.re), libm::asinh(mul(conj(high), low).im))
}

/// Returns `atan a = −i atanh(i a)`.
pub fn atan(a: Complex64) -> Complex64 {
    let t = atanh(complex(-a.im, a.re));
    complex(t.im, -t.re)
}

/// Whether one part is infinite and none is NaN.
fn is_infinite(a: Complex64) -> bool {
    (a.re.is_infinite() || a.im.is_infinite()) && !a.re.is_nan() && !a.im.is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_undo_functions() {
        let near = |a: Complex64, b: Complex64| abs(sub(a, b)) < 1e-12;
        for z in [complex(0.3, -0.4), complex(-0.2, 0.5), complex(0.7, 0.1)] {
            assert!(near(exp(log(z)), z) && near(mul(sqrt(z), sqrt(z)), z) && near(div(mul(z, z), z), z));
            assert!(near(sin(asin(z)), z) && near(cos(acos(z)), z) && near(tan(atan(z)), z));
            assert!(near(sinh(asinh(z)), z) && near(cosh(acosh(z)), z) && near(tanh(atanh(z)), z));
            assert!(near(pow(z, real(3.0)), mul(z, mul(z, z))));
        }
        assert_eq!((sqrt(real(-4.0)), sqrt(complex(-4.0, -0.0))), (complex(0.0, 2.0), complex(0.0, -2.0)));
        assert!(div(real(1.0), real(0.0)).re.is_nan());
    }
}
