//! Compares each function of the table with the standard library, for random lengths and values.

use proptest::prelude::*;

use super::*;
use crate::family::available;

fn binary(f: Binary, a: f32, b: f32) -> f32 {
    match f {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::SubFrom => b - a,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::DivInto => b / a,
        Binary::Min | Binary::MinOf => a.min(b),
        Binary::Max | Binary::MaxOf => a.max(b),
        Binary::SquaredDifference => (a - b) * (a - b),
        Binary::Leak => {
            if a < 0.0 {
                a * b
            } else {
                a
            }
        }
        Binary::LeakOf => {
            if b < 0.0 {
                a * b
            } else {
                b
            }
        }
    }
}

fn members() -> impl Iterator<Item = &'static Map> {
    available(TABLE)
}

proptest! {
    #[test]
    fn functions_of_one_element(x in prop::collection::vec(-20.0f32..20.0, 0..70)) {
        for map in members() {
            for f in Unary::ALL {
                let mut y = vec![7.0; x.len() + 1];
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { map.unary(f)(x.len(), x.as_ptr(), y.as_mut_ptr()) };
                for (&x, &y) in x.iter().zip(&y) {
                    let want = f.exact(x.into());
                    // For large negative values, GELU is a difference of nearly equal numbers.
                    let tolerance = 2e-6 * want.abs() + if matches!(f, Unary::Gelu | Unary::GeluTanh) { 4e-6 } else { 1e-30 };
                    prop_assert!(
                        (f64::from(y) - want).abs() <= tolerance || want.is_nan() && y.is_nan(),
                        "{} {f:?}({x}) = {y}, not {want}", map.name
                    );
                }
                prop_assert_eq!(y[x.len()], 7.0);
            }
        }
    }

    #[test]
    fn functions_of_two(pairs in prop::collection::vec((-9.0f32..9.0, -9.0f32..9.0), 0..70), c in -9.0f32..9.0) {
        let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
        for map in members() {
            for f in Binary::ALL {
                let (mut y, mut z, half) = (vec![0.0; a.len()], vec![0.0; a.len()], a.len() / 2);
                let mut w = z.clone();
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe {
                    map.binary(f)(1, a.len(), a.as_ptr(), b.as_ptr(), y.as_mut_ptr());
                    map.with_scalar(f)(2, half, a.as_ptr(), [c, -c].as_ptr(), z.as_mut_ptr());
                    map.binary(f)(2, half, a.as_ptr(), b.as_ptr(), w.as_mut_ptr());
                }
                for i in 0..a.len() {
                    prop_assert_eq!(y[i], binary(f, a[i], b[i]), "{} {:?}", map.name, f);
                }
                for i in 0..2 * half {
                    let c = if i < half { c } else { -c };
                    prop_assert_eq!(z[i], binary(f, a[i], c), "{} {:?}", map.name, f);
                    prop_assert_eq!(w[i], binary(f, a[i], b[i % half]), "{} {:?}", map.name, f);
                }
            }
        }
    }

    #[test]
    fn folds(x in prop::collection::vec(-20.0f32..20.0, 1..100)) {
        for map in members() {
            let mut y = vec![0.0; x.len()];
            // SAFETY: the machine can run the member; the lengths match the vectors.
            let (sum, largest, exp_sum) = unsafe {
                let largest = (map.largest)(x.len(), x.as_ptr());
                ((map.sum)(x.len(), x.as_ptr()), largest, (map.exp_sum)(x.len(), x.as_ptr(), largest, y.as_mut_ptr()))
            };
            let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            prop_assert_eq!(largest, most);
            let wide: f64 = x.iter().map(|&x| f64::from(x)).sum();
            prop_assert!((f64::from(sum) - wide).abs() < 1e-3);
            let exps: f64 = x.iter().map(|&x| f64::from(x - most).exp()).sum();
            prop_assert!((f64::from(exp_sum) / exps - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn exponentials_reach_the_ends() {
    for map in members() {
        let x = [-200.0f32, -104.0, -88.0, 0.0, 88.0, 89.0, 200.0, f32::NEG_INFINITY];
        let mut y = [0.0f32; 8];
        // SAFETY: the machine can run the member; both arrays have eight elements.
        unsafe { map.unary(Unary::Exp)(8, x.as_ptr(), y.as_mut_ptr()) };
        assert_eq!(
            (y[0], y[3], y[5], y[6], y[7]),
            (0.0, 1.0, f32::INFINITY, f32::INFINITY, 0.0),
            "{}",
            map.name
        );
        assert!((y[2] / (-88.0f32).exp() - 1.0).abs() < 1e-5 && (y[4] / 88.0f32.exp() - 1.0).abs() < 1e-5);
    }
}

/// Numbers of both signs and each magnitude below 2²⁰, also subnormal ones, and numbers near 1.
#[test]
fn functions_of_every_magnitude() {
    let powers = (-149..20).map(|n| 1.37 * 2f64.powi(n));
    let near_one = (1..24).flat_map(|n| [1.0 + 0.5f64.powi(n), 1.0 - 0.5f64.powi(n)]);
    let x: Vec<f32> = powers.chain(near_one).flat_map(|x| [x as f32, -x as f32]).collect();
    for map in members() {
        for f in Unary::ALL {
            let mut y = vec![0.0f32; x.len()];
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe { map.unary(f)(x.len(), x.as_ptr(), y.as_mut_ptr()) };
            for (&x, &y) in x.iter().zip(&y) {
                let want = f.exact(x.into());
                let is_difference = matches!(f, Unary::Gelu | Unary::GeluTanh);
                let tolerance = 2e-6 * want.abs() + if is_difference { 4e-6 } else { 1e-30 };
                let is_same = y == want as f32 || want.is_nan() && y.is_nan();
                let is_near = is_same || (f64::from(y) - want).abs() <= tolerance;
                assert!(is_near, "{} {f:?}({x:e}) = {y:e}, not {want:e}", map.name);
            }
        }
    }
}

/// Angles near multiples of π/2, where digits cancel, and beyond the reduction in vectors; infinite ones and NaN.
#[test]
fn angles_of_any_size() {
    let quarters = (0..300).map(|i| f64::from(i * i) * std::f64::consts::FRAC_PI_2);
    let near = quarters
        .flat_map(|x| [-1, 0, 1].map(|ulps| f32::from_bits((x as f32).to_bits().wrapping_add_signed(ulps))));
    let far = [1e5, 1.5e5, 1e10, f32::MAX, f32::INFINITY, f32::NAN, 22.0 * 4096.0, 1e-40];
    let x: Vec<f32> = near.filter(|x| !x.is_nan()).chain(far).flat_map(|x| [x, -x]).collect();
    for map in members() {
        for (f, count) in [(Unary::Sin, x.len()), (Unary::Cos, x.len()), (Unary::Sin, 500), (Unary::Cos, 37)]
        {
            let mut y = x[..count].to_vec();
            // SAFETY: the machine can run the member; the lengths match the vector.
            unsafe { map.unary(f)(count, y.as_ptr(), y.as_mut_ptr()) };
            for (&x, &y) in x.iter().zip(&y) {
                let want = f.exact(x.into());
                let is_near =
                    (f64::from(y) - want).abs() <= 2.4e-7 * want.abs() || want.is_nan() && y.is_nan();
                assert!(is_near, "{} {f:?}({x:e}) = {y:e}, not {want:e}", map.name);
                let is_zero = want == 0.0;
                assert!(
                    !is_zero || y.is_sign_negative() == want.is_sign_negative(),
                    "{} {f:?}({x:e}): sign",
                    map.name
                );
            }
        }
    }
}

#[test]
fn small_exponentials_keep_their_digits() {
    for map in members() {
        let x: Vec<f32> = (0..40).map(|i| -(0.7f32.powi(i) * 20.0)).collect();
        let mut y = vec![0.0f32; x.len()];
        // SAFETY: the machine can run the member; the lengths match the vectors.
        unsafe { map.unary(Unary::Elu)(x.len(), x.as_ptr(), y.as_mut_ptr()) };
        for (&x, &y) in x.iter().zip(&y) {
            let want = f64::from(x).exp_m1();
            assert!((f64::from(y) / want - 1.0).abs() < 1e-6, "{}: elu({x}) = {y}, not {want}", map.name);
        }
    }
}

/// In a debug build one number in 509, otherwise all.
#[test]
fn roots_of_all_numbers_are_correctly_rounded() {
    let step: u32 = if cfg!(debug_assertions) { 509 } else { 1 };
    let mut y = vec![0.0f32; 4096];
    for first in (0..u32::MAX / step).step_by(y.len()) {
        let x: Vec<f32> =
            (0..y.len() as u32).map(|i| f32::from_bits((first + i).wrapping_mul(step))).collect();
        for map in members() {
            // SAFETY: the machine can run the member; both vectors have as many elements.
            unsafe { map.unary(Unary::Sqrt)(x.len(), x.as_ptr(), y.as_mut_ptr()) };
            for (&x, &y) in x.iter().zip(&y) {
                let want = x.sqrt();
                let is_same = y.to_bits() == want.to_bits() || y.is_nan() && want.is_nan();
                assert!(is_same, "{}: the root of {x:e} is {y:e}, not {want:e}", map.name);
            }
        }
    }
}
