//! Products and quotients of scales with the bits of f64 arithmetic, computed with integers: in `prepare`, small
//! machines would link f64 in software for them alone.

/// A finite f32: `significand × 2^exponent`, where `2^23 <= |significand| < 2^24`, or 0.
#[derive(Clone, Copy)]
struct Binary {
    significand: i32,
    exponent: i32,
}

impl Binary {
    /// `None` if `x` is infinite or NaN.
    #[inline(never)] // one copy
    fn of(x: f32) -> Option<Binary> {
        let (bits, exponent) = (x.to_bits() & 0x7f_ffff, (x.to_bits() >> 23 & 0xff) as i32);
        let (magnitude, exponent) = match exponent {
            0xff => return None,
            0 => {
                let left = bits.leading_zeros().min(31) - 8;
                (bits << left, -149 - left as i32)
            }
            _ => (bits | 1 << 23, exponent - 150),
        };
        let significand = if x.is_sign_negative() { -(magnitude as i32) } else { magnitude as i32 };
        Some(Binary { significand, exponent })
    }
}

/// `a × b / c`, rounded once to f64. The product of two f32 is exact in f64, so f64 arithmetic gives the same. NaN if a
/// number is infinite or NaN, or `c` is zero.
#[inline(never)] // the loop over bits is long, and few nodes need it
pub fn quotient(a: f32, b: f32, c: f32) -> f64 {
    let (Some(a), Some(b), Some(c)) = (Binary::of(a), Binary::of(b), Binary::of(c)) else { return f64::NAN };
    if c.significand == 0 {
        return f64::NAN;
    }
    let product = i64::from(a.significand) * i64::from(b.significand);
    let sign = u64::from((product < 0) != (c.significand < 0)) << 63;
    if product == 0 {
        return 0.0;
    }
    // Long division of the product × 2^32, whose quotient has 55 to 58 bits.
    let (mut rest, divisor) = (0, c.significand.unsigned_abs());
    let (mut digits, mut quotient) = (product.unsigned_abs() << 16, 0u64);
    for _ in 0..48 + 32 {
        rest = rest << 1 | (digits >> 63) as u32;
        digits <<= 1;
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
    }
    let (quotient, exponent) = normalized(quotient, a.exponent + b.exponent - c.exponent - 32);
    // 53 bits and five more: to nearest, ties to even.
    let (mut significand, more) = (quotient >> 5, (quotient & 31) as u32);
    if more > 16 || more == 16 && (rest != 0 || significand & 1 == 1) {
        significand += 1;
    }
    // The leading bit of the significand, 2^52, adds one to the exponent, and a carry adds another.
    f64::from_bits(sign | ((((exponent + 57 + 1022) as u64) << 52) + significand))
}

/// The same number, `significand × 2^exponent`, with the leading bit of the significand at 2^57. Not for zero.
#[inline(never)] // one copy
fn normalized(significand: u64, exponent: i32) -> (u64, i32) {
    match significand.leading_zeros() {
        zeros @ 0..6 => (significand >> (6 - zeros), exponent + (6 - zeros) as i32),
        zeros => (significand << (zeros - 6), exponent - (zeros - 6) as i32),
    }
}

/// Whether `|a × b − c|` is at most 2 % of `unit`. False if a number is infinite or NaN, or `unit` is zero.
#[inline(never)] // as `quotient`
pub fn agree(a: f32, b: f32, c: f32, unit: f32) -> bool {
    let numbers = [a, b, c, unit].map(Binary::of);
    let [Some(a), Some(b), Some(c), Some(unit)] = numbers else { return false };
    // With leading bits at 2^60 or 2^61: if the difference is small next to both, their exponents differ by at most
    // two, and the shift below loses only zeros.
    let product = ((i64::from(a.significand) * i64::from(b.significand)) << 14, a.exponent + b.exponent - 14);
    let sum = (i64::from(c.significand) << 38, c.exponent - 38);
    let (high, low) = if product.0 != 0 && product.1 >= sum.1 { (product, sum) } else { (sum, product) };
    let difference = (high.0 - (low.0 >> (high.1 - low.1).clamp(0, 63))).unsigned_abs();
    if difference == 0 || unit.significand <= 0 {
        return unit.significand != 0;
    }
    let (difference, exponent) = normalized(difference, high.1);
    let (unit, unit_exponent) = normalized(unit.significand.unsigned_abs().into(), unit.exponent);
    // 50 × difference is between 2^62 and 2^64, so the exponents decide unless they differ by 5 or 6.
    match unit_exponent - exponent {
        above @ (5 | 6) => difference * 50 <= unit << above,
        above => above > 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finite numbers of all magnitudes, with few and many significant bits.
    fn numbers() -> impl Iterator<Item = f32> {
        let mut bits = 1u32;
        core::iter::repeat_with(move || {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bits = bits ^ bits >> 16;
            f32::from_bits(if bits & 7 == 0 { bits & 0xfff0_0000 } else { bits })
        })
        .filter(|x| x.is_finite())
    }

    #[test]
    fn quotients_have_the_bits_of_f64() {
        let mut numbers = numbers();
        let mut next = || numbers.next().unwrap_or(1.0);
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            if a * b != 0.0 && c != 0.0 {
                let expected = f64::from(a) * f64::from(b) / f64::from(c);
                assert_eq!(quotient(a, b, c).to_bits(), expected.to_bits(), "{a:e} × {b:e} / {c:e}");
            }
        }
        // Ties to even, the smallest and the largest numbers.
        let (least, most) = (f32::from_bits(1), f32::MAX);
        for (a, b, c) in [(least, least, most), (most, most, least), (1.0, 1.0, 3.0), (-0.5, 0.25, 0.1)] {
            let expected = f64::from(a) * f64::from(b) / f64::from(c);
            assert_eq!(quotient(a, b, c).to_bits(), expected.to_bits(), "{a:e} × {b:e} / {c:e}");
        }
        assert_eq!(quotient(0.0, 1.0, 2.0), 0.0);
        for (a, b, c) in
            [(1.0, 1.0, 0.0), (f32::INFINITY, 1.0, 1.0), (1.0, f32::NAN, 1.0), (1.0, 1.0, f32::NAN)]
        {
            assert!(quotient(a, b, c).is_nan());
        }
    }

    #[test]
    fn scales_agree_to_two_percent() {
        let in_f64 = |a: f32, b: f32, c: f32, unit: f32| {
            (f64::from(a) * f64::from(b) - f64::from(c)).abs() / f64::from(unit) <= 0.02
        };
        let mut numbers = numbers().map(f32::abs);
        let mut next = || numbers.next().unwrap_or(1.0);
        let mut agreed = 0;
        for _ in 0..100_000 {
            let (a, b, unit) = (next(), next(), next());
            // Sums that differ by 0 to 4 % of the unit, and any others.
            let near = (f64::from(a) * f64::from(b) + f64::from(unit) * f64::from(next() % 0.04)) as f32;
            for c in [near, a * b, next()].into_iter().filter(|c| c.is_finite()) {
                let expected = unit != 0.0 && in_f64(a, b, c, unit);
                assert_eq!(agree(a, b, c, unit), expected, "{a:e} × {b:e}, {c:e}, {unit:e}");
                agreed += u32::from(expected);
            }
        }
        assert!((50_000..250_000).contains(&agreed), "{agreed}");
        assert!(agree(0.5, 0.5, 0.269, 1.0) && !agree(0.5, 0.5, 0.271, 1.0) && agree(0.5, 0.5, 0.24, 1.0));
        assert!(!agree(1.0, 1.0, 1.0, 0.0) && !agree(1.0, f32::NAN, 1.0, 1.0));
    }
}
