//! Arithmetic of complex numbers.

use arenite_abi::prelude::*;

/// The number `re + i im`.
pub const fn complex(re: f64, im: f64) -> Complex64 {
    Complex64 { re, im }
}

/// A real number.
pub const fn real(re: f64) -> Complex64 {
    complex(re, 0.0)
}

/// `a + b`
pub fn add(a: Complex64, b: Complex64) -> Complex64 {
    complex(a.re + b.re, a.im + b.im)
}

/// `a − b`
pub fn sub(a: Complex64, b: Complex64) -> Complex64 {
    complex(a.re - b.re, a.im - b.im)
}

/// `a b`
pub fn mul(a: Complex64, b: Complex64) -> Complex64 {
    complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// `a / b`, scaled so that nothing overflows on the way.
pub fn div(a: Complex64, b: Complex64) -> Complex64 {
    let scale = b.re.abs().max(b.im.abs());
    if scale == 0.0 || !scale.is_finite() {
        let norm = b.re * b.re + b.im * b.im;
        return complex((a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm);
    }
    let (re, im) = (b.re / scale, b.im / scale);
    let norm = (re * re + im * im) * scale;
    complex((a.re * re + a.im * im) / norm, (a.im * re - a.re * im) / norm)
}

/// The conjugate.
pub fn conj(a: Complex64) -> Complex64 {
    complex(a.re, -a.im)
}

/// `|a|`
pub fn abs(a: Complex64) -> f64 {
    libm::hypot(a.re, a.im)
}

/// The angle in −π..=π.
pub fn arg(a: Complex64) -> f64 {
    libm::atan2(a.im, a.re)
}

/// `e^a`
pub fn exp(a: Complex64) -> Complex64 {
    let size = libm::exp(a.re);
    // A real number stays one, also where its exponential is infinite.
    if a.im == 0.0 { complex(size, a.im) } else { complex(size * libm::cos(a.im), size * libm::sin(a.im)) }
}

/// The principal logarithm.
pub fn log(a: Complex64) -> Complex64 {
    complex(libm::log(abs(a)), arg(a))
}

/// The principal square root.
pub fn sqrt(a: Complex64) -> Complex64 {
    if a.re == 0.0 && a.im == 0.0 {
        return complex(0.0, a.im);
    }
    let size = libm::sqrt((a.re.abs() + abs(a)) / 2.0);
    if a.re >= 0.0 {
        complex(size, a.im / (2.0 * size))
    } else {
        complex(a.im.abs() / (2.0 * size), libm::copysign(size, a.im))
    }
}

/// `a^b`, 1 for the exponent 0.
pub fn pow(a: Complex64, b: Complex64) -> Complex64 {
    if b.re == 0.0 && b.im == 0.0 {
        return real(1.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        return real(0.0);
    }
    exp(mul(b, log(a)))
}

/// `sinh a`
pub fn sinh(a: Complex64) -> Complex64 {
    complex(libm::sinh(a.re) * libm::cos(a.im), libm::cosh(a.re) * libm::sin(a.im))
}

/// `cosh a`
pub fn cosh(a: Complex64) -> Complex64 {
    complex(libm::cosh(a.re) * libm::cos(a.im), libm::sinh(a.re) * libm::sin(a.im))
}

/// `tanh a`
pub fn tanh(a: Complex64) -> Complex64 {
    if a.re.abs() > 20.0 {
        return complex(libm::copysign(1.0, a.re), 0.0);
    }
    div(sinh(a), cosh(a))
}

/// `sin a = −i sinh(i a)`
pub fn sin(a: Complex64) -> Complex64 {
    let s = sinh(complex(-a.im, a.re));
    complex(s.im, -s.re)
}

/// `cos a = cosh(i a)`
pub fn cos(a: Complex64) -> Complex64 {
    cosh(complex(-a.im, a.re))
}

/// `tan a = −i tanh(i a)`
pub fn tan(a: Complex64) -> Complex64 {
    let t = tanh(complex(-a.im, a.re));
    complex(t.im, -t.re)
}

/// `asinh a = log(a + √(a² + 1))`
pub fn asinh(a: Complex64) -> Complex64 {
    if a.re < 0.0 {
        let r = asinh(complex(-a.re, -a.im));
        return complex(-r.re, -r.im);
    }
    log(add(a, sqrt(add(mul(a, a), real(1.0)))))
}

/// `acosh a = 2 log(√((a + 1) / 2) + √((a − 1) / 2))`
pub fn acosh(a: Complex64) -> Complex64 {
    let half = |x: Complex64| sqrt(complex(x.re / 2.0, x.im / 2.0));
    let l = log(add(half(add(a, real(1.0))), half(sub(a, real(1.0)))));
    complex(2.0 * l.re, 2.0 * l.im)
}

/// `atanh a = (log(1 + a) − log(1 − a)) / 2`
pub fn atanh(a: Complex64) -> Complex64 {
    let l = sub(log(add(real(1.0), a)), log(sub(real(1.0), a)));
    complex(l.re / 2.0, l.im / 2.0)
}

/// `asin a = −i asinh(i a)`
pub fn asin(a: Complex64) -> Complex64 {
    let s = asinh(complex(-a.im, a.re));
    complex(s.im, -s.re)
}

/// `acos a = π/2 − asin a`
pub fn acos(a: Complex64) -> Complex64 {
    let s = asin(a);
    complex(core::f64::consts::FRAC_PI_2 - s.re, -s.im)
}

/// `atan a = −i atanh(i a)`
pub fn atan(a: Complex64) -> Complex64 {
    let t = atanh(complex(-a.im, a.re));
    complex(t.im, -t.re)
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
