//! Powers of `f32`, computed in double precision: `y = aᵇ`. Results do not depend on the instruction set.

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// `(n, [a, b, _], [a moves, b moves, _], y)`: computes `n` results from `n` elements of each operand, or from one if
/// it does not move. Unsafe to call: the machine must have the instructions, the elements must be readable and the
/// results writable, without overlap. Nothing need be aligned.
pub type ElementKernel = unsafe fn(usize, [*const u8; 3], [bool; 3], *mut u8);

/// The family for one instruction set.
#[non_exhaustive]
pub struct Powers {
    /// The name, such as `f32_pow__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Powers with any exponents.
    pub pow: ElementKernel,
    /// Powers with one exponent for all elements. If it is close to a positive integer, they are products in `f32`
    /// within the finite numbers.
    pub pow_by_one: ElementKernel,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Powers { name: $name, isa: $isa, pow, pow_by_one }
    };
}

family! {
    Powers: "f32_pow" {
        fn pow(n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8);
        fn pow_by_one(n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8);
    }
    vectors
}
member_of_table!(Powers);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;

    fn run(kernel: ElementKernel, a: &[f32], b: &[f32]) -> Vec<f32> {
        let n = a.len().max(b.len());
        let mut y = vec![7.0f32; n + 1];
        let moves = [a.len() == n, b.len() == n, false];
        // SAFETY: members of `available` can run; an operand has `n` elements if it moves, else one.
        unsafe {
            kernel(
                n,
                [a.as_ptr().cast(), b.as_ptr().cast(), core::ptr::null()],
                moves,
                y.as_mut_ptr().cast(),
            );
        }
        assert_eq!(y.pop(), Some(7.0), "it writes past the end");
        y
    }

    /// The distance in units in the last place; 0 if both are NaN.
    fn distance(x: f32, want: f32) -> u32 {
        if x.is_nan() && want.is_nan() || x == want {
            return 0;
        }
        (x.to_bits() as i32).abs_diff(want.to_bits() as i32)
    }

    #[test]
    fn every_member_is_within_one_unit() {
        let mut random = Random::new(3);
        let odd =
            [0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-40, -2.5, 3.0];
        for round in 0..400 {
            let n = 1 + round % 70;
            let mut draw = |scale: f32| match random.next() % 23 {
                at @ 0..11 if round % 3 == 0 => odd[at as usize],
                0..12 => f32::from_bits(random.next() & 0x7FFF_FFFF),
                12..15 => (random.next() % 20) as f32 - 10.0,
                15 => -((random.next() % 20_000) as f32 * scale),
                _ => (random.next() % 20_000) as f32 * scale,
            };
            let a: Vec<f32> = (0..n).map(|_| draw(1e-3)).collect();
            let b: Vec<f32> =
                (0..n).map(|i| if i % 3 == 0 { draw(1.0) } else { draw(1e-3) - 10.0 }).collect();
            let want = |a: f32, b: f32| libm::pow(a.into(), b.into()) as f32;
            for powers in available(TABLE) {
                let check = |y: f32, a: f32, b: f32| {
                    assert!(
                        distance(y, want(a, b)) <= 1,
                        "{}: {a} to the {b} is {y}, not {}",
                        powers.name,
                        want(a, b)
                    );
                };
                run(powers.pow, &a, &b).iter().enumerate().for_each(|(i, &y)| check(y, a[i], b[i]));
                run(powers.pow, &a, &[2.5]).iter().enumerate().for_each(|(i, &y)| check(y, a[i], 2.5));
                run(powers.pow, &[1.7], &b).iter().enumerate().for_each(|(i, &y)| check(y, 1.7, b[i]));
                run(powers.pow_by_one, &a, &[-0.5])
                    .iter()
                    .enumerate()
                    .for_each(|(i, &y)| check(y, a[i], -0.5));
            }
        }
    }

    #[test]
    fn integral_exponents_are_products() {
        let a = [1.1, -2.0, 1e30, -1e30, f32::NAN, 0.0, f32::INFINITY];
        for powers in available(TABLE) {
            assert_eq!(run(powers.pow_by_one, &a[..2], &[3.000_001]), [1.1 * (1.1 * 1.1), -8.0]);
            assert_eq!(run(powers.pow_by_one, &a[2..4], &[2.0]), [f32::MAX, f32::MAX]);
            let cubes = run(powers.pow_by_one, &a[3..], &[3.0]);
            assert!(
                cubes[1].is_nan() && (cubes[0], cubes[2], cubes[3]) == (f32::MIN, 0.0, f32::MAX),
                "{cubes:?}"
            );
            assert_eq!(run(powers.pow_by_one, &a[6..], &[1.0]), [f32::INFINITY]);
        }
    }
}
